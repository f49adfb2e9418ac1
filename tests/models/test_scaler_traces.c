/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scaler_traces.c - the decisions of real autoscalers, look by look (see the file of traces
 * for where each comes from).
 *
 * Exceptions, which the file counts: a look of an HPA without a behavior field, whose stabilisation
 * also works upwards; three rows of hpa-missing-metrics, because in the language no
 * metrics go missing; ten values of keda-scaledjob, because strategy custom is not in the language.
 */
#include "tests/models/world.h"

#include "models/policy/mdl_scaler.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { TRACES = 13, LOOKS = 278, VALUES = 30, EXCEPTIONS = 14 };

struct tally {
    size_t looks, values, exceptions;
};

static double number(const struct sq_json *object, const char *key)
{
    const struct sq_json *v = sq_json_get(object, key);
    assert_non_null(v);
    return sq_json_number(v);
}

static void open_block(struct wld_piece *p, const char *yaml)
{
    if (wld_block(p, &mdl_scaler_family, yaml) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&p->diag, &b);
        fail_msg("%s: %s", yaml, b.text);
    }
}

static void replay(const struct sq_json *trace, struct tally *t)
{
    const char *id = sq_json_text(sq_json_get(trace, "id"));
    const struct sq_json *steps = sq_json_get(trace, "steps");
    struct wld_piece p;
    open_block(&p, sq_json_text(sq_json_get(trace, "autoscaler")));
    const struct mdl_scaler_row *row = mdl_scaler_row(&p.block);
    void *state = sq_mem_alloc(1, row->state_size(p.block.cfg));
    assert_non_null(state);
    for (size_t i = 0; i < sq_json_count(steps); i++, t->looks++) {
        const struct sq_json *s = sq_json_at(steps, i), *ready = sq_json_get(s, "ready");
        struct mdl_scaler_view v = { .now = WLD_S(number(s, "t_s")),
                                     .metric = number(s, "metric"),
                                     .current = (int64_t)number(s, "current") };
        v.ready = ready != NULL ? (int64_t)sq_json_number(ready) : v.current;
        const struct sq_json *what = sq_json_get(s, "do");
        bool poll = what != NULL && strcmp(sq_json_text(what), "poll") == 0;
        int64_t got =
            poll ? row->decide_poll(p.block.cfg, state, &v) : row->decide(p.block.cfg, state, &v);
        if (sq_json_get(s, "except") == NULL && got != (int64_t)number(s, "result")) {
            fail_msg("%s, t = %g s: %lld and not %g", id, number(s, "t_s"), (long long)got,
                     number(s, "result"));
        }
    }
    sq_mem_free(state);
    wld_piece_fini(&p);
}

/* How many jobs the three strategies create. */
static void replay_jobs(const struct sq_json *trace, struct tally *t)
{
    static const char *const strategies[] = { "default", "accurate", "eager" };
    const struct sq_json *steps = sq_json_get(trace, "steps");
    for (size_t i = 0; i < sq_json_count(steps); i++) {
        const struct sq_json *s = sq_json_at(steps, i);
        for (size_t k = 0; k < SQ_COUNT(strategies); k++, t->values++) {
            char yaml[128];
            (void)snprintf(yaml, sizeof(yaml),
                           "{kind: keda-jobs, target: %g, max: %g, strategy: %s}",
                           number(s, "target"), number(s, "max"), strategies[k]);
            struct wld_piece p;
            open_block(&p, yaml);
            int64_t current = (int64_t)number(s, "current");
            struct mdl_scaler_view v = { .metric = number(s, "metric"),
                                         .current = current,
                                         .ready = current - (int64_t)number(s, "pending") };
            char state[1] = { 0 };
            int64_t created = mdl_scaler_row(&p.block)->decide(p.block.cfg, state, &v) - current;
            if (created != (int64_t)number(s, strategies[k])) {
                fail_msg("row %zu, %s: creates %lld", i, strategies[k], (long long)created);
            }
            wld_piece_fini(&p);
        }
    }
}

static void traces(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct sq_buf text = { 0 };
    struct sq_json *root = NULL;
    const char *path = "tests/vectors/scaler-traces.json";
    assert_int_equal(sq_file_read(path, 1 << 20, &text, &diag), SQ_OK);
    assert_int_equal(sq_json_parse(path, text.text, text.len, &diag, &root), SQ_OK);
    const struct sq_json *list = sq_json_get(root, "traces");
    struct tally t = { 0 };
    for (size_t i = 0; i < sq_json_count(list); i++) {
        const struct sq_json *trace = sq_json_at(list, i);
        const struct sq_json *except = sq_json_get(trace, "exceptions");
        t.exceptions += except != NULL ? (size_t)sq_json_number(except) : 0;
        if (sq_json_get(trace, "autoscaler") != NULL) {
            replay(trace, &t);
        } else {
            replay_jobs(trace, &t);
        }
    }
    print_message("%zu traces, %zu looks, %zu values of jobs, %zu exceptions\n",
                  sq_json_count(list), t.looks, t.values, t.exceptions);
    assert_int_equal(sq_json_count(list), TRACES);
    assert_int_equal(t.looks, LOOKS);
    assert_int_equal(t.values, VALUES);
    assert_int_equal(t.exceptions, EXCEPTIONS);
    sq_json_free(root);
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(traces) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
