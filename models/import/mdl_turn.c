/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_turn.c - see mdl_turn.h. */
#include "models/import/mdl_turn.h"

#include "sim/base/sq_unit.h"

#include <string.h>

enum { DIGITS = 15 };

static enum mdl_turned wrong(struct mdl_importing *m, const char *why)
{
    m->why = why;
    return MDL_WRONG;
}

static const char *scalar(const struct sq_node *n)
{
    return n->kind == SQ_NODE_SCALAR ? n->text : "";
}

void mdl_turn_done(struct mdl_importing *m, struct sq_buf *b)
{
    m->failed |= b->failed;
    sq_buf_fini(b);
}

bool mdl_turn_is_whole(const char *text, int64_t *out)
{
    size_t len = strlen(text);
    return len > 0 && strspn(text, "0123456789") == len && sq_unit_count(text, out) == NULL;
}

enum mdl_turned mdl_turn_count(struct mdl_importing *m, const struct sq_node *n, struct sq_buf *out)
{
    int64_t count;
    if (!mdl_turn_is_whole(scalar(n), &count)) {
        return wrong(m, "a whole number is needed");
    }
    sq_buf_printf(out, "%lld", (long long)count);
    return MDL_TURNED;
}

enum mdl_turned mdl_turn_at_least_1(struct mdl_importing *m, const struct sq_node *n,
                                    struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_count(m, n, out);
    if (t == MDL_TURNED && strcmp(mdl_turn_text(out), "0") == 0) {
        m->why = "0: squall has no counterpart";
        return MDL_LOST;
    }
    return t;
}

static enum mdl_turned put_duration(struct mdl_importing *m, const char *text, struct sq_buf *out)
{
    sq_time_t t;
    const char *why = sq_unit_duration(text, &t);
    if (why != NULL) {
        return wrong(m, mdl_source_format(m, "a duration is needed: %s %s", text, why));
    }
    sq_unit_put_duration(out, t);
    return MDL_TURNED;
}

static enum mdl_turned put_in(struct mdl_importing *m, const struct sq_node *n, const char *unit,
                              struct sq_buf *out)
{
    const char *text = scalar(n);
    if (text[0] == '\0' || strspn(text, "0123456789.") != strlen(text)) {
        return wrong(m, "a number is needed");
    }
    return put_duration(m, mdl_source_format(m, "%s%s", text, unit), out);
}

enum mdl_turned mdl_turn_seconds(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    return put_in(m, n, "s", out);
}

enum mdl_turned mdl_turn_millis(struct mdl_importing *m, const struct sq_node *n,
                                struct sq_buf *out)
{
    return put_in(m, n, "ms", out);
}

enum mdl_turned mdl_turn_duration(struct mdl_importing *m, const struct sq_node *n,
                                  struct sq_buf *out)
{
    return put_duration(m, scalar(n), out);
}

enum mdl_turned mdl_turn_timeout(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_duration(m, n, out);
    if (t == MDL_TURNED && strcmp(mdl_turn_text(out), "0s") == 0) {
        out->len = 0;
        sq_buf_puts(out, "none");
    }
    return t;
}

enum mdl_turned mdl_turn_ten_times(struct mdl_importing *m, const struct sq_node *n,
                                   struct sq_buf *out)
{
    sq_time_t t;
    if (sq_unit_duration(scalar(n), &t) != NULL) {
        return wrong(m, "a duration is needed");
    }
    sq_unit_put_duration(out, sq_min_i64(t, SQ_NEVER / 16) * 10);
    return MDL_TURNED;
}

enum mdl_turned mdl_turn_number(struct mdl_importing *m, const struct sq_node *n,
                                struct sq_buf *out)
{
    double number;
    if (sq_unit_number(scalar(n), &number) != NULL) {
        return wrong(m, "a number is needed");
    }
    sq_buf_number(out, number, DIGITS);
    return MDL_TURNED;
}

enum mdl_turned mdl_turn_percent(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    double number;
    enum mdl_turned t = mdl_turn_number(m, n, out);
    if (t == MDL_TURNED && sq_unit_number(scalar(n), &number) == NULL && number > 100) {
        out->len = 0;
        m->why = "squall's shares end at 100%";
        return MDL_LOST;
    }
    sq_buf_puts(out, t == MDL_TURNED ? "%" : "");
    return t;
}

enum mdl_turned mdl_turn_bool(struct mdl_importing *m, const struct sq_node *n, struct sq_buf *out)
{
    bool yes = strcmp(scalar(n), "true") == 0;
    if (!yes && strcmp(scalar(n), "false") != 0) {
        return wrong(m, "true or false is needed");
    }
    sq_buf_puts(out, yes ? "true" : "false");
    return MDL_TURNED;
}

/* Suffixes of a Kubernetes quantity. */
static const struct suffix {
    const char *theirs, *size;
    double factor;
} suffixes[] = {
    { "", "B", 1 },           { "m", NULL, 1e-3 },
    { "k", "kB", 1e3 },       { "M", "MB", 1e6 },
    { "G", "GB", 1e9 },       { "Ki", "KiB", 1024 },
    { "Mi", "MiB", 1048576 }, { "Gi", "GiB", 1073741824 },
    { "T", "TB", 1e12 },      { "Ti", "TiB", 1099511627776.0 },
};

static const struct suffix *suffix_of(const char *text, size_t *digits)
{
    *digits = strspn(text, "0123456789.");
    for (size_t i = 0; *digits > 0 && i < SQ_COUNT(suffixes); i++) {
        if (strcmp(text + *digits, suffixes[i].theirs) == 0) {
            return &suffixes[i];
        }
    }
    return NULL;
}

enum mdl_turned mdl_turn_size(struct mdl_importing *m, const struct sq_node *n, struct sq_buf *out)
{
    size_t digits;
    int64_t bytes;
    const char *text = scalar(n);
    const struct suffix *s = suffix_of(text, &digits);
    if (s == NULL || s->size == NULL) {
        return wrong(m, "a size is needed, for example 512Mi");
    }
    const char *ours = mdl_source_format(m, "%.*s%s", (int)digits, text, s->size);
    const char *why = sq_unit_size(ours, &bytes);
    if (why != NULL) {
        return wrong(m, mdl_source_format(m, "a size is needed: %s %s", ours, why));
    }
    sq_unit_put_size(out, bytes);
    return MDL_TURNED;
}

enum mdl_turned mdl_turn_quantity(struct mdl_importing *m, const struct sq_node *n,
                                  struct sq_buf *out)
{
    size_t digits;
    double number;
    const char *text = scalar(n);
    const struct suffix *s = suffix_of(text, &digits);
    const char *plain = mdl_source_format(m, "%.*s", s != NULL ? (int)digits : 0, text);
    if (s == NULL || sq_unit_number(plain, &number) != NULL) {
        return wrong(m, "a quantity is needed, for example 30 or 1500m");
    }
    sq_buf_number(out, number * s->factor, DIGITS);
    return MDL_TURNED;
}

const char *mdl_word_find(const struct mdl_word *words, size_t count, const char *theirs)
{
    for (size_t i = 0; i < count; i++) {
        if (mdl_source_alike(words[i].theirs, theirs)) {
            return words[i].ours;
        }
    }
    return NULL;
}

enum mdl_turned mdl_turn_balance(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    static const struct mdl_word words[] = { { "ROUND_ROBIN", "round-robin" },
                                             { "RANDOM", "random" },
                                             { "LEAST_REQUEST", "least-loaded" },
                                             { "LEAST_CONN", "least-loaded" },
                                             { "UNSPECIFIED", "least-loaded" } };
    const char *word =
        n->kind == SQ_NODE_SCALAR ? mdl_word_find(words, SQ_COUNT(words), n->text) : NULL;
    if (word == NULL) {
        m->why = "squall balances round-robin, at random or to the least loaded node";
        return MDL_LOST;
    }
    sq_buf_puts(out, word);
    return MDL_TURNED;
}
