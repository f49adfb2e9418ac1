/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_retrials.c - calls that are blocked, or fail by chance, and come again.
 *
 * The orbit is the delayed part of the queue; a blocked call is refused at once. */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void ask_metric(struct oracle_check *c, const char *metric)
{
    c->ask.kind = ASK_METRIC;
    c->ask.metric = metric;
}

/* Of the calls with this attempt number (or ORACLE_RETRIES), the share that is refused. */
static void ask_blocked(struct oracle_check *c, uint32_t attempt)
{
    c->ask.kind = ASK_RATIO;
    c->ask.match = (struct oracle_match){ MDL_REC_CALL_ENDED, MDL_ERR_REFUSED, attempt, -1, false };
    c->ask.base = (struct oracle_match){ MDL_REC_CALL_LEFT, -1, attempt, -1, false };
}

static void ask_orbit(struct oracle_check *c, uint32_t attempts_made)
{
    c->ask.kind = ASK_LEVEL;
    c->ask.level = LEVEL_DELAYED;
    c->ask.attempt = attempts_made;
}

/* One pool, so many slots that none waits in it. */
static void say_pool(struct oracle_check *c, double lam, const char *retry)
{
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}, retry: @s}}\n",
               lam, retry);
}

/* Servers without a waiting room; blocked calls know it at once. */
static void say_loss(struct oracle_check *c, double servers, double mu)
{
    oracle_say(&c->yaml,
               "dependencies: {d: {servers: @n, waiting_room: 0, answer_in: 0s,\n"
               "  service: {kind: exponential, mean: @t}}}\n",
               servers, 1 / mu);
}

/* ---- endless retries ---- */

static void retrial(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double servers = oracle_number(o, "c"), nu = oracle_number(o, "retry_rate_per_job");
    double rho = lam / (servers * mu), gap = 1 - rho;
    double relax = (2 / (servers * mu) + 1 / nu) / (gap * gap);
    oracle_steady(c, 1e6, lam, relax);
    c->cost *= 3;
    struct sq_buf retry = { 0 };
    oracle_say(&retry, "{max_attempts: unlimited, backoff: @t, jitter: exponential}", 1 / nu);
    say_pool(c, lam, retry.text);
    say_loss(c, servers, mu);
    sq_buf_fini(&retry);
    if (oracle_ends(o, ".amp")) {
        ask_metric(c, "dependency.d.calls/dependency.d.calls_first");
    } else if (oracle_ends(o, ".busy")) {
        ask_metric(c, "dependency.d.in_flight_mean");
    } else if (oracle_ends(o, ".blockretry")) {
        ask_blocked(c, ORACLE_RETRIES);
    } else if (oracle_ends(o, ".block")) {
        ask_blocked(c, 1);
    } else if (oracle_ends(o, ".Wtot")) {
        c->ask.kind = ASK_VALUES;
        c->ask.match = (struct oracle_match){ MDL_REC_JOB_ENDED, MDL_END_COMPLETED, 0, -1, false };
    } else if (oracle_ends(o, ".orbit.sd")) {
        ask_orbit(c, 0);
        c->ask.figure = FIGURE_SD;
    } else {
        SQ_ASSERT(oracle_ends(o, ".orbit"));
        ask_metric(c, "queue.q.delayed_mean");
    }
}

/* ---- giving up at random after each blocked retry ---- */

/* Each blocked retry stays with probability `stay`, a blocked first try with `join`: so the number
 * of tries a job is good for is drawn at its arrival, 1 with 1 - join, 2 + k with
 * join (1 - stay) stay^k, and jobs with the same number form a class: a thinned Poisson stream with
 * its own pool. The last class takes the rest of the weight; its jobs never give up. */
static void say_classes(const struct oracle *o, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), nu = oracle_number(o, "retry_rate_per_job");
    double stay = oracle_number(o, "stay_prob_each_retry");
    double join = oracle_number(o, "join_prob_first");
    struct sq_buf queues = { 0 }, workers = { 0 };
    double left = 1, share = 1 - join;
    oracle_say(&c->yaml, "producers:\n");
    for (double tries = 1; left > 0; tries++) {
        bool last = left - share < 1e-6;
        double rate = lam * (last ? left : share);
        if (rate > 0) {
            oracle_say(&c->yaml, "  p@n: {queue: q@n, arrivals: @r/s}\n", tries, tries, rate);
            oracle_say(&queues, "  q@n: {}\n", tries);
            oracle_say(&workers, "  w@n: {queue: q@n, slots: 1M, calls: {d: {}}, retry: ", tries,
                       tries);
            oracle_say(&workers, last ? "{max_attempts: unlimited" : "{max_attempts: @n", tries);
            oracle_say(&workers, ", backoff: @t, jitter: exponential}}\n", 1 / nu);
        }
        left = last ? 0 : left - share;
        share = tries < 2 ? join * (1 - stay) : share * stay;
    }
    oracle_say(&c->yaml, "queues:\n@sworkers:\n@s", queues.text, workers.text);
    sq_buf_fini(&queues);
    sq_buf_fini(&workers);
}

static void give_up(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), nu = oracle_number(o, "retry_rate_per_job");
    double stay = oracle_number(o, "stay_prob_each_retry");
    oracle_steady(c, 1e6, lam, 1 / nu / (1 - stay));
    c->cost *= 3;
    say_classes(o, c);
    say_loss(c, oracle_number(o, "c"), oracle_number(o, "mu"));
    if (oracle_ends(o, ".succ")) {
        ask_metric(c, "jobs.completed/jobs.completed+jobs.dead_lettered");
    } else if (oracle_ends(o, ".amp")) {
        ask_metric(c, "dependency.d.calls/dependency.d.calls_first");
    } else {
        SQ_ASSERT(oracle_ends(o, ".orbit"));
        ask_orbit(c, 0);
    }
}

/* ---- three attempts ---- */

/* Mean 1/rate1 after the first failure, 1/rate2 = twice as long after the second. */
static void attempts3(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), rate1 = oracle_number(o, "rate1");
    SQ_ASSERT(fabs(rate1 / oracle_number(o, "rate2") - 2) < 1e-12);
    oracle_steady(c, 1e6, lam, 10 / rate1);
    c->cost *= 2;
    struct sq_buf retry = { 0 };
    oracle_say(&retry,
               "{max_attempts: 3, backoff: {kind: exponential, base: @t, cap: unlimited},"
               " jitter: exponential}",
               1 / rate1);
    say_pool(c, lam, retry.text);
    say_loss(c, oracle_number(o, "c"), oracle_number(o, "mu"));
    sq_buf_fini(&retry);
    if (oracle_ends(o, ".succ")) {
        ask_metric(c, "jobs.completed/jobs.completed+jobs.dead_lettered");
    } else if (oracle_ends(o, ".amp")) {
        ask_metric(c, "dependency.d.calls/dependency.d.calls_first");
    } else {
        ask_orbit(c, oracle_ends(o, ".orbit1") ? 1 : 2);
    }
}

/* ---- failures by chance ---- */

static void say_chance(struct oracle_check *c, size_t reps, const char *calls, const char *retry,
                       double p)
{
    oracle_plain(c, reps, 10);
    oracle_say(&c->yaml,
               "tail: 1h\n"
               "producers: {p: {queue: q, arrivals: {kind: regular, rate: 1000/s}}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: @s}, retry: @s}}\n"
               "dependencies: {d: {service: 1ms, errors: {error: @r}}}\n",
               calls, retry, p);
}

static void attempts(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double p = oracle_number(o, "p"), n = oracle_number(o, "max_attempts");
    bool fail = oracle_ends(o, ".fail"), rare = fail && o->value < 1e-4;
    struct sq_buf retry = { 0 };
    oracle_say(&retry, "{max_attempts: @n, backoff: none, jitter: none}", n);
    say_chance(c, rare ? 200 : 40, "{}", retry.text, p);
    sq_buf_fini(&retry);
    ask_metric(c, fail ? "jobs.dead_lettered/jobs.arrived" : "dependency.d.amplification");
    c->cost = (double)c->reps * 1e4 * (p < 1 ? fmin(n, 1 / (1 - p)) : n);
    c->ask.independent = rare;
    c->ask.expected = o->value;
    c->why = o->value < 1e-7 ? "too rare to be seen" : NULL;
}

/* ---- layers ---- */

static void nested(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    char layers[64], *end = NULL;
    (void)oracle_word(o, "attempts_per_layer_inner_to_outer", layers, sizeof(layers));
    double inner = strtod(layers, &end), outer = strtod(end + 1, &end);
    if (*end != '\0') {
        c->why = "three layers need calls of dependencies, which are not supported yet";
        return;
    }
    struct sq_buf calls = { 0 }, retry = { 0 };
    oracle_say(&calls, "{retry: {max_attempts: @n, backoff: none, jitter: none}}", inner);
    oracle_say(&retry, "{max_attempts: @n, backoff: none, jitter: none}", outer);
    say_chance(c, 40, calls.text, retry.text, oracle_number(o, "p"));
    sq_buf_fini(&calls);
    sq_buf_fini(&retry);
    ask_metric(c, "dependency.d.calls/jobs.arrived");
    c->cost = 40 * 1e4 * o->value;
}

/* ---- clients that retry in place ---- */

static void say_client(struct oracle_check *c, const char *retry, double p)
{
    oracle_plain(c, 40, 10);
    oracle_say(
        &c->yaml,
        "tail: 1h\n"
        "clients: {c: {arrivals: 1000/s, calls: {d: {retry: @s}}}}\n"
        "dependencies: {d: {service: {kind: exponential, mean: 10ms}, errors: {error: @r}}}\n",
        retry, p);
    c->cost = 40 * 1e4 * 2;
}

/* ---- budgets ---- */

/* Retries as long as the share of calls, first calls or successes allows them: 1/(1-r), 1+r or
 * 1/(1-r(1-p)) calls per first call when more would like to go. No floor, and a window that is long
 * against the time of a job and short against the run. */
static void budget(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    char word[16];
    (void)oracle_word(o, "accounting", word, sizeof(word));
    const char *of = strcmp(word, "all") == 0       ? "calls"
                     : strcmp(word, "success") == 0 ? "successes"
                                                    : "first";
    oracle_plain(c, 16, 60);
    oracle_say(&c->yaml,
               "tail: 1h\n"
               "clients: {c: {arrivals: 1000/s, calls: {d: {retry: {max_attempts: @n,\n"
               "  backoff: none, jitter: none}}}}}\n"
               "dependencies: {d: {service: 10ms, errors: {error: @r}}}\n"
               "controls: {d: {budget: {ratio: @r, of: @s, floor: 0, window: 20s}}}\n",
               oracle_number(o, "max_attempts"), oracle_number(o, "p"), oracle_number(o, "r"), of);
    ask_metric(c, oracle_ends(o, ".succ") ? "jobs.completed/jobs.arrived"
                                          : "dependency.d.amplification");
    c->cost = 16 * 60e3 * 2;
}

/* Calls that leave, per call that the backend can accept: it lets through 200/s and turns the rest
 * away. Measured when the window is full. */
static void throttling(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double demand = 200 * oracle_number(o, "demand_over_capacity");
    oracle_plain(c, 4, 360);
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @r/s, calls: {d: {}}}}\n"
               "dependencies: {d: {service: 1ms, rate_limit: {rate: 200/s, burst: 200}}}\n"
               "controls: {d: {throttled: fail, budget: {kind: sre, k: @r, window: 2m}}}\n",
               demand, oracle_number(o, "K"));
    c->ask.kind = ASK_COUNT;
    c->ask.match.kind = MDL_REC_CALL_LEFT;
    c->ask.from = 240;
    c->ask.to = 360;
    c->ask.scale = 1.0 / 200 / 120;
    c->cost = 4 * 360 * demand;
}

/* A tenth of a retry for each call, and no other bound on retries. */
static void say_tenth(struct oracle_check *c, double p)
{
    oracle_plain(c, 40, 30);
    oracle_say(
        &c->yaml,
        "tail: 1h\n"
        "clients: {c: {arrivals: 1000/s, calls: {d: {retry: {max_attempts: unlimited,\n"
        "  backoff: none, jitter: none}}}}}\n"
        "dependencies: {d: {service: {kind: exponential, mean: 10ms}, errors: {error: @r}}}\n"
        "controls: {d: {budget: {kind: deposit, ratio: 10%, ttl: 10s, reserve: 0}}}\n",
        p);
    c->cost = 40 * 3e4 * 2;
}

static void brooker(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    char strategy[32];
    if (strstr(o->id, ".breaker.") != NULL) {
        c->why = "a breaker on retries alone is not in the language";
        return;
    }
    (void)oracle_word(o, "strategy", strategy, sizeof(strategy));
    bool none = strcmp(strategy, "no_retries") == 0;
    if (strcmp(strategy, "adaptive_10pct") == 0) {
        say_tenth(c, oracle_number(o, "failure_rate"));
    } else {
        say_client(c, none ? "none" : "{max_retries: 3, backoff: none, jitter: none}",
                   oracle_number(o, "failure_rate"));
    }
    ask_metric(c, oracle_ends(o, ".succ") ? "jobs.completed/jobs.arrived"
                                          : "dependency.d.amplification");
}

/* Open loop: the same calls with backoff as without, beside each other in one world. */
static void say_open(struct oracle_check *c)
{
    oracle_plain(c, 40, 10);
    oracle_say(&c->yaml,
               "tail: 1h\n"
               "clients:\n"
               "  c: {arrivals: 1000/s, calls: {a: {retry: {max_retries: 3, jitter: full,\n"
               "    backoff: {kind: exponential, base: 100ms}}}}}\n"
               "  e: {arrivals: 1000/s, calls: {b: {retry: {max_retries: 3, jitter: none,\n"
               "    backoff: none}}}}\n"
               "dependencies:\n"
               "  a: {service: 10ms, errors: {error: 50%}}\n"
               "  b: {service: 10ms, errors: {error: 50%}}\n");
    ask_metric(c, "dependency.a.amplification/dependency.b.amplification");
}

/* Serial clients, one call at a time, that wish for 10 calls/s: the cycle is the think time, the
 * tries (1.875 on average) and the delays (0.1 / 2 + 0.2 / 4 + 0.4 / 8 s). */
static void say_closed(struct oracle_check *c)
{
    oracle_steady(c, 1e6, 372, 1);
    oracle_say(
        &c->yaml,
        "clients: {c: {arrivals: {kind: closed, population: 100, think: 100ms},\n"
        "  calls: {d: {retry: {max_retries: 3, jitter: none,\n"
        "    backoff: {kind: exponential, base: 100ms}}}}}}\n"
        "dependencies: {d: {service: {kind: exponential, mean: 10ms}, errors: {error: 50%}}}\n");
    c->ask.kind = ASK_COUNT;
    c->ask.match.kind = MDL_REC_JOB_ARRIVED;
    c->ask.from = 20;
    c->ask.to = 80;
    c->ask.scale = 1.0 / 100 / 60;
    c->ask.expected = 1 / (0.1 + 1.875 * 0.01 + 0.15);
}

static void brooker_backoff(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (oracle_ends(o, ".open")) {
        say_open(c);
    } else {
        say_closed(c);
    }
}

const struct oracle_family oracle_retrials[] = {
    { .name = "retrial", .make = retrial },
    { .name = "retrial give-up", .make = give_up },
    { .name = "finite attempts", .make = attempts3 },
    { .name = "attempts", .make = attempts },
    { .name = "nested retries", .make = nested },
    { .name = "retry budget", .make = budget },
    { .name = "client throttling", .make = throttling },
    { .name = "Brooker retries", .make = brooker },
    { .name = "Brooker backoff", .make = brooker_backoff },
    { .name = NULL },
};
