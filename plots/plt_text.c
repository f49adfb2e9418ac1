/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_text.c - columns, lines and colours of a terminal. */
#include "plots/plt_text.h"

#include <string.h>

void plt_text_colour(struct plt_text *t, enum plt_colour colour)
{
    static const char *const codes[] = {
        [PLT_PLAIN] = "\x1b[0m",    [PLT_BOLD] = "\x1b[0;1m",   [PLT_FAINT] = "\x1b[0;2m",
        [PLT_RED] = "\x1b[0;1;31m", [PLT_GREEN] = "\x1b[0;32m", [PLT_YELLOW] = "\x1b[0;33m",
    };
    if (t->colour) {
        sq_buf_puts(t->out, codes[colour]);
    }
}

/* One character of UTF-8; bytes that are none count as one character each, with value '?'. */
static uint32_t next_char(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    size_t more = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : p[0] >= 0xC0 ? 1 : 0;
    uint32_t c = more > 0 ? p[0] & (0x3Fu >> more) : p[0];
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            *text += 1;
            return '?';
        }
        c = c << 6 | (p[i] & 0x3F);
    }
    *text += 1 + more;
    return more == 0 && c >= 0x80 ? '?' : c;
}

struct range {
    uint32_t from, to;
};

static bool in_range(uint32_t c, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (c >= ranges[i].from && c <= ranges[i].to) {
            return true;
        }
    }
    return false;
}

/* The wide and the empty characters that occur in names and notes; not all of Unicode. */
static unsigned char_columns(uint32_t c)
{
    static const struct range wide[] = { { 0x1100, 0x115F },  { 0x2E80, 0xA4CF },
                                         { 0xAC00, 0xD7A3 },  { 0xF900, 0xFAFF },
                                         { 0xFE30, 0xFE6F },  { 0xFF00, 0xFF60 },
                                         { 0xFFE0, 0xFFE6 },  { 0x1F300, 0x1FAFF },
                                         { 0x20000, 0x3FFFD } };
    static const struct range empty[] = { { 0x300, 0x36F },
                                          { 0x200B, 0x200F },
                                          { 0xFE00, 0xFE0F } };
    if (in_range(c, wide, SQ_COUNT(wide))) {
        return 2;
    }
    return in_range(c, empty, SQ_COUNT(empty)) ? 0 : 1;
}

static bool steers(uint32_t c)
{
    static const struct range ranges[] = {
        { 0, 0x1F }, { 0x7F, 0x9F }, { 0x202A, 0x202E }, { 0x2066, 0x2069 }
    };
    return in_range(c, ranges, SQ_COUNT(ranges));
}

static const char *ascii_of(uint32_t c)
{
    static const struct {
        uint32_t c;
        const char *ascii;
    } rows[] = { { 0x2013, "-" },  { 0x2014, "-" },  { 0x2018, "'" },  { 0x2019, "'" },
                 { 0x201C, "\"" }, { 0x201D, "\"" }, { 0xD7, "x" },    { 0x2026, "..." },
                 { 0xB7, "-" },    { 0xB1, "+-" },   { 0x2192, "->" }, { 0xA0, " " },
                 { 0xE4, "ae" },   { 0xF6, "oe" },   { 0xFC, "ue" },   { 0xDF, "ss" } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        if (rows[i].c == c) {
            return rows[i].ascii;
        }
    }
    return "?";
}

/* Writes one character (or only counts it, with out == NULL) and returns its columns. */
static unsigned put_char(const struct plt_text *t, const char **text, struct sq_buf *out)
{
    const char *from = *text;
    uint32_t c = next_char(text);
    const char *as = NULL;
    if (steers(c)) {
        as = " ";
    } else if (c >= 0x80 && !t->utf8) {
        as = ascii_of(c);
    } else if (c == '?') {
        as = "?";
    }
    unsigned columns = as != NULL ? (unsigned)strlen(as) : char_columns(c);
    if (out != NULL) {
        sq_buf_add(out, as != NULL ? as : from, as != NULL ? strlen(as) : (size_t)(*text - from));
    }
    return columns;
}

unsigned plt_text_columns(const struct plt_text *t, const char *text)
{
    unsigned columns = 0;
    while (*text != '\0') {
        columns += put_char(t, &text, NULL);
    }
    return columns;
}

void plt_text_put(struct plt_text *t, const char *text)
{
    while (*text != '\0') {
        t->column += put_char(t, &text, t->out);
    }
}

/* A blank is a space or anything that becomes one. */
static bool blank(const char *text)
{
    return *text == ' ' || *text == '\n' || *text == '\t';
}

static void put_word(struct plt_text *t, const char *word, const char *end, unsigned indent)
{
    while (word < end) {
        const char *next = word;
        unsigned columns = put_char(t, &next, NULL);
        if (t->column + columns > t->width && t->column > indent) {
            plt_text_end(t);
            plt_text_to(t, indent);
        }
        t->column += put_char(t, &word, t->out);
    }
}

void plt_text_wrap(struct plt_text *t, const char *text, unsigned indent)
{
    while (*text != '\0') {
        const char *end = text;
        unsigned columns = 0;
        while (*end != '\0' && !blank(end)) {
            columns += put_char(t, &end, NULL);
        }
        bool full = t->column + columns > t->width;
        if (full && t->column > indent && indent + columns <= t->width) {
            plt_text_end(t);
            plt_text_to(t, indent);
        }
        put_word(t, text, end, indent);
        for (text = end; blank(text); text++) {
        }
        if (*text != '\0' && end != text && t->column < t->width) {
            plt_text_put(t, " ");
        }
    }
}

void plt_text_end(struct plt_text *t)
{
    while (t->out->len > 0 && t->out->text[t->out->len - 1] == ' ') {
        t->out->text[--t->out->len] = '\0';
    }
    sq_buf_putc(t->out, '\n');
    t->column = 0;
}

void plt_text_to(struct plt_text *t, unsigned column)
{
    while (t->column < column) {
        plt_text_put(t, " ");
    }
}

void plt_text_right(struct plt_text *t, const char *text, unsigned end)
{
    unsigned columns = plt_text_columns(t, text);
    plt_text_put(t, " ");
    if (columns < end) {
        plt_text_to(t, end - columns);
    }
    plt_text_put(t, text);
}

void plt_text_line(struct plt_text *t, struct sq_buf *b, enum plt_colour colour)
{
    plt_text_colour(t, colour);
    plt_text_wrap(t, b->text != NULL && !b->failed ? b->text : "", 0);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
    t->out->failed = t->out->failed || b->failed;
    sq_buf_fini(b);
}
