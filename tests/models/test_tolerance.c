/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_tolerance.c - how far a metric may move, as the command line says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/study/mdl_tolerance.h"

static void reads(void **state)
{
    (void)state;
    static const struct {
        const char *text, *metric;
        double relative, absolute;
        bool off;
    } rows[] = {
        { "jobs.lost=10%", "jobs.lost", 0.1, 0, false },
        { "jobs.lost=0.1", "jobs.lost", 0.1, 0, false },
        { "jobs.lost=0", "jobs.lost", 0, 0, false },
        { "jobs.lost=250%,3", "jobs.lost", 2.5, 3, false },
        { "jobs.lost=5%,2k", "jobs.lost", 0.05, 2000, false },
        { "drain.healthy_s=5%,1m30s", "drain.healthy_s", 0.05, 90, false },
        { "dependency.*.peak_rate_per_s=1%,30/m", "dependency.api.peak_rate_per_s", 0.01, 0.5,
          false },
        { "*=off", "jobs.lost", 0, 0, true },
        { "queue.*=off", "jobs.lost", 0.05, 0, false }, /* another metric: as usual */
        { "*b*c=1%", "abxcxc", 0.01, 0, false },        /* a star that has to go on */
        { "*b*c=1%", "abxcx", 0.05, 0, false },
        { "run.*=1%", "run.events", 0.01, 0, false },
        { "jobs.lost=1%", "run.events", 0.05, 0, true }, /* the program's own: off as usual */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_tolerances t = { 0 };
        struct sq_diag diag = { 0 };
        assert_int_equal(mdl_tolerance_add(&t, rows[i].text, &diag), SQ_OK);
        struct sq_tolerance of = mdl_tolerance_of(&t, rows[i].metric);
        assert_true(fabs(of.relative - rows[i].relative) < 1e-12);
        assert_true(fabs(of.absolute - rows[i].absolute) < 1e-12);
        assert_int_equal(of.off, rows[i].off);
        sq_diag_fini(&diag);
    }
}

static void the_last_counts(void **state)
{
    (void)state;
    struct mdl_tolerances t = { 0 };
    struct sq_diag diag = { 0 };
    assert_int_equal(mdl_tolerance_add(&t, "*=off", &diag), SQ_OK);
    assert_int_equal(mdl_tolerance_add(&t, "jobs.*=1%", &diag), SQ_OK);
    assert_false(mdl_tolerance_of(&t, "jobs.lost").off);
    assert_true(mdl_tolerance_of(&t, "queue.q.ready").off);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "jobs.lost",
        "=5%",
        "jobs.lost=",
        "jobs.lost=x",
        "jobs.lost=-1%",
        "jobs.lost=5%,",
        "jobs.lost=5%,x",
        "jobs.lost=%",
        "jobs.lost=00000000000000000000000000000000000000000000000000000000005%",
    };
    for (size_t i = 0; i < SQ_COUNT(texts); i++) {
        struct mdl_tolerances t = { 0 };
        struct sq_diag diag = { 0 };
        assert_int_equal(mdl_tolerance_add(&t, texts[i], &diag), SQ_USER);
        assert_int_equal(diag.count, 1);
        assert_non_null(diag.items[0].hint);
        assert_int_equal(t.count, 0);
        sq_diag_fini(&diag);
    }
    struct mdl_tolerances t = { 0 };
    struct sq_diag diag = { 0 };
    for (size_t i = 0; i < MDL_MAX_TOLERANCES; i++) {
        assert_int_equal(mdl_tolerance_add(&t, "a=1%", &diag), SQ_OK);
    }
    assert_int_equal(mdl_tolerance_add(&t, "a=1%", &diag), SQ_USER);
    sq_diag_fini(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(the_last_counts),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
