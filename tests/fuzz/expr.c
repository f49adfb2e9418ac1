/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expr.c - any text as the expression of an expectation, on one line of a file: up to the first
 * end of a line, because a text of several is never verbatim (is_verbatim in sq_doc.c). What is
 * accepted has a verdict for numbers, nulls and words alike. */
#include "tests/fuzz/fuzz.h"

#include "sim/conf/sq_expr.h"

#include <math.h>
#include <string.h>

const char fuzz_name[] = "expr";
const char *const fuzz_seeds[] = { NULL };

static struct sq_value look(const void *ctx, size_t ref)
{
    static const double numbers[] = { 0, 1, 0.5, 1e300, -3, NAN, 40 };
    const bool *words = ctx;
    if (words[ref]) {
        return (struct sq_value){ .number = NAN, .word = "clears" };
    }
    return (struct sq_value){ .number = numbers[ref % SQ_COUNT(numbers)] };
}

static void judge(const struct sq_expr *e, const bool *words, struct sq_diag *diag)
{
    if (sq_expr_check(e, words, "that", diag) != SQ_OK) {
        FUZZ_PROMISE(diag->errors > 0);
        return;
    }
    struct sq_expr_verdict v = sq_expr_eval(e, look, words);
    bool ordered = e->cmp != SQ_EXPR_EQ && e->cmp != SQ_EXPR_NE;
    FUZZ_PROMISE(!ordered || !v.holds || v.margin >= 0);
    FUZZ_PROMISE(!ordered || v.holds || !(v.margin > 0));
    (void)sq_expr_unit(e->left);
    (void)sq_expr_unit(e->right);
    FUZZ_PROMISE(sq_expr_is_constant(e->left) == (e->ref_count == 0) ||
                 !sq_expr_is_constant(e->left));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_where where = { .file = "it.yaml", .line = 1, .col = 1 };
    size = size > 4000 ? 4000 : size;
    size = size > 0 ? strnlen((const char *)data, size) : 0;
    for (size_t i = 0; i < size; i++) {
        size = data[i] == '\n' || data[i] == '\r' ? i : size;
    }
    const char *text = sq_arena_text(&arena, (const char *)data, size);
    struct sq_node *node = sq_node_scalar(&arena, where, text);
    FUZZ_PROMISE(node != NULL);
    node->verbatim = true;
    const struct sq_expr *e = NULL;
    enum sq_status status = sq_expr_parse(node, "that", &arena, &diag, &e);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    if (status == SQ_OK) {
        bool *words = sq_arena_alloc(&arena, e->ref_count + 1, sizeof(*words));
        FUZZ_PROMISE(words != NULL);
        judge(e, words, &diag);
        for (size_t i = 0; i < e->ref_count; i++) {
            words[i] = true;
        }
        judge(e, words, &diag);
    }
    fuzz_check_marks(&diag, "it.yaml", data, size);
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
    return 0;
}
