/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_snapshot.c - a baseline goes out and comes back; what is damaged is refused with its place.
 */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/sq_file.h"
#include "sim/conf/sq_snapshot.h"

static char path[] = "/tmp/squall-snapshot-XXXXXX";

static enum sq_status write_text(const char *text)
{
    struct sq_diag diag = { 0 };
    enum sq_status status = sq_file_write(path, text, strlen(text), &diag);
    sq_diag_fini(&diag);
    return status;
}

static void make(struct sq_buf *out)
{
    static struct sq_word_count words[] = { { "clears", 19 }, { "stalled", 1 } };
    static const char *names[] = { "jobs.completed", "drain.healthy_s", "drain.state" };
    struct sq_cell cells[] = {
        { .spread = { .n = 20, .mean = 12.5, .p50 = 12, .lo = 11, .hi = 14 } },
        { .spread = { .n = 0,
                      .mean = (double)NAN,
                      .p50 = (double)NAN,
                      .lo = (double)NAN,
                      .hi = (double)NAN } },
        { .word_count = 2, .words = words },
    };
    struct sq_snapshot s = { .version = "1.2.3",
                             .file = "s/a.yaml",
                             .title = "A \"title\"",
                             .variant = "cap",
                             .hash = "0123",
                             .echo = "squall: 1\ntitle: x\n",
                             .seed = UINT64_MAX,
                             .run_count = 20,
                             .metric_count = 3,
                             .names = names,
                             .cells = cells };
    assert_int_equal(sq_snapshot_write(&s, out), SQ_OK);
}

static void there_and_back(void **state)
{
    (void)state;
    struct sq_buf text = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_arena arena = { 0 };
    struct sq_snapshot s;
    make(&text);
    assert_int_equal(write_text(text.text), SQ_OK);
    assert_int_equal(sq_snapshot_read(path, &arena, &s, &diag), SQ_OK);
    assert_string_equal(s.version, "1.2.3");
    assert_string_equal(s.title, "A \"title\"");
    assert_string_equal(s.echo, "squall: 1\ntitle: x\n");
    assert_true(s.seed == UINT64_MAX);
    assert_int_equal(s.run_count, 20);
    assert_int_equal(s.metric_count, 3);
    assert_true(s.cells[0].spread.mean == 12.5 && s.cells[0].spread.hi == 14);
    assert_int_equal(s.cells[1].spread.n, 0);
    assert_true(isnan(s.cells[1].spread.mean));
    assert_string_equal(s.cells[2].words[1].word, "stalled");
    assert_int_equal(s.cells[2].words[0].runs, 19);
    sq_arena_fini(&arena);
    sq_diag_fini(&diag);
    sq_buf_fini(&text);
}

/* One place of the text is another. */
static void damaged(void **state)
{
    (void)state;
    static const struct {
        const char *was, *is, *said;
    } rows[] = {
        { "\"kind\": \"baseline\"", "\"kind\": \"result\"", "no baseline" },
        { "\"format\": 1", "\"format\": 2", "newer format" },
        { "\"runs\": 20", "\"runs\": 0", "not complete" },
        { "\"seed\": \"18", "\"seed\": \"x8", "not complete" },
        { "\"seed\": \"18", "\"seed\": \"918", "not complete" },
        { "\"variant\"", "\"variants\"", "not complete" },
        { "[20, 12.5", "[21, 12.5", "no figures" },
        { "[20, 12.5", "[20, null", "no figures" },
        { "11, 14]", "13, 14]", "no figures" },
        { "11, 14]", "11]", "no figures" },
        { "\"clears\": 19", "\"clears\": 20", "no figures" },
        { "\"clears\": 19", "\"clears\": 0", "no figures" },
        { "\"squall: 1\"", "1", "not complete" },
        { "{", "[", "JSON" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf text = { 0 }, worse = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_arena arena = { 0 };
        struct sq_snapshot s;
        make(&text);
        const char *at = strstr(text.text, rows[i].was);
        assert_non_null(at);
        sq_buf_add(&worse, text.text, (size_t)(at - text.text));
        sq_buf_puts(&worse, rows[i].is);
        sq_buf_puts(&worse, at + strlen(rows[i].was));
        assert_int_equal(write_text(worse.text), SQ_OK);
        assert_int_equal(sq_snapshot_read(path, &arena, &s, &diag), SQ_USER);
        assert_int_equal(diag.count, 1);
        assert_string_equal(diag.items[0].file, path);
        assert_non_null(strstr(diag.items[0].text, rows[i].said));
        sq_arena_fini(&arena);
        sq_diag_fini(&diag);
        sq_buf_fini(&worse);
        sq_buf_fini(&text);
    }
}

/* Every text that ends too early is refused. */
static void cut_short(void **state)
{
    (void)state;
    struct sq_buf text = { 0 };
    make(&text);
    for (size_t len = 0; len + 2 < text.len; len += 7) {
        struct sq_diag diag = { 0 }, none = { 0 };
        struct sq_arena arena = { 0 };
        struct sq_snapshot s;
        assert_int_equal(sq_file_write(path, text.text, len, &none), SQ_OK);
        assert_int_equal(sq_snapshot_read(path, &arena, &s, &diag), SQ_USER);
        sq_arena_fini(&arena);
        sq_diag_fini(&diag);
    }
    sq_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(damaged),
        cmocka_unit_test(cut_short),
    };
    int fd = mkstemp(path);
    if (fd < 0) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
