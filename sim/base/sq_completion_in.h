/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion_in.h - what the shells of sq_completion.h share. */
#ifndef SQ_COMPLETION_IN_H
#define SQ_COMPLETION_IN_H

#include "sim/base/sq_completion.h"

enum sq_value_kind { SQ_VALUE_ANY, SQ_VALUE_FILE, SQ_VALUE_DIR, SQ_VALUE_YAML, SQ_VALUE_WORDS };

struct sq_value {
    enum sq_value_kind kind;
    const char *words; /* WORDS */
};

/* What an option's value is. */
struct sq_value sq_completion_value(const struct sq_completion *c, const struct sq_command_row *row,
                                    const struct sq_opt *opt);
/* What the words of a command are: its first placeholder. */
struct sq_value sq_completion_words(const struct sq_completion *c,
                                    const struct sq_command_row *row);

/* Names of one word, and first words of names of two, each once. */
bool sq_completion_is_first(const struct sq_commands *c, size_t i);
/* The second words behind a first one, with blanks between, go to `out`; false: there are none. */
bool sq_completion_seconds(const struct sq_commands *c, const char *first, struct sq_buf *out);

void sq_completion_bash(const struct sq_completion *c, struct sq_buf *out);
void sq_completion_zsh(const struct sq_completion *c, struct sq_buf *out);
void sq_completion_fish(const struct sq_completion *c, struct sq_buf *out);

#endif
