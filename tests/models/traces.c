/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces.c - see traces.h. */
#include "tests/models/traces.h"

#include "sim/base/sq_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void must(struct traces *t, enum sq_status status)
{
    if (status != SQ_OK) {
        struct sq_buf text = { 0 };
        sq_diag_print(&t->diag, &text);
        fail_msg("%s", text.text != NULL ? text.text : "no memory");
    }
}

/* "all: {ID: CONTROL, ...}" */
static void say_controls(const struct traces *t, struct sq_buf *yaml)
{
    sq_buf_puts(yaml, "all:\n");
    for (size_t i = 0; i < sq_json_count(t->list); i++) {
        const struct sq_json *trace = sq_json_at(t->list, i);
        sq_buf_printf(yaml, "  %s: %s\n", sq_json_text(sq_json_get(trace, "id")),
                      sq_json_text(sq_json_get(trace, "control")));
    }
}

static void bind(struct traces *t, const struct sq_buf *yaml)
{
    struct sq_conf conf = { .arena = &t->arena, .diag = &t->diag };
    struct sq_node *tree;
    must(t, sq_presets_open(&t->presets, &conf, &t->table, NULL));
    must(t, sq_doc_parse("traces", yaml->text, yaml->len, &t->arena, &t->diag, &tree));
    must(t, sq_conf_expand(&conf, tree, &t->table, ""));
    must(t, sq_conf_fill(&conf, tree, &t->table, ""));
    must(t, sq_conf_bind(&conf, tree, &t->table, "", &t->map));
}

void traces_open(struct traces *t, const char *file, const struct sq_table *table,
                 const struct sq_family *family)
{
    *t = (struct traces){ 0 };
    struct sq_buf text = { 0 }, yaml = { 0 };
    must(t, sq_file_read(file, 1 << 20, &text, &t->diag));
    must(t, sq_json_parse(file, text.text, text.len, &t->diag, &t->root));
    t->list = sq_json_get(t->root, "traces");
    t->element = (struct sq_field){ .key = "control",
                                    .type = table != NULL ? SQ_GROUP : SQ_BLOCK,
                                    .more = table != NULL ? (const void *)table : family,
                                    .doc = "One." };
    t->rows[0] = (struct sq_field){ .key = "all",
                                    .type = SQ_MAP,
                                    .off = offsetof(struct traces_root, all),
                                    .more = &t->element,
                                    .flags = SQ_F_ANY_KEY,
                                    .doc = "Many." };
    t->table = (struct sq_table){ .rows = t->rows, .row_count = 1, .size = sizeof(t->map) };
    say_controls(t, &yaml);
    bind(t, &yaml);
    sq_buf_fini(&text);
    sq_buf_fini(&yaml);
}

void traces_fini(struct traces *t)
{
    sq_json_free(t->root);
    sq_diag_fini(&t->diag);
    sq_arena_fini(&t->arena);
}

const void *traces_control(const struct traces *t, const struct sq_json *trace)
{
    int i = sq_map_find(&t->map.all, sq_json_text(sq_json_get(trace, "id")));
    assert_true(i >= 0);
    return sq_map_at(&t->map.all, (size_t)i);
}
