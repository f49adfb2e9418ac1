/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure_from: what began before it is left out of the metrics, exactly; and it changes nothing of
 * what happens. The counts are made anew from the stream of records. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/models/world.h"

#define S  SQ_NS_PER_S
#define AT (100 * S) /* measure_from of the file below */

/* An outage lies across the instant, controls turn calls away, the fleet changes, the dependency
 * falls over before and after, jobs retry. */
static const char storm[] = "squall: 1\n"
                            "duration: 200s\n"
                            "measure_from: 100s\n"
                            "health: {t1: 30s}\n"
                            "producers:\n"
                            "  a: {queue: q, arrivals: 20/s}\n"
                            "  b: {queue: q, arrivals: {kind: regular, rate: 5/s}, deadline: 20s}\n"
                            "queues: {q: {}}\n"
                            "workers:\n"
                            "  w:\n"
                            "    queue: q\n"
                            "    replicas: 6\n"
                            "    slots: 10\n"
                            "    grace: 50ms\n"
                            "    calls: {d: {timeout: 800ms}}\n"
                            "    retry: {max_attempts: 6, backoff: 2s}\n"
                            "dependencies:\n"
                            "  d:\n"
                            "    servers: 8\n"
                            "    service: {kind: gamma, mean: 200ms, cv: 0.7}\n"
                            "    outages: [{at: 10s, for: 20s}, {at: 95s, for: 10s}]\n"
                            "    overload: {in_flight: 40, for: 1s, down_for: 4s}\n"
                            "controls:\n"
                            "  d: {concurrency: 45, throttled: {kind: defer, delay: 1s..3s},\n"
                            "      ramp: {steps: [5, 45], every: 5s}}\n"
                            "actions:\n"
                            "  - {at: 40s, set: {workers.w.replicas: 2}}\n"
                            "  - {at: 60s, set: {workers.w.replicas: 7}}\n"
                            "  - {at: 120s, set: {workers.w.replicas: 3}}\n"
                            "  - {at: 140s, set: {workers.w.replicas: 8}}\n";

/* ---- counts made anew ---- */

/* How many records of a kind; outcome -1: any. `born` false: that happened from AT on; true: about
 * things that are `value` ns old now and began from AT on. */
static double count(const struct wld *run, enum mdl_record kind, int outcome, bool born)
{
    double n = 0;
    for (size_t i = 0; i < run->rec_count; i++) {
        const struct wld_rec *s = &run->recs[i];
        sq_time_t began = born ? s->at - s->r.value : s->at;
        n += s->r.kind == kind && (outcome < 0 || s->r.outcome == outcome) && began >= AT ? 1 : 0;
    }
    return n;
}

static void same(const struct wld *run, const char *name, double want)
{
    if (!(fabs(wld_get(run, name) - want) < 1e-9)) {
        fail_msg("%s is %g, by the records %g", name, wld_get(run, name), want);
    }
}

static void jobs(const struct wld *run)
{
    double ended = 0;
    same(run, "jobs.arrived", count(run, MDL_REC_JOB_ARRIVED, -1, false));
    for (int e = 0; e < MDL_END_COUNT; e++) {
        char name[40];
        double n = count(run, MDL_REC_JOB_ENDED, e, true);
        (void)snprintf(name, sizeof(name), "jobs.%s", mdl_end_name((enum mdl_end)e));
        same(run, name, n);
        ended += n;
    }
    same(run, "jobs.unfinished", wld_get(run, "jobs.arrived") - ended);
    double attempts = count(run, MDL_REC_ATTEMPT, -1, false), retries = 0, most = 0;
    for (size_t i = 0; i < run->rec_count; i++) {
        const struct wld_rec *s = &run->recs[i];
        if (s->r.kind == MDL_REC_ATTEMPT && s->at >= AT) {
            retries += s->r.attempt > 1 ? 1 : 0;
            most = fmax(most, s->r.attempt);
        }
    }
    same(run, "attempts.total", attempts);
    same(run, "attempts.retries", retries);
    same(run, "attempts.max_per_job", most);
}

static void calls(const struct wld *run)
{
    static const struct {
        const char *name;
        enum mdl_error outcome;
    } rows[] = {
        { "dependency.d.goodput", MDL_ERR_OK },
        { "dependency.d.timeouts", MDL_ERR_TIMEOUT },
        { "dependency.d.errors", MDL_ERR_RESET },
        { "dependency.d.refused", MDL_ERR_UNAVAILABLE },
        { "dependency.d.cancelled", MDL_ERR_CANCELLED },
    };
    double left = count(run, MDL_REC_CALL_LEFT, -1, false), ended = 0;
    same(run, "dependency.d.calls", left);
    same(run, "dependency.d.calls_first", count(run, MDL_REC_CALL_LEFT, 1, false));
    same(run, "dependency.d.calls_retry", count(run, MDL_REC_CALL_LEFT, 0, false));
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double n = count(run, MDL_REC_CALL_ENDED, (int)rows[i].outcome, true);
        if (n < 1) {
            fail_msg("the scenario does not show %s", rows[i].name);
        }
        same(run, rows[i].name, n);
        ended += n;
    }
    same(run, "dependency.d.awaited", left - ended);
    same(run, "dependency.d.secondary_outages", count(run, MDL_REC_COLLAPSE, -1, false));
    same(run, "control.d.deferred", count(run, MDL_REC_THROTTLED, 0, false));
    same(run, "control.d.ramp_relapses", count(run, MDL_REC_RAMP_START, 2, false));
    same(run, "queue.q.redelivered", count(run, MDL_REC_JOB_REDELIVERED, -1, false));
    same(run, "workers.w.replica_changes", count(run, MDL_REC_WANTED, -1, false));
    same(run, "workers.w.deaths", count(run, MDL_REC_REPLICA_GONE, 1, false));
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The order statistics of the values of a kind, of things that began from AT on. */
static void quantiles(const struct wld *run, enum mdl_record kind, int outcome, int producer,
                      const char *p50, const char *p99)
{
    static double values[20000];
    size_t n = 0;
    for (size_t i = 0; i < run->rec_count; i++) {
        const struct wld_rec *s = &run->recs[i];
        if (s->r.kind == kind && s->r.outcome == outcome && s->at - s->r.value >= AT &&
            (producer < 0 || s->r.producer == producer)) {
            values[n++] = sq_time_to_s(s->r.value);
        }
    }
    assert_true(n > 100);
    qsort(values, n, sizeof(*values), by_size);
    same(run, p50, values[(size_t)ceil(0.5 * (double)n) - 1]);
    same(run, p99, values[(size_t)ceil(0.99 * (double)n) - 1]);
}

static void counts(void **state)
{
    (void)state;
    struct wld run;
    wld_run_set(&run, storm, NULL, 0);
    jobs(&run);
    calls(&run);
    quantiles(&run, MDL_REC_JOB_ENDED, MDL_END_COMPLETED, 0, "producer.a.delay_p50_s",
              "producer.a.delay_p99_s");
    quantiles(&run, MDL_REC_JOB_ENDED, MDL_END_COMPLETED, 1, "producer.b.delay_p50_s",
              "producer.b.delay_p99_s");
    quantiles(&run, MDL_REC_CALL_ENDED, MDL_ERR_OK, -1, "dependency.d.latency_p50_s",
              "dependency.d.latency_p99_s");
    /* The records before AT must be many, or nothing is shown. */
    static const enum mdl_record kinds[] = { MDL_REC_COLLAPSE, MDL_REC_WANTED, MDL_REC_THROTTLED,
                                             MDL_REC_RAMP_START };
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        size_t before = 0, after = 0;
        for (size_t k = 0; k < run.rec_count; k++) {
            before += run.recs[k].r.kind == kinds[i] && run.recs[k].at < AT ? 1 : 0;
            after += run.recs[k].r.kind == kinds[i] && run.recs[k].at >= AT ? 1 : 0;
        }
        if (before == 0 || after == 0) {
            fail_msg("record %d: %zu before, %zu after", (int)kinds[i], before, after);
        }
    }
    wld_fini(&run);
}

/* Measuring changes nothing; and the whole is its two parts: areas add up, the larger maximum
 * counts. The first part is a run that ends at AT: it has the same luck. */
static void parts(void **state)
{
    (void)state;
    static const char *const all[] = { "measure_from=0s" };
    static const char *const first[] = { "measure_from=0s", "duration=100s",
                                         ("actions=[{at: 40s, set: {workers.w.replicas: 2}}, "
                                          "{at: 60s, set: {workers.w.replicas: 7}}]") };
    static const char *const means[] = { "queue.q.ready_mean", "queue.q.delayed_mean",
                                         "dependency.d.in_flight_mean",
                                         "dependency.d.waiting_mean" };
    static const char *const maxima[] = { "queue.q.ready_max", "queue.q.delayed_max",
                                          "dependency.d.in_flight_max", "workers.w.replicas_max",
                                          "control.d.in_use_max" };
    static const char *const sums[] = { "jobs.arrived",
                                        "attempts.total",
                                        "attempts.retries",
                                        "dependency.d.calls",
                                        "dependency.d.calls_first",
                                        "dependency.d.secondary_outages",
                                        "control.d.deferred",
                                        "workers.w.replica_changes",
                                        "dependency.d.downtime_s" };
    struct wld late, whole;
    wld_run_set(&late, storm, NULL, 0);
    wld_run_set(&whole, storm, all, 1);
    struct wld early;
    wld_run_set(&early, storm, first, SQ_COUNT(first));
    assert_true(late.w.ctx.sim.hash == whole.w.ctx.sim.hash);
    for (size_t i = 0; i < SQ_COUNT(means); i++) {
        double sum = wld_get(&early, means[i]) * 100 + wld_get(&late, means[i]) * 100;
        same(&whole, means[i], sum / 200);
    }
    for (size_t i = 0; i < SQ_COUNT(maxima); i++) {
        same(&whole, maxima[i], fmax(wld_get(&early, maxima[i]), wld_get(&late, maxima[i])));
    }
    for (size_t i = 0; i < SQ_COUNT(sums); i++) {
        same(&whole, sums[i], wld_get(&early, sums[i]) + wld_get(&late, sums[i]));
    }
    wld_fini(&late);
    wld_fini(&whole);
    wld_fini(&early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests_name("measured", tests, NULL, NULL);
}
