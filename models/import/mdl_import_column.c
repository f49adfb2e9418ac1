/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_column.c - which columns of a file are its times and its values. One candidate is
 * taken, several are listed. */
#include "models/import/mdl_import_in.h"

#include <stdlib.h>
#include <string.h>

enum { LISTED = 12 };

void mdl_import_list(struct sq_buf *b, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count && i < LISTED; i++) {
        sq_buf_printf(b, "%s`%s`", i == 0 ? "" : ", ", names[i]);
    }
    if (count > LISTED) {
        sq_buf_printf(b, " and %zu more", count - LISTED);
    }
}

int mdl_import_column(const struct mdl_import *im, const char *name)
{
    if (name[0] == '#' && name[1] >= '1' && name[1] <= '9') {
        long number = strtol(name + 1, NULL, 10);
        return number <= (long)im->columns ? (int)number - 1 : -1;
    }
    for (uint32_t i = 0; i < im->columns; i++) {
        if (strcmp(im->names[i], name) == 0) {
            return (int)i;
        }
    }
    for (uint32_t i = 0; i < im->columns; i++) {
        if (mdl_import_same(im->names[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

/* What a column is called: by its number where it has no name of its own. */
static const char *title(struct mdl_import *im, uint32_t column)
{
    bool twice = im->names[column][0] == '\0';
    for (uint32_t i = 0; i < im->columns && !twice; i++) {
        twice = i != column && strcmp(im->names[i], im->names[column]) == 0;
    }
    const char *text = twice ? sq_arena_printf(&im->arena, "#%u", column + 1) : im->names[column];
    return text != NULL ? text : "";
}

/* The columns of a set, listed. */
static void list_columns(struct mdl_import *im, struct sq_buf *b, const bool *set)
{
    const char *names[LISTED + 1] = { NULL };
    size_t count = 0, shown = 0;
    for (uint32_t i = 0; i < im->columns; i++) {
        if (set == NULL || set[i]) {
            if (shown < LISTED) {
                names[shown++] = title(im, i);
            }
            count++;
        }
    }
    mdl_import_list(b, names, shown);
    if (count > shown) {
        sq_buf_printf(b, " and %zu more", count - shown);
    }
}

static enum sq_status no_column(struct mdl_import *im, const char *flag, const char *name)
{
    struct sq_buf hint = { 0 };
    sq_buf_puts(&hint, "the columns are ");
    list_columns(im, &hint, NULL);
    enum sq_status status =
        sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, hint.failed ? NULL : hint.text,
                      "there is no column `%s` (%s)", name, flag);
    sq_buf_fini(&hint);
    return status;
}

static enum sq_status choose(struct mdl_import *im, const char *flag, const char *what,
                             const bool *set)
{
    struct sq_buf hint = { 0 };
    sq_buf_printf(&hint, "choose one with %s: ", flag);
    list_columns(im, &hint, set);
    enum sq_status status = sq_diag_error(im->diag, mdl_import_place(im, 0), NULL,
                                          hint.failed ? NULL : hint.text, "%s", what);
    sq_buf_fini(&hint);
    return status;
}

/* ---- times ---- */

static bool time_name(const char *name)
{
    static const char *const words[] = { "time",     "timestamp",   "ts",        "date",
                                         "datetime", "ds",          "_time",     "@timestamp",
                                         "time_s",   "timestamp_s", "at",        "offset",
                                         "time_ms",  "epoch",       "unix_time", "elapsed_s" };
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        if (mdl_import_same(name, words[i])) {
            return true;
        }
    }
    return strncmp(name, "bin(", 4) == 0 || strncmp(name, "@timestamp per ", 15) == 0;
}

/* The one column of times: dates before numbers, those called so before others. */
static enum sq_status find_time(struct mdl_import *im, const struct mdl_import_head *h)
{
    bool *set = sq_arena_alloc(&im->arena, h->columns, sizeof *set);
    int found = -1, named = -1;
    unsigned count = 0, names = 0;
    if (set == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t i = 0; i < h->columns; i++) {
        bool dates = false;
        bool called = time_name(h->names[i]);
        set[i] =
            mdl_import_clock_fits(h, i, &dates) && (dates || called || h->columns <= 2 || i == 0);
        count += set[i];
        found = set[i] && found < 0 ? (int)i : found;
        names += called;
        named = called && named < 0 ? (int)i : named;
    }
    bool doubtful = count > 1 && !(named >= 0 && set[named] && names == 1);
    if (doubtful) {
        return choose(im, "--time", "more than one column holds times", set);
    }
    im->time = named >= 0 && (count == 0 || set[named]) ? named : found;
    return im->time >= 0 ? SQ_OK : choose(im, "--time", "no column holds times", NULL);
}

/* ---- values ---- */

/* Whether most cells of a column that hold something are numbers. */
static bool is_numbers(const struct mdl_import_head *h, uint32_t column)
{
    size_t numbers = 0, others = 0;
    for (size_t i = h->header; i < h->count; i++) {
        const char *cell = column < h->rows[i].count ? h->rows[i].cells[column] : "";
        struct mdl_import_number n = { 0 };
        if (mdl_import_same(cell, h->names[column]) || h->rows[i].cells[0][0] == '#') {
            continue;
        }
        const char *wrong = mdl_import_number(cell, '.', &n);
        if (wrong != NULL && strcmp(wrong, "is no number") == 0) {
            wrong = mdl_import_number(cell, ',', &n);
        }
        bool other = wrong != NULL && strcmp(wrong, "is no number") == 0;
        others += other;
        numbers += !other && !n.null;
    }
    return numbers > others;
}

/* Of rows that are arrivals: a rate or a counter was asked for in vain. */
static enum sq_status no_values(struct mdl_import *im)
{
    bool vain = im->ask.reads == MDL_IMPORT_RATE || im->ask.reads == MDL_IMPORT_TOTAL;
    return !vain ? SQ_OK
                 : sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, "leave --reads out",
                                 "there are no values to read as a %s: each row is an arrival",
                                 mdl_import_reads_words[im->ask.reads - MDL_IMPORT_TIMES]);
}

static enum sq_status find_value(struct mdl_import *im, const struct mdl_import_head *h)
{
    bool *set = sq_arena_alloc(&im->arena, h->columns, sizeof *set);
    unsigned count = 0;
    if (set == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t i = 0; i < h->columns; i++) {
        bool aside = h->names[i][0] == '_' && strcmp(h->names[i], "_value") != 0;
        set[i] = (int)i != im->time && !aside && is_numbers(h, i);
        count += set[i];
        im->value = set[i] ? (int)i : im->value;
    }
    if (count > 1) {
        im->value = -1;
        return choose(im, "--value, or say --reads times (each row is an arrival)",
                      "there is more than one series", set);
    }
    if (count == 0 && h->columns > 1) {
        return choose(im, "--value, or say --reads times (each row is an arrival)",
                      "no column holds numbers", NULL);
    }
    if (count == 0) {
        im->found.reads = MDL_IMPORT_TIMES;
        return no_values(im);
    }
    return SQ_OK;
}

/* Which sign parts the decimals of the values. */
static enum sq_status find_decimal(struct mdl_import *im, const struct mdl_import_head *h)
{
    bool point = false, comma = false, grouped = true;
    const char *either = NULL;
    struct mdl_import_number n;
    im->found.decimal = im->ask.decimal != '\0' ? im->ask.decimal : '.';
    for (size_t i = h->header; i < h->count && im->value >= 0 && im->ask.decimal == '\0'; i++) {
        const char *cell =
            (uint32_t)im->value < h->rows[i].count ? h->rows[i].cells[im->value] : "";
        enum mdl_import_sign sign = mdl_import_sign(cell);
        point = point || sign == MDL_IMPORT_SIGN_POINT;
        comma = comma || sign == MDL_IMPORT_SIGN_COMMA;
        grouped =
            grouped && (sign != MDL_IMPORT_SIGN_POINT || mdl_import_number(cell, ',', &n) == NULL);
        either = sign == MDL_IMPORT_SIGN_EITHER && either == NULL ? cell : either;
    }
    if (comma && !point) {
        im->found.decimal = ',';
    }
    im->points_part = point && grouped && im->found.delimiter == ';';
    if (either != NULL && point == comma && im->found.delimiter != ',') {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.value,
                             "say it: --decimal comma or point",
                             "`%s`: does the comma part decimals or thousands?", either);
    }
    return SQ_OK;
}

/* ---- filters ---- */

static enum sq_status add_where(struct mdl_import *im, const char *text)
{
    const char *eq = strchr(text, '=');
    if (eq == NULL || eq == text) {
        return sq_diag_error(im->diag, (struct sq_where){ .file = "--where" }, NULL,
                             "for example --where service=api", "`%s` is not COLUMN=TEXT", text);
    }
    const char *name = sq_arena_text(&im->arena, text, (size_t)(eq - text));
    if (name == NULL) {
        return SQ_NOMEM;
    }
    int column = mdl_import_column(im, name);
    if (column < 0) {
        return no_column(im, "--where", name);
    }
    im->wheres[im->where_count++] = (struct mdl_import_where){ column, eq + 1 };
    if (im->found.where != NULL) {
        im->found.where = sq_arena_printf(&im->arena, "%s, %s", im->found.where, text);
    } else {
        im->found.where = text;
    }
    return SQ_OK;
}

/* Columns of words that tell series apart, if rows of one time differ in them. */
static enum sq_status check_series(struct mdl_import *im, const struct mdl_import_head *h)
{
    bool twice = false;
    for (size_t i = h->header + 1; i < h->count && !twice; i++) {
        const struct sq_csv_row *a = &h->rows[i - 1], *b = &h->rows[i];
        twice = (uint32_t)im->time < a->count && (uint32_t)im->time < b->count &&
                strcmp(a->cells[im->time], b->cells[im->time]) == 0;
    }
    for (uint32_t c = 0; c < h->columns; c++) {
        const char *words[LISTED + 1];
        size_t count = 0;
        bool aside =
            (int)c == im->time || (int)c == im->value || h->names[c][0] == '_' || is_numbers(h, c);
        for (size_t i = h->header; i < h->count && !aside && count <= LISTED; i++) {
            const char *cell = c < h->rows[i].count ? h->rows[i].cells[c] : "";
            bool known = cell[0] == '#' || strcmp(cell, h->names[c]) == 0;
            for (size_t k = 0; k < count && !known; k++) {
                known = strcmp(words[k], cell) == 0;
            }
            if (!known) {
                words[count++] = cell;
            }
        }
        bool series = count > 1 && (twice || strcmp(h->names[c], "Series") == 0);
        if (!series) {
            continue;
        }
        struct sq_buf hint = { 0 };
        sq_buf_printf(&hint, "choose one with --where %s=TEXT: ", title(im, c));
        mdl_import_list(&hint, words, count);
        (void)sq_diag_error(im->diag, mdl_import_place(im, 0), title(im, c),
                            hint.failed ? NULL : hint.text, "there is more than one series");
        sq_buf_fini(&hint);
        return SQ_USER;
    }
    return SQ_OK;
}

/* ---- arrivals that are told apart, or counted ---- */

/* Times of whole seconds would make a burst of every second: they are counted. */
static enum sq_status find_bins(struct mdl_import *im, const struct mdl_import_head *h)
{
    static const int64_t widths[] = { 86400, 3600, 60, 1 };
    if (im->ask.bin > 0) {
        im->bins.width = im->ask.bin;
        return SQ_OK;
    }
    if (im->dialect->lines) {
        im->bins.width = SQ_NS_PER_S;
        return SQ_OK;
    }
    struct mdl_import_clock clock = im->clock;
    for (size_t k = 0; k < SQ_COUNT(widths) && im->time >= 0; k++) {
        bool whole = true;
        for (size_t i = h->header; i < h->count && whole; i++) {
            int64_t at = 0;
            bool there = (uint32_t)im->time < h->rows[i].count;
            if (there && mdl_import_clock_read(im, h->rows[i].cells[im->time], &at) == NULL) {
                whole = at % (widths[k] * SQ_NS_PER_S) == 0;
            }
        }
        if (whole && im->minus < 0) {
            im->bins.width = widths[k] * SQ_NS_PER_S;
            break;
        }
    }
    im->clock = clock;
    return SQ_OK;
}

static enum sq_status own_way(struct mdl_import *im)
{
    const struct mdl_import_dialect *d = im->dialect;
    im->time = im->value = -1;
    im->found.time = "";
    im->found.value = NULL;
    im->found.decimal = '.';
    if (strcmp(d->time_form, "ms") == 0) {
        im->clock.number = true;
        im->clock.unit_ns = 1000000;
    } else if (strcmp(d->time_form, "min") == 0) {
        im->clock.number = im->found.relative = true;
        im->clock.unit_ns = im->bins.width = 60 * SQ_NS_PER_S;
        im->found.why = "a column of counts for each minute";
        return SQ_OK;
    } else {
        im->clock.order = SQ_WHEN_DMY;
    }
    im->bins.width = im->ask.bin > 0 ? im->ask.bin : d->lines ? SQ_NS_PER_S : 0;
    return SQ_OK;
}

/* A column asked for, or of the dialect, or found. */
static enum sq_status pick_time(struct mdl_import *im, const struct mdl_import_head *h)
{
    const char *name = im->ask.time != NULL ? im->ask.time : im->dialect->time;
    if (name == NULL) {
        return find_time(im, h);
    }
    im->time = mdl_import_column(im, name);
    return im->time >= 0 ? SQ_OK : no_column(im, "--time", name);
}

static enum sq_status pick_value(struct mdl_import *im, const struct mdl_import_head *h)
{
    const char *name = im->ask.value != NULL ? im->ask.value : im->dialect->value;
    if (im->found.reads == MDL_IMPORT_TIMES) {
        return SQ_OK;
    }
    if (name == NULL) {
        return find_value(im, h);
    }
    im->value = mdl_import_column(im, name);
    return im->value >= 0 ? SQ_OK : no_column(im, "--value", name);
}

enum sq_status mdl_import_columns(struct mdl_import *im, const struct mdl_import_head *h)
{
    const struct mdl_import_dialect *d = im->dialect;
    bool own_value = im->ask.value != NULL && im->ask.reads == MDL_IMPORT_AS_FOUND;
    im->time = im->value = im->minus = -1;
    im->found.reads = im->ask.reads != MDL_IMPORT_AS_FOUND ? im->ask.reads
                      : own_value && d->value == NULL      ? MDL_IMPORT_AS_FOUND
                                                           : d->reads;
    if (d->row != NULL) {
        enum sq_status vain = d->lines ? no_values(im) : SQ_OK;
        return vain == SQ_OK ? own_way(im) : vain;
    }
    enum sq_status status = pick_time(im, h);
    status = status == SQ_OK ? pick_value(im, h) : status;
    for (size_t i = 0; i < im->ask.where_count && status == SQ_OK; i++) {
        status = add_where(im, im->ask.wheres[i]);
    }
    if (status == SQ_OK && im->ask.where_count == 0 && d->where != NULL) {
        status = add_where(im, d->where);
    }
    if (status != SQ_OK) {
        return status;
    }
    im->found.time = title(im, (uint32_t)im->time);
    im->found.value = im->value >= 0 ? title(im, (uint32_t)im->value) : NULL;
    im->minus = d->minus != NULL ? mdl_import_column(im, d->minus) : -1;
    if (im->value >= 0 && im->where_count == 0 && !im->ask.sums) {
        status = check_series(im, h);
    }
    if (status == SQ_OK && im->value >= 0 && im->ask.bin > 0) {
        status = sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.value,
                               "leave --bin out, or say --reads times (each row is an arrival)",
                               "--bin counts single arrivals, and these are values");
    }
    status = status == SQ_OK ? find_decimal(im, h) : status;
    const char *form = im->ask.time_form != NULL ? im->ask.time_form : d->time_form;
    status = status == SQ_OK ? mdl_import_clock_find(im, h, form) : status;
    if (status == SQ_OK && im->found.reads == MDL_IMPORT_TIMES) {
        status = find_bins(im, h);
    }
    return status;
}
