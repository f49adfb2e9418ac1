/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_sentences.h - what a comparison says in words, from its comparison.json: it cannot be
 * reckoned from the runs. */
#ifndef SQ_LOAD_SENTENCES_H
#define SQ_LOAD_SENTENCES_H

#include "sim/base/sq_json.h"
#include "sim/core/sq_comparison.h"

/* Fills title, verdicts, margins, modes and proof; what is not there stays empty. SQ_NOMEM. */
enum sq_status sq_load_sentences(struct sq_comparison *c, const struct sq_json *root) SQ_MUST_USE;

#endif
