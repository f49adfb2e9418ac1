/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_part.h - the part of a report that is made from one folder. */
#ifndef PLT_REPORT_PART_H
#define PLT_REPORT_PART_H

#include "plots/plt_finding.h"
#include "plots/plt_rows.h"
#include "plots/plt_stuff.h"

struct plt_part {
    size_t number;                          /* in the page, from 1: for its anchors */
    const struct sq_comparison *comparison; /* of one variant: a run */
    const struct sq_result *results;        /* by variant */
    const struct plt_stuff *stuff;          /* the same, as charts take it */
    struct plt_finding finding;
    struct plt_rows rows;
};

/* Gathers what the sections say. */
void plt_part_make(struct plt_part *p, size_t number, const struct plt_stuff *stuff);

static inline bool plt_part_is_run(const struct plt_part *p)
{
    return p->comparison->variant_count == 1;
}

/* What the part is about: "Title" or "Title - variant". */
void plt_part_title(struct sq_buf *out, const struct plt_part *p);

/* Appends the whole part. SQ_NOMEM; SQ_IO when this machine has no font for the charts. */
enum sq_status plt_part_write(const struct plt_part *p, struct sq_buf *out) SQ_MUST_USE;

/* ---- its sections, in their order; each has a heading of its own (plt_part_heading) ---- */

/* plt_report_answer.c: the question, the answer, what it costs, a line per variant. */
void plt_part_answer(struct sq_buf *out, const struct plt_part *p);

/* plt_report_pictures.c: the charts. SQ_NOMEM, SQ_IO. */
enum sq_status plt_part_pictures(struct sq_buf *out, const struct plt_part *p) SQ_MUST_USE;

/* plt_report_outlook.c: what was forecast at T1, and what came. */
bool plt_part_has_outlook(const struct plt_part *p);
void plt_part_outlook(struct sq_buf *out, const struct plt_part *p);

/* plt_report_tables.c */
void plt_part_numbers(struct sq_buf *out, const struct plt_part *p);
void plt_part_expectations(struct sq_buf *out, const struct plt_part *p);
void plt_part_metrics(struct sq_buf *out, const struct plt_part *p);

/* plt_report_story.c: what happened in run 1, and to one job of it. */
void plt_part_story(struct sq_buf *out, const struct plt_part *p);
bool plt_part_has_job(const struct plt_part *p);
void plt_part_job(struct sq_buf *out, const struct plt_part *p);

/* plt_report_foot.c: notes, how to make it again, what it was made from. */
void plt_part_notes(struct sq_buf *out, const struct plt_part *p);
void plt_part_again(struct sq_buf *out, const struct plt_part *p);
void plt_part_scenarios(struct sq_buf *out, const struct plt_part *p);

/* <h2> with an anchor: "p1-numbers". */
void plt_part_heading(struct sq_buf *out, const struct plt_part *p, const char *anchor,
                      const char *text);

/* What a table says, above it: a caption would scroll away with a wide one. */
void plt_part_open_caption(struct sq_buf *out);
void plt_part_close_caption(struct sq_buf *out);

/* A box that scrolls sideways when it is too wide for the screen, also by the keyboard. */
void plt_part_open_wide(struct sq_buf *out, const char *label);
void plt_part_close_wide(struct sq_buf *out);

#endif
