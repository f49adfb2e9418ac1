/* SPDX-License-Identifier: GPL-3.0-or-later */
/* squall.c - the program: a table of commands and one short function per command. The only file
 * that sees everything, and the only one that prints or ends the program. */
#include "models/advice/mdl_replay.h"
#include "models/import/mdl_import_config.h"
#include "models/import/mdl_import_trace.h"
#include "models/study/mdl_asks.h"
#include "models/study/mdl_commands.h"
#include "models/study/mdl_check_forms.h"
#include "models/study/mdl_enough.h"
#include "models/study/mdl_delays.h"
#include "models/study/mdl_diff.h"
#include "models/study/mdl_explain.h"
#include "models/study/mdl_export.h"
#include "models/study/mdl_first.h"
#include "models/study/mdl_help.h"
#include "models/study/mdl_lint_files.h"
#include "models/study/mdl_oncall.h"
#include "models/study/mdl_presets.h"
#include "models/study/mdl_single.h"
#include "plots/plt_compare.h"
#include "plots/plt_delays.h"
#include "plots/plt_folder.h"
#include "plots/plt_limits.h"
#include "plots/plt_page.h"
#include "plots/plt_plot.h"
#include "plots/plt_report.h"
#include "plots/plt_sweep.h"
#include "sim/base/sq_commands.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_mem.h"
#include "sim/base/sq_signal.h"
#include "sim/base/sq_term.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_schema.h"
#include "sim/core/sq_math.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing ---- */

/* Complaints go to stderr; returns the exit status. What was interrupted never ends well, even if
 * the signal came too late to stop anything. */
static int end_with(enum sq_status status, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    status = status == SQ_OK && sq_signal_raised() != 0 ? SQ_STOPPED : status;
    sq_diag_print(diag, &b);
    if (b.len > 0) {
        (void)fwrite(b.text, 1, b.len, stderr);
    }
    if (status == SQ_NOMEM && diag->errors == 0) {
        (void)fputs(sq_mem_is_over() ? "squall: this needs more memory than --memory allows\n"
                                     : "squall: out of memory\n",
                    stderr);
    }
    if (status == SQ_IO && diag->errors == 0) {
        (void)fputs("squall: the output cannot be written\n", stderr);
    }
    if (status == SQ_STOPPED) {
        (void)fputs("squall: interrupted\n", stderr);
    }
    sq_buf_fini(&b);
    sq_diag_fini(diag);
    return sq_exit_of(status);
}

/* Prints a page if all went well; the page is given back either way. */
static enum sq_status print(enum sq_status status, struct sq_buf *page)
{
    status = status == SQ_OK ? sq_term_print(page) : status;
    sq_buf_fini(page);
    return status;
}

/* Writes a text to a file, or prints it where none is asked for; it is given back either way. */
static enum sq_status put(enum sq_status status, const char *file, struct sq_buf *text,
                          struct sq_diag *diag)
{
    if (status != SQ_OK || file == NULL) {
        return print(status, text);
    }
    status = sq_file_write(file, text->text, text->len, diag);
    sq_buf_fini(text);
    return status;
}

static bool is_stopped(void)
{
    return sq_signal_raised() != 0;
}

static struct plt_term terminal(void)
{
    struct sq_term out = sq_term_out();
    return (struct plt_term){ .width = out.width, .colour = out.colour, .utf8 = out.utf8 };
}

/* ---- run ---- */

/* Writes the folder, if there is to be one, and the page. */
static enum sq_status show_run(struct sq_result *r, const char *folder, struct sq_diag *diag)
{
    struct plt_term term = terminal();
    const char *paths[PLT_FOLDER_FILES];
    struct sq_buf page = { 0 };
    enum sq_status status = folder != NULL ? plt_folder_write(r, folder, paths, diag) : SQ_OK;
    if (status == SQ_OK) {
        status = plt_page(r, &term, paths, folder != NULL ? PLT_FOLDER_FILES : 0, &page);
    }
    return print(status, &page);
}

static enum sq_status command_run(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_args a;
    struct mdl_scenario s = { 0 };
    struct mdl_expects x = { 0 };
    struct sq_result r = { 0 };
    struct sq_openmetrics_ask export = { 0 };
    const char *folder = sq_args_get(args, "out");
    enum sq_status status = mdl_args_read(&a, args, diag);
    status = status == SQ_OK ? mdl_export_read(args, &export, diag) : status;
    struct mdl_replicate_ask ask = { .threads = (unsigned)a.threads,
                                     .check_every = MDL_CHECK_EVERY,
                                     .stop = is_stopped,
                                     .fluid = sq_args_get(args, "fluid") != NULL,
                                     .shows = true };
    status = status == SQ_OK ? mdl_life_ask(&ask.job, sq_args_get(args, "job"), diag) : status;
    status = status == SQ_OK ? mdl_enough_for_run(&a.ask, &ask, diag) : status;
    status = status == SQ_OK ? mdl_scenario_load(&s, &a.ask, diag) : status;
    status = status == SQ_OK ? mdl_expects_open(&x, &s, &a.ask, diag) : status;
    status = status == SQ_OK ? sq_folder_open(folder, SQ_FOLDER_RUN, diag) : status;
    if (status == SQ_OK) {
        ask.first = a.replication > 0 ? (uint64_t)a.replication : 1;
        ask.count = a.replication > 0 ? 1 : (size_t)s.cfg.runs;
        status = mdl_single(&s, &x, &ask, &r, diag);
    }
    status = status == SQ_OK ? mdl_export_write(&r, &export, diag) : status;
    status = status == SQ_OK ? show_run(&r, folder, diag) : status;
    sq_arena_fini(&r.arena);
    mdl_expects_fini(&x);
    mdl_scenario_fini(&s);
    return status;
}

/* ---- compare ---- */

static enum sq_status show_comparison(struct mdl_compare *c, const char *folder,
                                      struct sq_diag *diag)
{
    struct plt_term term = terminal();
    const char **paths = NULL;
    size_t count = 0;
    struct sq_buf page = { 0 };
    enum sq_status status = folder == NULL ? SQ_OK
                                           : plt_folder_compare(&c->comparison, c->results, folder,
                                                                &paths, &count, diag);
    if (status == SQ_OK) {
        status = plt_compare(&c->comparison, &term, paths, count, &page);
    }
    return print(status, &page);
}

static enum sq_status command_compare(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_args a;
    struct mdl_compare c = { 0 };
    struct mdl_compare_ask ask = { .check_every = MDL_CHECK_EVERY,
                                   .stop = is_stopped,
                                   .shows = true };
    const char *folder = sq_args_get(args, "out");
    enum sq_status status = mdl_asks_compare(args, &a, &ask, diag);
    status = status == SQ_OK ? mdl_enough_for_compare(&ask, diag) : status;
    status = status == SQ_OK ? mdl_compare_open(&c, &ask, diag) : status;
    status = status == SQ_OK ? sq_folder_open(folder, SQ_FOLDER_COMPARISON, diag) : status;
    status = status == SQ_OK ? mdl_compare_run(&c, &ask, diag) : status;
    status = status == SQ_OK ? show_comparison(&c, folder, diag) : status;
    mdl_compare_fini(&c);
    return status;
}

/* ---- limits ---- */

/* SQ_FAILED when there is no limit in the range. */
static enum sq_status show_limits(struct sq_limits *l, const char *folder, struct sq_diag *diag)
{
    struct plt_term term = terminal();
    struct sq_buf page = { 0 };
    const char *path = NULL;
    bool found = l->ways[0].tipping.state == SQ_TIPPING_FOUND &&
                 l->ways[l->way_count - 1].tipping.state == SQ_TIPPING_FOUND;
    enum sq_status status = folder != NULL ? plt_folder_limits(l, folder, &path, diag) : SQ_OK;
    status = status == SQ_OK ? plt_limits(l, &term, path, &page) : status;
    status = print(status, &page);
    return status == SQ_OK && !found ? SQ_FAILED : status;
}

static enum sq_status command_limits(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_args a;
    struct sq_limits l = { 0 };
    struct mdl_limits_ask ask = { .check_every = MDL_CHECK_EVERY,
                                  .stop = is_stopped,
                                  .shows = true };
    enum sq_status status = mdl_asks_limits(args, &a, &ask, diag);
    status = status == SQ_OK ? mdl_limits(&ask, &l, diag) : status;
    status = status == SQ_OK ? show_limits(&l, ask.folder, diag) : status;
    sq_arena_fini(&l.arena);
    return status;
}

/* ---- sweep, merge ---- */

static enum sq_status show_sweep(const struct mdl_sweep *s)
{
    struct plt_term term = terminal();
    struct sq_buf page = { 0 };
    enum sq_status status = plt_sweep(&s->grid, &term, s->csv, s->folder, &page);
    return print(status, &page);
}

static const char *environment(const char *name)
{
    return getenv(name);
}

static enum sq_status command_sweep(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_args a;
    struct mdl_sweep s = { 0 };
    struct mdl_sweep_ask ask = {
        .env = environment, .check_every = MDL_CHECK_EVERY, .stop = is_stopped, .shows = true
    };
    enum sq_status status = mdl_asks_sweep(args, &a, &ask, diag);
    status = status == SQ_OK ? mdl_sweep_open(&s, &ask, diag) : status;
    status = status == SQ_OK ? mdl_sweep_run(&s, &ask, diag) : status;
    enum sq_status shown = status == SQ_OK || status == SQ_STOPPED ? show_sweep(&s) : status;
    mdl_sweep_fini(&s);
    return status == SQ_OK ? shown : status;
}

static enum sq_status command_merge(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_sweep s = { 0 };
    enum sq_status status =
        mdl_merge(&s, args->words, args->word_count, sq_args_get(args, "out"), diag);
    status = status == SQ_OK ? show_sweep(&s) : status;
    mdl_sweep_fini(&s);
    return status;
}

/* ---- check ---- */

static enum sq_status command_check(const struct sq_args *args, struct sq_diag *diag)
{
    struct mdl_args a;
    struct mdl_check c = { 0 };
    struct sq_buf b = { 0 };
    struct mdl_check_ask ask = { .check_every = MDL_CHECK_EVERY,
                                 .stop = is_stopped,
                                 .shows = true };
    enum sq_status status = mdl_asks_check(args, &a, &ask, diag);
    status = status == SQ_OK ? mdl_check_open(&c, &ask, diag) : status;
    if (status == SQ_OK && sq_args_get(args, "list") != NULL) {
        mdl_check_list(&c, &b);
    } else if (status == SQ_OK) {
        struct mdl_check_files files = { sq_args_get(args, "junit"), sq_args_get(args, "markdown"),
                                         sq_args_get(args, "json") };
        status = mdl_check_run(&c, &ask, diag);
        enum sq_status written = mdl_check_write(&c, &files, diag);
        status = written != SQ_OK && status != SQ_STOPPED ? written : status;
        if (sq_args_get(args, "github") != NULL) {
            mdl_check_github(&c, &b);
        }
        (sq_args_get(args, "tap") != NULL ? mdl_check_tap : mdl_check_report)(&c, &b);
    }
    enum sq_status printed = print(SQ_OK, &b);
    mdl_check_fini(&c);
    return printed != SQ_OK && (status == SQ_OK || status == SQ_FAILED) ? printed : status;
}

/* ---- diff ---- */

static enum sq_status page_diff(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag)
{
    struct mdl_diff d;
    struct sq_buf keys = { 0 };
    struct plt_term term = terminal();
    enum sq_status status = mdl_diff_open(&d, args->words[0], args->words[1], diag);
    if (status == SQ_OK) {
        size_t count = mdl_diff_keys(&d, &keys);
        sq_buf_printf(out, "%zu key%s changed\n%s\n", count, count == 1 ? "" : "s",
                      count > 0 ? keys.text : "");
        status = plt_compare(&d.comparison, &term, NULL, 0, out);
    }
    sq_buf_fini(&keys);
    mdl_diff_fini(&d);
    return status;
}

/* ---- report ---- */

static enum sq_status command_report(const struct sq_args *args, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    const char *file = sq_args_get(args, "out");
    enum sq_status status = sq_file_ready(file, diag);
    status = status == SQ_OK ? plt_report(args->words, args->word_count, &b, diag) : status;
    return put(status, file, &b, diag);
}

/* ---- plot ---- */

static enum sq_status command_plot(const struct sq_args *args, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    const struct plt_plot_ask ask = { .folders = args->words,
                                      .count = args->word_count,
                                      .kind = sq_args_get(args, "kind"),
                                      .variant = sq_args_get(args, "variant"),
                                      .metric = sq_args_get(args, "metric"),
                                      .theme = sq_args_get(args, "theme"),
                                      .file = sq_args_get(args, "out") };
    return put(plt_plot(&ask, &b, diag), ask.file, &b, diag);
}

/* ---- lint ---- */

static enum sq_status command_lint(const struct sq_args *args, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    struct mdl_lint_ask ask = { .paths = args->words,
                                .path_count = args->word_count,
                                .format = sq_args_get(args, "format"),
                                .strict = sq_args_get(args, "strict") != NULL };
    if (sq_args_get(args, "rules") != NULL) {
        mdl_lint_rules(&b);
        return print(SQ_OK, &b);
    }
    enum sq_status status = mdl_lint_files(&ask, &b, diag);
    enum sq_status printed = print(SQ_OK, &b);
    return printed != SQ_OK && (status == SQ_OK || status == SQ_FAILED) ? printed : status;
}

/* ---- delays ---- */

static enum sq_status page_delays(const struct sq_args *args, struct sq_buf *out,
                                  struct sq_diag *diag)
{
    struct mdl_delays_ask ask;
    struct mdl_policy p = { 0 };
    struct sq_delays d = { 0 };
    struct plt_term term = terminal();
    enum sq_status status = mdl_delays_read(&ask, args, diag);
    status = status == SQ_OK ? mdl_policy_open(&p, args->words[0], diag) : status;
    status = status == SQ_OK ? mdl_policy_check(&p, diag) : status;
    status = status == SQ_OK ? mdl_delays(&p, &ask, &d) : status;
    if (status == SQ_OK) {
        status = ask.csv ? plt_delays_csv(&d, out) : plt_delays(&d, args->words[0], &term, out);
    }
    sq_arena_fini(&d.arena);
    mdl_policy_fini(&p);
    return status;
}

/* ---- pages of a few lines ---- */

static enum sq_status page_schema(const struct sq_args *args, struct sq_buf *out,
                                  struct sq_diag *diag)
{
    (void)args, (void)diag;
    struct sq_schema_ask ask = { .table = &mdl_root_table,
                                 .id = "urn:squall:scenario:1",
                                 .title = "A squall scenario",
                                 .doc = "Made by `squall schema` of version " SQ_VERSION "." };
    return sq_schema_write(&ask, out);
}

static enum sq_status page_version(const struct sq_args *args, struct sq_buf *out,
                                   struct sq_diag *diag)
{
    (void)args, (void)diag;
    sq_buf_puts(out, "squall " SQ_VERSION "\n");
    return SQ_OK;
}

/* ---- the table ---- */

static const struct sq_commands commands; /* below, with all rows */

static enum sq_status page_help(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag)
{
    return mdl_help_page(&commands, args, out, diag);
}

static enum sq_status page_completion(const struct sq_args *args, struct sq_buf *out,
                                      struct sq_diag *diag)
{
    return mdl_completion_page(&commands, args, out, diag);
}

static const struct sq_command_row rows[] = {
    /* one per line */
    { "run", &mdl_command_run, .run = command_run },
    { "compare", &mdl_command_compare, .run = command_compare },
    { "sweep", &mdl_command_sweep, .run = command_sweep },
    { "merge", &mdl_command_merge, .run = command_merge },
    { "limits", &mdl_command_limits, .run = command_limits },
    { "check", &mdl_command_check, .run = command_check },
    { "diff", &mdl_command_diff, .page = page_diff },
    { "report", &mdl_command_report, .run = command_report },
    { "plot", &mdl_command_plot, .run = command_plot },
    { "explain", &mdl_command_explain, .page = mdl_explain_page },
    { "lint", &mdl_command_lint, .run = command_lint },
    { "forecast", &mdl_command_forecast, .page = mdl_oncall_page },
    { "delays", &mdl_command_delays, .page = page_delays },
    { "replay", &mdl_command_replay, .page = mdl_replay_page },
    { "import config", &mdl_command_import_config, .page = mdl_import_config_page },
    { .name = "import trace", .command = &mdl_command_import_trace, .page = mdl_import_trace },
    { "presets", &mdl_command_presets, .page = mdl_presets_page },
    { "init", &mdl_command_init, .page = mdl_first_page },
    { "schema", &mdl_command_schema, .page = page_schema },
    { "help", &mdl_command_help, .page = page_help },
    { "completion", &mdl_command_completion, .page = page_completion },
    { "version", &mdl_command_version, .page = page_version },
};

static const struct sq_commands commands = {
    .program = "squall",
    .purpose = "squall simulates retry storms: what hits a dependency when it comes back, whether\n"
               "it falls over again, when the backlog is gone, and which policy helps.",
    .more =
        "`squall help COMMAND` lists a command's options, `squall help scenario` all keys of a\n"
        "scenario file. A first scenario: `squall init`.",
    .rows = rows,
    .count = SQ_COUNT(rows),
};

static enum sq_status print_overview(const char *family)
{
    struct sq_buf b = { 0 };
    if (family == NULL || !sq_commands_put_family(&commands, family, &b)) {
        sq_commands_put(&commands, &b);
    }
    return print(SQ_OK, &b);
}

static enum sq_status print_help(const struct sq_command *command)
{
    struct sq_buf b = { 0 };
    sq_opt_help(command, &b);
    return print(SQ_OK, &b);
}

/* A row either does all by itself or fills a page that is printed here. */
static enum sq_status run_row(const struct sq_command_row *row, const struct sq_args *args,
                              struct sq_diag *diag)
{
    struct sq_buf page = { 0 };
    return row->run != NULL ? row->run(args, diag) : print(row->page(args, &page, diag), &page);
}

int main(int argc, char **argv)
{
    struct sq_diag diag = { 0 };
    sq_math_init();
    sq_signal_install();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of write(2) */
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        enum sq_status status = print_overview(NULL);
        return end_with(argc < 2 && status == SQ_OK ? SQ_USER : status, &diag);
    }
    const char *const version = "version";
    struct sq_command_words words = { (const char *const *)argv + 1, (size_t)argc - 1, 0 };
    if (strcmp(argv[1], "--version") == 0) {
        words = (struct sq_command_words){ &version, 1, 0 };
    }
    const struct sq_command_row *row = sq_commands_find(&commands, &words, &diag);
    if (row == NULL) {
        return end_with(diag.errors > 0 ? SQ_USER : print_overview(argv[1]), &diag);
    }
    struct sq_args args;
    enum sq_status status =
        sq_opt_parse(row->command, argc - 1 - (int)words.used, argv + 1 + words.used, &args, &diag);
    if (status == SQ_OK) {
        status = args.help ? print_help(row->command) : run_row(row, &args, &diag);
        sq_args_fini(&args);
    }
    return end_with(status, &diag);
}
