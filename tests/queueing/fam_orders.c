/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_orders.c - one server with other orders of service, with breakdowns, and a token bucket. */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <string.h>

static double relaxation(double lam, double mu)
{
    double gap = sqrt(mu) - sqrt(lam);
    return fmax(1 / mu, 1 / (gap * gap));
}

static void ask_values(struct oracle_check *c, enum mdl_record kind, int producer,
                       enum oracle_figure figure)
{
    int outcome = kind == MDL_REC_JOB_DELIVERED ? -1 : 0; /* ok, completed */
    c->ask.kind = ASK_VALUES;
    c->ask.match = (struct oracle_match){ kind, outcome, 0, producer, false };
    c->ask.figure = figure;
}

/* ---- two classes, the first before the second ---- */

static void priority(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    if (strstr(o->id, ".pr.") != NULL) {
        c->why = "nothing in service is ever set aside for another";
        return;
    }
    double lam1 = oracle_number(o, "lam1"), lam2 = oracle_number(o, "lam2");
    double mean1 = 1 / oracle_number(o, "mu1"), mean2 = 1 / oracle_number(o, "mu2");
    oracle_steady(c, 2e6, lam1 + lam2, 5 * relaxation(lam1 * mean1 + lam2 * mean2, 1));
    oracle_say(
        &c->yaml,
        "producers:\n"
        "  high: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t}}\n"
        "  low: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: @t}, priority: 1}\n"
        "queues: {q: {discipline: priority}}\n"
        "workers: {w: {queue: q, slots: 1}}\n",
        lam1, mean1, lam2, mean2);
    SQ_ASSERT(oracle_ends(o, ".Wq2"));
    ask_values(c, MDL_REC_JOB_DELIVERED, 1, FIGURE_MEAN);
}

/* ---- fifo, lifo, processor sharing ---- */

static void say_order(struct oracle_check *c, double lam, const char *discipline)
{
    oracle_say(&c->yaml,
               "producers: {p: {queue: q, arrivals: @r/s, work: {kind: exponential, mean: 1s}}}\n"
               "queues: {q: {discipline: @s}}\n"
               "workers: {w: {queue: q, slots: 1}}\n",
               lam, discipline);
}

static void say_sharing(struct oracle_check *c, double lam, const char *service)
{
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @r/s, calls: {d: {}}}}\n"
               "dependencies: {d: {service: @s, contention: {kind: sharing, among: 1}}}\n",
               lam, service);
}

static void discipline(const struct oracle *o, int place, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam");
    double jobs = lam < 0.6 ? 1e6 : lam < 0.85 ? 3e6 : 8e6;
    oracle_steady(c, jobs, lam, relaxation(lam, 1));
    if (strstr(o->id, ".lcfspr.") != NULL) {
        c->why = "nothing in service is ever set aside for another";
    } else if (oracle_ends(o, ".fifo.var")) {
        say_order(c, lam, "fifo");
        ask_values(c, MDL_REC_JOB_ENDED, -1, FIGURE_VAR);
    } else if (oracle_ends(o, ".lcfsnp.Wq.var")) {
        say_order(c, lam, "lifo");
        ask_values(c, MDL_REC_JOB_DELIVERED, -1, FIGURE_VAR);
    } else if (oracle_ends(o, ".ps.var")) {
        say_sharing(c, lam, "{kind: exponential, mean: 1s}");
        ask_values(c, MDL_REC_CALL_ENDED, -1, FIGURE_VAR);
    } else if (oracle_ends(o, ".ps.slowdown")) { /* the same for every size: all are of 1 s */
        say_sharing(c, lam, "1s");
        ask_values(c, MDL_REC_CALL_ENDED, -1, FIGURE_MEAN);
    } else if (place == 0) {
        say_order(c, lam, "lifo");
        ask_values(c, MDL_REC_JOB_ENDED, -1, FIGURE_MEAN);
    } else {
        say_sharing(c, lam, "{kind: exponential, mean: 1s}");
        ask_values(c, MDL_REC_CALL_ENDED, -1, FIGURE_MEAN);
    }
    if (place == 1 && !oracle_ends(o, ".mean")) {
        c->why = "one order is named";
    }
}

/* ---- a server that breaks down at random, also when idle ---- */

/* Work stands still while it hangs and goes on afterwards. */
static void breakdowns(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam"), mu = oracle_number(o, "mu");
    double fail = oracle_number(o, "fail_rate"), repair = oracle_number(o, "repair_rate");
    double up = repair / (fail + repair), rho = lam / (mu * up);
    double cycle = 1 / fail + 1 / repair;
    double relax = fmax(relaxation(lam, mu * up), cycle / (1 - rho) / 4);
    oracle_steady(c, lam < 1 ? 2e6 : 40e6, lam, relax);
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @r/s, calls: {d: {}}}}\n"
               "dependencies: {d: {servers: 1, service: {kind: exponential, mean: @t},\n"
               "  outages: [{kind: hang, every: {kind: exponential, mean: @t},\n"
               "    for: {kind: exponential, mean: @t}}]}}\n",
               lam, 1 / mu, 1 / fail, 1 / repair);
    if (oracle_ends(o, ".L")) {
        c->ask.kind = ASK_METRIC;
        c->ask.metric = "dependency.d.in_flight_mean";
    } else {
        ask_values(c, MDL_REC_CALL_ENDED, -1, FIGURE_MEAN);
    }
}

/* ---- a token bucket at the server ---- */

static void token_bucket(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double lam = oracle_number(o, "lam_over_refill"), size = oracle_number(o, "bucket");
    oracle_steady(c, 2e6, lam, fmin(relaxation(lam, 1), size * size));
    oracle_say(&c->yaml,
               "clients: {c: {arrivals: @r/s, calls: {d: {}}}}\n"
               "dependencies: {d: {service: 1ms, rate_limit: {rate: 1/s, burst: @n}}}\n",
               lam, size);
    c->ask.kind = ASK_METRIC;
    c->ask.metric = "dependency.d.refused/dependency.d.calls";
}

const struct oracle_family oracle_orders[] = {
    { .name = "M/M/1 breakdowns", .make = breakdowns },
    { .name = "token bucket", .make = token_bucket },
    { .name = "priority", .make = priority },
    { .name = "discipline", .make = discipline, .places = 2 },
    { .name = NULL },
};
