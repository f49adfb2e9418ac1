/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_annotation.c - writing workflow commands. */
#include "sim/base/sq_annotation.h"

/* Percent and line ends are escaped, in properties colon and comma too. */
static void put_escaped(struct sq_buf *out, const char *text, bool property)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        if (special) {
            sq_buf_printf(out, "%%%02X", c);
        } else {
            sq_buf_putc(out, (char)c);
        }
    }
}

void sq_annotation_put(struct sq_buf *out, enum sq_severity severity, struct sq_where where,
                       const char *title, const char *text)
{
    static const char *const words[] = {
        [SQ_ERROR] = "error", [SQ_WARNING] = "warning", [SQ_NOTE] = "notice"
    };
    sq_buf_printf(out, "::%s file=", words[severity]);
    put_escaped(out, where.file != NULL ? where.file : "", true);
    if (where.line > 0) {
        sq_buf_printf(out, ",line=%u", (unsigned)where.line);
    }
    if (where.line > 0 && where.col > 0) {
        sq_buf_printf(out, ",col=%u", (unsigned)where.col);
    }
    sq_buf_puts(out, ",title=");
    put_escaped(out, title, true);
    sq_buf_puts(out, "::");
    put_escaped(out, text, false);
    sq_buf_putc(out, '\n');
}
