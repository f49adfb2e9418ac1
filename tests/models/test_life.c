/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_life.c - the life of one job in small worlds whose instants can be reckoned by hand. */
#include "models/mdl_probe.h"
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The API is down from 10 s to 20 s and refuses after 1 s. `a` has two jobs of 14 s, `b` one of
 * 16.5 s, which is the first in the second half of the outage; a retry waits 6 s. The one worker
 * has one slot, a call takes 2 s. */
#define WORLD                                                            \
    "squall: 1\nduration: 60s\nproducers:\n"                             \
    "  a: {queue: q, arrivals: {kind: cohort, count: 2, at: 14s}}\n"     \
    "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 16500ms}}\n" \
    "queues: {q: {}}\nworkers:\n"                                        \
    "  w: {queue: q, calls: {api: {}}, retry: {max_attempts: 3, "        \
    "backoff: {kind: fixed, base: 6s}, jitter: none}}\n"                 \
    "dependencies:\n"                                                    \
    "  api: {service: 2s, answer_in: 1s, outages: [{at: 10s, for: 10s}]}\n"

static void run_told(struct wld *t, const char *yaml, const char *job)
{
    struct mdl_ask ask = { .runs = -1 };
    if (wld_load(t, yaml, &ask) != SQ_OK) {
        fail_msg("%s", wld_complaints(t));
    }
    wld_build(t, 1);
    t->w.probe->tells = true;
    assert_int_equal(mdl_life_ask(&t->w.probe->life.ask, job, &t->diag), SQ_OK);
    wld_finish(t);
}

struct step {
    double at;
    const char *text;
};

static void same_steps(const struct wld *t, const struct step *steps, size_t count)
{
    const struct mdl_life *l = &t->w.probe->life;
    for (size_t i = 0; i < count && i < l->count; i++) {
        assert_string_equal(l->steps[i].text, steps[i].text);
        assert_true(l->steps[i].at_ns == WLD_S(steps[i].at));
    }
    assert_int_equal(l->count, count);
}

static void asked(void **state)
{
    (void)state;
    static const struct step second[] = {
        { 14, "arrives; ready in q" },
        { 15, "a worker takes it, after 1s in the ready queue; attempt 1 by w; calls api" },
        { 16, "the call to api fails after 1s: unavailable; delay drawn for its retry: 6s" },
        { 22, "ready in q" },
        { 23, "a worker takes it, after 1s in the ready queue; attempt 2 by w; calls api again" },
        { 25, "api answers after 2s; ends: completed, 11s after it arrived" },
    };
    struct wld t;
    run_told(&t, WORLD, "a:2");
    assert_string_equal(t.w.probe->life.job, "a:2");
    assert_null(t.w.probe->life.why);
    same_steps(&t, second, SQ_COUNT(second));
    wld_fini(&t);
}

static void chosen(void **state)
{
    (void)state;
    static const struct step third[] = {
        { 16.5, "arrives; ready in q; a worker takes it at once; attempt 1 by w; calls api" },
        { 17.5, "the call to api fails after 1s: unavailable; delay drawn for its retry: 6s" },
        { 23.5, "ready in q" },
        { 25, "a worker takes it, after 1.5s in the ready queue; attempt 2 by w; calls api again" },
        { 27, "api answers after 2s; ends: completed, 10.5s after it arrived" },
    };
    struct wld t;
    run_told(&t, WORLD, NULL);
    assert_string_equal(t.w.probe->life.job, "b:1");
    assert_string_equal(t.w.probe->life.why,
                        "the first to arrive in the second half of the outage");
    same_steps(&t, third, SQ_COUNT(third));
    wld_fini(&t);
}

/* Telling it changes nothing: the run has the same hash. */
static void no_trace(void **state)
{
    (void)state;
    struct wld told, plain;
    run_told(&told, WORLD, "a:1");
    wld_run(&plain, WORLD);
    assert_true(wld_hash(&told) == wld_hash(&plain));
    assert_false(plain.w.probe->life.found);
    wld_fini(&told);
    wld_fini(&plain);
}

/* 1,000 attempts: two steps each, at its begin and its end, and the arrival is in the first. */
static void long_life(void **state)
{
    (void)state;
    struct wld t;
    run_told(&t,
             "squall: 1\nduration: 1h\nproducers:\n"
             "  a: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
             "queues: {q: {max_receives: unlimited}}\nworkers:\n"
             "  w: {queue: q, calls: {api: {}}, retry: {max_attempts: 1000, "
             "backoff: {kind: fixed, base: 1s}, jitter: none}}\n"
             "dependencies:\n"
             "  api: {service: 1s, answer_in: 1s, outages: [{at: 0s, for: 1h}]}\n",
             "a:1");
    const struct mdl_life *l = &t.w.probe->life;
    assert_int_equal(l->count, MDL_LIFE_HEAD + 1 + MDL_LIFE_TAIL);
    assert_string_equal(l->steps[MDL_LIFE_HEAD].text, "... 1900 steps are left out here");
    assert_true(l->steps[0].at_ns == WLD_S(1));
    /* attempt k begins at 2k - 1 s and is refused at 2k s */
    assert_true(l->steps[MDL_LIFE_HEAD - 1].at_ns == WLD_S(80));
    assert_true(l->steps[MDL_LIFE_HEAD].at_ns == WLD_S(81));
    assert_true(l->steps[l->count - 1].at_ns == WLD_S(2000));
    assert_string_equal(l->steps[l->count - 1].text,
                        "the call to api fails after 1s: unavailable; ends: dead-lettered, 33m20s "
                        "after it arrived");
    wld_fini(&t);
}

static void mistakes(void **state)
{
    (void)state;
    static const char *const rows[] = { "", "a", ":1", "a:", "a:0", "a:-1", "a:x", "a:1:" };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_life_ask ask = { 0 };
        struct sq_diag diag = { 0 };
        assert_int_equal(mdl_life_ask(&ask, rows[i], &diag), SQ_USER);
        assert_null(ask.source);
        sq_diag_fini(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(asked), cmocka_unit_test(chosen),
                                        cmocka_unit_test(no_trace), cmocka_unit_test(long_life),
                                        cmocka_unit_test(mistakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
