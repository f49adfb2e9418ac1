/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_commands_man.c - see sq_commands_man.h. */
#include "sim/base/sq_commands_man.h"

#include "sim/base/sq_roff.h"

#include <string.h>

static void put(struct sq_buf *out, const char *text)
{
    sq_roff_text(out, text, strlen(text));
}

/* In bold or italics. */
static void put_in(struct sq_buf *out, char font, const char *text)
{
    sq_buf_printf(out, "\\f%c", font);
    put(out, text);
    sq_buf_puts(out, "\\fR");
}

static void put_option(struct sq_buf *out, const struct sq_opt *o)
{
    sq_buf_puts(out, ".TP\n");
    if (o->letter != '\0') {
        const char letter[] = { '-', o->letter, '\0' };
        put_in(out, 'B', letter);
        sq_buf_puts(out, ", ");
    }
    sq_buf_puts(out, "\\fB\\-\\-");
    put(out, o->name);
    sq_buf_puts(out, "\\fR");
    if (o->arg != NULL) {
        sq_buf_putc(out, ' ');
        put_in(out, 'I', o->arg);
    }
    sq_buf_putc(out, '\n');
    put(out, o->doc);
    sq_buf_puts(out, o->repeatable ? "\nMay be repeated.\n" : "\n");
}

static void put_command(struct sq_buf *out, const struct sq_command *c)
{
    sq_buf_puts(out, ".SS ");
    put(out, c->name);
    sq_buf_puts(out, "\n.nf\n");
    struct sq_buf b = { 0 };
    sq_opt_synopsis(c, &b);
    out->failed |= b.failed;
    put(out, b.failed ? "" : b.text);
    sq_buf_fini(&b);
    sq_buf_puts(out, ".fi\n.PP\n");
    put(out, c->doc);
    sq_buf_putc(out, '\n');
    for (size_t i = 0; i < c->opt_count; i++) {
        put_option(out, &c->opts[i]);
    }
}

static const struct {
    const char *status, *meaning;
} statuses[] = {
    { "0", "All is well." },
    { "1", "An expectation does not hold, a finding fails, or there is no limit in the range." },
    { "2", "A mistake in what was given: a file, a value, an option. It is told with its place." },
    { "3", "The machine: no memory, no room on the disk, or a limit of the program." },
    { "4", "A fault of the program itself." },
    { "130", "Interrupted." },
};

void sq_commands_man(const struct sq_commands *c, const struct sq_commands_man *words,
                     struct sq_buf *out)
{
    sq_roff_title(out, words->name, 1, "User Commands");
    sq_buf_puts(out, ".SH NAME\n");
    put(out, c->program);
    sq_buf_puts(out, " \\- ");
    put(out, words->brief);
    sq_buf_puts(out, "\n.SH SYNOPSIS\n");
    put_in(out, 'B', c->program);
    sq_buf_puts(out, " \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIWORD\\fR...]\n.SH DESCRIPTION\n");
    put(out, c->purpose);
    sq_buf_puts(out, "\n.PP\n");
    put(out, c->more);
    sq_buf_puts(out, "\n.SH COMMANDS\n");
    for (size_t i = 0; i < c->count; i++) {
        put_command(out, c->rows[i].command);
    }
    sq_buf_puts(out, ".SH \"EXIT STATUS\"\n");
    for (size_t i = 0; i < SQ_COUNT(statuses); i++) {
        sq_buf_printf(out, ".TP\n\\fB%s\\fR\n", statuses[i].status);
        put(out, statuses[i].meaning);
        sq_buf_putc(out, '\n');
    }
    sq_buf_puts(out, ".SH \"SEE ALSO\"\n");
    put(out, words->see_also);
    sq_buf_putc(out, '\n');
}
