/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_opt.c - command lines against rows, and the help the rows give. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/sq_mem.h"
#include "sim/base/sq_opt.h"

static const struct sq_opt opts[] = {
    { "seed", 's', "N", "Root of all randomness.", false, NULL },
    { "set", 0, "PATH=VALUE", "Changes one key of the scenario before anything is checked.", true,
      NULL },
    { "out", 'o', "DIR", "Folder for the files.", false, NULL },
    { "wait", 0, "DURATION", "How long.", false, NULL },
    { "quiet", 'q', NULL, "Prints nothing but errors.", false, NULL },
    { "list", 'l', NULL, "Lists what would be done.", false, NULL },
};

static const struct sq_command run = {
    "squall run", "SCENARIO",     1, 2, "Runs a scenario and prints what happened.",
    opts,         SQ_COUNT(opts),
};

enum { ARGS_MAX = 12 };

static enum sq_status parse(const char *const *argv, struct sq_args *args, struct sq_diag *diag)
{
    static char texts[ARGS_MAX][320];
    char *copy[ARGS_MAX];
    int argc = 0;
    for (; argv[argc] != NULL; argc++) {
        snprintf(texts[argc], sizeof texts[argc], "%s", argv[argc]);
        copy[argc] = texts[argc];
    }
    return sq_opt_parse(&run, argc, copy, args, diag);
}

/* What was understood, as "name=text ... | word ...". */
static void understood(void **state)
{
    (void)state;
    static const struct {
        const char *argv[ARGS_MAX];
        const char *want;
    } cases[] = {
        { { "a.yaml" }, "| a.yaml" },
        { { "--seed", "7", "a.yaml" }, "seed=7 | a.yaml" },
        { { "--seed=7", "a.yaml" }, "seed=7 | a.yaml" },
        { { "a.yaml", "-s", "7" }, "seed=7 | a.yaml" },
        { { "-s7", "a.yaml" }, "seed=7 | a.yaml" },
        { { "--seed=", "a.yaml" }, "seed= | a.yaml" },
        { { "--set=a.b=c=d", "--set", "x=1", "a" }, "set=a.b=c=d set=x=1 | a" },
        { { "-ql", "a" }, "quiet= list= | a" },
        { { "-qo", "dir", "a" }, "quiet= out=dir | a" },
        { { "-qodir", "a" }, "quiet= out=dir | a" },
        { { "-o", "-", "-" }, "out=- | -" },
        { { "--out", "--quiet", "a" }, "out=--quiet | a" },
        { { "--", "--seed", "-q" }, "| --seed -q" },
        { { "a", "--", "--" }, "| a --" },
        { { "--help" }, "help |" },
        { { "-qh", "a", "b", "c", "d" }, "quiet= help | a b c d" },
        { { "a", "" }, "| a " },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_args args = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_buf got = { 0 };
        assert_int_equal(parse(cases[i].argv, &args, &diag), SQ_OK);
        assert_int_equal(diag.errors, 0);
        for (size_t k = 0; k < args.value_count; k++) {
            sq_buf_printf(&got, "%s=%s ", args.values[k].opt->name, args.values[k].text);
        }
        sq_buf_puts(&got, args.help ? "help |" : "|");
        for (size_t k = 0; k < args.word_count; k++) {
            sq_buf_printf(&got, " %s", args.words[k]);
        }
        assert_string_equal(got.text, cases[i].want);
        sq_buf_fini(&got);
        sq_args_fini(&args);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *argv[ARGS_MAX];
        const char *want;
    } cases[] = {
        { { NULL }, "squall run needs SCENARIO\n" },
        { { "a", "b", "c", "d" }, "squall run does not take the word c\n" },
        { { "--sede", "7", "a" }, "unknown option --sede\n    hint: did you mean --seed?\n" },
        { { "--quite", "a" }, "unknown option --quite\n    hint: did you mean --quiet?\n" },
        { { "--hepl", "a" }, "unknown option --hepl\n    hint: did you mean --help?\n" },
        { { "--frobnicate=3", "a" },
          "unknown option --frobnicate\n    hint: `squall run --help` lists the options\n" },
        { { "-qx", "a" }, "unknown option -x\n    hint: `squall run --help` lists the options\n" },
        { { "a", "--seed" }, "--seed needs a value: --seed N\n" },
        { { "a", "-qs" }, "--seed needs a value: --seed N\n" },
        { { "--quiet=yes", "a" }, "--quiet takes no value\n" },
        { { "--seed=1", "-s2", "a" }, "--seed is given twice\n" },
        { { "-qq", "a" }, "--quiet is given twice\n" },
        { { "--quiet=1", "-s" }, /* all of them at once */
          "--quiet takes no value\n--seed needs a value: --seed N\nsquall run needs SCENARIO\n" },
        { { "--=x", "a" }, "unknown option --\n    hint: `squall run --help` lists the options\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_args args = { .word_count = 77 };
        struct sq_diag diag = { 0 };
        struct sq_buf got = { 0 };
        assert_int_equal(parse(cases[i].argv, &args, &diag), SQ_USER);
        sq_diag_print(&diag, &got);
        assert_string_equal(got.text, cases[i].want);
        assert_int_equal(args.word_count, 77); /* untouched */
        sq_buf_fini(&got);
        sq_diag_fini(&diag);
    }
    char word[300] = "--";
    memset(word + 2, 'x', sizeof word - 3);
    struct sq_args args = { 0 };
    struct sq_diag diag = { 0 };
    assert_int_equal(parse((const char *const[]){ word, "a", NULL }, &args, &diag), SQ_USER);
    assert_int_equal(strlen(diag.items[0].text), strlen("unknown option --") + 200);
    sq_diag_fini(&diag);
}

static void values(void **state)
{
    (void)state;
    struct sq_args args = { 0 };
    struct sq_diag diag = { 0 };
    static const char *const argv[] = { "--set", "a=1",          "-s", "60k", "--set",
                                        "b=2",   "--wait=1h30m", "-q", "f",   NULL };
    assert_int_equal(parse(argv, &args, &diag), SQ_OK);
    assert_string_equal(sq_args_get(&args, "seed"), "60k");
    assert_string_equal(sq_args_get(&args, "quiet"), "");
    assert_string_equal(sq_args_get(&args, "set"), "b=2");
    assert_null(sq_args_get(&args, "out"));
    size_t at = 0;
    assert_string_equal(sq_args_next(&args, "set", &at), "a=1");
    assert_string_equal(sq_args_next(&args, "set", &at), "b=2");
    assert_null(sq_args_next(&args, "set", &at));
    int64_t n = 5;
    sq_time_t t = 5;
    struct sq_opt_range any = { 0, SQ_UNLIMITED };
    assert_int_equal(sq_args_count(&args, "seed", any, &n, &diag), SQ_OK);
    assert_int_equal(n, 60000);
    assert_int_equal(sq_args_count(&args, "out", any, &n, &diag), SQ_OK);
    assert_int_equal(n, 60000); /* not given: unchanged */
    assert_int_equal(sq_args_duration(&args, "wait", any, &t, &diag), SQ_OK);
    assert_int_equal(t, 5400 * SQ_NS_PER_S);
    assert_int_equal(sq_args_count(&args, "wait", any, &n, &diag), SQ_USER);
    assert_int_equal(sq_args_count(&args, "seed", (struct sq_opt_range){ 1, 59999 }, &n, &diag),
                     SQ_USER);
    assert_int_equal(sq_args_duration(&args, "wait",
                                      (struct sq_opt_range){ 7200 * SQ_NS_PER_S, SQ_NEVER }, &t,
                                      &diag),
                     SQ_USER);
    assert_int_equal(n, 60000);
    struct sq_buf got = { 0 };
    sq_diag_print(&diag, &got);
    assert_string_equal(got.text, "--wait: 1h30m is not a count; write it as 60000, 60k or 2M\n"
                                  "--seed: 60k is above the maximum 59999\n"
                                  "--wait: 1h30m is below the minimum 2h\n");
    sq_buf_fini(&got);
    sq_diag_fini(&diag);
    sq_args_fini(&args);
}

static void help(void **state)
{
    (void)state;
    struct sq_buf out = { 0 };
    sq_opt_help(&run, &out);
    assert_string_equal(
        out.text, "usage: squall run [--seed N] [--set PATH=VALUE]... [--out DIR]\n"
                  "                  [--wait DURATION] [--quiet] [--list] SCENARIO\n"
                  "\n"
                  "Runs a scenario and prints what happened.\n"
                  "\n"
                  "  -s, --seed N          Root of all randomness.\n"
                  "      --set PATH=VALUE  Changes one key of the scenario before anything is\n"
                  "                        checked. May be repeated.\n"
                  "  -o, --out DIR         Folder for the files.\n"
                  "      --wait DURATION   How long.\n"
                  "  -q, --quiet           Prints nothing but errors.\n"
                  "  -l, --list            Lists what would be done.\n"
                  "  -h, --help            Show this help.\n");
    sq_buf_fini(&out);
    static const struct sq_opt wide[] = {
        { "allocation-failures", 'a', "NUMBER", "Long.", false, NULL },
        { "b", 'b', NULL, "Short.", false, NULL },
    };
    struct sq_command command = { "squall x", NULL, 0, 0, "Does x.", wide, SQ_COUNT(wide) };
    sq_opt_help(&command, &out);
    assert_string_equal(out.text, "usage: squall x [--allocation-failures NUMBER] [--b]\n"
                                  "\n"
                                  "Does x.\n"
                                  "\n"
                                  "  -a, --allocation-failures NUMBER\n"
                                  "              Long.\n"
                                  "  -b, --b     Short.\n"
                                  "  -h, --help  Show this help.\n");
    sq_buf_fini(&out);
    command.opt_count = 0;
    sq_opt_synopsis(&command, &out);
    assert_string_equal(out.text, "squall x\n");
    sq_buf_fini(&out);
}

static void no_memory(void **state)
{
    (void)state;
    static const char *const good[] = { "-q", "--seed", "1", "f", NULL };
    static const char *const bad[] = { "--sede", "1", "f", NULL };
    for (long n = 0; n < 8; n++) {
        struct sq_args args = { 0 };
        struct sq_diag diag = { 0 };
        sq_mem_fail_after(n);
        enum sq_status status = parse(good, &args, &diag);
        sq_mem_fail_after(-1);
        assert_int_equal(status, n < 2 ? SQ_NOMEM : SQ_OK);
        sq_args_fini(&args);
        sq_mem_fail_after(n);
        status = parse(bad, &args, &diag);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_NOMEM || (status == SQ_USER && n > 3));
        sq_diag_fini(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understood), cmocka_unit_test(refused),   cmocka_unit_test(values),
        cmocka_unit_test(help),       cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
