/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_term.h - the way to standard output, and what it can show. */
#ifndef SQ_TERM_H
#define SQ_TERM_H

#include "sim/base/sq_buf.h"

/* Files and pipes get 80 columns, no colour and UTF-8: the same bytes everywhere. */
struct sq_term {
    unsigned width;
    bool colour; /* never with NO_COLOR */
    bool utf8;
};
struct sq_term sq_term_out(void);

/* Prints the text. A closed pipe is quietly no failure; SQ_IO otherwise, SQ_NOMEM when the buffer
 * failed. */
enum sq_status sq_term_print(const struct sq_buf *b) SQ_MUST_USE;

#endif
