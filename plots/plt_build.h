/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_build.h - the panels of a run: which there are, what stands in them and how high they are.
 * Shared by the timeline and by the many small ones of a comparison. */
#ifndef PLT_BUILD_H
#define PLT_BUILD_H

#include "plots/plt_panel.h"
#include "plots/plt_sheet.h"

enum { PLT_PANELS_MAX = 24 };

struct plt_build {
    struct plt_sheet *sheet;
    const struct sq_result *r;
    struct plt_frame frame;
    struct plt_panel panels[PLT_PANELS_MAX];
    size_t count;
};

/* "before NAME after" as a kept text. */
const char *plt_build_text(struct plt_build *b, const char *before, const struct plt_entity *e,
                           const char *after);

/* Calls per second: first ones, retries, against the capacity; the line of goodput. The panel has
 * no height yet. */
struct plt_panel plt_build_calls(struct plt_build *b, const struct plt_entity *e);

/* Jobs of a queue: in workers' hands, ready, delayed. */
struct plt_panel plt_build_queue(struct plt_build *b, const struct plt_entity *e);

/* The capacity line's largest value; 0 when there is none. */
double plt_build_capacity(const struct plt_build *b, const struct plt_entity *e);

/* Adds the panels of a dependency's calls: the busiest one's twice, when its peak is so far above
 * the capacity that everything else would be a line on the floor. */
void plt_build_add_calls(struct plt_build *b, const struct plt_entity *e, bool busiest);
void plt_build_add_load(struct plt_build *b, const struct plt_entity *e);
void plt_build_add_queue(struct plt_build *b, const struct plt_entity *e);
void plt_build_add_workers(struct plt_build *b, const struct plt_entity *e);
void plt_build_add_control(struct plt_build *b, const struct plt_entity *e);

#endif
