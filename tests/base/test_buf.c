/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_buf.c - growing texts and the look of numbers. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "sim/base/sq_buf.h"
#include "sim/base/sq_mem.h"

static void growing(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    for (int i = 0; i < 1000; i++) {
        sq_buf_putc(&b, (char)('a' + i % 26));
        assert_int_equal(b.len, i + 1);
        assert_int_equal(b.text[b.len], '\0');
    }
    sq_buf_puts(&b, "");
    sq_buf_add(&b, "x\0y", 3);
    assert_int_equal(b.len, 1003);
    assert_memory_equal(b.text + 998,
                        "kl"
                        "x\0y",
                        6);
    sq_buf_fini(&b);
    sq_buf_puts(&b, ""); /* a text that is there, if empty */
    assert_string_equal(b.text, "");
    sq_buf_fini(&b);
}

static void printing(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    for (int len = 0; len < 600; len++) {
        sq_buf_fini(&b);
        sq_buf_puts(&b, "<");
        sq_buf_printf(&b, "%*s>", len, "");
        assert_int_equal(b.len, len + 2);
        assert_int_equal(strlen(b.text), len + 2);
        assert_int_equal(b.text[len + 1], '>');
    }
    sq_buf_printf(&b, "%s %d %zu", "a", -3, (size_t)7);
    assert_string_equal(b.text + 601, "a -3 7");
    sq_buf_fini(&b);
}

static void no_memory(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, "kept");
    sq_mem_fail_after(0);
    sq_buf_printf(&b, "%*s", 500, "");
    sq_mem_fail_after(-1);
    assert_true(b.failed);
    sq_buf_puts(&b, "!"); /* nothing after the gap, although it would fit */
    sq_buf_number(&b, 1.5, 9);
    assert_string_equal(b.text, "kept");
    sq_buf_fini(&b);
    assert_false(b.failed);
}

static void check_number(double value, int digits, const char *want)
{
    struct sq_buf b = { 0 };
    sq_buf_number(&b, value, digits);
    assert_string_equal(b.text, want);
    sq_buf_fini(&b);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        { 0.1, 9, "0.1" },
        { 0.1, 17, "0.1" },
        { 0.1 + 0.2, 17, "0.30000000000000004" },
        { 0.32, 9, "0.32" },
        { 1600, 9, "1600" },
        { 1.5e20, 9, "1.5e+20" },
        { 1e15, 9, "1000000000000000" },
        { 1e16, 9, "1e+16" },
        { 999999999999999, 17, "999999999999999" },
        { 999999999999999, 9, "1000000000000000" },
        { 1e-7, 9, "1e-7" },
        { 1e-6, 9, "0.000001" },
        { 1.25e-5, 9, "0.0000125" },
        { 123456789.987654, 9, "123456790" },
        { 123456789.987654, 17, "123456789.987654" },
        { 1.0 / 3, 9, "0.333333333" },
        { 2.0 / 3, 9, "0.666666667" },
        { 2.0 / 3, 1, "0.7" },
        { 9.96, 2, "10" },
        { 1234567, 3, "1230000" },
        { 1234.5, 5, "1234.5" },
        { -7.25, 9, "-7.25" },
        { 0.0, 9, "0" },
        { -0.0, 9, "0" },
        { -1e-300, 9, "-1e-300" },
        { DBL_MAX, 17, "1.7976931348623157e+308" },
        { DBL_MIN, 17, "2.2250738585072014e-308" },
        { 100, 1, "100" },
        { 65536, 17, "65536" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        check_number(cases[i].value, cases[i].digits, cases[i].text);
    }
    check_number(NAN, 9, "null");
    check_number(INFINITY, 9, "null");
    check_number(-INFINITY, 9, "null");
}

/* Seventeen digits name every double; fewer agree with the C library's own rounding. */
static void read_back(void **state)
{
    (void)state;
    uint64_t x = 7;
    for (int i = 0; i < 50000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value, back;
        uint64_t bits = x ^ x >> 29;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        struct sq_buf b = { 0 };
        sq_buf_number(&b, value, 17);
        back = strtod(b.text, NULL);
        assert_true(back == value);
        b.len = 0;
        sq_buf_number(&b, value, 9);
        char plain[64];
        snprintf(plain, sizeof plain, "%.9g", value);
        assert_true(strtod(b.text, NULL) == strtod(plain, NULL));
        sq_buf_fini(&b);
    }
}

/* Where the machine has a locale with a decimal comma: it must not show. */
static void comma(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    size_t i = 0;
    while (i < SQ_COUNT(names) && setlocale(LC_ALL, names[i]) == NULL) {
        i++;
    }
    if (i == SQ_COUNT(names)) {
        skip();
    }
    check_number(1234.5, 9, "1234.5");
    check_number(0.30000000000000004, 17, "0.30000000000000004");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing), cmocka_unit_test(printing),  cmocka_unit_test(no_memory),
        cmocka_unit_test(numbers), cmocka_unit_test(read_back), cmocka_unit_test(comma),
    };
    return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
