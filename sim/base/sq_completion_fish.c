/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion_fish.c - a list of `complete` for fish. */
#include "sim/base/sq_completion_in.h"

#include <string.h>

static void put_text(struct sq_buf *out, const char *text)
{
    sq_buf_putc(out, '\'');
    for (; *text != '\0'; text++) {
        sq_buf_puts(out, *text == '\'' || *text == '\\' ? "\\" : "");
        sq_buf_putc(out, *text);
    }
    sq_buf_putc(out, '\'');
}

/* The condition that this command is being written. */
static void put_when(struct sq_buf *out, const char *name)
{
    const char *second = strchr(name, ' ');
    sq_buf_printf(out, "complete -c squall -n '__squall_is %.*s%s%s'", (int)strcspn(name, " "),
                  name, second != NULL ? " " : "", second != NULL ? second + 1 : "");
}

static void put_value(struct sq_buf *out, struct sq_value v)
{
    switch (v.kind) {
    case SQ_VALUE_FILE:
        sq_buf_puts(out, " -F");
        break;
    case SQ_VALUE_DIR:
        sq_buf_puts(out, " -x -a '(__fish_complete_directories)'");
        break;
    case SQ_VALUE_YAML:
        sq_buf_puts(out, " -k -x -a '(__fish_complete_suffix .yaml)'");
        break;
    case SQ_VALUE_WORDS:
        sq_buf_printf(out, " -x -a '%s'", v.words);
        break;
    case SQ_VALUE_ANY:
        sq_buf_puts(out, " -x");
        break;
    }
}

static void put_command(const struct sq_completion *c, const struct sq_command_row *row,
                        struct sq_buf *out)
{
    const struct sq_command *cmd = row->command;
    for (size_t i = 0; i < cmd->opt_count; i++) {
        const struct sq_opt *o = &cmd->opts[i];
        put_when(out, row->name);
        sq_buf_printf(out, " -l %s", o->name);
        if (o->letter != '\0') {
            sq_buf_printf(out, " -s %c", o->letter);
        }
        if (o->arg != NULL) {
            sq_buf_puts(out, " -r");
            put_value(out, sq_completion_value(c, row, o));
        }
        sq_buf_puts(out, " -d ");
        put_text(out, o->doc);
        sq_buf_putc(out, '\n');
    }
    put_when(out, row->name);
    sq_buf_puts(out, " -l help -d ");
    put_text(out, sq_opt_help_row.doc);
    sq_buf_putc(out, '\n');
    struct sq_value v = sq_completion_words(c, row);
    if (cmd->words != NULL && v.kind != SQ_VALUE_ANY) {
        put_when(out, row->name);
        put_value(out, v);
        sq_buf_putc(out, '\n');
    }
}

void sq_completion_fish(const struct sq_completion *c, struct sq_buf *out)
{
    const struct sq_commands *cs = c->commands;
    sq_buf_puts(out, "# fish completion for squall, made by `squall completion fish`.\n"
                     "function __squall_is\n"
                     "    set -l words (commandline -opc)\n"
                     "    set -l last (math 1 + (count $argv))\n"
                     "    test (count $words) -ge $last\n"
                     "    and test \"$words[2..$last]\" = \"$argv\"\n"
                     "end\n"
                     "function __squall_at\n"
                     "    set -l words (commandline -opc)\n"
                     "    test (count $words) -eq (math 1 + (count $argv))\n"
                     "    and begin; test -z \"$argv\"; or test \"$words[2]\" = \"$argv\"; end\n"
                     "end\n"
                     "complete -c squall -f\n");
    for (size_t i = 0; i < cs->count; i++) {
        struct sq_buf seconds = { 0 };
        const char *name = cs->rows[i].name;
        if (sq_completion_is_first(cs, i)) {
            bool family = sq_completion_seconds(cs, name, &seconds);
            sq_buf_printf(out, "complete -c squall -n __squall_at -a %.*s -d ",
                          (int)strcspn(name, " "), name);
            put_text(out, family ? seconds.text : cs->rows[i].command->doc);
            sq_buf_putc(out, '\n');
        }
        if (strchr(name, ' ') != NULL) {
            sq_buf_printf(out, "complete -c squall -n '__squall_at %.*s' -a %s -d ",
                          (int)strcspn(name, " "), name, strchr(name, ' ') + 1);
            put_text(out, cs->rows[i].command->doc);
            sq_buf_putc(out, '\n');
        }
        out->failed |= seconds.failed;
        sq_buf_fini(&seconds);
    }
    for (size_t i = 0; i < cs->count; i++) {
        put_command(c, &cs->rows[i], out);
    }
}
