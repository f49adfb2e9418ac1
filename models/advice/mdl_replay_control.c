/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay_control.c - which kind of control a text means, and reading it. */
#include "models/advice/mdl_replay_in.h"

#include "models/mdl_scenario.h"
#include "models/part/mdl_budget_rows.h"
#include "models/policy/mdl_limiter.h"
#include "models/policy/mdl_ramp.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

struct holder {
    struct mdl_breaker_cfg *breaker;
    struct sq_block budget, rate_limit, ramp;
};
static const struct sq_field holder_rows[] = {
    [REPLAY_BREAKER] = SQ_ROW_GROUP(struct holder, breaker, "breaker", NULL, &mdl_breaker_table,
                                    SQ_F_OPTIONAL, "A circuit breaker."),
    [REPLAY_BUDGET] = SQ_ROW_BLOCK(struct holder, budget, "budget", NULL, &mdl_budget_family,
                                   SQ_F_OPTIONAL, "A retry budget."),
    [REPLAY_RATE] = SQ_ROW_BLOCK(struct holder, rate_limit, "rate_limit", NULL, &mdl_limiter_family,
                                 SQ_F_OPTIONAL, "A bound on calls per time."),
    [REPLAY_RAMP] = SQ_ROW_BLOCK(struct holder, ramp, "ramp", NULL, &mdl_ramp_family, SQ_F_OPTIONAL,
                                 "Limits that rise after trouble."),
};
static const struct sq_table holder_table = { .rows = SQ_ROWS(holder_rows),
                                              .size = sizeof(struct holder) };

static const char hint[] = "say which: '{budget: envoy}', '{breaker: {open_for: 5s}}'; `squall "
                           "presets` lists the names";

/* ---- which kind it is ---- */

static bool has_key(const struct sq_table *t, const char *key)
{
    return sq_table_find(t, key) != NULL;
}

/* Whether a block of this family may hold the key: of its kind, or without one of any. */
static bool family_has(const struct sq_family *f, const char *kind, const char *key)
{
    bool found = false;
    for (size_t i = 0; i < f->kind_count && !found; i++) {
        const struct sq_kind *k = sq_family_kind(f, i);
        found = (kind == NULL || strcmp(k->name, kind) == 0) && has_key(&k->table, key);
    }
    return found;
}

static const char *text_of(const struct sq_node *map, const char *key)
{
    const struct sq_node *n = sq_node_get(map, key);
    return n != NULL && n->kind == SQ_NODE_SCALAR ? n->text : NULL;
}

static bool fits(struct replay_control *c, const struct sq_node *node, enum replay_type type)
{
    const char *name = holder_rows[type].key;
    if (node->kind == SQ_NODE_SCALAR) {
        return sq_presets_find(&c->presets, name, node->text) != NULL;
    }
    const struct sq_family *family = type == REPLAY_BREAKER ? NULL : holder_rows[type].more;
    const char *kind = text_of(node, "kind"), *preset = text_of(node, "preset");
    bool all = preset == NULL || sq_presets_find(&c->presets, name, preset) != NULL;
    all = all && (kind == NULL || (family != NULL && sq_family_find(family, kind) != NULL));
    for (size_t i = 0; i < node->count && all; i++) {
        const char *key = node->keys[i];
        bool common = strcmp(key, "kind") == 0 || strcmp(key, "preset") == 0;
        all = common ||
              (family == NULL ? has_key(&mdl_breaker_table, key) : family_has(family, kind, key));
    }
    return all;
}

/* The block and its type: as it is said, or the one type that it can be. */
static enum sq_status find_type(struct replay_control *c, struct sq_node **node,
                                struct sq_diag *diag)
{
    struct sq_node *n = *node;
    for (int t = 0; t < REPLAY_TYPES && n->kind == SQ_NODE_MAP && n->count == 1; t++) {
        if (strcmp(n->keys[0], holder_rows[t].key) == 0) {
            *node = n->items[0];
            c->type = (enum replay_type)t;
            return SQ_OK;
        }
    }
    int found = 0;
    char names[80] = "";
    for (int t = 0; t < REPLAY_TYPES && n->kind != SQ_NODE_LIST; t++) {
        if (fits(c, n, (enum replay_type)t)) {
            c->type = (enum replay_type)t;
            (void)strncat(names, found++ > 0 ? " and a " : "a ", sizeof(names) - strlen(names) - 1);
            (void)strncat(names, holder_rows[t].key, sizeof(names) - strlen(names) - 1);
        }
    }
    if (found == 1) {
        return SQ_OK;
    }
    if (found > 1) {
        return sq_diag_error(diag, n->where, NULL, hint, "that can be %s", names);
    }
    return sq_diag_error(
        diag, n->where, NULL, hint, "%s%s%s is no breaker, budget, rate_limit or ramp",
        n->kind == SQ_NODE_SCALAR ? "`" : "", n->kind == SQ_NODE_SCALAR ? n->text : "that",
        n->kind == SQ_NODE_SCALAR ? "`" : "");
}

/* ---- reading it ---- */

static enum sq_status bind(struct replay_control *c, const struct sq_conf *conf,
                           struct sq_node *block)
{
    struct sq_node *root = sq_node_new(conf->arena, SQ_NODE_MAP, block->where);
    struct holder holder = { 0 };
    const char *key = holder_rows[c->type].key;
    enum sq_status status =
        root != NULL ? sq_node_add(conf->arena, root, key, block->where, block) : SQ_NOMEM;
    if (status == SQ_OK) {
        status = sq_conf_expand(conf, root, &holder_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_fill(conf, root, &holder_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_bind(conf, root, &holder_table, "", &holder);
    }
    if (status == SQ_OK) {
        c->breaker = holder.breaker;
        c->block = c->type == REPLAY_BUDGET ? holder.budget
                   : c->type == REPLAY_RATE ? holder.rate_limit
                                            : holder.ramp;
    }
    return status;
}

enum sq_status replay_control_read(struct replay_control *c, const char *text,
                                   struct sq_arena *arena, struct sq_diag *diag)
{
    *c = (struct replay_control){ 0 };
    struct sq_conf conf = { .arena = arena, .diag = diag };
    struct sq_where where = { .file = "CONTROL" };
    struct sq_node *node = NULL;
    enum sq_status status = sq_presets_open(&c->presets, &conf, &mdl_root_table, NULL);
    if (status == SQ_OK && text[strspn(text, " \t\n")] == '\0') {
        status = sq_diag_error(diag, where, NULL, hint, "the control is empty");
    }
    if (status == SQ_OK) {
        status = sq_doc_parse("CONTROL", text, strlen(text), arena, diag, &node);
    }
    if (status == SQ_OK) {
        status = find_type(c, &node, diag);
    }
    if (status == SQ_OK) {
        status = bind(c, &conf, node);
    }
    bool ramp = status == SQ_OK && c->type == REPLAY_RAMP;
    if (ramp && mdl_ramp_common(&c->block)->starts == MDL_RAMP_BREAKER_CLOSE) {
        status = sq_diag_error(diag, where, NULL, "use starts: errors-stop",
                               "a ramp that starts when a breaker closes says nothing without it");
    }
    return status;
}
