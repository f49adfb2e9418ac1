/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_sheet.h - what every chart has: a title that says what came of it, a line below, the picture,
 * and a footer that says what it was made from.
 *
 * Order of use: open, set the texts, begin (fixes the height), draw, close. */
#ifndef PLT_SHEET_H
#define PLT_SHEET_H

#include "plots/plt_canvas.h"
#include "sim/core/sq_result.h"

enum { PLT_SHEET_WIDTH = 1200, PLT_SHEET_MARGIN = 28 };

struct plt_sheet {
    struct plt_canvas *canvas;
    const struct plt_theme *theme;
    struct sq_arena arena;                 /* texts */
    bool failed;                           /* out of memory */
    const char *title, *subtitle, *footer; /* NULL: none */
    double top;                            /* after begin: where the picture starts */
};

/* SQ_NOMEM, SQ_IO as plt_canvas_open; nothing is left open then. */
enum sq_status plt_sheet_open(struct plt_sheet *s, struct plt_look look) SQ_MUST_USE;

/* Moves a finished text into the arena; "" and `failed` when there is no memory. */
const char *plt_sheet_keep(struct plt_sheet *s, struct sq_buf *b);

/* Starts the sheet with a picture of this height between the texts, and draws the texts. */
void plt_sheet_begin(struct plt_sheet *s, double height);

/* A text; and one that is cut with an ellipsis where it is wider than `room`. */
void plt_sheet_text(struct plt_sheet *s, struct plt_point at, const char *text,
                    const struct plt_type *type);
void plt_sheet_text_within(struct plt_sheet *s, struct plt_point at, double room, const char *text,
                           const struct plt_type *type);
struct plt_point plt_sheet_measure(struct plt_sheet *s, const char *text,
                                   const struct plt_type *type);

/* Ends the sheet; with `status` SQ_OK the file is appended to `out`. */
enum sq_status plt_sheet_close(struct plt_sheet *s, enum sq_status status,
                               struct sq_buf *out) SQ_MUST_USE;

/* "template-api-outage.yaml · seed 1 · 5 runs each · scenario 36a4...": of several results the
 * hashes of all. "3 of 5 runs each, INTERRUPTED" where it was. */
void plt_put_origin(struct sq_buf *b, const struct sq_result *const *results, size_t count);

#endif
