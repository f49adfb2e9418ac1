/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_limits.c - a search for a limit on a terminal. */
#include "plots/plt_limits.h"

#include <math.h>
#include <string.h>

#include "plots/plt_text.h"
#include "plots/plt_words.h"

enum { BAR = 20 };

struct pen {
    struct plt_text *t;
    const struct sq_limits *l;
};

/* ---- the answer ---- */

static void put_found(struct sq_buf *b, const struct sq_way *way, const char *until)
{
    const struct sq_tipping *t = &way->tipping;
    const char *holds = sq_tipping_holds(t)->text, *fails = sq_tipping_fails(t)->text;
    if (way->kind == SQ_WAY_LIMIT && t->holds_low) {
        sq_buf_printf(b, "%s holds up to %s and fails at %s.", until, holds, fails);
    } else if (way->kind == SQ_WAY_LIMIT) {
        sq_buf_printf(b, "%s fails up to %s and holds from %s on.", until, fails, holds);
    } else if (way->kind == SQ_WAY_FALLS) {
        sq_buf_printf(b, "A healthy system stands %s and falls at %s.", holds, fails);
    } else {
        sq_buf_printf(b, "A fallen one comes back at %s and does not yet at %s.", holds, fails);
    }
}

static void put_answer(struct pen *p, const struct sq_way *way)
{
    const struct sq_limits *l = p->l;
    struct sq_buf b = { 0 };
    if (way->tipping.state == SQ_TIPPING_FOUND) {
        put_found(&b, way, l->until);
    } else if (way->kind == SQ_WAY_RETURNS) {
        bool back = way->tipping.state == SQ_TIPPING_ALWAYS;
        sq_buf_printf(&b, "A fallen one comes back at %s of the range.",
                      back ? "every value" : "no value");
    } else {
        bool holds = way->tipping.state == SQ_TIPPING_ALWAYS;
        sq_buf_printf(&b, "No limit from %s to %s: %s %s at every value tried. Try a wider range.",
                      l->lo, l->hi, l->until, holds ? "holds" : "fails");
    }
    plt_text_line(p->t, &b, PLT_BOLD);
}

/* Both ways: what lies between. */
static void put_hysteresis(struct pen *p)
{
    const struct sq_tipping *falls = &p->l->ways[0].tipping, *back = &p->l->ways[1].tipping;
    if (falls->state != SQ_TIPPING_FOUND || back->state != SQ_TIPPING_FOUND) {
        return;
    }
    struct sq_buf b = { 0 };
    const struct sq_trial *stands = sq_tipping_holds(falls), *returns = sq_tipping_holds(back);
    double gap = (stands->value - returns->value) / stands->value;
    gap = falls->holds_low ? gap : -gap;
    if (gap > 0.02) {
        sq_buf_printf(&b, "Between %s and %s it stays what it was, well or fallen: after a fall ",
                      returns->text, stands->text);
        sq_buf_printf(&b, "go back to %s, ", returns->text);
        plt_put_percent(&b, gap);
        sq_buf_puts(&b, " short of where it fell.");
    } else {
        sq_buf_puts(&b, "It comes back where it falls: there is no hysteresis.");
    }
    plt_text_line(p->t, &b, PLT_PLAIN);
}

static void put_margin(struct pen *p, const struct sq_way *way)
{
    const struct sq_limits *l = p->l;
    double margin = l->own != NULL ? sq_tipping_margin(&way->tipping, l->own_value) : (double)NAN;
    if (isnan(margin)) {
        return;
    }
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "Margin: the file's own %s lies ", l->own);
    if (margin < 0) {
        plt_put_percent(&b, -margin);
        sq_buf_puts(&b, " beyond the limit.");
    } else if (margin == 0) {
        sq_buf_puts(&b, "at the limit.");
    } else {
        plt_put_percent(&b, margin);
        sq_buf_puts(&b, " inside the limit.");
    }
    plt_text_line(p->t, &b, margin < 0 ? PLT_RED : PLT_PLAIN);
}

static void put_monotone(struct pen *p, const struct sq_tipping *t)
{
    struct sq_buf b = { 0 };
    if (t->state != SQ_TIPPING_FOUND) {
        return;
    }
    if (t->switches == 1 && t->against == 0) {
        sq_buf_printf(&b, "Monotone as far as %zu values show: the answer changes once.", t->count);
        plt_text_line(p->t, &b, PLT_PLAIN);
        return;
    }
    sq_buf_puts(&b, "NOT MONOTONE: ");
    if (t->switches > 1) {
        sq_buf_printf(&b,
                      "along the values the answer changes %zu times, so this limit is the edge of "
                      "one part of the range; see the table.",
                      t->switches);
    } else {
        sq_buf_printf(&b,
                      "in %zu pair%s of values the share goes the wrong way by more than "
                      "chance; see the table.",
                      t->against, t->against == 1 ? "" : "s");
    }
    plt_text_line(p->t, &b, PLT_YELLOW);
}

/* ---- the table ---- */

static void put_cell(struct pen *p, struct sq_buf *b, unsigned end)
{
    plt_text_right(p->t, b->failed || b->text == NULL ? "" : b->text, end);
    p->t->out->failed = p->t->out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_range(struct sq_buf *b, double lo, double hi)
{
    sq_buf_number(b, floor(lo * 100 + 0.5), 3);
    sq_buf_putc(b, '-');
    sq_buf_number(b, floor(hi * 100 + 0.5), 3);
    sq_buf_puts(b, " %");
}

static void put_trial(struct pen *p, const struct sq_tipping *t, const struct sq_trial *r)
{
    struct sq_buf b = { 0 };
    size_t hits = t->of_outcome ? r->collapsed : r->held;
    double lo = t->of_outcome ? r->collapsed_lo : r->held_lo;
    double hi = t->of_outcome ? r->collapsed_hi : r->held_hi;
    plt_text_colour(p->t, r->holds ? PLT_GREEN : PLT_RED);
    sq_buf_puts(&b, r->text);
    put_cell(p, &b, 16);
    sq_buf_puts(&b, r->holds ? "holds" : "fails");
    put_cell(p, &b, 23);
    plt_text_colour(p->t, PLT_PLAIN);
    sq_buf_printf(&b, "%zu of %zu", hits, r->runs);
    put_cell(p, &b, 34);
    put_range(&b, lo, hi);
    put_cell(p, &b, 45);
    plt_text_put(p->t, "  ");
    size_t full = (hits * BAR + r->runs / 2) / r->runs;
    for (size_t i = 0; i < BAR; i++) {
        plt_text_put(p->t, i < full ? "#" : ".");
    }
    if (!t->of_outcome) {
        sq_buf_number(&b, r->observed, 4);
        put_cell(p, &b, 78);
    }
    plt_text_end(p->t);
}

static void put_table(struct pen *p, const struct sq_way *way)
{
    const struct sq_tipping *t = &way->tipping;
    struct sq_buf b = { 0 };
    plt_text_end(p->t);
    plt_text_colour(p->t, PLT_BOLD);
    sq_buf_puts(&b, way->kind == SQ_WAY_LIMIT   ? "value"
                    : way->kind == SQ_WAY_FALLS ? "raised to"
                                                : "back to");
    put_cell(p, &b, 16);
    plt_text_right(p->t, t->of_outcome ? "collapsed" : "runs", 34);
    plt_text_right(p->t, "95 %", 45);
    if (!t->of_outcome) {
        plt_text_right(p->t, "observed", 78);
    }
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    for (size_t i = 0; i < t->count; i++) {
        put_trial(p, t, &t->trials[i]);
    }
}

/* ---- the page ---- */

static void put_top(struct pen *p)
{
    const struct sq_limits *l = p->l;
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s, variant %s: the limit of %s, %zu run%s per value, seed %llu", l->title,
                  l->variant, l->key, l->runs, l->runs == 1 ? "" : "s",
                  (unsigned long long)l->seed);
    plt_text_line(p->t, &b, PLT_BOLD);
    sq_buf_printf(&b, "Until: %s", l->until);
    if (l->in < 1) {
        sq_buf_puts(&b, ", in ");
        plt_put_percent(&b, l->in);
        sq_buf_puts(&b, " of the runs");
    }
    if (l->way_count > 1) {
        sq_buf_printf(&b, ". A run begins well at %s, or fallen at %s; at ", l->start_well,
                      l->start_fallen);
        plt_put_clock(&b, l->switch_ns, false);
        sq_buf_puts(&b, " the key changes");
    }
    plt_text_line(p->t, &b, PLT_PLAIN);
    plt_text_end(p->t);
}

enum sq_status plt_limits(const struct sq_limits *l, const struct plt_term *term, const char *file,
                          struct sq_buf *out)
{
    struct sq_buf page = { 0 };
    unsigned width = term->width == 0 ? 80 : term->width < 60 ? 60 : term->width;
    struct plt_text t = { &page, width > 200 ? 200 : width, term->colour, term->utf8, 0 };
    struct pen p = { &t, l };
    put_top(&p);
    for (size_t i = 0; i < l->way_count; i++) {
        put_answer(&p, &l->ways[i]);
    }
    if (l->way_count > 1) {
        put_hysteresis(&p);
    }
    put_margin(&p, &l->ways[0]);
    for (size_t i = 0; i < l->way_count; i++) {
        put_monotone(&p, &l->ways[i].tipping);
    }
    for (size_t i = 0; i < l->way_count; i++) {
        put_table(&p, &l->ways[i]);
    }
    if (file != NULL) {
        plt_text_end(&t);
        plt_text_put(&t, "  ");
        plt_text_put(&t, file); /* not broken, so that it can be copied */
        plt_text_end(&t);
    }
    if (!page.failed) {
        sq_buf_add(out, page.text, page.len);
    }
    bool failed = page.failed || out->failed;
    sq_buf_fini(&page);
    return failed ? SQ_NOMEM : SQ_OK;
}
