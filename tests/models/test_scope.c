/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scope.c - whose state a control has: one in all, one per caller entry, one per replica,
 * client process or member. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Ten jobs at 1 s for each of two pools of two replicas with five slots each; a call takes 2 s. */
#define TWO_POOLS(control)                                           \
    "squall: 1\nduration: 60s\n"                                     \
    "producers:\n"                                                   \
    "  p: {queue: q, arrivals: {kind: cohort, count: 10, at: 1s}}\n" \
    "  r: {queue: s, arrivals: {kind: cohort, count: 10, at: 1s}}\n" \
    "queues: {q: {}, s: {}}\n"                                       \
    "workers:\n"                                                     \
    "  v: {queue: q, replicas: 2, slots: 5, calls: {api: {}}}\n"     \
    "  w: {queue: s, replicas: 2, slots: 5, calls: {api: {}}}\n"     \
    "dependencies: {api: {service: 2s}}\ncontrols: {api: {" control "}}\n"

/* Calls that leave at 1 s, 3 s, 5 s ...: as many as all states admit together. */
static void a_bound_per_scope(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        int at_once;
    } rows[] = {
        { TWO_POOLS("concurrency: 2"), 2 },
        { TWO_POOLS("concurrency: {limit: 2, scope: fleet}"), 2 },
        { TWO_POOLS("concurrency: {limit: 2, scope: caller}"), 4 },
        { TWO_POOLS("concurrency: {limit: 1, scope: replica}"), 4 },
        { TWO_POOLS("concurrency: {limit: 2, scope: replica}"), 8 },
        { TWO_POOLS("concurrency: {limit: 5, scope: replica}"), 20 },
        /* the bottom of a ramp that has not begun, beside a bound of another scope */
        { TWO_POOLS("concurrency: {limit: 4, scope: replica}, "
                    "ramp: {steps: [5], at_start: bottom}"),
          5 },
        { TWO_POOLS("concurrency: 7, ramp: {steps: [3], at_start: bottom, scope: caller}"), 6 },
        { TWO_POOLS("concurrency: 3, ramp: {steps: [3], at_start: bottom, scope: replica}"), 3 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        for (int n = 0; n < 20; n++) {
            const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, (size_t)n);
            if (left->at != WLD_S(1 + 2 * (n / rows[i].at_once))) {
                fail_msg("row %zu: call %d leaves at %lld", i, n, (long long)left->at);
            }
        }
        assert_true(wld_get(&t, "control.api.in_use_max") == rows[i].at_once);
        assert_true(wld_get(&t, "jobs.completed") == 20);
        wld_fini(&t);
    }
}

/* A permit that is free for one caller is not for another, and whoever waits for his own does not
 * stand in the way of others. Pool v has one slow and four quick jobs, w has quick ones only. */
static void lines_are_apart(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "producers:\n"
                "  a: {queue: q, service_scale: 10, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
                "  b: {queue: q, arrivals: {kind: cohort, count: 4, at: 2s}}\n"
                "  c: {queue: s, arrivals: {kind: cohort, count: 4, at: 3s}}\n"
                "queues: {q: {}, s: {}}\n"
                "workers:\n"
                "  v: {queue: q, slots: 5, calls: {api: {}}}\n"
                "  w: {queue: s, slots: 5, calls: {api: {}}}\n"
                "dependencies: {api: {service: 1s}}\n"
                "controls: {api: {concurrency: {limit: 1, scope: caller}}}\n");
    static const int want[] = { 1, 3, 4, 5, 6, 11, 12, 13, 14 };
    sq_time_t at[9];
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 9), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(at[i], WLD_S(want[i]));
    }
    wld_fini(&t);
}

/* First come first served at a state that several lines wait for: the two pools have a bound of
 * their own (scope caller) and one ramp together. Jobs come to v and w in turn. */
static void fifo_over_lines(void **state)
{
    (void)state;
    char text[3000] = "squall: 1\nduration: 60s\nproducers:\n";
    for (int i = 0; i < 8; i++) {
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof(text) - len,
                       "  p%d: {queue: %s, arrivals: {kind: cohort, count: 1, at: %dms}}\n", i,
                       i % 2 == 0 ? "q" : "s", 1000 + i);
    }
    size_t len = strlen(text);
    (void)snprintf(text + len, sizeof(text) - len,
                   "queues: {q: {}, s: {}}\n"
                   "workers:\n"
                   "  v: {queue: q, slots: 5, calls: {api: {}}}\n"
                   "  w: {queue: s, slots: 5, calls: {api: {}}}\n"
                   "dependencies: {api: {service: 2s}}\n"
                   "controls: {api: {concurrency: {limit: 3, scope: caller}, "
                   "ramp: {steps: [1], at_start: bottom}}}\n");
    struct wld t;
    wld_run(&t, text);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, i)->r.producer, i);
    }
    assert_true(wld_get(&t, "control.api.in_use_max") == 1);
    wld_fini(&t);
}

/* Members of a closed population have a state each; processes of a client, too, and jobs are dealt
 * to them at random: of 1000 jobs at once each of ten processes lets one go. */
static void clients(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "clients: {c: {arrivals: {kind: closed, population: 30, think: 1s}, calls: {api: "
                "{}}}}\n"
                "dependencies: {api: {service: 2s}}\n"
                "controls: {api: {throttled: fail, concurrency: {limit: 1, scope: replica}}}\n");
    assert_true(wld_get(&t, "control.api.rejected") == 0);
    assert_true(wld_get(&t, "control.api.in_use_max") == 30);
    wld_fini(&t);

    for (int replicas = 1; replicas <= 10; replicas += 3) {
        char text[600];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 60s\n"
                       "clients: {c: {replicas: %d, arrivals: {kind: cohort, count: 1000}, calls: "
                       "{api: {}}}}\n"
                       "dependencies: {api: {service: 2s}}\n"
                       "controls: {api: {throttled: fail, concurrency: {limit: 1, scope: "
                       "replica}}}\n",
                       replicas);
        wld_run(&t, text);
        assert_true(wld_get(&t, "control.api.in_use_max") == replicas);
        assert_true(wld_get(&t, "control.api.rejected") == 1000 - replicas);
        wld_fini(&t);
    }
}

/* How many jobs a process gets: 20,000 dealt to five are 4000 each, +- 4.5 sigma (57). A process
 * admits 4200 at once, so at most 200 of the 20,000 would be turned away if one got 4400. */
static void dealt_at_random(void **state)
{
    (void)state;
    static const struct {
        int limit;
        bool all;
    } rows[] = { { 4260, true }, { 3740, false } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        struct wld t;
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 60s\n"
                       "clients: {c: {replicas: 5, arrivals: {kind: cohort, count: 20000}, calls: "
                       "{api: {}}}}\n"
                       "dependencies: {api: {service: 2s}}\n"
                       "controls: {api: {throttled: fail, concurrency: {limit: %d, scope: "
                       "replica}}}\n",
                       rows[i].limit);
        wld_run(&t, text);
        double rejected = wld_get(&t, "control.api.rejected");
        /* below the least share every process turns the rest away: exactly 5 x limit get in */
        assert_true(rejected == (rows[i].all ? 0 : 20000 - 5 * rows[i].limit));
        wld_fini(&t);
    }
}

/* A replica that goes takes its state along: the limit in force falls with the fleet. */
static void limits_go_with_replicas(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(
        wld_load(&t,
                 "squall: 1\nduration: 60s\n"
                 "producers: {p: {queue: q, arrivals: {kind: cohort, count: 400, at: 1s}}}\n"
                 "queues: {q: {}}\nworkers: {w: {queue: q, replicas: 4, slots: 5, calls: {api: "
                 "{}}}}\n"
                 "dependencies: {api: {service: 1s}}\n"
                 "controls: {api: {concurrency: {limit: 3, scope: replica}}}\n"
                 "actions: [{at: 10500ms, set: {workers.w.replicas: 1}}]\n",
                 NULL),
        SQ_OK);
    wld_build(&t, 1);
    wld_finish(&t);
    assert_int_equal(mdl_gate_limit(&t.w.dependencies[0].gate), 3);
    assert_true(wld_get(&t, "control.api.in_use_max") == 12);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_per_scope), cmocka_unit_test(lines_are_apart),
        cmocka_unit_test(fifo_over_lines),   cmocka_unit_test(clients),
        cmocka_unit_test(dealt_at_random),   cmocka_unit_test(limits_go_with_replicas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
