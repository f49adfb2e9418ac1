/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces.h - a file of recorded traces (tests/vectors): each with a `control`, written as a user
 * would write it, presets included, and `steps`. */
#ifndef TESTS_MODELS_TRACES_H
#define TESTS_MODELS_TRACES_H

#include "sim/base/sq_json.h"
#include "sim/conf/sq_conf.h"
#include "sim/conf/sq_preset.h"

struct traces {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_json *root;
    const struct sq_json *list;
    struct sq_presets presets;
    struct sq_field element, rows[1];
    struct sq_table table;
    struct traces_root {
        struct sq_map all;
    } map;
};

/* Reads the file and binds all controls; the test dies of a mistake. Exactly one of the two: the
 * controls are groups of a table, or blocks of a family. */
void traces_open(struct traces *t, const char *file, const struct sq_table *table,
                 const struct sq_family *family);
void traces_fini(struct traces *t);

/* The control of a trace: the struct of the table, or a struct sq_block. */
const void *traces_control(const struct traces *t, const struct sq_json *trace);

#endif
