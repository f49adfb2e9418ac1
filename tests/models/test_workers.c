/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_workers.c - what a replica does with its jobs: it fetches ahead, pays for each delivery,
 * settles before or after the run, crashes and comes back, retires. Few jobs, every end by hand. */
#include "tests/models/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* So many jobs at time 0 for a pool, one service. */
#define JOBS(count, pool, service)                                                        \
    "squall: 1\nduration: 1s\ntail: 1000s\n"                                              \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #count "}}}\n"           \
    "queues: {q: {}}\nworkers: {w: {queue: q, grace: 20s, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {service: " service ", answer_in: 0s}}\n"

/* Up for 10 s, down for 5 s: ready in [0, 10), [15, 25), [30, 40), ... */
#define CRASHES "crashes: {every: 10s, restart: 5s}"

static void crashing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* 4 s each: at 4, 8, then one is cut at 10 and runs again from 15 on. */
        { .what = "redelivered",
          .yaml = JOBS(3, CRASHES, "4s"),
          .ends = { { 4, DONE, 0 }, { 8, DONE, 1 }, { 19, DONE, 2 } },
          .figures = { { "workers.w.deaths", 1 },
                       { "queue.q.redelivered", 1 },
                       { "dependency.api.cancelled", 1 },
                       { "dependency.api.calls_retry", 1 },
                       { "attempts.total", 4 },
                       { "jobs.lost", 0 } } },
        /* The answer of the instant of the crash is in time. */
        { .what = "at the last instant",
          .yaml = JOBS(1, CRASHES, "10s"),
          .ends = { { 10, DONE, 0 } },
          .figures = { { "dependency.api.cancelled", 0 } } },
        { .what = "settled before it runs",
          .yaml = JOBS(4, CRASHES ", acknowledge: before", "4s"),
          .ends = { { 4, DONE, 0 }, { 8, DONE, 1 }, { 10, LOST, 2 }, { 19, DONE, 3 } },
          .figures = { { "workers.w.deaths", 1 },
                       { "queue.q.redelivered", 0 },
                       { "jobs.lost", 1 } } },
        /* A prefetched job has not begun: it comes back. Three in hand at 8 s, one runs. */
        { .what = "prefetched ones are not lost",
          .yaml = JOBS(4, CRASHES ", acknowledge: before, prefetch: 9", "4s"),
          .ends = { { 4, DONE, 0 }, { 8, DONE, 1 }, { 10, LOST, 2 }, { 19, DONE, 3 } },
          .figures = { { "queue.q.redelivered", 1 }, { "jobs.lost", 1 } } },
        { .what = "restart as start_up",
          .yaml = JOBS(1, "start_up: 7s, crashes: {every: 2s}, replicas: 1", "2500ms"),
          .figures = { { "jobs.unfinished", 1 }, { "queue.q.redelivered", 111 } } },
        /* A delay at the broker is safe: fails at 1 s, retried at 12 s, down until 15 s. */
        { .what = "a delay at the broker",
          .yaml =
              "squall: 1\nduration: 1s\ntail: 100s\n"
              "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1}}}\nqueues: {q: {}}\n"
              "workers: {w: {queue: q, " CRASHES ", acknowledge: before, calls: {api: {}},\n"
              "  retry: {backoff: 11s, jitter: none}}}\n"
              "dependencies: {api: {service: 2s, outages: [{at: 500ms, for: 1s}], answer_in: "
              "0s}}\n",
          .ends = { { 17, DONE, 0 } },
          .figures = { { "jobs.lost", 0 }, { "attempts.total", 2 } } },
        /* A limit of two starts: the crash has used one up, the failure is the last. */
        { .what = "starts",
          .yaml =
              "squall: 1\nduration: 13s\ntail: 100s\n"
              "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1}}}\nqueues: {q: {}}\n"
              "workers: {w: {queue: q, " CRASHES ", calls: {api: {}},\n"
              "  retry: {max_attempts: 2, limit_counts: starts, backoff: none}}}\n"
              "dependencies: {api: {service: 11s, outages: [{at: 12s, for: 20s}], answer_in: "
              "0s}}\n",
          .ends = { { 15, DEAD, 0 } },
          .figures = { { "attempts.total", 2 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

static void fetching_ahead(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* Two replicas in turn: 0 2 4 with the first, 1 3 5 with the second. */
        { .what = "in turn",
          .yaml = JOBS(6, "replicas: 2, prefetch: 2", "2s"),
          .ends = { { 2, DONE, 0 },
                    { 2, DONE, 1 },
                    { 4, DONE, 2 },
                    { 4, DONE, 3 },
                    { 6, DONE, 4 },
                    { 6, DONE, 5 } } },
        /* What a busy replica has fetched an idle one cannot take. Jobs 0 and 2 are of the slow
         * producer, 9 s of work; 1 and 3 take no time: 2 waits behind 0. */
        { .what = "behind a slow one",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
                  "  p: {queue: q, arrivals: {kind: regular, rate: 1/s, phase: same}, work: 9s}\n"
                  "  r: {queue: q, arrivals: {kind: cohort, count: 2, at: 500ms}, work: 1s}\n"
                  "queues: {q: {}}\nworkers: {w: {queue: q, replicas: 2, prefetch: 1}}\n",
          .ends = { { 1.5, DONE, 0 }, { 9, DONE, 0 }, { 10, DONE, 1 } } },
        { .what = "the same without",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
                  "  p: {queue: q, arrivals: {kind: regular, rate: 1/s, phase: same}, work: 9s}\n"
                  "  r: {queue: q, arrivals: {kind: cohort, count: 2, at: 500ms}, work: 1s}\n"
                  "queues: {q: {}}\nworkers: {w: {queue: q, replicas: 2}}\n",
          .ends = { { 1.5, DONE, 0 }, { 2.5, DONE, 1 }, { 9, DONE, 0 } } },
        /* Stale when its turn comes, not when it was delivered. */
        { .what = "stale in the hands",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\n"
                  "producers: {p: {queue: q, deadline: 3s, deadline_check: delivery,\n"
                  "  arrivals: {kind: cohort, count: 3}}}\nqueues: {q: {}}\n"
                  "workers: {w: {queue: q, prefetch: 5, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 2s}}\n",
          .ends = { { 2, DONE, 0 }, { 4, DONE, 1 }, { 4, STALE, 2 } } },
        /* No jobs are lost or delayed by fetching ahead for nothing. */
        { .what = "more slots",
          .yaml =
              "squall: 1\nduration: 2s\ntail: 100s\n"
              "producers: {p: {queue: q, arrivals: {kind: cohort, count: 4}}}\nqueues: {q: {}}\n"
              "workers: {w: {queue: q, prefetch: 1, calls: {api: {}}}}\n"
              "dependencies: {api: {service: 3s}}\n"
              "actions: [{at: 1s, set: {workers.w.slots: 2}}]\n",
          .ends = { { 3, DONE, 0 }, { 4, DONE, 1 }, { 6, DONE, 2 }, { 7, DONE, 3 } } },
        { .what = "set",
          .yaml =
              "squall: 1\nduration: 2s\ntail: 100s\n"
              "producers: {p: {queue: q, arrivals: {kind: cohort, count: 4}}}\nqueues: {q: {}}\n"
              "workers: {w: {queue: q, prefetch: 1, calls: {api: {}}}}\n"
              "dependencies: {api: {service: 3s}}\n"
              "actions: [{at: 1s, set: {workers.w.prefetch: 3}}]\n",
          .ends = { { 3, DONE, 0 }, { 6, DONE, 1 }, { 9, DONE, 2 }, { 12, DONE, 3 } },
          .figures = { { "queue.q.wait_p90_s", 1 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

static void paying(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "each delivery",
          .yaml = JOBS(2, "delivery_cost: 500ms", "2s"),
          .ends = { { 2.5, DONE, 0 }, { 5, DONE, 1 } } },
        /* Three stale ones take the slot for 1 s each. */
        { .what = "stale ones too",
          .yaml = "squall: 1\nduration: 4s\ntail: 100s\n"
                  "producers:\n  a: {queue: q, deadline: 1s, deadline_check: delivery,\n"
                  "    arrivals: {kind: cohort, count: 4}}\n"
                  "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 3s}}\n"
                  "queues: {q: {}}\nworkers: {w: {queue: q, delivery_cost: 1s, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 2s}}\n",
          .ends = { { 3, DONE, 0 },
                    { 4, STALE, 1 },
                    { 5, STALE, 2 },
                    { 6, STALE, 3 },
                    { 9, DONE, 0 } } },
        /* Turned away: 500 ms for nothing, and again. */
        { .what = "deferred ones too",
          .yaml =
              "squall: 1\nduration: 1s\ntail: 100s\n"
              "producers: {p: {queue: q, arrivals: {kind: cohort, count: 2}}}\nqueues: {q: {}}\n"
              "workers: {w: {queue: q, slots: 2, delivery_cost: 500ms, calls: {api: {}}}}\n"
              "dependencies: {api: {service: 2s}}\n"
              "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 1600ms}}}\n",
          .ends = { { 2.5, DONE, 0 }, { 4.6, DONE, 1 } },
          .figures = { { "control.api.deferred", 1 } } },
        { .what = "a crash while it pays",
          .yaml = JOBS(1, "delivery_cost: 12s, " CRASHES, "1s"),
          .figures = { { "attempts.total", 0 }, { "jobs.unfinished", 1 }, { "jobs.lost", 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

static void several_queues(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* One slot, 1 s a job. */
        { .what = "strict order",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
                  "  a: {queue: low, arrivals: {kind: cohort, count: 3}}\n"
                  "  b: {queue: high, arrivals: {kind: cohort, count: 2, at: 500ms}}\n"
                  "queues: {low: {}, high: {}}\n"
                  "workers: {w: {queue: [high, low], calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 1s}}\n",
          .ends = { { 1, DONE, 0 },
                    { 2, DONE, 0 },
                    { 3, DONE, 1 },
                    { 4, DONE, 1 },
                    { 5, DONE, 2 } } },
        /* Both pools fetch from both queues, in opposite order. */
        { .what = "opposite orders",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
                  "  a: {queue: a, arrivals: {kind: cohort, count: 2}}\n"
                  "  b: {queue: b, arrivals: {kind: cohort, count: 2}}\nqueues: {a: {}, b: {}}\n"
                  "workers:\n  v: {queue: [a, b], calls: {api: {}}}\n"
                  "  w: {queue: [b, a], calls: {api: {}}}\ndependencies: {api: {service: 1s}}\n",
          .ends = { { 1, DONE, -1 }, { 1, DONE, -1 }, { 2, DONE, -1 }, { 2, DONE, -1 } },
          .figures = { { "queue.a.wait_p90_s", 1 }, { "queue.b.wait_p90_s", 1 } } },
        { .what = "retries go back to their own queue",
          .yaml =
              "squall: 1\nduration: 1s\ntail: 100s\nproducers:\n"
              "  a: {queue: a, arrivals: {kind: cohort, count: 1}}\n"
              "  b: {queue: b, arrivals: {kind: cohort, count: 1}}\nqueues: {a: {}, b: {}}\n"
              "workers: {w: {queue: [a, b], slots: 2, calls: {api: {}},\n"
              "  retry: {backoff: 4s, jitter: none}}}\n"
              "dependencies: {api: {service: 1s, outages: [{at: 0s, for: 2s}], answer_in: 0s}}\n",
          .ends = { { 5, DONE, 0 }, { 5, DONE, 0 } },
          .figures = { { "queue.a.delayed_max", 1 }, { "queue.b.delayed_max", 1 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Three replicas to one at 1 s: the jobs of the two retired ones, by what they are doing. */
#define RETIRED(pool, control)                                                          \
    "squall: 1\nduration: 2s\ntail: 100s\n"                                             \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 6}}}\nqueues: {q: {}}\n" \
    "workers: {w: {queue: q, replicas: 3, grace: 50s, " pool "}}\n"                     \
    "dependencies: {api: {service: 3s, answer_in: 0s}, other: {service: 2s}}\n" control \
    "actions: [{at: 1s, set: {workers.w.replicas: 1}}]\n"

static void retiring(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* 0, 1, 2 run to their end; what the two had fetched goes back at once, and the first
         * replica runs it: 3 (its own), 4, 5. */
        { .what = "prefetched",
          .yaml = RETIRED("prefetch: 1, calls: {api: {}}", ""),
          .ends = { { 3, DONE, 0 },
                    { 3, DONE, 1 },
                    { 3, DONE, 2 },
                    { 6, DONE, 3 },
                    { 9, DONE, 5 },
                    { 12, DONE, 4 } },
          .figures = { { "workers.w.deaths", 0 }, { "queue.q.redelivered", 0 } } },
        /* One call at a time: 1 and 2 wait at 0 s, and go back at 1 s. */
        { .what = "waiting when it retires",
          .yaml = RETIRED("calls: {api: {}}", "controls: {api: {concurrency: 1}}\n"),
          .ends = { { 3, DONE, 0 },
                    { 6, DONE, 3 },
                    { 9, DONE, 4 },
                    { 12, DONE, 5 },
                    { 15, DONE, 2 },
                    { 18, DONE, 1 } },
          .figures = { { "attempts.total", 6 } } },
        /* At 2 s, retired since 1 s, all three have done their first call and want the second,
         * which lets one pass: 1 and 2 go back at once. Ready for nobody: the first is busy. */
        { .what = "begins to wait after it retired",
          .yaml = RETIRED("calls: {other: {}, api: {}}", "controls: {api: {concurrency: 1}}\n"),
          .ends = { { 5, DONE, 0 },
                    { 10, DONE, 3 },
                    { 15, DONE, 4 },
                    { 20, DONE, 5 },
                    { 25, DONE, 1 },
                    { 30, DONE, 2 } },
          .figures = { { "attempts.total", 6 }, { "workers.w.deaths", 0 } } },
        { .what = "settled ones go back too",
          .yaml = RETIRED("acknowledge: before, calls: {other: {}, api: {}}",
                          "controls: {api: {concurrency: 1}}\n"),
          .ends = { { 5, DONE, 0 },
                    { 10, DONE, 3 },
                    { 15, DONE, 4 },
                    { 20, DONE, 5 },
                    { 25, DONE, 1 },
                    { 30, DONE, 2 } },
          .figures = { { "jobs.lost", 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Two calls of `a`, then one of `b`, which is down until 5 s; each takes 1 s. Tries again at once,
 * 4 s after a failure: at 0 to 2 s, 6 to 8 s. */
#define TWICE(more)                                                                     \
    "squall: 1\nduration: 5s\ntail: 100s\n"                                             \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1}}}\nqueues: {q: {}}\n" \
    "workers: {w: {queue: q, calls: {a: {times: 2}, b: {}}, " more                      \
    "retry: {backoff: 4s, jitter: none}}}\ndependencies:\n  a: {service: 1s}\n"         \
    "  b: {service: 1s, answer_in: 0s, outages: [{at: 0s, for: 4s}]}\n"

static void after_success(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "repeat",
          .yaml = TWICE(""),
          .ends = { { 9, DONE, 0 } },
          .figures = { { "dependency.a.calls", 4 }, { "dependency.a.calls_retry", 2 } } },
        { .what = "skip",
          .yaml = TWICE("after_success: skip, "),
          .ends = { { 7, DONE, 0 } },
          .figures = { { "dependency.a.calls", 2 },
                       { "dependency.a.calls_retry", 0 },
                       { "dependency.b.calls", 2 },
                       { "attempts.total", 2 } } },
        /* Up 1.5 s, down 4 s: the second call of `a` is cut, the first is not made again. */
        { .what = "skip, after a crash",
          .yaml = TWICE("after_success: skip, crashes: {every: 1500ms, restart: 4s}, "),
          .ends = { { 12, DONE, 0 } },
          .figures = { { "dependency.a.calls", 3 }, { "dependency.a.cancelled", 1 } } },
        { .what = "a client",
          .yaml = "squall: 1\nduration: 5s\ntail: 100s\n"
                  "clients: {c: {arrivals: {kind: cohort, count: 1}, after_success: skip,\n"
                  "  calls: {a: {}, b: {}}, retry: {backoff: 4s, jitter: none}}}\n"
                  "dependencies:\n  a: {service: 1s}\n"
                  "  b: {service: 1s, answer_in: 0s, outages: [{at: 0s, for: 4s}]}\n",
          .ends = { { 6, DONE, 0 } },
          .figures = { { "dependency.a.calls", 1 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashing), cmocka_unit_test(fetching_ahead),
        cmocka_unit_test(paying),   cmocka_unit_test(several_queues),
        cmocka_unit_test(retiring), cmocka_unit_test(after_success),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
