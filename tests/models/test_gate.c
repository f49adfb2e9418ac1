/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate.c - controls: permits and who gets them, what throttled callers do, trouble, the ramp.
 */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

/* ---- permits ---- */

#define CROWD(n, control)                                                           \
    "squall: 1\nduration: 60s\n"                                                    \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #n ", at: 1s}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 50, calls: {api: {}}}}\n"      \
    "dependencies: {api: {service: 2s}}\ncontrols: {api: {" control "}}\n"

/* First come first served, as many as there are permits, and no time between one and the next. */
static void first_come_first_served(void **state)
{
    (void)state;
    for (int limit = 1; limit <= 4; limit++) {
        char text[600];
        (void)snprintf(text, sizeof(text), CROWD(20, "concurrency: %d"), limit);
        struct wld t;
        wld_run(&t, text);
        for (size_t i = 0; i < 20; i++) {
            const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, i);
            assert_int_equal(left->r.ordinal, i);
            assert_int_equal(left->at, WLD_S(1 + 2 * (int)(i / (size_t)limit)));
        }
        assert_true(wld_get(&t, "control.api.in_use_max") == limit);
        assert_true(wld_get(&t, "control.api.waited") == 20 - limit);
        assert_true(wld_get(&t, "dependency.api.in_flight_max") == limit);
        wld_fini(&t);
    }
}

static void throttled(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double completed, dead, waited, rejected, deferred;
    } rows[] = {
        { CROWD(5, "concurrency: 5"), 5, 0, 0, 0, 0 },
        { CROWD(5, "concurrency: 2, throttled: fail"), 2, 3, 0, 3, 0 },
        /* permits are free at 3 s, 5 s ...; a grant at the last instant is in time */
        { CROWD(5, "concurrency: 1, throttled: {kind: wait, max: 4s}"), 3, 2, 4, 2, 0 },
        { CROWD(5, "concurrency: 1, throttled: {kind: wait, max: 3999ms}"), 2, 3, 4, 3, 0 },
        { CROWD(5, "concurrency: 1, throttled: {kind: wait, max: 0s}"), 1, 4, 4, 4, 0 },
        /* deferred: again at 4 s, 7 s, 10 s, 13 s, one getting in each time */
        { CROWD(5, "concurrency: 1, throttled: {kind: defer, delay: 3s}"), 5, 0, 0, 0,
          4 + 3 + 2 + 1 },
        { CROWD(5, "throttled: fail"), 5, 0, 0, 0, 0 }, /* nothing that throttles */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        if (!(wld_get(&t, "jobs.completed") == rows[i].completed) ||
            !(wld_get(&t, "jobs.dead_lettered") == rows[i].dead)) {
            fail_msg("row %zu: %g completed, %g dead", i, wld_get(&t, "jobs.completed"),
                     wld_get(&t, "jobs.dead_lettered"));
        }
        assert_true(wld_get(&t, "control.api.waited") == rows[i].waited);
        assert_true(wld_get(&t, "control.api.rejected") == rows[i].rejected);
        assert_true(wld_get(&t, "control.api.deferred") == rows[i].deferred);
        /* A throttled call never existed for the dependency, nor as an attempt. */
        assert_true(wld_get(&t, "dependency.api.calls") == rows[i].completed);
        assert_true(wld_get(&t, "attempts.total") == rows[i].completed);
        wld_fini(&t);
    }
}

/* A permit is held until the caller stops waiting: abandoned work is not in use. */
static void permits_end_with_the_wait(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[3];
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3, at: 1s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 5, calls: {api: {timeout: 4s}}}}\n"
                "dependencies: {api: {service: 9s}}\ncontrols: {api: {concurrency: 1}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 3), 3);
    assert_int_equal(at[1], WLD_S(5));
    assert_int_equal(at[2], WLD_S(9));
    assert_true(wld_get(&t, "dependency.api.in_flight_max") == 3); /* 9 s: 1-10, 5-14, 9-18 */
    assert_true(wld_get(&t, "control.api.in_use_max") == 1);
    wld_fini(&t);
}

/* ---- trouble ---- */

/* Calls that end at given instants, well or not: "1+ 2- 2.5+": at 1 s a success, at 2 s a failure.
 * Each is a cohort of one; each failure meets an outage of a microsecond. */
static void write_calls(char *out, size_t size, const char *calls, const char *ramp)
{
    char producers[4000] = "", outages[4000] = "";
    int n = 0, used = 0;
    double at;
    char how;
    for (; sscanf(calls, " %lf%c%n", &at, &how, &used) == 2; calls += used, n++) {
        size_t p = strlen(producers), o = strlen(outages);
        (void)snprintf(producers + p, sizeof(producers) - p,
                       "  p%02d: {queue: q, arrivals: {kind: cohort, count: 1, at: %.9fs}}\n", n,
                       at);
        if (how == '-') {
            (void)snprintf(outages + o, sizeof(outages) - o, "%s{at: %.9fs, for: 1us}",
                           o > 0 ? ", " : "", at);
        }
    }
    (void)snprintf(out, size,
                   "squall: 1\nduration: 100s\nproducers:\n%squeues: {q: {}}\n"
                   "workers: {w: {queue: q, slots: 50, calls: {api: {}}}}\n"
                   "dependencies: {api: {service: 0s, answer_in: 0s, outages: [%s]}}\n"
                   "controls: {api: {ramp: %s}}\n",
                   producers, outages, ramp);
}

static void trouble_begins_and_ends(void **state)
{
    (void)state;
    static const struct {
        const char *calls;
        double changes[6]; /* begins, ends, begins (a relapse), ...; 0 ends the list */
    } rows[] = {
        { "1- 2- 3- 4-", { 0 } },
        { "1- 2- 3- 4- 5-", { 5 } },
        { "1+ 2+ 3+ 4- 5-", { 0 } },
        { "1+ 2+ 3+ 4- 5- 6-", { 6 } },    /* half */
        { "1+ 2+ 3+ 4+ 5- 6- 7-", { 0 } }, /* three of seven */
        { "1- 2- 3- 4+ 5+", { 5 } },       /* the fifth is a success: three of five failed */
        /* within the last 10 s; exactly 10 s old is out */
        { "1- 2- 3- 4- 10.999999999-", { 10.999999999 } },
        { "1- 2- 3- 4- 11-", { 0 } },
        { "1+ 1.2+ 1.5+ 1.6+ 2- 3- 11.4-", { 11.4 } }, /* three of five; of all, three of seven */
        { "1- 2- 3- 4- 12- 20-", { 0 } },
        /* ends with the fifth success in a row */
        { "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+", { 5 } },
        { "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+ 10+", { 5, 10 } },
        { "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+ 10- 11+ 12+ 13+ 14+", { 5 } },
        { "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+ 10- 11+ 12+ 13+ 14+ 15+", { 5, 15 } },
        { "1- 2- 3- 4- 5- 26+ 37+ 48+ 59+ 70+", { 5, 70 } }, /* whenever they come */
        /* then the window is emptied */
        { "1- 2- 3- 4- 5- 5.1+ 5.2+ 5.3+ 5.4+ 5.5+ 6- 6.1- 6.2- 6.3-", { 5, 5.5 } },
        { "1- 2- 3- 4- 5- 5.1+ 5.2+ 5.3+ 5.4+ 5.5+ 6- 6.1- 6.2- 6.3- 6.4-", { 5, 5.5, 6.4 } },
        /* a relapse by a success: at 15 s three of 11 ... 15 failed */
        { "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+ 10+ 11+ 12- 13- 14- 15+", { 5, 10, 15 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[9000];
        struct wld t;
        write_calls(text, sizeof(text), rows[i].calls, "[3, 5]");
        wld_run(&t, text);
        size_t n = 0;
        for (; n < 6 && rows[i].changes[n] > 0; n++) {
            const struct wld_rec *r = wld_rec_at(&t, MDL_REC_RAMP_START, n);
            unsigned outcome = n % 2 == 1 ? 0 : n == 0 ? 1 : 2;
            if (r == NULL || r->at != WLD_S(rows[i].changes[n]) || r->r.outcome != outcome) {
                fail_msg("%s: change %zu", rows[i].calls, n);
            }
        }
        if (wld_rec_at(&t, MDL_REC_RAMP_START, n) != NULL) {
            fail_msg("%s: more than %zu changes", rows[i].calls, n);
        }
        assert_true(wld_get(&t, "control.api.ramp_relapses") == (n > 2 ? 1 : 0));
        wld_fini(&t);
    }
}

/* ---- the limit over time ---- */

static struct wld *watched; /* of the test that runs: the hook has no other way in */
static int64_t limits[101]; /* just before each second */

static void look(void *ctx, sq_time_t now)
{
    (void)ctx;
    struct sq_sim *s = &watched->w.ctx.sim;
    while (s->advance_at <= now) {
        int64_t i = s->advance_at / SQ_NS_PER_S;
        limits[i <= 100 ? i : 0] = mdl_gate_limit(&watched->w.dependencies[0].gate);
        s->advance_at += SQ_NS_PER_S;
    }
}

static void ramp_over_time(void **state)
{
    (void)state;
    /* trouble at 5 s, the ramp from 10 s on; a relapse at 35 s, the ramp again from 40 s on */
#define TROUBLE "1- 2- 3- 4- 5- 6+ 7+ 8+ 9+ 10+ "
#define RELAPSE "31- 32- 33- 34- 35- 36+ 37+ 38+ 39+ 40+ 95+"
    static const struct {
        const char *calls, *ramp, *more;
        struct {
            int until;
            int64_t limit;
        } spans[10]; /* from 1 s on; until 0 ends the list */
    } rows[] = {
        { TROUBLE "95+",
          "{steps: [2, 5, 9], every: 10s}",
          "",
          { { 5, SQ_UNLIMITED }, { 20, 2 }, { 30, 5 }, { 95, 9 } } },
        { TROUBLE RELAPSE,
          "{steps: [2, 5, 9], every: 10s}",
          "",
          { { 5, SQ_UNLIMITED },
            { 20, 2 },
            { 30, 5 },
            { 35, 9 },
            { 50, 2 },
            { 60, 5 },
            { 95, 9 } } },
        { TROUBLE "95+",
          "{steps: [2, 5, 9], every: 10s, at_start: bottom}",
          "",
          { { 20, 2 }, { 30, 5 }, { 95, 9 } } },
        /* clean: a failed call restarts the step's time, at 12 s of the first, at 33 s of the
           second; at the top it changes nothing */
        { TROUBLE "12- 13+ 14+ 15+ 33- 90-",
          "{steps: [2, 5, 9], every: 20s, clock: clean}",
          "",
          { { 5, SQ_UNLIMITED }, { 32, 2 }, { 53, 5 }, { 95, 9 } } },
        { TROUBLE "12- 13+ 14+ 15+ 33- 90-",
          "{steps: [2, 5, 9], every: 20s}",
          "",
          { { 5, SQ_UNLIMITED }, { 30, 2 }, { 50, 5 }, { 95, 9 } } },
        { TROUBLE "95+",
          "{kind: linear, from: 2, to: 6, over: 20s}",
          "",
          { { 5, SQ_UNLIMITED }, { 15, 2 }, { 20, 3 }, { 25, 4 }, { 30, 5 }, { 95, 6 } } },
        { TROUBLE "95+",
          "{kind: haproxy, to: 10, over: 10s}",
          "",
          { { 5, SQ_UNLIMITED },
            { 12, 1 },
            { 13, 2 },
            { 14, 3 },
            { 15, 4 },
            { 16, 5 },
            { 17, 6 },
            { 18, 7 } } },
        /* the least of both */
        { TROUBLE "95+",
          "{steps: [2, 5, 9], every: 10s}",
          " concurrency: 6",
          { { 5, 6 }, { 20, 2 }, { 30, 5 }, { 95, 6 } } },
        { "1+ 2+ 3+ 4+ 5- 95+", "{steps: [2, 5, 9], every: 10s}", "", { { 95, SQ_UNLIMITED } } },
        /* `set` of a ramp acts at its next start */
        { TROUBLE RELAPSE,
          "{steps: [2, 5, 9], every: 10s}",
          "actions: [{at: 15s, set: {controls.api.ramp.every: 4s}}]\n",
          { { 5, SQ_UNLIMITED },
            { 20, 2 },
            { 30, 5 },
            { 35, 9 },
            { 44, 2 },
            { 48, 5 },
            { 95, 9 } } },
        { TROUBLE RELAPSE,
          "{steps: [2, 5, 9], every: 10s}",
          "actions: [{at: 15s, set: {controls.api.ramp.steps: [1, 3]}}]\n",
          { { 5, SQ_UNLIMITED }, { 20, 2 }, { 30, 5 }, { 35, 9 }, { 50, 1 }, { 95, 3 } } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[9000];
        struct wld t;
        write_calls(text, sizeof(text), rows[i].calls, rows[i].ramp);
        size_t len = strlen(text);
        if (rows[i].more[0] == ' ') { /* more of the control */
            char *close = strrchr(text, '}') - 1;
            len = (size_t)(close - text);
            (void)snprintf(text + len, sizeof(text) - len, ",%s}}\n", rows[i].more);
        } else {
            (void)snprintf(text + len, sizeof(text) - len, "%s", rows[i].more);
        }
        if (wld_load(&t, text, NULL) != SQ_OK) {
            fail_msg("%s", wld_complaints(&t));
        }
        wld_build(&t, 1);
        watched = &t;
        t.w.ctx.sim.advance = look;
        assert_int_equal(mdl_world_run(&t.w, 1, NULL, &t.diag), SQ_OK);
        int s = 1;
        for (size_t k = 0; k < 10 && rows[i].spans[k].until > 0; k++) {
            for (; s <= rows[i].spans[k].until; s++) {
                if (limits[s] != rows[i].spans[k].limit) {
                    fail_msg("row %zu: %lld just before %d s", i, (long long)limits[s], s);
                }
            }
        }
        wld_fini(&t);
    }
}

/* Each step lets waiters in at its instant, and nobody overtakes them: not even who comes at that
 * very instant, when the limit has risen and its tick has not come. Ten jobs come at 12 s, while
 * the bottom is in force. */
static void steps_wake_waiters(void **state)
{
    (void)state;
    char text[9000];
    struct wld t;
    sq_time_t at[40];
    write_calls(text, sizeof(text), TROUBLE, "{steps: [2, 5, 9], every: 10s}");
    (void)snprintf(strstr(text, "queues:"), 5000,
                   "  y: {queue: q, arrivals: {kind: cohort, count: 1, at: 20s}}\n"
                   "  z: {queue: q, arrivals: {kind: cohort, count: 10, at: 12s}}\n"
                   "queues: {q: {}}\n"
                   "workers: {w: {queue: q, slots: 50, calls: {api: {}}}}\n"
                   "dependencies: {api: {service: 0s, answer_in: 0s, outages: [{at: 1s, for: 1us}, "
                   "{at: 2s, for: 1us}, {at: 3s, for: 1us}, {at: 4s, for: 1us}, {at: 5s, for: "
                   "1us}]}}\n"
                   "controls: {api: {ramp: {steps: [2, 5, 9], every: 10s}}}\n"
                   "actions: [{at: 11s, set: {dependencies.api.service.value: 90s}}]\n");
    wld_run(&t, text);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 40), 10 + 9);
    static const int want[] = { 12, 12, 20, 20, 20, 30, 30, 30, 30 };
    for (size_t i = 0; i < 9; i++) {
        const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, 10 + i);
        assert_int_equal(left->at, WLD_S(want[i]));
        assert_int_equal(left->r.ordinal, i); /* and not y, which comes before the tick of 20 s */
    }
    assert_int_equal(wld_times(&t, MDL_REC_RAMP_STEP, -1, at, 40), 2);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_come_first_served),
        cmocka_unit_test(throttled),
        cmocka_unit_test(permits_end_with_the_wait),
        cmocka_unit_test(trouble_begins_and_ends),
        cmocka_unit_test(ramp_over_time),
        cmocka_unit_test(steps_wake_waiters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
