/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_compare.c - variants side by side on a terminal. */
#include "plots/plt_compare.h"

#include <string.h>

#include "plots/plt_outlook.h"
#include "plots/plt_rows.h"
#include "plots/plt_text.h"

enum { CELL = 40, NAME_COLUMNS = 14, LABEL_COLUMNS = 26 };

struct pen {
    struct plt_text *t;
    const struct sq_comparison *c;
    bool marked; /* a median of two groups of runs was printed */
    bool part;   /* a number is of some of the runs only */
};

static void put_buf(struct pen *p, struct sq_buf *b, unsigned indent)
{
    plt_text_wrap(p->t, b->text != NULL && !b->failed ? b->text : "", indent);
    p->t->out->failed = p->t->out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_heading(struct pen *p, const char *text)
{
    plt_text_colour(p->t, PLT_BOLD);
    plt_text_wrap(p->t, text, 0);
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
}

/* ---- a table of texts ---- */

/* Cells row by row, before it is known how wide their columns are. The first columns of the
 * terminal hold the labels, which are borrowed. */
struct sheet {
    size_t rows, columns;
    const char **labels;
    const char **heads;
    char (*cells)[CELL];
    bool *faint;
};

static void sheet_fini(struct sheet *s)
{
    sq_mem_free(s->labels);
    sq_mem_free(s->heads);
    sq_mem_free(s->cells);
    sq_mem_free(s->faint);
}

static bool sheet_init(struct sheet *s, size_t rows, size_t columns)
{
    *s = (struct sheet){ .rows = rows, .columns = columns };
    s->labels = sq_mem_alloc(rows + 1, sizeof *s->labels);
    s->heads = sq_mem_alloc(columns + 1, sizeof *s->heads);
    s->cells = sq_mem_alloc(rows * columns + 1, sizeof *s->cells);
    s->faint = sq_mem_alloc(rows * columns + 1, sizeof *s->faint);
    return s->labels != NULL && s->heads != NULL && s->cells != NULL && s->faint != NULL;
}

/* Takes the text of a cell out of `b`. */
static void sheet_set(struct pen *p, struct sheet *s, size_t cell, struct sq_buf *b)
{
    if (b->failed || b->len >= CELL) {
        p->t->out->failed = true;
    } else {
        memcpy(s->cells[cell], b->text != NULL ? b->text : "", b->len);
        p->part = p->part || strchr(s->cells[cell], '(') != NULL;
    }
    sq_buf_fini(b);
}

/* A name too long for a column, cut. */
static void put_head(struct pen *p, const char *name, unsigned end)
{
    struct sq_buf b = { 0 };
    size_t len = strlen(name);
    bool cut = len > NAME_COLUMNS;
    sq_buf_printf(&b, "%.*s%s", cut ? NAME_COLUMNS - 2 : (int)len, name, cut ? ".." : "");
    plt_text_right(p->t, b.failed ? "" : b.text, end);
    p->t->out->failed = p->t->out->failed || b.failed;
    sq_buf_fini(&b);
}

static unsigned column_width(const struct pen *p, const struct sheet *s, size_t column)
{
    unsigned width = (unsigned)strlen(s->heads[column]);
    width = width < NAME_COLUMNS ? width : NAME_COLUMNS;
    for (size_t r = 0; r < s->rows; r++) {
        unsigned cell = plt_text_columns(p->t, s->cells[r * s->columns + column]);
        width = cell > width ? cell : width;
    }
    return width + 2;
}

static void put_row(struct pen *p, const struct sheet *s, size_t row, size_t from, size_t after,
                    unsigned end)
{
    for (size_t k = from; k < after; k++) {
        bool faint = s->faint[row * s->columns + k];
        end += column_width(p, s, k);
        plt_text_colour(p->t, faint ? PLT_FAINT : PLT_PLAIN);
        plt_text_right(p->t, s->cells[row * s->columns + k], end);
    }
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
}

/* As many variants side by side as fit, the rest below. */
static void put_sheet(struct pen *p, const struct sheet *s)
{
    unsigned first = 0;
    for (size_t r = 0; r < s->rows; r++) {
        unsigned label = plt_text_columns(p->t, s->labels[r]) + 2;
        first = label > first ? label : first;
    }
    first = first < LABEL_COLUMNS ? first : LABEL_COLUMNS;
    for (size_t from = 0, after; from < s->columns; from = after) {
        unsigned end = first;
        for (after = from; after < s->columns; after++) {
            unsigned width = column_width(p, s, after);
            if (after > from && end + width > p->t->width) {
                break;
            }
            end += width;
        }
        plt_text_colour(p->t, PLT_BOLD);
        end = first;
        for (size_t k = from; k < after; k++) {
            end += column_width(p, s, k);
            put_head(p, s->heads[k], end);
        }
        plt_text_colour(p->t, PLT_PLAIN);
        plt_text_end(p->t);
        for (size_t r = 0; r < s->rows; r++) {
            plt_text_put(p->t, "  ");
            plt_text_put(p->t, s->labels[r]);
            if (p->t->column > first && s->labels[r][0] != '\0') {
                plt_text_end(p->t);
            }
            put_row(p, s, r, from, after, first);
        }
        plt_text_end(p->t);
    }
}

/* ---- the two tables ---- */

static void put_medians(struct pen *p, const struct plt_rows *rows)
{
    const struct sq_comparison *c = p->c;
    struct sheet s;
    const size_t extra = c->run_count > 1 ? 2 : 1; /* rows of P(collapse) */
    if (!sheet_init(&s, rows->count + extra, c->variant_count)) {
        p->t->out->failed = true;
    }
    for (size_t v = 0; v < c->variant_count && !p->t->out->failed; v++) {
        struct sq_buf b = { 0 };
        s.heads[v] = c->variants[v].name;
        plt_put_share(&b, &c->variants[v].collapse);
        sheet_set(p, &s, v, &b);
        if (extra > 1) {
            plt_put_share_range(&b, &c->variants[v].collapse);
            sheet_set(p, &s, s.columns + v, &b);
        }
        for (size_t r = 0; r < rows->count; r++) {
            plt_put_cell(&b, c, v, &rows->list[r], &p->marked);
            sheet_set(p, &s, (r + extra) * s.columns + v, &b);
        }
    }
    if (!p->t->out->failed) {
        s.labels[0] = c->run_count > 1 ? "P(collapse)" : "collapsed";
        s.labels[extra - 1] = extra > 1 ? "  95 % interval" : s.labels[0];
        for (size_t r = 0; r < rows->count; r++) {
            s.labels[r + extra] = rows->list[r].label;
        }
        put_sheet(p, &s);
    }
    sheet_fini(&s);
}

static bool has_difference(const struct sq_comparison *c, const struct plt_row *row)
{
    for (size_t v = 1; v < c->variant_count; v++) {
        const struct sq_paired *d = &c->variants[v].cells[row->metric].paired;
        if (d->n > 0 && (d->mean != 0 || d->lo != d->hi)) {
            return true;
        }
    }
    return false;
}

static void fill_differences(struct pen *p, struct sheet *s, const struct plt_rows *rows)
{
    for (size_t v = 1; v < p->c->variant_count; v++) {
        s->heads[v - 1] = p->c->variants[v].name;
    }
    for (size_t r = 0; r < rows->count; r++) {
        s->labels[r] = rows->list[r].label;
        for (size_t v = 1; v < p->c->variant_count; v++) {
            struct sq_buf b = { 0 };
            size_t cell = r * s->columns + v - 1;
            plt_put_difference(&b, p->c, v, &rows->list[r]);
            sheet_set(p, s, cell, &b);
            s->faint[cell] =
                plt_may_be_chance(&p->c->variants[v].cells[rows->list[r].metric].paired);
        }
    }
}

static void put_differences(struct pen *p, const struct plt_rows *all)
{
    struct plt_rows rows = { 0 };
    struct sheet s;
    for (size_t r = 0; r < all->count; r++) {
        if (!all->list[r].words && has_difference(p->c, &all->list[r])) {
            rows.list[rows.count++] = all->list[r];
        }
    }
    if (rows.count == 0) {
        return;
    }
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "Difference to %s on the same luck: mean of the pairs of runs",
                  p->c->variants[0].name);
    sq_buf_puts(&b, p->c->run_count > 1 ? ", 95 % interval" : "");
    plt_text_colour(p->t, PLT_BOLD);
    put_buf(p, &b, 0);
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    if (sheet_init(&s, rows.count, p->c->variant_count - 1)) {
        fill_differences(p, &s, &rows);
        put_sheet(p, &s);
    } else {
        p->t->out->failed = true;
    }
    sheet_fini(&s);
}

/* ---- the page ---- */

static void put_top(struct pen *p)
{
    const struct sq_comparison *c = p->c;
    struct sq_buf b = { 0 };
    if (c->interrupted) {
        sq_buf_printf(&b,
                      "INTERRUPTED after %zu of %zu runs: what follows is of the finished ones.",
                      c->run_count, c->runs_wanted);
        plt_text_colour(p->t, PLT_YELLOW);
        put_buf(p, &b, 0);
        plt_text_colour(p->t, PLT_PLAIN);
        plt_text_end(p->t);
        plt_text_end(p->t);
    }
    sq_buf_printf(&b, "%s: %zu variants on the same luck, %zu run%s each, seed %llu",
                  c->title != NULL && c->title[0] != '\0' ? c->title : "Untitled scenario",
                  c->variant_count, c->run_count, c->run_count == 1 ? "" : "s",
                  (unsigned long long)c->seed);
    plt_text_colour(p->t, PLT_BOLD);
    put_buf(p, &b, 0);
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    plt_put_headline(&b, c);
    sq_buf_puts(&b, ".");
    put_buf(p, &b, 0);
    plt_text_end(p->t);
    plt_text_end(p->t);
}

static void put_verdicts(struct pen *p)
{
    put_heading(p, "Verdicts");
    for (size_t v = 0; v < p->c->variant_count; v++) {
        const struct sq_compared *one = &p->c->variants[v];
        struct sq_buf b = { 0 };
        sq_buf_printf(&b, "%s: %s.", one->name, one->verdict);
        plt_text_put(p->t, "  ");
        plt_text_colour(p->t, one->collapse.hits > 0 ? PLT_RED : PLT_GREEN);
        put_buf(p, &b, 4);
        plt_text_colour(p->t, PLT_PLAIN);
        plt_text_end(p->t);
        for (size_t m = 0; m < one->margin_count; m++) {
            plt_text_to(p->t, 4);
            plt_text_wrap(p->t, one->margins[m], 4);
            plt_text_end(p->t);
        }
    }
    plt_text_end(p->t);
}

/* A variant whose runs came out in more than one way: each way by itself. */
static void put_modes(struct pen *p)
{
    bool begun = false;
    for (size_t v = 0; v < p->c->variant_count; v++) {
        const struct sq_compared *one = &p->c->variants[v];
        for (size_t m = 0; m < one->mode_count; m++) {
            const struct sq_mode *mode = &one->modes[m];
            struct sq_buf b = { 0 };
            if (!begun) {
                put_heading(p, "Ways in which it came out");
                begun = true;
            }
            sq_buf_printf(&b, "%s, ", one->name);
            plt_put_mode(&b, p->c, mode);
            sq_buf_putc(&b, '.');
            plt_text_put(p->t, "  ");
            plt_text_colour(p->t, mode->collapsed ? PLT_RED : PLT_GREEN);
            put_buf(p, &b, 4);
            plt_text_colour(p->t, PLT_PLAIN);
            plt_text_end(p->t);
        }
    }
    if (begun) {
        plt_text_end(p->t);
    }
}

/* What was forecast at T1, and what came: variants that have a backlog to speak of. */
static void put_outlooks(struct pen *p)
{
    bool begun = false;
    for (size_t v = 0; v < p->c->variant_count && p->c->chosen_count == 0; v++) {
        struct plt_outlook o;
        struct sq_buf b = { 0 };
        plt_outlook_of_variant(&o, p->c, v);
        if (!plt_outlook_says(&o)) {
            continue;
        }
        if (!begun) {
            plt_outlook_head(p->t, "Backlog from T1 on", &o);
            begun = true;
        }
        sq_buf_printf(&b, "%s: ", p->c->variants[v].name);
        plt_put_drain_states(&b, &o);
        if (plt_has_forecast(&o)) {
            sq_buf_puts(&b, o.drain_count > 0 ? "; the forecast: " : "the forecast: ");
            plt_put_forecast(&b, &o);
        }
        plt_text_put(p->t, "  ");
        put_buf(p, &b, 4);
        plt_text_end(p->t);
        plt_outlook_rows(p->t, &o, 4, &p->marked);
    }
    if (begun) {
        plt_text_end(p->t);
    }
}

static void put_judged(struct pen *p, const struct sq_verdict *v)
{
    struct sq_buf b = { 0 };
    plt_text_put(p->t, "  ");
    plt_text_colour(p->t, v->state == SQ_VERDICT_FAILED && !v->warns ? PLT_RED : PLT_YELLOW);
    plt_text_put(p->t, sq_verdict_word(v));
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_to(p->t, 14);
    sq_buf_printf(&b, "%s: ", v->variant);
    sq_verdict_put_title(v, &b);
    put_buf(p, &b, 14);
    plt_text_end(p->t);
    plt_text_to(p->t, 14);
    sq_verdict_put_figures(v, &b);
    put_buf(p, &b, 14);
    plt_text_end(p->t);
}

/* Those that hold are counted, the others told. */
static void put_expectations(struct pen *p)
{
    const struct sq_comparison *c = p->c;
    size_t count = 0, passed = 0;
    for (size_t v = 0; v < c->variant_count; v++) {
        for (size_t i = 0; i < c->variants[v].judged_count; i++) {
            passed += c->variants[v].judged[i].state == SQ_VERDICT_PASSED;
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "Expectations: %zu of %zu hold", passed, count);
    plt_text_colour(p->t, PLT_BOLD);
    put_buf(p, &b, 0);
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
    for (size_t v = 0; v < c->variant_count; v++) {
        for (size_t i = 0; i < c->variants[v].judged_count; i++) {
            if (c->variants[v].judged[i].state != SQ_VERDICT_PASSED) {
                put_judged(p, &c->variants[v].judged[i]);
            }
        }
    }
    plt_text_end(p->t);
}

static void put_notes(struct pen *p)
{
    if (p->marked) {
        plt_text_put(p->t, "* ");
        plt_text_wrap(p->t,
                      "The runs fall into two groups, so this median is a state that few runs are "
                      "in: see the runs.csv of the variant.",
                      2);
        plt_text_end(p->t);
    }
    if (p->part) {
        plt_text_wrap(p->t, "(n): only so many runs, or pairs of runs, have a value.", 2);
        plt_text_end(p->t);
    }
    plt_text_wrap(p->t, p->c->proof, 0);
    plt_text_end(p->t);
}

enum sq_status plt_compare(const struct sq_comparison *c, const struct plt_term *term,
                           const char *const *files, size_t file_count, struct sq_buf *out)
{
    struct sq_buf page = { 0 };
    unsigned width = term->width == 0 ? 80 : term->width < 60 ? 60 : term->width;
    struct plt_text t = { &page, width > 200 ? 200 : width, term->colour, term->utf8, 0 };
    struct pen p = { .t = &t, .c = c };
    struct plt_rows *rows = sq_mem_alloc(1, sizeof *rows);
    if (rows == NULL) {
        return SQ_NOMEM;
    }
    plt_rows_pick(rows, c);
    put_top(&p);
    put_verdicts(&p);
    put_modes(&p);
    put_outlooks(&p);
    put_heading(&p, c->run_count > 1 ? "Medians (p50) over the runs" : "The one run");
    put_medians(&p, rows);
    put_differences(&p, rows);
    put_expectations(&p);
    put_notes(&p);
    if (file_count > 0) {
        plt_text_end(&t);
        put_heading(&p, "Files");
    }
    for (size_t i = 0; i < file_count; i++) {
        plt_text_put(&t, "  ");
        plt_text_put(&t, files[i]); /* not broken, so that it can be copied */
        plt_text_end(&t);
    }
    sq_mem_free(rows);
    if (!page.failed) {
        sq_buf_add(out, page.text, page.len);
    }
    bool failed = page.failed || out->failed;
    sq_buf_fini(&page);
    return failed ? SQ_NOMEM : SQ_OK;
}
