/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_expr_in.h - the tree of an expression; only sq_expr*.c include it. */
#ifndef SQ_EXPR_IN_H
#define SQ_EXPR_IN_H

#include "sim/conf/sq_expr.h"

enum sq_expr_kind {
    SQ_EXPR_AMOUNT,
    SQ_EXPR_WORD,
    SQ_EXPR_NULL,
    SQ_EXPR_REF,
    SQ_EXPR_NEG, /* of a */
    SQ_EXPR_ADD,
    SQ_EXPR_SUB,
    SQ_EXPR_MUL,
    SQ_EXPR_DIV,
};

struct sq_expr_node {
    enum sq_expr_kind kind;
    enum sq_expr_unit unit;
    struct sq_where where;
    double amount;
    const char *word; /* WORD */
    size_t ref;       /* REF */
    const struct sq_expr_node *a, *b;
};

#endif
