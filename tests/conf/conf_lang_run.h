/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conf_lang_run.h - runs a text of the made-up language through the steps of sq_conf. */
#ifndef CONF_LANG_RUN_H
#define CONF_LANG_RUN_H

#include "tests/conf/conf_lang.h"

enum lang_step { LANG_EXPAND, LANG_MERGE, LANG_FILL, LANG_BIND };

struct lang_run {
    enum lang_step last;
    const char *base;
    const char *over; /* an overlay, or NULL */
    const char *set;  /* a PATH=VALUE, or NULL */
};

struct lang_result {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_node *tree;
    struct root root; /* after LANG_BIND without mistakes */
    enum sq_status status;
};

/* The steps up to `last`; goes on after mistakes, as the program does. */
void lang_run(const struct lang_run *run, struct lang_result *out);
void lang_fini(struct lang_result *r);

/* What came out: the complaints, or the tree. Free with sq_buf_fini. */
void lang_show(const struct lang_result *r, struct sq_buf *out);

/* The configuration of the steps, with the presets of the made-up language. */
struct sq_conf lang_conf(struct lang_result *r);

#endif
