/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion_zsh.c - a function for zsh's compsys, to lie in $fpath as _squall. */
#include "sim/base/sq_completion_in.h"

#include <string.h>

/* Text inside '...:...' or [...] of _arguments and _describe. */
static void put_text(struct sq_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            sq_buf_puts(out, "'\\''");
        } else {
            sq_buf_puts(out, strchr("[]:\\", *text) != NULL ? "\\" : "");
            sq_buf_putc(out, *text);
        }
    }
}

static void put_action(struct sq_buf *out, struct sq_value v)
{
    switch (v.kind) {
    case SQ_VALUE_FILE:
        sq_buf_puts(out, "_files");
        break;
    case SQ_VALUE_DIR:
        sq_buf_puts(out, "_files -/");
        break;
    case SQ_VALUE_YAML:
        sq_buf_puts(out, "_files -g \"*.yaml\"");
        break;
    case SQ_VALUE_WORDS:
        sq_buf_printf(out, "(%s)", v.words);
        break;
    case SQ_VALUE_ANY:
        sq_buf_putc(out, ' ');
        break;
    }
}

static void put_option(const struct sq_completion *c, const struct sq_command_row *row,
                       const struct sq_opt *o, const char *spelling, struct sq_buf *out)
{
    sq_buf_printf(out, " \\\n        '%s%s%s[", o->repeatable ? "*" : "", spelling,
                  o->arg != NULL && spelling[1] == '-' ? "=" : "");
    put_text(out, o->doc);
    sq_buf_putc(out, ']');
    if (o->arg != NULL) {
        sq_buf_putc(out, ':');
        put_text(out, o->arg);
        sq_buf_putc(out, ':');
        put_action(out, sq_completion_value(c, row, o));
    }
    sq_buf_putc(out, '\'');
}

static void put_command(const struct sq_completion *c, const struct sq_command_row *row,
                        struct sq_buf *out)
{
    const struct sq_command *cmd = row->command;
    sq_buf_printf(out, "    '%s')\n        _arguments", row->name);
    for (size_t i = 0; i < cmd->opt_count; i++) {
        char spelling[48] = "--";
        strncat(spelling, cmd->opts[i].name, sizeof(spelling) - 3);
        put_option(c, row, &cmd->opts[i], spelling, out);
        if (cmd->opts[i].letter != '\0') {
            put_option(c, row, &cmd->opts[i], (char[]){ '-', cmd->opts[i].letter, '\0' }, out);
        }
    }
    sq_buf_puts(out, " \\\n        '--help[");
    put_text(out, sq_opt_help_row.doc);
    sq_buf_puts(out, "]'");
    if (cmd->words != NULL) {
        sq_buf_puts(out, " \\\n        '*:");
        put_text(out, cmd->words);
        sq_buf_putc(out, ':');
        put_action(out, sq_completion_words(c, row));
        sq_buf_putc(out, '\'');
    }
    sq_buf_puts(out, "\n        ;;\n");
}

void sq_completion_zsh(const struct sq_completion *c, struct sq_buf *out)
{
    const struct sq_commands *cs = c->commands;
    sq_buf_puts(out,
                "#compdef squall\n# zsh completion for squall, made by `squall completion zsh`.\n"
                "_squall() {\n    local cmd=$words[2]\n    local -a commands=(\n");
    for (size_t i = 0; i < cs->count; i++) {
        struct sq_buf seconds = { 0 };
        if (sq_completion_is_first(cs, i)) {
            bool family = sq_completion_seconds(cs, cs->rows[i].name, &seconds);
            sq_buf_printf(out, "        '%.*s:", (int)strcspn(cs->rows[i].name, " "),
                          cs->rows[i].name);
            put_text(out, family ? seconds.text : cs->rows[i].command->doc);
            sq_buf_puts(out, "'\n");
        }
        out->failed |= seconds.failed;
        sq_buf_fini(&seconds);
    }
    sq_buf_puts(out,
                "    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                "    case $cmd in\n");
    for (size_t i = 0; i < cs->count; i++) {
        struct sq_buf seconds = { 0 };
        if (sq_completion_is_first(cs, i) &&
            sq_completion_seconds(cs, cs->rows[i].name, &seconds)) {
            sq_buf_printf(out,
                          "    %.*s)\n        if (( CURRENT == 3 )); then compadd %s; return; fi\n"
                          "        cmd=\"$cmd $words[3]\"; shift words; (( CURRENT-- )) ;;\n",
                          (int)strcspn(cs->rows[i].name, " "), cs->rows[i].name, seconds.text);
        }
        out->failed |= seconds.failed;
        sq_buf_fini(&seconds);
    }
    sq_buf_puts(out, "    esac\n    shift words; (( CURRENT-- ))\n    case $cmd in\n");
    for (size_t i = 0; i < cs->count; i++) {
        put_command(c, &cs->rows[i], out);
    }
    sq_buf_puts(out,
                "    esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _squall \"$@\"; "
                "else compdef _squall squall; fi\n");
}
