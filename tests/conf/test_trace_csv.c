/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_trace_csv.c - times in every form, exactness, bins, and mistakes with their line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/conf/sq_trace_csv.h"

struct work {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_trace trace;
};

static enum sq_status work_read(struct work *w, const char *text, const char *value, sq_time_t unit)
{
    *w = (struct work){ 0 };
    struct sq_csv csv = { 0 };
    struct sq_trace_ask ask = { "t.csv", "t", value, unit };
    struct sq_buf bytes = { 0 };
    sq_buf_puts(&bytes, text);
    enum sq_status status = sq_csv_parse("t.csv", &bytes, &w->arena, &w->diag, &csv);
    sq_buf_fini(&bytes);
    assert_int_equal(status, SQ_OK);
    return sq_trace_csv_read(&csv, &ask, &w->arena, &w->diag, &w->trace);
}

static void work_fini(struct work *w)
{
    sq_diag_fini(&w->diag);
    sq_arena_fini(&w->arena);
}

/* Time from the first row to the second. */
static void test_times(void **state)
{
    (void)state;
    enum { S, MS, US, NS, MIN, H };
    static const struct {
        const char *first, *second;
        size_t unit;
        sq_time_t want;
    } rows[] = {
        { "0", "1", S, SQ_NS_PER_S },
        { "1772849612", "1772849613", S, SQ_NS_PER_S },
        { "1714557600.781", "1714557601", S, 219000000 },
        { "1700000000.123456789", "1700000000.123456790", S, 1 },
        { "-5.5", "+1", S, 6500000000 },
        { "1551783627191", "1551783627543", MS, 352000000 },
        { "1589324745157.7249", "1589324745158", MS, 275100 },
        { "1714557600123456", "1714557600123457", US, 1000 },
        { "1714557600123456789", "1714557600123456790", NS, 1 },
        { "0.4", "0.5", NS, 1 }, /* rounded each: 0 and 1 */
        { "0", "1.5", MIN, 90 * SQ_NS_PER_S },
        { "0", "0.1", H, 360 * SQ_NS_PER_S },
        { "1.5e3", "15.01E+2", S, SQ_NS_PER_S },
        { "1e-9", "3E-9", S, 2 },
        { "000000000000000000000000000000000000000000000000000000000000000000000001", "2.", S,
          SQ_NS_PER_S },
        { "0.1", ".3000000000000000000000000000000000000000000000000000000000000000000001", S,
          200000000 },
        { "2014-04-10 00:04:00", "2014-04-10 00:09:00", S, 300 * SQ_NS_PER_S },
        { "2014-04-10 00:04:00", "2014-04-10 00:09:00", MS, 300 * SQ_NS_PER_S },
        { "2023-11-16 18:17:03.9799600", "2023-11-16 18:17:04.0319600", S, 52000000 },
        { "2024-02-28", "2024-03-01", S, 2 * 86400 * SQ_NS_PER_S }, /* a leap year */
        { "2023-02-28", "2023-03-01", S, 86400 * SQ_NS_PER_S },
        { "1900-02-28", "1900-03-01", S, 86400 * SQ_NS_PER_S },
        { "2000-02-28", "2000-03-01", S, 2 * 86400 * SQ_NS_PER_S },
        { "1970-01-01", "2024-05-01", S, 1714521600 * SQ_NS_PER_S }, /* by `date -u +%s` */
        { "2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z", S, SQ_NS_PER_S },
        { "2024-05-01T10:05:00+02:00", "2024-05-01T08:05:01Z", S, SQ_NS_PER_S },
        { "2024-05-01T10:05-0330", "2024-05-01 13:36 Z", S, 60 * SQ_NS_PER_S },
        { "2024-05-01T10:05:00 +00", "2024-05-01t10:05:00.000000001z", S, 1 },
        { "2016-12-31 23:59:60", "2017-01-01 00:00:01", S, SQ_NS_PER_S }, /* a leap second */
        { "\"2024-05-01 10:05:00,5\"", "2024-05-01 10:05:01", S, 500000000 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf text = { 0 };
        struct work w;
        sq_buf_printf(&text, "x,t\n1,%s\n2,%s\n", rows[i].first, rows[i].second);
        assert_int_equal(work_read(&w, text.text, NULL, sq_trace_csv_unit_ns(rows[i].unit)), SQ_OK);
        assert_int_equal(w.trace.count, 2);
        assert_int_equal(w.trace.at_ns[0], 0);
        assert_int_equal(w.trace.at_ns[1], rows[i].want);
        assert_int_equal(w.trace.end_ns, 2 * rows[i].want);
        assert_null(w.trace.values);
        work_fini(&w);
        sq_buf_fini(&text);
    }
}

static void test_bins(void **state)
{
    (void)state;
    struct work w;
    /* a gap of one bin before 300: the bin at 120 reaches to it */
    assert_int_equal(work_read(&w, "v,t\n94.0,0\n0,60\n7,120\n1.5,300\n2,360\n", "v", SQ_NS_PER_S),
                     SQ_OK);
    static const sq_time_t at[] = { 0, 60, 120, 300, 360 };
    static const double values[] = { 94, 0, 7, 1.5, 2 };
    assert_int_equal(w.trace.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(w.trace.at_ns[i], at[i] * SQ_NS_PER_S);
        assert_true(w.trace.values[i] == values[i]);
    }
    assert_int_equal(w.trace.end_ns, 420 * SQ_NS_PER_S);
    work_fini(&w);
}

/* A log with a resolution of a second, and a trace of one request. */
static void test_equal_times(void **state)
{
    (void)state;
    struct work w;
    assert_int_equal(work_read(&w, "t\n5\n5\n5\n7\n7\n", NULL, SQ_NS_PER_S), SQ_OK);
    assert_int_equal(w.trace.count, 5);
    assert_int_equal(w.trace.at_ns[2], 0);
    assert_int_equal(w.trace.at_ns[4], 2 * SQ_NS_PER_S);
    assert_int_equal(w.trace.end_ns, 2 * SQ_NS_PER_S);
    work_fini(&w);
    assert_int_equal(work_read(&w, "t\n5\n", NULL, SQ_NS_PER_S), SQ_OK);
    assert_int_equal(w.trace.count, 1);
    assert_int_equal(w.trace.end_ns, 0);
    work_fini(&w);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value, *want;
    } rows[] = {
        { "time,value\n0,1\n", NULL,
          "t.csv:1: there is no column `t`\n    hint: the columns are `time`, `value`\n" },
        { "t,value\n0,1\n", "valeu",
          "t.csv:1: there is no column `valeu`\n    hint: did you mean `value`?\n" },
        { "t\n1\n3\n\n2\n1\n", NULL,
          "t.csv:5: t: `2` is earlier than the row before (line 3)\n"
          "    hint: sort the rows by this column\n" },
        { "t\n2000-01-01\n1760-01-01\n2260-01-01\n", NULL, /* 500 years from row to row */
          "t.csv:3: t: `1760-01-01` is earlier than the row before (line 2)\n"
          "    hint: sort the rows by this column\n" },
        { "t,v\n1,1\n2,1\n2,1\n", "v",
          "t.csv:4: t: `2` is the same time as the row before (line 3)\n"
          "    hint: sort the rows by this column\n" },
        { "t,v\n1,1\n", "v", "t.csv:2: v: one row has no width: values need two rows at least\n" },
        { "t\nsoon\n2\n", NULL, "t.csv:2: t: `soon` is neither a number nor an ISO 8601 time\n" },
        { "t\n1\n\"2,5\"\n1e\n.\n1.2.3\n", NULL,
          "t.csv:3: t: `2,5` is neither a number nor an ISO 8601 time\n"
          "t.csv:4: t: `1e` is neither a number nor an ISO 8601 time\n"
          "t.csv:5: t: `.` is neither a number nor an ISO 8601 time\n"
          "t.csv:6: t: `1.2.3` is neither a number nor an ISO 8601 time\n" },
        { "t\n1\n1e30\n10000000000\n", NULL,
          "t.csv:3: t: `1e30` is too large for a time\n"
          "t.csv:4: t: `10000000000` is more than 292 years from the first row\n" },
        { "t\n2014-04-10\n2014-04-31\n2014-13-01\n2014-4-1\n", NULL,
          "t.csv:3: t: `2014-04-31` is no day of the calendar\n"
          "t.csv:4: t: `2014-13-01` is no day of the calendar\n"
          "t.csv:5: t: `2014-4-1` is no date of the form 2014-04-10\n" },
        { "t\n2023-02-29\n", NULL, "t.csv:2: t: `2023-02-29` is no day of the calendar\n" },
        { "t\n2014-04-10\n2014-04-10 24:00\n2014-04-10 1:00\n2014-04-10 10:00:00.\n"
          "2014-04-10 10:00:00+2:00\n2014-04-10 10:00:00 CET\n",
          NULL,
          "t.csv:3: t: `2014-04-10 24:00` is no time of the form 2014-04-10 00:04:00\n"
          "t.csv:4: t: `2014-04-10 1:00` is no time of the form 2014-04-10 00:04:00\n"
          "t.csv:5: t: `2014-04-10 10:00:00.` is no time of the form 2014-04-10 00:04:00\n"
          "t.csv:6: t: `2014-04-10 10:00:00+2:00` is no time of the form 2014-04-10 00:04:00\n"
          "t.csv:7: t: `2014-04-10 10:00:00 CET` is no time of the form 2014-04-10 00:04:00\n" },
        { "t\n1\n2014-04-10\n", NULL,
          "t.csv:3: t: `2014-04-10` is an ISO 8601 time, and the first row has a number\n" },
        { "t\n2014-04-10\n5\n", NULL,
          "t.csv:3: t: `5` is no ISO 8601 time, and the first row has one\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct work w;
        struct sq_buf got = { 0 };
        assert_int_equal(work_read(&w, rows[i].text, rows[i].value, SQ_NS_PER_S), SQ_USER);
        assert_int_equal(w.trace.count, 0);
        sq_diag_print(&w.diag, &got);
        assert_string_equal(got.text, rows[i].want);
        sq_buf_fini(&got);
        work_fini(&w);
    }
}

/* Cells that are no value, each with its line; what exactly is said is the units' business. */
static void test_bad_values(void **state)
{
    (void)state;
    struct work w;
    assert_int_equal(work_read(&w, "t,v\n1,1\n2,N/A\n3,-1\n4,\n5,NaN\n6,inf\n7,\"1,5\"\n8,2\n", "v",
                               SQ_NS_PER_S),
                     SQ_USER);
    assert_int_equal(w.diag.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(w.diag.items[i].where.line, i + 3);
        assert_string_equal(w.diag.items[i].path, "v");
    }
    assert_non_null(strstr(w.diag.items[1].text, "is negative"));
    work_fini(&w);
}

static void test_units(void **state)
{
    (void)state;
    static const char *const names[] = { "s", "ms", "us", "ns", "min", "h" };
    static const double seconds[] = { 1, 1e-3, 1e-6, 1e-9, 60, 3600 };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        assert_string_equal(sq_trace_csv_units[i], names[i]);
        assert_int_equal(sq_trace_csv_unit_ns(i), sq_time_from_s(seconds[i]));
    }
    assert_null(sq_trace_csv_units[6]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),       cmocka_unit_test(test_bins),
        cmocka_unit_test(test_equal_times), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_bad_values),  cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
