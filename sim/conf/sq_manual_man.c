/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_manual_man.c - the Markdown of sq_manual.c line by line: sections, kinds, rows of tables. */
#include "sim/conf/sq_manual_man.h"

#include "sim/base/sq_roff.h"
#include "sim/conf/sq_manual.h"

#include <ctype.h>
#include <string.h>

enum { CELLS = 4 };

struct cell {
    const char *text;
    size_t len;
};

static bool starts(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && strncmp(line, with, n) == 0;
}

/* `code` and **strong** in bold, *stress* and [name] in italics; \| is a bar. */
static void put_inline(struct sq_buf *out, const char *text, size_t len)
{
    bool bold = false, italic = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool two = c == '*' && i + 1 < len && text[i + 1] == '*';
        bool code = c == '`', name = c == '[' && i + 1 < len && islower((unsigned char)text[i + 1]);
        if (code || two) {
            bold = !bold;
            sq_buf_puts(out, bold ? "\\fB" : "\\fR");
            i += two;
        } else if (!bold && (c == '*' || (name && !italic) || (c == ']' && italic))) {
            italic = !italic;
            sq_buf_puts(out, italic ? "\\fI" : "\\fR");
        } else if (c != '\\' || i + 1 == len || text[i + 1] != '|') {
            size_t run = 1; /* characters of several bytes stay together */
            while (i + run < len && (text[i + run] & 0xC0) == 0x80) {
                run++;
            }
            sq_roff_text(out, text + i, run);
            i += run - 1;
        }
    }
}

/* "| a | b | c | d |" */
static bool split(const char *line, size_t len, struct cell *cells)
{
    size_t count = 0, from = 1;
    for (size_t i = 1; i < len && count < CELLS; i++) {
        if (line[i] == '|' && line[i - 1] != '\\') {
            size_t a = from, b = i;
            while (a < b && line[a] == ' ') {
                a++;
            }
            while (b > a && line[b - 1] == ' ') {
                b--;
            }
            cells[count++] = (struct cell){ line + a, b - a };
            from = i + 1;
        }
    }
    return count == CELLS;
}

static void put_row(struct sq_buf *out, const char *line, size_t len)
{
    struct cell c[CELLS];
    if (!split(line, len, c)) {
        return;
    }
    sq_buf_puts(out, ".TP\n");
    put_inline(out, c[0].text, c[0].len);
    sq_buf_puts(out, "  ");
    put_inline(out, c[1].text, c[1].len);
    bool none = c[2].len == 1 && c[2].text[0] == '-';
    bool required = starts(c[2].text, c[2].len, "required");
    if (!none) {
        sq_buf_puts(out, required ? "; " : "; default ");
        put_inline(out, c[2].text, c[2].len);
    }
    sq_buf_putc(out, '\n');
    put_inline(out, c[3].text, c[3].len);
    sq_buf_putc(out, '\n');
}

/* Not right behind a heading, where there is one anyway. */
static void put_break(struct sq_buf *out)
{
    size_t at = out->len;
    while (at > 1 && out->text[at - 2] != '\n') {
        at--;
    }
    if (!out->failed && at > 0 && strncmp(out->text + at - 1, ".S", 2) != 0) {
        sq_buf_puts(out, ".PP\n");
    }
}

static void put_line(struct sq_buf *out, const char *line, size_t len)
{
    bool skipped =
        len == 0 || starts(line, len, "# ") || starts(line, len, "| key |") ||
        starts(line, len, "|---") ||
        (line[0] == '[' && strstr(line, "]: #") != NULL && strstr(line, "]: #") < line + len);
    if (skipped) {
        return;
    }
    if (starts(line, len, "## ")) {
        sq_buf_puts(out, ".SS ");
        sq_roff_text(out, line + 3, len - 3);
    } else if (starts(line, len, "| ")) {
        put_row(out, line, len);
        return;
    } else {
        if (starts(line, len, "**kind") || starts(line, len, "Takes")) {
            put_break(out);
        }
        put_inline(out, line, len);
    }
    sq_buf_putc(out, '\n');
}

static void put_lines(struct sq_buf *out, const char *text, bool paragraphs)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (len == 0 && paragraphs) {
            put_break(out);
        }
        put_line(out, text, len);
        text += len + (text[len] == '\n');
    }
}

enum sq_status sq_manual_man(const struct sq_table *table, const struct sq_manual_page *page,
                             struct sq_buf *out)
{
    struct sq_buf keys = { 0 };
    enum sq_status status = sq_manual_write(table, page->name, &keys);
    sq_roff_title(out, page->name, 5, "File Formats");
    sq_buf_puts(out, ".SH NAME\n");
    for (const char *c = page->name; *c != '\0'; c++) {
        char low = (char)tolower((unsigned char)*c);
        sq_roff_text(out, &low, 1);
    }
    sq_buf_puts(out, " \\- ");
    put_inline(out, page->brief, strlen(page->brief));
    sq_buf_puts(out, "\n.SH DESCRIPTION\n");
    put_lines(out, page->description, true);
    sq_buf_puts(out, ".SH KEYS\n");
    put_lines(out, status == SQ_OK ? keys.text : "", false);
    sq_buf_puts(out, ".SH \"SEE ALSO\"\n");
    put_inline(out, page->see_also, strlen(page->see_also));
    sq_buf_putc(out, '\n');
    sq_buf_fini(&keys);
    return status == SQ_OK && out->failed ? SQ_NOMEM : status;
}
