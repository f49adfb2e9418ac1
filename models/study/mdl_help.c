/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_help.c - see mdl_help.h. */
#include "models/study/mdl_help.h"

#include "models/mdl_scenario.h"
#include "models/study/mdl_presets.h"
#include "sim/base/sq_commands_man.h"
#include "sim/base/sq_completion.h"
#include "sim/conf/sq_manual.h"
#include "sim/conf/sq_manual_man.h"

#include <string.h>

static const char description[] =
    "A scenario is one YAML file: a world (who makes work, where it waits, who runs it, what it "
    "calls), what happens to that world, and what must hold afterwards. `squall init` writes a "
    "first "
    "one, `squall explain` prints one with every shorthand, preset and default written out.\n"
    "\n"
    "A duration has a unit: `250us 20ms 5s 20m 1h30m 14d`; a rate as well: `500/s 30/m 2/h`. A "
    "ratio "
    "is `20%` or `0.2`, a count `60000` or `60k`, a size `20kB` or `512MiB`. `none` and "
    "`unlimited` are "
    "words of their own. Names match `[a-z][a-z0-9-]*`.\n"
    "\n"
    "A block that comes in several forms has the key `kind`. A bare word for a block is its kind, "
    "or "
    "its preset if it has no kinds; any other bare value fills the key marked ★ and selects the "
    "kind "
    "of that row. `a..b` for a distribution is uniform.\n"
    "\n"
    "`preset: NAME` supplies keys of its block, and keys beside it are merged over them. "
    "`variants` are "
    "named changes to the file, `extends` names another variant to begin with, and `--set "
    "PATH=VALUE` "
    "changes one value; `null` removes a key. A change that names another `kind` or `preset` "
    "replaces "
    "the whole block.";

static enum sq_status scenario_page(bool man, struct sq_buf *out)
{
    static const struct sq_manual_page page = {
        .name = "SQUALL-SCENARIO",
        .brief = "scenario files of squall",
        .description = description,
        .see_also = "**squall**(1)",
    };
    return man ? sq_manual_man(&mdl_root_table, &page, out)
               : sq_manual_write(&mdl_root_table, "Keys of a scenario file", out);
}

enum sq_status mdl_help_page(const struct sq_commands *c, const struct sq_args *args,
                             struct sq_buf *out, struct sq_diag *diag)
{
    static const struct sq_commands_man page = { .name = "SQUALL",
                                                 .brief = "a simulator of retry storms",
                                                 .see_also = "squall-scenario(5)" };
    bool man = sq_args_get(args, "man") != NULL;
    if (args->word_count > 0 && strcmp(args->words[0], "scenario") == 0) {
        return scenario_page(man, out);
    }
    if (man && args->word_count > 0) {
        return sq_diag_error(diag, (struct sq_where){ .file = c->program }, NULL,
                             "`help --man` and `help scenario --man`",
                             "there are two manual pages, of all commands and of scenario files");
    }
    if (man) {
        sq_commands_man(c, &page, out);
    } else if (args->word_count == 0) {
        sq_commands_put(c, out);
    } else if (args->word_count > 1 || !sq_commands_put_family(c, args->words[0], out)) {
        struct sq_command_words words = { args->words, args->word_count, 0 };
        const struct sq_command_row *row = sq_commands_find(c, &words, diag);
        if (row == NULL) {
            return SQ_USER;
        }
        sq_opt_help(row->command, out);
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}

/* Names of presets of several types, once each. */
static enum sq_status put_names(const char *const *types, size_t count, struct sq_buf *out)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        status = mdl_presets_names(types[i], out);
    }
    sq_buf_puts(out, "");
    return status;
}

enum sq_status mdl_completion_page(const struct sq_commands *c, const struct sq_args *args,
                                   struct sq_buf *out, struct sq_diag *diag)
{
    static const char *const controls[] = { "breaker", "budget", "rate_limit", "ramp" };
    struct sq_buf all = { 0 }, retries = { 0 }, gates = { 0 }, commands = { 0 };
    enum sq_status status = put_names(&(const char *){ NULL }, 1, &all);
    status = status == SQ_OK ? put_names(&(const char *){ "retry" }, 1, &retries) : status;
    status = status == SQ_OK ? put_names(controls, SQ_COUNT(controls), &gates) : status;
    for (size_t i = 0; i < c->count; i++) {
        if (strchr(c->rows[i].name, ' ') == NULL) {
            sq_buf_printf(&commands, "%s ", c->rows[i].name);
        }
    }
    sq_buf_puts(&commands, "import scenario");
    if (status == SQ_OK && !all.failed && !retries.failed && !gates.failed && !commands.failed) {
        const struct sq_completion_list lists[] = {
            { "presets", "NAME", all.text },
            { "delays", "POLICY", retries.text },
            { "replay", "CONTROL", gates.text },
            { "help", "COMMAND", commands.text },
            { "completion", "SHELL", "bash zsh fish" },
        };
        struct sq_completion ask = { c, lists, SQ_COUNT(lists) };
        status = sq_completion_write(&ask, args->words[0], out, diag);
    } else {
        status = SQ_NOMEM;
    }
    sq_buf_fini(&all);
    sq_buf_fini(&retries);
    sq_buf_fini(&gates);
    sq_buf_fini(&commands);
    return status;
}
