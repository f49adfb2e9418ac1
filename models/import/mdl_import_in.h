/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_in.h - what the parts of the trace reader share; only mdl_import*.c include it.
 *
 *   bytes -> text (UTF-16, byte-order mark) -> rows -> samples -> in order -> arrivals
 *            mdl_import.c                      mdl_import_row.c   mdl_import_order.c
 *   the first 64 KiB -> what the file is: mdl_import_head.c, _dialect.c, _column.c
 *   the samples in order -> what a value is, gaps, counters: mdl_import_shape.c */
#ifndef MDL_IMPORT_IN_H
#define MDL_IMPORT_IN_H

#include "models/import/mdl_import.h"
#include "models/import/mdl_import_number.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_when.h"

enum { MDL_IMPORT_HEAD = 1 << 16, MDL_IMPORT_COLUMNS = 4096 };

/* The beginning of a file, as rows. */
struct mdl_import_head {
    const char *text; /* NUL-terminated */
    size_t len;
    struct sq_csv_row *rows;
    size_t count, max;
    size_t header;      /* how many of them stand before the first row of data */
    const char **names; /* of the columns; "" where the file has none */
    uint32_t columns;
};

/* A way to write traces: one row of the table in mdl_import_dialect.c. */
struct mdl_import_dialect {
    const char *name, *doc;
    const char *needs[4];                           /* columns that tell it */
    bool (*is)(const struct mdl_import_head *head); /* or: how its first lines tell it */
    const char *refused;                            /* why it is no trace, else NULL */
    bool lines;                                     /* one cell per line, whatever is in it */
    char delimiter;                                 /* 0: found out */
    const char *time, *value, *minus; /* columns; minus: seconds between arrival and time */
    const char *time_form;
    enum mdl_import_reads reads;
    const char *where;

    /* Its own way from a row to samples; NULL: by the columns. */
    enum sq_status (*row)(struct mdl_import *im, const struct sq_csv_row *row);
    const char *note;
};

extern const struct mdl_import_dialect mdl_import_dialects[];
extern const size_t mdl_import_dialect_count; /* the last one is that of plain columns */

/* A sample on its way. */
struct mdl_import_sample {
    int64_t at; /* nanoseconds since 1970, or since the file's zero */
    double value;
    uint64_t line;
};

struct mdl_import_where {
    int column;
    const char *text;
};

/* Numbers as times: their unit. Dates: the order of their numbers. */
struct mdl_import_clock {
    bool number;
    sq_time_t unit_ns;
    enum sq_when_order order;
    bool started, zoned, utc_word;
    int32_t east_s, other_s; /* zones seen; the second one after a change of daylight saving */
    bool two;
    bool any;   /* --zone any */
    bool given; /* --zone: of times without one */
    int32_t given_s;
};

/* Arrivals counted in equal bins. */
struct mdl_import_bins {
    sq_time_t width; /* 0: not counted */
    int64_t base;    /* number of the first bin */
    int64_t first;   /* of the first one that is of the file; those before it are spare */
    double *counts;
    size_t count, max;
};

struct mdl_import_window {
    struct mdl_import_sample *heap; /* the earliest on top once `ordered` */
    size_t count, max;
    bool ordered;
    int64_t given; /* time of the last one given away */
    bool any;
};

/* Samples in order, on their way out. */
struct mdl_import_shape {
    bool begun, held;
    struct mdl_import_sample last; /* not yet given away: another one of its time may come */
    int64_t first;
    bool put_any;
    int64_t put_at, width; /* of the sample given away last, and how wide the one before it was */
    double put_value, scale;
    double area, seconds; /* sums for the mean */
};

struct mdl_import {
    struct mdl_import_ask ask;
    struct mdl_import_sink sink;
    struct sq_diag *diag;
    struct sq_arena arena;
    struct mdl_import_found found;
    const struct mdl_import_dialect *dialect;
    /* bytes */
    struct sq_buf head;
    bool marked, started; /* the first bytes were looked at; the head was */
    bool wide, big;       /* UTF-16; its high byte comes first */
    unsigned char spare[4];
    size_t spare_count;
    uint32_t high; /* the first half of a pair */
    struct sq_csv_stream *csv;
    struct sq_buf line; /* dialects of lines */
    uint32_t line_no;
    /* rows */
    const char **names;
    uint32_t columns;
    uint32_t skip; /* rows of header still to come */
    int time, value, minus;
    struct mdl_import_where wheres[MDL_IMPORT_WHERES];
    size_t where_count;
    struct mdl_import_clock clock;
    int64_t row_at; /* of the row before */
    bool row_any;
    bool seen_unit;
    enum mdl_import_per per;
    bool points_part; /* points of the values may part thousands: 1.234 */
    struct mdl_import_bins bins;
    struct mdl_import_window window;
    struct mdl_import_shape shape;
};

/* mdl_import_head.c: what the file is; opens im->csv. The whole file is there if `whole`. */
enum sq_status mdl_import_begin(struct mdl_import *im, bool whole) SQ_MUST_USE;
struct sq_where mdl_import_place(const struct mdl_import *im, uint32_t line);

/* mdl_import_column.c: fills time, value, minus, wheres and the clock. */
enum sq_status mdl_import_columns(struct mdl_import *im,
                                  const struct mdl_import_head *h) SQ_MUST_USE;
/* Column by name (without regard to case) or "#N"; -1: none. */
int mdl_import_column(const struct mdl_import *im, const char *name);
bool mdl_import_same(const char *a, const char *b);
/* "`a`, `b` and 3 more" of a header. */
void mdl_import_list(struct sq_buf *b, const char *const *names, size_t count);

/* mdl_import_clock.c */
enum sq_status mdl_import_clock_find(struct mdl_import *im, const struct mdl_import_head *h,
                                     const char *form) SQ_MUST_USE;
/* Whether the column's cells in the head are times, by themselves (epoch numbers, dates). */
bool mdl_import_clock_fits(const struct mdl_import_head *h, uint32_t column, bool *dates);
bool mdl_import_clock_looks(const char *cell);
/* The time of a cell; NULL or a sentence. */
const char *mdl_import_clock_read(struct mdl_import *im, const char *cell, int64_t *at);
/* Whether an instant is too far from 1970. The difference of any two others fits into 64 bits. */
bool mdl_import_clock_far(__int128 ns);
void mdl_import_clock_say(struct mdl_import *im);

/* mdl_import_row.c */
enum sq_status mdl_import_row(void *im, const struct sq_csv_row *row) SQ_MUST_USE;
enum sq_status mdl_import_take(struct mdl_import *im, int64_t at, double value,
                               uint32_t line) SQ_MUST_USE;

/* mdl_import_order.c */
enum sq_status mdl_import_order(struct mdl_import *im,
                                const struct mdl_import_sample *s) SQ_MUST_USE;
enum sq_status mdl_import_order_end(struct mdl_import *im) SQ_MUST_USE;
enum sq_status mdl_import_bin(struct mdl_import *im, int64_t at, double value,
                              uint32_t line) SQ_MUST_USE;
enum sq_status mdl_import_bin_end(struct mdl_import *im) SQ_MUST_USE;

/* mdl_import_judge.c: what a value is, from samples in order. */
enum sq_status mdl_import_judge(struct mdl_import *im, const struct mdl_import_sample *samples,
                                size_t count) SQ_MUST_USE;

/* mdl_import_shape.c: takes samples in order. */
enum sq_status mdl_import_shape(struct mdl_import *im,
                                const struct mdl_import_sample *s) SQ_MUST_USE;
enum sq_status mdl_import_shape_end(struct mdl_import *im) SQ_MUST_USE;

#endif
