/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding metrics and columns of a result by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/sq_result.h"

static void metrics(void **state)
{
    (void)state;
    const char *names[] = { "drain.state", "drain.s", "drain" };
    struct sq_result r = { .metric_count = SQ_COUNT(names), .metric_names = names };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        assert_int_equal(sq_result_metric(&r, names[i]), i);
    }
    assert_int_equal(sq_result_metric(&r, "drain.st"), -1);
    assert_int_equal(sq_result_metric(&r, ""), -1);
    r.metric_count = 0;
    assert_int_equal(sq_result_metric(&r, "drain"), -1);
}

static void columns(void **state)
{
    (void)state;
    struct sq_column list[] = { { "queue.q.depth", NULL }, { "dependency.api.calls", NULL } };
    struct sq_series s = { .column_count = SQ_COUNT(list), .columns = list };
    assert_int_equal(sq_series_column(&s, "queue.q.depth"), 0);
    assert_int_equal(sq_series_column(&s, "dependency.api.calls"), 1);
    assert_int_equal(sq_series_column(&s, "dependency.api.call"), -1);
    s.column_count = 1;
    assert_int_equal(sq_series_column(&s, "dependency.api.calls"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(metrics), cmocka_unit_test(columns) };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
