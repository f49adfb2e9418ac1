/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_marks.h - what stands above the panels of a timeline: a lane of labels for instants
 * (actions, T1, T2, queue clear, last job) and a strip of bars for outages and collapses. */
#ifndef PLT_MARKS_H
#define PLT_MARKS_H

#include "plots/plt_panel.h"

enum { PLT_LABELS_MAX = 40, PLT_LABEL_ROWS = 6, PLT_LABEL_CHARS = 64 };

struct plt_label {
    const struct sq_moment *moment;
    char text[4 * PLT_LABEL_CHARS + 8];
    double x, width;
    size_t row; /* 0 is the lowest; PLT_LABEL_ROWS: no room */
};

struct plt_marks {
    struct plt_label labels[PLT_LABELS_MAX];
    size_t count, rows, hidden; /* hidden: instants whose line is drawn without a label */
    const struct plt_entities *dependencies;
    size_t strips; /* rows of bars: one per dependency that is drawn and has a span */
};

/* From the top of the lane to the bottom of the last panel. */
struct plt_span_y {
    double top, bottom;
};

/* Chooses texts and rows. `f` is complete but for a begun sheet; `paper_right` is the right edge
 * that no label may pass. */
void plt_marks_plan(struct plt_marks *m, const struct plt_frame *f, double paper_right);

/* Height of lane and strip together. */
double plt_marks_height(const struct plt_marks *m);

/* Lane and strip from `y` down. */
void plt_marks_draw(const struct plt_marks *m, const struct plt_frame *f, double y);

/* The vertical lines of the instants, from their labels down to `bottom`. Drawn twice: under the
 * areas, and faintly over them, because a peak of one pixel often stands exactly at T1. */
void plt_marks_lines(const struct plt_marks *m, const struct plt_frame *f, struct plt_span_y span,
                     double alpha);

/* Notes that no word may stand on them. */
void plt_marks_take(const struct plt_frame *f, struct plt_span_y span);

#endif
