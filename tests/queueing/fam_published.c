/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_published.c - published simulations of overload: collapse, metastable failure, admission. */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Successes that callers hear of inside [from, to). */
static const struct oracle_match good = { MDL_REC_CALL_ENDED, MDL_ERR_OK, 0, -1, false };
static const struct oracle_match sent = { MDL_REC_CALL_LEFT, -1, 0, -1, false };
static const struct oracle_match created = { MDL_REC_JOB_ARRIVED, -1, 0, -1, false };

static void ask_count(struct oracle_check *c, struct oracle_match what, double from, double to)
{
    c->ask.kind = ASK_COUNT;
    c->ask.match = what;
    c->ask.from = from;
    c->ask.to = to;
}

/* Successes per job that arrived in the same time. */
static void ask_success(struct oracle_check *c, double from, double to)
{
    ask_count(c, good, from, to);
    c->ask.kind = ASK_RATIO;
    c->ask.base = created;
}

/* ---- latency 1 s + 10 ms per call in flight ---- */

static void say_slowing(struct oracle_check *c, const char *arrivals, const char *call)
{
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @s, calls: {d: @s}}}\n"
               "dependencies: {d: {service: 1s, contention: {kind: linear, per_call: 0.01},\n"
               "  network: @s}}\n",
               arrivals, call,
               *call == '{' && call[1] == '}' ? "0s" : "{kind: exponential, mean: 100ms}");
}

static const char *const backing_off =
    "{timeout: 3s, retry: {max_attempts: 3, jitter: full,\n"
    "    backoff: {kind: exponential, base: 20s, cap: unlimited}}}";
static const char *const at_once =
    "{timeout: 3s, retry: {max_attempts: 3, backoff: none, jitter: none}}";
static const char *const spike =
    "{kind: poisson, rate: {kind: steps, points: [[0s, 40/s], [20s, 80/s], [25s, 40/s]]}}";
static const char *const up_and_down =
    "{kind: poisson, rate: {kind: linear, points: [[0s, 40/s], [25s, 80/s], [75s, 0/s]]}}";

static void slowing_steady(const struct oracle *o, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam");
    struct sq_buf arrivals = { 0 };
    oracle_steady(c, 1e6, lam, 1 / (1 - oracle_number(o, "slope") * lam));
    oracle_say(&arrivals, "@r/s", lam);
    say_slowing(c, arrivals.text, "{}");
    sq_buf_fini(&arrivals);
    c->ask.kind = ASK_METRIC;
    c->ask.metric = "dependency.d.in_flight_mean";
}

static void slowing(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (oracle_ends(o, ".n")) {
        slowing_steady(o, c);
        return;
    }
    oracle_plain(c, 60, 78);
    c->cost = 60 * 78 * 60;
    if (oracle_ends(o, "spike.backoff")) {
        say_slowing(c, spike, backing_off);
        ask_success(c, 60, 78);
    } else if (oracle_ends(o, "spike.nobackoff")) { /* about half of the runs never recover */
        say_slowing(c, spike, at_once);
        ask_success(c, 60, 78);
        c->ask.per_run = true;
        c->ask.figure = FIGURE_SHARE;
        c->ask.bound = 0.5;
        c->within = true;
        c->lo = 0.15;
        c->hi = 0.85;
    } else {
        say_slowing(c, up_and_down, at_once);
        ask_success(c, 30, 50);
    }
}

/* ---- one immediate retry, capacity 300/s, answers held for 10 s ---- */

static void say_hung(struct oracle_check *c, const char *arrivals)
{
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @s, calls: {d: {timeout: 1s,\n"
               "  retry: {max_retries: 1, backoff: none, jitter: none}}}}}\n"
               "dependencies: {d: {servers: 30, service: 100ms,\n"
               "  outages: [{at: 20s, for: 10s, kind: hang}]}}\n",
               arrivals);
}

/* Goodput long after the outage, of what arrives, at a load of regular jobs. */
static double late_goodput(double lam)
{
    struct oracle_check c = { .seed = 1 };
    struct sq_buf arrivals = { 0 };
    oracle_plain(&c, 1, 1200);
    oracle_say(&arrivals, "{kind: regular, rate: @r/s}", lam);
    say_hung(&c, arrivals.text);
    ask_success(&c, 1000, 1200);
    const struct oracle_ask *ask = &c.ask;
    struct oracle_sums sums = { 0 };
    struct oracle_group g = { .first = &c, .asks = &ask, .ask_count = 1, .sums = &sums };
    oracle_run(&g);
    sq_buf_fini(&arrivals);
    sq_buf_fini(&c.yaml);
    return g.error[0] == '\0' ? sums.s1 / sums.n : (double)NAN;
}

/* The threshold by bisection: below it the load always recovers, above it never. */
static double threshold(const struct oracle *o)
{
    (void)o;
    double lo = 100, hi = 200;
    while (hi - lo > 1) {
        double mid = (lo + hi) / 2;
        if (late_goodput(mid) > 0.5) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return (lo + hi) / 2;
}

static void hung(const struct oracle *o, struct oracle_check *c)
{
    if (oracle_ends(o, ".threshold")) {
        c->compute = threshold;
        c->cost = 7 * 1200 * 300;
        return;
    }
    double lam = oracle_number(o, "lam");
    struct sq_buf arrivals = { 0 };
    oracle_plain(c, 12, 380);
    oracle_say(&arrivals, "@r/s", lam);
    say_hung(c, arrivals.text);
    sq_buf_fini(&arrivals);
    c->cost = 12 * 380 * lam * (lam < 150 ? 1 : 2);
    if (oracle_ends(o, ".goodput")) {
        ask_count(c, good, 260, 380);
        c->ask.scale = 1 / (120 * lam);
    } else if (oracle_ends(o, ".offered")) {
        ask_count(c, sent, 260, 380);
        c->ask.scale = 1.0 / 120;
    } else { /* until goodput over 5 s is above 90 % of the load */
        ask_count(c, good, 30, 0);
        c->ask.kind = ASK_RECOVER;
        c->ask.x = 0.9 * 5 * lam;
    }
}

/* ---- M/M/1/100 with timeouts and immediate retries, ten times the load for 100 s ---- */

/* Calls that find it full learn nothing before their timeout. */
static void loaded(const struct oracle *o, struct oracle_check *c)
{
    if (oracle_ends(o, ".bistable")) {
        c->why = "in words; its loads are judged by the rows before";
        return;
    }
    double lam = oracle_number(o, "lam"), retries = oracle_number(o, "retries");
    if (o->value < 0.9) {
        c->why = "a late answer to an earlier try counts there; here nobody waits for it any more";
        return;
    }
    oracle_plain(c, 40, 1500);
    oracle_say(
        &c->yaml,
        "clients: {c: {arrivals: {kind: poisson, rate: {kind: steps,\n"
        "    points: [[0s, @r/s], [400s, @r/s], [500s, @r/s]]}},\n"
        "  calls: {d: {timeout: @t, retry: {max_retries: @n, backoff: none, jitter: none}}}}}\n"
        "dependencies: {d: {servers: 1, waiting_room: @n, answer_in: 1h,\n"
        "  service: {kind: exponential, mean: @t}}}\n",
        lam, 10 * lam, lam, oracle_number(o, "timeout"), retries, oracle_number(o, "K") - 1,
        1 / oracle_number(o, "mu"));
    ask_count(c, good, 1300, 1500);
    c->ask.scale = 1 / (200 * lam);
    c->cost = 40 * 2400 * lam;
}

static void metastable(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (oracle_begins(o, "hotos21.")) {
        hung(o, c);
    } else if (oracle_begins(o, "hotos25.")) {
        loaded(o, c);
    } else {
        c->why = "an outcome in words, at an operating point its authors tuned and do not give";
    }
}

/* ---- attempts under overload ---- */

static void sre(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (oracle_ends(o, ".layers")) {
        c->why = "three layers need calls of dependencies, which are not supported yet";
    } else if (oracle_ends(o, ".perclient")) {
        oracle_plain(c, 4, 60);
        oracle_say(&c->yaml,
                   "tail: 1h\n"
                   "clients: {c: {arrivals: 100/s, replicas: 4, calls: {d: {\n"
                   "  retry: {max_attempts: 3, backoff: none, jitter: none}}}}}\n"
                   "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
                   "controls: {d: {budget: {ratio: @r, of: first, floor: 0, scope: replica}}}\n",
                   oracle_number(o, "budget"));
        c->ask.kind = ASK_METRIC;
        c->ask.metric = "dependency.d.amplification";
    } else {
        oracle_plain(c, 4, 10);
        oracle_say(&c->yaml,
                   "tail: 1h\n"
                   "clients: {c: {arrivals: 100/s, calls: {d: {\n"
                   "  retry: {max_attempts: @n, backoff: none, jitter: none}}}}}\n"
                   "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n",
                   oracle_number(o, "max_attempts"));
        c->ask.kind = ASK_METRIC;
        c->ask.metric = "dependency.d.amplification";
    }
}

/* ---- admission ---- */

/* A task of k calls, each turned away by chance as often as demand exceeds capacity. */
static void say_tasks(const struct oracle *o, struct oracle_check *c)
{
    oracle_plain(c, 20, 60);
    oracle_say(&c->yaml,
               "tail: 1h\n"
               "clients: {c: {arrivals: 1000/s, calls: {d: {times: @n}}}}\n"
               "dependencies: {d: {service: 1ms, errors: {refused: @r}}}\n",
               oracle_number(o, "k"), 1 - 1 / oracle_number(o, "demand_over_capacity"));
    c->ask.kind = ASK_METRIC;
    c->ask.metric = "jobs.completed/jobs.arrived";
    c->cost = 20 * 60e3 * 2;
}

/* Control by delay: the newest first once the oldest waited 100 ms, and no work for callers that
 * gave up. Goodput must stay at capacity whatever the demand. */
static void say_control(const struct oracle *o, struct oracle_check *c)
{
    double demand = 100 * oracle_number(o, "demand_over_capacity");
    oracle_steady(c, 1e6, demand, 1);
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @r/s, calls: {d: {timeout: 1s}}}}\n"
               "dependencies: {d: {servers: 10, service: {kind: exponential, mean: 100ms},\n"
               "  discipline: {kind: adaptive-lifo, after: 100ms}, abandoned: skip}}\n",
               demand);
    c->ask.kind = ASK_COUNT;
    c->ask.match = good;
    c->ask.from = 20;
    c->ask.to = 120;
    c->ask.scale = 1.0 / 100 / 100;
    c->within = true;
    c->lo = 0.85;
    c->hi = 1;
}

static void admission(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (oracle_begins(o, "dagor.random.")) {
        say_tasks(o, c);
    } else if (oracle_begins(o, "ideal.")) {
        say_control(o, c);
    } else if (oracle_ends(o, ".params")) {
        c->why = "a band for a control law that the language does not have";
    } else {
        c->why = "admission that keeps to tasks is not in the language";
    }
}

const struct oracle_family oracle_published[] = {
    { .name = "Brooker collapse", .make = slowing },
    { .name = "metastable", .make = metastable },
    { .name = "SRE overload", .make = sre },
    { .name = "overload control", .make = admission },
    { .name = NULL },
};
