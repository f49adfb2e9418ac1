/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outlook_rows.c - the outlook as a table on a terminal. */
#include "plots/plt_outlook.h"

#include "plots/plt_runs.h"
#include "plots/plt_words.h"

enum { NAIVE = 31, PLANNED = 47, SIMULATED = 59, WITH_BAND = 76 }; /* where columns end */

struct pen {
    struct plt_text *t;
    const struct plt_outlook *o;
    unsigned indent;
    bool *grouped;
};

static void put(struct pen *p, struct sq_buf *b, unsigned end)
{
    if (end > 0) {
        plt_text_right(p->t, b->failed ? "" : b->text, end);
    } else {
        plt_text_wrap(p->t, b->failed || b->text == NULL ? "" : b->text, p->indent + 2);
    }
    p->t->out->failed = p->t->out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_cell(struct pen *p, const struct sq_spread *s, const char *null, unsigned end)
{
    struct sq_buf b = { 0 };
    if (s->n == 0) {
        sq_buf_puts(&b, null);
    } else {
        plt_put_span(&b, s->p50);
        if (s->bimodal && p->o->runs > 1) {
            sq_buf_puts(&b, "*");
            *p->grouped = true;
        }
    }
    put(p, &b, end);
}

static void put_simulated_band(struct pen *p, const struct sq_spread *s)
{
    struct sq_buf b = { 0 };
    if (p->o->runs < 2 || s->n == 0) {
        return;
    }
    plt_put_band(&b, s);
    if (s->n < p->o->runs) {
        sq_buf_printf(&b, " (%lld of %lld)", (long long)s->n, (long long)p->o->runs);
    }
    if (p->t->column + 2 + b.len > p->t->width) {
        plt_text_end(p->t);
        plt_text_to(p->t, p->indent + 2);
        plt_text_put(p->t, "p10 to p90");
    }
    plt_text_put(p->t, "  ");
    plt_text_put(p->t, b.failed ? "" : b.text);
    p->t->out->failed = p->t->out->failed || b.failed;
    sq_buf_fini(&b);
}

/* Forecasts that are others in other runs, and whatever falls into two groups, unless the line of
 * the forecast tells that. */
static void put_spreads(struct pen *p, const struct plt_mark *m)
{
    const struct {
        const char *name;
        const struct sq_spread *s;
        bool band;
    } parts[] = { { "naive", &m->naive, true },
                  { "planned", &m->planned, true },
                  { "simulated", &m->simulated, false } };
    struct sq_buf b = { 0 };
    bool told = m == &p->o->marks[0] && plt_has_branches(p->o);
    for (size_t i = 0; i < SQ_COUNT(parts) && p->o->runs > 1; i++) {
        const struct sq_spread *s = parts[i].s;
        bool band = parts[i].band && s->n > 0 && !plt_is_narrow(s);
        if ((!s->bimodal || (told && s == &m->simulated)) && !band) {
            continue;
        }
        sq_buf_printf(&b, "%s%s ", b.len > 0 ? "; " : "", parts[i].name);
        if (s->bimodal) {
            plt_put_groups(&b, s, p->o->runs);
        } else {
            plt_put_band(&b, s);
        }
    }
    if (b.len > 0 || b.failed) {
        plt_text_to(p->t, p->indent + 2);
        put(p, &b, 0);
        plt_text_end(p->t);
    }
    sq_buf_fini(&b);
}

void plt_outlook_head(struct plt_text *t, const char *title, const struct plt_outlook *o)
{
    plt_text_colour(t, PLT_BOLD);
    plt_text_put(t, title);
    if (t->column + 7 > NAIVE) { /* no room beside it */
        plt_text_end(t);
    }
    plt_text_right(t, "naive", NAIVE);
    plt_text_right(t, "planned", PLANNED);
    plt_text_right(t, o->by, SIMULATED);
    plt_text_put(t, o->runs > 1 && t->width >= WITH_BAND ? "  p10 to p90" : "");
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
}

void plt_outlook_rows(struct plt_text *t, const struct plt_outlook *o, unsigned indent,
                      bool *grouped)
{
    struct pen p = { t, o, indent, grouped };
    for (size_t i = 0; i < PLT_MARKS; i++) {
        const struct plt_mark *m = &o->marks[i];
        if (!m->known) {
            continue;
        }
        plt_text_to(t, indent);
        plt_text_put(t, m->label);
        put_cell(&p, &m->naive, m->has_naive ? plt_no_naive(o) : "-", NAIVE);
        put_cell(&p, &m->planned, m->has_planned ? plt_no_plan(o) : "-", PLANNED);
        put_cell(&p, &m->simulated, m->not_simulated, SIMULATED);
        put_simulated_band(&p, &m->simulated);
        plt_text_end(t);
        put_spreads(&p, m);
    }
}
