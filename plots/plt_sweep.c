/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_sweep.c - the cells of a sweep on a terminal. */
#include "plots/plt_sweep.h"

#include <math.h>
#include <string.h>

#include "plots/plt_rows.h"
#include "plots/plt_text.h"
#include "plots/plt_words.h"

enum { CELLS_SHOWN = 60, METRICS_SHOWN = 3, VALUE_MAX = 16, LABEL_MAX = 24 };

static const char collapse[] = "outcome.p_collapse";

struct pen {
    struct plt_text *t;
    const struct sq_grid *g;
    size_t metric_count; /* shown beside P(collapse) */
    const char *metrics[METRICS_SHOWN];
};

static void put_cell(struct pen *p, struct sq_buf *b, unsigned end)
{
    plt_text_right(p->t, b->failed || b->text == NULL ? "" : b->text, end);
    p->t->out->failed = p->t->out->failed || b->failed;
    sq_buf_fini(b);
}

/* ---- figures ---- */

static bool says_something(const struct sq_grid *g, const char *metric)
{
    for (size_t i = 0; i < g->cell_count; i++) {
        const struct sq_grid_row *r = sq_grid_find(&g->cells[i], metric);
        if (r != NULL && r->n > 0 && r->p50 != 0) {
            return true;
        }
    }
    return false;
}

/* Those that were asked for, or the times of the drain that say something. */
static void pick_metrics(struct pen *p)
{
    static const char *const usual[] = { "drain.queue_clear_s", "drain.healthy_s",
                                         "jobs.completed" };
    const struct sq_grid *g = p->g;
    for (size_t i = 0; i < g->metric_count && p->metric_count < METRICS_SHOWN; i++) {
        p->metrics[p->metric_count++] = g->metrics[i];
    }
    for (size_t i = 0; i < SQ_COUNT(usual) && g->metric_count == 0; i++) {
        if (says_something(g, usual[i])) {
            p->metrics[p->metric_count++] = usual[i];
        }
    }
}

/* What stands in a cell for a metric: the share of collapses, or a median. */
static void put_figure(struct sq_buf *b, const struct sq_grid_cell *c, const char *metric)
{
    const struct sq_grid_row *r = sq_grid_find(c, metric);
    if (!c->done) {
        sq_buf_puts(b, "?");
    } else if (r == NULL || r->n == 0) {
        sq_buf_puts(b, "-");
    } else if (strcmp(metric, collapse) == 0) {
        plt_put_percent(b, r->mean);
    } else {
        plt_put_in_unit(b, plt_unit_of(metric), r->p50);
    }
}

/* Green where it is sure to be rare, red where it is sure to be common. */
static enum plt_colour colour_of(const struct sq_grid_cell *c)
{
    const struct sq_grid_row *r = sq_grid_find(c, collapse);
    if (!c->done || r == NULL) {
        return PLT_FAINT;
    }
    return r->mean <= 0 ? PLT_GREEN : r->mean < 0.5 ? PLT_YELLOW : PLT_RED;
}

/* A text cut to so many columns. */
static void put_cut(struct sq_buf *b, const char *text, size_t most)
{
    size_t len = strlen(text);
    bool cut = len > most;
    sq_buf_printf(b, "%.*s%s", (int)(cut ? most - 2 : len), text, cut ? ".." : "");
}

/* ---- two keys: a map ---- */

static unsigned label_width(const struct sq_grid_key *k, size_t most)
{
    size_t width = 0;
    for (size_t i = 0; i < k->count; i++) {
        size_t len = strlen(k->values[i]) < most ? strlen(k->values[i]) : most;
        width = len > width ? len : width;
    }
    return (unsigned)width;
}

static unsigned column_width(const struct sq_grid_key *k)
{
    size_t width = 7;
    for (size_t i = 0; i < k->count; i++) {
        size_t len = strlen(k->values[i]) < VALUE_MAX ? strlen(k->values[i]) : VALUE_MAX;
        width = len > width ? len : width;
    }
    return (unsigned)width + 2;
}

static bool is_map(const struct pen *p)
{
    const struct sq_grid *g = p->g;
    return g->key_count == 2 && g->shards == 1 &&
           2 + label_width(&g->keys[0], LABEL_MAX) + column_width(&g->keys[1]) * g->keys[1].count <=
               p->t->width;
}

static void put_map(struct pen *p, const char *metric)
{
    const struct sq_grid *g = p->g;
    const struct sq_grid_key *down = &g->keys[0], *across = &g->keys[1];
    unsigned first = 2 + label_width(down, LABEL_MAX), width = column_width(across);
    struct sq_buf b = { 0 };
    bool shares = strcmp(metric, collapse) == 0;
    sq_buf_printf(&b, "%s by %s (down) and %s (across)", shares ? "P(collapse)" : metric,
                  down->name, across->name);
    sq_buf_puts(&b, shares ? "" : ", median");
    plt_text_line(p->t, &b, PLT_BOLD);
    for (size_t k = 0; k < across->count; k++) {
        put_cut(&b, across->values[k], VALUE_MAX);
        put_cell(p, &b, first + width * (unsigned)(k + 1));
    }
    plt_text_end(p->t);
    for (size_t i = 0; i < down->count; i++) {
        plt_text_put(p->t, "  ");
        put_cut(&b, down->values[i], LABEL_MAX);
        plt_text_put(p->t, b.failed ? "" : b.text);
        sq_buf_fini(&b);
        for (size_t k = 0; k < across->count; k++) {
            const struct sq_grid_cell *c = &g->cells[i * across->count + k];
            plt_text_colour(p->t, shares ? colour_of(c) : PLT_PLAIN);
            put_figure(&b, c, metric);
            put_cell(p, &b, first + width * (unsigned)(k + 1));
        }
        plt_text_colour(p->t, PLT_PLAIN);
        plt_text_end(p->t);
    }
    plt_text_end(p->t);
}

/* ---- a list ---- */

static void put_interval(struct sq_buf *b, const struct sq_grid_cell *c)
{
    const struct sq_grid_row *r = sq_grid_find(c, collapse);
    if (r != NULL) {
        sq_buf_number(b, floor(r->lo * 100 + 0.5), 3);
        sq_buf_putc(b, '-');
        sq_buf_number(b, floor(r->hi * 100 + 0.5), 3);
        sq_buf_puts(b, " %");
    }
}

static void put_list_head(struct pen *p, unsigned first)
{
    unsigned end = first;
    plt_text_colour(p->t, PLT_BOLD);
    plt_text_right(p->t, "P(collapse)", end += 13);
    plt_text_right(p->t, "95 %", end += 11);
    for (size_t m = 0; m < p->metric_count; m++) {
        struct sq_buf b = { 0 };
        const char *dot = strchr(p->metrics[m], '.');
        const char *name = dot != NULL && strlen(p->metrics[m]) > 18
                               ? strrchr(p->metrics[m], '.') + 1
                               : p->metrics[m];
        put_cut(&b, name, 18);
        put_cell(p, &b, end += 20);
    }
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
}

/* "a=1, b=2" of a cell, the keys by their last step. */
static void put_name(const struct sq_grid *g, size_t cell, struct sq_buf *b)
{
    for (size_t k = 0; k < g->key_count; k++) {
        const char *dot = strrchr(g->keys[k].name, '.');
        sq_buf_printf(b, "%s%s=", k > 0 ? ", " : "", dot != NULL ? dot + 1 : g->keys[k].name);
        put_cut(b, sq_grid_value(g, cell, k), VALUE_MAX);
    }
}

static unsigned name_width(struct pen *p)
{
    unsigned width = 0;
    for (size_t i = 0; i < p->g->cell_count && i < CELLS_SHOWN * p->g->shards; i++) {
        struct sq_buf b = { 0 };
        put_name(p->g, i, &b);
        unsigned own = b.failed ? 0 : plt_text_columns(p->t, b.text);
        width = own > width ? own : width;
        sq_buf_fini(&b);
    }
    return width;
}

static void put_list_row(struct pen *p, size_t cell, unsigned first)
{
    const struct sq_grid_cell *c = &p->g->cells[cell];
    struct sq_buf b = { 0 };
    unsigned end = first;
    plt_text_put(p->t, "  ");
    put_name(p->g, cell, &b);
    plt_text_put(p->t, b.failed ? "" : b.text);
    sq_buf_fini(&b);
    if (p->t->column > first) {
        plt_text_end(p->t); /* a long name has a line of its own */
    }
    plt_text_colour(p->t, colour_of(c));
    put_figure(&b, c, collapse);
    put_cell(p, &b, end += 13);
    plt_text_colour(p->t, PLT_PLAIN);
    put_interval(&b, c);
    put_cell(p, &b, end += 11);
    for (size_t m = 0; m < p->metric_count; m++) {
        put_figure(&b, c, p->metrics[m]);
        put_cell(p, &b, end += 20);
    }
    plt_text_end(p->t);
}

static void put_list(struct pen *p)
{
    const struct sq_grid *g = p->g;
    unsigned first = name_width(p) + 3;
    first = first < p->t->width / 2 ? first : p->t->width / 2;
    while (p->metric_count > 0 && first + 24 + 20 * p->metric_count > p->t->width) {
        p->metric_count--;
    }
    put_list_head(p, first);
    size_t shown = 0, own = 0;
    for (size_t i = 0; i < g->cell_count; i++) {
        if (!sq_grid_has(g, i)) {
            continue;
        }
        own++;
        if (shown < CELLS_SHOWN) {
            put_list_row(p, i, first);
            shown++;
        }
    }
    if (shown < own) {
        struct sq_buf b = { 0 };
        sq_buf_printf(&b, "  ... and %zu more cells: see the files", own - shown);
        plt_text_line(p->t, &b, PLT_PLAIN);
    }
    plt_text_end(p->t);
}

/* ---- the page ---- */

static void put_top(struct pen *p)
{
    const struct sq_grid *g = p->g;
    struct sq_buf b = { 0 };
    size_t done, own = sq_grid_own(g, &done);
    if (done < own) {
        sq_buf_printf(&b, "INTERRUPTED: %zu of %zu cells are finished.", done, own);
        plt_text_line(p->t, &b, PLT_YELLOW);
        plt_text_end(p->t);
    }
    sq_buf_printf(&b, "%s, variant %s: %zu cell%s, %lld run%s each, seed %llu", g->title,
                  g->variant, g->cell_count, g->cell_count == 1 ? "" : "s", (long long)g->runs,
                  g->runs == 1 ? "" : "s", (unsigned long long)g->seed);
    plt_text_line(p->t, &b, PLT_BOLD);
    if (g->shards > 1) {
        sq_buf_printf(&b, "Shard %zu of %zu: %zu cell%s. `squall merge` puts all shards together.",
                      g->shard, g->shards, own, own == 1 ? "" : "s");
        plt_text_line(p->t, &b, PLT_PLAIN);
    }
    plt_text_end(p->t);
}

enum sq_status plt_sweep(const struct sq_grid *g, const struct plt_term *term, const char *file,
                         const char *folder, struct sq_buf *out)
{
    struct sq_buf page = { 0 };
    unsigned width = term->width == 0 ? 80 : term->width < 60 ? 60 : term->width;
    struct plt_text t = { &page, width > 200 ? 200 : width, term->colour, term->utf8, 0 };
    struct pen p = { .t = &t, .g = g };
    put_top(&p);
    pick_metrics(&p);
    if (is_map(&p)) {
        put_map(&p, collapse);
        if (p.metric_count > 0) {
            put_map(&p, p.metrics[0]);
        }
    } else {
        put_list(&p);
    }
    plt_text_put(&t, "  ");
    plt_text_put(&t, file != NULL ? file : folder); /* not broken, so that it can be copied */
    plt_text_end(&t);
    if (!page.failed) {
        sq_buf_add(out, page.text, page.len);
    }
    bool failed = page.failed || out->failed;
    sq_buf_fini(&page);
    return failed ? SQ_NOMEM : SQ_OK;
}
