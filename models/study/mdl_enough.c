/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_enough.c - the number of runs from the spread of a pilot. */
#include "models/study/mdl_enough.h"

#include "models/study/mdl_replicate.h"
#include "sim/core/sq_infer.h"

#include <math.h>
#include <string.h>

static const double mean_within = 0.05, share_within = 0.10;

/* ---- which metrics ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), tail = strlen(end);
    return len >= tail && strcmp(name + len - tail, end) == 0;
}

static bool is_judged(const char *name)
{
    static const char *const whole[] = { "drain.queue_clear_s", "drain.last_job_s",
                                         "drain.healthy_s", "jobs.completed" };
    static const char *const ends[] = { ".calls", ".goodput", ".amplification" };
    for (size_t i = 0; i < SQ_COUNT(whole); i++) {
        if (strcmp(name, whole[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < SQ_COUNT(ends) && strncmp(name, "dependency.", 11) == 0; i++) {
        if (ends_with(name, ends[i])) {
            return true;
        }
    }
    return false;
}

/* ---- how many ---- */

/* Runs that bring the interval of the mean within the bound; 0 when the metric does not count. */
static double runs_for_mean(const struct sq_spread *spread, size_t runs)
{
    if (2 * spread->n <= (int64_t)runs || spread->n < 2 || spread->bimodal || spread->mean == 0) {
        return 0;
    }
    double half = (spread->hi - spread->lo) / 2; /* t s / sqrt(n) */
    double ratio = half / (mean_within * fabs(spread->mean));
    double counting = (double)runs / (double)spread->n; /* so many runs per value */
    return ceil(ratio * ratio * (double)spread->n * counting);
}

static double runs_for_share(double share)
{
    for (int64_t n = MDL_PILOT_RUNS; n < MDL_AUTO_RUNS; n++) {
        double lo, hi;
        sq_infer_wilson((int64_t)floor(share * (double)n + 0.5), n, &lo, &hi);
        if (hi - lo <= 2 * share_within) {
            return (double)n;
        }
    }
    return MDL_AUTO_RUNS;
}

static void want(struct mdl_enough *e, double runs, const char *metric)
{
    if (runs > (double)e->runs) {
        e->capped = runs > MDL_AUTO_RUNS;
        e->runs = e->capped ? MDL_AUTO_RUNS : (int64_t)runs;
        e->metric = metric;
    }
}

static enum sq_status look_at(const struct sq_result *r, size_t metric, double *values,
                              struct mdl_enough *e)
{
    const char *name = r->metric_names[metric];
    bool share = strcmp(name, "outcome.p_collapse") == 0;
    if (!share && !is_judged(name)) {
        return SQ_OK;
    }
    for (size_t k = 0; k < r->run_count; k++) {
        values[k] = r->runs[k].values[metric].number;
    }
    struct sq_spread spread;
    enum sq_status status = sq_infer_spread(values, r->run_count, &spread);
    if (status == SQ_OK) {
        want(e, share ? runs_for_share(spread.mean) : runs_for_mean(&spread, r->run_count), name);
    }
    return status;
}

enum sq_status mdl_enough(const struct sq_result *pilots, size_t count, struct mdl_enough *out)
{
    struct mdl_enough e = { .runs = MDL_PILOT_RUNS };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        double *values = sq_mem_alloc(pilots[i].run_count, sizeof(*values));
        status = values != NULL ? SQ_OK : SQ_NOMEM;
        for (size_t m = 0; m < pilots[i].metric_count && status == SQ_OK; m++) {
            status = look_at(&pilots[i], m, values, &e);
        }
        sq_mem_free(values);
    }
    if (status == SQ_OK) {
        *out = e;
    }
    return status;
}

/* ---- pilots ---- */

static enum sq_status decide(const struct sq_result *pilots, size_t count, struct mdl_ask *ask,
                             struct sq_diag *diag)
{
    struct mdl_enough e;
    enum sq_status status = mdl_enough(pilots, count, &e);
    if (status != SQ_OK) {
        return status;
    }
    ask->runs = e.runs;
    const char *bound =
        e.metric != NULL && strcmp(e.metric, "outcome.p_collapse") == 0 ? "10 points" : "5 %";
    if (e.capped) {
        sq_diag_note(diag, ask->file,
                     "%d runs, the most that --runs auto makes: %s varies too much"
                     " to be known to within %s",
                     MDL_AUTO_RUNS, e.metric, bound);
    } else if (e.metric != NULL) {
        sq_diag_note(diag, ask->file, "%lld runs, so that %s is known to within %s",
                     (long long)e.runs, e.metric, bound);
    } else {
        sq_diag_note(diag, ask->file,
                     "%d runs are enough: means are known to within 5 %%, shares "
                     "to within 10 points",
                     MDL_PILOT_RUNS);
    }
    return SQ_OK;
}

/* A pilot that was stopped before it was over decides nothing. */
static enum sq_status whole(enum sq_status status, const struct sq_result *pilots)
{
    return status == SQ_OK && pilots[0].run_count < MDL_PILOT_RUNS ? SQ_STOPPED : status;
}

enum sq_status mdl_enough_for_run(struct mdl_ask *ask, const struct mdl_replicate_ask *how,
                                  struct sq_diag *diag)
{
    if (ask->runs != MDL_RUNS_AUTO) {
        return SQ_OK;
    }
    struct mdl_scenario s = { 0 };
    struct sq_result pilot = { 0 };
    struct mdl_replicate_ask pilots = *how;
    pilots.first = 1;
    pilots.count = MDL_PILOT_RUNS;
    ask->runs = MDL_PILOT_RUNS;
    enum sq_status status = mdl_scenario_load(&s, ask, diag);
    status = status == SQ_OK ? mdl_replicate(&s, &pilots, &pilot, diag) : status;
    status = whole(status, &pilot);
    status = status == SQ_OK ? decide(&pilot, 1, ask, diag) : status;
    sq_arena_fini(&pilot.arena);
    mdl_scenario_fini(&s);
    return status;
}

enum sq_status mdl_enough_for_compare(struct mdl_compare_ask *ask, struct sq_diag *diag)
{
    if (ask->scenario.runs != MDL_RUNS_AUTO) {
        return SQ_OK;
    }
    struct mdl_compare c = { 0 };
    ask->scenario.runs = MDL_PILOT_RUNS;
    enum sq_status status = mdl_compare_open(&c, ask, diag);
    status = status == SQ_OK ? mdl_compare_run(&c, ask, diag) : status;
    status = status == SQ_OK ? whole(status, c.results) : status;
    status = status == SQ_OK ? decide(c.results, c.count, &ask->scenario, diag) : status;
    mdl_compare_fini(&c);
    return status;
}
