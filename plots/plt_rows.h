/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_rows.h - the dozen rows by which variants are compared on pages, and the texts of their
 * cells. */
#ifndef PLT_ROWS_H
#define PLT_ROWS_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_comparison.h"

enum plt_unit { PLT_UNIT_COUNT, PLT_UNIT_RATE, PLT_UNIT_RATIO, PLT_UNIT_SPAN };

/* The unit of a metric, by its name: ..._per_s, ..._s, ratios by name, else a count. */
enum plt_unit plt_unit_of(const char *metric);

/* A number in that unit. */
void plt_put_in_unit(struct sq_buf *b, enum plt_unit unit, double value);

enum { PLT_ROWS_MAX = 40, PLT_ROW_LABEL = 64 };

struct plt_row {
    char label[PLT_ROW_LABEL]; /* "queue clear", "p99 delay, login-codes" */
    size_t metric;
    enum plt_unit unit;
    bool words; /* of drain.state */
};

struct plt_rows {
    size_t count;
    struct plt_row list[PLT_ROWS_MAX];
};

/* What is worth a row: metrics that are not null or 0 everywhere; of dependencies and of producers
 * and clients the few busiest in the first variant. P(collapse) is not among them. */
void plt_rows_pick(struct plt_rows *out, const struct sq_comparison *c);

/* Median of a cell ("16m50s", "-" when null everywhere), with "*" when the runs fall into two
 * groups and " (14)" when only so many runs have a value; words as "clears" or "clears 18/20".
 * `marked` (may be NULL) is set when a "*" was written. */
void plt_put_cell(struct sq_buf *b, const struct sq_comparison *c, size_t variant,
                  const struct plt_row *row, bool *marked);

/* Paired difference to the first variant: "-26m50s ±8s", without interval for one pair, with
 * " (14)" when only so many pairs have both values; "-" for none. */
void plt_put_difference(struct sq_buf *b, const struct sq_comparison *c, size_t variant,
                        const struct plt_row *row);

/* True when the interval of the difference holds 0: chance may explain it. */
bool plt_may_be_chance(const struct sq_paired *p);

/* "100 %", and its interval "84-100 %" ("" for one run). */
void plt_put_share(struct sq_buf *b, const struct sq_share *s);
void plt_put_share_range(struct sq_buf *b, const struct sq_share *s);

/* The answer: "cap and shed collapse in none of 20 runs, as-it-was in all, full-jitter in 3". */
void plt_put_headline(struct sq_buf *b, const struct sq_comparison *c);

/* "14 of 20 runs: falls over once, then clears; queue clear 50m20s after recovery (--replication
 * 1)": a way in which a variant came out. Without full stop. */
void plt_put_mode(struct sq_buf *b, const struct sq_comparison *c, const struct sq_mode *mode);

#endif
