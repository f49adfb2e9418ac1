/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_say.c - what was found in a trace, so that a wrong guess is seen at once. */
#include "models/import/mdl_import_trace.h"

#include <string.h>

#include "sim/base/sq_unit.h"
#include "sim/conf/sq_when.h"

static void put_u64(struct sq_buf *b, uint64_t n)
{
    char digits[32];
    int len = 0, at = 0;
    char out[48];
    do {
        digits[len++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (len > 0) {
        out[at++] = digits[--len];
        if (len > 0 && len % 3 == 0) {
            out[at++] = ',';
        }
    }
    sq_buf_add(b, out, (size_t)at);
}

static void put_count(struct sq_buf *b, uint64_t n, const char *one)
{
    put_u64(b, n);
    sq_buf_printf(b, " %s%s", one, n == 1 ? "" : "s");
}

static void put_form(const struct mdl_import_found *f, struct sq_buf *b)
{
    sq_buf_printf(b, "%s: ", f->format);
    if (f->delimiter == '\0') {
        sq_buf_puts(b, "lines");
    } else if (f->delimiter == '\t') {
        sq_buf_puts(b, "tabs");
    } else {
        sq_buf_printf(b, "`%c`", f->delimiter);
    }
    sq_buf_puts(b, f->utf16 ? ", UTF-16" : f->bom ? ", byte-order mark" : "");
    sq_buf_puts(b, f->sep_line ? ", sep= line" : "");
    sq_buf_printf(b, ", %s, ", f->line_end);
    if (f->header_rows == 0) {
        sq_buf_puts(b, "no header");
    } else {
        put_count(b, f->header_rows, "header row");
    }
}

static void put_values(const struct mdl_import_found *f, struct sq_buf *b)
{
    static const char *const kinds[] = { "", "each row is an arrival", "counts per row", "rate",
                                         "counter" };
    static const char *const rates[] = { "rate per second", "rate per second", "rate per minute",
                                         "rate per hour" };
    if (f->value == NULL) {
        sq_buf_puts(b, f->why != NULL ? f->why : "each row is an arrival");
    } else {
        sq_buf_printf(b, "values `%s` %s", f->value,
                      f->reads == MDL_IMPORT_RATE ? rates[f->per] : kinds[f->reads]);
        if (f->why != NULL) {
            sq_buf_printf(b, " (%s)", f->why);
        }
        if (f->unit != NULL) {
            sq_buf_printf(b, " in %s", f->unit);
        }
        if (f->decimal == ',') {
            sq_buf_puts(b, ", decimal comma");
        }
    }
    if (f->bin > 0) {
        sq_buf_puts(b, ", counted per ");
        sq_unit_put_duration(b, f->bin);
    }
    if (f->where != NULL) {
        sq_buf_printf(b, ", where %s", f->where);
    }
}

static void put_dropped(const struct mdl_import_found *f, struct sq_buf *b)
{
    const struct {
        uint64_t count;
        const char *what;
    } reasons[] = { { f->nulls, "without a value" },
                    { f->untimed, "without a time" },
                    { f->filtered, "filtered out" },
                    { f->comments, "remarks or repeated headers" } };
    bool any = false;
    for (size_t i = 0; i < SQ_COUNT(reasons); i++) {
        if (reasons[i].count > 0) {
            sq_buf_puts(b, any ? ", " : ", dropped ");
            put_u64(b, reasons[i].count);
            sq_buf_printf(b, " %s", reasons[i].what);
            any = true;
        }
    }
    sq_buf_puts(b, any ? "" : ", none dropped");
}

static void put_order(const struct mdl_import_found *f, struct sq_buf *b)
{
    static const char *const fills[] = { "", "filled with zero", "held", "interpolated", "" };
    if (f->backward > 0) {
        sq_buf_puts(b, "; not in order: ");
        put_count(b, f->backward, "step");
        sq_buf_puts(b, " back");
    } else {
        sq_buf_puts(b, "; in order");
    }
    if (f->same > 0) {
        sq_buf_puts(b, ", ");
        put_u64(b, f->same);
        sq_buf_puts(b, " of one time put together");
    }
    if (f->gaps > 0) {
        sq_buf_puts(b, ", ");
        put_count(b, f->gaps, "gap");
        sq_buf_puts(b, " of ");
        put_count(b, f->missing, "row");
        sq_buf_printf(b, " %s", f->reads == MDL_IMPORT_TOTAL ? "bridged" : fills[f->gaps_by]);
    } else if (f->reads != MDL_IMPORT_TIMES && f->bin == 0) {
        sq_buf_puts(b, ", no gaps");
    }
    if (f->resets > 0) {
        sq_buf_puts(b, ", ");
        put_count(b, f->resets, "reset");
    }
}

void mdl_import_say(const struct mdl_import_found *f, struct sq_buf *out)
{
    put_form(f, out);
    sq_buf_puts(out, "; times ");
    if (f->time[0] != '\0') {
        sq_buf_printf(out, "`%s` ", f->time);
    }
    sq_buf_printf(out, "%s, zone %s; ", f->time_kind, f->zone);
    put_values(f, out);
    sq_buf_puts(out, "; ");
    put_count(out, f->rows, "row");
    if (f->bin == 0 && f->step > 0) {
        sq_buf_puts(out, " every ");
        sq_unit_put_duration(out, f->step);
    }
    put_dropped(f, out);
    put_order(f, out);
}

static void put_instant(const struct mdl_import_found *f, __int128 at, struct sq_buf *b)
{
    if (f->relative) {
        sq_buf_number(b, (double)at / 1e9, 12);
        sq_buf_puts(b, " s");
    } else {
        sq_when_put(b, at);
    }
}

void mdl_import_figures(const struct mdl_import_found *f, struct sq_buf *out)
{
    sq_buf_puts(out, "  from ");
    put_instant(f, f->first, out);
    sq_buf_puts(out, " to ");
    put_instant(f, f->last, out);
    sq_buf_puts(out, f->relative || strcmp(f->zone, "not said") == 0 ? "" : " UTC");
    sq_buf_printf(out, "\n  %s ", f->reads == MDL_IMPORT_RATE ? "about" : "in all");
    sq_buf_number(out, f->reads == MDL_IMPORT_RATE ? (double)(int64_t)(f->total + 0.5) : f->total,
                  12);
    sq_buf_puts(out, " arrivals, mean ");
    sq_buf_number(out, f->mean_per_s, 4);
    sq_buf_puts(out, "/s, peak ");
    sq_buf_number(out, f->peak_per_s, 4);
    if (f->reads == MDL_IMPORT_TIMES) {
        sq_buf_puts(out, "/s (busiest minute ");
        sq_buf_number(out, f->peak_per_s * 60, 12);
        sq_buf_puts(out, ")\n");
    } else {
        sq_buf_puts(out, "/s\n");
    }
    if (f->value != NULL && f->used > 0) {
        sq_buf_puts(out, "  values as written: mean ");
        sq_buf_number(out, f->sum / (double)f->used, 5);
        sq_buf_puts(out, ", smallest ");
        sq_buf_number(out, f->min, 6);
        sq_buf_puts(out, ", largest ");
        sq_buf_number(out, f->max, 6);
        sq_buf_puts(out, "\n");
    }
    if (f->note != NULL) {
        sq_buf_printf(out, "  note: %s\n", f->note);
    }
}

void mdl_import_fragment(const struct mdl_import_found *f, const char *file, struct sq_buf *out)
{
    sq_buf_printf(out, "arrivals:\n  kind: trace\n  file: %s\n  time: time_s\n", file);
    if (f->reads == MDL_IMPORT_RATE) {
        sq_buf_puts(out, "  value: rate_per_s\n  reads: rate\n");
    } else if (f->reads != MDL_IMPORT_TIMES) {
        sq_buf_puts(out, "  value: count\n  reads: counts\n");
    }
}
