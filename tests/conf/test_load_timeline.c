/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_load_timeline.c - timelines written and read back, and what is wrong with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <math.h>

#include "sim/base/sq_file.h"
#include "sim/conf/sq_load_timeline.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_timeline_file.h"

/* Reads a text as the timeline of a run of 25 s. */
static enum sq_status read_text(const char *text, struct sq_result *r, struct sq_buf *said)
{
    char folder[] = "/tmp/squall-line-XXXXXX";
    char path[80];
    struct sq_diag diag = { 0 };
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/timeline.csv", folder);
    assert_int_equal(sq_file_write(path, text, strlen(text), &diag), SQ_OK);
    *r = (struct sq_result){ .run_count = 3, .duration_ns = 25 * SQ_NS_PER_S };
    enum sq_status status = sq_load_timeline(folder, r, &diag);
    sq_diag_print(&diag, said);
    sq_diag_fini(&diag);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    return status;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    float ready[] = { 0, 1234567, 0.25F };
    float null[] = { NAN, 7, NAN };
    float p10[] = { 1, 2, 3, 4 };
    struct sq_column columns[] = { { "queue.a, \"b\".ready", ready }, { "queue.q.x", null } };
    struct sq_column bands[] = { { "queue.q.ready_p10", p10 } };
    struct sq_result r = {
        .series = { 10 * SQ_NS_PER_S, 25 * SQ_NS_PER_S, 3, 2, columns },
        .bands = { 10 * SQ_NS_PER_S, 40 * SQ_NS_PER_S, 4, 1, bands },
    };
    struct sq_result back;
    struct sq_buf b = { 0 }, said = { 0 };
    assert_int_equal(sq_save_timeline(&r, &b), SQ_OK);
    assert_int_equal(read_text(b.text, &back, &said), SQ_OK);
    assert_int_equal(back.series.bin_ns, 10 * SQ_NS_PER_S);
    assert_int_equal(back.series.bin_count, 3);
    assert_int_equal(back.series.end_ns, 25 * SQ_NS_PER_S);
    assert_int_equal(back.series.column_count, 2);
    assert_string_equal(back.series.columns[0].name, "queue.a, \"b\".ready");
    assert_memory_equal(back.series.columns[0].bins, ready, sizeof ready);
    assert_true(isnan(back.series.columns[1].bins[0]) && isnan(back.series.columns[1].bins[2]));
    assert_true(back.series.columns[1].bins[1] == 7);
    assert_int_equal(back.bands.bin_count, 4);
    assert_int_equal(back.bands.end_ns, 40 * SQ_NS_PER_S);
    assert_string_equal(back.bands.columns[0].name, "queue.q.ready_p10");
    assert_memory_equal(back.bands.columns[0].bins, p10, sizeof p10);
    assert_int_equal(back.band_runs, 3);
    sq_buf_fini(&b);
    sq_buf_fini(&said);
    sq_arena_fini(&back.arena);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        { "t,a.b.c\n0,1\n", "timeline.csv:1: this is no timeline: its first column is not time_s" },
        { "time_s,a.b.c\n0,1\n10,x\n", "timeline.csv:3: a cell is no number" },
        { "time_s,a.b.c\n5,1\n10,1\n", "timeline.csv:2: its times do not begin at 0 and rise" },
        { "time_s,a.b.c\n0,1\n0,1\n", "timeline.csv:2: its times do not begin at 0 and rise" },
        { "time_s,a.b.c\n0,1\n9e9,1\n", "timeline.csv:3: its bins are centuries long" },
        { "time_s,a.b.c\n0,1\n10,1,2\n", "timeline.csv:3" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_result r;
        struct sq_buf said = { 0 };
        assert_int_equal(read_text(rows[i].text, &r, &said), SQ_USER);
        if (strstr(said.text, rows[i].said) == NULL) {
            fail_msg("%s is not in %s", rows[i].said, said.text);
        }
        sq_buf_fini(&said);
        sq_arena_fini(&r.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
