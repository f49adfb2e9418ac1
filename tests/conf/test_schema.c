/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_schema.c - a small language with every kind of row, and what its schema says. What a
 * validator makes of the whole language is tests/cli/schema_valid.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/base/sq_json.h"
#include "sim/base/sq_mem.h"
#include "sim/conf/sq_rows.h"
#include "sim/conf/sq_schema.h"

struct wait_cfg {
    sq_time_t base, cap;
};
static const struct sq_field fixed_rows[] = {
    SQ_ROW_TIME(struct wait_cfg, base, "base", NULL, SQ_F_STAR | SQ_F_ABOVE_MIN, "Base."),
};
static const struct sq_field grow_rows[] = {
    SQ_ROW_TIME(struct wait_cfg, base, "base", "1s", 0, "Base."),
    SQ_ROW_TIME(struct wait_cfg, cap, "cap", "unlimited", SQ_F_UNLIMITED, "Cap."),
};
static const struct sq_kind kinds[] = {
    { .name = "fixed", .doc = "Fixed.", .table = { .rows = SQ_ROWS(fixed_rows) } },
    { .name = "grow", .doc = "Grows.", .table = { .rows = SQ_ROWS(grow_rows) } },
    { .name = "future", .doc = "Later.", .later = true },
};
static const struct sq_family waits = { .type = "wait",
                                        .kinds = kinds,
                                        .kind_count = SQ_COUNT(kinds),
                                        .stride = sizeof(kinds[0]),
                                        .dflt_kind = "grow",
                                        .ranges = true,
                                        .has_preset = true };
struct root_cfg {
    int64_t version, tries, retries;
    const struct sq_node *variants;
    struct sq_block wait;
    struct sq_list tags;
    struct sq_map more;
};
static const struct sq_field tag = { .key = "tag", .type = SQ_REF, .doc = "A tag." };
static const struct sq_table root_table;
static const struct sq_field again = {
    .key = "again", .type = SQ_GROUP, .more = &root_table, .doc = "The same inside."
};
static const struct sq_field root_rows[] = {
    SQ_ROW_AMOUNT_IN(struct root_cfg, version, "version", NULL, 1, 1, SQ_F_UNSET, "Version."),
    { .key = "tries",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct root_cfg, tries, int64_t),
      .alt = 1,
      .doc = "Tries." },
    { .key = "retries",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct root_cfg, retries, int64_t),
      .alt = 1,
      .doc = "Retries." },
    SQ_ROW_BLOCK(struct root_cfg, wait, "wait", NULL, &waits, SQ_F_OPTIONAL, "The wait."),
    SQ_ROW_LIST(struct root_cfg, tags, "tags", "[a, b]", &tag, SQ_F_ONE, "Tags."),
    SQ_ROW_MAP(struct root_cfg, more, "more", &again, SQ_F_OPTIONAL, "More of it."),
    SQ_ROW_RAW_AS(struct root_cfg, variants, "variants", "{\"$ref\": \"#/$defs/variant\"}",
                  SQ_F_OPTIONAL | SQ_F_UNSET, "Variants."),
    SQ_ROW_LATER("someday", "Not yet."),
};
static const struct sq_table root_table = { .type = "root",
                                            .rows = SQ_ROWS(root_rows),
                                            .size = sizeof(struct root_cfg) };
static const struct sq_schema_ask ask = {
    .table = &root_table, .id = "urn:test:1", .title = "Test", .doc = "A test."
};

static struct sq_json *written(void)
{
    struct sq_buf b = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_schema_write(&ask, &b), SQ_OK);
    assert_int_equal(sq_json_parse("schema", b.text, b.len, &diag, &root), SQ_OK);
    sq_buf_fini(&b);
    sq_diag_fini(&diag);
    return root;
}

/* The value at a path of keys and indices joined by blanks, or NULL. */
static struct sq_json *at(struct sq_json *v, const char *path)
{
    char step[64];
    while (*path != '\0') {
        size_t len = strcspn(path, " ");
        assert_true(len < sizeof(step));
        memcpy(step, path, len);
        step[len] = '\0';
        path += len + (path[len] == ' ');
        v = sq_json_kind(v) == SQ_JSON_ARRAY ? sq_json_at(v, (size_t)(step[0] - '0'))
                                             : sq_json_get(v, step);
        if (v == NULL) {
            return NULL;
        }
    }
    return v;
}

struct said {
    const char *path, *text; /* NULL: nothing is there */
};
static const struct said said[] = {
    { "$schema", "https://json-schema.org/draft/2020-12/schema" },
    { "$id", "urn:test:1" },
    { "title", "Test" },
    { "required 0", "version" },
    { "required 1", NULL }, /* either of two is not one for certain */
    { "allOf 0 anyOf 0 required 0", "tries" },
    { "allOf 0 anyOf 1 required 0", "retries" },
    { "allOf 1 not required 1", "retries" },
    { "properties version $ref", "#/$defs/scalar-count" },
    { "properties version description", "Version." },
    { "properties someday", NULL },
    { "properties tags default 1", "b" },
    { "properties tags anyOf 0 items $ref", "#/$defs/scalar-name" },
    { "properties tags anyOf 1 $ref", "#/$defs/scalar-name" },
    { "properties wait anyOf 0 $ref", "#/$defs/wait" },
    { "properties wait anyOf 1 enum 0", "none" },
    { "properties wait anyOf 1 enum 1", NULL },
    { "properties more additionalProperties $ref", "#/$defs/root" },
    { "properties variants $ref", "#/$defs/variant" },
    /* shorthands: kinds, a preset, a range, the marked key */
    { "$defs wait-short anyOf 0 const", "fixed" },
    { "$defs wait-short anyOf 1 const", "grow" },
    { "$defs wait-short anyOf 2 $ref", "#/$defs/scalar-name" },
    { "$defs wait-short anyOf 3 type", "string" },
    { "$defs wait-short anyOf 4 $ref", "#/$defs/scalar-duration" },
    { "$defs wait-short anyOf 4 not pattern", "^[0.]+[^1-9]*$" },
    { "$defs wait-short anyOf 5", NULL },
    /* whole blocks: by kind, the default one without the word, any keys beside a preset */
    { "$defs wait anyOf 0 $ref", "#/$defs/wait-short" },
    { "$defs wait anyOf 1 properties kind const", "fixed" },
    { "$defs wait anyOf 1 required 0", "kind" },
    { "$defs wait anyOf 1 allOf 0 anyOf 0 required 0", "preset" },
    { "$defs wait anyOf 1 allOf 0 anyOf 1 required 0", "base" },
    { "$defs wait anyOf 1 properties cap", NULL },
    { "$defs wait anyOf 2 properties kind const", "grow" },
    { "$defs wait anyOf 2 required", NULL },
    { "$defs wait anyOf 2 properties cap anyOf 1 enum 0", "unlimited" },
    { "$defs wait anyOf 3 required 0", "preset" },
    { "$defs wait anyOf 4", NULL },
    /* overlays: nothing required, null, no fixed keys */
    { "$defs variant required", NULL },
    { "$defs variant properties version", NULL },
    { "$defs variant properties extends $ref", "#/$defs/scalar-name" },
    { "$defs variant properties wait anyOf 0 $ref", "#/$defs/wait-change" },
    { "$defs variant properties wait anyOf 2 type", "null" },
    { "$defs variant properties tags default", NULL },
    { "$defs wait-change anyOf 2 required 0", "kind" },
    { "$defs wait-change anyOf 3 required", NULL },
    { "$defs wait-change anyOf 3 properties cap anyOf 2 type", "null" },
    { "$defs presets properties wait additionalProperties $ref", "#/$defs/wait-change" },
};

static void test_what_it_says(void **state)
{
    (void)state;
    struct sq_json *root = written();
    for (size_t i = 0; i < SQ_COUNT(said); i++) {
        struct sq_json *v = at(root, said[i].path);
        if (said[i].text == NULL ? v != NULL : sq_json_text(v) == NULL) {
            fail_msg("%s: %s", said[i].path, v != NULL ? "is there" : "is not there");
        }
        if (said[i].text != NULL) {
            assert_string_equal(sq_json_text(v), said[i].text);
        }
    }
    assert_int_equal(sq_json_number(at(root, "properties version minimum")), 1);
    assert_int_equal(sq_json_number(at(root, "properties version maximum")), 1);
    assert_int_equal(sq_json_kind(at(root, "additionalProperties")), SQ_JSON_BOOL);
    assert_false(sq_json_true(at(root, "additionalProperties")));
    sq_json_free(root);
}

/* Every reference leads somewhere. */
static void test_references(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    struct sq_json *root = written(), *defs = sq_json_get(root, "$defs");
    assert_int_equal(sq_schema_write(&ask, &b), SQ_OK);
    size_t refs = 0;
    static const char mark[] = "\"$ref\": \"#/$defs/";
    for (const char *p = strstr(b.text, mark); p != NULL; p = strstr(p, mark)) {
        char name[64];
        p += sizeof(mark) - 1;
        size_t len = strcspn(p, "\"");
        assert_true(len < sizeof(name));
        memcpy(name, p, len);
        name[len] = '\0';
        if (sq_json_get(defs, name) == NULL) {
            fail_msg("no definition of %s", name);
        }
        refs++;
    }
    assert_true(refs > 20);
    sq_json_free(root);
    sq_buf_fini(&b);
}

static void test_no_memory(void **state)
{
    (void)state;
    enum sq_status status = SQ_NOMEM;
    long n = 0;
    for (; status != SQ_OK && n < 20000; n++) {
        struct sq_buf b = { 0 };
        sq_mem_fail_after(n);
        status = sq_schema_write(&ask, &b);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || status == SQ_NOMEM);
        sq_buf_fini(&b);
    }
    assert_int_equal(status, SQ_OK);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_says),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
