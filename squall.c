/* SPDX-License-Identifier: GPL-3.0-or-later */
/* squall.c - the program: a table of commands and one short function per command. The only file
 * that sees everything, and the only one that prints or ends the program. */
#include "models/mdl_world.h"
#include "models/study/mdl_replicate.h"
#include "plots/plt_page.h"
#include "plots/plt_timeline.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_opt.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_signal.h"
#include "sim/conf/sq_save.h"
#include "sim/core/sq_math.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum exit_status {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,
    EXIT_MISTAKE = 2,
    EXIT_MACHINE = 3,
    EXIT_BUG = 4,
    EXIT_STOPPED = 130,
};

static int exit_of(enum sq_status status)
{
    switch (status) {
    case SQ_OK:
        return EXIT_FINE;
    case SQ_USER:
        return EXIT_MISTAKE;
    case SQ_NOMEM:
    case SQ_IO:
    case SQ_LIMIT:
        return EXIT_MACHINE;
    case SQ_STOPPED:
        return EXIT_STOPPED;
    case SQ_BROKEN:
        return EXIT_BUG;
    }
    return EXIT_BUG;
}

/* ---- printing ---- */

/* Everything on stdout goes through here; a closed pipe ends the program quietly. */
static enum sq_status print_out(const struct sq_buf *b)
{
    if (b->failed) {
        return SQ_NOMEM;
    }
    if (b->len > 0 && (fwrite(b->text, 1, b->len, stdout) != b->len || fflush(stdout) != 0)) {
        return errno == EPIPE ? SQ_OK : SQ_IO;
    }
    return SQ_OK;
}

/* Complaints go to stderr; returns the exit status. */
static int end_with(enum sq_status status, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    sq_diag_print(diag, &b);
    if (b.len > 0) {
        (void)fwrite(b.text, 1, b.len, stderr);
    }
    if (status == SQ_NOMEM) {
        (void)fputs("squall: out of memory\n", stderr);
    }
    if (status == SQ_STOPPED) {
        (void)fputs("squall: interrupted\n", stderr);
    }
    sq_buf_fini(&b);
    sq_diag_fini(diag);
    return exit_of(status);
}

static bool is_stopped(void)
{
    return sq_signal_raised() != 0;
}

static struct plt_term terminal(void)
{
    struct plt_term t = { .width = 80, .utf8 = true };
    const char *locale = getenv("LC_ALL");
    locale = locale != NULL && locale[0] != '\0' ? locale : getenv("LC_CTYPE");
    locale = locale != NULL && locale[0] != '\0' ? locale : getenv("LANG");
    if (!isatty(STDOUT_FILENO)) {
        return t; /* files and pipes get the same bytes everywhere */
    }
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        t.width = size.ws_col;
    }
    const char *no_colour = getenv("NO_COLOR");
    t.colour = no_colour == NULL || no_colour[0] == '\0';
    t.utf8 = locale != NULL && (strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL);
    return t;
}

/* ---- options that several commands share ---- */

#define OPT_VARIANT                                                                   \
    {                                                                                 \
        .name = "variant", .arg = "NAME", .doc = "Runs this variant of the scenario." \
    }
#define OPT_SET                                                                          \
    {                                                                                    \
        .name = "set", .arg = "PATH=VALUE", .doc = "Changes one value of the scenario.", \
        .repeatable = true                                                               \
    }

enum { MAX_SETS = 256 };

struct scenario_args {
    const char *sets[MAX_SETS];
    struct mdl_ask ask;
};

static enum sq_status read_ask(const struct sq_args *args, struct scenario_args *out,
                               struct sq_diag *diag)
{
    *out = (struct scenario_args){ .ask = { .file = args->words[0],
                                            .variant = sq_args_get(args, "variant"),
                                            .seed = -1,
                                            .runs = -1 } };
    size_t at = 0;
    const char *set;
    while ((set = sq_args_next(args, "set", &at)) != NULL) {
        if (out->ask.set_count == MAX_SETS) {
            return sq_diag_error(diag, (struct sq_where){ 0 }, "--set", NULL,
                                 "more than %d assignments", MAX_SETS);
        }
        out->sets[out->ask.set_count++] = set;
    }
    out->ask.sets = out->sets;
    return SQ_OK;
}

/* ---- run ---- */

static const struct sq_opt run_opts[] = {
    OPT_VARIANT,
    OPT_SET,
    { .name = "seed", .arg = "N", .doc = "Root of all randomness, instead of the file's." },
    { .name = "runs", .arg = "N", .doc = "How many replications, instead of the file's." },
    { .name = "replication", .arg = "K", .doc = "Runs replication K alone: the same bytes." },
    { .name = "threads", .arg = "N", .doc = "Threads to run on; results do not depend on it." },
    { .name = "out", .arg = "DIR", .doc = "Writes timeline, metrics, scenario and charts there." },
};
static const struct sq_command run_command = {
    .name = "squall run",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Runs a scenario and says what happened.",
    .opts = run_opts,
    .opt_count = SQ_COUNT(run_opts),
};

struct run_plan {
    struct scenario_args scenario;
    int64_t replication, threads;
    const char *folder;
};

static enum sq_status read_run(const struct sq_args *args, struct run_plan *p, struct sq_diag *diag)
{
    static const struct sq_opt_range any = { 0, INT64_MAX }, runs = { 1, SQ_MAX_RUNS },
                                     threads = { 1, SQ_PAR_MAX };
    enum sq_status status = read_ask(args, &p->scenario, diag);
    p->replication = -1;
    p->threads = sq_par_cores();
    p->folder = sq_args_get(args, "out");
    enum sq_status more[] = {
        sq_args_count(args, "seed", any, &p->scenario.ask.seed, diag),
        sq_args_count(args, "runs", runs, &p->scenario.ask.runs, diag),
        sq_args_count(args, "replication", runs, &p->replication, diag),
        sq_args_count(args, "threads", threads, &p->threads, diag),
    };
    for (size_t i = 0; i < SQ_COUNT(more) && status == SQ_OK; i++) {
        status = more[i];
    }
    return status;
}

/* A chart beside the other files. */
static enum sq_status write_chart(const struct sq_result *r, const char *path,
                                  enum plt_format format, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    enum sq_status status = plt_timeline(r, format, &b);
    if (status == SQ_OK) {
        status = sq_file_write(path, b.text, b.len, diag);
    } else if (status == SQ_IO) {
        sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                      "install a font, for example the package fonts-dejavu-core",
                      "the chart cannot be drawn: there is no font");
    }
    sq_buf_fini(&b);
    return status;
}

enum { OUT_FILES = 6 };

static enum sq_status write_folder(const struct sq_result *r, const char *folder,
                                   const char *paths[OUT_FILES], struct sq_arena *arena,
                                   struct sq_diag *diag)
{
    static const char *const names[OUT_FILES] = { "timeline.svg", "timeline.png", "timeline.csv",
                                                  "runs.csv",     "summary.json", "scenario.yaml" };
    for (size_t i = 0; i < OUT_FILES; i++) {
        paths[i] = sq_arena_printf(arena, "%s/%s", folder, names[i]);
        if (paths[i] == NULL) {
            return SQ_NOMEM;
        }
    }
    enum sq_status status = sq_file_folder(folder, diag);
    if (status == SQ_OK) {
        status = write_chart(r, paths[0], PLT_SVG, diag);
    }
    if (status == SQ_OK) {
        status = write_chart(r, paths[1], PLT_PNG, diag);
    }
    return status == SQ_OK ? sq_save_all(r, folder, diag) : status;
}

static enum sq_status add_remarks(const struct mdl_scenario *s, struct sq_result *r)
{
    if (s->cfg.expect.count == 0) {
        return SQ_OK;
    }
    r->remarks = sq_arena_alloc(&r->arena, 1, sizeof(*r->remarks));
    if (r->remarks == NULL) {
        return SQ_NOMEM;
    }
    r->remarks[0] = sq_arena_printf(&r->arena, "%zu expectation%s in the file: not judged yet",
                                    s->cfg.expect.count, s->cfg.expect.count == 1 ? "" : "s");
    r->remark_count = r->remarks[0] != NULL ? 1 : 0;
    return r->remarks[0] != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status run_scenario(const struct mdl_scenario *s, const struct run_plan *p,
                                   struct sq_diag *diag)
{
    struct sq_result r = { 0 };
    struct mdl_replicate_ask ask = {
        .first = p->replication > 0 ? (uint64_t)p->replication : 1,
        .count = p->replication > 0 ? 1 : (size_t)s->cfg.runs,
        .threads = (unsigned)p->threads,
        .check_every = MDL_CHECK_EVERY,
        .stop = is_stopped,
    };
    const char *paths[OUT_FILES];
    struct sq_buf page = { 0 };
    struct plt_term term = terminal();
    enum sq_status status = p->folder != NULL ? sq_file_folder(p->folder, diag) : SQ_OK;
    if (status == SQ_OK) {
        status = mdl_replicate(s, &ask, &r, diag);
    }
    if (status == SQ_OK) {
        status = add_remarks(s, &r);
    }
    if (status == SQ_OK && p->folder != NULL) {
        status = write_folder(&r, p->folder, paths, &r.arena, diag);
    }
    if (status == SQ_OK) {
        status = plt_page(&r, &term, paths, p->folder != NULL ? OUT_FILES : 0, &page);
    }
    if (status == SQ_OK) {
        status = print_out(&page);
    }
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
    return status;
}

static enum sq_status command_run(const struct sq_args *args, struct sq_diag *diag)
{
    struct run_plan plan;
    struct mdl_scenario s = { 0 };
    enum sq_status status = read_run(args, &plan, diag);
    if (status == SQ_OK) {
        status = mdl_scenario_load(&s, &plan.scenario.ask, diag);
    }
    if (status == SQ_OK) {
        status = run_scenario(&s, &plan, diag);
    }
    mdl_scenario_fini(&s);
    return status;
}

/* ---- explain ---- */

static const struct sq_opt explain_opts[] = { OPT_VARIANT, OPT_SET };
static const struct sq_command explain_command = {
    .name = "squall explain",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Prints a scenario with every shorthand, preset and default written out.",
    .opts = explain_opts,
    .opt_count = SQ_COUNT(explain_opts),
};

static enum sq_status command_explain(const struct sq_args *args, struct sq_diag *diag)
{
    struct scenario_args ask;
    struct mdl_scenario s = { 0 };
    struct sq_buf b = { 0 };
    enum sq_status status = read_ask(args, &ask, diag);
    if (status == SQ_OK) {
        status = mdl_scenario_load(&s, &ask.ask, diag);
    }
    if (status == SQ_OK) {
        sq_buf_printf(&b, "# %s, variant %s\n", s.file, s.variant);
        sq_buf_puts(&b, "# other variants:");
        for (size_t i = 0; i < s.variant_count; i++) {
            sq_buf_printf(&b, "%s %s", i == 0 ? "" : ",", s.variants[i]);
        }
        sq_buf_printf(&b, "%s\n%s", s.variant_count == 0 ? " none" : "", s.echo);
        status = print_out(&b);
    }
    sq_buf_fini(&b);
    mdl_scenario_fini(&s);
    return status;
}

/* ---- the table ---- */

struct command_row {
    const char *name;
    const struct sq_command *command;
    enum sq_status (*run)(const struct sq_args *args, struct sq_diag *diag);
};

static enum sq_status command_help(const struct sq_args *args, struct sq_diag *diag);
static enum sq_status command_version(const struct sq_args *args, struct sq_diag *diag);

static const struct sq_command help_command = {
    .name = "squall help",
    .words = "[COMMAND]",
    .words_max = 1,
    .doc = "Explains squall, or one command.",
};
static const struct sq_command version_command = {
    .name = "squall version",
    .doc = "Prints the version.",
};

static const struct command_row commands[] = {
    { "run", &run_command, command_run },
    { "explain", &explain_command, command_explain },
    { "help", &help_command, command_help },
    { "version", &version_command, command_version },
};

static const struct command_row *find_command(const char *name)
{
    for (size_t i = 0; i < SQ_COUNT(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static enum sq_status no_command(const char *name, struct sq_diag *diag)
{
    const char *names[SQ_COUNT(commands)];
    for (size_t i = 0; i < SQ_COUNT(commands); i++) {
        names[i] = commands[i].name;
    }
    char hint[80] = "`squall help` lists the commands";
    const char *close = sq_diag_closest(name, names, SQ_COUNT(commands));
    if (close != NULL) {
        (void)snprintf(hint, sizeof(hint), "did you mean `squall %s`?", close);
    }
    return sq_diag_error(diag, (struct sq_where){ .file = "squall" }, NULL, hint,
                         "there is no command `%s`", name);
}

static enum sq_status print_overview(void)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, "squall simulates retry storms: what hits a dependency when it comes back, "
                    "whether\nit falls over again, when the backlog is gone, and which policy "
                    "helps.\n\n");
    for (size_t i = 0; i < SQ_COUNT(commands); i++) {
        sq_buf_printf(&b, "  squall %-9s %s\n", commands[i].name, commands[i].command->doc);
    }
    sq_buf_puts(&b, "\n`squall help COMMAND` lists a command's options. A first scenario: "
                    "README.md.\n");
    enum sq_status status = print_out(&b);
    sq_buf_fini(&b);
    return status;
}

static enum sq_status print_help(const struct sq_command *command)
{
    struct sq_buf b = { 0 };
    sq_opt_help(command, &b);
    enum sq_status status = print_out(&b);
    sq_buf_fini(&b);
    return status;
}

static enum sq_status command_help(const struct sq_args *args, struct sq_diag *diag)
{
    if (args->word_count == 0) {
        return print_overview();
    }
    const struct command_row *row = find_command(args->words[0]);
    return row != NULL ? print_help(row->command) : no_command(args->words[0], diag);
}

static enum sq_status command_version(const struct sq_args *args, struct sq_diag *diag)
{
    (void)args, (void)diag;
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, "squall " SQ_VERSION "\n");
    enum sq_status status = print_out(&b);
    sq_buf_fini(&b);
    return status;
}

int main(int argc, char **argv)
{
    struct sq_diag diag = { 0 };
    sq_math_init();
    sq_signal_install();
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        enum sq_status status = print_overview();
        return end_with(argc < 2 && status == SQ_OK ? SQ_USER : status, &diag);
    }
    const char *name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    const struct command_row *row = find_command(name);
    if (row == NULL) {
        return end_with(no_command(name, &diag), &diag);
    }
    struct sq_args args;
    enum sq_status status = sq_opt_parse(row->command, argc - 2, argv + 2, &args, &diag);
    if (status == SQ_OK) {
        status = args.help ? print_help(row->command) : row->run(&args, &diag);
        sq_args_fini(&args);
    }
    return end_with(status, &diag);
}
