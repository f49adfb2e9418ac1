/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_doc_bytes.c - which bytes may stand in a YAML file. libyaml gives no line for bad ones, so
 * they are found before it reads. */
#include "sim/conf/sq_doc_bytes.h"

#include <string.h>

/* Length of the UTF-8 sequence at s that YAML allows, or 0. */
static size_t sequence_len(const unsigned char *s, size_t left)
{
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t len = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (len == 0 || len > left) {
        return 0;
    }
    uint32_t c = len == 1 ? s[0] : s[0] & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
        c = c << 6 | (s[i] & 0x3Fu);
    }
    bool good =
        c >= least[len] && (c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) ||
                            c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
                            (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF));
    return good ? len : 0;
}

/* U+0085, U+2028 and U+2029 end a line for libyaml, but neither for editors nor for YAML 1.2: what
 * follows a comment would be read by some and skipped by others, and places would be off. */
static bool is_odd_line_end(const unsigned char *s, size_t len)
{
    return (len == 2 && s[0] == 0xC2 && s[1] == 0x85) ||
           (len == 3 && s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9));
}

enum sq_status sq_doc_check_bytes(const char *file, const char *text, size_t len,
                                  struct sq_doc_bytes *out, struct sq_diag *diag)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    struct sq_where where = { file, 1, 1 };
    size_t chars = 0;
    while (i < len) {
        size_t step = sequence_len(s + i, len - i);
        if (step == 0 && s[i] < 0x80) {
            return sq_diag_error(diag, where, NULL, NULL,
                                 "control characters (0x%02x) are not allowed", s[i]);
        }
        if (step == 0) {
            return sq_diag_error(diag, where, NULL, "save the file as UTF-8",
                                 "the byte 0x%02x is not UTF-8 text", s[i]);
        }
        if (is_odd_line_end(s + i, step)) {
            return sq_diag_error(diag, where, NULL, "delete it, or end the line as usual",
                                 "an invisible line separator (%s)",
                                 step == 2          ? "U+0085"
                                 : s[i + 2] == 0xA8 ? "U+2028"
                                                    : "U+2029");
        }
        bool line_end = s[i] == '\n' || (s[i] == '\r' && !(i + 1 < len && s[i + 1] == '\n'));
        where.line += line_end;
        where.col = line_end ? 1 : where.col + 1;
        i += step;
        chars++;
    }
    *out = (struct sq_doc_bytes){ .chars = chars, .end = where };
    return SQ_OK;
}
