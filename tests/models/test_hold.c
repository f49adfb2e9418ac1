/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_hold.c - jobs that workers keep: in batches, through their delays, in their memory, and what
 * becomes of them when replicas crash or are replaced. Every end by hand. */
#include "tests/models/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* So many jobs at time 0, one pool, one dependency. */
#define JOBS(count, pool, api)                                                           \
    "squall: 1\nduration: 6s\ntail: 1000s\n"                                             \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #count "}}}\n"          \
    "queues: {q: {}}\nworkers: {w: {queue: q, grace: 5s, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {answer_in: 0s, " api "}}\n"

#define RESET_AT_1500   "service: 1s, outages: [{at: 1500ms, for: 1ms}]"
#define RETRY_10S(more) "retry: {backoff: 10s, jitter: none" more "}"

static void batches(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "as a whole",
          .yaml = JOBS(3, "batch: 3", "service: 1s"),
          .ends = { { 3, DONE, 0 }, { 3, DONE, 1 }, { 3, DONE, 2 } } },
        { .what = "each",
          .yaml = JOBS(3, "batch: {size: 3, failure: each}", "service: 1s"),
          .ends = { { 1, DONE, 0 }, { 2, DONE, 1 }, { 3, DONE, 2 } } },
        { .what = "what there is",
          .yaml = JOBS(5, "batch: 3, slots: 2", "service: 1s"),
          .ends = { { 2, DONE, 3 },
                    { 2, DONE, 4 },
                    { 3, DONE, 0 },
                    { 3, DONE, 1 },
                    { 3, DONE, 2 } } },
        /* Job 1 is reset at 1.5 s, job 2 refused at once; then all three fail, and come back. */
        { .what = "one fails, all fail",
          .yaml = JOBS(3, "batch: 3, " RETRY_10S(""), RESET_AT_1500),
          .ends = { { 14.5, DONE, 0 }, { 14.5, DONE, 1 }, { 14.5, DONE, 2 } },
          .figures = { { "attempts.total", 6 },
                       { "dependency.api.calls", 6 },
                       { "dependency.api.calls_first", 3 } } },
        { .what = "one fails for itself",
          .yaml = JOBS(3, "batch: {size: 3, failure: each}, " RETRY_10S(""), RESET_AT_1500),
          .ends = { { 1, DONE, 0 }, { 12.5, DONE, 1 }, { 13.5, DONE, 2 } },
          .figures = { { "attempts.total", 5 } } },
        /* The attempts are used up together. */
        { .what = "dead together",
          .yaml = JOBS(3, "batch: 3", RESET_AT_1500),
          .ends = { { 1.5, DEAD, 0 }, { 1.5, DEAD, 1 }, { 1.5, DEAD, 2 } } },
        /* 4 s of work, cut at 3.5 s: the whole batch again from 8.5 s on, also what was done. */
        { .what = "a crash",
          .yaml = JOBS(
              4, "batch: 4, crashes: {every: 3500ms, restart: 5s}",
              "service: 1s") "actions: [{at: 5s, set: {dependencies.api.service.value: 500ms}}]\n",
          .ends = { { 10.5, DONE, 0 }, { 10.5, DONE, 1 }, { 10.5, DONE, 2 }, { 10.5, DONE, 3 } },
          .figures = { { "queue.q.redelivered", 4 },
                       { "dependency.api.calls", 8 },
                       { "dependency.api.cancelled", 1 } } },
        { .what = "a crash, each",
          .yaml = JOBS(4, "batch: {size: 4, failure: each}, crashes: {every: 3500ms, restart: 5s}",
                       "service: 1s"),
          .ends = { { 1, DONE, 0 }, { 2, DONE, 1 }, { 3, DONE, 2 }, { 9.5, DONE, 3 } },
          .figures = { { "queue.q.redelivered", 1 } } },
        { .what = "a stale member is no failure",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\n"
                  "producers:\n  a: {queue: q, arrivals: {kind: cohort, count: 2}}\n"
                  "  b: {queue: q, deadline: 500ms, arrivals: {kind: cohort, count: 1}}\n"
                  "queues: {q: {}}\nworkers: {w: {queue: q, batch: 3, calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 1s}}\n",
          .ends = { { 1, STALE, 0 }, { 2, DONE, 0 }, { 2, DONE, 1 } } },
        /* The batch goes on without its member that waited at a control. */
        { .what = "retired",
          .yaml = "squall: 1\nduration: 2s\ntail: 100s\n"
                  "producers:\n  a: {queue: q, arrivals: {kind: cohort, count: 2}}\n"
                  "queues: {q: {}}\n"
                  "workers: {w: {queue: q, replicas: 2, batch: {size: 1, failure: each}, "
                  "calls: {api: {}}}}\n"
                  "dependencies: {api: {service: 3s}}\ncontrols: {api: {concurrency: 1}}\n"
                  "actions: [{at: 1s, set: {workers.w.replicas: 1}}]\n",
          .ends = { { 3, DONE, 0 }, { 6, DONE, 1 } },
          .figures = { { "attempts.total", 2 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Down from 0 to 2 s, 1 s of service; what fails at 0 s is tried again at 10 s. Another job comes
 * at 3 s. */
#define DELAYED(pool)                                                         \
    "squall: 1\nduration: 4s\ntail: 1000s\nproducers:\n"                      \
    "  a: {queue: q, arrivals: {kind: cohort, count: 1}}\n"                   \
    "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 3s}}\n"           \
    "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {answer_in: 0s, service: 1s, outages: [{at: 0s, for: 2s}]}}\n"

static void delays(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "at the broker",
          .yaml = DELAYED(RETRY_10S("")),
          .ends = { { 4, DONE, 0 }, { 11, DONE, 0 } },
          .figures = { { "queue.q.delayed_max", 1 } } },
        { .what = "in memory",
          .yaml = DELAYED(RETRY_10S(", held_by: worker-memory")),
          .ends = { { 4, DONE, 0 }, { 11, DONE, 0 } },
          .figures = { { "queue.q.delayed_max", 0 }, { "attempts.total", 3 } } },
        { .what = "in the slot",
          .yaml = DELAYED(RETRY_10S(", held_by: slot")),
          .ends = { { 11, DONE, 0 }, { 12, DONE, 0 } },
          .figures = { { "queue.q.delayed_max", 0 }, { "queue.q.wait_p99_s", 8 } } },
        /* The slot is taken when the delay is over: a waits until 13.5 s. */
        { .what = "its slot is taken",
          .yaml =
              "squall: 1\nduration: 10s\ntail: 1000s\nproducers:\n"
              "  a: {queue: q, arrivals: {kind: cohort, count: 1}}\n"
              "  b: {queue: q, work: 4s, arrivals: {kind: cohort, count: 1, at: 8500ms}}\n"
              "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " RETRY_10S(
                  ", held_by: worker-memory") "}}\n"
                                              "dependencies: {api: {answer_in: 0s, service: 1s, "
                                              "outages: [{at: 0s, for: 2s}]}}\n",
          .ends = { { 13.5, DONE, 0 }, { 14.5, DONE, 0 } } },
        /* One delay in memory is all it takes: b is fetched when a is done waiting, at 10 s, and
         * runs after it. */
        { .what = "held_limit",
          .yaml = DELAYED(RETRY_10S(", held_by: worker-memory") ", held_limit: 1"),
          .ends = { { 11, DONE, 0 }, { 12, DONE, 0 } } },
        { .what = "held_limit, set",
          .yaml = DELAYED(RETRY_10S(
              ", held_by: worker-memory") ", held_limit: 1") "actions: [{at: 3500ms, set: "
                                                             "{workers.w.held_limit: 2}}]\n",
          .ends = { { 4.5, DONE, 0 }, { 11, DONE, 0 } } },
        { .what = "stale when it is due",
          .yaml = "squall: 1\nduration: 1s\ntail: 100s\n"
                  "producers: {p: {queue: q, deadline: 9s, deadline_check: enqueue,\n"
                  "  arrivals: {kind: cohort, count: 1}}}\n"
                  "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " RETRY_10S(
                      ", held_by: slot") "}}\n"
                                         "dependencies: {api: {answer_in: 0s, service: 1s, "
                                         "outages: [{at: 0s, for: 2s}]}}\n",
          .ends = { { 10, STALE, 0 } } },
        /* Overtaken while it is held: it is in hand, so it ends when its turn comes. */
        { .what = "superseded",
          .yaml =
              "squall: 1\nduration: 4s\ntail: 100s\n"
              "producers: {p: {queue: q, supersede: 1, arrivals: {kind: regular, "
              "rate: 0.25/s, phase: same}, backlog: 1}}\n"
              "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, " RETRY_10S(
                  ", held_by: worker-memory") "}}\n"
                                              "dependencies: {api: {answer_in: 0s, service: 1s, "
                                              "outages: [{at: 0s, for: 2s}]}}\n",
          .ends = { { 10, OLD, 0 }, { 11, DONE, 1 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Fails at 0 s, due at 10 s; the replica crashes at 4 s and is back at 6 s (up 4 s, down 2 s:
 * ready in [0, 4), [6, 10), [12, 16)). */
#define CRASHES    "crashes: {every: 4s, restart: 2s}"
#define HELD(pool) JOBS(1, CRASHES ", " pool, "service: 1s, outages: [{at: 0s, for: 2s}]")

static void crashes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* Back at 4 s, with the second life from 6 s on, due at 10 s as that one crashes: the
         * third runs it. */
        { .what = "in memory",
          .yaml = HELD(RETRY_10S(", held_by: worker-memory")),
          .ends = { { 13, DONE, 0 } },
          .figures = { { "queue.q.redelivered", 2 }, { "attempts.total", 3 } } },
        { .what = "in the slot",
          .yaml = HELD(RETRY_10S(", held_by: slot")),
          .ends = { { 13, DONE, 0 } },
          .figures = { { "queue.q.redelivered", 2 } } },
        { .what = "in memory, settled",
          .yaml = HELD(RETRY_10S(", held_by: worker-memory") ", acknowledge: before"),
          .ends = { { 4, LOST, 0 } } },
        { .what = "in the slot, settled",
          .yaml = HELD(RETRY_10S(", held_by: slot") ", acknowledge: before"),
          .ends = { { 4, LOST, 0 } } },
        { .what = "at the broker, settled",
          .yaml = HELD("retry: {backoff: 12s, jitter: none}, acknowledge: before"),
          .ends = { { 13, DONE, 0 } } },
        /* Four jobs of 1 MB in 3 MB: the fourth is one too many, each time; nobody finishes. */
        { .what = "memory",
          .yaml =
              JOBS(4, "prefetch: 9, memory: 3MB, job_memory: 1MB, start_up: 400s", "service: 1s"),
          .figures = { { "workers.w.deaths", 3 }, { "jobs.unfinished", 4 } } },
        { .what = "memory that suffices",
          .yaml = JOBS(4, "prefetch: 9, memory: 4MB, job_memory: 1MB", "service: 1s"),
          .ends = { { 1, DONE, 0 }, { 2, DONE, 1 }, { 3, DONE, 2 }, { 4, DONE, 3 } },
          .figures = { { "workers.w.deaths", 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Four replicas, two at a time, 10 s to start, 5 s of grace: 0 and 1 retire at 1 s, their
 * replacements are ready at 11 s, then 2 and 3 retire, and theirs are ready at 21 s. */
#define DEPLOY(jobs, pool)                                                                   \
    "squall: 1\nduration: 2s\ntail: 1000s\n"                                                 \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #jobs "}}}\n"               \
    "queues: {q: {}}\n"                                                                      \
    "workers: {w: {queue: q, replicas: 4, start_up: 10s, grace: 5s, calls: {api: {}}, " pool \
    "}}\n"

#define DEPLOYED "actions: [{at: 1s, deploy: {workers: w, at_once: 50%}}]\n"

static void deploys(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { .what = "work that fits into the grace",
          .yaml = DEPLOY(6, "slots: 1") "dependencies: {api: {service: 6s}}\n" DEPLOYED,
          .ends = { { 6, DONE, 0 },
                    { 6, DONE, 1 },
                    { 6, DONE, 2 },
                    { 6, DONE, 3 },
                    { 12, DONE, 4 },
                    { 12, DONE, 5 } },
          .figures = { { "workers.w.deaths", 0 },
                       { "workers.w.replicas_max", 4 },
                       { "workers.w.replica_changes", 0 } } },
        /* 7 s each: 0 and 1 are cut at 6 s, when their grace ends, and run where 2 and 3 did. */
        { .what = "work that does not",
          .yaml = DEPLOY(4, "slots: 1") "dependencies: {api: {service: 7s}}\n" DEPLOYED,
          .ends = { { 7, DONE, 2 }, { 7, DONE, 3 }, { 14, DONE, 0 }, { 14, DONE, 1 } },
          .figures = { { "workers.w.deaths", 2 }, { "queue.q.redelivered", 2 } } },
        { .what = "settled work that does not",
          .yaml = DEPLOY(4, "acknowledge: before") "dependencies: {api: {service: 7s}}\n" DEPLOYED,
          .ends = { { 6, LOST, 0 }, { 6, LOST, 1 }, { 7, DONE, 2 }, { 7, DONE, 3 } } },
        { .what = "one at a time at least",
          .yaml = DEPLOY(4, "slots: 1") "dependencies: {api: {service: 40s}}\n"
                                        "actions: [{at: 1s, deploy: {workers: w, at_once: 1%}}]\n",
          .ends = { { 51, DONE, 0 }, { 61, DONE, 1 }, { 71, DONE, 2 }, { 81, DONE, 3 } },
          .figures = { { "workers.w.deaths", 4 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches),
        cmocka_unit_test(delays),
        cmocka_unit_test(crashes),
        cmocka_unit_test(deploys),
    };
    return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
