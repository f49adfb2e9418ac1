/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_outlook.c - why a backlog stands still. */
#include "models/forecast/mdl_outlook.h"

#include <math.h>

static void put_rate(struct sq_buf *b, double per_s)
{
    sq_buf_number(b, per_s, 3);
    sq_buf_puts(b, "/s");
}

/* The walk ends early where nothing changes any more; it does not tell a backlog that stands still
 * (SCENARIO 12.4: by less than a hundredth of the arrivals) from one that takes too long. */
void mdl_outlook_say(const struct mdl_drain_result *r, struct sq_buf *b)
{
    double left = -r->excess_per_s, arrivals = r->capacity_per_s + r->excess_per_s;
    bool slow = r->state == MDL_DRAIN_STALLED && r->reason == MDL_DRAIN_HORIZON;
    if (r->state == MDL_DRAIN_WILL_NOT && r->reason == MDL_DRAIN_IDLE && arrivals > 0) {
        sq_buf_puts(b, "will not drain: arrivals exceed capacity by ");
        put_rate(b, arrivals);
    } else if (slow && arrivals > 0 && fabs(left) <= arrivals * 1e-9) {
        sq_buf_puts(b, "stalled: arrivals use up the capacity");
    } else if (slow && left > 0 && left <= arrivals / 100) {
        sq_buf_puts(b, "stalled: arrivals leave ");
        put_rate(b, left);
        sq_buf_puts(b, " of the capacity, less than 1 % of themselves");
    } else {
        mdl_drain_say(r, b);
    }
}
