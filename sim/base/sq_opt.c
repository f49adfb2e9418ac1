/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_opt.c - rows of options against a command line. */
#include "sim/base/sq_opt.h"

#include <string.h>

#include "sim/base/sq_mem.h"
#include "sim/base/sq_unit.h"

enum { NAMES_MAX = 64 };

const struct sq_opt sq_opt_help_row = { .name = "help", .letter = 'h', .doc = "Show this help." };

/* Row i; the last one is --help. */
static const struct sq_opt *opt_row(const struct sq_command *c, size_t i)
{
    return i < c->opt_count ? &c->opts[i] : &sq_opt_help_row;
}

static const struct sq_opt *opt_find(const struct sq_command *c, const char *name, size_t len)
{
    for (size_t i = 0; i <= c->opt_count; i++) {
        const struct sq_opt *opt = opt_row(c, i);
        if (strlen(opt->name) == len && memcmp(opt->name, name, len) == 0) {
            return opt;
        }
    }
    return NULL;
}

static const struct sq_opt *opt_find_letter(const struct sq_command *c, char letter)
{
    for (size_t i = 0; i <= c->opt_count; i++) {
        if (letter != '\0' && opt_row(c, i)->letter == letter) {
            return opt_row(c, i);
        }
    }
    return NULL;
}

/* What is under way while a command line is read. */
struct reading {
    struct sq_args args;
    char *const *argv;
    int argc, at;
    struct sq_diag *diag;
};

#define OPT_NOWHERE ((struct sq_where){ 0 })

static void opt_unknown(struct reading *r, const char *name, size_t len)
{
    const struct sq_command *c = r->args.command;
    const char *names[NAMES_MAX], *close = NULL;
    char word[NAMES_MAX];
    if (len < sizeof word) {
        SQ_ASSERT(c->opt_count < SQ_COUNT(names));
        memcpy(word, name, len);
        word[len] = '\0';
        for (size_t i = 0; i <= c->opt_count; i++) {
            names[i] = opt_row(c, i)->name;
        }
        close = sq_diag_closest(word, names, c->opt_count + 1);
    }
    struct sq_buf hint = { 0 };
    if (close != NULL) {
        sq_buf_printf(&hint, "did you mean --%s?", close);
    } else {
        sq_buf_printf(&hint, "`%s --help` lists the options", c->name);
    }
    int shown = len < 200 ? (int)len : 200;
    (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, hint.failed ? NULL : hint.text,
                        "unknown option --%.*s", shown, name);
    sq_buf_fini(&hint);
}

/* Notes an option with its value. `text` NULL: the value, if it takes one, is the next argument. */
static void opt_take(struct reading *r, const struct sq_opt *opt, const char *text)
{
    if (opt == &sq_opt_help_row) {
        r->args.help = true;
        return;
    }
    if (opt->arg == NULL) {
        text = "";
    } else if (text == NULL && r->at == r->argc) {
        (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, NULL, "--%s needs a value: --%s %s",
                            opt->name, opt->name, opt->arg);
        return;
    } else if (text == NULL) {
        text = r->argv[r->at++];
    }
    for (size_t i = 0; i < r->args.value_count && !opt->repeatable; i++) {
        if (r->args.values[i].opt == opt) {
            (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, NULL, "--%s is given twice", opt->name);
            return;
        }
    }
    r->args.values[r->args.value_count++] = (struct sq_opt_value){ opt, text };
}

/* "--name" or "--name=value", the dashes removed. */
static void opt_long(struct reading *r, const char *text)
{
    size_t len = strcspn(text, "=");
    const struct sq_opt *opt = opt_find(r->args.command, text, len);
    if (opt == NULL) {
        opt_unknown(r, text, len);
    } else if (text[len] == '=' && opt->arg == NULL) {
        (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, NULL, "--%s takes no value", opt->name);
    } else {
        opt_take(r, opt, text[len] == '=' ? text + len + 1 : NULL);
    }
}

/* "xyz": switches, up to the first letter whose option takes a value: the rest is the value. */
static void opt_letters(struct reading *r, const char *text)
{
    for (; *text != '\0'; text++) {
        const struct sq_opt *opt = opt_find_letter(r->args.command, *text);
        if (opt == NULL) {
            struct sq_buf hint = { 0 };
            sq_buf_printf(&hint, "`%s --help` lists the options", r->args.command->name);
            (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, hint.failed ? NULL : hint.text,
                                "unknown option -%c", *text);
            sq_buf_fini(&hint);
            return;
        }
        if (opt->arg != NULL) {
            opt_take(r, opt, text[1] != '\0' ? text + 1 : NULL);
            return;
        }
        opt_take(r, opt, NULL);
    }
}

static void opt_check_words(struct reading *r)
{
    const struct sq_command *c = r->args.command;
    const char *words = c->words != NULL ? c->words : "";
    if (r->args.word_count < c->words_min) {
        (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, NULL, "%s needs %s", c->name, words);
    } else if (r->args.word_count > c->words_max) {
        (void)sq_diag_error(r->diag, OPT_NOWHERE, NULL, NULL, "%s does not take the word %s",
                            c->name, r->args.words[c->words_max]);
    }
}

enum sq_status sq_opt_parse(const struct sq_command *command, int argc, char *const *argv,
                            struct sq_args *out, struct sq_diag *diag)
{
    SQ_ASSERT(argc >= 0);
    size_t errors = diag->errors, room = (size_t)argc, letters = 0;
    for (int i = 0; i < argc; i++) {
        letters += strlen(argv[i]); /* -xyz is three options */
    }
    struct reading r = { .args = { .command = command }, .argv = argv, .argc = argc, .diag = diag };
    r.args.values = sq_mem_alloc(letters, sizeof *r.args.values);
    r.args.words = sq_mem_alloc(room, sizeof *r.args.words);
    enum sq_status status = SQ_NOMEM;
    if (r.args.values == NULL || r.args.words == NULL) {
        goto done;
    }
    bool words_only = false;
    while (r.at < argc) {
        const char *text = argv[r.at++];
        if (words_only || text[0] != '-' || text[1] == '\0') {
            r.args.words[r.args.word_count++] = text;
        } else if (strcmp(text, "--") == 0) {
            words_only = true;
        } else if (text[1] == '-') {
            opt_long(&r, text + 2);
        } else {
            opt_letters(&r, text + 1);
        }
    }
    if (!r.args.help) {
        opt_check_words(&r);
    }
    status = diag->failed ? SQ_NOMEM : diag->errors > errors ? SQ_USER : SQ_OK;
done:
    if (status == SQ_OK) {
        *out = r.args;
    } else {
        sq_args_fini(&r.args);
    }
    return status;
}

void sq_args_fini(struct sq_args *a)
{
    sq_mem_free(a->values);
    sq_mem_free(a->words);
    *a = (struct sq_args){ 0 };
}

static const struct sq_opt_value *args_next(const struct sq_args *a, const char *name, size_t *at)
{
    const struct sq_opt *opt = opt_find(a->command, name, strlen(name));
    SQ_ASSERT(opt != NULL);
    while (*at < a->value_count) {
        const struct sq_opt_value *value = &a->values[(*at)++];
        if (value->opt == opt) {
            return value;
        }
    }
    return NULL;
}

static const struct sq_opt_value *args_last(const struct sq_args *a, const char *name)
{
    const struct sq_opt_value *last = NULL, *value;
    size_t at = 0;
    while ((value = args_next(a, name, &at)) != NULL) {
        last = value;
    }
    return last;
}

const char *sq_args_next(const struct sq_args *a, const char *name, size_t *at)
{
    const struct sq_opt_value *value = args_next(a, name, at);
    return value != NULL ? value->text : NULL;
}

const char *sq_args_get(const struct sq_args *a, const char *name)
{
    const struct sq_opt_value *value = args_last(a, name);
    return value != NULL ? value->text : NULL;
}

/* Says that `text` cannot be the value of the option, and why: `wrong`, or out of range. */
static enum sq_status args_refuse(const char *name, const char *text, const char *wrong,
                                  const char *bound, struct sq_diag *diag)
{
    (void)sq_diag_error(diag, OPT_NOWHERE, NULL, NULL, "--%s: %s %s%s", name, text, wrong, bound);
    return diag->failed ? SQ_NOMEM : SQ_USER;
}

typedef const char *args_parser(const char *text, int64_t *out);
typedef void args_printer(struct sq_buf *b, int64_t value);

struct args_kind {
    const char *(*parse)(const char *text, int64_t *out);
    void (*put)(struct sq_buf *b, int64_t value);
};

static enum sq_status args_amount(const struct sq_opt_value *value, struct args_kind kind,
                                  struct sq_opt_range range, int64_t *out, struct sq_diag *diag)
{
    int64_t amount;
    const char *name = value->opt->name, *wrong = kind.parse(value->text, &amount);
    if (wrong != NULL) {
        return args_refuse(name, value->text, wrong, "", diag);
    }
    if (amount >= range.min && amount <= range.max) {
        *out = amount;
        return SQ_OK;
    }
    struct sq_buf bound = { 0 };
    bool below = amount < range.min;
    kind.put(&bound, below ? range.min : range.max);
    enum sq_status status = SQ_NOMEM;
    if (!bound.failed) {
        status = args_refuse(name, value->text,
                             below ? "is below the minimum " : "is above the maximum ", bound.text,
                             diag);
    }
    sq_buf_fini(&bound);
    return status;
}

enum sq_status sq_args_count(const struct sq_args *a, const char *name, struct sq_opt_range range,
                             int64_t *out, struct sq_diag *diag)
{
    const struct sq_opt_value *value = args_last(a, name);
    struct args_kind kind = { sq_unit_count, sq_unit_put_count };
    return value == NULL ? SQ_OK : args_amount(value, kind, range, out, diag);
}

enum sq_status sq_args_duration(const struct sq_args *a, const char *name,
                                struct sq_opt_range range, sq_time_t *out, struct sq_diag *diag)
{
    const struct sq_opt_value *value = args_last(a, name);
    struct args_kind kind = { sq_unit_duration, sq_unit_put_duration };
    return value == NULL ? SQ_OK : args_amount(value, kind, range, out, diag);
}

enum sq_status sq_args_seed(const struct sq_args *a, const char *name, uint64_t *out,
                            struct sq_diag *diag)
{
    const struct sq_opt_value *value = args_last(a, name);
    const char *wrong = value != NULL ? sq_unit_seed(value->text, out) : NULL;
    return wrong == NULL ? SQ_OK : args_refuse(name, value->text, wrong, "", diag);
}
