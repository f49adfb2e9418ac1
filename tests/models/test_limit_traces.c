/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_limit_traces.c - traces of real rate limiters, adaptive limits and ramps, replayed step by
 * step: every decision, and every figure that the component shows. */
#include "models/policy/mdl_adaptive.h"
#include "models/policy/mdl_limiter.h"
#include "models/policy/mdl_ramp.h"
#include "tests/models/traces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static double number(const struct sq_json *o, const char *key)
{
    const struct sq_json *v = sq_json_get(o, key);
    return v != NULL ? sq_json_number(v) : (double)NAN;
}

static sq_time_t at(const struct sq_json *step, const char *key)
{
    return (sq_time_t)llround(number(step, key) * 1e6);
}

static const char *id_of(const struct sq_json *trace)
{
    return sq_json_text(sq_json_get(trace, "id"));
}

/* ---- rate limiters ---- */

struct limiter {
    const struct sq_json *trace;
    const struct sq_block *block;
    struct mdl_limiter_state s;
    size_t checked, exceptions;
};

static void check(struct limiter *l, size_t step, const char *what, bool right)
{
    l->checked++;
    if (!right) {
        l->exceptions++;
        print_message("# %s, step %zu: %s\n", id_of(l->trace), step, what);
    }
}

/* Tokens in a bucket: continuous, at most `burst`. */
static double tokens(const struct limiter *l, sq_time_t now)
{
    double there = l->s.credit + (double)(now - l->s.since) / 1e9 * l->s.rate;
    return fmin(there, (double)l->s.taken + (double)l->s.burst) - (double)l->s.taken;
}

static void check_figures(struct limiter *l, size_t i, const struct sq_json *step, sq_time_t now)
{
    double want = number(step, "tokens");
    if (!isnan(want)) {
        check(l, i, "tokens", fabs(tokens(l, now) - want) < 1e-9);
    }
    want = number(step, "next_ms"); /* exact, of the next token */
    if (!isnan(want)) {
        sq_time_t next = mdl_limiter_next(l->block, &l->s, now) - now;
        check(l, i, "next", next == at(step, "next_ms"));
    }
    want = number(step, "tat_ms"); /* of redis-cell: T (taken - tokens that have come) ahead */
    if (!isnan(want)) {
        double missing = (double)l->s.burst - tokens(l, now);
        double tat = (double)now / 1e6 + missing / l->s.rate * 1e3;
        check(l, i, "TAT", fabs(fmax(tat, (double)now / 1e6) - want) < 1e-6);
    }
    want = number(step, "remaining");
    if (!isnan(want) && l->s.burst > 0) {
        check(l, i, "remaining", fabs(floor(tokens(l, now) + 1e-9) - want) < 0.5);
    }
}

/* One step of those that ask at an instant. */
static void ask(struct limiter *l, size_t i, const struct sq_json *step)
{
    sq_time_t now = at(step, "t_ms"), start;
    bool want = sq_json_true(sq_json_get(step, "pass"));
    bool passes = mdl_limiter_enter(l->block, &l->s, now, &start);
    check(l, i, "decision", passes == want);
    if (!isnan(number(step, "starts_ms")) && passes) {
        check(l, i, "start", start == at(step, "starts_ms"));
    }
    check_figures(l, i, step, now);
}

/* Those that say when a job came and when it started, by a wall clock: first come, first served. */
static void start(struct limiter *l, size_t i, const struct sq_json *step, sq_time_t *last)
{
    sq_time_t now = sq_max_i64(at(step, "arrives_ms"), *last);
    sq_time_t from = mdl_limiter_next(l->block, &l->s, now);
    check(l, i, "passes", mdl_limiter_ask(l->block, &l->s, from));
    double late = number(step, "starts_ms") - (double)from / 1e6;
    check(l, i, "start", late >= 0 && late <= number(l->trace, "slack_ms"));
    *last = from;
}

static void limiters(void **state)
{
    (void)state;
    /* Of redis-cell the two steps that ask for more than one at once are left out: a call takes
     * one. Of kombu's bucket the quirk is not ours: while it is full its clock stands still, so
     * that the first call after a quiet start is followed by a second one at once. That makes one
     * decision different, and the figure before it. */
    enum { TRACES = 11, STEPS = 138, SKIPPED = 2, EXCEPTIONS = 2 };
    struct traces t;
    size_t steps = 0, skipped = 0, exceptions = 0, checked = 0;
    traces_open(&t, "tests/vectors/limiter-traces.json", NULL, &mdl_limiter_family);
    assert_int_equal(sq_json_count(t.list), TRACES);
    for (size_t i = 0; i < TRACES; i++) {
        struct limiter l = { .trace = sq_json_at(t.list, i) };
        const struct sq_json *list = sq_json_get(l.trace, "steps");
        l.block = traces_control(&t, l.trace);
        mdl_limiter_init(l.block, &l.s);
        sq_time_t last = 0;
        for (size_t k = 0; k < sq_json_count(list); k++) {
            const struct sq_json *step = sq_json_at(list, k);
            steps++;
            if (number(step, "quantity") > 1) {
                skipped++;
            } else if (sq_json_get(step, "arrives_ms") != NULL) {
                start(&l, k, step, &last);
            } else {
                ask(&l, k, step);
            }
        }
        bool quirk = strcmp(id_of(l.trace), "celery-rate-limit-first-burst") == 0;
        if (l.exceptions > 0 && !quirk) {
            fail_msg("%s: %zu differences", id_of(l.trace), l.exceptions);
        }
        checked += l.checked;
        exceptions += l.exceptions;
        mdl_limiter_fini(&l.s);
    }
    print_message("# %zu steps, %zu figures, %zu skipped, %zu exceptions\n", steps, checked,
                  skipped, exceptions);
    assert_int_equal(steps, STEPS);
    assert_int_equal(skipped, SKIPPED);
    assert_int_equal(exceptions, EXCEPTIONS);
    traces_fini(&t);
}

/* ---- adaptive limits ---- */

static void adaptive(void **state)
{
    (void)state;
    enum { TRACES = 4, SAMPLES = 40 };
    struct traces t;
    size_t samples = 0;
    traces_open(&t, "tests/vectors/adaptive-traces.json", NULL, &mdl_adaptive_family);
    assert_int_equal(sq_json_count(t.list), TRACES);
    for (size_t i = 0; i < TRACES; i++) {
        const struct sq_json *trace = sq_json_at(t.list, i), *list = sq_json_get(trace, "steps");
        const struct sq_block *b = traces_control(&t, trace);
        struct mdl_adaptive_state s;
        mdl_adaptive_init(b, &s, 0.999);
        for (size_t k = 0; k < sq_json_count(list); k++) {
            const struct sq_json *step = sq_json_at(list, k);
            if (!isnan(number(step, "rtt_ms"))) {
                double flying = number(step, "in_flight");
                bool dropped = sq_json_true(sq_json_get(step, "dropped"));
                struct mdl_adaptive_sample sample = {
                    .now = (sq_time_t)k * 1000 * MS,
                    .rtt = at(step, "rtt_ms"),
                    .in_flight = flying < 0 ? mdl_adaptive_limit(&s) : (int64_t)flying,
                    .end = dropped ? MDL_ADAPTIVE_DROPPED : MDL_ADAPTIVE_OK,
                    .answered = true,
                };
                mdl_adaptive_note(b, &s, &sample);
                samples++;
            }
            if (mdl_adaptive_limit(&s) != (int64_t)number(step, "limit")) {
                fail_msg("%s, step %zu: %lld", id_of(trace), k, (long long)mdl_adaptive_limit(&s));
            }
            double average = number(step, "average_us"); /* as printed: whole microseconds */
            assert_true(isnan(average) || fabs(floor(s.average / 1e3) - average) < 0.5);
        }
        mdl_adaptive_fini(&s);
    }
    assert_int_equal(samples, SAMPLES);
    traces_fini(&t);
}

/* ---- ramps ---- */

static bool says(const struct sq_json *step, const char *word)
{
    const struct sq_json *event = sq_json_get(step, "event");
    return event != NULL && strstr(sq_json_text(event), word) != NULL;
}

static void ramps(void **state)
{
    (void)state;
    /* While the breaker is open nothing is sent, and the recipe's limit stays where it was; ours is
     * the bottom then: three steps. A recipe whose key is lost falls open; ours has no key to
     * lose: one step, which is right all the same. */
    enum { TRACES = 3, STEPS = 38, EXCEPTIONS = 3 };
    struct traces t;
    size_t steps = 0, exceptions = 0;
    traces_open(&t, "tests/vectors/ramp-traces.json", NULL, &mdl_ramp_family);
    assert_int_equal(sq_json_count(t.list), TRACES);
    for (size_t i = 0; i < TRACES; i++) {
        const struct sq_json *trace = sq_json_at(t.list, i), *list = sq_json_get(trace, "steps");
        const struct sq_block *b = traces_control(&t, trace);
        sq_time_t began = 0;
        for (size_t k = 0; k < sq_json_count(list); k++, steps++) {
            const struct sq_json *step = sq_json_at(list, k);
            sq_time_t now = at(step, "t_ms");
            bool open = says(step, "reopens") || says(step, "breaker open");
            if (says(step, "close")) {
                began = now;
            } else if (says(step, "error")) { /* clean: the present step begins anew */
                began = now - mdl_ramp_step(b, now - began);
            }
            int64_t limit = open ? mdl_ramp_bottom(b) : mdl_ramp_limit(b, now - began);
            exceptions += open ? 1 : 0;
            if ((limit != (int64_t)number(step, "limit")) != open) {
                fail_msg("%s, step %zu: %lld", id_of(trace), k, (long long)limit);
            }
        }
    }
    assert_int_equal(steps, STEPS);
    assert_int_equal(exceptions, EXCEPTIONS);
    traces_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limiters),
        cmocka_unit_test(adaptive),
        cmocka_unit_test(ramps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
