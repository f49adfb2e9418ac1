/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_number.c - values as dashboards write them, and what they tell of the decimal sign.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/import/mdl_import_number.h"

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char decimal;
        double value;
        enum mdl_import_per per;
    } cases[] = {
        { "94.0", '.', 94, MDL_IMPORT_PER_NOTHING },
        { "1,721,992.143", '.', 1721992.143, MDL_IMPORT_PER_NOTHING },
        { "1.721.992,143", ',', 1721992.143, MDL_IMPORT_PER_NOTHING },
        { "1 234,5", ',', 1234.5, MDL_IMPORT_PER_NOTHING },
        { "1\xc2\xa0"
          "234.5",
          '.', 1234.5, MDL_IMPORT_PER_NOTHING },
        { "1.50 K req/s", '.', 1500, MDL_IMPORT_PER_S },
        { "980 req/s", '.', 980, MDL_IMPORT_PER_S },
        { "2 Mil", '.', 2e6, MDL_IMPORT_PER_NOTHING },
        { "1.2k rpm", '.', 1200, MDL_IMPORT_PER_MIN },
        { "60 req/min", '.', 60, MDL_IMPORT_PER_MIN },
        { "7 /h", '.', 7, MDL_IMPORT_PER_H },
        { "'0.065", '.', 0.065, MDL_IMPORT_PER_NOTHING },
        { "1.5e3", '.', 1500, MDL_IMPORT_PER_NOTHING },
        { "1e-2", '.', 0.01, MDL_IMPORT_PER_NOTHING },
        { "+5", '.', 5, MDL_IMPORT_PER_NOTHING },
        { "-0.0", '.', 0, MDL_IMPORT_PER_NOTHING },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct mdl_import_number n = { 0 };
        assert_null(mdl_import_number(cases[i].text, cases[i].decimal, &n));
        assert_false(n.null);
        assert_true(n.value >= cases[i].value * (1 - 1e-15) &&
                    n.value <= cases[i].value * (1 + 1e-15));
        assert_int_equal(n.per, cases[i].per);
    }
}

static void none(void **state)
{
    (void)state;
    static const char *const nulls[] = {
        "", "null", "NaN", "N/A", "-", "+Inf", "undefined", "None"
    };
    static const struct {
        const char *text, *wrong;
    } cases[] = {
        { "x", "is no number" },
        { "1.2.3", "is no number" },
        { "12,34", "is no number" },
        { "0x10", "has a unit that is none of arrivals" },
        { "45.2%", "has a unit that is none of arrivals" },
        { "2.5 ms", "has a unit that is none of arrivals" },
        { "'-0.065", "is negative: arrivals never are" },
    };
    for (size_t i = 0; i < SQ_COUNT(nulls); i++) {
        struct mdl_import_number n = { 0 };
        assert_null(mdl_import_number(nulls[i], '.', &n));
        assert_true(n.null);
    }
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct mdl_import_number n = { 0 };
        const char *wrong = mdl_import_number(cases[i].text, '.', &n);
        assert_non_null(wrong);
        assert_string_equal(wrong, cases[i].wrong);
    }
}

static void signs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mdl_import_sign sign;
    } cases[] = {
        { "12", MDL_IMPORT_SIGN_NONE },          { "12.5", MDL_IMPORT_SIGN_POINT },
        { "94,5", MDL_IMPORT_SIGN_COMMA },       { "1,234", MDL_IMPORT_SIGN_EITHER },
        { "1,234,567", MDL_IMPORT_SIGN_POINT },  { "1.234.567", MDL_IMPORT_SIGN_COMMA },
        { "1,234.5", MDL_IMPORT_SIGN_POINT },    { "1.234,5", MDL_IMPORT_SIGN_COMMA },
        { "0,5 req/s.", MDL_IMPORT_SIGN_COMMA }, { "", MDL_IMPORT_SIGN_NONE },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        assert_int_equal(mdl_import_sign(cases[i].text), cases[i].sign);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(none),
        cmocka_unit_test(signs),
    };
    return cmocka_run_group_tests_name("import_number", tests, NULL, NULL);
}
