/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion.c - which shell, and what values are. */
#include "sim/base/sq_completion.h"

#include "sim/base/sq_completion_in.h"

#include <string.h>

const char *const sq_completion_shells[] = { "bash", "zsh", "fish", NULL };

static void (*const writers[])(const struct sq_completion *c,
                               struct sq_buf *out) = { sq_completion_bash, sq_completion_zsh,
                                                       sq_completion_fish };

static struct sq_value value_of(const struct sq_completion *c, const struct sq_command_row *row,
                                const char *placeholder)
{
    char word[32] = { 0 };
    placeholder += strspn(placeholder, "[");
    size_t len = strcspn(placeholder, " ]|");
    if (len >= sizeof(word)) {
        return (struct sq_value){ .kind = SQ_VALUE_ANY };
    }
    memcpy(word, placeholder, len);
    len = len > 3 && strcmp(word + len - 3, "...") == 0 ? len - 3 : len;
    word[len] = '\0';
    for (size_t i = 0; i < c->list_count; i++) {
        const struct sq_completion_list *l = &c->lists[i];
        if (strcmp(l->placeholder, word) == 0 &&
            (l->command == NULL || strcmp(l->command, row->name) == 0)) {
            return (struct sq_value){ .kind = SQ_VALUE_WORDS, .words = l->words };
        }
    }
    bool file = strcmp(word, "FILE") == 0 || strcmp(word, "PATH") == 0 || strchr(word, '.') != NULL;
    bool dir = strcmp(word, "DIR") == 0 || strcmp(word, "WAS") == 0;
    bool yaml = strcmp(word, "SCENARIO") == 0;
    return (struct sq_value){ .kind = file   ? SQ_VALUE_FILE
                                      : dir  ? SQ_VALUE_DIR
                                      : yaml ? SQ_VALUE_YAML
                                             : SQ_VALUE_ANY };
}

struct sq_value sq_completion_value(const struct sq_completion *c, const struct sq_command_row *row,
                                    const struct sq_opt *opt)
{
    if (opt->values != NULL) {
        return (struct sq_value){ .kind = SQ_VALUE_WORDS, .words = opt->values };
    }
    return value_of(c, row, opt->arg != NULL ? opt->arg : "");
}

struct sq_value sq_completion_words(const struct sq_completion *c, const struct sq_command_row *row)
{
    return value_of(c, row, row->command->words != NULL ? row->command->words : "");
}

bool sq_completion_is_first(const struct sq_commands *c, size_t i)
{
    size_t len = strcspn(c->rows[i].name, " ");
    for (size_t k = 0; k < i; k++) {
        if (strncmp(c->rows[k].name, c->rows[i].name, len) == 0 &&
            (c->rows[k].name[len] == ' ' || c->rows[k].name[len] == '\0')) {
            return false;
        }
    }
    return true;
}

bool sq_completion_seconds(const struct sq_commands *c, const char *first, struct sq_buf *out)
{
    size_t len = strcspn(first, " "), start = out->len;
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->rows[i].name;
        if (strncmp(name, first, len) == 0 && name[len] == ' ') {
            sq_buf_printf(out, "%s%s", out->len > start ? " " : "", name + len + 1);
        }
    }
    return out->len > start;
}

enum sq_status sq_completion_write(const struct sq_completion *c, const char *shell,
                                   struct sq_buf *out, struct sq_diag *diag)
{
    for (size_t i = 0; i < SQ_COUNT(writers); i++) {
        if (strcmp(shell, sq_completion_shells[i]) == 0) {
            writers[i](c, out);
            return out->failed ? SQ_NOMEM : SQ_OK;
        }
    }
    return sq_diag_error(diag, (struct sq_where){ .file = c->commands->program }, NULL,
                         "there are bash, zsh and fish", "no completion for %s", shell);
}
