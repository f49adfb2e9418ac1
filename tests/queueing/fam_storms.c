/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_storms.c - retries against a dependency that is down: how many, when, and how they come back.
 *
 * Delays are D_n = min(cap, base * 2^(n-1)) after the n-th failure, spread by the jitter under
 * test. A refusal is known at once, so the first failure is at the arrival. */
#include "tests/queueing/oracle.h"

#include "models/mdl_scenario.h"
#include "models/part/mdl_retry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the delay laws ---- */

static const char *retry_of(const struct oracle *o, struct sq_buf *b)
{
    static const char *const laws[][2] = {
        { "plain", "kind: exponential, base: @t, cap: @t}, jitter: none" },
        { "pm10", "kind: exponential, base: @t, cap: @t}, jitter: 10%" },
        { "equal", "kind: exponential, base: @t, cap: @t}, jitter: equal" },
        { "full", "kind: exponential, base: @t, cap: @t}, jitter: full" },
        { "decorr", "kind: decorrelated, base: @t, cap: @t}, jitter: none" },
    };
    char word[16];
    (void)oracle_word(o, "kind", word, sizeof(word));
    for (size_t i = 0; i < SQ_COUNT(laws); i++) {
        if (strcmp(laws[i][0], word) == 0) {
            oracle_say(b, "{max_attempts: unlimited, backoff: {");
            oracle_say(b, laws[i][1], oracle_number(o, "base"), 3600.0);
            oracle_say(b, "}");
        }
    }
    SQ_ASSERT(b->text != NULL);
    return b->text;
}

static void say_storm(const struct oracle *o, struct oracle_check *c, const char *arrivals,
                      double outage)
{
    struct sq_buf retry = { 0 };
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}, retry: @s}}\n"
               "dependencies: {d: {service: 1ms, answer_in: 0s, outages: [{at: 0s, for: @t}]}}\n",
               arrivals, retry_of(o, &retry), outage);
    sq_buf_fini(&retry);
}

static bool is_exact(const struct oracle *o)
{
    char word[16];
    return strcmp(oracle_word(o, "kind", word, sizeof(word)), "plain") == 0;
}

/* All rows of one delay law look at the same runs. */
static void plain_runs(const struct oracle *o, struct oracle_check *c, double duration)
{
    char word[16];
    c->seed = 1;
    for (const char *p = oracle_word(o, "kind", word, sizeof(word)); *p != '\0'; p++) {
        c->seed = c->seed * 31 + (unsigned char)*p;
    }
    oracle_plain(c, is_exact(o) ? 4 : 16, duration);
}

/* Calls above the first of their job (attempt 0) or of one attempt, within [from, to). */
static void ask_calls(struct oracle_check *c, uint32_t attempt, double from, double to)
{
    c->ask.kind = ASK_COUNT;
    c->ask.match.kind = MDL_REC_CALL_LEFT;
    c->ask.match.attempt = attempt;
    c->ask.from = from;
    c->ask.to = to;
}

static void ask_per_job(struct oracle_check *c, double to)
{
    ask_calls(c, ORACLE_RETRIES, 0, to);
    c->ask.kind = ASK_RATIO;
    c->ask.base.kind = MDL_REC_JOB_ARRIVED;
}

/* ---- jobs that all fail at time 0 ---- */

static void retries_in_outage(const struct oracle *o, struct oracle_check *c)
{
    plain_runs(o, c, 2400);
    say_storm(o, c, "{kind: cohort, count: 20000}", 2400);
    ask_per_job(c, oracle_number(o, "T"));
    c->cost = (double)c->reps * 20000 * 10;
}

static void cohort(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    plain_runs(o, c, 1300);
    say_storm(o, c, "{kind: cohort, count: 60k}", 1300);
    c->cost = (double)c->reps * 60000 * 9;
    double bin = 0;
    if (oracle_ends(o, "k0.density")) { /* anywhere between base and three times base */
        ask_calls(c, 2, 8, 9);
    } else if (oracle_ends(o, "k1.peakdensity")) {
        /* f(t) = ln((3b-5)/(3a-5))/30, a = max(5, t/4), b = min(15, t-5), peaks at t = 20 with a
         * kink: rising by 3/(3b-5)/30 before, falling by 3/(3a-5)/120 after. */
        double width = 0.5, up = 3.0 / 40 / 30, down = 3.0 / 10 / 120;
        ask_calls(c, 3, 20 - width / 2, 20 + width / 2);
        c->ask.scale = 1 / width;
        c->slack = 60000 * (up + down) / 2 * width / 4;
    } else if (strstr(o->id, ".total.") != NULL) {
        bin = oracle_number(o, "bin");
        ask_calls(c, ORACLE_RETRIES, bin, bin + 1);
    } else {
        bin = oracle_number(o, "bin");
        ask_calls(c, (uint32_t)oracle_number(o, "retry_index") + 2, bin, bin + 1);
    }
}

/* ---- jobs that arrive at 50/s into the outage ---- */

static void say_spread(const struct oracle *o, struct oracle_check *c)
{
    plain_runs(o, c, 1300);
    say_storm(o, c, "{kind: regular, rate: 50/s}", 1300);
    c->cost = (double)c->reps * 65000 * 8;
}

/* In one second around t, or up to it where the rate at t is that just before recovery. */
static void rate_in_outage(const struct oracle *o, struct oracle_check *c)
{
    double t = oracle_number(o, "t");
    say_spread(o, c);
    ask_calls(c, 0, t - 0.5, t + 0.5);
}

static void in_outage(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (strstr(o->id, ".retries.") != NULL) {
        retries_in_outage(o, c);
    } else if (strstr(o->id, ".rate.") != NULL) {
        rate_in_outage(o, c);
    } else {
        SQ_ASSERT(strstr(o->id, ".avg.") != NULL);
        say_spread(o, c);
        ask_per_job(c, 1200);
    }
}

/* Jobs that arrive after 1200 s do not retry before the bins in question are over. */
static void spread(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double bin = oracle_ends(o, ".at1200") ? 1199 : oracle_number(o, "bin");
    say_spread(o, c);
    ask_calls(c, ORACLE_RETRIES, bin, bin + 1);
}

/* After the outage every retry succeeds: one per job. */
static void recovery(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    plain_runs(o, c, 1200);
    oracle_say(&c->yaml, "tail: 700s\n");
    say_storm(o, c, "{kind: regular, rate: 50/s}", 1200);
    c->cost = (double)c->reps * 60000 * 9;
    ask_calls(c, ORACLE_RETRIES, 1200, 1200 + oracle_number(o, "tau"));
}

/* ---- sums of delays, by the delay laws themselves ---- */

double oracle_delays(const char *retry, double count, double u)
{
    struct sq_buf yaml = { 0 };
    oracle_say(&yaml,
               "squall: 1\nduration: 1s\n"
               "producers: {p: {queue: q, arrivals: 1/s}}\nqueues: {q: {}}\n"
               "workers: {w: {queue: q, calls: {d: {}}, retry: @s}}\n"
               "dependencies: {d: {service: 1s}}\n",
               retry);
    struct mdl_scenario s;
    SQ_ASSERT(oracle_load(&s, &yaml));
    const struct mdl_workers_cfg *w = sq_map_at(&s.cfg.workers, 0);
    enum { POINTS = 300 };
    double sum = 0;
    for (uint32_t n = 1; n <= (uint32_t)count; n++) {
        for (int k = 0; k < POINTS; k++) {
            struct mdl_failure f = { .error = MDL_ERR_ERROR,
                                     .n = n,
                                     .starts = n,
                                     .hint = SQ_NEVER,
                                     .u = u < 0 ? (k + 0.5) / POINTS : u };
            struct mdl_retry_plan plan = mdl_retry_decide(w->retry, &f);
            SQ_ASSERT(plan.retry);
            sum += sq_time_to_s(plan.delay) / POINTS;
        }
    }
    mdl_scenario_fini(&s);
    sq_buf_fini(&yaml);
    return sum;
}

static double window_sum(const struct oracle *o)
{
    char word[16] = "none";
    if (strstr(o->parameters, "jitter=") != NULL) {
        (void)oracle_word(o, "jitter", word, sizeof(word));
    }
    struct sq_buf retry = { 0 };
    oracle_say(&retry,
               "{max_attempts: unlimited, backoff: {kind: exponential, base: @t, factor: @r,"
               " cap: unlimited}, jitter: @s}",
               oracle_number(o, "base"), oracle_number(o, "factor"),
               strcmp(word, "pm10") == 0 ? "10%" : word);
    double sum = oracle_delays(retry.text, oracle_number(o, "delays"), -1);
    sq_buf_fini(&retry);
    return sum;
}

static double sidekiq_days(const struct oracle *o)
{
    bool ten = oracle_ends(o, "x10_days");
    double u = oracle_ends(o, "min_days") ? 1e-9 : oracle_ends(o, "max_days") ? 1 - 1e-9 : -1;
    struct sq_buf retry = { 0 };
    oracle_say(&retry,
               "{max_retries: unlimited, backoff: {kind: polynomial, power: 4, start: 0, scale: @s,"
               " offset: @s}, jitter: {kind: additive, amount: 30s, grows: draw, lattice: 1s}}",
               ten ? "10s" : "1s", ten ? "0s" : "15s");
    double sum = oracle_delays(retry.text, oracle_number(o, "retries"), u) / 86400;
    sq_buf_fini(&retry);
    return sum;
}

static void window(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    c->compute = oracle_begins(o, "sidekiq") ? sidekiq_days : window_sum;
    c->slack = 1e-9 * o->value; /* delays are whole nanoseconds */
}

const struct oracle_family oracle_storms[] = {
    { .name = "retry window", .make = window },
    { .name = "attempts in outage", .make = in_outage },
    { .name = "cohort bins", .make = cohort },
    { .name = "spread failures", .make = spread },
    { .name = "recovery wave", .make = recovery },
    { .name = NULL },
};
