/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_comparison.c - a comparison as JSON and CSV. */
#include "sim/conf/sq_save_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/conf/sq_csv.h"

enum { FORMAT = 1, DIGITS = 9 };

static bool is_collapse(const char *metric)
{
    return strcmp(metric, "outcome.p_collapse") == 0;
}

/* ---- JSON ---- */

static void write_head(struct sq_json_writer *w, const struct sq_comparison *c)
{
    sq_json_open_object(w, "squall");
    sq_json_put_text(w, "version", c->version);
    sq_json_put_integer(w, "format", FORMAT);
    sq_json_close(w);
    sq_json_open_object(w, "comparison");
    sq_json_put_text(w, "title", c->title);
    sq_json_put_text(w, "file", sq_file_name(c->file));
    sq_json_put_seed(w, "seed", c->seed);
    sq_json_put_integer(w, "runs", (int64_t)c->run_count);
    sq_json_put_number(w, "duration_s", sq_time_to_s(c->duration_ns));
    sq_json_put_text(w, "first", c->variants[0].name);
    if (c->notes != NULL) {
        sq_json_put_text(w, "notes", c->notes);
    }
    sq_json_close(w);
    if (c->interrupted) {
        sq_json_put_bool(w, "interrupted", true);
        sq_json_put_integer(w, "runs_wanted", (int64_t)c->runs_wanted);
    }
    sq_json_put_text(w, "proof", c->proof);
}

static void write_pair(struct sq_json_writer *w, const char *key, double lo, double hi)
{
    sq_json_open_array(w, key);
    sq_json_put_number(w, NULL, lo);
    sq_json_put_number(w, NULL, hi);
    sq_json_close(w);
}

static void write_share(struct sq_json_writer *w, const struct sq_share *s, bool paired)
{
    sq_json_put_integer(w, "n", s->n);
    sq_json_put_number(w, "value", s->n > 0 ? (double)s->hits / (double)s->n : (double)NAN);
    write_pair(w, "wilson95", s->lo, s->hi);
    if (paired) {
        sq_json_open_object(w, "paired");
        sq_json_put_integer(w, "n", s->pairs);
        sq_json_put_integer(w, "only_here", s->only_here);
        sq_json_put_integer(w, "only_first", s->only_first);
        sq_json_put_number(w, "mcnemar_p", s->p);
        sq_json_close(w);
    }
}

static void write_ways(struct sq_json_writer *w, const struct sq_compared *one)
{
    if (one->margin_count > 0) {
        sq_json_open_array(w, "margins");
        for (size_t i = 0; i < one->margin_count; i++) {
            sq_json_put_text(w, NULL, one->margins[i]);
        }
        sq_json_close(w);
    }
    if (one->mode_count == 0) {
        return;
    }
    sq_json_open_array(w, "modes");
    for (size_t i = 0; i < one->mode_count; i++) {
        const struct sq_mode *mode = &one->modes[i];
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "text", mode->text);
        sq_json_put_integer(w, "runs", mode->runs);
        sq_json_put_integer(w, "replication", (int64_t)mode->example);
        sq_json_put_bool(w, "collapsed", mode->collapsed);
        sq_json_close(w);
    }
    sq_json_close(w);
}

static void write_variants(struct sq_json_writer *w, const struct sq_comparison *c)
{
    sq_json_open_array(w, "variants");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_compared *one = &c->variants[v];
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "name", one->name);
        sq_json_put_text(w, "hash", one->hash);
        sq_json_put_text(w, "verdict", one->verdict);
        sq_json_open_object(w, "collapse");
        write_share(w, &one->collapse, v > 0);
        sq_json_close(w);
        write_ways(w, one);
        sq_json_close(w);
    }
    sq_json_close(w);
}

static int by_word(const void *a, const void *b)
{
    const struct sq_word_count *x = a, *y = b;
    return strcmp(x->word, y->word);
}

static enum sq_status write_words(struct sq_json_writer *w, const struct sq_cell *cell)
{
    struct sq_word_count *words = sq_mem_alloc(cell->word_count, sizeof *words);
    if (words == NULL) {
        return SQ_NOMEM;
    }
    memcpy(words, cell->words, cell->word_count * sizeof *words);
    qsort(words, cell->word_count, sizeof *words, by_word);
    sq_json_open_object(w, "counts");
    for (size_t i = 0; i < cell->word_count; i++) {
        sq_json_put_integer(w, words[i].word, words[i].runs);
    }
    sq_json_close(w);
    sq_mem_free(words);
    return SQ_OK;
}

static void write_numbers(struct sq_json_writer *w, const struct sq_cell *cell, bool paired)
{
    const struct sq_spread *s = &cell->spread;
    sq_json_put_integer(w, "n", s->n);
    sq_json_put_number(w, "mean", s->mean);
    sq_json_put_number(w, "min", s->min);
    sq_json_put_number(w, "p10", s->p10);
    sq_json_put_number(w, "p50", s->p50);
    sq_json_put_number(w, "p90", s->p90);
    sq_json_put_number(w, "max", s->max);
    write_pair(w, "ci95", s->lo, s->hi);
    if (s->bimodal) {
        sq_json_put_bool(w, "bimodal", true);
    }
    if (paired) {
        sq_json_open_object(w, "paired");
        sq_json_put_integer(w, "n", cell->paired.n);
        sq_json_put_number(w, "mean", cell->paired.mean);
        write_pair(w, "ci95", cell->paired.lo, cell->paired.hi);
        sq_json_close(w);
    }
}

static enum sq_status write_cell(struct sq_json_writer *w, const struct sq_comparison *c,
                                 size_t variant, size_t metric)
{
    const struct sq_compared *one = &c->variants[variant];
    const struct sq_cell *cell = &one->cells[metric];
    enum sq_status status = SQ_OK;
    if (!cell->known) {
        return SQ_OK;
    }
    sq_json_open_object(w, one->name);
    if (is_collapse(c->metric_names[metric])) {
        write_share(w, &one->collapse, variant > 0);
    } else if (cell->word_count > 0) {
        status = write_words(w, cell);
    } else {
        write_numbers(w, cell, variant > 0);
    }
    sq_json_close(w);
    return status;
}

enum sq_status sq_save_comparison_json(const struct sq_comparison *c, struct sq_buf *out)
{
    struct sq_json_writer w = { 0 };
    enum sq_status status = SQ_OK;
    sq_json_open_object(&w, NULL);
    write_head(&w, c);
    write_variants(&w, c);
    sq_json_open_object(&w, "metrics");
    for (size_t m = 0; m < c->metric_count; m++) {
        sq_json_open_object(&w, c->metric_names[m]);
        for (size_t v = 0; v < c->variant_count && status == SQ_OK; v++) {
            status = write_cell(&w, c, v, m);
        }
        sq_json_close(&w);
    }
    sq_json_close(&w);
    sq_json_close(&w);
    if (status == SQ_OK) {
        status = sq_json_dump(&w, out);
    }
    sq_json_writer_fini(&w);
    return status;
}

/* ---- CSV ---- */

static const char *const csv_head[] = {
    "metric",    "variant",   "n",         "mean",       "min",       "p10",      "p50",
    "p90",       "max",       "ci95_lo",   "ci95_hi",    "bimodal",   "paired_n", "paired_mean",
    "paired_lo", "paired_hi", "only_here", "only_first", "mcnemar_p", "words",
};

static void put_number(struct sq_buf *out, double value)
{
    sq_buf_putc(out, ',');
    if (isfinite(value)) {
        sq_buf_number(out, value, DIGITS);
    }
}

static void put_numbers(struct sq_buf *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_number(out, values[i]);
    }
}

static void put_nothing(struct sq_buf *out, size_t cells)
{
    while (cells-- > 0) {
        sq_buf_putc(out, ',');
    }
}

/* n to words of a share; mean stands for it. */
static void put_share(struct sq_buf *out, const struct sq_share *s, bool paired)
{
    sq_buf_printf(out, ",%lld", (long long)s->n);
    put_number(out, s->n > 0 ? (double)s->hits / (double)s->n : (double)NAN);
    put_nothing(out, 5);
    put_number(out, s->lo);
    put_number(out, s->hi);
    if (!paired) {
        put_nothing(out, 9);
        return;
    }
    put_nothing(out, 1);
    sq_buf_printf(out, ",%lld,,,,%lld,%lld", (long long)s->pairs, (long long)s->only_here,
                  (long long)s->only_first);
    put_number(out, s->p);
    put_nothing(out, 1);
}

static void put_spread(struct sq_buf *out, const struct sq_cell *cell, bool paired)
{
    const struct sq_spread *s = &cell->spread;
    const struct sq_paired *p = &cell->paired;
    sq_buf_printf(out, ",%lld", (long long)s->n);
    put_numbers(
        out, (const double[]){ s->mean, s->min, s->p10, s->p50, s->p90, s->max, s->lo, s->hi }, 8);
    sq_buf_puts(out, s->bimodal ? ",yes" : ",");
    if (paired) {
        sq_buf_printf(out, ",%lld", (long long)p->n);
        put_numbers(out, (const double[]){ p->mean, p->lo, p->hi }, 3);
    } else {
        put_nothing(out, 4);
    }
    put_nothing(out, 4);
}

static void put_words(struct sq_buf *out, const struct sq_cell *cell)
{
    struct sq_buf words = { 0 };
    for (size_t i = 0; i < cell->word_count; i++) {
        sq_buf_printf(&words, "%s%s %lld", i > 0 ? "; " : "", cell->words[i].word,
                      (long long)cell->words[i].runs);
    }
    put_nothing(out, 17);
    out->failed = out->failed || words.failed;
    sq_csv_put(out, false, words.failed ? "" : words.text);
    sq_buf_fini(&words);
}

enum sq_status sq_save_comparison_csv(const struct sq_comparison *c, struct sq_buf *out)
{
    for (size_t i = 0; i < SQ_COUNT(csv_head); i++) {
        sq_csv_put(out, i == 0, csv_head[i]);
    }
    sq_buf_putc(out, '\n');
    for (size_t m = 0; m < c->metric_count; m++) {
        for (size_t v = 0; v < c->variant_count; v++) {
            const struct sq_cell *cell = &c->variants[v].cells[m];
            if (!cell->known) {
                continue;
            }
            sq_csv_put(out, true, c->metric_names[m]);
            sq_csv_put(out, false, c->variants[v].name);
            if (is_collapse(c->metric_names[m])) {
                put_share(out, &c->variants[v].collapse, v > 0);
            } else if (cell->word_count > 0) {
                put_words(out, cell);
            } else {
                put_spread(out, cell, v > 0);
            }
            sq_buf_putc(out, '\n');
        }
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}
