/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_expr_eval.c - the value of an expression, and what its types allow. */
#include "sim/conf/sq_expr_in.h"

#include <math.h>
#include <string.h>

bool sq_expr_is_constant(const struct sq_expr_node *side)
{
    if (side->kind == SQ_EXPR_REF) {
        return false;
    }
    return (side->a == NULL || sq_expr_is_constant(side->a)) &&
           (side->b == NULL || sq_expr_is_constant(side->b));
}

enum sq_expr_unit sq_expr_unit(const struct sq_expr_node *side)
{
    return side->unit;
}

/* ---- types ---- */

static bool is_word(const struct sq_expr_node *n, const bool *words)
{
    return n->kind == SQ_EXPR_WORD || (n->kind == SQ_EXPR_REF && words[n->ref]);
}

static const char *name_of(const struct sq_expr *e, const struct sq_expr_node *n)
{
    return n->kind == SQ_EXPR_REF ? e->refs[n->ref].name : n->word;
}

struct checker {
    const struct sq_expr *e;
    const bool *words;
    const char *path;
    struct sq_diag *diag;
};

static enum sq_status check_number(const struct checker *c, const struct sq_expr_node *n)
{
    if (is_word(n, c->words) || n->kind == SQ_EXPR_NULL) {
        bool null = n->kind == SQ_EXPR_NULL;
        const char *hint = n->kind == SQ_EXPR_WORD
                               ? "metrics have names with dots, for example jobs.completed"
                               : NULL;
        return sq_diag_error(c->diag, n->where, c->path, hint,
                             null ? "`%s` cannot be calculated with"
                                  : "`%s` is a word, which cannot be calculated with",
                             null ? "null" : name_of(c->e, n));
    }
    enum sq_status status = n->a != NULL ? check_number(c, n->a) : SQ_OK;
    return status == SQ_OK && n->b != NULL ? check_number(c, n->b) : status;
}

/* One side is a word: the other must be one, or null. */
static enum sq_status check_words(const struct checker *c)
{
    const struct sq_expr *e = c->e;
    bool left = is_word(e->left, c->words), right = is_word(e->right, c->words);
    const struct sq_expr_node *word = left ? e->left : e->right;
    const struct sq_expr_node *other = left ? e->right : e->left;
    if (e->cmp != SQ_EXPR_EQ && e->cmp != SQ_EXPR_NE) {
        return sq_diag_error(c->diag, word->where, c->path, NULL,
                             "`%s` is a word: it can be compared with == and != alone",
                             name_of(e, word));
    }
    if (left && right) {
        return SQ_OK;
    }
    if (other->kind == SQ_EXPR_REF) {
        return sq_diag_error(c->diag, word->where, c->path,
                             "metrics have names with dots, for example jobs.completed",
                             "`%s` is a number and can never be the word `%s`", name_of(e, other),
                             name_of(e, word));
    }
    if (other->kind == SQ_EXPR_NULL) {
        return SQ_OK;
    }
    return sq_diag_error(c->diag, other->where, c->path, NULL,
                         "`%s` is a word and can never be a number", name_of(e, word));
}

enum sq_status sq_expr_check(const struct sq_expr *e, const bool *words, const char *path,
                             struct sq_diag *diag)
{
    struct checker c = { e, words, path, diag };
    bool null = e->right->kind == SQ_EXPR_NULL;
    if (null && e->cmp != SQ_EXPR_EQ && e->cmp != SQ_EXPR_NE) {
        return sq_diag_error(diag, e->right->where, path, NULL,
                             "null can be compared with == and != alone");
    }
    if (is_word(e->left, words) || is_word(e->right, words)) {
        return check_words(&c);
    }
    enum sq_status status = check_number(&c, e->left);
    return status == SQ_OK && !null ? check_number(&c, e->right) : status;
}

const char *sq_expr_word(const struct sq_expr *e, size_t ref, struct sq_where *where)
{
    if (e->left->kind != SQ_EXPR_REF || e->left->ref != ref || e->right->kind != SQ_EXPR_WORD) {
        return NULL;
    }
    *where = e->right->where;
    return e->right->word;
}

/* ---- values ---- */

static double number_of(const struct sq_expr_node *n, sq_expr_look *look, const void *ctx)
{
    double a = n->a != NULL ? number_of(n->a, look, ctx) : 0;
    double b = n->b != NULL ? number_of(n->b, look, ctx) : 0;
    switch (n->kind) {
    case SQ_EXPR_AMOUNT:
        return n->amount;
    case SQ_EXPR_REF:
        return look(ctx, n->ref).number;
    case SQ_EXPR_NEG:
        return -a;
    case SQ_EXPR_ADD:
        return a + b;
    case SQ_EXPR_SUB:
        return a - b;
    case SQ_EXPR_MUL:
        return a * b;
    case SQ_EXPR_DIV:
        return b != 0 ? a / b : (double)NAN;
    case SQ_EXPR_WORD:
    case SQ_EXPR_NULL:
        break;
    }
    return (double)NAN;
}

static struct sq_value value_of(const struct sq_expr_node *n, sq_expr_look *look, const void *ctx)
{
    if (n->kind == SQ_EXPR_WORD) {
        return (struct sq_value){ (double)NAN, n->word };
    }
    struct sq_value v = { (double)NAN, NULL };
    if (n->kind == SQ_EXPR_REF) {
        v = look(ctx, n->ref);
    } else {
        v.number = number_of(n, look, ctx);
    }
    v.number = v.word == NULL && isfinite(v.number) ? v.number : (double)NAN;
    return v;
}

static bool compare(enum sq_expr_cmp cmp, double a, double b)
{
    switch (cmp) {
    case SQ_EXPR_EQ:
        return a == b;
    case SQ_EXPR_NE:
        return a != b;
    case SQ_EXPR_LT:
        return a < b;
    case SQ_EXPR_LE:
        return a <= b;
    case SQ_EXPR_GT:
        return a > b;
    case SQ_EXPR_GE:
        return a >= b;
    }
    SQ_UNREACHABLE("every comparison is handled above");
}

static double margin_of(enum sq_expr_cmp cmp, double a, double b)
{
    if (cmp == SQ_EXPR_LT || cmp == SQ_EXPR_LE) {
        return b - a;
    }
    if (cmp == SQ_EXPR_GT || cmp == SQ_EXPR_GE) {
        return a - b;
    }
    return a == b ? 0 : cmp == SQ_EXPR_EQ ? -fabs(a - b) : fabs(a - b);
}

static bool is_null(struct sq_value v)
{
    return v.word == NULL && isnan(v.number);
}

struct sq_expr_verdict sq_expr_eval(const struct sq_expr *e, sq_expr_look *look, const void *ctx)
{
    struct sq_expr_verdict v = { .left = value_of(e->left, look, ctx),
                                 .right = value_of(e->right, look, ctx),
                                 .margin = (double)NAN };
    if (e->right->kind == SQ_EXPR_NULL) {
        v.holds = is_null(v.left) == (e->cmp == SQ_EXPR_EQ);
    } else if (is_null(v.left) || is_null(v.right)) {
        v.holds = false;
    } else if (v.left.word != NULL || v.right.word != NULL) {
        bool same =
            v.left.word != NULL && v.right.word != NULL && strcmp(v.left.word, v.right.word) == 0;
        v.holds = same == (e->cmp == SQ_EXPR_EQ);
    } else {
        v.holds = compare(e->cmp, v.left.number, v.right.number);
        v.margin = margin_of(e->cmp, v.left.number, v.right.number);
    }
    return v;
}
