/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_roff.c - see sq_roff.h. */
#include "sim/base/sq_roff.h"

static const char date[] = "2026-11-30"; /* of this version */

/* The character that starts here, and its bytes; bytes that are none count alone. */
static uint32_t character(const char *text, size_t left, size_t *len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t more = s[0] >= 0xF0 ? 3 : s[0] >= 0xE0 ? 2 : s[0] >= 0xC0 ? 1 : 0;
    uint32_t c = more > 0 ? s[0] & (0x3FU >> more) : s[0];
    *len = more < left ? more + 1 : left;
    for (size_t i = 1; i < *len; i++) {
        c = c << 6 | (s[i] & 0x3FU);
    }
    return c;
}

void sq_roff_text(struct sq_buf *out, const char *text, size_t len)
{
    bool start = out->len == 0 || (!out->failed && out->text[out->len - 1] == '\n');
    for (size_t i = 0, step = 1; i < len; i += step) {
        uint32_t c = character(text + i, len - i, &step);
        if (start && (c == '.' || c == '\'')) {
            sq_buf_puts(out, "\\&");
        }
        start = c == '\n';
        if (c == '\\') {
            sq_buf_puts(out, "\\e");
        } else if (c == '-') {
            sq_buf_puts(out, "\\-");
        } else if (c == '`') {
            sq_buf_puts(out, "\\(ga");
        } else if (c == '\'') {
            sq_buf_puts(out, "\\(aq");
        } else if (c > 0x7F) {
            sq_buf_printf(out, "\\[u%04X]", (unsigned)c);
        } else {
            sq_buf_putc(out, (char)c);
        }
    }
}

void sq_roff_title(struct sq_buf *out, const char *name, int section, const char *title)
{
    sq_buf_printf(out,
                  ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
                  ".\\\" Made by the program itself from its own rows.\n"
                  ".TH %s %d \"%s\" \"squall " SQ_VERSION "\" \"%s\"\n",
                  name, section, date, title);
}
