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

static const struct sq_command_row rows[] = { { "bake", &bake, nothing },
                                              { "cool-down", &cool_down, nothing } };
static const struct sq_commands oven = { "oven", "It is hot.", "Ask again.", rows, 2 };

static void found(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    assert_ptr_equal(sq_commands_find(&oven, "bake", &diag), &rows[0]);
    assert_ptr_equal(sq_commands_find(&oven, "cool-down", &diag), &rows[1]);
    assert_int_equal(diag.errors, 0);
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
        assert_null(sq_commands_find(&oven, cases[i].name, &diag));
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
        cmocka_unit_test(unknown),
        cmocka_unit_test(list),
    };
    return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
