/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_csv.c - dialects that real tools write, line numbers, mistakes, and the way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sim/conf/sq_csv.h"

static enum sq_status parse(const char *text, size_t len, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_csv *out)
{
    struct sq_buf bytes = { 0 };
    sq_buf_add(&bytes, text, len);
    enum sq_status status = sq_csv_parse("t.csv", &bytes, arena, diag, out);
    sq_buf_fini(&bytes);
    return status;
}

/* Everything that was read, in one line: "line:cell|cell line:cell|cell". */
static void flatten(const struct sq_csv *c, struct sq_buf *out)
{
    for (size_t i = 0; i <= c->count; i++) {
        const struct sq_csv_row *row = i == 0 ? &c->header : &c->rows[i - 1];
        sq_buf_printf(out, "%s%u:", i == 0 ? "" : " ", row->line);
        for (uint32_t k = 0; k < row->count; k++) {
            sq_buf_printf(out, "%s%s", k == 0 ? "" : "|", row->cells[k]);
        }
    }
}

static void test_dialects(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "a,b\n1,2\n", "1:a|b 2:1|2" },
        { "a,b\n1,2", "1:a|b 2:1|2" },                           /* no last line end */
        { "a,b\r\n1,2\r\n3,4", "1:a|b 2:1|2 3:3|4" },            /* CRLF */
        { "a,b\r\r\n1,2\r\r\n3,4\r\r\n", "1:a|b 2:1|2 3:3|4" },  /* CR CR LF */
        { "a,b\r1,2\r\r3,4\r", "1:a|b 2:1|2 4:3|4" },            /* CR alone */
        { "\xef\xbb\xbf\"a\",b\n1,2\n", "1:a|b 2:1|2" },         /* byte-order mark */
        { "\n\na,b\n\n1,2\n\n \n3,4\n\n", "3:a|b 5:1|2 8:3|4" }, /* empty lines */
        { "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n", "1:a|b 2:x,y|say \"hi\"" },
        { "a,b\n\"1\n\n2\",3\n4,\"5\r\n6\"\n7,8\n", "1:a|b 2:1\n\n2|3 5:4|5\r\n6 7:7|8" },
        { "a\n\"\n\"\n2\n", "1:a 2:\n 4:2" },                       /* quoted break first */
        { "a,b,c\n,,\n\"\", 1 , \"q\" \n", "1:a|b|c 2:|| 3:|1|q" }, /* empty cells, blanks */
        { "a\n\"\"\n", "1:a 2:" },
        { "Time,99%\n1,N/A\n", "1:Time|99% 2:1|N/A" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_csv csv = { 0 };
        struct sq_buf got = { 0 };
        assert_int_equal(parse(rows[i].text, strlen(rows[i].text), &arena, &diag, &csv), SQ_OK);
        flatten(&csv, &got);
        assert_string_equal(got.text, rows[i].want);
        sq_buf_fini(&got);
        sq_diag_fini(&diag);
        sq_arena_fini(&arena);
    }
}

#define TEXT(s) s, sizeof(s) - 1

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        const char *want;
    } rows[] = {
        { TEXT(""), "t.csv:1: the file is empty\n" },
        { TEXT("\xef\xbb\xbf"), "t.csv:1: the file is empty\n" },
        { TEXT("\r\n\r\n"), "t.csv:1: the file is empty\n" },
        { TEXT("\na,b\n"), "t.csv:2: there are no rows below the header\n" },
        { TEXT("2014-04-10 00:04:00,94.0\n2014-04-10 00:09:00,56.0\n"),
          "t.csv:1: there is no header row\n    hint: the first row names the columns\n" },
        { TEXT("a,b\n1\n1,2\n\"1\n2\",2,3\n1,2\n,\n"),
          "t.csv:2: has 1 cell, the header has 2\nt.csv:4: has 3 cells, the header has 2\n" },
        { TEXT("a,b\n1,x\"y\"\n"), "t.csv:2:4: a quote inside a cell\n"
                                   "    hint: quote the whole cell and double the quotes inside "
                                   "it\n" },
        { TEXT("a,b\n\"x\"y,1\n"), "t.csv:2:4: a quote inside a cell\n"
                                   "    hint: quote the whole cell and double the quotes inside "
                                   "it\n" },
        { TEXT("a,b\n1,2\n3,\"4\n5,6\n"),
          "t.csv:3: the row that begins here has a quote that is never closed\n" },
        { TEXT("a,b\n1,\0002\n"), "t.csv:2: holds a zero byte\n"
                                  "    hint: save the file as UTF-8\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_csv csv = { 0 };
        struct sq_buf got = { 0 };
        assert_int_equal(parse(rows[i].text, rows[i].len, &arena, &diag, &csv), SQ_USER);
        assert_null(csv.rows);
        sq_diag_print(&diag, &got);
        assert_string_equal(got.text, rows[i].want);
        sq_buf_fini(&got);
        sq_diag_fini(&diag);
        sq_arena_fini(&arena);
    }
}

static void test_column(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv = { 0 };
    assert_int_equal(parse(TEXT("a,b,a\n1,2,3\n"), &arena, &diag, &csv), SQ_OK);
    assert_int_equal(sq_csv_column(&csv, "a"), 0);
    assert_int_equal(sq_csv_column(&csv, "b"), 1);
    assert_int_equal(sq_csv_column(&csv, "A"), -1);
    sq_arena_fini(&arena);
}

static void test_put(void **state)
{
    (void)state;
    struct sq_buf out = { 0 };
    static const char *const cells[] = { "plain", "a b", "a,b",    "say \"hi\"", "two\nlines",
                                         " lead", "",    "tail\t", "1.5" };
    for (size_t i = 0; i < SQ_COUNT(cells); i++) {
        sq_csv_put(&out, i == 0, cells[i]);
    }
    assert_string_equal(out.text, "plain,a b,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" lead\",,"
                                  "\"tail\t\",1.5");

    /* what is written reads back */
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv = { 0 };
    struct sq_buf text = { 0 };
    sq_buf_printf(&text, "a,b,c,d,e,f,g,h,i\n%s\n", out.text);
    assert_int_equal(sq_csv_parse("t.csv", &text, &arena, &diag, &csv), SQ_OK);
    for (uint32_t i = 0; i < SQ_COUNT(cells); i++) {
        assert_string_equal(csv.rows[0].cells[i], cells[i]);
    }
    sq_arena_fini(&arena);
    sq_buf_fini(&text);
    sq_buf_fini(&out);
}

static void test_many_rows(void **state)
{
    (void)state;
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, "n,cell\n");
    for (int i = 0; i < 5000; i++) {
        sq_buf_printf(&text, "%d,\"%0*d\"\n", i, i % 300 + 1, 7);
    }
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv = { 0 };
    assert_int_equal(sq_csv_parse("t.csv", &text, &arena, &diag, &csv), SQ_OK);
    assert_int_equal(csv.count, 5000);
    for (uint32_t i = 0; i < 5000; i++) {
        char want[16];
        snprintf(want, sizeof want, "%u", i);
        assert_string_equal(csv.rows[i].cells[0], want);
        assert_int_equal(strlen(csv.rows[i].cells[1]), i % 300 + 1);
        assert_int_equal(csv.rows[i].line, i + 2);
    }
    sq_arena_fini(&arena);
    sq_buf_fini(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, "a,b\n1,\"2\n3\"\n4,5\n");
    long n = 0;
    for (enum sq_status got = SQ_NOMEM; got != SQ_OK; n++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_csv csv = { 0 };
        sq_mem_fail_after(n);
        got = sq_csv_parse("t.csv", &text, &arena, &diag, &csv);
        sq_mem_fail_after(-1);
        assert_true(got == SQ_OK || got == SQ_NOMEM);
        assert_int_equal(csv.count, got == SQ_OK ? 2 : 0);
        sq_arena_fini(&arena);
        assert_true(n < 100);
    }
    assert_true(n > 3);
    sq_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects),  cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_column),    cmocka_unit_test(test_put),
        cmocka_unit_test(test_many_rows), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
