/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_trace_csv.c - times and values out of the cells of a CSV file. Absolute times are 128-bit
 * nanoseconds, so that epoch times in any unit and the year 9999 are exact; no function of the C
 * library that knows about time or locale is used. */
#include "sim/conf/sq_trace_csv.h"

#include <string.h>

#include "sim/base/sq_unit.h"

const char *const sq_trace_csv_units[] = { "s", "ms", "us", "ns", "min", "h", NULL };

sq_time_t sq_trace_csv_unit_ns(size_t index)
{
    static const sq_time_t ns[] = { SQ_NS_PER_S, 1000000,          1000,
                                    1,           60 * SQ_NS_PER_S, 3600 * SQ_NS_PER_S };
    _Static_assert(SQ_COUNT(ns) + 1 == SQ_COUNT(sq_trace_csv_units), "one factor per unit");
    SQ_ASSERT(index < SQ_COUNT(ns));
    return ns[index];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly n digits at *s, which moves behind them. */
static bool take_digits(const char **s, int n, int64_t *out)
{
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        if (!is_digit((*s)[i])) {
            return false;
        }
        value = value * 10 + ((*s)[i] - '0');
    }
    *s += n;
    *out = value;
    return true;
}

static bool take_char(const char **s, const char *set)
{
    if (**s == '\0' || strchr(set, **s) == NULL) {
        return false;
    }
    ++*s;
    return true;
}

/* Days from 0001-01-01 in the Gregorian calendar; false when there is no such day. */
static bool days_of(int64_t year, int64_t month, int64_t day, int64_t *out)
{
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (year < 1 || month < 1 || month > 12) {
        return false;
    }
    if (day < 1 || day > before[month] - before[month - 1] + (leap && month == 2)) {
        return false;
    }
    int64_t past = year - 1;
    *out = past * 365 + past / 4 - past / 100 + past / 400 + before[month - 1] +
           (leap && month > 2) + day - 1;
    return true;
}

/* "Z", "+02:00", "+0200", "+02", each after a blank if one likes, or nothing; seconds east. */
static bool take_zone(const char **s, int64_t *east)
{
    int64_t hours = 0;
    int64_t minutes = 0;
    *east = 0;
    take_char(s, " ");
    if (**s == '\0' || take_char(s, "Zz")) {
        return true;
    }
    int64_t sign = **s == '-' ? -1 : 1;
    if (!take_char(s, "+-") || !take_digits(s, 2, &hours)) {
        return false;
    }
    bool colon = take_char(s, ":");
    if (!take_digits(s, 2, &minutes) && colon) {
        return false;
    }
    *east = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

/* ".979" as nanoseconds; digits beyond the ninth are cut off. */
static bool take_fraction(const char **s, int64_t *ns)
{
    *ns = 0;
    if (!take_char(s, ".,")) {
        return true;
    }
    int64_t unit = SQ_NS_PER_S / 10;
    const char *first = *s;
    for (; is_digit(**s); ++*s) {
        *ns += unit * (**s - '0');
        unit /= 10;
    }
    return *s > first;
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fraction; a leap second is the second after it. */
static bool take_clock(const char **s, int64_t *seconds, int64_t *ns)
{
    int64_t hour = 0;
    int64_t minute = 0;
    int64_t second = 0;
    if (!take_digits(s, 2, &hour) || !take_char(s, ":") || !take_digits(s, 2, &minute)) {
        return false;
    }
    if (take_char(s, ":") && (!take_digits(s, 2, &second) || !take_fraction(s, ns))) {
        return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return hour < 24 && minute < 60 && second <= 60;
}

static bool starts_like_iso(const char *s)
{
    int64_t ignored;
    return take_digits(&s, 4, &ignored) && *s == '-';
}

static const char *time_of_iso(const char *s, __int128 *out)
{
    int64_t year = 0;
    int64_t month = 0;
    int64_t day = 0;
    int64_t days = 0;
    int64_t seconds = 0;
    int64_t ns = 0;
    int64_t east = 0;
    bool shape = take_digits(&s, 4, &year) && take_char(&s, "-") && take_digits(&s, 2, &month) &&
                 take_char(&s, "-") && take_digits(&s, 2, &day);
    if (!shape) {
        return "is no date of the form 2014-04-10";
    }
    if (!days_of(year, month, day, &days)) {
        return "is no day of the calendar";
    }
    if (*s != '\0') {
        bool fine = take_char(&s, "Tt ") && take_clock(&s, &seconds, &ns) && take_zone(&s, &east);
        if (!fine || *s != '\0') {
            return "is no time of the form 2014-04-10 00:04:00";
        }
    }
    *out = (__int128)(days * 86400 + seconds - east) * SQ_NS_PER_S + ns;
    return NULL;
}

enum { DIGITS_MAX = 64, DECIMALS = 15, EXPONENT_MAX = 999 };

/* A decimal number as written: its digits and where the point stands among them. */
struct decimal {
    bool minus;
    int count, point;
    char digits[DIGITS_MAX];
};

static bool take_exponent(const char **s, int *exponent)
{
    int sign = **s == '-' ? -1 : 1;
    int value = 0;
    take_char(s, "+-");
    if (!is_digit(**s)) {
        return false;
    }
    for (; is_digit(**s); ++*s) {
        value = value < EXPONENT_MAX ? value * 10 + (**s - '0') : EXPONENT_MAX;
    }
    *exponent = sign * value;
    return true;
}

/* Reads [sign] digits [. digits] [e exponent] and nothing behind it. */
static bool decimal_read(const char *s, struct decimal *d)
{
    bool any = false;
    int exponent = 0;
    *d = (struct decimal){ .minus = *s == '-', .point = -1 };
    take_char(&s, "+-");
    for (; is_digit(*s) || (*s == '.' && d->point < 0); s++) {
        any = any || *s != '.';
        if (*s == '.') {
            d->point = d->count;
        } else if (d->count < DIGITS_MAX && (d->count > 0 || *s != '0' || d->point >= 0)) {
            d->digits[d->count++] = *s;
        } else if (d->count == DIGITS_MAX && d->point < 0) {
            return false; /* 64 digits before the point */
        }
    }
    if (any && take_char(&s, "eE") && !take_exponent(&s, &exponent)) {
        return false;
    }
    d->point = (d->point < 0 ? d->count : d->point) + exponent;
    return any && *s == '\0';
}

static int decimal_digit(const struct decimal *d, int at)
{
    return at >= 0 && at < d->count ? d->digits[at] - '0' : 0;
}

static const char *time_of_number(const char *s, sq_time_t unit_ns, __int128 *out)
{
    struct decimal d;
    if (!decimal_read(s, &d)) {
        return "is neither a number nor an ISO 8601 time";
    }
    __int128 whole = 0;
    for (int i = 0; i < d.point; i++) {
        whole = whole * 10 + decimal_digit(&d, i);
        if (whole > INT64_MAX) {
            return "is too large for a time";
        }
    }
    __int128 part = 0;
    __int128 parts = 1;
    for (int i = 0; i < DECIMALS; i++) {
        part = part * 10 + decimal_digit(&d, d.point + i);
        parts *= 10;
    }
    __int128 ns = whole * unit_ns + (part * unit_ns + parts / 2) / parts;
    *out = d.minus ? -ns : ns;
    return NULL;
}

/* What a read in progress knows. */
struct tracer {
    const struct sq_csv *csv;
    const struct sq_trace_ask *ask;
    struct sq_diag *diag;
    int time, value; /* columns; value -1: none */
    bool iso, disordered;
    __int128 first;
    struct sq_trace trace;
};

static void complain(const struct tracer *t, size_t row, const char *column, const char *text)
{
    struct sq_where where = { t->ask->file, t->csv->rows[row].line, 0 };
    int at = sq_csv_column(t->csv, column);
    (void)sq_diag_error(t->diag, where, column, NULL, "`%s` %s", t->csv->rows[row].cells[at], text);
}

static int find_column(const struct tracer *t, const char *name)
{
    int at = sq_csv_column(t->csv, name);
    if (at >= 0) {
        return at;
    }
    const struct sq_csv_row *header = &t->csv->header;
    struct sq_where where = { t->ask->file, header->line, 0 };
    struct sq_buf hint = { 0 };
    const char *close = sq_diag_closest(name, header->cells, header->count);
    if (close != NULL) {
        sq_buf_printf(&hint, "did you mean `%s`?", close);
    } else {
        for (uint32_t i = 0; i < header->count && i < SQ_DIAG_SHOWN; i++) {
            sq_buf_printf(&hint, "%s`%s`", i == 0 ? "the columns are " : ", ", header->cells[i]);
        }
    }
    (void)sq_diag_error(t->diag, where, NULL, hint.text, "there is no column `%s`", name);
    sq_buf_fini(&hint);
    return -1;
}

static void check_order(struct tracer *t, size_t i)
{
    sq_time_t step = t->trace.at_ns[i] - t->trace.at_ns[i - 1];
    if (t->disordered || step > 0 || (step == 0 && t->value < 0)) {
        return;
    }
    t->disordered = true;
    struct sq_where where = { t->ask->file, t->csv->rows[i].line, 0 };
    (void)sq_diag_error(t->diag, where, t->ask->time, "sort the rows by this column",
                        "`%s` %s the row before (line %u)", t->csv->rows[i].cells[t->time],
                        step < 0 ? "is earlier than" : "is the same time as",
                        t->csv->rows[i - 1].line);
}

/* The time of a row relative to the first, or a complaint. */
static bool read_time(struct tracer *t, size_t i)
{
    const char *cell = t->csv->rows[i].cells[t->time];
    bool iso = starts_like_iso(cell);
    __int128 at = 0;
    if (i == 0) {
        t->iso = iso;
    }
    const char *wrong = iso      ? time_of_iso(cell, &at)
                        : t->iso ? "is no ISO 8601 time, and the first row has one"
                                 : time_of_number(cell, t->ask->unit_ns, &at);
    if (wrong == NULL && iso && !t->iso) {
        wrong = "is an ISO 8601 time, and the first row has a number";
    }
    if (i == 0) {
        t->first = at;
    }
    at -= t->first;
    if (wrong == NULL && (at >= SQ_NEVER || at <= -SQ_NEVER)) {
        wrong = "is more than 292 years from the first row";
    }
    if (wrong != NULL) {
        complain(t, i, t->ask->time, wrong);
        return false;
    }
    t->trace.at_ns[i] = (sq_time_t)at;
    return true;
}

static bool read_value(struct tracer *t, size_t i)
{
    if (t->value < 0) {
        return true;
    }
    const char *cell = t->csv->rows[i].cells[t->value];
    const char *wrong = *cell == '\0' ? "is empty" : sq_unit_number(cell, &t->trace.values[i]);
    if (wrong != NULL) {
        complain(t, i, t->ask->value, wrong);
    }
    return wrong == NULL;
}

static enum sq_status read_rows(struct tracer *t)
{
    size_t errors = t->diag->errors;
    bool before = false; /* the row before has a time */
    for (size_t i = 0; i < t->csv->count; i++) {
        bool timed = read_time(t, i);
        if (timed && before) {
            check_order(t, i);
        }
        before = timed;
        (void)read_value(t, i);
        if (!timed && i == 0) {
            return SQ_USER; /* nothing to measure the others from */
        }
    }
    return t->diag->errors > errors ? SQ_USER : SQ_OK;
}

static enum sq_status end_of(struct tracer *t)
{
    size_t n = t->csv->count;
    sq_time_t *at = t->trace.at_ns;
    t->trace.count = n;
    if (n == 1 && t->value >= 0) {
        struct sq_where where = { t->ask->file, t->csv->rows[0].line, 0 };
        return sq_diag_error(t->diag, where, t->ask->value, NULL,
                             "one row has no width: values need two rows at least");
    }
    t->trace.end_ns = n == 1 ? 0 : sq_time_add(at[n - 1], at[n - 1] - at[n - 2]);
    return SQ_OK;
}

enum sq_status sq_trace_csv_read(const struct sq_csv *csv, const struct sq_trace_ask *ask,
                                 struct sq_arena *arena, struct sq_diag *diag, struct sq_trace *out)
{
    SQ_ASSERT(ask->unit_ns > 0);
    SQ_ASSERT(csv->count > 0);
    struct tracer t = { .csv = csv, .ask = ask, .diag = diag, .value = -1 };
    t.time = find_column(&t, ask->time);
    t.value = ask->value == NULL ? -1 : find_column(&t, ask->value);
    if (t.time < 0 || (ask->value != NULL && t.value < 0)) {
        return SQ_USER;
    }
    t.trace.at_ns = sq_arena_alloc(arena, csv->count, sizeof *t.trace.at_ns);
    if (t.value >= 0) {
        t.trace.values = sq_arena_alloc(arena, csv->count, sizeof *t.trace.values);
    }
    if (t.trace.at_ns == NULL || (t.value >= 0 && t.trace.values == NULL)) {
        return SQ_NOMEM;
    }
    enum sq_status status = read_rows(&t);
    if (status == SQ_OK) {
        status = end_of(&t);
    }
    if (status == SQ_OK) {
        *out = t.trace;
    }
    return status;
}
