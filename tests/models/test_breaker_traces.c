/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_breaker_traces.c - traces of real circuit breakers, replayed step by step: every decision,
 * every state, and the counts where the component shows them. */
#include "models/policy/mdl_breaker.h"
#include "tests/models/traces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What the engine does otherwise, and why: none of these traces. */
enum { TRACES = 18, STEPS = 255, EXCEPTIONS = 0 };

struct replay {
    const struct mdl_breaker_cfg *cfg;
    struct mdl_breaker *b;
    const char *id;
    size_t step;
    struct { /* calls on their way */
        char name[24];
        uint32_t age;
    } out[64];
    size_t out_count, checked, exceptions;
};

#define MS INT64_C(1000000)

static void name_of(const struct sq_json *call, char *name, size_t size)
{
    const char *text = sq_json_text(call);
    if (text != NULL) {
        snprintf(name, size, "%s", text);
    } else {
        snprintf(name, size, "#%.0f", sq_json_number(call));
    }
}

static void complain(struct replay *r, const char *what)
{
    print_error("%s, step %zu: %s\n", r->id, r->step, what);
    r->exceptions++;
}

static const char *ask(struct replay *r, const char *name, sq_time_t now)
{
    static const char *const words[] = { "pass", "refuse", "wait" };
    enum mdl_breaker_decision d = mdl_breaker_ask(r->cfg, r->b, now);
    if (d == MDL_BREAKER_PASS) {
        assert_true(r->out_count < SQ_COUNT(r->out));
        snprintf(r->out[r->out_count].name, sizeof(r->out[0].name), "%s", name);
        r->out[r->out_count++].age = r->b->age;
    }
    return words[d];
}

static void answer(struct replay *r, const char *name, struct mdl_breaker_answer a)
{
    a.age = r->b->age; /* of a call that nobody asked for: of the present state */
    for (size_t i = 0; i < r->out_count; i++) {
        if (strcmp(r->out[i].name, name) == 0) {
            a.age = r->out[i].age;
            r->out[i] = r->out[--r->out_count];
            break;
        }
    }
    mdl_breaker_answer(r->cfg, r->b, &a);
}

static void expect(struct replay *r, const struct sq_json *step, const char *key, double value)
{
    const struct sq_json *want = sq_json_get(step, key);
    if (want == NULL) {
        return;
    }
    r->checked++;
    if (fabs(sq_json_number(want) - value) > 1e-9) {
        char text[200];
        snprintf(text, sizeof(text), "%s is %g, expected %g", key, value, sq_json_number(want));
        complain(r, text);
    }
}

static void expect_word(struct replay *r, const struct sq_json *step, const char *key,
                        const char *word)
{
    const char *want = sq_json_text(sq_json_get(step, key));
    if (want == NULL) {
        return;
    }
    r->checked++;
    if (word == NULL || strcmp(want, word) != 0) {
        char text[200];
        snprintf(text, sizeof(text), "%s is %s, expected %s", key, word != NULL ? word : "-", want);
        complain(r, text);
    }
}

/* The share as the component prints it: -1 before there are calls enough. */
static double percent(const struct replay *r, const struct mdl_tally *t, int64_t part)
{
    bool judged = r->b->state != MDL_BREAKER_HALF_OPEN && mdl_breaker_has_volume(r->cfg, t);
    return judged ? 100.0 * (double)part / (double)t->total : -1;
}

static void expect_counts(struct replay *r, const struct sq_json *step, sq_time_t now)
{
    struct mdl_tally t =
        r->b->state == MDL_BREAKER_HALF_OPEN ? r->b->half : mdl_breaker_seen(r->cfg, r->b, now);
    expect(r, step, "calls", (double)t.total);
    expect(r, step, "failures", (double)t.failed);
    expect(r, step, "successes", (double)(t.total - t.failed));
    expect(r, step, "failure_percent", percent(r, &t, t.failed));
    expect(r, step, "slow_percent", percent(r, &t, t.slow));
    expect(r, step, "rejected", (double)r->b->rejected);
    expect(r, step, "run", (double)r->b->run);
}

/* An open time in seconds that the component draws between two bounds. */
static void expect_wait(struct replay *r, const struct sq_json *step, sq_time_t was, sq_time_t now)
{
    const struct sq_json *least = sq_json_get(step, "wait_min_s");
    if (least == NULL) {
        return;
    }
    double wait = (double)(now - was) / 1e9;
    r->checked++;
    if (wait < sq_json_number(least) || wait > sq_json_number(sq_json_get(step, "wait_max_s"))) {
        complain(r, "the open time is outside its bounds");
    }
}

static void step(struct replay *r, const struct sq_json *s)
{
    const char *what = sq_json_text(sq_json_get(s, "do"));
    sq_time_t now = (sq_time_t)sq_json_number(sq_json_get(s, "t_ms")) * MS;
    const struct sq_json *took = sq_json_get(s, "took_ms");
    char name[24] = "";
    if (sq_json_get(s, "call") != NULL) {
        name_of(sq_json_get(s, "call"), name, sizeof(name));
    }
    mdl_breaker_advance(r->cfg, r->b, now);
    sq_time_t was = r->b->since;
    const char *decision = NULL;
    bool call = strncmp(what, "call-", 5) == 0;
    if (call || strcmp(what, "ask") == 0) {
        decision = ask(r, name, now);
        expect_word(r, s, "decision", decision);
    }
    const char *end = call ? what + 5 : what;
    if ((strcmp(end, "ok") == 0 || strcmp(end, "fail") == 0) &&
        (!call || strcmp(decision, "pass") == 0)) {
        answer(r, name,
               (struct mdl_breaker_answer){
                   .now = now,
                   .took = took != NULL ? (sq_time_t)sq_json_number(took) * MS : MS,
                   .failed = strcmp(end, "fail") == 0 });
    }
    expect_word(r, s, "state", mdl_breaker_word(r->b->state));
    expect_counts(r, s, now);
    expect_wait(r, s, was, now);
}

static size_t replay_trace(const struct sq_json *trace, const struct mdl_breaker_cfg *cfg,
                           size_t *checked)
{
    struct mdl_breaker *b = sq_mem_alloc(1, mdl_breaker_size(cfg));
    assert_non_null(b);
    mdl_breaker_init(cfg, b);
    struct replay r = { .cfg = cfg, .b = b, .id = sq_json_text(sq_json_get(trace, "id")) };
    const struct sq_json *steps = sq_json_get(trace, "steps");
    for (r.step = 0; r.step < sq_json_count(steps); r.step++) {
        step(&r, sq_json_at(steps, r.step));
    }
    sq_mem_free(b);
    *checked += r.checked;
    return r.exceptions;
}

static void traces_are_replayed(void **state)
{
    (void)state;
    struct traces t;
    traces_open(&t, "tests/vectors/breaker-traces.json", &mdl_breaker_table, NULL);
    size_t steps = 0, checked = 0, exceptions = 0;
    for (size_t i = 0; i < sq_json_count(t.list); i++) {
        const struct sq_json *trace = sq_json_at(t.list, i);
        steps += sq_json_count(sq_json_get(trace, "steps"));
        exceptions += replay_trace(trace, traces_control(&t, trace), &checked);
    }
    print_message("%zu traces, %zu steps, %zu values\n", sq_json_count(t.list), steps, checked);
    assert_int_equal(sq_json_count(t.list), TRACES);
    assert_int_equal(steps, STEPS);
    assert_int_equal(exceptions, EXCEPTIONS);
    assert_true(checked > 2 * STEPS);
    traces_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(traces_are_replayed) };
    return cmocka_run_group_tests_name("breaker-traces", tests, NULL, NULL);
}
