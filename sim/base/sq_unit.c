/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_unit.c - reading and writing of amounts. Whole amounts (times, counts, sizes) are computed in
 * integers. Real ones go through strtod with all digits before the point and an exponent behind
 * ("24.4" as "244e-1"): rounded correctly, and no locale has a say in it. */
#include "sim/base/sq_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 40, WHOLE_DIGITS = 19, DECIMALS_MOST = 18, EXPONENT_MOST = 9999 };

/* A decimal as written: its digits without the point, how many stand behind the point, and the
 * exponent. `rest` is what follows it in the text. */
struct number {
    char digits[NUMBER_DIGITS];
    int count, decimals, exponent;
    const char *rest;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *number_exponent(struct number *n)
{
    const char *at = n->rest + 1;
    bool minus = *at == '-';
    at += *at == '-' || *at == '+';
    if (!is_digit(*at)) {
        return NULL; /* an 'e' that begins something else */
    }
    int exponent = 0;
    for (; is_digit(*at); at++) {
        exponent = exponent * 10 + (*at - '0');
        if (exponent > EXPONENT_MOST) {
            return "has an exponent that is too large";
        }
    }
    n->exponent = minus ? -exponent : exponent;
    n->rest = at;
    return NULL;
}

/* Reads the number `text` begins with. An exponent is looked for if `real`. */
static const char *number_read(struct number *n, const char *text, bool real)
{
    *n = (struct number){ .rest = text };
    if (*text == '-') {
        return "is negative";
    }
    if (*text == '\0') {
        return "is empty";
    }
    if (!is_digit(*text)) {
        return "does not begin with a number";
    }
    bool point = false;
    for (; is_digit(*n->rest) || (*n->rest == '.' && !point && is_digit(n->rest[1])); n->rest++) {
        if (*n->rest == '.') {
            point = true;
            continue;
        }
        if (n->count == 1 && n->digits[0] == '0' && !point) {
            n->count = 0; /* leading zeros */
        }
        if (n->count == NUMBER_DIGITS) {
            return "has too many digits";
        }
        n->digits[n->count++] = *n->rest;
        n->decimals += point;
    }
    if (real && (*n->rest == 'e' || *n->rest == 'E')) {
        return number_exponent(n);
    }
    return NULL;
}

/* value = the number * 10^shift. */
static const char *number_real(const struct number *n, int shift, double *value)
{
    char text[NUMBER_DIGITS + 16];
    snprintf(text, sizeof text, "%.*se%d", n->count, n->digits, n->exponent + shift - n->decimals);
    double result = strtod(text, NULL);
    if (!__builtin_isfinite(result)) {
        return "is too large";
    }
    *value = result;
    return NULL;
}

/* value = the number * unit, which must be whole and at most `most`. */
static const char *number_whole(const struct number *n, int64_t unit, int64_t most, int64_t *value)
{
    int count = n->count, decimals = n->decimals;
    while (decimals > 0 && n->digits[count - 1] == '0') {
        count--;
        decimals--;
    }
    while (decimals > 0 && unit % 10 == 0) {
        unit /= 10;
        decimals--;
    }
    const char *too_long = decimals > 0 ? "has too many digits" : "is too large";
    int64_t digits = 0, power = 1;
    if (count > WHOLE_DIGITS || decimals > DECIMALS_MOST) {
        return too_long;
    }
    for (int i = 0; i < count; i++) {
        if (__builtin_mul_overflow(digits, 10, &digits) ||
            __builtin_add_overflow(digits, n->digits[i] - '0', &digits)) {
            return too_long;
        }
    }
    for (int i = 0; i < decimals; i++) {
        power *= 10;
    }
    int64_t scaled;
    if (__builtin_mul_overflow(digits, unit, &scaled)) {
        return too_long;
    }
    if (scaled % power != 0) {
        return "is not a whole number";
    }
    if (scaled / power > most) {
        return "is too large";
    }
    *value = scaled / power;
    return NULL;
}

struct unit {
    const char *name;
    int64_t size;
};

static const struct unit time_units[] = {
    { "d", 86400 * SQ_NS_PER_S }, { "h", 3600 * SQ_NS_PER_S }, { "m", 60 * SQ_NS_PER_S },
    { "s", SQ_NS_PER_S },         { "ms", 1000000 },           { "us", 1000 },
};

static const struct unit size_units[] = {
    { "B", 1 },
    { "kB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", INT64_C(1000000000000) },
    { "KiB", 1 << 10 },
    { "MiB", 1 << 20 },
    { "GiB", 1 << 30 },
    { "TiB", INT64_C(1) << 40 },
};

static const struct unit thousands[] = {
    { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }
};

static const struct unit per_units[] = { { "s", 1 }, { "m", 60 }, { "h", 3600 } };

static const int64_t DURATION_MOST = INT64_C(10000) * 86400 * SQ_NS_PER_S;
static const int64_t COUNT_MOST = (INT64_C(1) << 40) - 1;
static const int64_t SIZE_MOST = INT64_C(1) << 60;

/* The unit written as the `len` characters at `text`, or NULL. */
static const struct unit *unit_find(const struct unit *units, size_t count, const char *text,
                                    size_t len)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(units[i].name) == len && memcmp(units[i].name, text, len) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

/* Nanoseconds of number * unit, rounded to nearest. With at most nine decimals F and a unit U
 * <= 8.64e13 the part U * F / 10^9 is computed exactly in two steps, F = 10^4 a + b. */
static const char *duration_part(const struct number *n, int64_t unit, int64_t *ns)
{
    if (n->decimals > 9) {
        return "has more than nine decimals";
    }
    struct number whole = *n;
    whole.count -= n->decimals;
    whole.decimals = 0;
    const char *wrong = number_whole(&whole, unit, DURATION_MOST, ns);
    if (wrong != NULL) {
        return "is above the maximum 10000d";
    }
    int64_t fraction = 0;
    for (int i = 0; i < 9; i++) {
        int at = whole.count + i;
        fraction = fraction * 10 + (i < n->decimals ? n->digits[at] - '0' : 0);
    }
    int64_t high = unit * (fraction / 10000), low = unit * (fraction % 10000);
    int64_t rest = high % 100000 * 10000 + low;
    *ns += high / 100000 + (rest + 500000000) / 1000000000;
    return NULL;
}

const char *sq_unit_duration(const char *text, sq_time_t *out)
{
    sq_time_t total = 0;
    bool zero = true;
    const struct unit *last = NULL;
    do {
        struct number n;
        const char *wrong = number_read(&n, text, false);
        if (wrong != NULL) {
            return wrong;
        }
        size_t len = strcspn(n.rest, "0123456789");
        const struct unit *unit = unit_find(time_units, SQ_COUNT(time_units), n.rest, len);
        if (len == 0) {
            return "needs a unit, for example 5s or 200ms";
        }
        if (unit == NULL) {
            return "has an unknown unit; the units are d h m s ms us";
        }
        if (last != NULL && unit <= last) {
            return "has its units out of order; write the largest first, as in 1h30m";
        }
        text = n.rest + len;
        if (n.decimals > 0 && *text != '\0') {
            return "has decimals before its last unit";
        }
        int64_t ns;
        wrong = duration_part(&n, unit->size, &ns);
        if (wrong != NULL) {
            return wrong;
        }
        for (int i = 0; i < n.count; i++) {
            zero = zero && n.digits[i] == '0';
        }
        total += ns; /* at most 6 parts of 10,000 d */
        last = unit;
    } while (*text != '\0');
    if (total > DURATION_MOST) {
        return "is above the maximum 10000d";
    }
    if (total == 0 && !zero) {
        return "is shorter than a nanosecond";
    }
    *out = total;
    return NULL;
}

const char *sq_unit_rate(const char *text, double *per_s)
{
    struct number n;
    const char *wrong = number_read(&n, text, true);
    if (wrong != NULL) {
        return wrong;
    }
    size_t len = strcspn(n.rest, "/");
    const struct unit *scale = unit_find(thousands, SQ_COUNT(thousands), n.rest, len);
    if (n.rest[len] == '\0') {
        return "needs a unit, for example 500/s or 30/m";
    }
    const char *per = n.rest + len + 1;
    const struct unit *unit = unit_find(per_units, SQ_COUNT(per_units), per, strlen(per));
    if (scale == NULL || unit == NULL) {
        return "has an unknown unit; the units are /s /m /h, with k M G before them";
    }
    double value = 0;
    wrong = number_real(&n, 3 * (int)(scale - thousands), &value);
    if (wrong == NULL) {
        *per_s = value / (double)unit->size;
    }
    return wrong;
}

const char *sq_unit_ratio(const char *text, double *out)
{
    struct number n;
    const char *wrong = number_read(&n, text, true);
    if (wrong != NULL) {
        return wrong;
    }
    bool percent = *n.rest == '%';
    if (n.rest[percent ? 1 : 0] != '\0') {
        return "is not a share; write 20% or 0.2";
    }
    double value = 0;
    wrong = number_real(&n, percent ? -2 : 0, &value);
    if (wrong != NULL || value > 1) {
        return "is above 100%; write a share as 20% or 0.2";
    }
    *out = value;
    return NULL;
}

const char *sq_unit_count(const char *text, int64_t *out)
{
    struct number n;
    const char *wrong = number_read(&n, text, false);
    if (wrong != NULL) {
        return wrong;
    }
    const struct unit *unit = unit_find(thousands, SQ_COUNT(thousands), n.rest, strlen(n.rest));
    if (unit == NULL) {
        return "is not a count; write it as 60000, 60k or 2M";
    }
    return number_whole(&n, unit->size, COUNT_MOST, out);
}

const char *sq_unit_seed(const char *text, uint64_t *out)
{
    uint64_t seed = 0;
    const char *at = text;
    for (; is_digit(*at); at++) {
        if (__builtin_mul_overflow(seed, 10u, &seed) ||
            __builtin_add_overflow(seed, (uint64_t)(*at - '0'), &seed)) {
            return "is above the maximum 18446744073709551615";
        }
    }
    if (at == text || *at != '\0') { /* 60k, or what is wrong with it */
        int64_t count = 0;
        const char *wrong = sq_unit_count(text, &count);
        *out = wrong == NULL ? (uint64_t)count : *out;
        return wrong;
    }
    *out = seed;
    return NULL;
}

const char *sq_unit_size(const char *text, int64_t *bytes)
{
    struct number n;
    const char *wrong = number_read(&n, text, false);
    if (wrong != NULL) {
        return wrong;
    }
    if (*n.rest == '\0') {
        return "needs a unit, for example 20kB or 512MiB";
    }
    const struct unit *unit = unit_find(size_units, SQ_COUNT(size_units), n.rest, strlen(n.rest));
    if (unit == NULL) {
        return "has an unknown unit; the units are B kB MB GB TB KiB MiB GiB TiB";
    }
    return number_whole(&n, unit->size, SIZE_MOST, bytes);
}

const char *sq_unit_number(const char *text, double *out)
{
    struct number n;
    const char *wrong = number_read(&n, text, true);
    if (wrong != NULL) {
        return wrong;
    }
    return *n.rest != '\0' ? "is not a number" : number_real(&n, 0, out);
}
