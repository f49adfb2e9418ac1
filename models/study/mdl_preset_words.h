/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_preset_words.h - a retry policy in words, for mdl_presets.c. */
#ifndef MDL_PRESET_WORDS_H
#define MDL_PRESET_WORDS_H

#include "models/study/mdl_delays.h"

/* "0s to 1s", or "2s" when it is always that. */
void mdl_put_span(struct sq_buf *out, const struct sq_delay_row *row);

/* Formula, limits, what is retried and who holds the delay by the notes of its file ("Retried:
 * ..."); then the delays of `d`, ten of them, and how long all of them take. */
void mdl_put_retry_words(const struct mdl_policy *p, const struct sq_delays *d, const char *notes,
                         struct sq_buf *out);

/* Whether a line of notes is one of those that mdl_put_retry_words puts elsewhere. */
bool mdl_is_labelled_fact(const char *line);

/* `len` bytes of text behind `lead`, broken at spaces before column 80, and a line end. */
void mdl_put_wrapped(struct sq_buf *out, const char *lead, const char *text, size_t len);

#endif
