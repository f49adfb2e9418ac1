/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save.c - a finished result as files. summary.json is written last: where it stands, the others
 * do. timeline.csv, which may be large, is written as it is made. */
#include "sim/conf/sq_save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_histogram_file.h"
#include "sim/conf/sq_layers_json.h"
#include "sim/conf/sq_timeline_file.h"
#include "sim/core/sq_infer.h"
#include "sim/core/sq_seal.h"

enum { SUMMARY_FORMAT = 1, DIGITS = 9 };

enum sq_status sq_save_runs(const struct sq_result *r, struct sq_buf *out)
{
    sq_csv_put(out, true, "replication");
    for (size_t m = 0; m < r->metric_count; m++) {
        sq_csv_put(out, false, r->metric_names[m]);
    }
    sq_buf_putc(out, '\n');
    for (size_t k = 0; k < r->run_count; k++) {
        sq_buf_printf(out, "%llu", (unsigned long long)r->runs[k].replication);
        for (size_t m = 0; m < r->metric_count; m++) {
            const struct sq_value *v = &r->runs[k].values[m];
            sq_csv_put(out, false, v->word != NULL ? v->word : "");
            if (v->word == NULL && isfinite(v->number)) {
                sq_buf_number(out, v->number, DIGITS);
            }
        }
        sq_buf_putc(out, '\n');
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}

static void write_head(struct sq_json_writer *w, const struct sq_result *r)
{
    sq_json_open_object(w, "squall");
    sq_json_put_text(w, "version", r->version);
    sq_json_put_integer(w, "format", SUMMARY_FORMAT);
    sq_json_close(w);
    sq_json_open_object(w, "scenario");
    sq_json_put_text(w, "title", r->title);
    sq_json_put_text(w, "file", sq_file_name(r->file));
    sq_json_put_text(w, "variant", r->variant);
    sq_json_put_text(w, "hash", r->scenario_hash);
    sq_json_put_seed(w, "seed", r->seed);
    sq_json_put_integer(w, "runs", (int64_t)r->run_count);
    sq_json_put_number(w, "duration_s", sq_time_to_s(r->duration_ns));
    sq_json_close(w);
    if (r->model != NULL) {
        sq_json_put_text(w, "model", r->model);
    }
    if (r->interrupted) {
        sq_json_put_bool(w, "interrupted", true);
        sq_json_put_integer(w, "runs_wanted", (int64_t)r->runs_wanted);
    }
}

static void write_pair(struct sq_json_writer *w, const char *key, double lo, double hi)
{
    sq_json_open_array(w, key);
    sq_json_put_number(w, NULL, lo);
    sq_json_put_number(w, NULL, hi);
    sq_json_close(w);
}

/* A share of runs: the values are 0 and 1. */
static void write_share(struct sq_json_writer *w, const double *values, size_t count)
{
    int64_t n = 0;
    int64_t hits = 0;
    for (size_t k = 0; k < count; k++) {
        n += !isnan(values[k]);
        hits += values[k] > 0.5; /* false for NaN */
    }
    double lo;
    double hi;
    sq_infer_wilson(hits, n, &lo, &hi);
    sq_json_put_integer(w, "n", n);
    sq_json_put_number(w, "value", n == 0 ? (double)NAN : (double)hits / (double)n);
    write_pair(w, "wilson95", lo, hi);
}

static enum sq_status write_spread(struct sq_json_writer *w, const double *values, size_t count)
{
    struct sq_spread s;
    enum sq_status status = sq_infer_spread(values, count, &s);
    if (status != SQ_OK) {
        return status;
    }
    sq_json_put_integer(w, "n", s.n);
    sq_json_put_number(w, "mean", s.mean);
    sq_json_put_number(w, "min", s.min);
    sq_json_put_number(w, "p10", s.p10);
    sq_json_put_number(w, "p50", s.p50);
    sq_json_put_number(w, "p90", s.p90);
    sq_json_put_number(w, "max", s.max);
    write_pair(w, "ci95", s.lo, s.hi);
    if (s.bimodal) {
        sq_json_put_bool(w, "bimodal", true);
    }
    return SQ_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* {"counts": {word: runs}}, words in alphabetical order; runs in which it is null are left out. */
static enum sq_status write_words(struct sq_json_writer *w, const struct sq_result *r,
                                  size_t metric)
{
    const char **words = sq_mem_alloc(r->run_count, sizeof *words);
    if (words == NULL) {
        return SQ_NOMEM;
    }
    size_t count = 0;
    for (size_t k = 0; k < r->run_count; k++) {
        if (r->runs[k].values[metric].word != NULL) {
            words[count++] = r->runs[k].values[metric].word;
        }
    }
    qsort(words, count, sizeof *words, by_text);
    sq_json_open_object(w, "counts");
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(words[first], words[end]) == 0; end++) {
        }
        sq_json_put_integer(w, words[first], (int64_t)(end - first));
    }
    sq_json_close(w);
    sq_mem_free(words);
    return SQ_OK;
}

static bool has_words(const struct sq_result *r, size_t metric)
{
    for (size_t k = 0; k < r->run_count; k++) {
        if (r->runs[k].values[metric].word != NULL) {
            return true;
        }
    }
    return false;
}

/* `values` has room for one number per run. */
static enum sq_status write_metric(struct sq_json_writer *w, const struct sq_result *r,
                                   size_t metric, double *values)
{
    static const char share[] = "outcome.p_";
    if (has_words(r, metric)) {
        if (r->run_count > 1) {
            return write_words(w, r, metric);
        }
        sq_json_put_text(w, "value", r->runs[0].values[metric].word);
        return SQ_OK;
    }
    for (size_t k = 0; k < r->run_count; k++) {
        values[k] = r->runs[k].values[metric].number;
    }
    if (strncmp(r->metric_names[metric], share, sizeof share - 1) == 0) {
        write_share(w, values, r->run_count);
        return SQ_OK;
    }
    if (r->run_count != 1) {
        return write_spread(w, values, r->run_count);
    }
    sq_json_put_number(w, "value", values[0]);
    return SQ_OK;
}

static enum sq_status write_metrics(struct sq_json_writer *w, const struct sq_result *r)
{
    double *values = sq_mem_alloc(r->run_count + 1, sizeof *values);
    if (values == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = SQ_OK;
    sq_json_open_object(w, "metrics");
    for (size_t m = 0; m < r->metric_count && status == SQ_OK; m++) {
        sq_json_open_object(w, r->metric_names[m]);
        status = write_metric(w, r, m, values);
        sq_json_close(w);
    }
    sq_json_close(w);
    sq_mem_free(values);
    return status;
}

static void write_moments(struct sq_json_writer *w, const struct sq_result *r)
{
    sq_json_open_array(w, "moments");
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        sq_json_open_object(w, NULL);
        sq_json_put_number(w, "t_s", sq_time_to_s(m->at_ns));
        sq_json_put_text(w, "kind", sq_moment_word(m->kind));
        sq_json_put_text(w, "text", m->text);
        if (m->until_ns > m->at_ns) {
            bool ends = m->until_ns != SQ_NEVER;
            sq_json_put_number(w, "until_s", ends ? sq_time_to_s(m->until_ns) : (double)NAN);
        }
        if (m->entity != NULL) {
            sq_json_put_text(w, "entity", m->entity);
        }
        sq_json_close(w);
    }
    sq_json_close(w);
}

static void write_life(struct sq_json_writer *w, const struct sq_life *life)
{
    if (life->job == NULL) {
        return;
    }
    sq_json_open_object(w, "job");
    sq_json_put_text(w, "job", life->job);
    if (life->why != NULL) {
        sq_json_put_text(w, "why", life->why);
    }
    sq_json_open_array(w, "steps");
    for (size_t i = 0; i < life->step_count; i++) {
        sq_json_open_object(w, NULL);
        sq_json_put_number(w, "t_s", sq_time_to_s(life->steps[i].at_ns));
        sq_json_put_text(w, "text", life->steps[i].text);
        sq_json_close(w);
    }
    sq_json_close(w);
    sq_json_close(w);
}

static void write_side(struct sq_json_writer *w, const char *key, const struct sq_verdict_side *s)
{
    if (s->word != NULL) {
        sq_json_put_text(w, key, s->word);
    } else {
        sq_json_put_number(w, key, s->median);
    }
}

static void write_judged(struct sq_json_writer *w, const struct sq_verdict *v)
{
    sq_json_put_bool(w, "passed", v->state == SQ_VERDICT_PASSED);
    write_side(w, "observed", &v->observed);
    write_side(w, "limit", &v->limit);
    sq_json_put_number(w, "margin", v->margin);
    if (v->of_outcome) {
        sq_json_put_null(w, "runs_passed");
        return;
    }
    sq_json_put_integer(w, "runs", (int64_t)v->runs);
    sq_json_put_integer(w, "runs_passed", (int64_t)v->runs_passed);
    sq_json_put_integer(w, "runs_needed", (int64_t)v->runs_needed);
}

static void write_expect(struct sq_json_writer *w, const struct sq_result *r)
{
    sq_json_open_array(w, "expect");
    for (size_t i = 0; i < r->verdict_count; i++) {
        const struct sq_verdict *v = &r->verdicts[i];
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "that", v->that);
        sq_json_put_text(w, "variant", v->variant);
        if (v->when != NULL) {
            sq_json_put_text(w, "when", v->when);
        }
        sq_json_put_text(w, "severity", v->warns ? "warn" : "error");
        if (v->state == SQ_VERDICT_OPEN) {
            sq_json_put_null(w, "passed");
            sq_json_put_null(w, "observed");
            sq_json_put_text(w, "why", v->why);
        } else {
            write_judged(w, v);
        }
        sq_json_close(w);
    }
    sq_json_close(w);
}

enum sq_status sq_save_summary(const struct sq_result *r, struct sq_buf *out)
{
    struct sq_json_writer w = { 0 };
    sq_json_open_object(&w, NULL);
    write_head(&w, r);
    enum sq_status status = write_metrics(&w, r);
    write_moments(&w, r);
    write_life(&w, &r->life);
    sq_layers_write(&w, r);
    write_expect(&w, r);
    if (r->seals != NULL) {
        sq_seals_write(r->seals, &w);
    }
    sq_json_close(&w);
    if (status == SQ_OK) {
        status = sq_json_dump(&w, out);
    }
    sq_json_writer_fini(&w);
    return status;
}

static enum sq_status save_echo(const struct sq_result *r, struct sq_buf *out)
{
    SQ_ASSERT(r->echo != NULL);
    sq_buf_puts(out, r->echo);
    return out->failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status save_one(const char *folder, const char *name, const struct sq_buf *text,
                               struct sq_diag *diag)
{
    struct sq_buf path = { 0 };
    sq_buf_printf(&path, "%s/%s", folder, name);
    enum sq_status status =
        path.failed ? SQ_NOMEM : sq_file_write(path.text, text->text, text->len, diag);
    sq_buf_fini(&path);
    return status;
}

/* The texts that are made in memory before the first file is written; the summary is made last,
 * because it has the seals of all others. */
static const struct {
    const char *name;
    enum sq_status (*make)(const struct sq_result *r, struct sq_buf *out);
} texts[] = {
    { "scenario.yaml", save_echo },
    { "histograms.csv", sq_save_histograms },
    { "runs.csv", sq_save_runs },
};

enum { TEXTS = SQ_COUNT(texts) };

static enum sq_status make_texts(const struct sq_result *r, struct sq_buf made[TEXTS],
                                 struct sq_seals *seals)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < TEXTS && status == SQ_OK; i++) {
        status = texts[i].make(r, &made[i]);
        if (status == SQ_OK) {
            sq_seal_add(sq_seals_begin(seals, texts[i].name), made[i].text, made[i].len);
        }
    }
    return status;
}

static enum sq_status save_timeline(const struct sq_result *r, const char *folder,
                                    struct sq_seals *seals, struct sq_diag *diag)
{
    static const char name[] = "timeline.csv";
    struct sq_buf path = { 0 };
    sq_buf_printf(&path, "%s/%s", folder, name);
    enum sq_status status =
        path.failed ? SQ_NOMEM : sq_timeline_write(r, path.text, sq_seals_begin(seals, name), diag);
    sq_buf_fini(&path);
    return status;
}

static enum sq_status save_summary(const struct sq_result *r, const char *folder,
                                   const struct sq_seals *seals, struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    struct sq_result sealed = *r;
    sealed.seals = seals;
    enum sq_status status = sq_save_summary(&sealed, &text);
    status = status == SQ_OK ? save_one(folder, "summary.json", &text, diag) : status;
    sq_buf_fini(&text);
    return status;
}

enum sq_status sq_save_all(const struct sq_result *r, const char *folder, struct sq_diag *diag)
{
    struct sq_buf made[TEXTS] = { { 0 } };
    struct sq_seals seals = { 0 };
    enum sq_status status = make_texts(r, made, &seals);
    if (status == SQ_OK) {
        status = sq_file_folder(folder, diag);
    }
    if (status == SQ_OK) {
        sq_file_forget(folder, "summary.json");
        status = save_timeline(r, folder, &seals, diag);
    }
    for (size_t i = 0; i < TEXTS && status == SQ_OK; i++) {
        status = save_one(folder, texts[i].name, &made[i], diag);
    }
    if (status == SQ_OK) {
        status = save_summary(r, folder, &seals, diag);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        sq_buf_fini(&made[i]);
    }
    return status;
}
