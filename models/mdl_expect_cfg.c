/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_expect_cfg.c - the rows of an expectation. */
#include "models/mdl_expect_cfg.h"

#include "sim/conf/sq_rows.h"

#include <string.h>

static const char *const severities[] = { "error", "warn", NULL };

/* What the two instants may be is the business of the reader: T1+30m. */
static const char when_schema[] =
    "{\"anyOf\": [{\"const\": \"always\"},"
    " {\"type\": \"object\", \"properties\": {\"at\": {\"type\": \"string\"}},"
    " \"required\": [\"at\"], \"additionalProperties\": false},"
    " {\"type\": \"object\", \"properties\": {\"between\": {\"type\": \"array\","
    " \"items\": {\"type\": \"string\"}, \"minItems\": 2, \"maxItems\": 2}},"
    " \"required\": [\"between\"], \"additionalProperties\": false}]}";

static const struct sq_field expect_rows[] = {
    SQ_ROW_TEXT(struct mdl_expect_cfg, that, "that", NULL, 0,
                "The comparison that must hold, for example drain.healthy_s < 3m."),
    SQ_ROW_TEXT(struct mdl_expect_cfg, variant, "variant", "base", 0,
                "The variant it is about; all: base and every variant."),
    SQ_ROW_RATIO(struct mdl_expect_cfg, in, "in", "100%", 0,
                 "The share of runs in which it must hold."),
    SQ_ROW_CHOICE(struct mdl_expect_cfg, severity, "severity", "error", severities, 0,
                  "Whether a check fails when it does not hold, or only says so."),
    SQ_ROW_RAW_AS(
        struct mdl_expect_cfg, when, "when", when_schema, SQ_F_OPTIONAL,
        "always, {at: TIME} or {between: [TIME, TIME]}: then it is about timeline columns."),
};

static const struct sq_table expect_table = { .type = "expectation",
                                              .rows = SQ_ROWS(expect_rows),
                                              .size = sizeof(struct mdl_expect_cfg) };

const struct sq_field mdl_expect_element = {
    .key = "expectation", .type = SQ_GROUP, .more = &expect_table, .doc = "What must hold."
};

enum sq_status mdl_expect_echo(struct sq_node *tree, const char *variant, struct sq_arena *arena)
{
    struct sq_node *all = sq_node_get(tree, "expect");
    struct sq_node *kept = all != NULL ? sq_node_new(arena, SQ_NODE_LIST, all->where) : NULL;
    if (all == NULL) {
        return SQ_OK;
    }
    enum sq_status status = kept != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < all->count && status == SQ_OK; i++) {
        struct sq_node *entry = all->items[i], *word = sq_node_get(entry, "variant");
        bool own = strcmp(word->text, variant) == 0 || strcmp(word->text, "all") == 0;
        if (own && strchr(sq_node_get(entry, "that")->text, '@') == NULL) {
            word->text = "base";
            status = sq_node_push(arena, kept, entry);
        }
    }
    if (status != SQ_OK) {
        return status;
    }
    if (kept->count == 0) {
        sq_node_drop(tree, "expect");
        return SQ_OK;
    }
    return sq_node_put(arena, tree, "expect", all->where, kept);
}
