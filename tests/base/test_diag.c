/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_diag.c - the look of complaints, how many are kept, and "did you mean". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

static void check_print(struct sq_diag *d, const char *want)
{
    struct sq_buf out = { 0 };
    sq_diag_print(d, &out);
    assert_string_equal(out.text, want);
    sq_buf_fini(&out);
    sq_diag_fini(d);
}

static void format(void **state)
{
    (void)state;
    struct sq_diag d = { 0 };
    struct sq_where at = { "scenarios/herd.yaml", 14, 18 };
    assert_int_equal(sq_diag_error(&d, at, "workers.pool.slots",
                                   "a replica needs at least one slot",
                                   "%d is below the minimum %d", 0, 1),
                     SQ_USER);
    at.col = 0;
    sq_diag_warn(&d, at, NULL, NULL, "%s", "late");
    at.line = 0;
    at.col = 3; /* a column without a line says nothing */
    (void)sq_diag_error(&d, at, "", NULL, "no document");
    (void)sq_diag_error(&d, (struct sq_where){ 0 }, NULL, NULL, "unknown option --sede");
    assert_int_equal(d.errors, 3);
    assert_int_equal(d.count, 4);
    check_print(&d, "scenarios/herd.yaml:14:18: workers.pool.slots: 0 is below the minimum 1\n"
                    "    hint: a replica needs at least one slot\n"
                    "scenarios/herd.yaml:14: warning: late\n"
                    "scenarios/herd.yaml: no document\n"
                    "unknown option --sede\n");
}

static void copies(void **state)
{
    (void)state;
    struct sq_diag d = { 0 };
    char file[] = "f", path[] = "a.b", hint[] = "do", text[] = "bad";
    (void)sq_diag_error(&d, (struct sq_where){ file, 1, 2 }, path, hint, "%s", text);
    file[0] = path[0] = hint[0] = text[0] = 'X';
    check_print(&d, "f:1:2: a.b: bad\n    hint: do\n");
}

/* Twenty errors are kept; warnings among them take nobody's place. */
static void many(void **state)
{
    (void)state;
    for (int errors = 19; errors <= 23; errors++) {
        struct sq_diag d = { 0 };
        struct sq_buf want = { 0 };
        for (int i = 1; i <= errors; i++) {
            (void)sq_diag_error(&d, (struct sq_where){ 0 }, NULL, NULL, "e%d", i);
            sq_diag_warn(&d, (struct sq_where){ 0 }, NULL, NULL, "w%d", i);
            if (i <= SQ_DIAG_SHOWN) {
                sq_buf_printf(&want, "e%d\n", i);
            }
            sq_buf_printf(&want, "warning: w%d\n", i);
        }
        if (errors > SQ_DIAG_SHOWN) {
            sq_buf_printf(&want, "(%d more error%s)\n", errors - SQ_DIAG_SHOWN,
                          errors == SQ_DIAG_SHOWN + 1 ? "" : "s");
        }
        assert_int_equal(d.errors, errors);
        check_print(&d, want.text);
        sq_buf_fini(&want);
    }
}

static void no_memory(void **state)
{
    (void)state;
    for (long n = 0; n <= 5; n++) {
        struct sq_diag d = { 0 };
        struct sq_buf out = { 0 };
        sq_mem_fail_after(n);
        assert_int_equal(
            sq_diag_error(&d, (struct sq_where){ "file", 0, 0 }, "path", "hint", "text"), SQ_USER);
        sq_mem_fail_after(-1);
        assert_int_equal(d.errors, 1);
        assert_int_equal(d.failed, n < 5); /* file, path, text, hint and the list */
        sq_diag_print(&d, &out);
        assert_string_equal(out.text,
                            n < 5 ? "(1 more error)\n" : "file: path: text\n    hint: hint\n");
        sq_buf_fini(&out);
        sq_diag_fini(&d);
    }
}

static void closest(void **state)
{
    (void)state;
    static const char *const names[] = { "slots", "concurrency", "queue",
                                         "calls", "stots",       "visibility_timeout" };
    static const struct {
        const char *word, *want;
    } cases[] = {
        { "slots", "slots" },
        { "concurency", "concurrency" },
        { "conurency", "concurrency" },
        { "qeue", "queue" },
        { "queu", "queue" },
        { "uqeue", "queue" }, /* a swap is one edit */
        { "slost", "slots" },
        { "slits", "slots" },
        { "sXots", "slots" }, /* as near as stots: the first */
        { "slate", NULL },    /* two edits are too many for five letters */
        { "call", "calls" },
        { "visibilty_timout", "visibility_timeout" },
        { "x", NULL },
        { "", NULL },
        { "retention", NULL },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        const char *got = sq_diag_closest(cases[i].word, names, SQ_COUNT(names));
        if (cases[i].want == NULL) {
            assert_null(got);
        } else {
            assert_non_null(got);
            assert_string_equal(got, cases[i].want);
        }
    }
    char word[300];
    memset(word, 'a', sizeof word);
    word[sizeof word - 1] = '\0';
    assert_null(sq_diag_closest(word, names, SQ_COUNT(names)));
    assert_null(sq_diag_closest("slots", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format),    cmocka_unit_test(copies),  cmocka_unit_test(many),
        cmocka_unit_test(no_memory), cmocka_unit_test(closest),
    };
    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
