/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_preset.h - presets: the shipped ones, which the program carries inside itself, and a file's
 * own. A shipped file (scenarios/presets/SYSTEM.yaml) has the form
 *
 *     squall: 1
 *     title: System 1.2
 *     notes: |                     facts with their source, one per line
 *     warning: where it surprises (optional)
 *     presets: {TYPE: {NAME: BLOCK, ...}, ...}
 *
 * A file is parsed when a name that stands in it is looked up, and once. */
#ifndef SQ_PRESET_H
#define SQ_PRESET_H

#include "sim/conf/sq_conf.h"

struct sq_preset_text {
    const char *file, *text;
};
extern const struct sq_preset_text sq_preset_texts[]; /* made by embed.awk, sorted by file */
extern const size_t sq_preset_text_count;

struct sq_presets {
    struct sq_arena *arena;
    struct sq_diag *diag;      /* its `failed` tells that memory ran out */
    const struct sq_node *own; /* the file's own, by type and name; NULL: none */
    struct sq_node **trees;    /* by shipped file; NULL: not parsed yet */
};

/* Lets `conf` look presets up in the shipped files and `own` (NULL: none), both kept in its arena.
 * SQ_USER when the own ones are no presets: a type that has none under `root`, a bad name, or one
 * that a shipped preset has. */
enum sq_status sq_presets_open(struct sq_presets *p, struct sq_conf *conf,
                               const struct sq_table *root, const struct sq_node *own) SQ_MUST_USE;

/* The tree of a shipped file; NULL: out of memory. */
const struct sq_node *sq_presets_tree(struct sq_presets *p, size_t file);

/* The callbacks of struct sq_conf. */
const struct sq_node *sq_presets_find(void *presets, const char *type, const char *name);
const char *const *sq_presets_names(void *presets, const char *type, size_t *count);

/* The rows of all block types that have presets, in the order of the language, one per type. */
enum { SQ_PRESET_TYPES_MAX = 16 };
struct sq_preset_types {
    const struct sq_field *rows[SQ_PRESET_TYPES_MAX];
    const char *names[SQ_PRESET_TYPES_MAX];
    size_t count;
};
void sq_preset_types(const struct sq_table *root, struct sq_preset_types *out);

#endif
