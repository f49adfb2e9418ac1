/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall_say.c - the answer of a forecast without a scenario, in words. First the state, then
 * how it was reckoned. No time beyond the horizon is printed: nobody plans for it. */
#include "models/forecast/mdl_outlook.h"
#include "models/study/mdl_oncall_in.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static void put_number(struct sq_buf *out, double value)
{
    sq_buf_number(out, value, 12);
}

static void put_rate(struct sq_buf *out, double per_s, int digits)
{
    sq_buf_number(out, per_s, digits);
    sq_buf_puts(out, "/s");
}

static bool looks_alike(double a, double b, int digits)
{
    struct sq_buf x = { 0 }, y = { 0 };
    sq_buf_number(&x, a, digits);
    sq_buf_number(&y, b, digits);
    bool same = !x.failed && !y.failed && strcmp(x.text, y.text) == 0;
    sq_buf_fini(&x);
    sq_buf_fini(&y);
    return same;
}

/* Enough to tell two rates apart that are not equal. */
static int digits_of(double a, double b)
{
    int digits = 4;
    while (a != b && digits < 12 && looks_alike(a, b, digits)) {
        digits++;
    }
    return digits;
}

static void put_time(struct sq_buf *out, double seconds)
{
    if (seconds > MDL_DRAIN_HORIZON_S) {
        sq_buf_puts(out, "longer than 30 days");
    } else if (seconds < 1e-3) {
        sq_buf_puts(out, "less than 1ms");
    } else {
        sq_unit_put_span(out, seconds);
    }
}

/* ---- the state ---- */

static void put_state(const struct mdl_oncall *f, const struct mdl_drain_result *r,
                      struct sq_buf *out)
{
    if (r->reason != MDL_DRAIN_IDLE || f->arrivals_per_s > 0) {
        mdl_outlook_say(r, out);
    } else if (f->measured) {
        sq_buf_puts(out, "stalled: nothing was done in ");
        sq_unit_put_span(out, f->window_s);
    } else {
        sq_buf_puts(out, "stalled: there is no capacity");
    }
}

/* ---- queues ---- */

static size_t lines_of(const struct mdl_oncall *f)
{
    return f->queue_count < MDL_MAX_LINES ? f->queue_count : MDL_MAX_LINES;
}

static double clear_in(const struct mdl_oncall_queue *q)
{
    return q->backlog <= MDL_ONCALL_CLEAR ? 0 : (q->backlog - MDL_ONCALL_CLEAR) / -q->growth_per_s;
}

static enum mdl_drain_state state_of(const struct mdl_oncall *f, const struct mdl_oncall_queue *q)
{
    double still = f->arrivals_per_s / 100;
    if (q->growth_per_s > still) {
        return MDL_DRAIN_WILL_NOT;
    }
    bool clears = q->growth_per_s < -still && clear_in(q) <= MDL_DRAIN_HORIZON_S;
    return q->backlog <= MDL_ONCALL_CLEAR || clears ? MDL_DRAIN_CLEARS : MDL_DRAIN_STALLED;
}

/* "clears in 3m10s", "stalled", "will not drain: grows by 1/s". */
static void put_queue_state(const struct mdl_oncall *f, const struct mdl_oncall_queue *q,
                            struct sq_buf *out)
{
    enum mdl_drain_state state = state_of(f, q);
    sq_buf_puts(out, mdl_drain_word(state));
    if (state == MDL_DRAIN_WILL_NOT) {
        sq_buf_puts(out, ": grows by ");
        put_rate(out, q->growth_per_s, 3);
    } else if (state == MDL_DRAIN_CLEARS && clear_in(q) > 0) {
        sq_buf_puts(out, " in ");
        sq_unit_put_span(out, clear_in(q));
    } else if (state == MDL_DRAIN_CLEARS) {
        sq_buf_puts(out, " at once");
    }
}

/* The queue that is clear last, or not at all. */
static const struct mdl_oncall_queue *slowest(const struct mdl_oncall *f)
{
    const struct mdl_oncall_queue *worst = &f->queues[0];
    for (size_t i = 1; i < lines_of(f); i++) {
        const struct mdl_oncall_queue *q = &f->queues[i];
        enum mdl_drain_state here = state_of(f, q), there = state_of(f, worst);
        bool later = here == MDL_DRAIN_CLEARS ? clear_in(q) > clear_in(worst)
                                              : q->growth_per_s > worst->growth_per_s;
        worst = here > there || (here == there && later) ? q : worst;
    }
    return worst;
}

static void put_queues(const struct mdl_oncall *f, struct sq_buf *out)
{
    for (size_t i = 0; i < lines_of(f) && f->queue_count > 1; i++) {
        const struct mdl_oncall_queue *q = &f->queues[i];
        sq_buf_printf(out, "  queue      %s: ", q->name);
        put_number(out, q->backlog);
        sq_buf_puts(out, q->growth_per_s > 0 ? " jobs, +" : " jobs, ");
        put_rate(out, q->growth_per_s, 4);
        if (f->measured) {
            sq_buf_puts(out, ": ");
            put_queue_state(f, q, out);
        }
        sq_buf_putc(out, '\n');
    }
    if (f->queue_count > MDL_MAX_LINES) {
        sq_buf_printf(out, "  queue      and %zu more, which are in the sums only\n",
                      f->queue_count - MDL_MAX_LINES);
    }
}

/* ---- the lines ---- */

static void put_naive(const struct mdl_oncall *f, const struct mdl_drain_result *r,
                      struct sq_buf *out)
{
    int digits = digits_of(r->capacity_per_s, f->arrivals_per_s);
    bool nothing = r->naive_backlog <= 0 && f->arrivals_per_s <= r->capacity_per_s;
    sq_buf_puts(out, "  naive      ");
    put_number(out, r->naive_backlog);
    sq_buf_puts(out, " jobs / (");
    put_rate(out, r->capacity_per_s, digits);
    sq_buf_puts(out, " capacity - ");
    put_rate(out, f->arrivals_per_s, digits);
    sq_buf_puts(out, " arrivals) = ");
    if (nothing) {
        sq_buf_puts(out, "at once");
    } else if (isnan(r->naive_s)) {
        sq_buf_puts(out, "never");
    } else {
        put_time(out, r->naive_s);
    }
    sq_buf_putc(out, '\n');
}

static void put_planned(const struct mdl_oncall *f, const struct mdl_drain_result *r,
                        struct sq_buf *out)
{
    sq_buf_puts(out, "  planned    ");
    if (isnan(r->planned_s)) {
        put_state(f, r, out);
    } else if (r->planned_s > 0) {
        sq_buf_puts(out, "queue clear in ");
        sq_unit_put_span(out, r->planned_s);
    } else {
        sq_buf_puts(out, "queue clear at once");
    }
    if (r->planned_last_job_s > 0) {
        sq_buf_puts(out, isnan(r->planned_s) ? "; those that wait now are done in "
                                             : ", the last of these jobs done in ");
        put_time(out, r->planned_last_job_s);
    }
    sq_buf_putc(out, '\n');
}

static void put_measured(const struct mdl_oncall *f, const struct mdl_drain_result *r,
                         struct sq_buf *out)
{
    int digits = digits_of(r->capacity_per_s, f->arrivals_per_s);
    sq_buf_puts(out, "  measured   backlog ");
    put_number(out, f->backlog);
    sq_buf_puts(out, ", arrivals ");
    put_rate(out, f->arrivals_per_s, digits);
    sq_buf_puts(out, ", capacity ");
    put_rate(out, r->capacity_per_s, digits);
    sq_buf_printf(out, " (%s)\n", f->from);
    put_queues(f, out);
    if (f->no_arrivals && f->measured) {
        sq_buf_puts(out, "  note       the file has no arrivals, so this capacity is what they "
                         "leave of it\n");
    }
    if (f->early_per_s < f->late_per_s || f->early_per_s > f->late_per_s) {
        sq_buf_puts(out, "  note       what was done moved within these ");
        sq_unit_put_span(out, f->window_s);
        sq_buf_puts(out, ", from ");
        put_rate(out, f->early_per_s, 3);
        sq_buf_puts(out, " to ");
        put_rate(out, f->late_per_s, 3);
        sq_buf_puts(out, ": a shorter --window shows the latest\n");
    }
}

/* Retries that are due after an instant, and when the last of them is. */
static double timers_after(const struct mdl_oncall *f, double after_s, double *last_s)
{
    double count = 0;
    *last_s = 0;
    for (size_t i = 0; i < f->timer_count; i++) {
        const struct mdl_oncall_timers *t = &f->timers[i];
        double span = t->to_s - t->from_s;
        double share = span > 0 ? (t->to_s - fmax(after_s, t->from_s)) / span : 1;
        if (t->to_s > after_s) {
            count += t->count * share;
            *last_s = fmax(*last_s, t->to_s);
        }
    }
    return count;
}

/* A clear queue is not the end of it while retries are still to come. */
static void put_later(const struct mdl_oncall *f, const struct mdl_drain_result *r,
                      struct sq_buf *out)
{
    double last = 0, later = isnan(r->planned_s) ? 0 : timers_after(f, r->planned_s, &last);
    if (later >= 1) {
        sq_buf_puts(out, "; ");
        put_number(out, floor(later + 0.5));
        sq_buf_printf(out, " retr%s still to come, the last in ", later < 1.5 ? "y is" : "ies are");
        sq_unit_put_span(out, last);
    }
}

static void put_note(const struct mdl_oncall *f, struct sq_buf *out)
{
    double cap = isnan(f->permits) ? f->cap_per_s : f->permits;
    if (f->step_count > 0 && f->steps[f->step_count - 1] < cap) {
        sq_buf_puts(out, "  note       the ramp ends below --cap, and its last step stays\n");
    }
}

enum sq_status mdl_oncall_say(const struct mdl_oncall *f, struct sq_buf *out)
{
    struct mdl_drain_result r;
    enum sq_status status = mdl_oncall_forecast(f, &r);
    if (status != SQ_OK) {
        return status;
    }
    if (f->queue_count > 1 && f->as_it_is) {
        const struct mdl_oncall_queue *q = slowest(f);
        put_queue_state(f, q, out);
        sq_buf_printf(out, " (queue %s)\n", q->name);
        sq_buf_printf(out, "  together   the %zu queues as one:\n", f->queue_count);
    } else {
        put_state(f, &r, out);
        put_later(f, &r, out);
        sq_buf_putc(out, '\n');
    }
    put_naive(f, &r, out);
    put_planned(f, &r, out);
    if (f->from != NULL) {
        put_measured(f, &r, out);
    }
    put_note(f, out);
    return SQ_OK;
}
