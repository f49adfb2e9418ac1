/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_commands.c - a table of commands. */
#include "sim/base/sq_commands.h"

#include <string.h>

#include "sim/base/sq_mem.h"

static void note_unknown(const struct sq_commands *c, const char *name, struct sq_diag *diag)
{
    const char **names = sq_mem_alloc(c->count + 1, sizeof *names);
    struct sq_buf hint = { 0 };
    for (size_t i = 0; names != NULL && i < c->count; i++) {
        names[i] = c->rows[i].name;
    }
    const char *close = names != NULL ? sq_diag_closest(name, names, c->count) : NULL;
    if (close != NULL) {
        sq_buf_printf(&hint, "did you mean `%s %s`?", c->program, close);
    } else {
        sq_buf_printf(&hint, "`%s help` lists the commands", c->program);
    }
    (void)sq_diag_error(diag, (struct sq_where){ .file = c->program }, NULL,
                        hint.failed ? NULL : hint.text, "there is no command `%s`", name);
    sq_buf_fini(&hint);
    sq_mem_free(names);
}

/* How many words of the line are this name; 0: it is another. */
static size_t name_words(const char *name, const struct sq_command_words *w)
{
    size_t used = 0;
    while (used < w->count) {
        size_t len = strcspn(name, " ");
        if (strlen(w->words[used]) != len || strncmp(name, w->words[used], len) != 0) {
            return 0;
        }
        used++;
        if (name[len] == '\0') {
            return used;
        }
        name += len + 1;
    }
    return 0;
}

/* Whether a name is one of two words that begins with this one. */
static bool is_of(const char *name, const char *family)
{
    size_t len = strlen(family);
    return strncmp(name, family, len) == 0 && name[len] == ' ';
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* The names of two words that begin with the first word of the line; false: there are none. Whoever
 * asks for help made no mistake. */
static bool note_family(const struct sq_commands *c, const struct sq_command_words *w,
                        struct sq_diag *diag)
{
    struct sq_buf hint = { 0 };
    const char *first = w->words[0], *second = w->count > 1 ? w->words[1] : NULL;
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->rows[i].name;
        if (is_of(name, first)) {
            sq_buf_printf(&hint, "%s`%s %s`", hint.len == 0 ? "" : " or ", c->program, name);
        }
    }
    bool any = hint.len > 0;
    struct sq_where where = { .file = c->program };
    if (any && (second == NULL || second[0] == '-')) {
        if (second == NULL || !asks_help(second)) {
            (void)sq_diag_error(diag, where, NULL, hint.text, "`%s` needs a second word", first);
        }
    } else if (any) {
        (void)sq_diag_error(diag, where, NULL, hint.text, "`%s` has no `%s`", first, second);
    }
    sq_buf_fini(&hint);
    return any;
}

const struct sq_command_row *sq_commands_find(const struct sq_commands *c,
                                              struct sq_command_words *w, struct sq_diag *diag)
{
    for (size_t i = 0; i < c->count; i++) {
        w->used = name_words(c->rows[i].name, w);
        if (w->used > 0) {
            return &c->rows[i];
        }
    }
    if (!note_family(c, w, diag)) {
        note_unknown(c, w->words[0], diag);
    }
    return NULL;
}

enum { LINE = 79 };

/* The words of a text, broken into lines that begin under the first. */
static void put_words(struct sq_buf *out, const char *text, size_t indent)
{
    size_t column = indent;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        if (column > indent && column + 1 + len > LINE) {
            sq_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            sq_buf_putc(out, ' ');
            column++;
        }
        sq_buf_add(out, text, len);
        column += len;
        text += len + (text[len] == ' ');
    }
    sq_buf_putc(out, '\n');
}

bool sq_commands_put_family(const struct sq_commands *c, const char *family, struct sq_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        if (is_of(c->rows[i].name, family)) {
            sq_buf_puts(out, any ? "\n" : "");
            sq_opt_help(c->rows[i].command, out);
            any = true;
        }
    }
    return any;
}

void sq_commands_put(const struct sq_commands *c, struct sq_buf *out)
{
    size_t width = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t len = strlen(c->rows[i].name);
        width = len > width ? len : width;
    }
    sq_buf_printf(out, "%s\n\n", c->purpose);
    for (size_t i = 0; i < c->count; i++) {
        sq_buf_printf(out, "  %s %-*s  ", c->program, (int)width, c->rows[i].name);
        put_words(out, c->rows[i].command->doc, strlen(c->program) + width + 5);
    }
    sq_buf_printf(out, "\n%s\n", c->more);
}

int sq_exit_of(enum sq_status status)
{
    switch (status) {
    case SQ_OK:
        return 0;
    case SQ_FAILED:
        return 1;
    case SQ_USER:
        return 2;
    case SQ_NOMEM:
    case SQ_IO:
    case SQ_LIMIT:
        return 3;
    case SQ_BROKEN:
        return 4;
    case SQ_STOPPED:
        return 130;
    }
    return 4;
}
