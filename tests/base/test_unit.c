/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_unit.c - amounts in both directions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/sq_unit.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)
#define M  (60 * S)
#define H  (60 * M)
#define D  (24 * H)

/* `wrong`: a part of the sentence expected; NULL: the text is fine and means `value`. */
struct whole_case {
    const char *text;
    int64_t value;
    const char *wrong;
};

struct real_case {
    const char *text;
    double value;
    const char *wrong;
};

typedef const char *whole_parser(const char *text, int64_t *out);
typedef const char *real_parser(const char *text, double *out);

static void check_sentence(const char *text, const char *got, const char *want)
{
    if ((got == NULL) != (want == NULL) || (want != NULL && strstr(got, want) == NULL)) {
        fail_msg("\"%s\": got \"%s\", expected \"%s\"", text, got ? got : "fine",
                 want ? want : "fine");
    }
    if (got != NULL) {
        assert_int_not_equal(got[strlen(got) - 1], '.');
    }
}

static void check_whole(const struct whole_case *cases, size_t count, whole_parser *parse)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = -77;
        check_sentence(cases[i].text, parse(cases[i].text, &value), cases[i].wrong);
        int64_t want = cases[i].wrong == NULL ? cases[i].value : -77; /* untouched on failure */
        if (value != want) {
            fail_msg("\"%s\": got %lld, expected %lld", cases[i].text, (long long)value,
                     (long long)want);
        }
    }
}

/* Bit for bit: the expected values are constants of the compiler, or one division of them. */
static void check_real(const struct real_case *cases, size_t count, real_parser *parse)
{
    for (size_t i = 0; i < count; i++) {
        double value = -77;
        check_sentence(cases[i].text, parse(cases[i].text, &value), cases[i].wrong);
        double want = cases[i].wrong == NULL ? cases[i].value : -77;
        if (memcmp(&value, &want, sizeof value) != 0) {
            fail_msg("\"%s\": got %.17g, expected %.17g", cases[i].text, value, want);
        }
    }
}

static void duration(void **state)
{
    (void)state;
    static const struct whole_case cases[] = {
        { "250us", 250 * US, NULL },
        { "20ms", 20 * MS, NULL },
        { "5s", 5 * S, NULL },
        { "20m", 20 * M, NULL },
        { "1h30m", 90 * M, NULL },
        { "14d", 14 * D, NULL },
        { "0s", 0, NULL },
        { "1d2h3m4s5ms6us", D + 2 * H + 3 * M + 4 * S + 5 * MS + 6 * US, NULL },
        { "1h0.5s", H + S / 2, NULL },
        { "1.5s", 1500 * MS, NULL },
        { "0.5d", 12 * H, NULL },
        { "0.000000001s", 1, NULL },
        { "0.001us", 1, NULL },
        { "0.333333333d", 28799999971200, NULL },
        { "0.123456789h", 444444440400, NULL },
        { "0.0005us", 1, NULL }, /* rounds to nearest */
        { "1.2345us", 1235, NULL },
        { "007s", 7 * S, NULL },
        { "10000d", 10000 * D, NULL },
        { "864000000s", 10000 * D, NULL },
        { "864000001s", 0, "maximum 10000d" },
        { "10000d1us", 0, "maximum 10000d" },
        { "99999999999999999999d", 0, "maximum 10000d" },
        { "0.0001us", 0, "shorter than a nanosecond" },
        { "5", 0, "needs a unit" },
        { "0", 0, "needs a unit" },
        { "1h30", 0, "needs a unit" },
        { "", 0, "empty" },
        { "s", 0, "number" },
        { "-5s", 0, "is negative" },
        { "+5s", 0, "number" },
        { " 5s", 0, "number" },
        { "5 s", 0, "unknown unit" },
        { "5s ", 0, "unknown unit" },
        { "5min", 0, "unknown unit" },
        { "5S", 0, "unknown unit" },
        { "5ns", 0, "unknown unit" },
        { "1,5s", 0, "unknown unit" },
        { "1e3s", 0, "unknown unit" },
        { "5.s", 0, "unknown unit" },
        { ".5s", 0, "number" },
        { "1.2.3s", 0, "unknown unit" },
        { "30m1h", 0, "order" },
        { "1h1h", 0, "order" },
        { "1.5h30m", 0, "decimals" },
        { "1.0000000001s", 0, "nine decimals" },
        { "1h-30m", 0, "unknown unit" },
        { "none", 0, "number" },
        { "00000000000000000000000000000000000000000000000001s", S, NULL },
        { "11111111111111111111111111111111111111111111111111s", 0, "too many digits" },
    };
    check_whole(cases, SQ_COUNT(cases), sq_unit_duration);
}

static void count(void **state)
{
    (void)state;
    static const struct whole_case cases[] = {
        { "60000", 60000, NULL },
        { "60k", 60000, NULL },
        { "2M", 2000000, NULL },
        { "3G", 3000000000, NULL },
        { "1.5k", 1500, NULL },
        { "1.50k", 1500, NULL },
        { "7.0", 7, NULL },
        { "0", 0, NULL },
        { "0.0k", 0, NULL },
        { "1099511627775", 1099511627775, NULL },
        { "1099511627776", 0, "too large" },
        { "1099.511627776G", 0, "too large" },
        { "1100G", 0, "too large" },
        { "9999999999999999999", 0, "too large" },
        { "999999999999999999G", 0, "too large" },
        { "1.5", 0, "whole" },
        { "1.0005k", 0, "whole" },
        { "0.1234567890123456789", 0, "too many digits" },
        { "-1", 0, "is negative" },
        { "-0", 0, "is negative" },
        { "5K", 0, "not a count" },
        { "5 k", 0, "not a count" },
        { "1e3", 0, "not a count" },
        { "1_000", 0, "not a count" },
        { "0x10", 0, "not a count" },
        { "", 0, "empty" },
        { "unlimited", 0, "number" },
    };
    check_whole(cases, SQ_COUNT(cases), sq_unit_count);
}

/* The largest is 2^64 - 1; what is no plain number is read as a count. */
static void seed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
        const char *wrong;
    } cases[] = {
        { "0", 0, NULL },
        { "007", 7, NULL },
        { "60k", 60000, NULL },
        { "1.5k", 1500, NULL },
        { "9007199254740993", (UINT64_C(1) << 53) + 1, NULL },
        { "9223372036854775808", UINT64_C(1) << 63, NULL },
        { "18446744073709551615", UINT64_MAX, NULL },
        { "18446744073709551616", 0, "above the maximum 18446744073709551615" },
        { "99999999999999999999", 0, "above the maximum 18446744073709551615" },
        { "100000000000000000000000000000000000000000", 0, "above the maximum" },
        { "-1", 0, "is negative" },
        { "1.5", 0, "is not a whole number" },
        { "", 0, "is empty" },
        { "x", 0, "does not begin with a number" },
        { "7x", 0, "is not a count" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        uint64_t value = 77, want = cases[i].wrong == NULL ? cases[i].value : 77;
        check_sentence(cases[i].text, sq_unit_seed(cases[i].text, &value), cases[i].wrong);
        assert_true(value == want);
    }
}

static void size(void **state)
{
    (void)state;
    static const struct whole_case cases[] = {
        { "20kB", 20000, NULL },
        { "512MiB", 536870912, NULL },
        { "1GB", 1000000000, NULL },
        { "0B", 0, NULL },
        { "3TB", 3000000000000, NULL },
        { "1TiB", 1099511627776, NULL },
        { "1.5KiB", 1536, NULL },
        { "1.5GiB", 1610612736, NULL },
        { "1048576TiB", INT64_C(1) << 60, NULL },
        { "1048577TiB", 0, "too large" },
        { "1152921504606846975B", (INT64_C(1) << 60) - 1, NULL }, /* 19 digits */
        { "1152921504606846977B", 0, "too large" },
        { "9999999999999999999B", 0, "too large" },
        { "0.0000000000000000001B", 0, "too many digits" },
        { "99999999TiB", 0, "too large" },
        { "0.3KiB", 0, "whole" },
        { "5", 0, "needs a unit" },
        { "5KB", 0, "unknown unit" },
        { "5k", 0, "unknown unit" },
        { "-5B", 0, "is negative" },
    };
    check_whole(cases, SQ_COUNT(cases), sq_unit_size);
}

static void rate(void **state)
{
    (void)state;
    static const struct real_case cases[] = {
        { "500/s", 500, NULL },
        { "30/m", 0.5, NULL },
        { "2/h", 2.0 / 3600, NULL },
        { "24.4/s", 24.4, NULL },
        { "5k/s", 5000, NULL },
        { "1.5k/m", 25, NULL },
        { "0.1M/s", 100000, NULL },
        { "1e-7/s", 1e-7, NULL },
        { "0/s", 0, NULL },
        { "500", 0, "needs a unit" },
        { "5k", 0, "needs a unit" },
        { "500/", 0, "unknown unit" },
        { "500/sec", 0, "unknown unit" },
        { "500/S", 0, "unknown unit" },
        { "500 /s", 0, "unknown unit" },
        { "5/s/s", 0, "unknown unit" },
        { "-5/s", 0, "is negative" },
        { "1e999/s", 0, "too large" },
        { "1e99999/s", 0, "too large" },
        { "", 0, "empty" },
        { "/s", 0, "number" },
    };
    check_real(cases, SQ_COUNT(cases), sq_unit_rate);
}

static void ratio(void **state)
{
    (void)state;
    static const struct real_case cases[] = {
        { "20%", 0.2, NULL },
        { "0.2", 0.2, NULL },
        { "33.3%", 0.333, NULL },
        { "0.1%", 0.001, NULL },
        { "100%", 1, NULL },
        { "1", 1, NULL },
        { "0", 0, NULL },
        { "0%", 0, NULL },
        { "1e-9", 1e-9, NULL },
        { "20", 0, "above 100%" },
        { "100.1%", 0, "above 100%" },
        { "20 %", 0, "not a share" },
        { "20%%", 0, "not a share" },
        { "-1%", 0, "is negative" },
        { "%", 0, "number" },
    };
    check_real(cases, SQ_COUNT(cases), sq_unit_ratio);
}

static void number(void **state)
{
    (void)state;
    static const struct real_case cases[] = {
        { "1.5", 1.5, NULL },
        { "0.1", 0.1, NULL },
        { "1e-7", 1e-7, NULL },
        { "1.5e+20", 1.5e20, NULL },
        { "2E3", 2000, NULL },
        { "9007199254740993", 9007199254740992.0, NULL }, /* ties to even */
        { "0.30000000000000004", 0.30000000000000004, NULL },
        { "123456789012345678901234567890", 123456789012345678901234567890.0, NULL },
        { "4.9e-324", 4.9e-324, NULL },
        { "1e-999", 0, NULL },
        { "1e400", 0, "too large" },
        { "1e", 0, "not a number" },
        { "1e+", 0, "not a number" },
        { "1,5", 0, "not a number" },
        { "0x1p3", 0, "not a number" },
        { "nan", 0, "number" },
        { "inf", 0, "number" },
        { "-1.5", 0, "is negative" },
    };
    check_real(cases, SQ_COUNT(cases), sq_unit_number);
}

static void check_text(struct sq_buf *b, const char *want)
{
    assert_false(b->failed);
    assert_string_equal(b->text, want);
    sq_buf_fini(b);
}

static void put_whole(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *text;
        void (*put)(struct sq_buf *b, int64_t value);
        whole_parser *parse;
    } cases[] = {
        { 0, "0s", sq_unit_put_duration, sq_unit_duration },
        { 90 * M, "1h30m", sq_unit_put_duration, sq_unit_duration },
        { 320 * MS, "320ms", sq_unit_put_duration, sq_unit_duration },
        { 250 * US, "250us", sq_unit_put_duration, sq_unit_duration },
        { 1500 * US, "1.5ms", sq_unit_put_duration, sq_unit_duration },
        { 1500 * MS, "1.5s", sq_unit_put_duration, sq_unit_duration },
        { 90 * S, "1m30s", sq_unit_put_duration, sq_unit_duration },
        { 36 * H, "1d12h", sq_unit_put_duration, sq_unit_duration },
        { 14 * D, "14d", sq_unit_put_duration, sq_unit_duration },
        { 1, "0.001us", sq_unit_put_duration, sq_unit_duration },
        { 999999999, "999.999999ms", sq_unit_put_duration, sq_unit_duration },
        { D + 1, "1d0.000000001s", sq_unit_put_duration, sq_unit_duration },
        { SQ_NEVER, "none", sq_unit_put_duration, NULL },
        { 0, "0", sq_unit_put_count, sq_unit_count },
        { 1000, "1000", sq_unit_put_count, sq_unit_count },
        { 60000, "60k", sq_unit_put_count, sq_unit_count },
        { 60500, "60500", sq_unit_put_count, sq_unit_count },
        { 2000000, "2M", sq_unit_put_count, sq_unit_count },
        { 1000000000000, "1000G", sq_unit_put_count, sq_unit_count },
        { SQ_UNLIMITED, "unlimited", sq_unit_put_count, NULL },
        { 0, "0B", sq_unit_put_size, sq_unit_size },
        { 20000, "20kB", sq_unit_put_size, sq_unit_size },
        { 536870912, "512MiB", sq_unit_put_size, sq_unit_size },
        { 1025, "1025B", sq_unit_put_size, sq_unit_size },
        { 1000000000000000, "1000TB", sq_unit_put_size, sq_unit_size },
        { 1016201006171611717, "1016201006171611717B", sq_unit_put_size, sq_unit_size },
        { SQ_UNLIMITED, "unlimited", sq_unit_put_size, NULL },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf b = { 0 };
        int64_t back = -1;
        cases[i].put(&b, cases[i].value);
        if (cases[i].parse != NULL) {
            assert_null(cases[i].parse(b.text, &back));
            assert_int_equal(back, cases[i].value);
        }
        check_text(&b, cases[i].text);
    }
}

static void put_real(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
        void (*put)(struct sq_buf *b, double value);
    } cases[] = {
        { 24.4, "24.4/s", sq_unit_put_rate },
        { 500, "500/s", sq_unit_put_rate },
        { 0.5, "0.5/s", sq_unit_put_rate },
        { 10.0 / 60, "10/m", sq_unit_put_rate },
        { 2.0 / 3600, "2/h", sq_unit_put_rate },
        { 1.0 / 3, "20/m", sq_unit_put_rate },
        { 0, "0/s", sq_unit_put_rate },
        { 0.2, "20%", sq_unit_put_ratio },
        { 0.07, "7%", sq_unit_put_ratio },
        { 0.333, "33.3%", sq_unit_put_ratio },
        { 1, "100%", sq_unit_put_ratio },
        { 0, "0%", sq_unit_put_ratio },
        { 1.0 / 3, "0.3333333333333333", sq_unit_put_ratio },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf b = { 0 };
        cases[i].put(&b, cases[i].value);
        check_text(&b, cases[i].text);
    }
}

/* Multiplicative congruence (Knuth's MMIX constants): enough to scatter the cases. */
static uint64_t scatter(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *x >> 11;
}

static void round_trip(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (int i = 0; i < 20000; i++) {
        struct sq_buf b[3] = { 0 };
        int64_t ns = (int64_t)(scatter(&x) >> (scatter(&x) % 53)), back_ns = -1;
        ns = ns > 10000 * D ? ns % (10000 * D) : ns;
        double share = (double)scatter(&x) / 9007199254740992.0, back = -1;
        double per_s = share * (double)(1 << (scatter(&x) % 20));
        sq_unit_put_duration(&b[0], ns);
        sq_unit_put_ratio(&b[1], share);
        sq_unit_put_rate(&b[2], per_s);
        assert_null(sq_unit_duration(b[0].text, &back_ns));
        assert_int_equal(back_ns, ns);
        assert_null(sq_unit_ratio(b[1].text, &back));
        assert_memory_equal(&back, &share, sizeof back);
        assert_null(sq_unit_rate(b[2].text, &back));
        assert_memory_equal(&back, &per_s, sizeof back);
        for (size_t k = 0; k < SQ_COUNT(b); k++) {
            sq_buf_fini(&b[k]);
        }
    }
}

static void span(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        { 0, "0s" },        { 0.045, "45ms" },  { 0.000250, "250us" }, { 0.00123456, "1.23ms" },
        { 0.9996, "1s" },   { 1.2, "1.2s" },    { 12.34, "12.3s" },    { 59.94, "59.9s" },
        { 59.96, "1m" },    { 390, "6m30s" },   { 599.6, "10m" },      { 2100, "35m" },
        { 2123, "35m20s" }, { 3596, "1h" },     { 5400, "1h30m" },     { 93600, "26h" },
        { 172800, "2d" },   { 190800, "2d5h" }, { 1209600, "14d" },    { 1e8, "1157d" },
        { -390, "-6m30s" }, { NAN, "none" },    { INFINITY, "none" },  { 1e15, "none" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf b = { 0 };
        sq_unit_put_span(&b, cases[i].seconds);
        check_text(&b, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration),  cmocka_unit_test(count),    cmocka_unit_test(size),
        cmocka_unit_test(rate),      cmocka_unit_test(ratio),    cmocka_unit_test(number),
        cmocka_unit_test(put_whole), cmocka_unit_test(put_real), cmocka_unit_test(round_trip),
        cmocka_unit_test(span),      cmocka_unit_test(seed),
    };
    return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
