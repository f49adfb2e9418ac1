/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_when.c - instants in the many ways in which they are written. Seconds since 1970 are those
 * of date(1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/conf/sq_when.h"

static void dates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sq_when_order order;
        int64_t s, ns;
        bool zoned, named;
        int32_t east_s;
    } cases[] = {
        { "1970-01-01", SQ_WHEN_YMD, 0, 0, false, false, 0 },
        { "2024-02-29T12:00:00Z", SQ_WHEN_YMD, 1709208000, 0, true, false, 0 },
        { "2024-05-01T10:05:00.123456789+02:00", SQ_WHEN_YMD, 1714550700, 123456789, true, false,
          7200 },
        { "2024-05-01 10:05:00.1239999999 +0530", SQ_WHEN_YMD, 1714538100, 123999999, true, false,
          19800 },
        { "2024/05/01 10:05", SQ_WHEN_YMD, 1714557900, 0, false, false, 0 },
        { "2019.19.07 14:48:00", SQ_WHEN_YDM, 1563547680, 0, false, false, 0 },
        { "19.07.2019 14:48:00", SQ_WHEN_DMY, 1563547680, 0, false, false, 0 },
        { "5/1/2024, 10:05:00.000 AM", SQ_WHEN_MDY, 1714557900, 0, false, false, 0 },
        { "5/1/2024 12:05:00 AM", SQ_WHEN_MDY, 1714521900, 0, false, false, 0 },
        { "5/1/2024 12:05 pm", SQ_WHEN_MDY, 1714565100, 0, false, false, 0 },
        { "May 1, 2024 @ 10:05:00.000", SQ_WHEN_YMD, 1714557900, 0, false, true, 0 },
        { "Wed May 01 2024 10:05:00 GMT+0200 (CEST)", SQ_WHEN_YMD, 1714550700, 0, true, true,
          7200 },
        { "Wednesday, 1 May 2024 10:05:00 UTC", SQ_WHEN_YMD, 1714557900, 0, true, true, 0 },
        { "01/Jul/1995:00:00:01 -0400", SQ_WHEN_YMD, 804571201, 0, true, true, -14400 },
        { "[01/Jul/1995:00:00:01 -0400]", SQ_WHEN_YMD, 804571201, 0, true, true, -14400 },
        { "1969-12-31 23:59:59", SQ_WHEN_YMD, -1, 0, false, false, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_when w = { 0 };
        const char *wrong = sq_when_date(cases[i].text, cases[i].order, &w);
        assert_null(wrong);
        assert_int_equal((int64_t)(w.ns / SQ_NS_PER_S), cases[i].s);
        assert_int_equal((int64_t)(w.ns % SQ_NS_PER_S), cases[i].ns);
        assert_int_equal(w.zoned, cases[i].zoned);
        assert_int_equal(w.named, cases[i].named);
        assert_int_equal(w.east_s, cases[i].east_s);
    }
}

static void no_dates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sq_when_order order;
        const char *wrong;
    } cases[] = {
        { "", SQ_WHEN_YMD, "is no date" },
        { "1714557600", SQ_WHEN_YMD, "is no date" },
        { "10:05:00", SQ_WHEN_YMD, "is no date" },
        { "2024-05", SQ_WHEN_YMD, "is no date" },
        { "2023-02-29", SQ_WHEN_YMD, "is no day of the calendar" },
        { "2024-13-01", SQ_WHEN_YMD, "is no day of the calendar" },
        { "1/2/24", SQ_WHEN_DMY, "has no year of four digits" },
        { "1/2/2024", SQ_WHEN_YMD, "does not begin with the year" },
        { "2024/1/2", SQ_WHEN_DMY, "begins with the year" },
        { "2024-05-01 25:00", SQ_WHEN_YMD, "has no time of day behind its date" },
        { "2024-05-01 13:00 PM", SQ_WHEN_YMD, "has an hour that a clock with AM and PM lacks" },
        { "2024-05-01 10:00:00 CEST", SQ_WHEN_YMD,
          "ends in the name of a zone, and such names are not unique" },
        { "2024-05-01 10:00:00 +02:00 x", SQ_WHEN_YMD, "goes on behind its zone" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_when w = { 0 };
        const char *wrong = sq_when_date(cases[i].text, cases[i].order, &w);
        assert_non_null(wrong);
        assert_string_equal(wrong, cases[i].wrong);
    }
}

/* The way back, over leap years and both sides of 1970. */
static void there_and_back(void **state)
{
    (void)state;
    static const struct {
        int64_t s, ns;
        const char *text;
    } cases[] = { { 0, 0, "1970-01-01 00:00:00" },
                  { -1, 0, "1969-12-31 23:59:59" },
                  { 951782399, 0, "2000-02-28 23:59:59" },
                  { 951782400, 500000000, "2000-02-29 00:00:00.5" },
                  { 4107542400, 0, "2100-03-01 00:00:00" },
                  { -2203891200, 0, "1900-03-01 00:00:00" },
                  { 1735689599, 1, "2024-12-31 23:59:59.000000001" } };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf b = { 0 };
        struct sq_when w = { 0 };
        __int128 ns = (__int128)cases[i].s * SQ_NS_PER_S + cases[i].ns;
        sq_when_put(&b, ns);
        assert_string_equal(b.text, cases[i].text);
        assert_null(sq_when_date(b.text, SQ_WHEN_YMD, &w));
        assert_true(w.ns == ns);
        sq_buf_fini(&b);
    }
    for (int64_t day = -200000; day < 200000; day += 61) {
        struct sq_buf b = { 0 };
        struct sq_when w = { 0 };
        sq_when_put(&b, (__int128)day * 86400 * SQ_NS_PER_S);
        assert_null(sq_when_date(b.text, SQ_WHEN_YMD, &w));
        assert_true(w.ns == (__int128)day * 86400 * SQ_NS_PER_S);
        sq_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates),
        cmocka_unit_test(no_dates),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests_name("when", tests, NULL, NULL);
}
