/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_histogram_file.c - histograms written and read back, and what is wrong with a file. */
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
#include "sim/conf/sq_histogram_file.h"

/* Reads a text as the file of a folder; NULL: there is no file. */
static enum sq_status read_text(const char *text, struct sq_result *r, struct sq_buf *said)
{
    char folder[] = "/tmp/squall-histo-XXXXXX";
    char path[80];
    struct sq_diag diag = { 0 };
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/histograms.csv", folder);
    if (text != NULL) {
        assert_int_equal(sq_file_write(path, text, strlen(text), &diag), SQ_OK);
    }
    *r = (struct sq_result){ 0 };
    enum sq_status status = sq_load_histograms(folder, r, &diag);
    sq_diag_print(&diag, said);
    sq_diag_fini(&diag);
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
    return status;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    double upto[] = { 0.1, 0.2, 0.3, 0.4, 0.5 };
    uint64_t counts[] = { 3, 0, 0, 0, 7000000000 };
    struct sq_histogram list[] = { { "a.\"b\", c.delay_s", 300, 5, upto, counts },
                                   { "jobs.attempts", NAN, 0, NULL, NULL } };
    struct sq_result r = { .histogram_count = 2, .histograms = list }, back;
    struct sq_buf b = { 0 }, said = { 0 };
    assert_int_equal(sq_save_histograms(&r, &b), SQ_OK);
    assert_int_equal(read_text(b.text, &back, &said), SQ_OK);
    assert_int_equal(back.histogram_count, 2);
    const struct sq_histogram *h = sq_result_histogram(&back, "a.\"b\", c.delay_s");
    assert_non_null(h);
    assert_true(h->limit == 300);
    /* Of the three empty bins the last one stays, and says where the empty part ends. */
    assert_int_equal(h->count, 3);
    assert_true(h->upto[1] == 0.4 && h->counts[1] == 0);
    assert_true(h->upto[2] == 0.5 && h->counts[2] == 7000000000);
    h = sq_result_histogram(&back, "jobs.attempts");
    assert_non_null(h);
    assert_true(isnan(h->limit) && h->count == 0);
    assert_null(sq_result_histogram(&back, "nothing"));
    sq_arena_fini(&back.arena);
    sq_buf_fini(&b);
    sq_buf_fini(&said);
}

static void a_folder_without_the_file_has_none(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf said = { 0 };
    assert_int_equal(read_text(NULL, &r, &said), SQ_OK);
    assert_int_equal(r.histogram_count, 0);
    sq_arena_fini(&r.arena);
    sq_buf_fini(&said);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        { "name,upto,limit,count\na,,1,2\n", ":1: the columns must be name,limit,upto,count" },
        { "name,limit,upto,count\na,x,1,2\n", ":2: `limit` is no number" },
        { "name,limit,upto,count\na,,1,2\na,,1,2\n",
          ":3: `upto` must rise and `count` be a count" },
        { "name,limit,upto,count\na,,1,-2\n", ":2: `upto` must rise and `count` be a count" },
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
        cmocka_unit_test(a_folder_without_the_file_has_none),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
