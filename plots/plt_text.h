/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_text.h - writing for a terminal: columns counted, lines broken, colour and block characters
 * only where the terminal has them, and nothing of a user's text that would steer it. */
#ifndef PLT_TEXT_H
#define PLT_TEXT_H

#include "sim/base/sq_buf.h"

enum plt_colour { PLT_PLAIN, PLT_BOLD, PLT_FAINT, PLT_RED, PLT_GREEN, PLT_YELLOW };

struct plt_text {
    struct sq_buf *out;
    unsigned width; /* columns */
    bool colour, utf8;
    unsigned column; /* where the next character goes */
};

/* Ends whatever colour was on, then starts `colour`. */
void plt_text_colour(struct plt_text *t, enum plt_colour colour);

/* Columns a text takes as plt_text_put writes it. */
unsigned plt_text_columns(const struct plt_text *t, const char *text);

/* Writes a text on the present line. Control characters become spaces; without utf8 every other
 * character becomes its nearest ASCII or '?'. */
void plt_text_put(struct plt_text *t, const char *text);

/* The same, broken at spaces where the line is full; what follows starts at column `indent`. Words
 * longer than a line are cut. */
void plt_text_wrap(struct plt_text *t, const char *text, unsigned indent);

/* Writes a text in a colour, broken, and ends the line. Takes `b`, and fails as it did. */
void plt_text_line(struct plt_text *t, struct sq_buf *b, enum plt_colour colour);

void plt_text_end(struct plt_text *t);                 /* ends the line, without blanks before it */
void plt_text_to(struct plt_text *t, unsigned column); /* spaces up to a column, at least none */

/* Right-aligned so that it ends before column `end`; at least one space before it. */
void plt_text_right(struct plt_text *t, const char *text, unsigned end);

#endif
