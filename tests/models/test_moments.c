/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_moments.c - what happened, in words: the figures of a collapse, reckoned by hand. */
#include "models/mdl_probe.h"
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The API is down from 10 s to 20 s and refuses at once. Three jobs of 15 s are refused and come
 * again at 21 s, when a fourth arrives; each call takes 10 s. */
#define WORLD(job, overload)                                                                       \
    "squall: 1\nduration: 60s\nproducers:\n"                                                       \
    "  a: {queue: q, arrivals: {kind: cohort, count: 3, at: 15s}}\n"                               \
    "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 21s}}\n"                               \
    "queues: {q: {}}\nworkers:\n"                                                                  \
    "  w: {queue: q, slots: 9, calls: {api: {" job "}}, retry: {max_attempts: 2, "                 \
    "backoff: {kind: fixed, base: 6s}, jitter: none}}\n"                                           \
    "dependencies:\n"                                                                              \
    "  api: {service: 10s, answer_in: 0s, outages: [{at: 10s, for: 10s}], overload: {" overload "" \
    "}}\n"

static void run_told(struct wld *t, const char *yaml)
{
    struct mdl_ask ask = { .runs = -1 };
    if (wld_load(t, yaml, &ask) != SQ_OK) {
        fail_msg("%s", wld_complaints(t));
    }
    wld_build(t, 1);
    t->w.probe->tells = true;
    wld_finish(t);
}

static const struct sq_moment *find(const struct wld *t, enum sq_moment_kind kind)
{
    for (size_t i = 0; i < t->w.probe->moment_count; i++) {
        if (t->w.probe->moments[i].kind == kind) {
            return &t->w.probe->moments[i];
        }
    }
    return NULL;
}

static void collapse(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double at; /* s; negative: it does not fall over */
        const char *text;
    } rows[] = {
        /* four calls from 21 s on, three of them retries */
        { WORLD("", "in_flight: 3, for: 2s, down_for: 5s"), 23,
          "api falls over 3s after it came back: 4 calls in flight against a limit of 3 for 2s; "
          "75 % of the calls since then were retries" },
        /* their callers give up at 22 s, and the server does not notice */
        { WORLD("timeout: 1s", "in_flight: 3, for: 2s, down_for: 5s"), 23,
          "api falls over 3s after it came back: 4 calls in flight, 0 of them still waited for, "
          "against a limit of 3 for 2s; 75 % of the calls since then were retries" },
        /* at once: the fourth call is one too many */
        { WORLD("", "in_flight: 3, down_for: 5s"), 21, NULL },
        { WORLD("", "in_flight: 4, down_for: 5s"), -1, NULL },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        run_told(&t, rows[i].yaml);
        const struct sq_moment *m = find(&t, SQ_MOMENT_COLLAPSE);
        if (rows[i].at < 0) {
            assert_null(m);
        } else {
            assert_non_null(m);
            assert_true(m->at_ns == WLD_S(rows[i].at));
        }
        if (rows[i].text != NULL) {
            assert_string_equal(m->text, rows[i].text);
        }
        wld_fini(&t);
    }
}

/* Nothing was down before: the calls of the whole run count. */
static void without_outage(void **state)
{
    (void)state;
    struct wld t;
    run_told(&t, "squall: 1\nduration: 20s\nproducers:\n"
                 "  a: {queue: q, arrivals: {kind: cohort, count: 3, at: 1s}}\n"
                 "queues: {q: {}}\nworkers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                 "dependencies: {api: {service: 10s, overload: {in_flight: 2, for: 1s, "
                 "down_for: 5s}}}\n");
    const struct sq_moment *m = find(&t, SQ_MOMENT_COLLAPSE);
    assert_non_null(m);
    assert_true(m->at_ns == WLD_S(2));
    assert_string_equal(m->text, "api falls over: 3 calls in flight against a limit of 2 for 1s");
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(collapse),
                                        cmocka_unit_test(without_outage) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
