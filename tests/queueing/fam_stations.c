/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_stations.c - one station in steady state: jobs before the slots of a pool (place 0), or calls
 * before the servers of a dependency (place 1). */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scenarios ---- */

/* Poisson jobs with the work W before c slots. */
static void say_pool(struct oracle_check *c, double lam, double slots, const char *work)
{
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s, work: @s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: @n}}\n",
               lam, work, slots);
}

/* Poisson jobs, each one call to a dependency; more slots than ever needed. */
static void say_room(struct oracle_check *c, double lam, double servers, const char *service)
{
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}}}\n"
               "dependencies: {d: {servers: @n, service: @s}}\n",
               lam, servers, service);
}

static void say_station(struct oracle_check *c, int place, double lam, double servers,
                        const char *time)
{
    if (place == 0) {
        say_pool(c, lam, servers, time);
    } else {
        say_room(c, lam, servers, time);
    }
}

static const char *exponential(struct sq_buf *b, double mean)
{
    oracle_say(b, "{kind: exponential, mean: @t}", mean);
    return b->text;
}

/* Relaxation time of M/M/c. */
static double relaxation(double lam, double mu, double servers)
{
    double gap = sqrt(servers * mu) - sqrt(lam);
    return fmax(1 / mu, 1 / (gap * gap));
}

/* ---- figures ---- */

static void ask_metric(struct oracle_check *c, const char *metric)
{
    c->ask.kind = ASK_METRIC;
    c->ask.metric = metric;
}

static void ask_values(struct oracle_check *c, enum mdl_record kind, enum oracle_figure figure)
{
    c->ask.kind = ASK_VALUES;
    c->ask.figure = figure;
    c->ask.match.kind = kind;
    c->ask.match.outcome = kind == MDL_REC_JOB_DELIVERED ? -1 : 0; /* ok, completed */
}

static void ask_share(struct oracle_check *c, enum mdl_record kind, double bound, double share)
{
    ask_values(c, kind, FIGURE_SHARE);
    c->ask.bound = bound;
    c->ask.expected = share;
}

/* "...p99.9": 0.999. */
static double percent_of(const struct oracle *o)
{
    const char *at = NULL, *p = o->id;
    while ((p = strstr(p, ".p")) != NULL) {
        at = p++;
    }
    SQ_ASSERT(at != NULL);
    return strtod(at + 2, NULL) / 100;
}

/* A quantile x_p is judged by the share of values up to x_p, which must be p. */
static void ask_quantile(const struct oracle *o, enum mdl_record kind, struct oracle_check *c)
{
    if (o->value > 0) {
        ask_share(c, kind, o->value, percent_of(o));
    } else { /* in the mass at 0 */
        ask_metric(c, "queue.q.wait_p99_s");
    }
}

static bool ask_number_in_system(const struct oracle *o, int place, struct oracle_check *c)
{
    bool mean = oracle_ends(o, ".L"), var = oracle_ends(o, ".varN");
    c->ask.kind = ASK_LEVEL;
    c->ask.level = LEVEL_JOBS;
    c->ask.figure = var ? FIGURE_VAR : FIGURE_MEAN;
    if (mean && place == 1) {
        ask_metric(c, "dependency.d.in_flight_mean");
    }
    return mean || var;
}

static void ask_busy(const struct oracle *o, struct oracle_check *c)
{
    c->ask.kind = ASK_BUSY;
    c->ask.level = LEVEL_JOBS;
    c->ask.figure = oracle_ends(o, ".var") ? FIGURE_VAR : FIGURE_MEAN;
}

/* Waits and sojourns. In a waiting room waits are not recorded, so what can only be known from them
 * is not judged there. */
static void ask_times(const struct oracle *o, int place, double lam, struct oracle_check *c)
{
    if (oracle_ends(o, ".Wq") && place == 0) {
        ask_metric(c, "queue.q.wait_mean_s");
    } else if (oracle_ends(o, ".Wq")) {
        ask_metric(c, "dependency.d.waiting_mean");
        c->ask.scale = 1 / lam;
    } else if (strstr(o->id, ".W.p") != NULL) {
        ask_quantile(o, place == 0 ? MDL_REC_JOB_ENDED : MDL_REC_CALL_ENDED, c);
    } else if (place == 1) {
        c->why = "waits are not recorded in a waiting room";
    } else if (strstr(o->id, ".Wq.p") != NULL) {
        ask_quantile(o, MDL_REC_JOB_DELIVERED, c);
    } else if (oracle_ends(o, ".Wq.sd")) {
        ask_values(c, MDL_REC_JOB_DELIVERED, FIGURE_SD);
    } else {
        SQ_ASSERT(oracle_ends(o, ".Pwait"));
        ask_share(c, MDL_REC_JOB_DELIVERED, 0, 1 - o->value);
    }
}

static void ask_station(const struct oracle *o, int place, double lam, struct oracle_check *c)
{
    if (strstr(o->id, ".busy.") != NULL) {
        ask_busy(o, c);
    } else if (!ask_number_in_system(o, place, c)) {
        ask_times(o, place, lam, c);
    }
}

/* ---- M/M/1, M/M/c ---- */

static void mmc(const struct oracle *o, int place, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double servers = oracle_number(o, "c"), rho = lam / (servers * mu);
    struct sq_buf time = { 0 };
    bool rare = oracle_begins(o, "mmc.c40.rho0.5") || oracle_begins(o, "mmc.c20.rho0.5");
    double jobs = rare ? 10e6 : rho < 0.6 ? 600e3 : rho < 0.85 ? 1.5e6 : rho < 0.92 ? 4e6 : 8e6;
    oracle_steady(c, jobs, lam, relaxation(lam, mu, servers));
    say_station(c, place, lam, servers, exponential(&time, 1 / mu));
    ask_station(o, place, lam, c);
    sq_buf_fini(&time);
}

/* ---- losses: M/M/c/K, Erlang B ---- */

static void mmck(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double servers = oracle_number(o, "c"), size = oracle_number(o, "K");
    struct sq_buf service = { 0 };
    double room = size - servers, work = servers * mu;
    double relax = fmin(relaxation(lam, mu, servers), room * room / work + servers / work);
    relax += lam > work ? room / (lam - work) / 5 : 0; /* until it is full */
    oracle_steady(c, 1.5e6, lam, relax);
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}}}\n"
               "dependencies: {d: {servers: @n, waiting_room: @n, service: @s}}\n",
               lam, servers, room, exponential(&service, 1 / mu));
    if (oracle_ends(o, ".block")) {
        ask_metric(c, "dependency.d.refused/dependency.d.calls");
    } else if (oracle_ends(o, ".L")) {
        ask_metric(c, "dependency.d.in_flight_mean");
    } else {
        SQ_ASSERT(oracle_ends(o, ".W"));
        ask_metric(c, "dependency.d.latency_mean_s");
    }
    sq_buf_fini(&service);
}

static void erlang_b(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    bool rare = oracle_ends(o, ".block") && o->value < 1e-3;
    struct sq_buf service = { 0 };
    oracle_steady(c, rare ? 30e6 : 1e6, lam, 1 / mu);
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {}}}}\n"
               "dependencies: {d: {servers: @n, waiting_room: 0, service: @s}}\n",
               lam, oracle_number(o, "c"), exponential(&service, 1 / mu));
    bool block = oracle_ends(o, ".block");
    ask_metric(c,
               block ? "dependency.d.refused/dependency.d.calls" : "dependency.d.in_flight_mean");
    sq_buf_fini(&service);
}

/* ---- M/G/1, M/D/c ---- */

/* Two kinds of customers, each with exponential work, are one with hyperexponential work. */
static void say_two_kinds(const struct oracle *o, struct oracle_check *c, double lam)
{
    double p = oracle_number(o, "p");
    oracle_say(&c->yaml,
               "producers:\n"
               "  a: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t}}\n"
               "  b: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1}}\n",
               p * lam, 1 / oracle_number(o, "rate1"), (1 - p) * lam,
               1 / oracle_number(o, "rate2"));
}

static const char *service_of(const struct oracle *o)
{
    static const char *const words[][2] = {
        { "D", "1s" },
        { "Exp", "{kind: exponential, mean: 1s}" },
        { "Erlang4", "{kind: gamma, mean: 1s, cv: 0.5}" },
        { "Lognormal_cv24", "{kind: lognormal, mean: 1s, cv: 2}" },
        { "Lognormal_cv21", "{kind: lognormal, mean: 1s, cv: 1}" },
    };
    char word[64];
    (void)oracle_word(o, "service", word, sizeof(word));
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        if (strcmp(words[i][0], word) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

static void mg1(const struct oracle *o, int place, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), cv2 = 1;
    if (!oracle_begins(o, "md1.")) {
        cv2 = oracle_number(o, "ES2") - 1;
    }
    double scale = cv2 > 3 ? 4 : 1; /* a slow tail */
    double jobs = lam < 0.6 ? 600e3 : lam < 0.85 ? 1.5e6 : 3e6;
    oracle_steady(c, jobs * scale, lam, relaxation(lam, 1, 1) * (1 + cv2) / 2);
    const char *service = service_of(o);
    if (service != NULL) {
        say_station(c, place, lam, 1, service);
    } else {
        say_two_kinds(o, c, lam);
        c->why = place == 1 ? "two kinds of work are told apart in a pool" : NULL;
    }
    if (oracle_begins(o, "md1.")) {
        ask_share(c, MDL_REC_JOB_DELIVERED, strtod(strstr(o->id, "FWq") + 3, NULL), o->value);
        c->why = place == 1 ? "waits are not recorded in a waiting room" : NULL;
    } else if (c->why == NULL) {
        ask_station(o, place, lam, c);
    }
    if (place == 1 && cv2 > 3) {
        c->why = "long runs: in a pool only";
    }
}

static void mdc(const struct oracle *o, int place, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), servers = oracle_number(o, "c");
    oracle_steady(c, 1.5e6, lam, relaxation(lam, 1, servers));
    say_station(c, place, lam, servers, "1s");
    ask_station(o, place, lam, c);
}

/* ---- deadlines and timeouts ---- */

/* A stale job is noticed at its delivery and costs nothing: the wait of every job is the virtual
 * wait V; a job that left at its deadline instead would have waited min(V, d). */
static void mmcd(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double deadline = oracle_number(o, "deadline");
    oracle_steady(c, 2e6, lam, 20 * fmax(deadline, 1 / mu));
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t},\n"
               "  deadline: @t, deadline_check: delivery}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: @n}}\n",
               lam, 1 / mu, deadline, oracle_number(o, "c"));
    if (oracle_ends(o, ".Pexp")) {
        ask_metric(c, "jobs.stale/jobs.arrived");
    } else if (oracle_ends(o, ".thru")) {
        ask_metric(c, "jobs.completed/jobs.arrived");
        c->ask.scale = lam;
    } else if (oracle_ends(o, ".EV")) {
        ask_metric(c, "queue.q.wait_mean_s");
    } else {
        ask_values(c, MDL_REC_JOB_DELIVERED, FIGURE_CAPPED);
        c->ask.bound = deadline;
    }
}

/* The client gives up, the server does the work all the same: place 0 counts the timeouts, place 1
 * the wasted work. */
static void zombie(const struct oracle *o, int place, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    oracle_steady(c, 1.5e6, lam, relaxation(lam, mu, 1));
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s}}\n"
               "queues: {q: {}}\n"
               "workers: {w: {queue: q, slots: 1M, calls: {d: {timeout: @t}}}}\n"
               "dependencies: {d: {servers: 1, service: {kind: exponential, mean: @t}}}\n",
               lam, oracle_number(o, "timeout"), 1 / mu);
    ask_metric(c, place == 0 ? "dependency.d.timeouts/dependency.d.calls"
                             : "dependency.d.wasted/dependency.d.wasted+dependency.d.goodput");
}

const struct oracle_family oracle_stations[] = {
    { .name = "M/M/1", .make = mmc, .places = 2 },
    { .name = "M/M/c", .make = mmc, .places = 2 },
    { .name = "M/M/c/c", .make = erlang_b },
    { .name = "M/M/c/K", .make = mmck },
    { .name = "M/G/1", .make = mg1, .places = 2 },
    { .name = "M/D/c", .make = mdc, .places = 2 },
    { .name = "M/M/c+M", .why = "exponential patience: the language has constant deadlines" },
    { .name = "M/M/c+D", .make = mmcd },
    { .name = "timeout", .make = zombie, .places = 2 },
    { .name = NULL },
};
