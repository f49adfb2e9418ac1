/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_drains.c - backlogs: how long until they are gone, how large they are at an instant. */
#include "tests/queueing/oracle.h"

#include "models/forecast/mdl_drain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* n0 jobs at time 0 and Poisson jobs, exponential work, c slots. */
static void say_loaded(const struct oracle *o, struct oracle_check *c)
{
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t},\n"
               "  backlog: @n}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: @n}}\n",
               oracle_number(o, "lam"), 1 / oracle_number(o, "mu"), oracle_number(o, "n0"),
               oracle_number(o, "c"));
}

/* ---- the time until empty, M/M/1 from n0 ---- */

static void empty(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double n = oracle_number(o, "n0"), lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double gap = mu - lam, mean = n / gap, sd = sqrt(n * (lam + mu) / (gap * gap * gap));
    double jobs = n + lam * mean;
    bool spread = n < 50000; /* all but the mean of the largest, which hardly varies */
    double reps = fmin(20000, fmax(spread ? 400 : 20, 4e6 / jobs));
    oracle_plain(c, (size_t)reps, mean + 20 * sd);
    say_loaded(o, c);
    c->cost = reps * jobs;
    c->ask.kind = ASK_PASSAGE;
    c->ask.level = LEVEL_JOBS;
    c->ask.x = 0;
    const char *percent = strstr(o->id, ".p");
    if (oracle_ends(o, ".sd")) {
        c->ask.figure = FIGURE_SD;
    } else if (oracle_ends(o, ".Fmean")) {
        c->ask.figure = FIGURE_SHARE;
        c->ask.bound = mean;
    } else if (percent != NULL) {
        c->ask.figure = FIGURE_SHARE;
        c->ask.bound = o->value;
        c->ask.expected = strtod(percent + 2, NULL) / 100;
    }
}

/* ---- the number in system at time t ---- */

static void transient(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double t = oracle_number(o, "t"), jobs = oracle_number(o, "n0") + oracle_number(o, "lam") * t;
    double reps = fmin(40000, 4e6 / jobs);
    oracle_plain(c, (size_t)reps, t + 0.001);
    say_loaded(o, c);
    c->cost = reps * jobs;
    c->ask.kind = ASK_AT;
    c->ask.level = LEVEL_JOBS;
    c->ask.from = t;
    if (oracle_ends(o, ".P0")) {
        c->ask.figure = FIGURE_SHARE;
        c->ask.expected = o->value;
        c->why = o->value < 1e-6 ? "too rare to be seen" : NULL;
    }
}

/* ---- nothing is served until T, then all slots at once ---- */

static void outage_drain(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double slots = oracle_number(o, "c"), until = oracle_number(o, "outage_s");
    double gap = slots * mu - lam, mean = lam * until / gap;
    double sd = sqrt(2 * lam * until * slots * mu / (gap * gap * gap)) + 1;
    double jobs = lam * (until + mean), reps = fmin(10000, fmax(40, 6e6 / jobs));
    oracle_plain(c, (size_t)reps, until + mean + 20 * sd);
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t}}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, replicas: 0, slots: @n, start_up: 0s}}\n"
               "actions: [{at: @t, set: {workers.w.replicas: 1}}]\n",
               lam, 1 / mu, slots, until);
    c->cost = reps * jobs;
    c->ask.kind = strstr(o->id, ".drain.") != NULL ? ASK_PASSAGE : ASK_AT;
    c->ask.figure = oracle_ends(o, ".sd") ? FIGURE_SD : FIGURE_MEAN;
    c->ask.level = LEVEL_JOBS;
    c->ask.from = until;
    c->ask.x = slots;
}

/* ---- fluid drains: by the forecast (place 0), and whole jobs of constant work (place 1) ---- */

static size_t ramp_of(const struct oracle *o, double steps[4])
{
    char text[64], *p = text;
    (void)oracle_word(o, "ramp", text, sizeof(text));
    size_t count = 0;
    while (count < 4) {
        steps[count++] = strtod(p, &p);
        if (*p++ != 'x') {
            break;
        }
    }
    return count;
}

static struct mdl_drain_result forecast(const struct oracle *o)
{
    double steps[4];
    size_t count = ramp_of(o, steps);
    struct mdl_drain_rate rate = { 0, oracle_number(o, "lam") };
    struct mdl_drain_class cls = {
        .rates = &rate, .rate_count = 1, .deadline_s = INFINITY, .calls_per_job = 1
    };
    struct mdl_drain_jobs ready = { .count = oracle_number(o, "backlog"),
                                    .affected = true,
                                    .deadline_s = INFINITY };
    struct mdl_drain_input in = {
        .classes = &cls,
        .class_count = 1,
        .arrivals_end_s = INFINITY,
        .ready = &ready,
        .ready_count = 1,
        .callers = { 1e6, 1e6, 0 },
        .service = { .servers = INFINITY,
                     .service_s = oracle_number(o, "service_s"),
                     .timeout_s = INFINITY,
                     .warm_from = 1,
                     .overload_in_flight = INFINITY },
        .gate = { .limit = 40, .rate_per_s = INFINITY, .delay_s = 10 },
        .settle_s = 120,
    };
    if (count > 1) {
        in.gate.steps = steps;
        in.gate.step_count = count;
        in.gate.step_s = oracle_number(o, "step_s");
    }
    struct mdl_drain_result r;
    SQ_ASSERT(mdl_drain(&in, NULL, &r) == SQ_OK);
    return r;
}

static double forecast_drain(const struct oracle *o)
{
    return forecast(o).planned_s;
}

static double forecast_peak(const struct oracle *o)
{
    return forecast(o).peak_backlog;
}

/* 1 when the forecast gives no time. */
static double forecast_never(const struct oracle *o)
{
    struct mdl_drain_result r = forecast(o);
    return isnan(r.planned_s) && isnan(r.naive_s) && r.state != MDL_DRAIN_CLEARS ? 1 : 0;
}

/* A limit that an operator raises by hand, step by step. */
static void say_steps(const struct oracle *o, struct oracle_check *c)
{
    double steps[4], every = oracle_number(o, "step_s");
    size_t count = ramp_of(o, steps);
    oracle_say(&c->yaml, "controls: {d: {concurrency: @n}}\nactions:\n", steps[0]);
    for (size_t i = 1; i < count; i++) {
        oracle_say(&c->yaml, "  - {at: @t, set: {controls.d.concurrency.limit: @n}}\n",
                   every * (double)i, steps[i]);
    }
    if (count == 1) {
        oracle_say(&c->yaml, "  []\n");
    }
}

/* Whole jobs: when at most c are left, all of them are in service; a fluid of these would take
 * c / (C - lam) longer, and whole rounds of service are off by up to one at each step. */
static void simulate_fluid(const struct oracle *o, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), service = oracle_number(o, "service_s");
    double steps[4], gap = 40 / service - lam;
    size_t count = ramp_of(o, steps);
    bool peak = oracle_ends(o, ".peak");
    c->why = isnan(o->value) ? "never: nothing to measure" : NULL;
    oracle_plain(c, 1, peak ? 1500 : 2 * fmax(o->value, 300) + 10);
    struct sq_buf arrivals = { 0 };
    oracle_say(&arrivals, lam > 0 ? "{kind: regular, phase: same, rate: @r/s}" : "none", lam);
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, backlog: @n, arrivals: @s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}}}\n"
               "dependencies: {d: {service: @t}}\n",
               oracle_number(o, "backlog"), arrivals.text, service);
    sq_buf_fini(&arrivals);
    say_steps(o, c);
    c->cost = oracle_number(o, "backlog") + lam * 2000;
    c->ask.kind = peak ? ASK_PEAK : ASK_PASSAGE;
    c->ask.level = LEVEL_JOBS;
    c->ask.x = 40;
    c->ask.from = peak ? 0 : 0.001; /* not while the backlog comes in */
    c->slack = peak ? lam * service * (double)count + 1
                    : 40 / gap + service * ((double)count * 40 / service + 40 / service) / gap;
}

static void fluid(const struct oracle *o, int place, struct oracle_check *c)
{
    if (place == 1) {
        simulate_fluid(o, c);
        return;
    }
    c->slack = 1e-9 * o->value; /* rounding of sums over thousands of bins */
    if (isnan(o->value)) {
        c->compute = forecast_never;
        c->ask.expected = 1;
        c->slack = 0;
    } else {
        c->compute = oracle_ends(o, ".peak") ? forecast_peak : forecast_drain;
    }
}

/* ---- D/D/c: exact to the nanosecond ---- */

/* The first regular job comes at 0 instead of at 1/lam: it is one of the backlog. */
static void ddc(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double backlog = oracle_number(o, "backlog");
    oracle_plain(c, 1, 100);
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, backlog: @n, work: @t,\n"
               "  arrivals: {kind: regular, phase: same, rate: @r/s}}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: @n}}\n",
               backlog - 1, oracle_number(o, "service_s"), oracle_number(o, "lam"),
               oracle_number(o, "c"));
    c->ask.kind = ASK_INSTANT;
    if (oracle_ends(o, ".backlogdone")) {
        c->ask.match.kind = MDL_REC_JOB_ENDED;
        c->ask.x = backlog;
    } else {
        c->ask.match.kind = MDL_REC_JOB_DELIVERED;
        c->ask.match.unwaited = true;
        c->ask.from = 1e-6;
        c->ask.x = 1;
    }
}

const struct oracle_family oracle_drains[] = {
    { .name = "first passage", .make = empty },
    { .name = "transient", .make = transient },
    { .name = "outage drain", .make = outage_drain },
    { .name = "fluid drain", .make = fluid, .places = 2 },
    { .name = "D/D/c", .make = ddc },
    { .name = NULL },
};
