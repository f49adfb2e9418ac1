/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_judge.h - from finished runs to verdicts: what each run says is kept (a few numbers per run,
 * never its timeline), and when the runs are over every expectation is judged.
 *
 * An expectation about a part of the run (`when`) holds in a run when it holds in every bin of that
 * part; its figures are those of the bin that comes closest to breaking it. */
#ifndef MDL_JUDGE_H
#define MDL_JUDGE_H

#include "models/mdl_world.h"
#include "models/study/mdl_expect.h"
#include "sim/core/sq_result.h"

enum { MDL_WORD_SIZE = 24 }; /* "will not drain", a hash of 16 digits */

/* A metric of one run. */
struct mdl_fact {
    double number;
    bool present; /* the world has such a metric */
    char word[MDL_WORD_SIZE];
};

/* An expectation with `when`, in one run. */
struct mdl_watched_fact {
    bool present; /* its columns and its T1 exist */
    bool holds;
    double left, right, margin;
};

/* What the runs of one variant say. */
struct mdl_evidence {
    const struct mdl_expects *x;
    size_t variant, run_count;
    const char *model; /* "fluid": the result of a model, with fewer metrics and columns; or NULL */
    struct mdl_fact *facts;           /* [run * asked metrics + metric] */
    struct mdl_watched_fact *watched; /* [run * expectations + expectation] */
};

enum sq_status mdl_evidence_init(struct mdl_evidence *e, const struct mdl_expects *x,
                                 size_t variant, size_t runs) SQ_MUST_USE;
void mdl_evidence_fini(struct mdl_evidence *e);

/* Takes what a finished run says; `run` from 0. Different runs may be taken on several threads. */
void mdl_evidence_take(struct mdl_evidence *e, size_t run, struct mdl_world *w);

/* The same of a finished result of one run, whose metrics and columns are all there is. */
void mdl_evidence_take_result(struct mdl_evidence *e, const struct sq_result *r, sq_time_t t1_ns);

/* Judges expectation `item` from the evidence of all variants (`by_variant`; facts NULL where there
 * is none: then it may stay open). Texts that are not borrowed live in `arena`, as do words. */
enum sq_status mdl_judge(const struct mdl_expects *x, size_t item,
                         const struct mdl_evidence *by_variant, struct sq_arena *arena,
                         struct sq_verdict *out) SQ_MUST_USE;

#endif
