/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_page.c - the terminal page: its order, the verdict, the story in sentences. */
#include "plots/plt_page.h"

#include <string.h>

#include "plots/plt_spark.h"
#include "plots/plt_table.h"
#include "plots/plt_text.h"
#include "plots/plt_words.h"

enum { STORY_LINES = 24 };

static void put_heading(struct plt_text *t, const char *text)
{
    plt_text_colour(t, PLT_BOLD);
    plt_text_put(t, text);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
}

static void put_buf(struct plt_text *t, struct sq_buf *b, unsigned indent)
{
    plt_text_wrap(t, b->text != NULL && !b->failed ? b->text : "", indent);
    t->out->failed = t->out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_top(struct plt_text *t, const struct sq_result *r)
{
    struct sq_buf b = { 0 };
    int64_t hits = 0;
    plt_text_colour(t, PLT_BOLD);
    plt_put_title(&b, r, "—");
    put_buf(t, &b, 0);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
    bool bad = plt_collapsed_runs(r, &hits) && hits > 0;
    plt_put_verdict(&b, r);
    if (b.len > 0 && b.text[0] >= 'a' && b.text[0] <= 'z') {
        b.text[0] = (char)(b.text[0] - 'a' + 'A');
    }
    sq_buf_puts(&b, ".");
    if (r->run_count > 1) {
        sq_buf_puts(&b, " This is ");
        plt_put_runs(&b, r);
        sq_buf_puts(&b, ".");
    }
    plt_text_colour(t, bad ? PLT_RED : PLT_GREEN);
    put_buf(t, &b, 0);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
    plt_text_end(t);
}

/* Moments that turn the course of a run; they part one series of steps from the next. */
static bool turns(enum sq_moment_kind kind)
{
    return kind == SQ_MOMENT_OUTAGE || kind == SQ_MOMENT_COLLAPSE || kind == SQ_MOMENT_ACTION ||
           kind == SQ_MOMENT_T1;
}

static bool is_step(enum sq_moment_kind kind)
{
    return kind == SQ_MOMENT_SCALING || kind == SQ_MOMENT_RAMP || kind == SQ_MOMENT_BREAKER;
}

/* True if no step of the same kind comes before (by = -1) or after (by = 1) moment i in its
 * series. */
static bool is_edge(const struct sq_result *r, size_t i, int by)
{
    const enum sq_moment_kind kind = r->moments[i].kind;
    for (size_t k = i + (size_t)by; k < r->moment_count; k += (size_t)by) {
        if (r->moments[k].kind == kind || turns(r->moments[k].kind)) {
            return r->moments[k].kind != kind;
        }
    }
    return true;
}

/* 0: the story is not told without it; 1: begin and end of a series of steps; 2: a step between. */
static int rank_of(const struct sq_result *r, size_t i)
{
    if (!is_step(r->moments[i].kind)) {
        return 0;
    }
    return is_edge(r, i, -1) || is_edge(r, i, 1) ? 1 : 2;
}

/* Which moments are told: all, or those of a rank below `rank` and `more` of that rank, half of
 * them from the beginning and half from the end. */
struct choice {
    bool all;
    int rank;
    size_t more, of_rank; /* of_rank: how many there are */
};

static struct choice choose(const struct sq_result *r)
{
    size_t count[3] = { 0 }, room = STORY_LINES - 1;
    for (size_t i = 0; i < r->moment_count; i++) {
        count[rank_of(r, i)]++;
    }
    if (r->moment_count <= STORY_LINES) {
        return (struct choice){ .all = true };
    }
    if (count[0] > room) {
        return (struct choice){ .rank = 0, .more = room, .of_rank = count[0] };
    }
    room -= count[0];
    /* Steps between the first and the last are told all or not at all. */
    return (
        struct choice){ .rank = 1, .more = room < count[1] ? room : count[1], .of_rank = count[1] };
}

static void put_moment(struct plt_text *t, const struct sq_result *r, const struct sq_moment *m)
{
    const bool fine = r->duration_ns < 120 * SQ_NS_PER_S;
    struct sq_buf at = { 0 }, text = { 0 };
    plt_put_clock(&at, m->at_ns, fine);
    if (!at.failed) {
        plt_text_right(t, at.text, 12);
    }
    t->out->failed = t->out->failed || at.failed;
    sq_buf_fini(&at);
    plt_text_put(t, "  ");
    sq_buf_puts(&text, m->text != NULL ? m->text : "");
    if (m->until_ns > m->at_ns && m->until_ns < r->series.end_ns) {
        sq_buf_puts(&text, " (until ");
        plt_put_clock(&text, m->until_ns, fine);
        sq_buf_puts(&text, ")");
    } else if (m->until_ns > m->at_ns) {
        sq_buf_puts(&text, " (to the end of the run)");
    }
    bool bad = m->kind == SQ_MOMENT_COLLAPSE;
    bool good = m->kind == SQ_MOMENT_T2 || m->kind == SQ_MOMENT_QUEUE_CLEAR;
    if (bad || good) {
        plt_text_colour(t, bad ? PLT_RED : PLT_GREEN);
    }
    put_buf(t, &text, 14);
    if (bad || good) {
        plt_text_colour(t, PLT_PLAIN);
    }
    plt_text_end(t);
}

static const char *find_summary(const char *const *files, size_t count)
{
    static const char name[] = "summary.json";
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(files[i]);
        if (len >= sizeof name - 1 && strcmp(files[i] + len - (sizeof name - 1), name) == 0) {
            return files[i];
        }
    }
    return NULL;
}

static void put_left_out(struct plt_text *t, size_t count, bool steps, const char *summary)
{
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "... and %zu more%s; the full list is in %s", count,
                  steps ? " steps of scalers, ramps or breakers" : "",
                  summary != NULL ? summary : "summary.json (--out DIR)");
    plt_text_to(t, 14);
    put_buf(t, &b, 14);
    plt_text_end(t);
}

static void put_story(struct plt_text *t, const struct sq_result *r, const char *summary)
{
    if (r->moment_count == 0) {
        return;
    }
    const struct choice c = choose(r);
    size_t seen = 0, left_out = 0;
    put_heading(t, r->run_count > 1 ? "What happened in run 1" : "What happened");
    for (size_t i = 0; i < r->moment_count; i++) {
        int rank = rank_of(r, i);
        bool told = c.all || rank < c.rank;
        if (!told && rank == c.rank) {
            told = seen < (c.more + 1) / 2 || seen + c.more / 2 >= c.of_rank;
            seen++;
        }
        if (told) {
            put_moment(t, r, &r->moments[i]);
        } else {
            left_out++;
        }
    }
    if (left_out > 0) {
        put_left_out(t, left_out, c.rank > 0, summary);
    }
    plt_text_end(t);
}

/* Only of a job that was asked for. */
static void put_life(struct plt_text *t, const struct sq_result *r)
{
    const struct sq_life *life = &r->life;
    struct sq_buf b = { 0 };
    if (life->job == NULL || life->why != NULL) {
        return;
    }
    sq_buf_printf(&b, "The life of job %s%s", life->job, r->run_count > 1 ? " in run 1" : "");
    put_heading(t, b.failed ? "The life of a job" : b.text);
    sq_buf_fini(&b);
    for (size_t i = 0; i < life->step_count; i++) {
        plt_put_fine_clock(&b, life->steps[i].at_ns);
        plt_text_right(t, b.failed ? "" : b.text, 16);
        sq_buf_fini(&b);
        plt_text_put(t, "  ");
        sq_buf_puts(&b, life->steps[i].text);
        put_buf(t, &b, 18);
        plt_text_end(t);
    }
    plt_text_end(t);
}

static void put_result_heading(struct plt_text *t, const struct sq_result *r)
{
    struct sq_buf b = { 0 };
    if (r->model != NULL) {
        sq_buf_printf(&b, "Result of the %s model", r->model);
    } else {
        sq_buf_printf(&b, "Result of %zu run%s, seed %llu", r->run_count,
                      r->run_count == 1 ? "" : "s", (unsigned long long)r->seed);
    }
    if (r->run_count > 1) {
        sq_buf_puts(&b, "; numbers are medians (p50)");
    }
    plt_text_colour(t, PLT_BOLD);
    put_buf(t, &b, 0);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
}

static void put_verdicts(struct plt_text *t, const struct sq_result *r)
{
    if (r->verdict_count == 0) {
        return;
    }
    put_heading(t, "Expectations");
    for (size_t i = 0; i < r->verdict_count; i++) {
        const struct sq_verdict *v = &r->verdicts[i];
        struct sq_buf b = { 0 };
        bool bad = v->state == SQ_VERDICT_FAILED;
        plt_text_put(t, "  ");
        plt_text_colour(t, bad ? PLT_RED : v->state == SQ_VERDICT_PASSED ? PLT_GREEN : PLT_YELLOW);
        plt_text_put(t, sq_verdict_word(v));
        plt_text_colour(t, PLT_PLAIN);
        plt_text_to(t, 14);
        sq_verdict_put_title(v, &b);
        put_buf(t, &b, 14);
        plt_text_end(t);
        plt_text_to(t, 14);
        sq_verdict_put_figures(v, &b);
        put_buf(t, &b, 14);
        plt_text_end(t);
    }
    plt_text_end(t);
}

enum sq_status plt_page(const struct sq_result *r, const struct plt_term *term,
                        const char *const *files, size_t file_count, struct sq_buf *out)
{
    struct sq_buf page = { 0 };
    unsigned width = term->width == 0 ? 80 : term->width < 60 ? 60 : term->width;
    struct plt_text t = { &page, width > 200 ? 200 : width, term->colour, term->utf8, 0 };
    if (r->interrupted) {
        struct sq_buf b = { 0 };
        sq_buf_printf(&b,
                      "INTERRUPTED after %zu of %zu runs: what follows is of the finished ones.",
                      r->run_count, r->runs_wanted);
        put_buf(&t, &b, 0);
        plt_text_end(&t);
        plt_text_end(&t);
    }
    put_top(&t, r);
    plt_spark(&t, r);
    put_story(&t, r, find_summary(files, file_count));
    put_life(&t, r);
    put_result_heading(&t, r);
    plt_table(&t, r);
    put_verdicts(&t, r);
    for (size_t i = 0; i < r->remark_count; i++) {
        plt_text_put(&t, "Note: ");
        plt_text_wrap(&t, r->remarks[i], 6);
        plt_text_end(&t);
    }
    if (file_count > 0) {
        put_heading(&t, "Files");
    }
    for (size_t i = 0; i < file_count; i++) {
        plt_text_put(&t, "  ");
        plt_text_put(&t, files[i]); /* not broken, so that it can be copied */
        plt_text_end(&t);
    }
    if (!page.failed) {
        sq_buf_add(out, page.text, page.len);
    }
    bool failed = page.failed || out->failed;
    sq_buf_fini(&page);
    return failed ? SQ_NOMEM : SQ_OK;
}
