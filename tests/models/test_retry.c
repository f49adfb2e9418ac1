/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_retry.c - what a retry layer decides: which failures, how often, after how long, and what
 * happens when it gives up. */
#include "tests/models/world.h"

#include "models/part/mdl_retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

static struct mdl_retry_cfg *layer(struct wld_piece *p, const char *yaml)
{
    if (wld_group(p, &mdl_retry_table, yaml) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&p->diag, &b);
        fail_msg("%s: %s", yaml, b.text);
    }
    return p->group;
}

static struct mdl_failure nth(enum mdl_error error, uint32_t n, double u)
{
    return (struct mdl_failure){ .error = error, .n = n, .starts = n, .hint = SQ_NEVER, .u = u };
}

/* n failures of this kind: tried again, and after how many seconds? -1: given up. */
static void decisions(void **state)
{
    (void)state;
#define FIXED(limit) "{" limit ", backoff: 2s, jitter: none}"
    static const struct {
        const char *yaml;
        enum mdl_error error;
        uint32_t n;
        double u, delay;
    } rows[] = {
        { FIXED("max_attempts: 3"), MDL_ERR_TIMEOUT, 1, 0.5, 2 },
        { FIXED("max_attempts: 3"), MDL_ERR_TIMEOUT, 2, 0.5, 2 },
        { FIXED("max_attempts: 3"), MDL_ERR_TIMEOUT, 3, 0.5, -1 },
        { FIXED("max_attempts: 1"), MDL_ERR_TIMEOUT, 1, 0.5, -1 },
        { FIXED("max_retries: 3"), MDL_ERR_TIMEOUT, 3, 0.5, 2 },
        { FIXED("max_retries: 3"), MDL_ERR_TIMEOUT, 4, 0.5, -1 },
        { FIXED("max_retries: 0"), MDL_ERR_TIMEOUT, 1, 0.5, -1 },
        { FIXED("max_attempts: unlimited"), MDL_ERR_TIMEOUT, UINT32_MAX, 0.5, 2 },
        { FIXED("max_retries: unlimited"), MDL_ERR_TIMEOUT, UINT32_MAX, 0.5, 2 },
        { "{}", MDL_ERR_ERROR, 2, 0.25, 0.5 }, /* max_attempts 3, exponential from 1 s, full */
        { "{}", MDL_ERR_ERROR, 3, 0.25, -1 },
        { "{backoff: {base: 5s, cap: 1h}, jitter: none, max_attempts: 99}", MDL_ERR_ERROR, 4, 0.5,
          40 },
        { "{backoff: {base: 5s, cap: 30s}, jitter: full, max_attempts: 99}", MDL_ERR_ERROR, 4, 0.5,
          15 },
        { "{backoff: {base: 5s, cap: 30s, cap_applies: after-jitter}, jitter: full, max_attempts: "
          "99}",
          MDL_ERR_ERROR, 4, 0.5, 20 },
        { "{backoff: {base: 5s, cap: 30s, cap_applies: after-jitter}, jitter: full, max_attempts: "
          "99}",
          MDL_ERR_ERROR, 4, 0.875, 30 },
        { "{backoff: {base: 5s, cap: 30s, cap_applies: both}, jitter: 20%, max_attempts: 99}",
          MDL_ERR_ERROR, 4, 0.25, 27 }, /* 30 s * 0.9 */
        { "{backoff: {base: 5s, cap: 30s, cap_applies: both}, jitter: 20%, max_attempts: 99}",
          MDL_ERR_ERROR, 4, 0.75, 30 },
        { "{backoff: {base: 5s, cap: 30s, cap_applies: unjittered}, jitter: 20%, max_attempts: 99}",
          MDL_ERR_ERROR, 4, 0.25, 30 },
        { "{backoff: {base: 5s, cap: 30s, cap_applies: unjittered}, jitter: 20%, max_attempts: 99}",
          MDL_ERR_ERROR, 2, 0.25, 9 },
        { "{backoff: none, max_attempts: 99}", MDL_ERR_ERROR, 4, 0.875, 0 },
        { "{retry_on: timeout}", MDL_ERR_ERROR, 1, 0.5, -1 },
        { "{retry_on: timeout}", MDL_ERR_TIMEOUT, 1, 0.5, 0.5 },
        { "{retry_on: [error, refused]}", MDL_ERR_REFUSED, 1, 0.5, 0.5 },
        { "{retry_on: [error, refused]}", MDL_ERR_TIMEOUT, 1, 0.5, -1 },
        { "{retry_on: [permanent, transient]}", MDL_ERR_PERMANENT, 1, 0.5, 0.5 },
        { "{retry_on: everything}", MDL_ERR_PERMANENT, 1, 0.5, 0.5 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        struct mdl_retry_cfg *l = layer(&p, rows[i].yaml);
        struct mdl_failure f = nth(rows[i].error, rows[i].n, rows[i].u);
        struct mdl_retry_plan plan = mdl_retry_decide(l, &f);
        double got = plan.retry ? sq_time_to_s(plan.delay) : -1;
        if (!(fabs(got - rows[i].delay) < 1e-9)) {
            fail_msg("row %zu: %g", i, got);
        }
        assert_true(plan.retry || plan.give_up == MDL_GIVE_UP_DEFAULT);
        wld_piece_fini(&p);
    }
}

/* `transient` is everything but `permanent`. */
static void transient_kinds(void **state)
{
    (void)state;
    struct wld_piece p;
    struct mdl_retry_cfg *l = layer(&p, "{}");
    for (int e = MDL_ERR_REFUSED; e < MDL_ERR_CANCELLED; e++) {
        struct mdl_failure f = nth((enum mdl_error)e, 1, 0.5);
        assert_true(mdl_retry_decide(l, &f).retry == (e != MDL_ERR_PERMANENT));
    }
    wld_piece_fini(&p);
}

static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        int64_t limit;
    } rows[] = {
        { "{}", 3 },
        { "{max_attempts: 7}", 7 },
        { "{max_retries: 7}", 8 },
        { "{max_retries: 0}", 1 },
        { "{max_attempts: unlimited}", SQ_UNLIMITED },
        { "{max_retries: unlimited}", SQ_UNLIMITED },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        assert_int_equal(mdl_retry_limit(layer(&p, rows[i].yaml)), rows[i].limit);
        wld_piece_fini(&p);
    }
    assert_int_equal(mdl_retry_limit(NULL), 1);
    struct mdl_failure f = nth(MDL_ERR_ERROR, 1, 0.5);
    assert_false(mdl_retry_decide(NULL, &f).retry);
}

static void giving_up(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        enum mdl_give_up what;
        double delay; /* for u = 1/4 */
    } rows[] = {
        { "{max_attempts: 1}", MDL_GIVE_UP_DEFAULT, 0 },
        { "{max_attempts: 1, give_up: dead-letter}", MDL_GIVE_UP_DEAD_LETTER, 0 },
        { "{max_attempts: 1, give_up: drop}", MDL_GIVE_UP_DROP, 0 },
        { "{max_attempts: 1, give_up: park}", MDL_GIVE_UP_PARK, 375 }, /* 5m..10m */
        { "{max_attempts: 1, give_up: {kind: park, delay: 7s}}", MDL_GIVE_UP_PARK, 7 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        struct mdl_retry_cfg *l = layer(&p, rows[i].yaml);
        for (uint32_t n = 1; n < 4; n++) { /* parked jobs come again */
            struct mdl_failure f = nth(MDL_ERR_ERROR, n, 0.25);
            struct mdl_retry_plan plan = mdl_retry_decide(l, &f);
            assert_false(plan.retry);
            assert_int_equal(plan.give_up, rows[i].what);
            assert_int_equal(plan.delay, WLD_S(rows[i].delay));
        }
        wld_piece_fini(&p);
    }
}

/* No retry that would start later than this after the layer's first try. */
static void elapsed(void **state)
{
    (void)state;
    static const struct {
        double elapsed;
        bool retry;
    } rows[] = { { 0, true }, { 8, true }, { 8.000000001, false }, { 100, false } };
    struct wld_piece p;
    struct mdl_retry_cfg *l =
        layer(&p, "{max_attempts: unlimited, max_elapsed: 10s, backoff: 2s, jitter: none}");
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_failure f = nth(MDL_ERR_ERROR, 5, 0.5);
        f.elapsed = WLD_S(rows[i].elapsed);
        assert_true(mdl_retry_decide(l, &f).retry == rows[i].retry);
    }
    wld_piece_fini(&p);
}

/* A hint h of 10 s against a delay of 2 s, 12 s, 30 s. */
static void hints(void **state)
{
    (void)state;
    static const struct {
        const char *how;
        double delays[3]; /* u = 1/2 */
    } rows[] = {
        { "ignore", { 2, 12, 30 } },        { "exact", { 10, 10, 10 } },
        { "at-least", { 10, 12, 30 } },     { "clamp", { 10, 12, 15 } },
        { "spread", { 12.5, 12.5, 12.5 } },
    };
    static const char *const bases[] = { "2s", "12s", "30s" };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        for (size_t k = 0; k < 3; k++) {
            char yaml[200];
            (void)snprintf(yaml, sizeof(yaml), "{backoff: %s, jitter: none, retry_after: %s}",
                           bases[k], rows[i].how);
            struct wld_piece p;
            struct mdl_retry_cfg *l = layer(&p, yaml);
            struct mdl_failure f = nth(MDL_ERR_RATE_LIMITED, 1, 0.5);
            f.hint = WLD_S(10);
            assert_int_equal(mdl_retry_decide(l, &f).delay, WLD_S(rows[i].delays[k]));
            f.hint = SQ_NEVER; /* without one: the delay */
            assert_int_equal(mdl_retry_decide(l, &f).delay, WLD_S(rows[0].delays[k]));
            wld_piece_fini(&p);
        }
    }
}

static void complaints(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{max_attempts: 3, max_retries: 2}",  "{max_attempts: 0}",
        "{retry_on: [timeout, tim]}",         "{give_up: keep}",
        "{backoff: {base: 1s, cap: -1s}}",    "{max_attempt: 3}",
        "{give_up: {kind: drop, delay: 1s}}",
    };
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        struct wld_piece p;
        if (wld_group(&p, &mdl_retry_table, bad[i]) != SQ_USER) {
            fail_msg("%s is accepted", bad[i]);
        }
        wld_piece_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions),  cmocka_unit_test(transient_kinds), cmocka_unit_test(limits),
        cmocka_unit_test(giving_up),  cmocka_unit_test(elapsed),         cmocka_unit_test(hints),
        cmocka_unit_test(complaints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
