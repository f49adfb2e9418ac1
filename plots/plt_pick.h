/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_pick.h - which entities a result speaks of, and their timeline columns; and timelines with
 * more bins than there is room for. */
#ifndef PLT_PICK_H
#define PLT_PICK_H

#include "sim/core/sq_result.h"

enum { PLT_ENTITIES_MAX = 8 };

/* `name` is not terminated: it points into a name of the result. */
struct plt_entity {
    const char *name;
    size_t len;
    double weight;
};

struct plt_entities {
    size_t count, total; /* kept, found */
    struct plt_entity list[PLT_ENTITIES_MAX];
};

/* Entities with a timeline column <kind>.<name>.<quantity>, the largest sum of that column first
 * (equal ones in column order); at most PLT_ENTITIES_MAX are kept. */
void plt_pick_columns(struct plt_entities *out, const struct sq_series *s, const char *kind,
                      const char *quantity);

/* Entities with a metric <kind>.<name>.<quantity>, in the order of the result. */
void plt_pick_metrics(struct plt_entities *out, const struct sq_result *r, const char *kind,
                      const char *quantity);

/* Entities with a histogram <kind>.<name>.<quantity>, in the order of the result. */
void plt_pick_histograms(struct plt_entities *out, const struct sq_result *r, const char *kind,
                         const char *quantity);

/* Bins of <kind>.<entity>.<quantity>, or NULL. */
const float *plt_column(const struct sq_series *s, const char *kind,
                        const struct plt_entity *entity, const char *quantity);

/* Metric <kind>.<entity>.<quantity> of run `run` (from 0); NaN when it is null or missing. */
double plt_entity_value(const struct sq_result *r, size_t run, const char *kind,
                        const struct plt_entity *entity, const char *quantity);

/* True if `name` (may be NULL) is this entity's. */
bool plt_entity_is(const struct plt_entity *entity, const char *name);

/* The part of a timeline that is drawn: the first `bins` bins in `columns` columns. A column of
 * more than one bin shows the highest; of more columns than bins several show the same. */
struct plt_view {
    const struct sq_series *series;
    size_t bins, columns;
};

/* First bin of a column; plt_view_first(v, v->columns) is v->bins. */
size_t plt_view_first(const struct plt_view *v, size_t column);

/* Columns that are drawn one on top of the other; NULL ones count nothing, and so does NaN. */
enum { PLT_STACK_MAX = 3 };
struct plt_stack {
    const float *bins[PLT_STACK_MAX];
};

/* The bin that stands for a column: the one with the largest sum, so that a spike of one second
 * survives in a chart of two hours; of equal bins the first. Bins in which the lowest of the stack
 * is null only if there is no other. */
size_t plt_view_top(const struct plt_view *v, size_t column, const struct plt_stack *stack);

/* Largest sum over the view, and its bin; 0 if all null. */
double plt_view_max(const struct plt_view *v, const struct plt_stack *stack, size_t *bin);

/* Instant after which nothing is marked any more: last mark + 5 %, or the end of the run when
 * that is near, or when the run did not become healthy. */
sq_time_t plt_interesting_end(const struct sq_result *r);

#endif
