/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_load_limits.c - searches for limits written and read back, and what is wrong with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/sq_file.h"
#include "sim/conf/sq_load_limits.h"
#include "sim/conf/sq_save_limits.h"

static struct sq_trial trials[] = {
    { 2e9, "2s", true, 9, 9, 0, 0.7, 1, 0, 0.3, 1.5 },
    { 4e9, "4s", true, 9, 8, 1, 0.6, 0.97, 0.02, 0.4, NAN },
    { 8e9, "8s", false, 9, 2, 7, 0.1, 0.5, 0.5, 0.9, 3 },
};

static const struct sq_limits search = {
    .version = "0.1.0",
    .title = "A \"storm\"",
    .file = "/somewhere/storm.yaml",
    .variant = "base",
    .scenario_hash = "abc",
    .seed = UINT64_MAX,
    .runs = 9,
    .key = "a.b",
    .unit = "s",
    .unit_value = 1e9,
    .until = "x < 3",
    .in = 1,
    .way_count = 2,
    .ways = { { SQ_WAY_FALLS,
                { .state = SQ_TIPPING_FOUND,
                  .count = 3,
                  .trials = trials,
                  .below = 1,
                  .holds_low = true } },
              { SQ_WAY_RETURNS, { .state = SQ_TIPPING_ALWAYS, .count = 2, .trials = trials } } },
};

/* Reads the two texts as a folder. */
static enum sq_status read_texts(const char *json, const char *csv, struct sq_limits *l,
                                 struct sq_buf *said)
{
    char folder[] = "/tmp/squall-limit-XXXXXX";
    char paths[2][80];
    struct sq_diag diag = { 0 };
    assert_non_null(mkdtemp(folder));
    (void)snprintf(paths[0], sizeof paths[0], "%s/limits.json", folder);
    (void)snprintf(paths[1], sizeof paths[1], "%s/limits.csv", folder);
    assert_int_equal(sq_file_write(paths[0], json, strlen(json), &diag), SQ_OK);
    assert_int_equal(sq_file_write(paths[1], csv, strlen(csv), &diag), SQ_OK);
    enum sq_status status = sq_load_limits(folder, l, &diag);
    sq_diag_print(&diag, said);
    sq_diag_fini(&diag);
    assert_int_equal(unlink(paths[0]), 0);
    assert_int_equal(unlink(paths[1]), 0);
    assert_int_equal(rmdir(folder), 0);
    return status;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    struct sq_limits l;
    struct sq_buf json = { 0 }, csv = { 0 }, said = { 0 };
    assert_int_equal(sq_save_limits_json(&search, &json), SQ_OK);
    assert_int_equal(sq_save_limits_csv(&search, &csv), SQ_OK);
    assert_int_equal(read_texts(json.text, csv.text, &l, &said), SQ_OK);
    assert_string_equal(l.title, "A \"storm\"");
    assert_string_equal(l.file, "storm.yaml");
    assert_string_equal(l.until, "x < 3");
    assert_true(l.seed == UINT64_MAX);
    assert_int_equal(l.runs, 9);
    assert_int_equal(l.way_count, 2);
    const struct sq_tipping *t = &l.ways[0].tipping;
    assert_int_equal(l.ways[0].kind, SQ_WAY_FALLS);
    assert_int_equal(t->state, SQ_TIPPING_FOUND);
    assert_string_equal(sq_tipping_holds(t)->text, "4s");
    assert_string_equal(sq_tipping_fails(t)->text, "8s");
    assert_int_equal(t->count, 3);
    assert_true(t->trials[2].value == 8 && l.unit_value == 1);
    assert_int_equal(t->trials[2].collapsed, 7);
    assert_true(t->trials[1].held_hi == 0.97 && isnan(t->trials[1].observed));
    assert_int_equal(l.ways[1].tipping.state, SQ_TIPPING_ALWAYS);
    sq_arena_fini(&l.arena);
    sq_buf_fini(&json);
    sq_buf_fini(&csv);
    sq_buf_fini(&said);
}

#define HEAD                                                                                  \
    "way,key,text,value,holds,runs,held,held_lo,held_hi,collapsed,collapsed_lo,collapsed_hi," \
    "observed,edge\n"

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *json, *csv, *said;
    } rows[] = {
        { "{}", HEAD "", "limits.json: this is no result of squall" },
        { "{\"squall\": {\"format\": 1}}", HEAD "limit,k,1,1,yes,1,1,0,1,0,0,1,,\n",
          "limits.json: `limits` is not complete" },
        { NULL, HEAD "lemit,k,1,1,yes,1,1,0,1,0,0,1,,\n", "limits.csv:2: `way` is not one of" },
        { NULL, HEAD "limit,k,1,x,yes,1,1,0,1,0,0,1,,\n", "limits.csv:2: a cell is no number" },
        { NULL, HEAD "limit,k,1,1,yes,1,-1,0,1,0,0,1,,\n", "limits.csv:2: a cell is no number" },
        { NULL, HEAD "limit,k,1,1,yes,1,1,0,1,0,0,1,,holds\n", "`edge` marks one value, not two" },
    };
    struct sq_buf json = { 0 };
    assert_int_equal(sq_save_limits_json(&search, &json), SQ_OK);
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_limits l;
        struct sq_buf said = { 0 };
        const char *head = rows[i].json != NULL ? rows[i].json : json.text;
        assert_int_equal(read_texts(head, rows[i].csv, &l, &said), SQ_USER);
        if (strstr(said.text, rows[i].said) == NULL) {
            fail_msg("%s is not in %s", rows[i].said, said.text);
        }
        sq_buf_fini(&said);
        sq_arena_fini(&l.arena);
    }
    sq_buf_fini(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
