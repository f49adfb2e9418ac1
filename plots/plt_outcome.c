/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outcome.c - the lines a result leads with. */
#include "plots/plt_outcome.h"

#include <math.h>
#include <string.h>

#include "plots/plt_words.h"

struct pen {
    struct plt_text *t;
    const struct sq_result *r;
    bool *grouped;
};

bool plt_spread(struct plt_text *t, const struct sq_result *r, const char *name,
                struct sq_spread *out)
{
    long at = sq_result_metric(r, name);
    if (at < 0 || r->run_count == 0) {
        return false;
    }
    double *values = sq_mem_alloc(r->run_count, sizeof *values);
    if (values == NULL) {
        t->out->failed = true;
        return false;
    }
    for (size_t i = 0; i < r->run_count; i++) {
        values[i] = r->runs[i].values[at].number;
    }
    bool fine = sq_infer_spread(values, r->run_count, out) == SQ_OK;
    sq_mem_free(values);
    t->out->failed = t->out->failed || !fine;
    return fine;
}

static void put_collapse(struct pen *p)
{
    int64_t hits = 0;
    double lo = 0, hi = 1;
    if (!plt_collapsed_runs(p->r, &hits)) {
        return;
    }
    const int64_t n = (int64_t)p->r->run_count;
    struct sq_buf b = { 0 };
    plt_text_put(p->t, "  P(collapse)      ");
    if (n == 1) {
        sq_buf_puts(&b, hits > 0 ? "this run collapsed" : "this run did not collapse");
        sq_buf_puts(&b, " (one run is not a probability: --runs 20 gives one)");
    } else {
        sq_infer_wilson(hits, n, &lo, &hi);
        plt_put_percent(&b, (double)hits / (double)n);
        sq_buf_printf(&b, ": %lld of %lld runs (95 %% interval ", (long long)hits, (long long)n);
        plt_put_percent(&b, lo);
        sq_buf_puts(&b, " to ");
        plt_put_percent(&b, hi);
        sq_buf_puts(&b, ")");
    }
    plt_text_colour(p->t, hits > 0 ? PLT_RED : PLT_GREEN);
    plt_text_wrap(p->t, b.failed ? "" : b.text, 19);
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    p->t->out->failed = p->t->out->failed || b.failed;
    sq_buf_fini(&b);
}

/* "clears in 18, stalled in 2 of 20 runs"; the first run alone: "clears". */
static void put_state(struct pen *p)
{
    static const char *const states[] = { "clears", "stalled", "will not drain" };
    struct sq_buf b = { 0 };
    for (size_t s = 0; s < SQ_COUNT(states); s++) {
        size_t count = 0;
        for (size_t i = 0; i < p->r->run_count; i++) {
            const char *word = plt_word(p->r, i, "drain.state");
            count += word != NULL && strcmp(word, states[s]) == 0 ? 1 : 0;
        }
        if (count > 0) {
            sq_buf_printf(&b, "%s%s", b.len > 0 ? ", " : "", states[s]);
        }
        if (count > 0 && p->r->run_count > 1) {
            sq_buf_printf(&b, " in %zu", count);
        }
    }
    if (b.len > 0 && p->r->run_count > 1) {
        sq_buf_printf(&b, " of %zu runs", p->r->run_count);
    }
    if (b.len > 0 && !b.failed) {
        plt_text_put(p->t, "  Backlog          ");
        plt_text_wrap(p->t, b.text, 19);
        plt_text_end(p->t);
    }
    sq_buf_fini(&b);
}

struct drain {
    const char *label, *naive, *planned, *simulated;
};

static void put_drain_cell(struct pen *p, const char *metric, const char *null, unsigned end)
{
    struct sq_spread spread;
    struct sq_buf b = { 0 };
    if (metric == NULL || !plt_spread(p->t, p->r, metric, &spread)) {
        sq_buf_puts(&b, "-");
    } else if (spread.n == 0) {
        sq_buf_puts(&b, null);
    } else {
        plt_put_span(&b, spread.p50);
        if (spread.bimodal && p->r->run_count > 1) {
            sq_buf_puts(&b, "*");
            *p->grouped = true;
        }
    }
    plt_text_right(p->t, b.failed ? "" : b.text, end);
    p->t->out->failed = p->t->out->failed || b.failed;
    sq_buf_fini(&b);
}

static void put_drain_range(struct pen *p, const char *metric)
{
    struct sq_spread spread;
    if (p->r->run_count < 2 || !plt_spread(p->t, p->r, metric, &spread) || spread.n == 0) {
        return;
    }
    struct sq_buf b = { 0 };
    plt_put_span(&b, spread.p10);
    sq_buf_puts(&b, " to ");
    plt_put_span(&b, spread.p90);
    if (spread.n < (int64_t)p->r->run_count) {
        sq_buf_printf(&b, " (%lld of %zu)", (long long)spread.n, p->r->run_count);
    }
    if (p->t->column + 2 + b.len > p->t->width) {
        plt_text_end(p->t);
        plt_text_put(p->t, "    p10 to p90");
    }
    plt_text_put(p->t, "  ");
    plt_text_put(p->t, b.failed ? "" : b.text);
    p->t->out->failed = p->t->out->failed || b.failed;
    sq_buf_fini(&b);
}

static void put_drain(struct pen *p)
{
    static const struct drain rows[] = {
        { "queue clear", "forecast.naive_s", "forecast.planned_s", "drain.queue_clear_s" },
        { "last affected job", NULL, "forecast.planned_last_job_s", "drain.last_job_s" },
        { "healthy for good", NULL, NULL, "drain.healthy_s" },
    };
    if (plt_moment(p->r, SQ_MOMENT_T1) == NULL) {
        return;
    }
    plt_text_end(p->t);
    plt_text_colour(p->t, PLT_BOLD);
    plt_text_put(p->t, "  After recovery (T1)");
    plt_text_right(p->t, "naive", 31);
    plt_text_right(p->t, "planned", 47);
    plt_text_right(p->t, "simulated", 59);
    plt_text_put(p->t, p->r->run_count > 1 && p->t->width >= 76 ? "  p10 to p90" : "");
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        if (sq_result_metric(p->r, rows[i].simulated) < 0) {
            continue;
        }
        plt_text_put(p->t, "  ");
        plt_text_put(p->t, rows[i].label);
        put_drain_cell(p, rows[i].naive, plt_no_forecast(p->r), 31);
        put_drain_cell(p, rows[i].planned, plt_no_forecast(p->r), 47);
        put_drain_cell(p, rows[i].simulated, "never", 59);
        put_drain_range(p, rows[i].simulated);
        plt_text_end(p->t);
    }
}

void plt_outcome(struct plt_text *t, const struct sq_result *r, bool *grouped)
{
    struct pen p = { t, r, grouped };
    put_collapse(&p);
    put_state(&p);
    put_drain(&p);
}
