/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_doc.c - YAML to trees and back: what is read, what is refused and where, what is printed. */
#include "sim/conf/sq_doc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define T(text) (text), sizeof(text) - 1

/* Parses and renders: the tree as YAML, or the complaints. */
static void render(const char *text, size_t len, struct sq_buf *out)
{
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_node *root = NULL;
    enum sq_status st = sq_doc_parse("f", text, len, &arena, &diag, &root);
    if (st == SQ_OK) {
        assert_int_equal(diag.count, 0);
        sq_node_print(root, out);
    } else {
        assert_int_equal(st, SQ_USER);
        assert_true(diag.errors > 0);
        assert_null(root);
        sq_diag_print(&diag, out);
    }
    sq_buf_putc(out, '\0');
    assert_false(out->failed);
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
}

struct sample {
    const char *text;
    size_t len;
    const char *expected;
};

static void check_samples(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sq_buf out = { 0 };
        render(samples[i].text, samples[i].len, &out);
        assert_string_equal(out.text, samples[i].expected);
        sq_buf_fini(&out);
    }
}

static void reads_and_prints(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { T("a: 1\nb: [x, y]\n"), "a: 1\nb: [x, y]\n" },
        { T("\xEF\xBB\xBF# note\r\na: 1\r\n"), "a: 1\n" },
        { T("{\"a\": {\"b\": \"5s\"}}"), "a: {b: \"5s\"}\n" },
        { T("a:\nb: ~\nc: ''\n"), "a: null\nb: ~\nc: \"\"\n" },
        { T("w: {p: {q: 1, retry: {max: 3, backoff: {kind: fixed, base: 1s}}}}"),
          "w:\n  p:\n    q: 1\n    retry: {max: 3, backoff: {kind: fixed, base: 1s}}\n" },
        { T("s: {renders: {max: 14}}\nh: {t1: 0s}\n"), "s:\n  renders: {max: 14}\nh: {t1: 0s}\n" },
        { T("l:\n- a: {x: {y: {z: 1}}}\n  b: 2\n- - 1\n  - [2, [3, [4]]]\n"),
          "l:\n  - a:\n      x: {y: {z: 1}}\n    b: 2\n  - - 1\n    - - 2\n      - [3, [4]]\n" },
        { T("a: |\n  two\n  lines\nb: 'it''s'\n"), "a: \"two\\nlines\\n\"\nb: \"it's\"\n" },
        { T("a: \"\\x01\\t\\\\ \\\"q\\\" \\L\\P \\x85 \\uFEFF\\uFFFE\\uFFFF\"\n"),
          "a: \"\\x01\\t\\\\ \\\"q\\\" \\L\\P \\x85 \\uFEFF\\uFFFE\\uFFFF\"\n" },
        { T("a: gr\xC3\xBC\xC3\x9F dich\n"), "a: gr\xC3\xBC\xC3\x9F dich\n" },
        { T("a: x, y\nb: {c: \"x, y\"}\n"), "a: x, y\nb: {c: \"x, y\"}\n" },
        { T("that: a.b@c >= 1.1 * d\nu: http://x:1/y#z\nn: -5\n"),
          "that: a.b@c >= 1.1 * d\nu: http://x:1/y#z\nn: -5\n" },
        { T("{}"), "{}\n" },
        { T("[]"), "[]\n" },
        { T("a: {}\nb: []\nc: [{}, []]\n"), "a: {}\nb: []\nc: [{}, []]\n" },
        { T("40"), "40\n" },
        { T("'<<': 1\n"), "\"<<\": 1\n" },
    };
    check_samples(samples, SQ_COUNT(samples));
}

static void refuses_what_the_language_has_not(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { T(""), "f:1:1: the file is empty\n" },
        { T("# only a comment\n"), "f:1:1: the file is empty\n" },
        { T("a: &x 1\nb: *x\n"), "f:1:4: anchors (&x) are not part of the language\n"
                                 "    hint: use `presets` for what is repeated\n"
                                 "f:2:4: aliases (*x) are not part of the language\n"
                                 "    hint: use `presets` for what is repeated\n" },
        { T("a: !!str 1\nb: !x [1]\nc: !y {}\n"),
          "f:1:4: tags (tag:yaml.org,2002:str) are not part of the language\n"
          "f:2:4: tags (!x) are not part of the language\n"
          "f:3:4: tags (!y) are not part of the language\n" },
        { T("a:\n  <<: {x: 1}\n  y: 2\n"), "f:2:3: merge keys (<<) are not part of the language\n"
                                           "    hint: use `presets` for what is repeated\n" },
        { T("a: 1\n---\nb: 2\n"), "f:2:1: a second document starts here\n"
                                  "    hint: one file holds one scenario\n" },
        { T("%YAML 1.1\n---\na: 1\n"), "f:1:1: directives (%) are not part of the language\n" },
        { T("b: 1\na: 2\nb: 3\nc: {d: 1, d: 2}\n"),
          "f:4:11: the key `d` stands already in line 4\n"
          "f:3:1: the key `b` stands already in line 1\n" },
        { T("? [a]\n: 1\nb: 2\n"), "f:1:3: a key must be a word\n" },
        { T("'': 1\n"), "f:1:1: a key is missing before the `:`\n" },
        { T("a: \"x\\0y\"\n"), "f:1:4: a text cannot contain the character \\0\n" },
        { T("a: 1\nb: \xC3\xA4\xFF\n"), "f:2:5: the byte 0xff is not UTF-8 text\n"
                                        "    hint: save the file as UTF-8\n" },
        { T("a: \xC0\xAF\n"), "f:1:4: the byte 0xc0 is not UTF-8 text\n"
                              "    hint: save the file as UTF-8\n" },
        { T("a: \xED\xA0\x80\n"), "f:1:4: the byte 0xed is not UTF-8 text\n"
                                  "    hint: save the file as UTF-8\n" },
        { T("\xFF\xFE"
            "a"),
          "f:1:1: the byte 0xff is not UTF-8 text\n    hint: save the file as UTF-8\n" },
        { T("a: x\r\nb: \x01\n"), "f:2:4: control characters (0x01) are not allowed\n" },
        { T("a: x # y\xC2\x85\nb: 1\n"), "f:1:9: an invisible line separator (U+0085)\n"
                                         "    hint: delete it, or end the line as usual\n" },
        { T("\xEF\xBB\xBF"
            "a: 1\nb: \"\xE2\x80\xA9\"\n"),
          "f:2:5: an invisible line separator (U+2029)\n"
          "    hint: delete it, or end the line as usual\n" },
        { T("a: x\0y\n"), "f:1:5: control characters (0x00) are not allowed\n" },
    };
    check_samples(samples, SQ_COUNT(samples));
}

static void says_what_is_wrong_with_the_yaml(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { T("a: 1\n\tb: 2\n"), "f:2:1: tabs cannot be used to indent\n    hint: use spaces\n" },
        { T("a:\n\tb: 2\n"), "f:2:1: a value cannot start with this character\n    hint: put the "
                             "text in quotes; indent with spaces, not tabs\n" },
        { T("a: b: c\n"), "f:1:5: a `:` cannot stand here\n    hint: check the indentation of this "
                          "line, or put a text that contains `: ` in quotes\n" },
        { T("a: 1\nhello\n"), "f:2:1: this line is neither a key with `:` nor part of a value\n    "
                              "hint: write `key: value`, and check the indentation\n" },
        { T("a: 1\nhello\nb: 2\n"),
          "f:2:1: this line is neither a key with `:` nor part of a value\n    hint: write `key: "
          "value`, and check the indentation\n" },
        { T("a: 1\n  b: 2\n"), "f:2:4: a `:` cannot stand here\n    hint: check the indentation of "
                               "this line, or put a text that contains `: ` in quotes\n" },
        { T("a:\n  b: 1\n c: 2\n"), "f:3:2: a key was expected here\n    hint: check the "
                                    "indentation and that brackets and quotes are closed\n" },
        { T("a: {b: 1\nc: 2\n"),
          "f:2:2: a `,` or `}` was expected here; it began at 1:4\n    hint: close the map with "
          "`}`, and put a text that contains , [ ] { } in quotes\n" },
        { T("a: [1, 2\nc: 2\n"),
          "f:2:2: a `,` or `]` was expected here; it began at 1:4\n    hint: close the list with "
          "`]`, and put a text that contains , [ ] { } in quotes\n" },
        { T("a: [1, 2\n"), "f:1:4: the bracket that opens here is never closed\n" },
        { T("a:\n  b: {c: 1, d: [2]"), "f:2:6: the bracket that opens here is never closed\n" },
        { T("a: 'x\nb: 1\n"), "f:1:4: the quotes that start here are never closed\n" },
        { T("a: \"\\q\"\n"), "f:1:5: this escape is unknown in double quotes\n    hint: write \\\\ "
                             "for a backslash, or use single quotes\n" },
        { T("a: - 1\n"), "f:1:4: a `-` cannot stand here\n    hint: start the list on a line of "
                         "its own, or write it as [a, b]\n" },
        { T("a:\n  - 1\n  b: 2\n"),
          "f:3:3: another `-` was expected here\n    hint: check the indentation of the list\n" },
        { T("a: 20%\nb: %x\n"), "f:2:4: a value cannot start with this character\n    hint: put "
                                "the text in quotes; indent with spaces, not tabs\n" },
        { T("a: @x\n"), "f:1:4: a value cannot start with this character\n    hint: put the text "
                        "in quotes; indent with spaces, not tabs\n" },
        { T("- a\nb: 1\n"),
          "f:2:1: another `-` was expected here\n    hint: check the indentation of the list\n" },
        { T("a: {b: 1]\n"),
          "f:1:9: a `,` or `}` was expected here; it began at 1:4\n    hint: close the map with "
          "`}`, and put a text that contains , [ ] { } in quotes\n" },
        { T("a: *\n"),
          "f:1:5: not valid YAML: did not find expected alphabetic or numeric character\n" },
        { T("a: |x\n  b\n"),
          "f:1:5: not valid YAML: did not find expected comment or line break\n" },
        { T("a: }\n"), "f:1:4: a value was expected here\n" },
        { T("a: 1\n}\n"), "f:2:1: a key was expected here\n    hint: check the indentation and "
                          "that brackets and quotes are closed\n" },
        { T("{a: 1}}\n"),
          "f:1:7: this does not belong to the file's map\n    hint: check the indentation\n" },
    };
    check_samples(samples, SQ_COUNT(samples));
}

/* 200 levels and a million values must end in a sentence. */
static void refuses_what_is_too_deep_or_too_much(void **state)
{
    (void)state;
    struct sq_buf text = { 0 }, out = { 0 };
    for (int i = 0; i < 200; i++) {
        sq_buf_putc(&text, i % 2 ? '[' : '{');
        sq_buf_puts(&text, i % 2 ? "" : "a: ");
    }
    render(text.text, text.len, &out);
    assert_string_equal(out.text, "f:1:161: nested more than 64 levels deep\n");
    text.len = out.len = 0;
    for (int i = 0; i < 64; i++) {
        sq_buf_putc(&text, '[');
    }
    for (int i = 0; i < 64; i++) {
        sq_buf_putc(&text, ']');
    }
    render(text.text, text.len, &out);
    assert_non_null(strstr(out.text, "[]"));
    text.len = out.len = 0;
    for (int i = 0; i < 1 << 20; i++) {
        sq_buf_puts(&text, "- 1\n");
    }
    render(text.text, text.len, &out);
    assert_string_equal(out.text, "f:1048576:3: the file has more than 1048576 values\n");
    text.len = out.len = 0;
    for (int i = 0; i < 300; i++) {
        sq_buf_putc(&text, 'k');
    }
    sq_buf_puts(&text, ": 1\n");
    render(text.text, text.len, &out);
    assert_string_equal(out.text, "f:1:1: this key is longer than 256 bytes\n");
    sq_buf_fini(&text);
    sq_buf_fini(&out);
}

static void same_tree(const struct sq_node *a, const struct sq_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    if (a->kind == SQ_NODE_SCALAR) {
        assert_string_equal(a->text, b->text);
        assert_int_equal(a->quoted, b->quoted);
    }
    for (size_t i = 0; i < a->count; i++) {
        if (a->kind == SQ_NODE_MAP) {
            assert_string_equal(a->keys[i], b->keys[i]);
        }
        same_tree(a->items[i], b->items[i]);
    }
}

static uint32_t next_luck(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static const char *random_text(struct sq_arena *arena, uint32_t *seed)
{
    static const char *const parts[] = {
        "a",    "b c", ":",  ": ", "#", " #", ",", "[",        "]",        "{",
        "}",    "-",   "- ", "?",  "!", "&",  "*", "'",        "\"",       "\\",
        "\n",   "\t",  "%",  "@",  "|", ">",  "~", "\xC3\xA4", "\xC2\x85", "\xE2\x80\xA8",
        "\x07", "20%", "."
    };
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, "");
    for (uint32_t n = 1 + next_luck(seed) % 5; n > 0; n--) {
        sq_buf_puts(&text, parts[next_luck(seed) % SQ_COUNT(parts)]);
    }
    char *copy = sq_arena_text(arena, text.text, text.len);
    sq_buf_fini(&text);
    assert_non_null(copy);
    return copy;
}

static struct sq_node *random_node(struct sq_arena *arena, uint32_t *seed, unsigned depth)
{
    struct sq_where where = { 0 };
    enum sq_node_kind kind = depth == 0 ? SQ_NODE_SCALAR : next_luck(seed) % 3;
    struct sq_node *node = sq_node_new(arena, kind, where);
    assert_non_null(node);
    if (kind == SQ_NODE_SCALAR) {
        node->text = random_text(arena, seed);
        node->quoted = true; /* whether a bare text stays bare is checked by samples */
    }
    for (uint32_t n = next_luck(seed) % 6; kind == SQ_NODE_LIST && n > 0; n--) {
        assert_int_equal(sq_node_push(arena, node, random_node(arena, seed, depth - 1)), SQ_OK);
    }
    for (uint32_t n = next_luck(seed) % 6; kind == SQ_NODE_MAP && n > 0; n--) {
        assert_int_equal(sq_node_put(arena, node, random_text(arena, seed), where,
                                     random_node(arena, seed, depth - 1)),
                         SQ_OK);
    }
    return node;
}

/* Any tree of any texts, printed and read, is the same tree. */
static void prints_what_it_reads(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 2000; i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_buf first = { 0 }, again = { 0 };
        struct sq_node *tree = random_node(&arena, &seed, 5), *back = NULL;
        sq_node_print(tree, &first);
        assert_int_equal(sq_doc_parse("p", first.text, first.len, &arena, &diag, &back), SQ_OK);
        same_tree(tree, back);
        sq_node_print(back, &again);
        assert_string_equal(first.text, again.text);
        sq_buf_fini(&first);
        sq_buf_fini(&again);
        sq_arena_fini(&arena);
    }
}

/* The same for bare texts: what is printed bare reads back bare, the rest in quotes. */
/* Whether a map fits on its line does not depend on how its texts were written before: in quotes
 * that flow style needs, or not at all. */
static void breaks_lines_the_same_again(void **state)
{
    (void)state;
    static const char *const ends[] = { "x?", "x", "", "x, y" };
    for (int len = 60; len < 100; len++) {
        for (size_t i = 0; i < SQ_COUNT(ends); i++) {
            char text[128];
            int n = snprintf(text, sizeof(text), "l:\n  - a: %s\n    b: 1\n    %0*d: 2\n", ends[i],
                             len, 7);
            struct sq_buf first = { 0 }, again = { 0 };
            render(text, (size_t)n, &first);
            render(first.text, first.len - 1, &again);
            assert_string_equal(again.text, first.text);
            sq_buf_fini(&first);
            sq_buf_fini(&again);
        }
    }
}

static void prints_bare_texts_safely(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int i = 0; i < 5000; i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_buf out = { 0 };
        struct sq_where where = { 0 };
        struct sq_node *map = sq_node_new(&arena, SQ_NODE_MAP, where), *back = NULL;
        struct sq_node *list = sq_node_new(&arena, SQ_NODE_LIST, where);
        const char *text = random_text(&arena, &seed);
        struct sq_node *leaf = sq_node_scalar(&arena, where, text);
        assert_int_equal(sq_node_push(&arena, list, leaf), SQ_OK);
        assert_int_equal(sq_node_put(&arena, map, "block", where, leaf), SQ_OK);
        assert_int_equal(sq_node_put(&arena, map, "flow", where, list), SQ_OK);
        sq_node_print(map, &out);
        assert_int_equal(sq_doc_parse("p", out.text, out.len, &arena, &diag, &back), SQ_OK);
        assert_int_equal(back->count, 2);
        assert_string_equal(sq_node_get(back, "block")->text, text);
        assert_int_equal(sq_node_get(back, "flow")->count, 1);
        assert_string_equal(sq_node_get(back, "flow")->items[0]->text, text);
        sq_buf_fini(&out);
        sq_arena_fini(&arena);
    }
}

static void edits_trees(void **state)
{
    (void)state;
    static const char text[] = "a: 1\nb: {x: 1}\nc: 3\n";
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_buf out = { 0 };
    struct sq_node *map = NULL;
    assert_int_equal(sq_doc_parse("f", T(text), &arena, &diag, &map), SQ_OK);
    assert_int_equal(sq_node_get(map, "b")->where.line, 2);
    assert_int_equal(sq_node_get(map, "b")->where.col, 4);
    assert_int_equal(map->key_where[2].line, 3);
    struct sq_node *copy = sq_node_copy(&arena, map);
    sq_node_drop(map, "b");
    sq_node_drop(map, "none of these");
    assert_null(sq_node_get(map, "b"));
    assert_null(sq_node_get(sq_node_get(map, "a"), "b"));
    struct sq_node *nine = sq_node_scalar(&arena, map->where, "9");
    assert_int_equal(sq_node_put(&arena, map, "a", map->where, nine), SQ_OK);
    assert_int_equal(sq_node_put(&arena, map, "d", map->where, nine), SQ_OK);
    sq_node_drop(sq_node_get(copy, "b"), "x");
    sq_node_print(map, &out);
    sq_node_print(copy, &out);
    assert_string_equal(out.text, "a: 9\nc: 3\nd: 9\na: 1\nb: {}\nc: 3\n");
    sq_buf_fini(&out);
    sq_arena_fini(&arena);
}

static void survives_no_memory(void **state)
{
    (void)state;
    static const char text[] = "a: &x 1\nb: {c: [1, 2, {d: e}], f: g, h: i, j: k, l: m}\n";
    enum sq_status st = SQ_NOMEM;
    for (long n = 0; st == SQ_NOMEM; n++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_node *root = NULL;
        assert_true(n < 1000);
        sq_mem_fail_after(n);
        st = sq_doc_parse("f", T(text), &arena, &diag, &root);
        sq_mem_fail_after(-1);
        assert_null(root);
        sq_diag_fini(&diag);
        sq_arena_fini(&arena);
    }
    assert_int_equal(st, SQ_USER);
}

/* Files of other systems: several documents, some with nothing in them, and JSON with tabs. */
static void reads_all_documents(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        size_t count;
    } samples[] = {
        { "a: 1\n---\nb: 2\n...\n---\n# nothing\n---\n- c\n", "a: 1\n|b: 2\n|- c\n|", 3 },
        { "{\n\t\"a\":[1,\"x\\/y\"],\n\t\"b\" : {\"c\": null}\n}\n",
          "a: [1, \"x/y\"]\nb: {c: null}\n|", 1 },
        { "---\n---\n", NULL, 0 },
        { "", NULL, 0 },
        { "a: 1\n---\nb: *x\n", NULL, 0 },
        { "a: {{ b }}\n", NULL, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(samples); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_buf out = { 0 };
        struct sq_node *list = sq_node_new(&arena, SQ_NODE_LIST, (struct sq_where){ 0 });
        enum sq_status want = samples[i].printed != NULL ? SQ_OK : SQ_USER;
        assert_int_equal(
            sq_doc_parse_all("f", samples[i].text, strlen(samples[i].text), &arena, &diag, list),
            want);
        assert_int_equal(diag.errors > 0, want != SQ_OK);
        for (size_t k = 0; want == SQ_OK && k < list->count; k++) {
            sq_node_print(list->items[k], &out);
            sq_buf_putc(&out, '|');
        }
        if (want == SQ_OK) {
            assert_int_equal(list->count, samples[i].count);
            assert_string_equal(out.text, samples[i].printed);
        }
        sq_buf_fini(&out);
        sq_diag_fini(&diag);
        sq_arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_prints),
        cmocka_unit_test(refuses_what_the_language_has_not),
        cmocka_unit_test(says_what_is_wrong_with_the_yaml),
        cmocka_unit_test(refuses_what_is_too_deep_or_too_much),
        cmocka_unit_test(prints_what_it_reads),
        cmocka_unit_test(breaks_lines_the_same_again),
        cmocka_unit_test(prints_bare_texts_safely),
        cmocka_unit_test(edits_trees),
        cmocka_unit_test(reads_all_documents),
        cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests_name("doc", tests, NULL, NULL);
}
