/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_runs.c - whole runs, with keyed luck, timeline, laws and hash, as anybody's run has them.
 */
#include "tests/bench/bench.h"
#include "tests/bench/yard.h"

#include "models/study/mdl_replicate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INCIDENT "scenarios/template-api-outage.yaml"
enum { SETS_MAX = 16 };

struct run {
    const char *file, *variant;
    const char *sets[SETS_MAX];
    size_t set_count;
    int64_t runs;
    uint32_t check_every;
    unsigned threads;
};

static double events_of(const struct sq_result *r)
{
    long metric = sq_result_metric(r, "run.events");
    double sum = 0;
    for (size_t i = 0; metric >= 0 && i < r->run_count; i++) {
        sum += r->runs[i].values[metric].number;
    }
    return metric >= 0 && sum > 0 ? sum : NAN;
}

/* Events handled, in all runs together. */
static double run(const void *what)
{
    const struct run *ask = what;
    struct sq_diag diag = { 0 };
    struct mdl_scenario s = { 0 };
    struct sq_result r = { 0 };
    struct mdl_ask scenario = { .file = ask->file,
                                .variant = ask->variant,
                                .sets = ask->sets,
                                .set_count = ask->set_count,
                                .runs = ask->runs };
    struct mdl_replicate_ask runs = { .first = 1,
                                      .count = (size_t)ask->runs,
                                      .threads = ask->threads > 0 ? ask->threads : 1,
                                      .check_every =
                                          ask->check_every > 0 ? ask->check_every : 1024 };
    enum sq_status status = mdl_scenario_load(&s, &scenario, &diag);
    status = status == SQ_OK ? mdl_replicate(&s, &runs, &r, &diag) : status;
    return status == SQ_OK ? events_of(&r) : NAN; /* the process ends: nothing is given back */
}

static double nothing(const void *what)
{
    (void)what;
    return 0;
}

static double bare_mm1(const void *what)
{
    (void)what;
    return yard_mm1(10000000);
}

static void put(const char *name, const char *unit, double value, double target)
{
    bench_put(&(struct bench_row){ name, unit, value, BENCH_AT_MOST, target, value, NAN });
}

static void bench_mm1(void)
{
    struct run ask = { .file = "tests/bench/mm1.yaml", .runs = 1 };
    struct bench_pair p = bench_turns(&(struct bench_job){ run, &ask },
                                      &(struct bench_job){ bare_mm1, NULL }, BENCH_ROUNDS);
    bench_put(&(struct bench_row){ "M/M/1, 1e7 customers", "x the loop",
                                   p.ours.cpu_s / p.yard.cpu_s, BENCH_AT_MOST, 3, p.ours.cpu_s,
                                   p.yard.cpu_s });
}

/* What waiting costs. The idle process is subtracted from the memory. */
static void bench_parked(void)
{
    static const struct {
        const char *variant, *time, *room;
        double jobs, ns, bytes;
        int rounds;
    } rows[] = { { NULL, "1e6 jobs in backoff, an event", "1e6 jobs in backoff, each", 1e6, 300, 96,
                   BENCH_ROUNDS },
                 { "ten-million", "1e7 jobs in backoff, an event", "1e7 jobs in backoff, each", 1e7,
                   600, 120, 3 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run ask = { .file = "tests/bench/parked.yaml",
                           .variant = rows[i].variant,
                           .runs = 1 };
        struct bench_pair p = bench_turns(&(struct bench_job){ run, &ask },
                                          &(struct bench_job){ nothing, NULL }, rows[i].rounds);
        put(rows[i].time, "ns", p.ours.cpu_s * 1e9 / p.ours.said, rows[i].ns);
        put(rows[i].room, "bytes", (p.ours.rss_bytes - p.yard.rss_bytes) / rows[i].jobs,
            rows[i].bytes);
    }
}

/* Everything that has a size, a hundred times as large: arrivals, servers, pods, limits. */
static const struct run hundredfold = {
    .file = INCIDENT,
    .variant = "cap-ramp",
    .sets = { "producers.login-codes.arrivals.rate.value=2440/s",
              "producers.price-updates.arrivals.rate.value=700/s",
              "producers.receipts.arrivals.rate.value=1860/s", "workers.renderers.replicas=1000",
              "workers.renderers.autoscaler.min=1000", "workers.renderers.autoscaler.max=8000",
              "workers.renderers.autoscaler.target=750", "dependencies.template-api.servers=4000",
              "dependencies.template-api.overload.in_flight=10000",
              "controls.template-api.concurrency.limit=4000",
              "controls.template-api.ramp.steps=[500, 1000, 2000, 4000]" },
    .set_count = 11,
    .runs = 1,
};

static void bench_incident(void)
{
    struct run as_it_was = { .file = INCIDENT, .variant = "as-it-was", .runs = 1 };
    struct run cap_ramp = { .file = INCIDENT, .variant = "cap-ramp", .runs = 1 };
    struct bench_pair p = bench_turns(&(struct bench_job){ run, &as_it_was },
                                      &(struct bench_job){ run, &cap_ramp }, BENCH_ROUNDS);
    put("the incident, as-it-was", "s", p.ours.cpu_s, 0.9);
    put("the incident, cap-ramp", "s", p.yard.cpu_s, 0.35);
    put("the incident, an event of as-it-was", "ns", p.ours.cpu_s * 1e9 / p.ours.said, 160);
    struct bench_pair q = bench_turns(&(struct bench_job){ run, &hundredfold },
                                      &(struct bench_job){ run, &cap_ramp }, 1);
    double large = q.ours.cpu_s / q.ours.said, small = q.yard.cpu_s / q.yard.said;
    bench_put(&(struct bench_row){ "an event of cap-ramp at 100 x the jobs", "x that at 1",
                                   large / small, BENCH_AT_MOST, 3, large * 1e9, small * 1e9 });
}

/* The timeline against one bin in all; the laws each 1,024 events against hardly ever. */
static void bench_recording(void)
{
    struct run with = { .file = INCIDENT, .variant = "as-it-was", .runs = 1 };
    struct run one_bin = with, lawless = with;
    one_bin.sets[one_bin.set_count++] = "timeline=1h";
    lawless.check_every = UINT32_MAX;
    struct bench_pair p = bench_turns(&(struct bench_job){ run, &with },
                                      &(struct bench_job){ run, &one_bin }, BENCH_ROUNDS);
    put("the timeline's part of as-it-was", "%", 100 * (p.ours.cpu_s / p.yard.cpu_s - 1), 10);
    p = bench_turns(&(struct bench_job){ run, &with }, &(struct bench_job){ run, &lawless },
                    BENCH_ROUNDS);
    put("the laws' part of as-it-was", "%", 100 * (p.ours.cpu_s / p.yard.cpu_s - 1), 5);
}

/* The five policies at a hundred clients, as often as makes six million events. */
static double aws_table(const void *what)
{
    static const char *const variants[] = { NULL, "exponential", "equal", "full", "decorrelated" };
    double events = 0;
    (void)what;
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        struct run ask = { .file = "scenarios/published/aws-backoff-2015.yaml",
                           .variant = variants[i],
                           .runs = 125 };
        events += run(&ask);
    }
    return events;
}

static void bench_aws(void)
{
    struct bench_pair p = bench_turns(&(struct bench_job){ aws_table, NULL }, NULL, BENCH_ROUNDS);
    put("the table of AWS 2015, per 60 M events", "s", p.ours.cpu_s / p.ours.said * 60e6, 9);
}

static void bench_many(void)
{
    struct run tiny = { .file = "tests/bench/tiny.yaml", .runs = 1000 };
    struct bench_pair p = bench_turns(&(struct bench_job){ run, &tiny }, NULL, BENCH_ROUNDS);
    put("a thousand tiny runs", "s", p.ours.cpu_s, 1);
    struct run one = { .file = INCIDENT, .variant = "cap", .runs = 20, .threads = 1 }, two = one;
    two.threads = 2;
    p = bench_turns(&(struct bench_job){ run, &two }, &(struct bench_job){ run, &one }, 3);
    bench_put(&(struct bench_row){ "two threads, 20 runs of cap", "efficiency",
                                   p.yard.wall_s / p.ours.wall_s / 2, BENCH_AT_LEAST, 0.9,
                                   p.ours.wall_s, p.yard.wall_s });
}

void bench_storms(void)
{
    bench_mm1();
    bench_parked();
    bench_incident();
    bench_recording();
    bench_aws();
    bench_many();
}
