/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_runs.c - runs in figures. */
#include "plots/plt_runs.h"

#include <math.h>

#include "plots/plt_words.h"

struct sq_spread plt_runs_spread(const struct sq_result *r, const char *metric, bool *failed)
{
    struct sq_spread out = { .n = 0, .mean = NAN, .p10 = NAN, .p50 = NAN, .p90 = NAN };
    long index = sq_result_metric(r, metric);
    double *values = index < 0 ? NULL : sq_mem_alloc(r->run_count + 1, sizeof *values);
    if (index >= 0 && values == NULL) {
        *failed = true;
    }
    for (size_t k = 0; k < r->run_count && values != NULL; k++) {
        values[k] = r->runs[k].values[index].number;
    }
    if (values != NULL && sq_infer_spread(values, r->run_count, &out) != SQ_OK) {
        *failed = true;
    }
    sq_mem_free(values);
    return out;
}

/* Jobs that came to nothing: all ends but completion. */
static double given_up(const struct sq_result *r, bool *failed)
{
    static const char *const ends[] = { "jobs.stale",   "jobs.superseded", "jobs.dead_lettered",
                                        "jobs.dropped", "jobs.lost",       "jobs.unfinished" };
    double arrived = plt_runs_spread(r, "jobs.arrived", failed).mean;
    double sum = 0;
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        double mean = plt_runs_spread(r, ends[i], failed).mean;
        sum += isfinite(mean) ? mean : 0;
    }
    return arrived > 0 ? sum / arrived : 0;
}

static void put_collapses(struct sq_buf *b, const struct sq_result *r)
{
    int64_t hits;
    if (!plt_collapsed_runs(r, &hits)) {
        return;
    }
    if (r->run_count == 1) {
        sq_buf_puts(b, hits > 0 ? "collapses; " : "no collapse; ");
    } else if (hits == 0) {
        sq_buf_printf(b, "no collapse in %zu runs; ", r->run_count);
    } else {
        sq_buf_printf(b, "collapses in %lld of %zu runs; ", (long long)hits, r->run_count);
    }
}

void plt_put_groups(struct sq_buf *b, const struct sq_spread *s, int64_t runs)
{
    plt_put_span(b, s->group[0].p50);
    sq_buf_printf(b, " in %lld of %lld runs, ", (long long)s->group[0].n, (long long)runs);
    plt_put_span(b, s->group[1].p50);
    sq_buf_printf(b, " in %lld", (long long)s->group[1].n);
}

void plt_put_short_verdict(struct sq_buf *b, const struct sq_result *r)
{
    struct sq_spread clear = plt_runs_spread(r, "drain.queue_clear_s", &b->failed);
    put_collapses(b, r);
    if (clear.n > 0 && clear.bimodal) {
        sq_buf_puts(b, "queue clear after ");
        plt_put_groups(b, &clear, (int64_t)r->run_count);
    } else if (clear.n > 0) {
        sq_buf_puts(b, "queue clear ");
        plt_put_span(b, clear.p50);
        sq_buf_puts(b, " after recovery");
        if (clear.n < (int64_t)r->run_count) {
            sq_buf_printf(b, " in %lld", (long long)clear.n);
        }
    } else {
        sq_buf_puts(b, "queue never clear");
    }
    double lost = given_up(r, &b->failed);
    if (lost >= 0.005) {
        sq_buf_puts(b, "; ");
        plt_put_percent(b, lost);
        sq_buf_puts(b, " of the jobs given up");
    }
}
