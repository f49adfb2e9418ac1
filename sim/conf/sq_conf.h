/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf.h - from a tree of nodes to filled structs, by field rows.
 *
 * The steps, in the order of SCENARIO.md section 1:
 *   1. sq_conf_expand   shorthands written out, in the base and in every overlay
 *   2. sq_conf_merge    overlays (variants, --set) into the base, rules 1-5
 *   3. sq_conf_fill     presets, then defaults, marked `filled`
 *   4. sq_conf_bind     checks and values into structs
 * After step 3 the tree printed by sq_node_print is the effective scenario.
 *
 * All report every mistake they find to `diag` at the node's place with the key's path, and return
 * SQ_USER if there was any. Names of keys that exist but are not supported yet
 * (SQ_F_LATER, kind.later) give "... is not supported yet". */
#ifndef SQ_CONF_H
#define SQ_CONF_H

#include "sim/conf/sq_field.h"

struct sq_conf {
    struct sq_arena *arena;
    struct sq_diag *diag;
    /* Looks up a shipped or file preset: its tree (unexpanded), or NULL. May be NULL:
     * then `preset` is a key that is not supported yet. */
    const struct sq_node *(*preset)(void *ctx, const char *type, const char *name);
    void *preset_ctx;
    /* The names it knows for a type, for "did you mean". May be NULL. */
    const char *const *(*preset_names)(void *ctx, const char *type, size_t *count);
};

enum sq_status sq_conf_expand(const struct sq_conf *c, struct sq_node *node,
                              const struct sq_table *table, const char *path) SQ_MUST_USE;

/* Both sides expanded. `base` is changed; parts of `over` are copied. A key that is not
 * overlayable (SQ_F_UNSET) is an error. */
enum sq_status sq_conf_merge(const struct sq_conf *c, struct sq_node *base,
                             const struct sq_node *over, const struct sq_table *table,
                             const char *path) SQ_MUST_USE;

/* The overlay tree of one `PATH=VALUE`: keys joined by dots, numbers index lists of `base`,
 * VALUE is YAML. Places are given as file "--set". */
enum sq_status sq_conf_set(const struct sq_conf *c, struct sq_node *base, const char *assignment,
                           const struct sq_table *table) SQ_MUST_USE;

enum sq_status sq_conf_fill(const struct sq_conf *c, struct sq_node *node,
                            const struct sq_table *table, const char *path) SQ_MUST_USE;

/* Fills `out` (table->size zeroed bytes) from an expanded, filled tree. */
enum sq_status sq_conf_bind(const struct sq_conf *c, const struct sq_node *node,
                            const struct sq_table *table, const char *path, void *out) SQ_MUST_USE;

/* The place that a path names inside bound structs, for `set` actions: the row, the address of the
 * member, and the first two steps of the path ("workers", "renderers"). A path to a GROUP or BLOCK
 * with a SQ_F_STAR row of the present kind names that row. SQ_USER when there is no such path or it
 * is not live (sq_field.h). */
struct sq_place {
    const struct sq_field *row;
    void *at;
    const char *section, *name;
};
enum sq_status sq_conf_locate(const struct sq_conf *c, const struct sq_table *table, void *cfg,
                              const char *path, struct sq_where where,
                              struct sq_place *out) SQ_MUST_USE;

/* The amount that a path names in a filled tree, for studies that vary it. A path to a group or
 * block with a marked row names that row's value, so that `arrivals` is its rate. SQ_USER, at
 * `where`, when the language has no such key, when a name in it does not exist, or when what it
 * names is no amount (TIME, RATE, RATIO, AMOUNT, SIZE, NUMBER). */
struct sq_amount {
    const struct sq_field *row;
    const char *path;           /* in full, with the marked keys; for sq_conf_set */
    const struct sq_node *node; /* what stands there, or NULL */
};
enum sq_status sq_conf_find(const struct sq_conf *c, const struct sq_node *tree,
                            const struct sq_table *table, const char *path, struct sq_where where,
                            struct sq_amount *out) SQ_MUST_USE;

/* Parses a node as the row says into `at`, shorthands, defaults and range checks included. `at` is
 * written only when all is well. */
enum sq_status sq_conf_value(const struct sq_conf *c, const struct sq_node *node,
                             const struct sq_field *row, const char *path, void *at) SQ_MUST_USE;

/* [a-z][a-z0-9-]*, at most SQ_MAX_NAME. */
bool sq_is_name(const char *s);

#endif
