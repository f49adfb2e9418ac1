/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_markup.c - escaping. */
#include "sim/base/sq_markup.h"

void sq_markup_text(struct sq_buf *out, const char *text)
{
    for (const char *p = text != NULL ? text : ""; *p != '\0'; p++) {
        switch (*p) {
        case '<':
            sq_buf_puts(out, "&lt;");
            break;
        case '>':
            sq_buf_puts(out, "&gt;");
            break;
        case '&':
            sq_buf_puts(out, "&amp;");
            break;
        case '"':
            sq_buf_puts(out, "&#34;");
            break;
        case '\'':
            sq_buf_puts(out, "&#39;");
            break;
        default:
            if (((unsigned char)*p >= ' ' && *p != '\x7f') || *p == '\n') {
                sq_buf_putc(out, *p);
            }
        }
    }
}
