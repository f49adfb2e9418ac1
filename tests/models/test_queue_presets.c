/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_queue_presets.c - the shipped presets of queues, each by what its system does: when a job
 * whose worker died is delivered again, how often one may be, and when retries are released. */
#include "tests/models/rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* The job is in hand from 0 on; its replica retires at 5 s, counts as crashed at 7 s; another one
 * is there from 10 s on. Work of 20 s. A second job waits. */
#define CRASH(queue)                                                                             \
    "squall: 1\nduration: 10m\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: 2}}}\n" \
    "queues: {q: {preset: " queue "}}\n"                                                         \
    "workers: {w: {queue: q, start_up: 0s, grace: 2s, calls: {api: {}}}}\n"                      \
    "dependencies: {api: {service: 20s}}\n"                                                      \
    "actions: [{at: 5s, set: {workers.w.replicas: 0}}, {at: 10s, set: {workers.w.replicas: 1}}]\n"

static void crashes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "rabbitmq-quorum: noticed at once, and in front",
          .yaml = CRASH("rabbitmq-quorum"),
          .ends = { { 30, DONE, 0 }, { 50, DONE, 1 } },
          .figures = { { "queue.q.redelivered", 1 } } },
        { .what = "rabbitmq-classic",
          .yaml = CRASH("rabbitmq-classic"),
          .ends = { { 30, DONE, 0 }, { 50, DONE, 1 } } },
        { .what = "sqs: when the lease of 30 s ends",
          .yaml = CRASH("sqs"),
          .ends = { { 30, DONE, 1 }, { 50, DONE, 0 } },
          .figures = { { "queue.q.redelivered", 1 } } },
        { .what = "pubsub: 10 s after the last extension, behind the other",
          .yaml = CRASH("pubsub"),
          .ends = { { 30, DONE, 1 }, { 50, DONE, 0 } } },
        { .what = "kafka-consumer: after a session timeout of 45 s",
          .yaml = CRASH("kafka-consumer"),
          .ends = { { 30, DONE, 1 }, { 72, DONE, 0 } } },
        { .what = "bullmq: the lock ends at 37 s, the check is at 60 s",
          .yaml = CRASH("bullmq"),
          .ends = { { 30, DONE, 1 }, { 80, DONE, 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Measured with a lock of 6 s and a check every 5 s: workers killed at 30.0 s had their jobs taken
 * for stalled at 38.5 s; within one interval of the check. */
static void stalled_jobs(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[2];
    wld_run(&t,
            "squall: 1\nduration: 2m\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: "
            "1, at: 29s}}}\nqueues: {q: {preset: bullmq, visibility_timeout: 6s, sweep: 5s}}\n"
            "workers: {w: {queue: q, start_up: 0s, grace: 0s, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 2s}}\n"
            "actions: [{at: 30s, set: {workers.w.replicas: 0}}, {at: 31s, set: "
            "{workers.w.replicas: 1}}]\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_DELIVERED, -1, at, 2), 2);
    assert_true(fabs(sq_time_to_s(at[1]) - 38.487) <= 5);
    wld_fini(&t);
}

/* How often a message is delivered that nobody ever settles. */
#define HOPELESS(queue, pool)                                                                     \
    "squall: 1\nduration: 3h\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: 1}}}\n"   \
    "queues: {q: {preset: " queue "}}\nworkers: {w: {queue: q, slots: 99, " pool                  \
    ", calls: {api: {}}}}\ndependencies: {api: {answer_in: 0s, service: 30h, outages: [{at: 0s, " \
    "for: 2h}]}}\n"

static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        double attempts, dead_at;
    } rows[] = {
        { "rabbitmq-quorum: delivery-limit 20",
          HOPELESS("rabbitmq-quorum",
                   "retry: {max_attempts: unlimited, backoff: 1s, jitter: none}"),
          21, 21 },
        { "sqs with a redrive policy of 3: at the fourth receive",
          HOPELESS("sqs, max_receives: 3", "retry: sqs"), 3, 90 },
        { "pubsub-dead-letter: 5 deliveries",
          HOPELESS("pubsub-dead-letter", "retry: pubsub-exponential"), 5, 310 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        sq_time_t at[1];
        wld_run(&t, rows[i].yaml);
        if (wld_get(&t, "attempts.total") != rows[i].attempts ||
            wld_times(&t, MDL_REC_JOB_ENDED, DEAD, at, 1) != 1 || at[0] != WLD_S(rows[i].dead_at)) {
            fail_msg("%s: %g attempts", rows[i].what, wld_get(&t, "attempts.total"));
        }
        wld_fini(&t);
    }
}

/* maxStalledCount 1: the second stall fails the job; a retry between starts a new count. A replica
 * dies every 10 s here, and is back after 1 s. */
static void too_many_stalls(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 10m\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: "
            "1}}}\nqueues: {q: {preset: bullmq}}\nworkers: {w: {queue: q, calls: {api: {}}, "
            "crashes: {every: 10s, restart: 1s}}}\ndependencies: {api: {service: 20s}}\n");
    assert_true(wld_get(&t, "attempts.total") == 2);
    assert_true(wld_get(&t, "jobs.dead_lettered") == 1);
    wld_fini(&t);
}

/* Retries are late by the time to the next poll, 5 s in the mean: of a fleet (polls at times of no
 * order) the whole mean gap; of one process (a gap of mean 5 and variance 25/12) half of
 * 5 + 25/12/5 s. */
static void polls(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        double late, most;
    } rows[] = { { "sidekiq", 5, INFINITY }, { "sidekiq-one-process", 2.7083, 7.5 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        struct wld t;
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 8h\nproducers: {p: {queue: q, arrivals: {kind: "
                       "poisson, rate: 0.2/s}}}\nqueues: {q: {preset: %s}}\nworkers: {w: {queue: "
                       "q, slots: 999, retry: {max_attempts: 2, backoff: 10s, jitter: none}, "
                       "calls: {api: {}}}}\ndependencies: {api: {service: 1ms, errors: {error: "
                       "100%%}}}\n",
                       rows[i].preset);
        wld_run(&t, text);
        double sum = 0, most = 0, count = wld_get(&t, "producer.p.dead_lettered");
        for (size_t k = 0; k < t.rec_count; k++) {
            const struct wld_rec *r = &t.recs[k];
            if (r->r.kind == MDL_REC_JOB_ENDED) { /* two runs of 1 ms and a delay of 10 s */
                double late = sq_time_to_s(r->r.value) - 10.002;
                assert_true(late > -1e-9);
                sum += late;
                most = fmax(most, late);
            }
        }
        assert_true(count > 5000);
        if (fabs(sum / count - rows[i].late) > 0.06 * rows[i].late || most > rows[i].most) {
            fail_msg("%s: late by %g s, at most %g s", rows[i].preset, sum / count, most);
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashes),         cmocka_unit_test(stalled_jobs), cmocka_unit_test(limits),
        cmocka_unit_test(too_many_stalls), cmocka_unit_test(polls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
