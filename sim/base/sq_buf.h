/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_buf.h - a text that grows. Running out of memory is remembered (`failed`) and checked once
 * at the end, so that writers need no check per line. Always NUL-terminated once something was
 * added. A zeroed struct is an empty buffer. */
#ifndef SQ_BUF_H
#define SQ_BUF_H

#include "sim/base/sq_base.h"

struct sq_buf {
    char *text;
    size_t len, size;
    bool failed;
};

void sq_buf_fini(struct sq_buf *b);
void sq_buf_add(struct sq_buf *b, const char *text, size_t len);
void sq_buf_puts(struct sq_buf *b, const char *text);
void sq_buf_putc(struct sq_buf *b, char c);

/* printf into the buffer. No floating-point conversions: numbers go through sq_buf_number,
 * because printf obeys the locale. */
void sq_buf_printf(struct sq_buf *b, const char *fmt, ...) SQ_PRINTF(2, 3);

/* A number with at most `digits` significant digits (1..17), shortest form, always with '.', for
 * example 0.32, 1600, 1.5e+20; NaN gives "null". The only way numbers reach files and screens. */
void sq_buf_number(struct sq_buf *b, double value, int digits);

#endif
