/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_diag.c - collecting and printing complaints; the closest word for "did you mean". */
#include "sim/base/sq_diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/sq_mem.h"

static void diag_drop(struct sq_complaint *c)
{
    sq_mem_free(c->file);
    sq_mem_free(c->path);
    sq_mem_free(c->text);
    sq_mem_free(c->hint);
}

void sq_diag_fini(struct sq_diag *d)
{
    for (size_t i = 0; i < d->count; i++) {
        diag_drop(&d->items[i]);
    }
    sq_mem_free(d->items);
    *d = (struct sq_diag){ 0 };
}

/* A copy; NULL stays NULL. */
static char *diag_copy(struct sq_diag *d, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    char *copy = sq_mem_alloc(size, 1);
    if (copy == NULL) {
        d->failed = true;
        return NULL;
    }
    memcpy(copy, text, size);
    return copy;
}

SQ_PRINTF(2, 0)
static char *diag_format(struct sq_diag *d, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    SQ_ASSERT(len >= 0);
    char *text = sq_mem_alloc((size_t)len + 1, 1);
    if (text == NULL) {
        d->failed = true;
        return NULL;
    }
    vsnprintf(text, (size_t)len + 1, fmt, args);
    return text;
}

/* Takes path, text and hint over and copies the name of the file, whose owner (a scenario, say) may
 * be gone when the complaint is printed. Frees them when the complaint cannot be kept. */
static void diag_keep(struct sq_diag *d, struct sq_complaint c)
{
    c.file = diag_copy(d, c.where.file);
    c.where.file = c.file;
    if (d->count == d->size && !d->failed) {
        size_t size = d->size > 0 ? d->size * 2 : 8;
        struct sq_complaint *items = sq_mem_resize(d->items, size, sizeof *items);
        if (items != NULL) {
            d->items = items;
            d->size = size;
        } else {
            d->failed = true;
        }
    }
    if (d->failed) {
        diag_drop(&c);
        return;
    }
    d->items[d->count++] = c;
}

enum sq_status sq_diag_error(struct sq_diag *d, struct sq_where where, const char *path,
                             const char *hint, const char *fmt, ...)
{
    d->errors++;
    if (d->errors > SQ_DIAG_SHOWN) {
        return SQ_USER;
    }
    va_list args;
    va_start(args, fmt);
    char *text = diag_format(d, fmt, args);
    va_end(args);
    diag_keep(d, (struct sq_complaint){ .severity = SQ_ERROR,
                                        .where = where,
                                        .path = diag_copy(d, path),
                                        .text = text,
                                        .hint = diag_copy(d, hint) });
    return SQ_USER;
}

void sq_diag_warn(struct sq_diag *d, struct sq_where where, const char *path, const char *hint,
                  const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = diag_format(d, fmt, args);
    va_end(args);
    diag_keep(d, (struct sq_complaint){ .severity = SQ_WARNING,
                                        .where = where,
                                        .path = diag_copy(d, path),
                                        .text = text,
                                        .hint = diag_copy(d, hint) });
}

void sq_diag_note(struct sq_diag *d, const char *file, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = diag_format(d, fmt, args);
    va_end(args);
    diag_keep(
        d, (struct sq_complaint){ .severity = SQ_NOTE, .where = { .file = file }, .text = text });
}

static void diag_print_one(const struct sq_complaint *c, struct sq_buf *out)
{
    static const char *const words[] = {
        [SQ_ERROR] = "", [SQ_WARNING] = "warning: ", [SQ_NOTE] = "note: "
    };
    if (c->where.file != NULL) {
        sq_buf_puts(out, c->where.file);
        if (c->where.line > 0) {
            sq_buf_printf(out, ":%u", (unsigned)c->where.line);
        }
        if (c->where.line > 0 && c->where.col > 0) {
            sq_buf_printf(out, ":%u", (unsigned)c->where.col);
        }
        sq_buf_puts(out, ": ");
    }
    sq_buf_puts(out, words[c->severity]);
    if (c->path != NULL && c->path[0] != '\0') {
        sq_buf_puts(out, c->path);
        sq_buf_puts(out, ": ");
    }
    sq_buf_puts(out, c->text);
    sq_buf_putc(out, '\n');
    if (c->hint != NULL) {
        sq_buf_puts(out, "    hint: ");
        sq_buf_puts(out, c->hint);
        sq_buf_putc(out, '\n');
    }
}

void sq_diag_print(const struct sq_diag *d, struct sq_buf *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        diag_print_one(&d->items[i], out);
        kept += d->items[i].severity == SQ_ERROR;
    }
    if (d->errors > kept) {
        size_t more = d->errors - kept;
        sq_buf_printf(out, "(%zu more error%s)\n", more, more == 1 ? "" : "s");
    }
}

enum { WORD_MAX = 64 };

/* Edit distance in which swapping two neighbours counts as one edit (optimal string alignment):
 * three rows of the usual table are kept. Both lengths are at most WORD_MAX. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *two_up = rows[0], *up = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++) {
        up[j] = j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
            best = up[j] + 1 < best ? up[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_up[j - 2] + 1 < best) {
                best = two_up[j - 2] + 1;
            }
            row[j] = best;
        }
        size_t *oldest = two_up;
        two_up = up;
        up = row;
        row = oldest;
    }
    return up[b_len];
}

const char *sq_diag_closest(const char *word, const char *const *names, size_t count)
{
    size_t len = strlen(word);
    if (len == 0 || len > WORD_MAX) {
        return NULL;
    }
    size_t best = len / 3 > 1 ? len / 3 : 1;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_len = strlen(names[i]);
        if (name_len > WORD_MAX) {
            continue;
        }
        size_t distance = edit_distance(word, len, names[i], name_len);
        if (distance < best || (distance == best && found == NULL)) {
            best = distance;
            found = names[i];
        }
    }
    return found;
}
