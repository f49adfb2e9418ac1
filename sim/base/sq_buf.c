/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_buf.c - the growing text, and how numbers are written. */
#include "sim/base/sq_buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_mem.h"

void sq_buf_fini(struct sq_buf *b)
{
    sq_mem_free(b->text);
    *b = (struct sq_buf){ 0 };
}

/* Room for `len` more bytes and the NUL. */
static bool buf_room(struct sq_buf *b, size_t len)
{
    if (b->failed) {
        return false;
    }
    if (b->size > b->len && len < b->size - b->len) {
        return true;
    }
    size_t size = b->size < 64 ? 64 : b->size;
    while (size - b->len <= len) {
        if (__builtin_mul_overflow(size, (size_t)2, &size)) {
            b->failed = true;
            return false;
        }
    }
    char *text = sq_mem_resize(b->text, size, 1);
    if (text == NULL) {
        b->failed = true;
        return false;
    }
    b->text = text;
    b->size = size;
    return true;
}

void sq_buf_add(struct sq_buf *b, const char *text, size_t len)
{
    if (!buf_room(b, len)) {
        return;
    }
    if (len > 0) {
        memcpy(b->text + b->len, text, len);
    }
    b->len += len;
    b->text[b->len] = '\0';
}

void sq_buf_puts(struct sq_buf *b, const char *text)
{
    sq_buf_add(b, text, strlen(text));
}

void sq_buf_putc(struct sq_buf *b, char c)
{
    sq_buf_add(b, &c, 1);
}

void sq_buf_printf(struct sq_buf *b, const char *fmt, ...)
{
    char small[256];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(small, sizeof small, fmt, args);
    va_end(args);
    SQ_ASSERT(len >= 0);
    if ((size_t)len < sizeof small) {
        sq_buf_add(b, small, (size_t)len);
        return;
    }
    if (!buf_room(b, (size_t)len)) {
        return;
    }
    va_start(args, fmt);
    vsnprintf(b->text + b->len, (size_t)len + 1, fmt, args);
    va_end(args);
    b->len += (size_t)len;
}

/* |value| = 0.d1 d2 d3 ... * 10^(exp10 + 1), the digits without trailing zeros. */
struct decimal {
    char digits[24];
    int count, exp10;
};

/* Takes "d<separator>ddde<sign>xx" apart. The separator depends on the locale and may have several
 * bytes; none of them is a digit or an 'e'. */
static void decimal_split(struct decimal *d, const char *text)
{
    d->count = 0;
    while (*text != 'e') {
        SQ_ASSERT(*text != '\0' && d->count < (int)sizeof d->digits);
        if (*text >= '0' && *text <= '9') {
            d->digits[d->count++] = *text;
        }
        text++;
    }
    bool minus = text[1] == '-';
    d->exp10 = 0;
    for (text += 2; *text != '\0'; text++) {
        d->exp10 = d->exp10 * 10 + (*text - '0');
    }
    d->exp10 = minus ? -d->exp10 : d->exp10;
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
    }
}

/* Up to 15 digits every decimal survives the way through a (normal) double, so dropping zeros gives
 * the shortest text; with 16 and 17 the first precision that reads back is taken (0.1, not
 * 0.10000000000000001). */
static void decimal_of(struct decimal *d, double value, int digits)
{
    char text[48];
    int precision = digits > 15 ? 15 : digits;
    for (;;) {
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        if (precision == digits || strtod(text, NULL) == value) {
            break;
        }
        precision++;
    }
    decimal_split(d, text);
}

void sq_buf_number(struct sq_buf *b, double value, int digits)
{
    SQ_ASSERT(digits >= 1 && digits <= 17);
    if (!__builtin_isfinite(value)) {
        sq_buf_puts(b, "null");
        return;
    }
    if (value == 0) {
        sq_buf_putc(b, '0');
        return;
    }
    struct decimal d;
    decimal_of(&d, value < 0 ? -value : value, digits);
    if (value < 0) {
        sq_buf_putc(b, '-');
    }
    bool plain = d.exp10 >= -6 && d.exp10 <= 15;
    int point = plain ? d.exp10 + 1 : 1; /* digits before the point; may be <= 0 */
    if (point <= 0) {
        sq_buf_add(b, "0.00000", (size_t)(2 - point));
        sq_buf_add(b, d.digits, (size_t)d.count);
        return;
    }
    int whole = d.count < point ? d.count : point;
    sq_buf_add(b, d.digits, (size_t)whole);
    sq_buf_add(b, "000000000000000", (size_t)(point - whole));
    if (d.count > whole) {
        sq_buf_putc(b, '.');
        sq_buf_add(b, d.digits + whole, (size_t)(d.count - whole));
    }
    if (!plain) {
        sq_buf_printf(b, "e%c%d", d.exp10 < 0 ? '-' : '+', d.exp10 < 0 ? -d.exp10 : d.exp10);
    }
}
