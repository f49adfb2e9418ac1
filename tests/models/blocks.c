/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks.c - see blocks.h. */
#include "tests/models/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum sq_status blocks_bind(struct blocks *b, const struct sq_family *family, const char *yaml)
{
    *b = (struct blocks){ 0 };
    b->element = (struct sq_field){
        .key = "block", .type = SQ_BLOCK, .more = family, .flags = SQ_F_LIVE, .doc = "One."
    };
    b->rows[0] = (struct sq_field){ .key = "all",
                                    .type = SQ_MAP,
                                    .off = offsetof(struct blocks_root, all),
                                    .more = &b->element,
                                    .doc = "Many." };
    b->table = (struct sq_table){ .rows = b->rows, .row_count = 1, .size = sizeof(b->root) };
    struct sq_conf conf = { .arena = &b->arena, .diag = &b->diag };
    struct sq_node *tree;
    enum sq_status status =
        sq_doc_parse("test.yaml", yaml, strlen(yaml), &b->arena, &b->diag, &tree);
    if (status == SQ_OK) {
        status = sq_conf_expand(&conf, tree, &b->table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_fill(&conf, tree, &b->table, "");
    }
    return status == SQ_OK ? sq_conf_bind(&conf, tree, &b->table, "", &b->root) : status;
}

void blocks_fini(struct blocks *b)
{
    sq_diag_fini(&b->diag);
    sq_arena_fini(&b->arena);
    sq_buf_fini(&b->complaints);
}

const struct sq_block *blocks_get(const struct blocks *b, const char *name)
{
    int i = sq_map_find(&b->root.all, name);
    assert_true(i >= 0);
    return sq_map_at(&b->root.all, (size_t)i);
}

const char *blocks_complaints(struct blocks *b)
{
    sq_buf_fini(&b->complaints);
    b->complaints = (struct sq_buf){ 0 };
    sq_diag_print(&b->diag, &b->complaints);
    return b->complaints.text != NULL ? b->complaints.text : "";
}
