/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_workers_presets.c - the shipped presets of worker pools against what was measured with the
 * real systems (Celery 5.2.6 with kombu 5.2.4 and BullMQ 6.7.0 on Redis 7.0.15, each run end to
 * end): numbers of runs exactly, gaps between runs up to the latency of their timers. What was not
 * run is judged by the facts that each preset names. */
#include "tests/models/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

enum { MOST_RUNS = 12 };

/* A task that always fails, in a pool as given. */
#define FAILING(pool)                                                         \
    "squall: 1\nduration: 1s\ntail: 1000s\n"                                  \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1}}}\n"        \
    "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {service: 1ms, errors: {error: 100%}}}\n"

static void runs_and_gaps(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        size_t runs;
        double gaps[4]; /* measured, s */
    } rows[] = {
        { "Celery: max_retries 3, retry_backoff 1, retry_jitter False",
          FAILING("preset: celery, retry: {jitter: none}"),
          4,
          { 1.01, 2.08, 4.12 } },
        { "Celery: max_retries 2, default_retry_delay 1",
          FAILING("preset: celery, retry: {preset: celery-retry, max_retries: 2, backoff: 1s}"),
          3,
          { 1, 1.08 } },
        { "BullMQ: attempts 5, exponential 200 ms",
          FAILING("preset: bullmq, retry: {max_attempts: 5, backoff: {base: 200ms}}"),
          5,
          { 0.228, 0.4, 0.907, 1.608 } },
        { "BullMQ: attempts 4, fixed 300 ms",
          FAILING("preset: bullmq, retry: {preset: bullmq-fixed, max_attempts: 4, backoff: 300ms}"),
          4,
          { 0.319, 0.306, 0.412 } },
        { "BullMQ: attempts 3, no backoff",
          FAILING("preset: bullmq, retry: {max_attempts: 3, backoff: none}"),
          3,
          { 0.023, 0.002 } },
        { "BullMQ: attempts 4, a strategy of 200 ms x attemptsMade",
          FAILING("preset: bullmq, retry: {max_attempts: 4, backoff: {kind: linear, base: 200ms}}"),
          4,
          { 0.219, 0.402, 0.701 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        sq_time_t at[MOST_RUNS];
        wld_run(&t, rows[i].yaml);
        size_t runs = wld_times(&t, MDL_REC_CALL_LEFT, -1, at, MOST_RUNS);
        if (runs != rows[i].runs) {
            fail_msg("%s: %zu runs", rows[i].what, runs);
        }
        for (size_t n = 0; n + 1 < runs; n++) {
            /* the call of 1 ms is part of the gap; a measured one may be late, never early */
            double gap = sq_time_to_s(at[n + 1] - at[n]) - 0.001, late = rows[i].gaps[n] - gap;
            if (late < -1e-9 || late > 0.125) {
                fail_msg("%s: gap %zu is %g s, %g was measured", rows[i].what, n + 1, gap,
                         rows[i].gaps[n]);
            }
        }
        wld_fini(&t);
    }
}

/* 60 tasks with an ETA, prefetch 2: one worker reserves all 60, and five plain tasks run all the
 * same within 1.5 s. Here the 60 get their ETA by failing once. */
static void celery_eta_prefetch(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[5];
    wld_run(&t, "squall: 1\nduration: 5s\ntail: 300s\nproducers:\n"
                "  eta: {queue: q, arrivals: {kind: cohort, count: 60}}\n"
                "  plain: {queue: q, work: 100ms, arrivals: {kind: cohort, count: 5, at: 2s}}\n"
                "queues: {q: {}}\n"
                "workers: {w: {preset: celery, queue: q, prefetch: 2, acknowledge: after,\n"
                "  calls: {api: {only: eta}}, retry: {backoff: 100s, jitter: none}}}\n"
                "dependencies: {api: {service: 1ms, answer_in: 1ms,\n"
                "  outages: [{at: 0s, for: 2s}]}}\n");
    assert_int_equal(t.w.pools[0].held.max, 60);
    assert_int_equal(t.w.queues[0].delayed.max, 0);
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_COMPLETED, at, 5), 65);
    assert_true(at[4] <= WLD_S(3.5));
    wld_fini(&t);
}

/* Visibility timeout 5 s, countdown 130 s, acks_late: the sweep finds the message some 100 s later
 * (89 s were seen), and the task runs twice. */
static void celery_double_run(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[2];
    wld_run(&t, "squall: 1\nduration: 200s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1, at: 9s}}}\n"
                "queues: {q: {visibility_timeout: 5s, sweep: 100s}}\n"
                "workers: {w: {preset: celery, queue: q, slots: 2, acknowledge: after,\n"
                "  calls: {api: {}}, retry: {backoff: 130s, jitter: none}}}\n"
                "dependencies: {api: {service: 1ms, answer_in: 0s,\n"
                "  outages: [{at: 0s, for: 10s}]}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_DELIVERED, -1, at, 2), 2);
    assert_int_equal(at[1], WLD_S(100));
    assert_true(wld_get(&t, "dependency.api.goodput") == 2);
    assert_true(wld_get(&t, "dependency.api.duplicate_effects") == 1);
    assert_true(wld_get(&t, "jobs.completed") == 1);
    wld_fini(&t);
}

/* The replicas are up for 4 s and down for 6 s. */
#define CRASHING(count, pool, api)                                              \
    "squall: 1\nduration: 1s\ntail: 1000s\n"                                    \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #count "}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " pool ",\n"    \
    "  crashes: {every: 4s, restart: 6s}}}\n"                                   \
    "dependencies: {api: {answer_in: 0s, " api "}}\n"

static void facts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "Sidekiq: a crash loses what runs, not what waits to be retried",
          .yaml = CRASHING(3, "preset: sidekiq, retry: {backoff: 9s, jitter: none}",
                           "service: 3s, outages: [{at: 0s, for: 1ms}]"),
          /* 0, 1 and 2 are refused at 0 s and due at 9 s: down; 0 runs from 10 to 13 s, 1 is cut
           * at 14 s, 2 runs from 20 s on. */
          .ends = { { 13, DONE, 0 }, { 14, LOST, 1 }, { 23, DONE, 2 } } },
        { .what = "BullMQ: a crash loses nothing",
          .yaml = CRASHING(2, "preset: bullmq", "service: 3s"),
          .ends = { { 3, DONE, 0 }, { 13, DONE, 1 } } },
        { .what = "Celery: messages in hand come back, the one that runs is lost",
          .yaml = CRASHING(3, "preset: celery", "service: 3s"),
          .ends = { { 3, DONE, 0 }, { 4, LOST, 1 }, { 13, DONE, 2 } },
          .figures = { { "queue.q.redelivered", 1 } } },
        { .what = "Kafka: a record that fails holds up the next, and is skipped after ten runs",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
                  "  bad: {queue: q, permanent: 100%, arrivals: {kind: cohort, count: 1}}\n"
                  "  good: {queue: q, arrivals: {kind: cohort, count: 1, at: 1ms}}\n"
                  "queues: {q: {}}\n"
                  "workers: {w: {preset: kafka-consumer, queue: q, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 100ms}}\n",
          .ends = { { 1, DROP, 0 }, { 1.1, DONE, 0 } },
          .figures = { { "attempts.max_per_job", 10 } } },
        /* Message 0 is done at 1 s, 1 is reset at 1.5 s: both come back with their leases. */
        { .what = "SQS to Lambda: a batch comes back with its visibility timeout",
          .yaml = "squall: 1\nduration: 2s\ntail: 100s\n"
                  "producers: {p: {queue: q, arrivals: {kind: cohort, count: 2}}}\n"
                  "queues: {q: {visibility_timeout: 30s}}\n"
                  "workers: {w: {preset: sqs-lambda, queue: q, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 1s, outages: [{at: 1500ms, for: 1ms}]}}\n",
          .ends = { { 32, DONE, 0 }, { 32, DONE, 1 } },
          .figures = { { "dependency.api.duplicate_effects", 1 }, { "attempts.total", 4 } } },
        { .what = "RabbitMQ: one consumer without a prefetch limit has it all",
          .yaml = "squall: 1\nduration: 2s\ntail: 100s\n"
                  "producers: {p: {queue: q, arrivals: {kind: cohort, count: 8}}}\n"
                  "queues: {q: {}}\n"
                  "workers: {w: {preset: rabbitmq, queue: q, start_up: 1s, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 1s}}\n"
                  "actions: [{at: 500ms, set: {workers.w.replicas: 8}}]\n",
          .ends = { { 1, DONE, 0 },
                    { 2, DONE, 1 },
                    { 3, DONE, 2 },
                    { 4, DONE, 3 },
                    { 5, DONE, 4 },
                    { 6, DONE, 5 },
                    { 7, DONE, 6 },
                    { 8, DONE, 7 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Pub/Sub clients keep 1,000 messages outstanding besides what runs. */
static void pubsub_outstanding(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3000}}}\n"
                "queues: {q: {}}\nworkers: {w: {preset: pubsub, queue: q, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 10s}}\n");
    assert_int_equal(t.w.queues[0].leased.max, 1001);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_gaps),      cmocka_unit_test(celery_eta_prefetch),
        cmocka_unit_test(celery_double_run),  cmocka_unit_test(facts),
        cmocka_unit_test(pubsub_outstanding),
    };
    return cmocka_run_group_tests_name("workers_presets", tests, NULL, NULL);
}
