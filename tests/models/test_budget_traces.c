/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_budget_traces.c - traces of real retry budgets and throttles, replayed step by step: every
 * decision and what the component held after it. */
#include "models/part/mdl_budget_rows.h"
#include "tests/models/traces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Exceptions: the adaptive throttler of failsafe-go never turns away more than 90 %; the formula of
 * the SRE book, which `sre` is, has no such cap. */
enum { TRACES = 13, STEPS = 185, EXCEPTIONS = 2 };

#define MS INT64_C(1000000)

struct replay {
    struct mdl_budget_law law;
    struct mdl_budget b;
    const char *id;
    size_t step, checked, exceptions;
};

static double number(const struct sq_json *step, const char *key, double otherwise)
{
    const struct sq_json *v = sq_json_get(step, key);
    return v != NULL ? sq_json_number(v) : otherwise;
}

static bool differs(struct replay *r, const struct sq_json *step, const char *key, double value)
{
    const struct sq_json *want = sq_json_get(step, key);
    if (want == NULL) {
        return false;
    }
    r->checked++;
    if (fabs(sq_json_number(want) - value) <= 1e-6) { /* the digits that the traces have */
        return false;
    }
    if (sq_json_get(step, "except") == NULL) {
        fail_msg("%s, step %zu: %s is %g, expected %g", r->id, r->step, key, value,
                 sq_json_number(want));
    }
    return true;
}

static enum mdl_budget_fault fault_of(const struct sq_json *step)
{
    const char *word = sq_json_text(sq_json_get(step, "fault"));
    return word != NULL && strcmp(word, "timeout") == 0 ? MDL_FAULT_TIMEOUT : MDL_FAULT_OTHER;
}

static void end(struct replay *r, const struct sq_json *step, const char *what, sq_time_t now)
{
    bool retry = strcmp(what, "ok-retry") == 0;
    struct mdl_budget_end e = { .now = now,
                                .ok = what[0] == 'o',
                                .accepted = what[0] == 'o',
                                .charged = what[0] == 'f',
                                .retry = retry,
                                .fault = fault_of(step) };
    mdl_budget_left(r->law, &r->b, now, !retry);
    mdl_budget_ended(r->law, &r->b, &e);
}

/* So many requests in one window, so many of them accepted. */
static void fill_window(struct replay *r, const struct sq_json *step, sq_time_t now)
{
    int requests = (int)number(step, "requests", 0), accepts = (int)number(step, "accepts", 0);
    for (int i = 0; i < requests; i++) {
        assert_true(mdl_budget_admit(r->law, &r->b, now, 0.9999999));
    }
    for (int i = 0; i < accepts; i++) {
        end(r, step, "ok", now);
    }
}

static void set(struct replay *r, const struct sq_json *step, const char *what)
{
    if (strcmp(what, "set-levels") == 0) {
        r->b.calls = (int64_t)number(step, "under_way", 0);
        r->b.places = (int64_t)number(step, "places", 0);
    } else if (strcmp(what, "set-tokens") == 0) {
        r->b.tokens = number(step, "tokens", 0);
    } else {
        assert_string_equal(what, "set-max");
        struct mdl_budget_tokens tokens = *(const struct mdl_budget_tokens *)r->law.cfg;
        tokens.max = number(step, "max", 0);
        mdl_budget_changed((struct mdl_budget_law){ r->law.kind, &tokens }, &r->b);
    }
}

static void act(struct replay *r, const struct sq_json *step, sq_time_t now)
{
    const char *what = sq_json_text(sq_json_get(step, "do"));
    int granted = 0;
    for (int i = 0; i < (int)number(step, "times", 0); i++) {
        if (strcmp(what, "leave") == 0) {
            mdl_budget_left(r->law, &r->b, now, true);
        } else if (strcmp(what, "ask") == 0) {
            granted += mdl_budget_ask(r->law, &r->b, now, fault_of(step)) ? 1 : 0;
        } else {
            end(r, step, what, now);
        }
    }
    if (strncmp(what, "set-", 4) == 0) {
        set(r, step, what);
    } else if (strcmp(what, "window") == 0) {
        fill_window(r, step, now);
    }
    differs(r, step, "granted", granted);
}

static void look(struct replay *r, const struct sq_json *step, sq_time_t now)
{
    bool off = differs(r, step, "tokens", r->b.tokens);
    off |= differs(r, step, "rejects", mdl_budget_rejects(r->law, &r->b, now));
    if (r->law.kind == MDL_BUDGET_RATIO) {
        const struct mdl_budget_ratio *cfg = r->law.cfg;
        enum mdl_counting how = (enum mdl_counting)cfg->counter;
        off |= differs(r, step, "base",
                       (double)mdl_budget_counter_read(&r->b.base, how, cfg->window, now));
        off |= differs(r, step, "retries",
                       (double)mdl_budget_counter_read(&r->b.retries, how, cfg->window, now));
    }
    if (r->law.kind == MDL_BUDGET_CONCURRENT) {
        struct mdl_budget empty = r->b;
        empty.places = 0;
        off |= differs(r, step, "limit", mdl_budget_rest(r->law, &empty, now));
    }
    r->exceptions += off ? 1 : 0;
}

static void replay_trace(struct replay *r, const struct sq_json *trace)
{
    r->id = sq_json_text(sq_json_get(trace, "id"));
    mdl_budget_init(r->law, &r->b);
    const struct sq_json *steps = sq_json_get(trace, "steps");
    for (r->step = 0; r->step < sq_json_count(steps); r->step++) {
        const struct sq_json *s = sq_json_at(steps, r->step);
        sq_time_t now = (sq_time_t)number(s, "t_ms", 0) * MS;
        act(r, s, now);
        look(r, s, now);
    }
    assert_false(r->b.failed);
    mdl_budget_fini(&r->b);
}

static void traces_are_replayed(void **state)
{
    (void)state;
    struct traces t;
    traces_open(&t, "tests/vectors/budget-traces.json", NULL, &mdl_budget_family);
    size_t steps = 0, checked = 0, exceptions = 0;
    for (size_t i = 0; i < sq_json_count(t.list); i++) {
        const struct sq_json *trace = sq_json_at(t.list, i);
        struct replay r = { .law = mdl_budget_law(traces_control(&t, trace)) };
        replay_trace(&r, trace);
        steps += sq_json_count(sq_json_get(trace, "steps"));
        checked += r.checked;
        exceptions += r.exceptions;
    }
    print_message("%zu traces, %zu steps, %zu values\n", sq_json_count(t.list), steps, checked);
    assert_int_equal(sq_json_count(t.list), TRACES);
    assert_int_equal(steps, STEPS);
    assert_int_equal(exceptions, EXCEPTIONS);
    traces_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(traces_are_replayed) };
    return cmocka_run_group_tests_name("budget-traces", tests, NULL, NULL);
}
