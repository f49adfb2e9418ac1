/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_preset.c - the shipped files have the form that they must have, and looking presets up finds
 * what stands in them. */
#include "sim/conf/sq_preset.h"
#include "tests/conf/conf_lang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct open {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_conf conf;
    struct sq_presets presets;
};

/* `own` as YAML; NULL: none. */
static enum sq_status open_presets(struct open *o, const char *own)
{
    *o = (struct open){ 0 };
    o->conf = (struct sq_conf){ .arena = &o->arena, .diag = &o->diag };
    struct sq_node *tree = NULL;
    if (own != NULL) {
        assert_int_equal(sq_doc_parse("f", own, strlen(own), &o->arena, &o->diag, &tree), SQ_OK);
    }
    return sq_presets_open(&o->presets, &o->conf, &lang_table, tree);
}

static void fini(struct open *o)
{
    sq_diag_fini(&o->diag);
    sq_arena_fini(&o->arena);
}

static void has_text(const struct sq_node *tree, const char *key, const char *file)
{
    const struct sq_node *n = sq_node_get(tree, key);
    if (n == NULL || n->kind != SQ_NODE_SCALAR || n->text[0] == '\0') {
        fail_msg("%s has no %s", file, key);
    }
}

static void shipped_files_have_their_form(void **state)
{
    (void)state;
    static const char *const keys[] = { "squall", "title", "notes", "warning", "presets" };
    struct open o;
    assert_int_equal(open_presets(&o, NULL), SQ_OK);
    assert_true(sq_preset_text_count > 0);
    for (size_t i = 0; i < sq_preset_text_count; i++) {
        const char *file = sq_preset_texts[i].file;
        assert_true(i == 0 || strcmp(sq_preset_texts[i - 1].file, file) < 0);
        const struct sq_node *tree = sq_presets_tree(&o.presets, i);
        assert_non_null(tree);
        has_text(tree, "title", file);
        has_text(tree, "notes", file);
        assert_string_equal(sq_node_get(tree, "squall")->text, "1");
        for (size_t k = 0; k < tree->count; k++) {
            bool known = false;
            for (size_t j = 0; j < SQ_COUNT(keys); j++) {
                known |= strcmp(tree->keys[k], keys[j]) == 0;
            }
            if (!known) {
                fail_msg("%s has an unknown key %s", file, tree->keys[k]);
            }
        }
        const struct sq_node *types = sq_node_get(tree, "presets");
        assert_true(types != NULL && types->kind == SQ_NODE_MAP && types->count > 0);
    }
    fini(&o);
}

/* Each name is found by its type, and as itself: so none stands in two files. */
static void every_shipped_preset_is_found(void **state)
{
    (void)state;
    struct open o;
    assert_int_equal(open_presets(&o, NULL), SQ_OK);
    size_t found = 0, listed = 0;
    for (size_t i = 0; i < sq_preset_text_count; i++) {
        const struct sq_node *types = sq_node_get(sq_presets_tree(&o.presets, i), "presets");
        for (size_t t = 0; t < types->count; t++) {
            const struct sq_node *map = types->items[t];
            for (size_t k = 0; map->kind == SQ_NODE_MAP && k < map->count; k++, found++) {
                assert_true(sq_is_name(map->keys[k]));
                if (sq_presets_find(&o.presets, types->keys[t], map->keys[k]) != map->items[k]) {
                    fail_msg("there are two presets %s %s", types->keys[t], map->keys[k]);
                }
            }
        }
    }
    static const char *const all_types[] = { "queue",      "workers",    "retry",      "breaker",
                                             "budget",     "ramp",       "rate_limit", "adaptive",
                                             "autoscaler", "concurrency" };
    for (size_t t = 0; t < SQ_COUNT(all_types); t++) {
        size_t count = 0;
        assert_non_null(sq_presets_names(&o.presets, all_types[t], &count));
        listed += count;
    }
    assert_int_equal(found, listed);
    fini(&o);
}

static void only_the_file_with_the_name_is_read(void **state)
{
    (void)state;
    struct open o;
    assert_int_equal(open_presets(&o, NULL), SQ_OK);
    assert_null(sq_presets_find(&o.presets, "retry", "no-such-preset"));
    assert_null(o.presets.trees); /* the name stands in no file */
    assert_non_null(sq_presets_find(&o.presets, "retry", "celery"));
    assert_null(sq_presets_find(&o.presets, "discipline", "celery"));
    fini(&o);
}

static void own_ones_are_found_and_checked(void **state)
{
    (void)state;
    static const struct {
        const char *own, *complaint; /* NULL: fine */
    } rows[] = {
        { "retry: {house: {max_retries: 1}}", NULL },
        { "{}", NULL },
        { "retry: {}", NULL },
        { "retyr: {house: {max_retries: 1}}",
          "f:1:1: presets: blocks of the type `retyr` have no presets\n"
          "    hint: did you mean `retry`?\n" },
        { "retry: {celery: {max_retries: 1}}",
          "f:1:9: presets.retry: `celery` is the name of a shipped retry preset\n"
          "    hint: choose another name; `squall presets` lists the shipped ones\n" },
        { "retry: {My_House: {}}",
          "f:1:9: presets.retry: `My_House` is not a name\n"
          "    hint: a name starts with a lower-case letter and goes on with these, digits and "
          "`-`; at most 40 characters\n" },
        { "retry: house", "f:1:8: presets.retry: needs a map from names to blocks\n"
                          "    hint: for example house: {max_attempts: 5}\n" },
        { "house", "f:1:1: presets: needs a map from block types to presets\n"
                   "    hint: for example presets: {retry: {house: {max_attempts: 5}}}\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct open o;
        struct sq_buf b = { 0 };
        enum sq_status status = open_presets(&o, rows[i].own);
        sq_diag_print(&o.diag, &b);
        assert_int_equal(status, rows[i].complaint == NULL ? SQ_OK : SQ_USER);
        assert_string_equal(b.len > 0 ? b.text : "",
                            rows[i].complaint != NULL ? rows[i].complaint : "");
        if (i == 0) {
            assert_non_null(sq_presets_find(&o.presets, "retry", "house"));
            assert_null(sq_presets_find(&o.presets, "queue", "house"));
        }
        sq_buf_fini(&b);
        fini(&o);
    }
}

static void types_are_those_of_the_tables(void **state)
{
    (void)state;
    struct sq_preset_types types;
    sq_preset_types(&lang_table, &types);
    assert_true(types.count >= 3); /* workers, retry, budget */
    for (size_t i = 0; i < types.count; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(types.names[i], types.names[j]);
        }
    }
}

static void no_memory_is_told(void **state)
{
    (void)state;
    for (long n = 0; n < 4; n++) {
        struct open o;
        assert_int_equal(open_presets(&o, NULL), SQ_OK);
        sq_mem_fail_after(n);
        size_t count;
        const char *const *names = sq_presets_names(&o.presets, "retry", &count);
        sq_mem_fail_after(-1);
        assert_true(names != NULL || o.diag.failed);
        fini(&o);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_files_have_their_form),
        cmocka_unit_test(every_shipped_preset_is_found),
        cmocka_unit_test(only_the_file_with_the_name_is_read),
        cmocka_unit_test(own_ones_are_found_and_checked),
        cmocka_unit_test(types_are_those_of_the_tables),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests_name("sq_preset", tests, NULL, NULL);
}
