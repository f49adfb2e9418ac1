/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_page.c - the terminal page: its lines, its width, and terminals that can do less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plots/plt_page.h"
#include "plots/plt_text.h"
#include "plots/plt_words.h"
#include "tests/plots/storm.h"

static const char *const files[] = { "out/timeline.csv", "out/summary.json" };

static const struct plt_term plain = { 80, false, false };
static const struct plt_term blocks = { 0, false, true };

static void print(const struct sq_result *r, const struct plt_term *term, struct sq_buf *out)
{
    assert_int_equal(plt_page(r, term, files, SQ_COUNT(files), out), SQ_OK);
    assert_non_null(out->text);
}

static void expect_all(const char *page, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(page, lines[i]) == NULL) {
            fail_msg("not on the page: %s\n%s", lines[i], page);
        }
    }
}

/* Columns of the widest line: every byte but those that continue a character. */
static unsigned widest(const char *page)
{
    unsigned max = 0, columns = 0;
    for (const char *p = page; *p != '\0'; p++) {
        columns += ((unsigned char)*p & 0xC0) != 0x80 ? 1 : 0;
        columns = *p == '\n' ? 0 : columns;
        max = columns > max ? columns : max;
    }
    return max;
}

static void one_run(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "Template API goes down for 20 minutes — as-it-was\n",
        "Falls over 3 more times; queue clear 41m after recovery.\n",
        "▲ beyond the chart: peak",
        "      250 │",
        "┄ capacity 125/s",
        "Jobs in queue renders, ready and delayed; max",
        "░ outage   ▓ down by its own load\n",
        "\nWhat happened\n      10m00s  template-api goes down, as planned, for 20m (until "
        "30m00s)\n",
        "      30m47s  template-api falls over under its own load (until 35m47s)\n",
        "    1h11m05s  healthy again for good (T2)\n",
        "Result of 1 run, seed 1\n  P(collapse)      this run collapsed",
        "  Backlog          clears\n",
        "  queue clear               12m             35m         41m\n",
        "  last affected job           -             58m       1h12m\n",
        "  Jobs       arrived  completed  dead-lettered  unfinished\n"
        "             270,000    269,100            880          20\n",
        "  Dependency    collapses  down for     peak  peak while up  normal  peak/normal\n"
        "  template-api          3       35m  1,600/s        1,600/s    50/s           32\n",
        "  template-api  412,331  270,000  142,331     1.53  269,100  12,000\n",
        "  renders       41,250       60,010   1h12m\n",
        "Files\n  out/timeline.csv\n  out/summary.json\n",
    };
    struct sq_result r;
    struct sq_buf page = { 0 };
    assert_true(storm_make(&r, 1));
    print(&r, &blocks, &page);
    expect_all(page.text, lines, SQ_COUNT(lines));
    assert_true(widest(page.text) <= 80);
    assert_null(strchr(page.text, '\x1b'));
    assert_null(strstr(page.text, " \n"));
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
}

/* Twenty runs of which five never clear and the others fall into two groups. */
static void several_runs(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "This is run 1 of 20; 15\nof them collapse.\n",
        "P(collapse)      75 %: 15 of 20 runs (95 % interval 53 % to 89 %)",
        "Backlog          clears in 15, stalled in 5 of 20 runs\n",
        "(15 of 20)\n",
        "    p10      270,007",
        "    p50      270,063",
        "    p90      270,119",
        "    p10-p90            80\n",
        "* The runs fall into two groups",
    };
    struct sq_result r;
    struct sq_buf page = { 0 };
    assert_true(storm_make(&r, 20));
    long clear = sq_result_metric(&r, "drain.queue_clear_s");
    long word = sq_result_metric(&r, "drain.state");
    long collapse = sq_result_metric(&r, "outcome.p_collapse");
    for (size_t k = 0; k < 20; k++) {
        struct sq_value *values = r.runs[k].values;
        values[clear].number = k < 7 ? 2460 + (double)k : k < 15 ? 9000 + (double)k : NAN;
        values[word].word = k < 15 ? "clears" : "stalled";
        values[collapse].number = k < 15 ? 1 : 0;
    }
    print(&r, &blocks, &page);
    expect_all(page.text, lines, SQ_COUNT(lines));
    assert_true(widest(page.text) <= 80);
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
}

static void plain_terminal_gets_ascii(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf page = { 0 };
    assert_true(storm_make(&r, 1));
    r.title = "Öffner “A” → B\x1b[2J";
    print(&r, &plain, &page);
    for (size_t i = 0; i < page.len; i++) {
        assert_true(page.text[i] == '\n' || (page.text[i] >= ' ' && page.text[i] <= '~'));
    }
    assert_non_null(strstr(page.text, "?ffner \"A\" -> B [2J - as-it-was\n"));
    assert_non_null(strstr(page.text, "      250 |"));
    assert_non_null(strstr(page.text, "o outage   X down by its own load\n"));
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
}

/* With colours taken away the page is the same. */
static void colour_only_adds_colour(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf grey = { 0 }, red = { 0 }, washed = { 0 };
    const struct plt_term colour = { 80, true, true };
    assert_true(storm_make(&r, 2));
    print(&r, &blocks, &grey);
    print(&r, &colour, &red);
    for (const char *p = red.text; *p != '\0'; p++) {
        if (*p == '\x1b') {
            p = strchr(p, 'm');
            assert_non_null(p);
        } else {
            sq_buf_putc(&washed, *p);
        }
    }
    assert_true(red.len > grey.len);
    assert_string_equal(washed.text, grey.text);
    sq_buf_fini(&grey);
    sq_buf_fini(&red);
    sq_buf_fini(&washed);
    sq_arena_fini(&r.arena);
}

static size_t story_lines(const char *page)
{
    const char *at = strstr(page, "What happened\n");
    assert_non_null(at);
    size_t lines = 0;
    for (at = strchr(at, '\n') + 1; *at != '\n'; at = strchr(at, '\n') + 1) {
        lines++;
    }
    return lines;
}

static void long_stories_are_folded(void **state)
{
    (void)state;
    static const struct {
        enum sq_moment_kind kind;
        const char *kept[4];
    } rows[] = {
        { SQ_MOMENT_SCALING,
          { "10m00s  template-api goes", "1h20m12s  step", "... and 51 more steps of" } },
        { SQ_MOMENT_ACTION,
          { "10m00s  template-api goes", "1h20m12s  step", "1h20m51s  step", "... and 41 more" } },
    };
    for (size_t k = 0; k < SQ_COUNT(rows); k++) {
        struct sq_result r;
        struct sq_buf page = { 0 };
        assert_true(storm_make(&r, 1));
        for (size_t i = r.moment_count; i < STORM_MOMENTS_MAX; i++) {
            sq_time_t at = STORM_S(4800 + i);
            r.moments[i] = (struct sq_moment){ rows[k].kind, at, at, "renderers", "step" };
        }
        r.moments[STORM_MOMENTS_MAX - 1].at_ns = STORM_S(4851);
        r.moment_count = STORM_MOMENTS_MAX;
        print(&r, &blocks, &page);
        expect_all(page.text, rows[k].kept, k == 0 ? 3 : 4);
        assert_true(story_lines(page.text) <= 25);
        expect_all(page.text, (const char *const[]){ "out/summary.json" }, 1);
        sq_buf_fini(&page);
        sq_arena_fini(&r.arena);
    }
}

static void nulls_and_poor_results(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf page = { 0 };
    assert_true(storm_make(&r, 1));
    static const char *const nulls[] = { "drain.queue_clear_s", "forecast.naive_s",
                                         "forecast.planned_s" };
    for (size_t i = 0; i < SQ_COUNT(nulls); i++) {
        r.runs[0].values[sq_result_metric(&r, nulls[i])].number = NAN;
    }
    r.runs[0].values[sq_result_metric(&r, "drain.state")].word = "will not drain";
    r.runs[0].values[sq_result_metric(&r, "forecast.state")].word = "stalled";
    r.interrupted = true;
    r.runs_wanted = 20;
    r.remark_count = 1;
    r.remarks = (const char *[]){ "expect is not judged yet" };
    print(&r, &blocks, &page);
    static const char *const lines[] = {
        "INTERRUPTED after 1 of 20 runs: what follows is of the finished ones.\n",
        "; the backlog will not drain.\n",
        "  queue clear             never         stalled       never\n",
        "  Backlog          will not drain\n"
        "  Forecast at T1   stalled\n",
        "Note: expect is not judged yet\n",
    };
    expect_all(page.text, lines, SQ_COUNT(lines));
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
    assert_true(storm_make(&r, 1));
    for (size_t i = 0; i < SQ_COUNT(nulls); i++) {
        r.runs[0].values[sq_result_metric(&r, nulls[i])].number = NAN;
    }
    r.moments[4].text = "the outage is over; forecast: would relapse: 160 callers at once";
    r.runs[0].values[sq_result_metric(&r, "forecast.state")].word = "would relapse";
    print(&r, &blocks, &page);
    static const char *const relapse =
        "  Forecast at T1   would relapse: 160 callers at once\n\n"
        "  After recovery (T1)     naive         planned   simulated\n"
        "  queue clear     would relapse   would relapse       never\n";
    expect_all(page.text, &relapse, 1);
    sq_buf_fini(&page);
    sq_arena_fini(&r.arena);
    struct sq_result none = { .seed = 7 };
    assert_int_equal(plt_page(&none, &plain, NULL, 0, &page), SQ_OK);
    assert_string_equal(page.text,
                        "Untitled scenario\nStays healthy.\n\nResult of 0 runs, seed 7\n\n");
    sq_buf_fini(&page);
}

static void narrow_and_wide(void **state)
{
    (void)state;
    static const unsigned widths[][2] = { { 1, 60 }, { 60, 60 }, { 132, 132 }, { 1000, 200 } };
    struct sq_result r;
    assert_true(storm_make(&r, 20));
    r.title =
        "a_word_that_is_longer_than_any_line_of_a_narrow_terminal_can_be_because_it_has_no_blank";
    for (size_t i = 0; i < SQ_COUNT(widths); i++) {
        struct sq_buf page = { 0 };
        const struct plt_term term = { widths[i][0], false, true };
        print(&r, &term, &page);
        assert_true(widest(page.text) <= widths[i][1]);
        assert_true(widest(page.text) > widths[i][1] / 2);
        sq_buf_fini(&page);
    }
    sq_arena_fini(&r.arena);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    struct sq_result r;
    assert_true(storm_make(&r, 2));
    enum sq_status status = SQ_NOMEM;
    long n = 0;
    for (; status == SQ_NOMEM; n++) {
        struct sq_buf page = { 0 };
        sq_mem_fail_after(n);
        status = plt_page(&r, &blocks, files, SQ_COUNT(files), &page);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || page.len == 0);
        sq_buf_fini(&page);
    }
    assert_int_equal(status, SQ_OK);
    assert_true(n > 20);
    sq_arena_fini(&r.arena);
}

static void numbers_in_words(void **state)
{
    (void)state;
    static const struct {
        void (*put)(struct sq_buf *, double);
        double value;
        const char *text;
    } rows[] = {
        { plt_put_count, 0, "0" },
        { plt_put_count, 999, "999" },
        { plt_put_count, 999.6, "1,000" },
        { plt_put_count, 1600, "1,600" },
        { plt_put_count, 9999999, "9,999,999" },
        { plt_put_count, 12345678, "12.3M" },
        { plt_put_count, 2.5e9, "2.5G" },
        { plt_put_count, 1e15, "1000T" },
        { plt_put_count, NAN, "-" },
        { plt_put_count, -1234, "-1,234" },
        { plt_put_rate, 24.4, "24.4/s" },
        { plt_put_rate, NAN, "-" },
        { plt_put_ratio, 1.5271, "1.53" },
        { plt_put_percent, 0, "0 %" },
        { plt_put_percent, 1, "100 %" },
        { plt_put_percent, 0.999, ">99 %" },
        { plt_put_percent, 0.002, "<1 %" },
        { plt_put_percent, 0.754, "75 %" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 };
        rows[i].put(&b, rows[i].value);
        assert_string_equal(b.text, rows[i].text);
        sq_buf_fini(&b);
    }
    static const struct {
        double s;
        bool fine;
        const char *text;
    } clocks[] = { { 600, false, "10m00s" },
                   { 45, false, "0m45s" },
                   { 3900, false, "1h05m00s" },
                   { 4.25, true, "4.250s" },
                   { 360000, false, "100h00m00s" } };
    for (size_t i = 0; i < SQ_COUNT(clocks); i++) {
        struct sq_buf b = { 0 };
        plt_put_clock(&b, sq_time_from_s(clocks[i].s), clocks[i].fine);
        assert_string_equal(b.text, clocks[i].text);
        sq_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run),
        cmocka_unit_test(several_runs),
        cmocka_unit_test(plain_terminal_gets_ascii),
        cmocka_unit_test(colour_only_adds_colour),
        cmocka_unit_test(long_stories_are_folded),
        cmocka_unit_test(nulls_and_poor_results),
        cmocka_unit_test(narrow_and_wide),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(numbers_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
