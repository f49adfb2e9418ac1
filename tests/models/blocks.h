/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks.h - a map `all` of blocks of one family, written as a user would: for tests of policies
 * without a world around them. */
#ifndef TESTS_MODELS_BLOCKS_H
#define TESTS_MODELS_BLOCKS_H

#include "sim/conf/sq_conf.h"

struct blocks {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_buf complaints;
    struct sq_field element, rows[1];
    struct sq_table table;
    struct blocks_root {
        struct sq_map all; /* of struct sq_block */
    } root;
};

/* Reads "all: {NAME: BLOCK, ...}" through every step of sq_conf. */
enum sq_status blocks_bind(struct blocks *b, const struct sq_family *family, const char *yaml);
void blocks_fini(struct blocks *b);

/* A block by name; the test fails when there is none. */
const struct sq_block *blocks_get(const struct blocks *b, const char *name);

/* The complaints as they are printed; valid until blocks_fini. */
const char *blocks_complaints(struct blocks *b);

#endif
