/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_incident.c - an outage of 20 minutes before a fleet of workers, against an independent
 * simulation of the same assumptions.
 *
 * Assumptions: 50 jobs/s, FIFO; each call takes 0.32 s, times n / 40 once n > 40 are in flight, and
 * times out after 1 s; during the outage it fails within 0.1 s. 10 workers of 2 slots, rescaled
 * every 15 s by the ready queue / 100, at most doubling. */
#include "tests/queueing/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOWN = 600, UP = 1800, BYHAND = 3600 };

/* Where half of what failed is shed at the end of the outage, that half has a producer of its own
 * (number 1), all of whose jobs are stale from then on. */
static void say_producers(const struct oracle *o, struct oracle_check *c)
{
    double lam = oracle_number(o, "lam");
    if (oracle_number(o, "shed") > 0) {
        oracle_say(
            &c->yaml,
            "producers:\n"
            "  kept: {queue: q, arrivals: {kind: poisson, rate: {kind: steps,\n"
            "    points: [[0s, @r/s], [@t, @r/s]]}}}\n"
            "  shed: {queue: q, deadline: 10d, arrivals: {kind: poisson, rate: {kind: steps,\n"
            "    points: [[0s, @r/s], [@t, 0/s]]}}}\n",
            lam / 2, (double)UP, lam, lam / 2, (double)UP);
        c->ask.without = 2;
    } else {
        oracle_say(&c->yaml, "producers: {kept: {queue: q, arrivals: @r/s}}\n", lam);
    }
}

static void say_fleet(const struct oracle *o, struct oracle_check *c)
{
    char kind[16];
    bool plain = strcmp(oracle_word(o, "kind", kind, sizeof(kind)), "plain") == 0;
    oracle_say(&c->yaml,
               "queues: {q: {}}\n"
               "workers:\n"
               "  w:\n"
               "    queue: q\n"
               "    replicas: @n\n"
               "    slots: @n\n"
               "    start_up: 0s\n"
               "    calls: {d: {timeout: @t}}\n"
               "    retry: {max_attempts: unlimited, jitter: @s,\n"
               "      backoff: {kind: exponential, base: @t, cap: 1h}}\n"
               "    autoscaler: {kind: hpa, target: @n, min: @n, max: @n, sync: @t, tolerance: 0,\n"
               "      up: {policies: [{percent: 100%, every: 15s}]}, down: {stabilise: @t}}\n",
               oracle_number(o, "min_pods"), oracle_number(o, "slots_per_pod"),
               oracle_number(o, "theta"), plain ? "none" : "full", oracle_number(o, "base"),
               oracle_number(o, "backlog_per_pod"), oracle_number(o, "min_pods"),
               oracle_number(o, "maxp"), oracle_number(o, "eval_every"),
               oracle_number(o, "down_after"));
}

/* The ramp by hand, at fixed times: 5, 10, 20, 40 from the end of the outage. */
static void say_actions(const struct oracle *o, struct oracle_check *c)
{
    oracle_say(&c->yaml, "actions:\n");
    if (oracle_number(o, "ramp") > 0) {
        for (int i = 0; i < 4; i++) {
            oracle_say(&c->yaml, "  - {at: @t, set: {controls.d.concurrency.limit: @n}}\n",
                       (double)(UP + 60 * i), (double)(5 << i));
        }
    }
    if (oracle_number(o, "shed") > 0) {
        oracle_say(&c->yaml, "  - {at: @t, set: {producers.shed.deadline: 1us}}\n", (double)UP);
    }
    if (oracle_number(o, "manual") > 0) {
        oracle_say(&c->yaml, "  - {at: @t, set: {workers.w.autoscaler.max: 20}}\n", (double)BYHAND);
    }
    oracle_say(&c->yaml, "  - {at: 0s, set: {workers.w.slots: @n}}\n",
               oracle_number(o, "slots_per_pod"));
}

static void ask_calls(struct oracle_check *c, double from, double to, int outcome)
{
    c->ask.kind = ASK_COUNT;
    c->ask.match = (struct oracle_match){ MDL_REC_CALL_ENDED, outcome, 0, -1, false };
    c->ask.from = from;
    c->ask.to = to;
}

static void ask_level(struct oracle_check *c, enum oracle_ask_kind kind, double x)
{
    c->ask.kind = kind;
    c->ask.from = UP;
    c->ask.x = x;
}

static void ask_incident(const struct oracle *o, struct oracle_check *c)
{
    if (oracle_ends(o, ".good_20_30min")) {
        ask_calls(c, UP + 1200, UP + 1800, MDL_ERR_OK);
        c->ask.scale = 1.0 / 600;
    } else if (oracle_ends(o, ".good_first_10min")) {
        ask_calls(c, UP, UP + 600, MDL_ERR_OK);
        c->ask.scale = 1.0 / 600;
    } else if (oracle_ends(o, ".failed_calls_in_outage")) {
        ask_calls(c, DOWN, UP, MDL_ERR_UNAVAILABLE);
    } else if (oracle_ends(o, ".backlog_at_recovery")) {
        ask_level(c, ASK_AT, 0);
    } else if (oracle_ends(o, ".drain_s")) {
        ask_level(c, ASK_PASSAGE, 299);
    } else if (oracle_ends(o, ".queue_clear_s")) {
        ask_level(c, ASK_PASSAGE, 10);
        c->ask.level = LEVEL_READY;
    } else {
        ask_calls(c, oracle_ends(o, "_outage") ? DOWN : UP, oracle_ends(o, "_outage") ? UP : 0, -1);
        c->ask.kind = ASK_BUSIEST;
        c->ask.match.kind = MDL_REC_CALL_LEFT;
        c->ask.scale = 1.0 / 60;
    }
}

static void incident(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    bool capped = oracle_number(o, "cap") > 0;
    c->seed = 7;
    oracle_plain(c, 6, capped ? 4800 : 3660);
    say_producers(o, c);
    say_fleet(o, c);
    oracle_say(
        &c->yaml,
        "dependencies: {d: {service: @t, answer_in: @t, contention: {kind: sharing, among: @n},\n"
        "  outages: [{at: @t, for: @t}]}}\n",
        oracle_number(o, "s"), oracle_number(o, "s_fail"), oracle_number(o, "c"), (double)DOWN,
        (double)(UP - DOWN));
    if (capped) {
        oracle_say(&c->yaml, "controls: {d: {concurrency: @n}}\n", oracle_number(o, "cap"));
    }
    say_actions(o, c);
    ask_incident(o, c);
    c->cost = 6 * 1e6;
}

const struct oracle_family oracle_incident[] = {
    { .name = "incident", .make = incident },
    { .name = NULL },
};
