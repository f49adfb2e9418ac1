/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_seal.c - seals of files: known hashes, JSON and back, and what is said of a wrong file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/sq_seal.h"

static struct sq_seals seals_of(const char *name, const char *text)
{
    struct sq_seals s = { 0 };
    sq_seal_add(sq_seals_begin(&s, name), text, strlen(text));
    return s;
}

/* The published test vectors of FNV-1a with 64 bits. */
static void hashes_are_fnv_1a(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        { "", UINT64_C(0xcbf29ce484222325) },
        { "a", UINT64_C(0xaf63dc4c8601ec8c) },
        { "foobar", UINT64_C(0x85944171f73967e8) },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_seals s = seals_of("f", rows[i].text);
        assert_true(s.items[0].hash == rows[i].hash);
        assert_int_equal(s.items[0].bytes, strlen(rows[i].text));
    }
}

static void pieces_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    struct sq_seals whole = seals_of("f", "a,b\n1,2\n"), dos = seals_of("f", "a,b\r\n1,2\r\n");
    struct sq_seals pieces = { 0 };
    struct sq_seal *one = sq_seals_begin(&pieces, "f");
    sq_seal_add(one, "a,b\n1", 5);
    sq_seal_add(one, ",2\n", 3);
    assert_memory_equal(&whole, &pieces, sizeof whole);
    assert_memory_equal(&whole, &dos, sizeof whole);
}

static void json_and_back(void **state)
{
    (void)state;
    struct sq_json_writer w = { 0 };
    struct sq_buf text = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    struct sq_seals s = seals_of("runs.csv", "a"), back;
    sq_seal_add(sq_seals_begin(&s, "scenario.yaml"), "foobar", 6);
    sq_json_open_object(&w, NULL);
    sq_seals_write(&s, &w);
    sq_json_close(&w);
    assert_int_equal(sq_json_dump(&w, &text), SQ_OK);
    sq_json_writer_fini(&w);
    assert_non_null(strstr(text.text, "\"hash\": \"af63dc4c8601ec8c\""));
    assert_int_equal(sq_json_parse("f", text.text, text.len, &diag, &root), SQ_OK);
    assert_true(sq_seals_read(&back, root));
    assert_memory_equal(&back, &s, sizeof s);
    assert_true(sq_seals_has(&back, "scenario.yaml") && !sq_seals_has(&back, "timeline.csv"));
    sq_json_free(root);
    sq_buf_fini(&text);
}

/* Older versions wrote none; half a seal is a mistake. */
static void what_is_no_seal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fine;
    } rows[] = {
        { "{}", true },
        { "{\"files\": []}", true },
        { "{\"files\": {}}", false },
        { "{\"files\": 3}", false },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": 1}]}", false },
        { "{\"files\": [{\"name\": \"a\", \"hash\": \"0123456789abcdef\"}]}", false },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": 1, \"hash\": \"0123456789abcdef\"}]}", true },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": 1, \"hash\": \"0123456789ABCDEF\"}]}", false },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": 1, \"hash\": \"0123456789abcde\"}]}", false },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": 1.5, \"hash\": \"0123456789abcdef\"}]}",
          false },
        { "{\"files\": [{\"name\": \"a\", \"bytes\": -1, \"hash\": \"0123456789abcdef\"}]}",
          false },
        { "{\"files\": [{\"name\": \"a name that is longer than any file of a result has\", "
          "\"bytes\": 1, \"hash\": \"0123456789abcdef\"}]}",
          false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_diag diag = { 0 };
        struct sq_json *root = NULL;
        struct sq_seals s;
        assert_int_equal(sq_json_parse("f", rows[i].text, strlen(rows[i].text), &diag, &root),
                         SQ_OK);
        if (sq_seals_read(&s, root) != rows[i].fine) {
            fail_msg("%s", rows[i].text);
        }
        sq_json_free(root);
    }
}

static void a_wrong_file_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *said; /* NULL: it is the right one */
    } rows[] = {
        { "out/runs.csv", "a,b\n1,2\n", NULL },
        { "out/runs.csv", "a,b\r\n1,2\r\n", NULL },
        { "out/other.csv", "anything", NULL },
        { "out/runs.csv", "a,b\n1,3\n",
          "out/runs.csv: this is not the file that was written with "
          "this result: as long, but its content is another" },
        { "out/runs.csv", "a,b\n", "it is cut or another one (4 bytes, not 8)" },
        { "out/runs.csv", "a,b\n1,2\n3,4\n", "it is longer (12 bytes, not 8)" },
    };
    struct sq_seals s = seals_of("runs.csv", "a,b\n1,2\n");
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_diag diag = { 0 };
        struct sq_buf text = { 0 }, said = { 0 };
        sq_buf_puts(&text, rows[i].text);
        enum sq_status status = sq_seals_check(&s, rows[i].path, &text, &diag);
        assert_int_equal(status, rows[i].said == NULL ? SQ_OK : SQ_USER);
        sq_diag_print(&diag, &said);
        if (rows[i].said != NULL && strstr(said.text, rows[i].said) == NULL) {
            fail_msg("%s is not in %s", rows[i].said, said.text);
        }
        sq_buf_fini(&text);
        sq_buf_fini(&said);
        sq_diag_fini(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_fnv_1a),
        cmocka_unit_test(pieces_and_line_ends_do_not_matter),
        cmocka_unit_test(json_and_back),
        cmocka_unit_test(what_is_no_seal),
        cmocka_unit_test(a_wrong_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
