/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import.c - the way of the bytes: marks and UTF-16 first, then the head is gathered until
 * enough is known, then everything runs through the rows. */
#include "models/import/mdl_import_in.h"

#include <string.h>

#include "sim/base/sq_file.h"

struct mdl_import *mdl_import_open(const struct mdl_import_ask *ask,
                                   const struct mdl_import_sink *sink, struct sq_diag *diag)
{
    struct mdl_import *im = sq_mem_alloc(1, sizeof *im);
    if (im != NULL) {
        im->ask = *ask;
        im->sink = *sink;
        im->diag = diag;
        im->found.bin = 0;
    }
    return im;
}

void mdl_import_close(struct mdl_import *im)
{
    if (im != NULL) {
        sq_csv_stream_close(im->csv);
        sq_buf_fini(&im->head);
        sq_buf_fini(&im->line);
        sq_mem_free(im->bins.counts);
        sq_mem_free(im->window.heap);
        sq_arena_fini(&im->arena);
        sq_mem_free(im);
    }
}

const struct mdl_import_found *mdl_import_found(const struct mdl_import *im)
{
    return &im->found;
}

/* ---- lines ---- */

static enum sq_status give_line(struct mdl_import *im)
{
    while (im->line.len > 0 && strchr("\r\n", im->line.text[im->line.len - 1]) != NULL) {
        im->line.text[--im->line.len] = '\0';
    }
    im->line_no++;
    if (im->line.failed || im->line.len == 0) {
        return im->line.failed ? SQ_NOMEM : SQ_OK;
    }
    const char *cell = im->line.text;
    struct sq_csv_row row = { im->line_no, 1, &cell };
    enum sq_status status = mdl_import_row(im, &row);
    im->line.len = 0;
    return status;
}

static enum sq_status feed_lines(struct mdl_import *im, const char *text, size_t len)
{
    enum sq_status status = SQ_OK;
    while (len > 0 && status == SQ_OK) {
        const char *end = memchr(text, '\n', len);
        size_t step = end != NULL ? (size_t)(end - text) + 1 : len;
        sq_buf_add(&im->line, text, step);
        if (end != NULL) {
            status = give_line(im);
        } else if (im->line.len > MDL_IMPORT_HEAD) {
            return sq_diag_error(im->diag, mdl_import_place(im, im->line_no + 1), NULL, NULL,
                                 "is longer than %d bytes", MDL_IMPORT_HEAD);
        }
        text += step;
        len -= step;
    }
    return status;
}

static enum sq_status feed_rows(struct mdl_import *im, const char *text, size_t len)
{
    return im->dialect->lines ? feed_lines(im, text, len) : sq_csv_stream_feed(im->csv, text, len);
}

/* ---- the head ---- */

static enum sq_status start(struct mdl_import *im, bool whole)
{
    im->started = true;
    enum sq_status status = im->head.failed ? SQ_NOMEM : mdl_import_begin(im, whole);
    if (status == SQ_OK && im->head.len > 0) {
        status = feed_rows(im, im->head.text, im->head.len);
    }
    sq_buf_fini(&im->head);
    return status;
}

static enum sq_status feed_text(struct mdl_import *im, const char *text, size_t len)
{
    if (im->started) {
        return feed_rows(im, text, len);
    }
    sq_buf_add(&im->head, text, len);
    return im->head.len >= MDL_IMPORT_HEAD ? start(im, false) : SQ_OK;
}

/* ---- UTF-16 ---- */

static void put_utf8(struct sq_buf *b, uint32_t c)
{
    if (c < 0x80) {
        sq_buf_putc(b, (char)c);
    } else if (c < 0x800) {
        sq_buf_putc(b, (char)(0xc0 | c >> 6));
        sq_buf_putc(b, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        sq_buf_putc(b, (char)(0xe0 | c >> 12));
        sq_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        sq_buf_putc(b, (char)(0x80 | (c & 0x3f)));
    } else {
        sq_buf_putc(b, (char)(0xf0 | c >> 18));
        sq_buf_putc(b, (char)(0x80 | (c >> 12 & 0x3f)));
        sq_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        sq_buf_putc(b, (char)(0x80 | (c & 0x3f)));
    }
}

static void put_unit(struct mdl_import *im, struct sq_buf *b, uint32_t unit)
{
    if (unit >= 0xd800 && unit < 0xdc00) {
        im->high = unit;
    } else if (unit >= 0xdc00 && unit < 0xe000 && im->high != 0) {
        put_utf8(b, 0x10000 + ((im->high - 0xd800) << 10) + (unit - 0xdc00));
        im->high = 0;
    } else {
        put_utf8(b, unit);
    }
}

static enum sq_status feed_wide(struct mdl_import *im, const char *text, size_t len)
{
    struct sq_buf b = { 0 };
    for (size_t i = 0; i < len; i++) {
        im->spare[im->spare_count++] = (unsigned char)text[i];
        if (im->spare_count == 2) {
            unsigned first = im->spare[0], second = im->spare[1];
            put_unit(im, &b, im->big ? first << 8 | second : second << 8 | first);
            im->spare_count = 0;
        }
    }
    enum sq_status status = b.failed ? SQ_NOMEM : b.len > 0 ? feed_text(im, b.text, b.len) : SQ_OK;
    sq_buf_fini(&b);
    return status;
}

/* The first bytes, once there are three or the file ends: which encoding they mark. */
static enum sq_status mark(struct mdl_import *im)
{
    unsigned char first[4];
    size_t count = im->spare_count, skip = 0;
    memcpy(first, im->spare, sizeof first);
    im->spare_count = 0;
    im->found.bom = true;
    if (count >= 2 &&
        ((first[0] == 0xff && first[1] == 0xfe) || (first[0] == 0xfe && first[1] == 0xff))) {
        im->wide = im->found.utf16 = true;
        im->big = first[0] == 0xfe;
        return feed_wide(im, (const char *)first + 2, count - 2);
    }
    im->found.bom = count == 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0;
    skip = im->found.bom ? 3 : 0;
    return feed_text(im, (const char *)first + skip, count - skip);
}

enum sq_status mdl_import_feed(struct mdl_import *im, const char *text, size_t len)
{
    enum sq_status status = SQ_OK;
    while (!im->marked && len > 0 && status == SQ_OK) {
        im->spare[im->spare_count++] = (unsigned char)*text++;
        len--;
        if (im->spare_count == 3) {
            im->marked = true;
            status = mark(im);
        }
    }
    if (status != SQ_OK || len == 0) {
        return status;
    }
    return im->wide ? feed_wide(im, text, len) : feed_text(im, text, len);
}

enum sq_status mdl_import_end(struct mdl_import *im)
{
    enum sq_status status = SQ_OK;
    if (!im->marked) {
        im->marked = true;
        status = mark(im);
    }
    if (status == SQ_OK && !im->started) {
        status = start(im, true);
    }
    if (status == SQ_OK) {
        status = !im->dialect->lines ? sq_csv_stream_end(im->csv)
                 : im->line.len > 0  ? give_line(im)
                                     : SQ_OK;
    }
    if (status == SQ_OK && im->diag->errors > 0) {
        status = SQ_USER;
    }
    im->found.bin = im->bins.width;
    mdl_import_clock_say(im);
    if (status == SQ_OK) {
        status = im->bins.width > 0 ? mdl_import_bin_end(im) : mdl_import_order_end(im);
    }
    return status == SQ_OK ? mdl_import_shape_end(im) : status;
}

static enum sq_status feed_piece(void *ctx, const char *text, size_t len)
{
    return mdl_import_feed(ctx, text, len);
}

enum sq_status mdl_import_file(struct mdl_import *im)
{
    struct sq_file_pieces to = { feed_piece, im };
    enum sq_status status = sq_file_each(im->ask.file, &to, im->diag);
    return status == SQ_OK ? mdl_import_end(im) : status;
}
