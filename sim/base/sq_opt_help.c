/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_opt_help.c - the synopsis and the help text of a command. */
#include <string.h>

#include "sim/base/sq_opt.h"

enum { LINE = 79, COLUMN_MOST = 26 };

static void put_spaces(struct sq_buf *out, size_t n)
{
    sq_buf_printf(out, "%*s", (int)n, "");
}

/* Characters as a terminal counts them: bytes that begin one. */
static size_t width(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return n;
}

/* Adds `item` and a space before it, or a new line of `indent` spaces when it would not fit. */
static void put_item(struct sq_buf *out, size_t *column, size_t indent, const char *item,
                     size_t len)
{
    size_t wide = width(item, len);
    if (*column > indent && *column + 1 + wide > LINE) {
        sq_buf_putc(out, '\n');
        put_spaces(out, indent);
        *column = indent;
    } else if (*column > indent) {
        sq_buf_putc(out, ' ');
        (*column)++;
    }
    sq_buf_add(out, item, len);
    *column += wide;
}

/* A text word by word, from `column` on, further lines indented. */
static void put_text(struct sq_buf *out, size_t column, size_t indent, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        put_item(out, &column, indent, text, len);
        text += len;
        text += strspn(text, " ");
    }
    sq_buf_putc(out, '\n');
}

static void synopsis(const struct sq_command *c, struct sq_buf *out, size_t column)
{
    size_t indent = column + width(c->name, strlen(c->name)) + 1;
    sq_buf_puts(out, c->name);
    sq_buf_putc(out, ' ');
    column = indent;
    for (size_t i = 0; i < c->opt_count; i++) {
        const struct sq_opt *o = &c->opts[i];
        struct sq_buf item = { 0 };
        sq_buf_printf(&item, "[--%s%s%s]%s", o->name, o->arg != NULL ? " " : "",
                      o->arg != NULL ? o->arg : "", o->repeatable ? "..." : "");
        out->failed = out->failed || item.failed;
        if (!item.failed) {
            put_item(out, &column, indent, item.text, item.len);
        }
        sq_buf_fini(&item);
    }
    if (c->words != NULL) {
        put_item(out, &column, indent, c->words, strlen(c->words));
    }
    while (out->len > 0 && out->text[out->len - 1] == ' ') {
        out->text[--out->len] = '\0'; /* a command without options and words */
    }
    sq_buf_putc(out, '\n');
}

void sq_opt_synopsis(const struct sq_command *command, struct sq_buf *out)
{
    synopsis(command, out, 0);
}

/* "  -o, --out DIR" */
static void put_left(struct sq_buf *out, const struct sq_opt *o)
{
    if (o->letter != '\0') {
        sq_buf_printf(out, "  -%c, --%s", o->letter, o->name);
    } else {
        sq_buf_printf(out, "      --%s", o->name);
    }
    if (o->arg != NULL) {
        sq_buf_printf(out, " %s", o->arg);
    }
}

static void put_row(struct sq_buf *out, const struct sq_opt *o, size_t indent)
{
    struct sq_buf left = { 0 };
    put_left(&left, o);
    out->failed = out->failed || left.failed;
    if (left.failed) {
        sq_buf_fini(&left);
        return;
    }
    size_t wide = width(left.text, left.len);
    sq_buf_puts(out, left.text);
    sq_buf_fini(&left);
    if (wide + 2 > indent) {
        sq_buf_putc(out, '\n');
        wide = 0;
    }
    put_spaces(out, indent - wide);
    struct sq_buf doc = { 0 };
    sq_buf_printf(&doc, "%s%s", o->doc, o->repeatable ? " May be repeated." : "");
    out->failed = out->failed || doc.failed;
    put_text(out, indent, indent, doc.failed ? "" : doc.text);
    sq_buf_fini(&doc);
}

void sq_opt_help(const struct sq_command *command, struct sq_buf *out)
{
    size_t indent = 14; /* "  -h, --help" and a gap */
    for (size_t i = 0; i < command->opt_count; i++) {
        struct sq_buf left = { 0 };
        put_left(&left, &command->opts[i]);
        size_t wide = left.failed ? 0 : width(left.text, left.len) + 2;
        indent = wide > indent && wide <= COLUMN_MOST + 2 ? wide : indent;
        sq_buf_fini(&left);
    }
    sq_buf_puts(out, "usage: ");
    synopsis(command, out, strlen("usage: "));
    sq_buf_putc(out, '\n');
    put_text(out, 0, 0, command->doc);
    sq_buf_putc(out, '\n');
    for (size_t i = 0; i < command->opt_count; i++) {
        put_row(out, &command->opts[i], indent);
    }
    put_row(out, &sq_opt_help_row, indent);
}
