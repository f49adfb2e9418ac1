/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_when.c - texts of instants: the ISO forms strictly, and whatever else people's tools write by
 * taking it apart into three parts of a date, a clock and a zone. */
#include "sim/conf/sq_when.h"

#include <string.h>

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

/* Days from 1970-01-01 in the Gregorian calendar; false when there is no such day. */
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
           (leap && month > 2) + day - 1 - 719162;
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

bool sq_when_looks_iso(const char *s)
{
    int64_t ignored;
    return take_digits(&s, 4, &ignored) && *s == '-';
}

const char *sq_when_iso(const char *s, __int128 *out)
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

const char *sq_when_number(const char *s, sq_time_t unit_ns, __int128 *out)
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

/* ---- dates of all kinds ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t letters(const char *s)
{
    size_t n = 0;
    while (is_letter(s[n])) {
        n++;
    }
    return n;
}

/* Which of the names the word of `len` letters is: whole or its first three letters; -1: none. */
static int name_of(const char *word, size_t len, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        bool same = len == 3 || len == strlen(names[i]);
        for (size_t k = 0; same && k < len; k++) {
            same = (word[k] | 0x20) == names[i][k];
        }
        if (same) {
            return i;
        }
    }
    return -1;
}

static int month_of(const char *word, size_t len)
{
    static const char *const names[] = { "january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december" };
    return len < 3 ? -1 : name_of(word, len, names, 12);
}

static bool is_weekday(const char *word, size_t len)
{
    static const char *const names[] = { "monday", "tuesday",  "wednesday", "thursday",
                                         "friday", "saturday", "sunday" };
    return len >= 3 && name_of(word, len, names, 7) >= 0;
}

/* One of the three parts of a date. */
struct part {
    int64_t value;
    int digits; /* 0: the name of a month */
};

static bool take_part(const char **s, struct part *p)
{
    size_t len = letters(*s);
    *p = (struct part){ 0 };
    if (len > 0) {
        int month = month_of(*s, len);
        p->value = month + 1;
        *s += len;
        return month >= 0;
    }
    for (; is_digit(**s) && p->digits < 5; ++*s) {
        p->value = p->value * 10 + (**s - '0');
        p->digits++;
    }
    return p->digits > 0 && !is_digit(**s);
}

static void skip_any(const char **s, const char *set)
{
    while (take_char(s, set)) {
    }
}

/* The three parts as year, month, day. */
static const char *arrange(const struct part *p, enum sq_when_order order, int64_t *ymd,
                           struct sq_when *out)
{
    static const int year_at[] = { 0, 0, 2, 2 }, month_at[] = { 1, 2, 1, 0 },
                     day_at[] = { 2, 1, 0, 1 };
    int names = (p[0].digits == 0) + (p[1].digits == 0) + (p[2].digits == 0);
    out->year_first = p[0].digits == 4;
    out->named = names == 1;
    if (names > 1 || (p[0].digits == 4) == (p[2].digits == 4) || p[1].digits > 2) {
        return "has no year of four digits";
    }
    int o = (int)order;
    if (names == 1) {
        o = p[0].digits == 0 ? SQ_WHEN_MDY : out->year_first ? SQ_WHEN_YMD : SQ_WHEN_DMY;
    } else if (out->year_first != (o == SQ_WHEN_YMD || o == SQ_WHEN_YDM)) {
        return out->year_first ? "begins with the year" : "does not begin with the year";
    }
    if (names == 1 && p[month_at[o]].digits != 0) {
        return "has its month at a strange place";
    }
    ymd[0] = p[year_at[o]].value;
    ymd[1] = p[month_at[o]].value;
    ymd[2] = p[day_at[o]].value;
    return NULL;
}

static const char *take_date(const char **s, enum sq_when_order order, int64_t *days,
                             struct sq_when *out)
{
    struct part p[3] = { 0 };
    int64_t ymd[3];
    size_t len = letters(*s);
    if (is_weekday(*s, len)) {
        *s += len;
        skip_any(s, "., ");
    }
    for (int i = 0; i < 3; i++) {
        if (!take_part(s, &p[i])) {
            return "is no date";
        }
        if (i < 2 && strchr("/.-, ", **s) == NULL) {
            return "is no date";
        }
        if (i < 2) {
            skip_any(s, "/.-, ");
        }
    }
    const char *wrong = arrange(p, order, ymd, out);
    if (wrong != NULL) {
        return wrong;
    }
    return days_of(ymd[0], ymd[1], ymd[2], days) ? NULL : "is no day of the calendar";
}

/* h:mm, hh:mm:ss.fraction, with AM or PM behind. */
static const char *take_day_time(const char **s, int64_t *seconds, int64_t *ns)
{
    static const char wrong[] = "has no time of day behind its date";
    int64_t hour = 0, minute = 0, second = 0;
    if (!take_digits(s, 2, &hour) && !take_digits(s, 1, &hour)) {
        return wrong;
    }
    if (!take_char(s, ":") || !take_digits(s, 2, &minute)) {
        return wrong;
    }
    if (take_char(s, ":") && (!take_digits(s, 2, &second) || !take_fraction(s, ns))) {
        return wrong;
    }
    const char *behind = *s + (**s == ' ');
    bool am = (behind[0] | 0x20) == 'a', pm = (behind[0] | 0x20) == 'p';
    if ((am || pm) && (behind[1] | 0x20) == 'm' && !is_letter(behind[2])) {
        if (hour < 1 || hour > 12) {
            return "has an hour that a clock with AM and PM lacks";
        }
        hour = hour % 12 + (pm ? 12 : 0);
        *s = behind + 2;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return hour < 24 && minute < 60 && second <= 60 ? NULL : wrong;
}

/* What stands behind the clock; nothing is no zone. */
static const char *take_any_zone(const char **s, struct sq_when *out)
{
    int64_t east = 0;
    skip_any(s, " ");
    if (**s == '\0') {
        return NULL;
    }
    size_t len = letters(*s);
    bool word = (len == 1 && (**s | 0x20) == 'z') ||
                (len == 3 && (strncmp(*s, "UTC", 3) == 0 || strncmp(*s, "GMT", 3) == 0));
    if (len > 0 && !word) {
        return "ends in the name of a zone, and such names are not unique";
    }
    *s += len;
    out->zoned = true;
    out->utc_word = word && **s != '+' && **s != '-';
    if (!out->utc_word && !take_zone(s, &east)) {
        return "has no zone of the form +02:00";
    }
    out->east_s = (int32_t)east;
    skip_any(s, " ");
    if (**s == '(') { /* "(CEST)": the offset said it already */
        const char *close = strchr(*s, ')');
        *s = close != NULL ? close + 1 : *s;
    }
    return **s == '\0' ? NULL : "goes on behind its zone";
}

const char *sq_when_date(const char *text, enum sq_when_order order, struct sq_when *out)
{
    char copy[80];
    struct sq_when w = { 0 };
    int64_t days = 0, seconds = 0, ns = 0;
    size_t len = strlen(text);
    bool bracket = len > 2 && text[0] == '[' && text[len - 1] == ']';
    len -= bracket ? 2 : 0;
    if (len == 0 || len >= sizeof copy) {
        return "is no date";
    }
    memcpy(copy, text + bracket, len);
    copy[len] = '\0';
    const char *s = copy;
    const char *wrong = take_date(&s, order, &days, &w);
    if (wrong == NULL && *s != '\0') {
        skip_any(&s, "Tt@,: ");
        wrong = take_day_time(&s, &seconds, &ns);
        w.clocked = true;
        wrong = wrong == NULL ? take_any_zone(&s, &w) : wrong;
    }
    w.ns = (__int128)(days * 86400 + seconds - w.east_s) * SQ_NS_PER_S + ns;
    if (wrong == NULL) {
        *out = w;
    }
    return wrong;
}

/* ---- the way back ---- */

void sq_when_put(struct sq_buf *b, __int128 ns)
{
    static const int in_month[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const __int128 day_ns = (__int128)86400 * SQ_NS_PER_S;
    int64_t days = (int64_t)((ns - (ns < 0 ? day_ns - 1 : 0)) / day_ns);
    int64_t rest = (int64_t)(ns - (__int128)days * day_ns);
    int64_t year = days < 0 ? 1969 + days / 365 : 1970 + days / 366, start = 0; /* or earlier */
    for (int64_t next = 0; days_of(year + 1, 1, 1, &next) && next <= days;) {
        year++;
    }
    (void)days_of(year, 1, 1, &start);
    int64_t day = days - start;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int month = 0;
    while (month < 11 && day >= in_month[month] + (leap && month == 1)) {
        day -= in_month[month] + (leap && month == 1);
        month++;
    }
    int64_t s = rest / SQ_NS_PER_S, fraction = rest % SQ_NS_PER_S;
    sq_buf_printf(b, "%04lld-%02d-%02lld %02lld:%02lld:%02lld", (long long)year, month + 1,
                  (long long)day + 1, (long long)(s / 3600), (long long)(s / 60 % 60),
                  (long long)(s % 60));
    if (fraction > 0) {
        char digits[12];
        int n = 9;
        for (int i = 8; i >= 0; i--, fraction /= 10) {
            digits[i] = (char)('0' + fraction % 10);
        }
        while (n > 1 && digits[n - 1] == '0') {
            n--;
        }
        sq_buf_putc(b, '.');
        sq_buf_add(b, digits, (size_t)n);
    }
}
