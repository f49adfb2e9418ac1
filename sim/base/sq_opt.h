/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_opt.h - the command line of one command: a row per option. Parsing, the synopsis and the help
 * text derive from the rows.
 *
 * Written as --name VALUE, --name=VALUE, -x VALUE, -xVALUE, switches as --name, -x and -xy; options
 * and words may be mixed; "--" ends the options; "-" alone is a word. --help and -h are understood
 * by every command and need no row.
 *
 * Texts of rows are constants. What parsing yields points into argv, which must outlive it. */
#ifndef SQ_OPT_H
#define SQ_OPT_H

#include "sim/base/sq_diag.h"

struct sq_opt {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *arg;  /* what the help calls its value ("FILE"); NULL: a switch */
    const char *doc;  /* one sentence */
    bool repeatable;
    const char *values; /* the words that its value is one of, with blanks between; NULL: others */
};

/* The row of --help, which every command has behind its own. */
extern const struct sq_opt sq_opt_help_row;

struct sq_command {
    const char *name;  /* "squall run": as the user calls it */
    const char *words; /* the words it takes as the synopsis shows them ("SCENARIO"), or NULL */
    unsigned words_min, words_max; /* how many of them; UINT_MAX: any number */
    const char *doc;               /* one sentence */
    const struct sq_opt *opts;
    size_t opt_count;
};

struct sq_opt_value {
    const struct sq_opt *opt;
    const char *text; /* "" for a switch */
};

/* A zeroed struct is empty. */
struct sq_args {
    const struct sq_command *command;
    struct sq_opt_value *values; /* in the order given */
    size_t value_count;
    const char **words;
    size_t word_count;
    bool help; /* --help was asked for; words are not counted then */
};

/* Reads the arguments behind the command's name (argc of them, from argv[0]). SQ_USER with all
 * mistakes noted: unknown options, missing or superfluous values, an option given twice that is not
 * repeatable, too few or too many words. With --help the words are not counted. On failure `out` is
 * untouched. */
enum sq_status sq_opt_parse(const struct sq_command *command, int argc, char *const *argv,
                            struct sq_args *out, struct sq_diag *diag) SQ_MUST_USE;

void sq_args_fini(struct sq_args *a);

/* The value of an option ("" for a switch), the last one if repeatable; NULL when it was not given.
 * Asserts that the command has a row of that name. */
const char *sq_args_get(const struct sq_args *a, const char *name);

/* The values of a repeatable option in the order given: start with *at = 0; NULL at the end. */
const char *sq_args_next(const struct sq_args *a, const char *name, size_t *at);

/* Values as amounts, in the notation of scenarios (sq_unit.h), from `min` to `max`. When the option
 * was not given *out stays as it is. SQ_USER with the option's name noted. */
struct sq_opt_range {
    int64_t min, max;
};
enum sq_status sq_args_count(const struct sq_args *a, const char *name, struct sq_opt_range range,
                             int64_t *out, struct sq_diag *diag) SQ_MUST_USE;
enum sq_status sq_args_duration(const struct sq_args *a, const char *name,
                                struct sq_opt_range range, sq_time_t *out,
                                struct sq_diag *diag) SQ_MUST_USE;

/* A whole number below 2^64, in the same way. */
enum sq_status sq_args_seed(const struct sq_args *a, const char *name, uint64_t *out,
                            struct sq_diag *diag) SQ_MUST_USE;

/* "squall run [--seed N] [--set PATH=VALUE]... SCENARIO", no line longer than 79 columns. */
void sq_opt_synopsis(const struct sq_command *command, struct sq_buf *out);

/* Usage, purpose, and the options in two columns. */
void sq_opt_help(const struct sq_command *command, struct sq_buf *out);

#endif
