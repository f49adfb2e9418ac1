/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_commands.c - commands found by name, and the list of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/base/sq_commands.h"

static const struct sq_command bake = { .name = "oven bake", .doc = "Bakes." };
static const struct sq_command cool_down = { .name = "oven cool-down", .doc = "Cools." };

static enum sq_status nothing(const struct sq_args *args, struct sq_diag *diag)
{
    (void)args, (void)diag;
    return SQ_OK;
}

static const struct sq_command_row rows[] = {
    { .name = "bake", .command = &bake, .run = nothing },
    { .name = "cool-down", .command = &cool_down, .run = nothing }
};
static const struct sq_commands oven = { "oven", "It is hot.", "Ask again.", rows, 2 };
static const struct sq_command_row more_rows[] = {
    { .name = "bake", .command = &bake, .run = nothing },
    { .name = "make tea", .command = &bake, .run = nothing },
    { .name = "make bread", .command = &bake, .run = nothing },
};
static const struct sq_commands kitchen = { "oven", "", "", more_rows, 3 };

static const struct sq_command_row *find(const struct sq_commands *c, const char *const *words,
                                         size_t count, size_t *used, struct sq_diag *diag)
{
    struct sq_command_words w = { words, count, 0 };
    const struct sq_command_row *row = sq_commands_find(c, &w, diag);
    *used = w.used;
    return row;
}

static void found(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    static const char *const line[] = { "bake", "cool-down" };
    size_t used = 0;
    assert_ptr_equal(find(&oven, line, 2, &used, &diag), &rows[0]);
    assert_int_equal(used, 1);
    assert_ptr_equal(find(&oven, line + 1, 1, &used, &diag), &rows[1]);
    assert_int_equal(diag.errors, 0);
}

/* Names of two words. */
static void families(void **state)
{
    (void)state;
    static const char *const line[] = { "make", "bread", "tea" };
    static const char *const other[] = { "make", "soup" };
    struct sq_diag diag = { 0 };
    struct sq_buf b = { 0 };
    size_t used = 0;
    assert_ptr_equal(find(&kitchen, line, 3, &used, &diag), &more_rows[2]);
    assert_int_equal(used, 2);
    assert_int_equal(diag.errors, 0);
    assert_null(find(&kitchen, line, 1, &used, &diag));
    assert_null(find(&kitchen, other, 2, &used, &diag));
    sq_diag_print(&diag, &b);
    assert_string_equal(b.text, "oven: `make` needs a second word\n"
                                "    hint: `oven make tea` or `oven make bread`\n"
                                "oven: `make` has no `soup`\n"
                                "    hint: `oven make tea` or `oven make bread`\n");
    sq_buf_fini(&b);
    static const char *const help[] = { "make", "--help" }, *const odd[] = { "make", "--sugar" };
    assert_null(find(&kitchen, help, 2, &used, &diag));
    assert_int_equal(diag.errors, 2); /* no mistake */
    assert_null(find(&kitchen, odd, 2, &used, &diag));
    assert_int_equal(diag.errors, 3);
    assert_true(sq_commands_put_family(&kitchen, "make", &b));
    assert_non_null(strstr(b.text, "usage: oven bake\n"));
    assert_non_null(strstr(b.text, "\n\nusage: oven bake\n")); /* both of them */
    size_t len = b.len;
    assert_false(sq_commands_put_family(&kitchen, "bake", &b));
    assert_int_equal(b.len, len);
    sq_buf_fini(&b);
    sq_diag_fini(&diag);
}

static void unknown(void **state)
{
    (void)state;
    static const struct {
        const char *name, *said;
    } cases[] = {
        { "bkae", "oven: there is no command `bkae`\n    hint: did you mean `oven bake`?\n" },
        { "melt", "oven: there is no command `melt`\n    hint: `oven help` lists the commands\n" },
        { "", "oven: there is no command ``\n    hint: `oven help` lists the commands\n" },
        { "Bake", "oven: there is no command `Bake`\n    hint: did you mean `oven bake`?\n" },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_diag diag = { 0 };
        struct sq_buf b = { 0 };
        size_t used = 0;
        assert_null(find(&oven, &cases[i].name, 1, &used, &diag));
        sq_diag_print(&diag, &b);
        assert_string_equal(b.text, cases[i].said);
        sq_buf_fini(&b);
        sq_diag_fini(&diag);
    }
}

static void list(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    sq_commands_put(&oven, &b);
    assert_string_equal(b.text, "It is hot.\n\n"
                                "  oven bake       Bakes.\n"
                                "  oven cool-down  Cools.\n"
                                "\nAsk again.\n");
    sq_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(families),
        cmocka_unit_test(unknown),
        cmocka_unit_test(list),
    };
    return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
