/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_claims.c - statements about retries that have a number in them, re-derived by runs or by our
 * delay laws. The rows hold words; the numbers stand here. */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <string.h>

static const char *const storm =
    "queues: {q: {}}\n"
    "workers: {w: {queue: q, slots: 1M, calls: {d: {}}, retry: {max_attempts: unlimited,\n"
    "  backoff: {kind: exponential, base: 5s, cap: 1h}, jitter: @s}}}\n"
    "dependencies: {d: {service: 1ms, answer_in: 0s, outages: [{at: 0s, for: 1300s}]}}\n";

static void expect(struct oracle_check *c, const char *metric, double value)
{
    c->ask.kind = ASK_METRIC;
    c->ask.metric = metric;
    c->ask.expected = value;
    c->slack = 1e-9 * value;
}

static void expect_calls(struct oracle_check *c, double from, double to, double value)
{
    c->ask.kind = ASK_COUNT;
    c->ask.match.kind = MDL_REC_CALL_LEFT;
    c->ask.from = from;
    c->ask.to = to;
    c->ask.expected = value;
}

/* 500 jobs/s, three immediate retries, all fail: 2,000 calls/s. */
static void four_times(struct oracle_check *c)
{
    oracle_plain(c, 1, 60);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: regular, rate: 500/s}}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, slots: 1M, calls: {d: {}},\n"
                         "  retry: {max_retries: 3, backoff: none, jitter: none}}}\n"
                         "dependencies: {d: {service: 1ms, outages: [{at: 0s, for: 60s}]}}\n");
    expect(c, "dependency.d.peak_rate_per_s", 2000);
}

/* 50,000 jobs that retry five times: 250,000 retries. */
static void quarter_million(struct oracle_check *c)
{
    oracle_plain(c, 1, 1000);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: cohort, count: 50k}}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, slots: 1M, calls: {d: {}},\n"
                         "  retry: {max_retries: 5, backoff: 1s, jitter: none}}}\n"
                         "dependencies: {d: {service: 1ms, outages: [{at: 0s, for: 1000s}]}}\n");
    expect(c, "dependency.d.calls_retry", 250e3);
    c->cost = 300e3;
}

/* Three tries inside, three outside: 9. */
static void three_by_three(struct oracle_check *c)
{
    oracle_plain(c, 1, 10);
    oracle_say(&c->yaml, "tail: 10s\n"
                         "producers: {p: {queue: q, arrivals: {kind: regular, rate: 100/s}}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, slots: 1M,\n"
                         "  calls: {d: {retry: {max_attempts: 3, backoff: none, jitter: none}}},\n"
                         "  retry: {max_attempts: 3, backoff: none, jitter: none}}}\n"
                         "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n");
    expect(c, "dependency.d.amplification", 9);
}

/* Internal retries times the broker's: five retries are six tries, four deliveries of them 24. */
static void product(struct oracle_check *c)
{
    oracle_plain(c, 1, 10);
    oracle_say(&c->yaml, "tail: 10s\n"
                         "producers: {p: {queue: q, arrivals: {kind: regular, rate: 100/s}}}\n"
                         "queues: {q: {max_receives: 4}}\n"
                         "workers: {w: {queue: q, slots: 1M,\n"
                         "  calls: {d: {retry: {max_retries: 5, backoff: none, jitter: none}}},\n"
                         "  retry: {max_attempts: unlimited, backoff: none, jitter: none}}}\n"
                         "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n");
    expect(c, "dependency.d.amplification", 24);
}

/* 60,000 jobs that fail together and wait 5 s +- 10 %: 30,000 in one second all the same. */
static void ten_percent(struct oracle_check *c)
{
    oracle_plain(c, 16, 6);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: cohort, count: 60k}}}\n");
    oracle_say(&c->yaml, storm, "10%");
    expect_calls(c, 4.5, 5, 30e3);
    c->cost = 16 * 60e3 * 2;
}

/* 60,000 failures spread over 20 minutes stay spread: seven retries of 50/s, no spikes. */
static void no_waves(struct oracle_check *c)
{
    oracle_plain(c, 1, 1200);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: regular, rate: 50/s}}}\n");
    oracle_say(&c->yaml, storm, "none");
    expect(c, "dependency.d.peak_rate_per_s", 400);
    c->cost = 400e3;
}

/* Full jitter halves the delays, so that it makes more calls in an outage than none: 475/s. */
static void more_not_less(struct oracle_check *c)
{
    oracle_plain(c, 16, 1200);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: regular, rate: 50/s}}}\n");
    oracle_say(&c->yaml, storm, "full");
    expect_calls(c, 1190, 1200, 4748.2); /* 50 (1 + m(t)), mean over those 10 s */
    c->slack = 5;
    c->cost = 16 * 60e3 * 8;
}

/* 60,000 jobs in 20 minutes are 50/s. */
static void fifty(struct oracle_check *c)
{
    oracle_plain(c, 1, 1200);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: regular, rate: 50/s}}}\n"
                         "queues: {q: {}}\nworkers: {w: {queue: q}}\n");
    expect(c, "jobs.arrived", 60e3);
}

/* 20 replicas of two slots: 40 calls at a time. */
static void forty(struct oracle_check *c)
{
    oracle_plain(c, 1, 10);
    oracle_say(&c->yaml, "producers: {p: {queue: q, arrivals: {kind: cohort, count: 100}}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, replicas: 20, slots: 2, calls: {d: {}}}}\n"
                         "dependencies: {d: {service: 1s}}\n");
    expect(c, "dependency.d.in_flight_max", 40);
}

/* Three queues whose pools reach 40 each: 120. */
static void three_queues(struct oracle_check *c)
{
    oracle_plain(c, 1, 10);
    oracle_say(&c->yaml, "producers:\n"
                         "  a: {queue: a, arrivals: {kind: cohort, count: 100}}\n"
                         "  b: {queue: b, arrivals: {kind: cohort, count: 100}}\n"
                         "  c: {queue: c, arrivals: {kind: cohort, count: 100}}\n"
                         "queues: {a: {}, b: {}, c: {}}\n"
                         "workers:\n"
                         "  x: {queue: a, slots: 40, calls: {d: {}}}\n"
                         "  y: {queue: b, slots: 40, calls: {d: {}}}\n"
                         "  z: {queue: c, slots: 40, calls: {d: {}}}\n"
                         "dependencies: {d: {service: 1s}}\n");
    expect(c, "dependency.d.in_flight_max", 120);
}

/* Of jobs that arrive evenly in 20 minutes, those older than five minutes at the end: 75 %. */
static void stale(struct oracle_check *c)
{
    oracle_plain(c, 1, 1300);
    oracle_say(&c->yaml, "producers: {p: {queue: q, deadline: 5m,\n"
                         "  arrivals: {kind: regular, phase: same, rate: 20/s}}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, slots: 10, calls: {d: {}}, retry: {\n"
                         "  max_attempts: unlimited, backoff: {kind: exponential, base: 5s}}}}\n"
                         "dependencies: {d: {service: 10ms, outages: [{at: 0s, for: 20m}]}}\n");
    expect(c, "recovery.past_deadline/recovery.outage_jobs", 0.75);
    c->slack = 2 / 24e3; /* the job that is five minutes old to the nanosecond */
}

/* 5, 10, 20, 40, one step a minute: all 40 three minutes after the ramp starts, which is when the
 * first five calls succeed. */
static void ramp(struct oracle_check *c)
{
    oracle_plain(c, 1, 300);
    oracle_say(&c->yaml, "producers: {p: {queue: q, backlog: 20000, arrivals: none}}\n"
                         "queues: {q: {}}\n"
                         "workers: {w: {queue: q, slots: 100, calls: {d: {}}, retry: {\n"
                         "  max_attempts: unlimited, backoff: 1s, jitter: none}}}\n"
                         "dependencies: {d: {service: 1s, answer_in: 1s,\n"
                         "  outages: [{at: 0s, for: 20s}]}}\n"
                         "controls: {d: {ramp: {steps: [5, 10, 20, 40]}}}\n");
    c->ask.kind = ASK_INSTANT;
    c->ask.match = (struct oracle_match){ MDL_REC_RAMP_STEP, -1, 0, -1, false };
    c->ask.x = 3;
    c->ask.expected = 21 + 180;
}

/* ---- by the delay laws ---- */

static const char *const doubling = "{max_attempts: unlimited, jitter: none,\n"
                                    "  backoff: {kind: exponential, base: @t, cap: unlimited}}";

/* The delay after the n-th failure. */
static double delay(double base, double n)
{
    struct sq_buf retry = { 0 };
    oracle_say(&retry, doubling, base);
    double d = oracle_delays(retry.text, n, -1) - oracle_delays(retry.text, n - 1, -1);
    sq_buf_fini(&retry);
    return d;
}

static double window(double n)
{
    struct sq_buf retry = { 0 };
    oracle_say(&retry, doubling, 1.0);
    double sum = oracle_delays(retry.text, n, -1);
    sq_buf_fini(&retry);
    return sum;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9 * b;
}

/* Each returns 1 when the statement holds. */
static double attempt_8(const struct oracle *o)
{
    (void)o; /* counted from 0: more than 4 minutes and more than an hour; from 1 it is wrong */
    return is_near(delay(1, 9), 256) && is_near(delay(1, 13), 4096) ? 1 : 0;
}

static double windows(const struct oracle *o)
{
    (void)o;
    return is_near(window(6), 63) && is_near(window(9), 511) && is_near(window(12), 4095) ? 1 : 0;
}

static double ladder(const struct oracle *o)
{
    (void)o;
    bool right = true;
    for (int n = 1; n <= 6; n++) {
        right = right && is_near(delay(0.1, n), 0.1 * (1 << (n - 1)));
    }
    return right ? 1 : 0;
}

/* "A budget of 20 %" is 1.2 or 1.25 calls per first call, by what it is a share of: both at once,
 * for every call fails. */
static void budget_20(struct oracle_check *c)
{
    oracle_plain(c, 1, 60);
    oracle_say(&c->yaml,
               "tail: 1h\n"
               "clients: {c: {arrivals: {kind: regular, rate: 1000/s},\n"
               "  retry: {max_attempts: 9, backoff: none, jitter: none},\n"
               "  calls: {a: {}}}, e: {arrivals: {kind: regular, rate: 1000/s},\n"
               "  retry: {max_attempts: 9, backoff: none, jitter: none}, calls: {b: {}}}}\n"
               "dependencies: {a: {service: 1ms, errors: {error: 100%}},\n"
               "  b: {service: 1ms, errors: {error: 100%}}}\n"
               "controls: {a: {budget: {ratio: 20%, of: calls}},\n"
               "  b: {budget: {ratio: 20%, of: first}}}\n");
    expect(c, "dependency.a.amplification/dependency.b.amplification", 1.25 / 1.2);
    c->slack = 1e-4;
    c->cost = 150e3;
}

/* ---- the rows ---- */

static const struct {
    const char *id;
    void (*make)(struct oracle_check *c);
    double (*compute)(const struct oracle *o);
    const char *why;
} rows[] = {
    { .id = "claim.2000rps", .make = four_times },
    { .id = "claim.product", .make = product },
    { .id = "claim.attempt8", .compute = attempt_8 },
    { .id = "claim.window6_9_12", .compute = windows },
    { .id = "claim.250k", .make = quarter_million },
    { .id = "claim.sidekiq21", .why = "judged as sidekiq.mean_days, .min_days and .max_days" },
    { .id = "claim.sidekiqx10", .why = "judged as sidekiq.x10_days" },
    { .id = "claim.fulljitterwins", .why = "a comparison in words" },
    { .id = "claim.10pct_barely", .make = ten_percent },
    { .id = "claim.waves", .make = no_waves },
    { .id = "claim.fulljitter_load", .make = more_not_less },
    { .id = "claim.50ps", .make = fifty },
    { .id = "claim.30x", .why = "not implied by what it is said of" },
    { .id = "claim.keda40", .make = forty },
    { .id = "claim.three_queues", .make = three_queues },
    { .id = "claim.split", .why = "a sum of three numbers" },
    { .id = "claim.stale22k", .make = stale },
    { .id = "claim.ramp3min", .make = ramp },
    { .id = "claim.drainformula", .why = "judged as fluid.*, outage.*.drain and incident.*" },
    { .id = "claim.budget20", .make = budget_20 },
    { .id = "claim.dedup24h", .why = "a sum of three durations" },
    { .id = "claim.3x3", .make = three_by_three },
    { .id = "claim.expo100ms", .compute = ladder },
    { .id = "claim.fixedwindow2x", .why = "an upper bound of a limiter's law, tested there" },
    { .id = "claim.nxconfigured", .why = "controls of a replica are not supported yet" },
    { .id = "claim.bullcustom", .why = "about the code of a library" },
    { .id = "claim.bulljitter", .why = "about the code of a library" },
};

static void claim(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        if (strcmp(rows[i].id, o->id) != 0) {
            continue;
        }
        c->why = rows[i].why;
        c->compute = rows[i].compute;
        c->ask.expected = 1;
        if (rows[i].make != NULL) {
            rows[i].make(c);
        }
        return;
    }
    c->why = "unknown";
}

const struct oracle_family oracle_claims[] = {
    { .name = "claim", .make = claim },
    { .name = NULL },
};
