/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_changes.c - the keys in which two scenarios differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/conf/sq_changes.h"

static void changes(void **state)
{
    (void)state;
    static const struct {
        const char *was, *is, *skip;
        size_t count;
        const char *lines;
    } rows[] = {
        { "a: 1\n", "a: 1\n", NULL, 0, "" },
        { "a: 1\nb: {c: 2}\n", "a: 3\nb: {c: 4}\n", NULL, 2, "a: 1 -> 3\nb.c: 2 -> 4\n" },
        { "b: {c: 2, d: 1}\n", "b: {c: 2, e: [x, {y: 1}]}\n", NULL, 2,
          "b.d: 1 -> absent\nb.e: absent -> [x, {y: 1}]\n" },
        { "l: [1, 2]\n", "l: [1, 3, 4]\n", NULL, 2, "l.1: 2 -> 3\nl.2: absent -> 4\n" },
        { "a: 1\nx: {a: 1}\n", "a: 2\nx: {a: 2}\n", "a", 1, "x.a: 1 -> 2\n" },
        { "x: 1\n", "x: 1\na: 2\n", "a", 0, "" },
        { "a: [", "a: 1\n", NULL, 0, "" },
        { NULL, "a: 1\n", NULL, 0, "" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 };
        assert_int_equal(sq_changes(rows[i].was, rows[i].is, rows[i].skip, &b), rows[i].count);
        assert_string_equal(b.text != NULL ? b.text : "", rows[i].lines);
        sq_buf_fini(&b);
    }
}

/* A long value is cut, and not in the middle of a character. */
static void cut(void **state)
{
    (void)state;
    struct sq_buf is = { 0 }, b = { 0 };
    sq_buf_puts(&is, "a: [x");
    for (int i = 0; i < 200; i++) {
        sq_buf_puts(&is, "ü");
    }
    sq_buf_puts(&is, "]\n");
    assert_int_equal(sq_changes("b: 1\n", is.text, NULL, &b), 2);
    const char *end = strstr(b.text, " ...\n");
    assert_non_null(end);
    assert_int_equal((unsigned char)end[-1] & 0xc0, 0x80); /* the whole ü */
    assert_true(b.len < 220);
    sq_buf_fini(&is);
    sq_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(changes), cmocka_unit_test(cut) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
