/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion_bash.c - a function for bash's `complete`. Works without the package
 * bash-completion.
 */
#include "sim/base/sq_completion_in.h"

#include <string.h>

/* What follows: sets COMPREPLY and returns. */
static void put_value(struct sq_buf *out, struct sq_value v)
{
    switch (v.kind) {
    case SQ_VALUE_FILE:
        sq_buf_puts(out, "_squall_files -f");
        break;
    case SQ_VALUE_DIR:
        sq_buf_puts(out, "_squall_files -d");
        break;
    case SQ_VALUE_YAML:
        sq_buf_puts(out, "_squall_files -f -X '!*.yaml'");
        break;
    case SQ_VALUE_WORDS:
        sq_buf_printf(out, "_squall_words '%s'", v.words);
        break;
    case SQ_VALUE_ANY:
        sq_buf_puts(out, ":");
        break;
    }
}

static void put_command(const struct sq_completion *c, const struct sq_command_row *row,
                        struct sq_buf *out)
{
    const struct sq_command *cmd = row->command;
    for (size_t i = 0; i < cmd->opt_count; i++) {
        const struct sq_opt *o = &cmd->opts[i];
        if (o->arg == NULL) {
            continue;
        }
        sq_buf_printf(out, "    '%s:--%s'", row->name, o->name);
        if (o->letter != '\0') {
            sq_buf_printf(out, " | '%s:-%c'", row->name, o->letter);
        }
        sq_buf_puts(out, ") ");
        put_value(out, sq_completion_value(c, row, o));
        sq_buf_puts(out, "; return ;;\n");
    }
}

static void put_words(const struct sq_completion *c, const struct sq_command_row *row,
                      struct sq_buf *out)
{
    const struct sq_command *cmd = row->command;
    sq_buf_printf(out, "    '%s') opts='", row->name);
    for (size_t i = 0; i < cmd->opt_count; i++) {
        sq_buf_printf(out, "--%s ", cmd->opts[i].name);
    }
    sq_buf_puts(out, "--help'; [[ $cur == -* ]] || ");
    put_value(out, sq_completion_words(c, row));
    sq_buf_puts(out, " ;;\n");
}

void sq_completion_bash(const struct sq_completion *c, struct sq_buf *out)
{
    const struct sq_commands *cs = c->commands;
    sq_buf_puts(out, "# bash completion for squall, made by `squall completion bash`.\n"
                     "_squall_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
                     "_squall_files() {\n"
                     "    local IFS=$'\\n'\n"
                     "    compopt -o filenames 2>/dev/null\n"
                     "    COMPREPLY=($(compgen \"$@\" -- \"$cur\"))\n"
                     "    [[ $1 == -d ]] || COMPREPLY+=($(compgen -d -- \"$cur\"))\n"
                     "}\n"
                     "_squall() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    local cmd=${COMP_WORDS[1]} at=1 opts=\n"
                     "    COMPREPLY=()\n"
                     "    if ((COMP_CWORD == 1)); then _squall_words '");
    for (size_t i = 0; i < cs->count; i++) {
        if (sq_completion_is_first(cs, i)) {
            sq_buf_printf(out, "%.*s ", (int)strcspn(cs->rows[i].name, " "), cs->rows[i].name);
        }
    }
    sq_buf_puts(out, "--help --version'; return; fi\n    case $cmd in\n");
    for (size_t i = 0; i < cs->count; i++) {
        struct sq_buf seconds = { 0 };
        if (sq_completion_is_first(cs, i) &&
            sq_completion_seconds(cs, cs->rows[i].name, &seconds)) {
            sq_buf_printf(out,
                          "    %.*s)\n        if ((COMP_CWORD == 2)); then _squall_words '%s'; "
                          "return; fi\n        cmd=\"$cmd ${COMP_WORDS[2]}\" at=2 ;;\n",
                          (int)strcspn(cs->rows[i].name, " "), cs->rows[i].name, seconds.text);
        }
        out->failed |= seconds.failed;
        sq_buf_fini(&seconds);
    }
    sq_buf_puts(out, "    esac\n    ((COMP_CWORD - at > 1)) && case \"$cmd:$prev\" in\n");
    for (size_t i = 0; i < cs->count; i++) {
        put_command(c, &cs->rows[i], out);
    }
    sq_buf_puts(out, "    esac\n    case $cmd in\n");
    for (size_t i = 0; i < cs->count; i++) {
        put_words(c, &cs->rows[i], out);
    }
    sq_buf_puts(out, "    esac\n    [[ $cur == -* ]] && _squall_words \"$opts\"\n    return 0\n}\n"
                     "complete -F _squall squall\n");
}
