/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_told.h - what every form of the report tells, in its order: per file the expectations
 * and the baselines of its variants, and at the end the baselines whose scenario is gone. */
#ifndef MDL_CHECK_TOLD_H
#define MDL_CHECK_TOLD_H

#include "models/study/mdl_check.h"

/* An expectation that was chosen (v), a baseline (b), or that a file without expectations ran. */
struct mdl_told {
    const struct mdl_check_file *f; /* NULL: it is gone */
    size_t item;                    /* of an expectation */
    const struct sq_verdict *v;     /* NULL also while the file is not done */
    const struct mdl_baseline_verdict *b;
    bool done, passed, warns;
};

struct mdl_teller {
    void (*tell)(void *ctx, const struct mdl_told *t);
    void *ctx;
};

bool mdl_told_has(const struct mdl_check_file *f); /* whether a file is in this check */
void mdl_tell_file(const struct mdl_check_file *f, const struct mdl_teller *to);
void mdl_tell_rest(const struct mdl_check *c, const struct mdl_teller *to);
void mdl_tell_all(const struct mdl_check *c, const struct mdl_teller *to);

const char *mdl_told_path(const struct mdl_told *t);
unsigned mdl_told_line(const struct mdl_told *t);
const char *mdl_told_variant(const struct mdl_told *t);

/* "cap: drain.queue_clear_s < 4m (at 40m)", and what was found. */
void mdl_told_put_title(const struct mdl_told *t, struct sq_buf *out);
void mdl_told_put_figures(const struct mdl_told *t, struct sq_buf *out);

struct mdl_told_counts {
    size_t all, failed, skipped, warned;
};
/* A teller that counts into a struct mdl_told_counts. */
void mdl_told_count(void *ctx, const struct mdl_told *t);

#endif
