/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_json.c - the text that is written byte by byte, and mistakes in what is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "sim/base/sq_json.h"
#include "sim/base/sq_mem.h"

static void fill(struct sq_json_writer *w)
{
    sq_json_open_object(w, NULL);
    sq_json_put_text(w, "zebra", "say \"hi\"\n\\ \x01 \xc3\xa9 /");
    sq_json_put_text(w, "nothing", NULL);
    sq_json_put_bool(w, "yes", true);
    sq_json_put_bool(w, "no", false);
    sq_json_put_integer(w, "big", INT64_C(9007199254740993));
    sq_json_open_array(w, "numbers");
    sq_json_put_number(w, NULL, 0.1);
    sq_json_put_number(w, NULL, 1600);
    sq_json_put_number(w, NULL, 1.0 / 3);
    sq_json_put_number(w, NULL, -1.5e20);
    sq_json_put_number(w, NULL, 1e-12);
    sq_json_put_number(w, NULL, (double)NAN);
    sq_json_put_number(w, NULL, (double)INFINITY);
    sq_json_close(w);
    sq_json_open_array(w, "mixed");
    sq_json_put_number(w, NULL, 1);
    sq_json_open_object(w, NULL);
    sq_json_put_null(w, "alpha");
    sq_json_close(w);
    sq_json_close(w);
    sq_json_open_array(w, "none");
    sq_json_close(w);
    sq_json_open_object(w, "empty");
    sq_json_close(w);
    sq_json_close(w);
}

static const char filled[] =
    "{\n"
    "  \"zebra\": \"say \\\"hi\\\"\\n\\\\ \\u0001 \xc3\xa9 /\",\n"
    "  \"nothing\": null,\n"
    "  \"yes\": true,\n"
    "  \"no\": false,\n"
    "  \"big\": 9007199254740993,\n"
    "  \"numbers\": [0.1, 1600, 0.333333333, -1.5e+20, 1e-12, null, null],\n"
    "  \"mixed\": [\n"
    "    1,\n"
    "    {\n"
    "      \"alpha\": null\n"
    "    }\n"
    "  ],\n"
    "  \"none\": [],\n"
    "  \"empty\": {}\n"
    "}\n";

static void test_dump(void **state)
{
    (void)state;
    struct sq_json_writer w = { 0 };
    struct sq_buf out = { 0 };
    fill(&w);
    assert_int_equal(sq_json_dump(&w, &out), SQ_OK);
    assert_string_equal(out.text, filled);
    sq_json_writer_fini(&w);
    sq_buf_fini(&out);
}

/* The decimal comma of a locale must not show. Where no such locale is installed there is nothing
 * to try. */
static void test_locale(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const char *found = NULL;
    for (size_t i = 0; i < SQ_COUNT(names) && found == NULL; i++) {
        found = setlocale(LC_ALL, names[i]);
    }
    if (found == NULL) {
        skip();
    }
    test_dump(state);
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_json_parse("x", "[0.5]", 5, &diag, &root), SQ_OK);
    assert_true(sq_json_number(sq_json_at(root, 0)) == 0.5);
    sq_json_free(root);
    setlocale(LC_ALL, "C");
}

/* File names need not be UTF-8; what is written must be. */
static void test_broken_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "", "[\n  \"\"\n]\n" },
        { "a\xff"
          "b",
          "[\n  \"a\xef\xbf\xbd"
          "b\"\n]\n" },
        { "\xe2\x82", "[\n  \"\xef\xbf\xbd\xef\xbf\xbd\"\n]\n" },                 /* cut short */
        { "\xc0\xaf", "[\n  \"\xef\xbf\xbd\xef\xbf\xbd\"\n]\n" },                 /* overlong */
        { "\xed\xa0\x80", "[\n  \"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n]\n" }, /* surrogate */
        { "\xf0\x9f\x8c\xa9", "[\n  \"\xf0\x9f\x8c\xa9\"\n]\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_json_writer w = { 0 };
        struct sq_buf out = { 0 };
        sq_json_open_array(&w, NULL);
        sq_json_put_text(&w, NULL, rows[i].in);
        sq_json_close(&w);
        assert_int_equal(sq_json_dump(&w, &out), SQ_OK);
        assert_string_equal(out.text, rows[i].out);
        sq_json_writer_fini(&w);
        sq_buf_fini(&out);
    }
}

static void test_read(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_json_parse("x", filled, strlen(filled), &diag, &root), SQ_OK);
    assert_int_equal(sq_json_kind(root), SQ_JSON_OBJECT);
    assert_int_equal(sq_json_count(root), 9);

    static const char *const keys[] = { "zebra",   "nothing", "yes",  "no",   "big",
                                        "numbers", "mixed",   "none", "empty" };
    const char *key = NULL;
    for (size_t i = 0; i < SQ_COUNT(keys); i++) {
        key = sq_json_next_key(root, key);
        assert_string_equal(key, keys[i]);
    }
    assert_null(sq_json_next_key(root, key));

    assert_string_equal(sq_json_text(sq_json_get(root, "zebra")), "say \"hi\"\n\\ \x01 \xc3\xa9 /");
    assert_int_equal(sq_json_kind(sq_json_get(root, "nothing")), SQ_JSON_NULL);
    assert_true(sq_json_true(sq_json_get(root, "yes")));
    assert_false(sq_json_true(sq_json_get(root, "no")));
    assert_int_equal(sq_json_kind(sq_json_get(root, "no")), SQ_JSON_BOOL);
    struct sq_json *numbers = sq_json_get(root, "numbers");
    assert_int_equal(sq_json_kind(numbers), SQ_JSON_ARRAY);
    assert_int_equal(sq_json_count(numbers), 7);
    assert_true(sq_json_number(sq_json_at(numbers, 1)) == 1600);
    assert_true(sq_json_number(sq_json_at(numbers, 3)) == -1.5e20);
    assert_true(isnan(sq_json_number(sq_json_at(numbers, 5))));
    assert_null(sq_json_at(numbers, 7));
    sq_json_free(root);
}

/* Asking the wrong kind, or nothing at all, gives nothing. */
/* Seeds keep all 64 bits: above 2^53 they are texts. What is no seed leaves the value alone. */
static void test_seed(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {
        0, 7, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 63, UINT64_MAX
    };
    struct sq_json_writer w = { 0 };
    struct sq_buf out = { 0 };
    sq_json_open_object(&w, NULL);
    sq_json_open_array(&w, "seeds");
    for (size_t i = 0; i < SQ_COUNT(seeds); i++) {
        sq_json_put_seed(&w, NULL, seeds[i]);
    }
    sq_json_close(&w);
    sq_json_close(&w);
    assert_int_equal(sq_json_dump(&w, &out), SQ_OK);
    sq_json_writer_fini(&w);
    assert_non_null(strstr(out.text, " 9007199254740992,"));
    assert_non_null(strstr(out.text, "\"9007199254740993\""));
    assert_non_null(strstr(out.text, "\"18446744073709551615\""));
    struct sq_diag diag = { 0 };
    struct sq_json *root;
    assert_int_equal(sq_json_parse("s.json", out.text, out.len, &diag, &root), SQ_OK);
    for (size_t i = 0; i < SQ_COUNT(seeds); i++) {
        uint64_t seed = 5;
        assert_true(sq_json_seed(sq_json_at(sq_json_get(root, "seeds"), i), &seed));
        assert_true(seed == seeds[i]);
    }
    sq_json_free(root);
    static const char no_seeds[] =
        "[-1, 1.5, 1e300, null, true, [], \"\", \"x\", \"-1\", \"7x\", \" 7\","
        " \"18446744073709551616\", 18446744073709551615]";
    assert_int_equal(sq_json_parse("s.json", no_seeds, sizeof(no_seeds) - 1, &diag, &root), SQ_OK);
    assert_int_equal(sq_json_count(root), 13);
    for (size_t i = 0; i <= sq_json_count(root); i++) { /* and one beyond: NULL */
        uint64_t seed = 5;
        assert_false(sq_json_seed(sq_json_at(root, i), &seed));
        assert_true(seed == 5);
    }
    sq_json_free(root);
    sq_buf_fini(&out);
    sq_diag_fini(&diag);
}

static void test_wrong_kind(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_json_parse("x", "[1]", 3, &diag, &root), SQ_OK);
    struct sq_json *one = sq_json_at(root, 0);
    assert_int_equal(sq_json_kind(one), SQ_JSON_NUMBER);
    struct sq_json *const subjects[] = { NULL, one };
    for (size_t i = 0; i < SQ_COUNT(subjects); i++) {
        assert_null(sq_json_get(subjects[i], "a"));
        assert_null(sq_json_at(subjects[i], 0));
        assert_null(sq_json_text(subjects[i]));
        assert_null(sq_json_next_key(subjects[i], NULL));
        assert_int_equal(sq_json_count(subjects[i]), 0);
        assert_false(sq_json_true(subjects[i]));
    }
    assert_true(isnan(sq_json_number(NULL)));
    assert_true(isnan(sq_json_number(root)));
    sq_json_free(root);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, col;
        const char *word; /* stands in the sentence */
    } rows[] = {
        { "", 1, 1, "near end of file" },
        { "{\"a\" 1}", 1, 6, "':' expected near '1'" },
        { "{\n  \"a\": 1,\n  \"a\": 2\n}", 3, 5, "duplicate" },
        { "[1] 2", 1, 5, "end of file expected" },
        { "[1,\n]", 2, 1, "unexpected token near ']'" },
        { "[1e999]", 1, 6, "overflow" },
        { "3", 1, 1, "expected" },
        { "[\"\xff\"]", 1, 2, "unable to decode" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_diag diag = { 0 };
        struct sq_json *root = NULL;
        assert_int_equal(sq_json_parse("r.json", rows[i].text, strlen(rows[i].text), &diag, &root),
                         SQ_USER);
        assert_null(root);
        assert_int_equal(diag.count, 1);
        assert_string_equal(diag.items[0].where.file, "r.json");
        assert_int_equal(diag.items[0].where.line, rows[i].line);
        assert_int_equal(diag.items[0].where.col, rows[i].col);
        assert_non_null(strstr(diag.items[0].text, rows[i].word));
        sq_diag_fini(&diag);
    }
    /* a large integer is a number like any other */
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_json_parse("x", "[36893488147419103232]", 22, &diag, &root), SQ_OK);
    assert_true(sq_json_number(sq_json_at(root, 0)) == 0x1p65);
    sq_json_free(root);
}

static void test_no_memory(void **state)
{
    (void)state;
    long n = 0;
    for (enum sq_status got = SQ_NOMEM; got != SQ_OK; n++) {
        struct sq_json_writer w = { 0 };
        struct sq_buf out = { 0 };
        sq_mem_fail_after(n);
        fill(&w);
        got = sq_json_dump(&w, &out);
        sq_mem_fail_after(-1);
        assert_true(got == SQ_OK || got == SQ_NOMEM);
        sq_json_writer_fini(&w);
        sq_buf_fini(&out);
        assert_true(n < 100);
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump),        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_broken_utf8), cmocka_unit_test(test_read),
        cmocka_unit_test(test_wrong_kind),  cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
