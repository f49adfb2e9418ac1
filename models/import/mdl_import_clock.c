/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_clock.c - what the times of a file are, and a cell of them as nanoseconds. Numbers of
 * the size of an epoch tell their unit; small ones are relative, and their unit must be known.
 * Dates of three numbers are tried in all four orders. */
#include "models/import/mdl_import_in.h"

#include <string.h>

#include "sim/base/sq_unit.h"

const char *const mdl_import_time_words[] = { "s",   "ms",  "us",  "ns",  "min", "h",
                                              "ymd", "ydm", "dmy", "mdy", NULL };
static const sq_time_t unit_ns[] = { SQ_NS_PER_S, 1000000,          1000,
                                     1,           60 * SQ_NS_PER_S, 3600 * SQ_NS_PER_S };
enum { UNITS = 6 };

/* The unit of a number that is an instant between 1973 and 2286; -1: none. */
static int epoch_unit(double value)
{
    static const double from[] = { 1e8, 1e11, 1e14, 1e17 };
    for (int i = 3; i >= 0; i--) {
        if (value >= from[i]) {
            return value < from[i] * 100 ? i : -1;
        }
    }
    return -1;
}

static bool number_of(const char *cell, double *out)
{
    const char *digits = cell + (*cell == '-');
    return *cell != '\0' && sq_unit_number(digits, out) == NULL;
}

static bool is_date(const char *cell)
{
    struct sq_when w;
    for (int order = 0; order < SQ_WHEN_ORDERS; order++) {
        if (sq_when_date(cell, (enum sq_when_order)order, &w) == NULL) {
            return true;
        }
    }
    return false;
}

bool mdl_import_clock_looks(const char *cell)
{
    double value;
    return number_of(cell, &value) ? epoch_unit(value) >= 0 : is_date(cell);
}

bool mdl_import_clock_fits(const struct mdl_import_head *h, uint32_t column, bool *dates)
{
    size_t seen = 0;
    *dates = false;
    for (size_t i = h->header; i < h->count; i++) {
        const char *cell = column < h->rows[i].count ? h->rows[i].cells[column] : "";
        if (cell[0] == '\0' || h->rows[i].cells[0][0] == '#' ||
            mdl_import_same(cell, h->names[column])) {
            continue;
        }
        if (!mdl_import_clock_looks(cell)) {
            return false;
        }
        double value;
        *dates = *dates || !number_of(cell, &value);
        seen++;
    }
    return seen > 0;
}

static enum sq_status choose_unit(struct mdl_import *im, const char *cell)
{
    return sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.time,
                         "say it: --time-format s, or ms, us, ns, min, h",
                         "`%s` is no date and too small for a time since 1970: in what unit does "
                         "this column count?",
                         cell);
}

/* Which unit the name of a column tells of relative times; -1: none. */
static int unit_of_name(const char *name)
{
    static const struct {
        const char *end;
        int unit;
    } ends[] = { { "_s", 0 },   { "(s)", 0 }, { "seconds", 0 }, { "_sec", 0 }, { "_ms", 1 },
                 { "(ms)", 1 }, { "_us", 2 }, { "_ns", 3 },     { "_min", 4 } };
    size_t len = strlen(name);
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        size_t n = strlen(ends[i].end);
        if (len >= n && mdl_import_same(name + len - n, ends[i].end)) {
            return ends[i].unit;
        }
    }
    return -1;
}

static enum sq_status find_number(struct mdl_import *im, const char *cell, double value, int word)
{
    int unit = epoch_unit(value);
    im->found.relative = unit < 0;
    unit = word >= 0 ? word : unit;
    unit = unit >= 0 ? unit : unit_of_name(im->found.time);
    if (unit < 0) {
        return choose_unit(im, cell);
    }
    im->clock.number = true;
    im->clock.unit_ns = unit_ns[unit];
    return SQ_OK;
}

/* Which orders read all dates of the head, as a set. */
static unsigned orders_of(const struct mdl_import_head *h, uint32_t column, bool *named)
{
    unsigned set = (1u << SQ_WHEN_ORDERS) - 1;
    for (size_t i = h->header; i < h->count; i++) {
        const char *cell = column < h->rows[i].count ? h->rows[i].cells[column] : "";
        if (!is_date(cell)) {
            continue;
        }
        for (int o = 0; o < SQ_WHEN_ORDERS; o++) {
            struct sq_when w = { 0 };
            bool reads = sq_when_date(cell, (enum sq_when_order)o, &w) == NULL;
            *named = *named || (reads && w.named);
            set &= reads ? ~0u : ~(1u << o);
        }
    }
    return set;
}

static enum sq_status find_date(struct mdl_import *im, const struct mdl_import_head *h,
                                const char *cell, int word)
{
    bool named = false;
    unsigned set = orders_of(h, (uint32_t)im->time, &named);
    if (word >= 0) {
        im->clock.order = (enum sq_when_order)word;
        return SQ_OK;
    }
    bool iso = (set & (1u << SQ_WHEN_YMD)) != 0 && (cell[4] == '-' || cell[4] == '/');
    if (iso || named) {
        im->clock.order = SQ_WHEN_YMD;
        return SQ_OK;
    }
    for (int o = 0; o < SQ_WHEN_ORDERS; o++) {
        if (set == 1u << o) {
            im->clock.order = (enum sq_when_order)o;
            return SQ_OK;
        }
    }
    bool year_first = (set & ((1u << SQ_WHEN_YMD) | (1u << SQ_WHEN_YDM))) != 0;
    return sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.time,
                         year_first ? "say it: --time-format ymd or ydm"
                                    : "say it: --time-format dmy or mdy",
                         "`%s`: which number is the day, and which the month?", cell);
}

/* "+02:00" as seconds. */
static bool zone_given(const char *text, int32_t *east)
{
    struct sq_buf b = { 0 };
    struct sq_when w = { 0 };
    sq_buf_printf(&b, "2000-01-01 00:00:00 %s", text);
    bool fine = !b.failed && sq_when_date(b.text, SQ_WHEN_YMD, &w) == NULL && w.zoned;
    *east = w.east_s;
    sq_buf_fini(&b);
    return fine;
}

static enum sq_status find_zone(struct mdl_import *im)
{
    const char *zone = im->ask.zone;
    im->clock.any = zone != NULL && mdl_import_same(zone, "any");
    im->clock.given = zone != NULL && !im->clock.any;
    if (im->clock.given && !zone_given(zone, &im->clock.given_s)) {
        return sq_diag_error(im->diag, (struct sq_where){ .file = "--zone" }, NULL,
                             "for example +02:00 or UTC; any: rows may have different ones",
                             "`%s` is no zone", zone);
    }
    return SQ_OK;
}

enum sq_status mdl_import_clock_find(struct mdl_import *im, const struct mdl_import_head *h,
                                     const char *form)
{
    const char *cell = NULL;
    int word = -1;
    for (int i = 0; form != NULL && mdl_import_time_words[i] != NULL; i++) {
        word = strcmp(form, mdl_import_time_words[i]) == 0 ? i : word;
    }
    for (size_t i = h->header; i < h->count && cell == NULL; i++) {
        const char *c = im->time < (int)h->rows[i].count ? h->rows[i].cells[im->time] : "";
        double ignored;
        if (number_of(c, &ignored) || is_date(c)) {
            cell = c;
        }
    }
    if (cell == NULL) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.time, NULL,
                             "no cell of this column is a time");
    }
    enum sq_status status = find_zone(im);
    double value;
    bool number = number_of(cell, &value);
    if (status == SQ_OK && number != (word < 0 ? number : word < UNITS)) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.time, NULL,
                             "`%s` is %s: --time-format %s does not fit it", cell,
                             number ? "a number" : "a date", form);
    }
    if (status != SQ_OK) {
        return status;
    }
    return number ? find_number(im, cell, value, word)
                  : find_date(im, h, cell, word < 0 ? -1 : word - UNITS);
}

/* ---- reading ---- */

/* Zones must agree: all rows have one or none; two offsets an hour apart are daylight saving. */
static const char *zone_check(struct mdl_import_clock *c, const struct sq_when *w)
{
    if (!c->started) {
        c->started = true;
        c->zoned = w->zoned;
        c->utc_word = w->utc_word;
        c->east_s = c->other_s = w->east_s;
        return NULL;
    }
    if (w->zoned != c->zoned) {
        if (c->given || c->any) {
            return NULL;
        }
        return w->zoned ? "has a time zone, and rows before it have none (mixed zones)"
                        : "has no time zone, and rows before it have one (mixed zones)";
    }
    if (c->any || !w->zoned || w->east_s == c->east_s || (c->two && w->east_s == c->other_s)) {
        return NULL;
    }
    int32_t apart = w->east_s - c->east_s;
    if (!c->two && !w->utc_word && !c->utc_word && (apart == 3600 || apart == -3600)) {
        c->two = true;
        c->other_s = w->east_s;
        return NULL;
    }
    return "has another time zone than rows before it (mixed zones)";
}

bool mdl_import_clock_far(__int128 ns)
{
    return ns >= INT64_MAX / 2 || ns <= -(INT64_MAX / 2);
}

const char *mdl_import_clock_read(struct mdl_import *im, const char *cell, int64_t *at)
{
    struct mdl_import_clock *c = &im->clock;
    struct sq_when w = { 0 };
    if (c->number) {
        const char *wrong = sq_when_number(cell, c->unit_ns, &w.ns);
        if (wrong != NULL) {
            return wrong;
        }
    } else {
        const char *wrong = sq_when_date(cell, c->order, &w);
        wrong = wrong == NULL ? zone_check(c, &w) : wrong;
        if (wrong != NULL) {
            return wrong;
        }
        w.ns -= c->given && !w.zoned ? (__int128)c->given_s * SQ_NS_PER_S : 0;
    }
    if (mdl_import_clock_far(w.ns)) {
        return "is too far from 1970";
    }
    *at = (int64_t)w.ns;
    return NULL;
}

static void put_offset(struct sq_buf *b, int32_t east_s)
{
    int32_t minutes = (east_s < 0 ? -east_s : east_s) / 60;
    sq_buf_printf(b, "%c%02d:%02d", east_s < 0 ? '-' : '+', (int)(minutes / 60),
                  (int)(minutes % 60));
}

void mdl_import_clock_say(struct mdl_import *im)
{
    static const char *const epochs[] = { "epoch s",  "epoch ms",  "epoch us",
                                          "epoch ns", "epoch min", "epoch h" };
    static const char *const relatives[] = { "s from a start",   "ms from a start",
                                             "us from a start",  "ns from a start",
                                             "min from a start", "h from a start" };
    static const char *const orders[] = { "dates y-m-d", "dates y-d-m", "dates d-m-y",
                                          "dates m-d-y" };
    const struct mdl_import_clock *c = &im->clock;
    int unit = 0;
    while (c->number && unit < UNITS - 1 && unit_ns[unit] != c->unit_ns) {
        unit++;
    }
    if (c->number) {
        im->found.time_kind = (im->found.relative ? relatives : epochs)[unit];
        im->found.zone = im->found.relative ? "none" : "UTC";
        return;
    }
    im->found.time_kind = orders[c->order];
    struct sq_buf b = { 0 };
    if (c->any) {
        sq_buf_puts(&b, "as each row says");
    } else if (!c->zoned && !c->given) {
        sq_buf_puts(&b, "not said");
    } else if (c->utc_word) {
        sq_buf_puts(&b, "UTC");
    } else {
        put_offset(&b, c->zoned ? c->east_s : c->given_s);
        if (c->two) {
            sq_buf_puts(&b, " and ");
            put_offset(&b, c->other_s);
        }
    }
    const char *text = b.failed ? NULL : sq_arena_text(&im->arena, b.text, b.len);
    im->found.zone = text != NULL ? text : "";
    sq_buf_fini(&b);
}
