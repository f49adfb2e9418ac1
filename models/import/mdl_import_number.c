/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_number.c - a number is cleaned of its groups first, and then read as any other; what
 * stands behind it is a multiple and a unit. */
#include "models/import/mdl_import_number.h"

#include <string.h>

#include "sim/base/sq_unit.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static bool is_null(const char *text)
{
    static const char *const words[] = { "",          "null", "nan",      "n/a", "na",
                                         "-",         "--",   "none",     "nil", "+inf",
                                         "undefined", "-inf", "infinity", "inf" };
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        if (same(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* Length of a blank at `s`: one, a no-break space, a narrow no-break space; 0: none. */
static size_t blank(const char *s)
{
    if (*s == ' ') {
        return 1;
    }
    if (strncmp(s, "\xc2\xa0", 2) == 0) {
        return 2;
    }
    return strncmp(s, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

/* Length of what parts two groups of three digits at `s`, or 0. */
static size_t group(const char *s, char decimal)
{
    size_t len = *s == (decimal == '.' ? ',' : '.') ? 1 : blank(s);
    bool three = len > 0 && is_digit(s[len]) && is_digit(s[len + 1]) && is_digit(s[len + 2]);
    return three && !is_digit(s[len + 3]) ? len : 0;
}

/* The digits of a number without their groups; returns what stands behind, NULL: too long. */
static const char *clean(const char *s, char decimal, char *out, size_t size)
{
    size_t n = 0;
    bool point = false;
    for (;; s++) {
        size_t skip = point || n == 0 ? 0 : group(s, decimal);
        s += skip;
        bool exponent = n > 0 && (*s | 0x20) == 'e' &&
                        (is_digit(s[1]) || ((s[1] == '-' || s[1] == '+') && is_digit(s[2])));
        if (n + 3 >= size) {
            return NULL;
        }
        if (is_digit(*s)) {
            out[n++] = *s;
        } else if (*s == decimal && !point) {
            out[n++] = '.';
            point = true;
        } else if (exponent) {
            out[n++] = 'e';
            s += s[1] == '+';
            if (s[1] == '-') {
                out[n++] = *++s;
            }
            point = true;
        } else {
            break;
        }
    }
    out[n] = '\0';
    return s;
}

/* A multiple of thousands in front of a unit; `s` moves behind it. */
static double take_multiple(const char **s)
{
    static const struct {
        const char *word;
        double factor;
    } words[] = { { "Mil", 1e6 }, { "Bil", 1e9 }, { "Tri", 1e12 }, { "K", 1e3 },
                  { "k", 1e3 },   { "M", 1e6 },   { "G", 1e9 },    { "B", 1e9 } };
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        size_t len = strlen(words[i].word);
        bool there = strncmp(*s, words[i].word, len) == 0;
        if (there && ((*s)[len] == '\0' || (*s)[len] == ' ')) {
            *s += len;
            while (blank(*s) > 0) {
                *s += blank(*s);
            }
            return words[i].factor;
        }
    }
    return 1;
}

/* Whether a unit is one of requests, and per what. */
static bool known_unit(const char *unit, enum mdl_import_per *per)
{
    static const char *const per_s[] = { "req/s",      "reqps", "rps",      "/s",      "ops/s",
                                         "ops",        "qps",   "c/s",      "cps",     "rd/s",
                                         "rps",        "wr/s",  "wps",      "1/s",     "hits/s",
                                         "evt/s",      "hz",    "events/s", "calls/s", "reqs/s",
                                         "requests/s", "msg/s", "iops" };
    static const char *const per_min[] = { "req/m",   "rpm",  "/min", "/m",
                                           "ops/m",   "opm",  "c/m",  "cpm",
                                           "req/min", "rd/m", "wr/m", "requests/min" };
    static const char *const nothing[] = { "",      "req",   "reqs", "requests",
                                           "count", "calls", "hits", "events" };
    *per = MDL_IMPORT_PER_NOTHING;
    for (size_t i = 0; i < SQ_COUNT(nothing); i++) {
        if (same(unit, nothing[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < SQ_COUNT(per_s); i++) {
        if (same(unit, per_s[i])) {
            *per = MDL_IMPORT_PER_S;
            return true;
        }
    }
    for (size_t i = 0; i < SQ_COUNT(per_min); i++) {
        if (same(unit, per_min[i])) {
            *per = MDL_IMPORT_PER_MIN;
            return true;
        }
    }
    *per = MDL_IMPORT_PER_H;
    return same(unit, "/h") || same(unit, "req/h") || same(unit, "requests/h");
}

const char *mdl_import_number(const char *text, char decimal, struct mdl_import_number *out)
{
    char digits[64];
    struct mdl_import_number n = { .unit = "" };
    text += *text == '\'' ? 1 : 0; /* a spreadsheet's guard against formulas */
    if (is_null(text)) {
        *out = (struct mdl_import_number){ .null = true, .unit = "" };
        return NULL;
    }
    bool minus = *text == '-';
    text += *text == '-' || *text == '+' ? 1 : 0;
    const char *behind = clean(text, decimal, digits, sizeof digits);
    if (behind == NULL || digits[0] == '\0' || sq_unit_number(digits, &n.value) != NULL) {
        return "is no number";
    }
    while (blank(behind) > 0) {
        behind += blank(behind);
    }
    n.value *= take_multiple(&behind);
    n.unit = behind;
    if (!known_unit(behind, &n.per)) {
        bool letters =
            (lower(*behind) >= 'a' && lower(*behind) <= 'z') || strchr("%/", *behind) != NULL;
        return letters || (*behind & 0x80) != 0 ? "has a unit that is none of arrivals"
                                                : "is no number";
    }
    if (minus && n.value > 0) {
        return "is negative: arrivals never are";
    }
    *out = n;
    return NULL;
}

enum mdl_import_sign mdl_import_sign(const char *text)
{
    unsigned points = 0, commas = 0;
    const char *last = NULL;
    for (const char *s = text; *s != '\0'; s++) {
        if (!is_digit(*s) && strchr(".,-+' ", *s) == NULL) {
            text = s; /* a unit */
            break;
        }
        points += *s == '.';
        commas += *s == ',';
        last = *s == '.' || *s == ',' ? s : last;
    }
    if (last == NULL || (commas == 0 && points == 1)) {
        return last == NULL ? MDL_IMPORT_SIGN_NONE : MDL_IMPORT_SIGN_POINT;
    }
    if (points > 0 && commas > 0) {
        return *last == '.' ? MDL_IMPORT_SIGN_POINT : MDL_IMPORT_SIGN_COMMA;
    }
    if (points + commas > 1) { /* several of one kind part groups */
        return *last == ',' ? MDL_IMPORT_SIGN_POINT : MDL_IMPORT_SIGN_COMMA;
    }
    return group(last, '.') > 0 ? MDL_IMPORT_SIGN_EITHER : MDL_IMPORT_SIGN_COMMA;
}
