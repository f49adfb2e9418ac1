/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals_in.h - what the kinds of arrivals share; only mdl_arrivals*.c include it. */
#ifndef MDL_ARRIVALS_IN_H
#define MDL_ARRIVALS_IN_H

#include "models/part/mdl_arrivals.h"
#include "sim/core/sq_fn.h"

struct mdl_arrivals_row {
    struct sq_kind kind;
    /* Makes what the kind needs for the run; NULL: nothing. SQ_NOMEM possible. */
    enum sq_status (*open)(struct mdl_arrivals *a, const void *cfg, struct sq_arena *arena);
    int64_t (*sources)(const void *cfg);
    sq_time_t (*next)(struct mdl_arrivals *a, const void *cfg, uint32_t source);
    double (*rate)(const struct mdl_arrivals *a, const void *cfg, sq_time_t at);
    /* Jobs that come at one instant before `until`; NULL: one. */
    double (*at_once)(const void *cfg, sq_time_t until);
};

/* Kinds in files of their own. */
struct mdl_trace_cfg {
    struct mdl_trace_ask ask;
    int reads;
    sq_time_t skip_to;
    double scale;
    bool repeat;
};
enum { MDL_TRACE_ROWS = 8, MDL_BURSTS_ROWS = 4 };
extern const struct sq_field mdl_trace_rows[MDL_TRACE_ROWS];
void mdl_trace_check(const void *cfg, const struct sq_node *node, const char *path,
                     struct sq_diag *diag);
sq_time_t mdl_trace_next(struct mdl_arrivals *a, const void *cfg, uint32_t source);
double mdl_trace_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at);

struct mdl_bursts_cfg {
    int64_t size;
    struct sq_block every, first; /* first absent: as every */
    sq_time_t over;
};
extern const struct sq_field mdl_bursts_rows[MDL_BURSTS_ROWS];
void mdl_bursts_check(const void *cfg, const struct sq_node *node, const char *path,
                      struct sq_diag *diag);
enum sq_status mdl_bursts_open(struct mdl_arrivals *a, const void *cfg, struct sq_arena *arena);
sq_time_t mdl_bursts_next(struct mdl_arrivals *a, const void *cfg, uint32_t source);
double mdl_bursts_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at);

static inline double mdl_arrivals_uniform(const struct mdl_arrivals *a, uint32_t source,
                                          uint64_t index)
{
    return sq_luck_uniform(a->luck, a->stream, index, source, 0);
}

/* The smallest of `left` instants spread uniformly over (from, until): the next one in order.
 * The minimum of m uniforms is 1 - (1 - u)^(1/m). */
static inline sq_time_t mdl_arrivals_spread(sq_time_t from, sq_time_t until, uint64_t left,
                                            double u)
{
    double x = 1 - sq_fn_pow(1 - u, 1 / (double)left);
    sq_time_t step = (sq_time_t)(x * (double)(until - from));
    return from + sq_min_i64(step, until - from);
}

#endif
