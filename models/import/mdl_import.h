/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import.h - arrival traces as people have them: exports of dashboards, logs of load
 * generators, published data sets. What a file is, is found out from its first 64 KiB and the
 * order of its rows; whatever could be read in two ways is refused with the choices listed.
 *
 * A file is fed piece by piece. Rows that are slightly out of order are put in order in a window
 * of SQ_MAX_TRACE_WINDOW rows, so memory does not depend on the length of the file. */
#ifndef MDL_IMPORT_H
#define MDL_IMPORT_H

#include "models/import/mdl_import_number.h"
#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

/* What a value is; `times` has none: each row is an arrival. AS_FOUND only in what is asked. */
enum mdl_import_reads {
    MDL_IMPORT_AS_FOUND,
    MDL_IMPORT_TIMES,
    MDL_IMPORT_COUNTS,
    MDL_IMPORT_RATE,
    MDL_IMPORT_TOTAL, /* a counter since some start; what is put are counts */
};
extern const char *const mdl_import_reads_words[]; /* NULL-terminated, by the enum, from TIMES */

/* What is put where rows are missing. AS_FOUND: zero for counts, hold for rates. */
enum mdl_import_gaps {
    MDL_IMPORT_GAPS_AS_FOUND,
    MDL_IMPORT_GAPS_ZERO,
    MDL_IMPORT_GAPS_HOLD,
    MDL_IMPORT_GAPS_INTERPOLATE,
    MDL_IMPORT_GAPS_ERROR,
};
extern const char *const mdl_import_gaps_words[]; /* from ZERO */

/* The words of a time form: s ms us ns min h for numbers, ymd ydm dmy mdy for dates. */
extern const char *const mdl_import_time_words[];

enum { MDL_IMPORT_WHERES = 8 };

/* NULL and 0: to be found out. Columns are named, or #N from 1. */
struct mdl_import_ask {
    const char *file; /* for places */
    const char *format;
    char delimiter, decimal;
    const char *time, *value;
    const char *time_form;
    const char *zone; /* "+02:00" of times without one; "any": rows may differ */
    const char *wheres[MDL_IMPORT_WHERES]; /* "column=text" that a row must have */
    size_t where_count;
    enum mdl_import_reads reads;
    enum mdl_import_gaps gaps;
    bool sums; /* values of the same time are added up instead of refused */
    sq_time_t
        bin; /* of arrivals that are counted; 0: they are told apart if their times allow it */
};

/* What was found; texts live as long as the import. */
struct mdl_import_found {
    const char *format;
    char delimiter; /* 0: lines */
    bool bom, utf16, sep_line;
    const char *line_end;
    uint32_t header_rows;
    const char *time, *value; /* columns */
    const char *time_kind;    /* "epoch ms", "date and time" */
    const char *zone;
    const char *where; /* "Name=Aggregated", or NULL */
    const char *unit;  /* of the values: "req/s"; NULL: none was written */
    const char *note;  /* of the format, or NULL */
    const char *why;   /* how it was found what a value is */
    char decimal;
    enum mdl_import_reads reads;
    enum mdl_import_per per;                     /* of a rate, as written */
    enum mdl_import_gaps gaps_by;                /* never AS_FOUND */
    uint64_t rows, used;                         /* rows of data; those behind a sample */
    uint64_t nulls, filtered, comments, untimed; /* what was dropped, by reason */
    uint64_t backward, same; /* rows earlier than the row before; samples put together */
    uint64_t gaps, missing;  /* holes, and the steps missing in them */
    uint64_t resets;         /* of a counter */
    uint64_t put;            /* samples given away */
    sq_time_t step;          /* the median; 0: unknown (times) */
    sq_time_t bin;           /* of counted arrivals, else 0 */
    __int128 first, last;    /* since 1970, or since the file's own zero */
    bool relative;           /* ... the latter */
    double sum, min, max;    /* of the values as written, times their unit */
    double peak_per_s, mean_per_s, total;
};

/* Where samples go, in order, times from the first one on. A count or rate holds until the next
 * sample, the last one as long as the one before it. `begin` comes first, when the kind is known.
 */
struct mdl_import_sink {
    enum sq_status (*begin)(void *ctx, const struct mdl_import_found *found);
    enum sq_status (*put)(void *ctx, sq_time_t at, double value);
    void *ctx;
};

struct mdl_import;

/* NULL when out of memory. Everything passed must outlive the import; `ask` is copied. */
struct mdl_import *mdl_import_open(const struct mdl_import_ask *ask,
                                   const struct mdl_import_sink *sink,
                                   struct sq_diag *diag) SQ_MUST_USE;

/* SQ_USER: it cannot be read, or in more than one way; the complaint lists the choices. */
enum sq_status mdl_import_feed(struct mdl_import *im, const char *text, size_t len) SQ_MUST_USE;
enum sq_status mdl_import_end(struct mdl_import *im) SQ_MUST_USE;
const struct mdl_import_found *mdl_import_found(const struct mdl_import *im);
void mdl_import_close(struct mdl_import *im); /* NULL is fine */

/* The whole of a file. */
enum sq_status mdl_import_file(struct mdl_import *im) SQ_MUST_USE;

#endif
