/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_expr.h - the expressions of expectations: `SUM CMP SUM` (SCENARIO 11).
 *
 *   comparison   == != < <= > >=
 *   sum          + - * / ( ) over metrics and amounts; a leading - is allowed
 *   metric       a name with dots: dependency.template-api.calls; `.calls@base` is its value for
 *                another variant
 *   amount       1.5  60k  20%  150%  20m (durations are seconds)  24/s (per second)  512MiB
 *   word         clears, "will not drain": only behind == and !=, quoted where it has blanks
 *   null         only behind == and !=
 *
 * A minus inside a name belongs to it (template-api), so subtraction after a name needs a blank
 * before the minus: `a.calls - b.calls`.
 *
 * A comparison with null is false, except `== null` and `!= null`; arithmetic with null, and
 * division by zero, gives null. Words compare as words.
 *
 * Who asks supplies the values: the expression knows its references only by number. Everything
 * lives in the arena given to sq_expr_parse; the expression is read-only then. */
#ifndef SQ_EXPR_H
#define SQ_EXPR_H

#include "sim/conf/sq_doc.h"
#include "sim/core/sq_result.h"

enum sq_expr_cmp {
    SQ_EXPR_EQ,
    SQ_EXPR_NE,
    SQ_EXPR_LT,
    SQ_EXPR_LE,
    SQ_EXPR_GT,
    SQ_EXPR_GE,
};

/* A name in the expression; the same name twice is two references. */
struct sq_expr_ref {
    const char *name;
    const char *variant;               /* behind @, or NULL */
    struct sq_where where, at_variant; /* of the name and of what stands behind @ */
};

struct sq_expr_node;

/* The side with names is always `left`: `40 >= a.b` is kept as `a.b <= 40`. */
struct sq_expr {
    const char *text;
    enum sq_expr_cmp cmp;
    const struct sq_expr_node *left, *right;
    size_t ref_count;
    struct sq_expr_ref *refs;
};

/* Parses the text of a scalar. Mistakes are noted at their column (at the start of the scalar where
 * its text does not stand in the file as it is) under `path`. SQ_NOMEM possible. */
enum sq_status sq_expr_parse(const struct sq_node *node, const char *path, struct sq_arena *arena,
                             struct sq_diag *diag, const struct sq_expr **out) SQ_MUST_USE;

/* What only shows when the names are known: arithmetic with words, a word against a number.
 * `is_word[i]`: reference i is a word. */
enum sq_status sq_expr_check(const struct sq_expr *e, const bool *is_word, const char *path,
                             struct sq_diag *diag) SQ_MUST_USE;

/* The word that reference `ref` is compared with, or NULL; its place is set then. */
const char *sq_expr_word(const struct sq_expr *e, size_t ref, struct sq_where *where);

/* The value of a reference: a number, NaN for null, or a word. */
typedef struct sq_value sq_expr_look(const void *ctx, size_t ref);

struct sq_expr_verdict {
    bool holds;
    struct sq_value left, right;
    double margin; /* how far it may still move: >= 0 when it holds, for < <= > >=; -|difference|
                      for ==, |difference| for !=; NaN when a side is null or a word */
};
struct sq_expr_verdict sq_expr_eval(const struct sq_expr *e, sq_expr_look *look, const void *ctx);

/* How a side is best shown. */
enum sq_expr_unit { SQ_EXPR_NUMBER, SQ_EXPR_SECONDS, SQ_EXPR_SHARE };
enum sq_expr_unit sq_expr_unit(const struct sq_expr_node *side);

/* Whether a side has no names. */
bool sq_expr_is_constant(const struct sq_expr_node *side);

#endif
