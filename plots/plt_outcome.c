/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outcome.c - the lines a result leads with. */
#include "plots/plt_outcome.h"

#include "plots/plt_outlook.h"
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

/* Nothing when there is nothing to say. */
static void put_line(struct pen *p, const char *label, struct sq_buf *b)
{
    if (b->len > 0 && !b->failed) {
        plt_text_put(p->t, label);
        plt_text_wrap(p->t, b->text, 19);
        plt_text_end(p->t);
    }
    p->t->out->failed = p->t->out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_drain(struct pen *p)
{
    struct plt_outlook o;
    struct sq_buf b = { 0 };
    plt_outlook_of_result(&o, p->r, &p->t->out->failed);
    plt_put_drain_states(&b, &o);
    put_line(p, "  Backlog          ", &b);
    plt_put_forecast(&b, &o);
    put_line(p, "  Forecast at T1   ", &b);
    if (plt_moment(p->r, SQ_MOMENT_T1) != NULL) {
        plt_text_end(p->t);
        plt_outlook_head(p->t, "  After recovery (T1)", &o);
        plt_outlook_rows(p->t, &o, 2, p->grouped);
    }
}

void plt_outcome(struct plt_text *t, const struct sq_result *r, bool *grouped)
{
    struct pen p = { t, r, grouped };
    put_collapse(&p);
    put_drain(&p);
}
