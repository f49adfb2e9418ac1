/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - see rows.h. */
#include "tests/models/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check_row(const struct row *row)
{
    struct wld t;
    wld_run(&t, row->yaml);
    size_t n = 0;
    for (; n < SQ_COUNT(row->ends) && row->ends[n].at > 0; n++) {
        const struct wld_rec *r = wld_rec_at(&t, MDL_REC_JOB_ENDED, n);
        const struct end *e = &row->ends[n];
        if (r == NULL) {
            fail_msg("%s: %zu ends only", row->what, n);
        } else if (r->at != WLD_S(e->at) || r->r.outcome != e->how ||
                   (e->job >= 0 && r->r.ordinal != (uint64_t)e->job)) {
            fail_msg("%s: end %zu is job %d %s at %.9f s", row->what, n, (int)r->r.ordinal,
                     mdl_end_name((enum mdl_end)r->r.outcome), sq_time_to_s(r->at));
        }
    }
    if (wld_rec_at(&t, MDL_REC_JOB_ENDED, n) != NULL) {
        fail_msg("%s: more than %zu ends", row->what, n);
    }
    for (size_t i = 0; i < SQ_COUNT(row->figures) && row->figures[i].metric != NULL; i++) {
        double is = wld_get(&t, row->figures[i].metric);
        if (is != row->figures[i].value) {
            fail_msg("%s: %s is %g", row->what, row->figures[i].metric, is);
        }
    }
    wld_fini(&t);
}

void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_row(&rows[i]);
    }
}
