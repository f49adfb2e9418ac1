/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load.c - the files of a run back into a result. */
#include "sim/conf/sq_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_doc.h"
#include "sim/conf/sq_json_of_ours.h"
#include "sim/conf/sq_layers_json.h"
#include "sim/core/sq_seal.h"

/* What is being read, and where complaints go. */
struct loader {
    struct sq_result *r;
    struct sq_diag *diag;
    const char *path; /* of the file at hand */
    bool failed;      /* out of memory */
};

static enum sq_status wrong(struct loader *l, const char *what)
{
    return sq_diag_error(l->diag, (struct sq_where){ .file = l->path }, NULL, NULL, "%s", what);
}

static const char *keep(struct loader *l, const char *text)
{
    char *copy = text == NULL ? NULL : sq_arena_text(&l->r->arena, text, strlen(text));
    l->failed = l->failed || (text != NULL && copy == NULL);
    return copy;
}

/* ---- summary.json ---- */

/* A whole number from 0 on, or SIZE_MAX. */
static size_t whole(const struct sq_json *v)
{
    double number = sq_json_number(v);
    bool fine = number >= 0 && number <= 9007199254740992.0 && floor(number) == number;
    return fine ? (size_t)number : SIZE_MAX;
}

static enum sq_status take_head(struct loader *l, const struct sq_json *root)
{
    struct sq_result *r = l->r;
    const struct sq_json *s = sq_json_get(root, "scenario");
    bool seeded = sq_json_seed(sq_json_get(s, "seed"), &r->seed);
    size_t runs = whole(sq_json_get(s, "runs"));
    double duration = sq_json_number(sq_json_get(s, "duration_s"));
    r->version = keep(l, sq_json_text(sq_json_get(sq_json_get(root, "squall"), "version")));
    r->title = keep(l, sq_json_text(sq_json_get(s, "title")));
    r->file = keep(l, sq_json_text(sq_json_get(s, "file")));
    r->variant = keep(l, sq_json_text(sq_json_get(s, "variant")));
    r->model = keep(l, sq_json_text(sq_json_get(root, "model")));
    r->scenario_hash = keep(l, sq_json_text(sq_json_get(s, "hash")));
    if (r->version == NULL || r->variant == NULL || r->scenario_hash == NULL || !seeded ||
        runs == SIZE_MAX || !(duration >= 0)) {
        return l->failed ? SQ_NOMEM : wrong(l, "`scenario` is not complete");
    }
    r->run_count = runs;
    r->duration_ns = sq_time_from_s(duration);
    r->interrupted = sq_json_true(sq_json_get(root, "interrupted"));
    size_t wanted = whole(sq_json_get(root, "runs_wanted"));
    r->runs_wanted = wanted != SIZE_MAX && wanted > runs ? wanted : runs;
    return SQ_OK;
}

static enum sq_status take_moment(struct loader *l, const struct sq_json *from,
                                  struct sq_moment *to)
{
    const char *kind = sq_json_text(sq_json_get(from, "kind"));
    double at = sq_json_number(sq_json_get(from, "t_s"));
    const struct sq_json *until = sq_json_get(from, "until_s");
    if (kind == NULL || !sq_moment_kind(kind, &to->kind) || !(at >= 0)) {
        return wrong(l, "a moment has no time or an unknown kind");
    }
    to->at_ns = to->until_ns = sq_time_from_s(at);
    if (until != NULL) { /* null: it never ends */
        double until_s = sq_json_number(until);
        to->until_ns = isnan(until_s) ? SQ_NEVER : sq_time_from_s(until_s);
    }
    to->text = keep(l, sq_json_text(sq_json_get(from, "text")));
    to->entity = keep(l, sq_json_text(sq_json_get(from, "entity")));
    return SQ_OK;
}

static enum sq_status take_moments(struct loader *l, const struct sq_json *root)
{
    const struct sq_json *list = sq_json_get(root, "moments");
    size_t count = sq_json_count(list);
    struct sq_result *r = l->r;
    enum sq_status status = SQ_OK;
    r->moments = sq_arena_alloc(&r->arena, count + 1, sizeof *r->moments);
    for (size_t i = 0; r->moments != NULL && i < count && status == SQ_OK; i++) {
        status = take_moment(l, sq_json_at(list, i), &r->moments[i]);
        r->moment_count = i + 1;
    }
    return r->moments == NULL ? SQ_NOMEM : status;
}

static enum sq_status take_life(struct loader *l, const struct sq_json *root)
{
    const struct sq_json *from = sq_json_get(root, "job"), *list = sq_json_get(from, "steps");
    struct sq_life *life = &l->r->life;
    size_t count = sq_json_count(list);
    life->job = keep(l, sq_json_text(sq_json_get(from, "job")));
    life->why = keep(l, sq_json_text(sq_json_get(from, "why")));
    life->steps = sq_arena_alloc(&l->r->arena, count + 1, sizeof *life->steps);
    for (size_t i = 0; life->steps != NULL && i < count; i++) {
        const struct sq_json *step = sq_json_at(list, i);
        double at = sq_json_number(sq_json_get(step, "t_s"));
        const char *text = sq_json_text(sq_json_get(step, "text"));
        if (text == NULL || !(at >= 0)) {
            return wrong(l, "a step of the job has no time or no text");
        }
        life->steps[i] = (struct sq_life_step){ sq_time_from_s(at), keep(l, text) };
        life->step_count = i + 1;
    }
    return life->steps == NULL ? SQ_NOMEM : SQ_OK;
}

/* Whether a side's number is one of seconds or a share is not told in the file. */
static void take_side(struct loader *l, const struct sq_json *v, struct sq_verdict_side *out)
{
    double number = sq_json_number(v);
    *out = (struct sq_verdict_side){ .median = number, .min = number, .max = number };
    out->word = keep(l, sq_json_text(v));
    out->word_kinds = 1;
}

static enum sq_status take_verdict(struct loader *l, const struct sq_json *from,
                                   struct sq_verdict *to)
{
    const struct sq_json *passed = sq_json_get(from, "passed");
    const char *severity = sq_json_text(sq_json_get(from, "severity"));
    size_t runs = whole(sq_json_get(from, "runs")), good = whole(sq_json_get(from, "runs_passed"));
    size_t needed = whole(sq_json_get(from, "runs_needed"));
    to->that = keep(l, sq_json_text(sq_json_get(from, "that")));
    to->variant = keep(l, sq_json_text(sq_json_get(from, "variant")));
    to->when = keep(l, sq_json_text(sq_json_get(from, "when")));
    to->why = keep(l, sq_json_text(sq_json_get(from, "why")));
    to->warns = severity != NULL && strcmp(severity, "warn") == 0;
    to->state = SQ_VERDICT_OPEN;
    if (sq_json_kind(passed) == SQ_JSON_BOOL) {
        to->state = sq_json_true(passed) ? SQ_VERDICT_PASSED : SQ_VERDICT_FAILED;
    }
    take_side(l, sq_json_get(from, "observed"), &to->observed);
    take_side(l, sq_json_get(from, "limit"), &to->limit);
    to->margin = to->margin_worst = sq_json_number(sq_json_get(from, "margin"));
    to->of_outcome = runs == SIZE_MAX || good == SIZE_MAX || needed == SIZE_MAX;
    to->runs = to->of_outcome ? 1 : runs;
    to->runs_passed = to->of_outcome ? to->state == SQ_VERDICT_PASSED : good;
    to->runs_needed = to->of_outcome ? 1 : needed;
    bool told = to->state != SQ_VERDICT_OPEN || to->why != NULL;
    return to->that != NULL && to->variant != NULL && told ? SQ_OK
                                                           : wrong(l, "`expect` is not complete");
}

static enum sq_status take_verdicts(struct loader *l, const struct sq_json *root)
{
    const struct sq_json *list = sq_json_get(root, "expect");
    size_t count = sq_json_count(list);
    struct sq_result *r = l->r;
    enum sq_status status = SQ_OK;
    r->verdicts = sq_arena_alloc(&r->arena, count + 1, sizeof *r->verdicts);
    for (size_t i = 0; r->verdicts != NULL && i < count && status == SQ_OK; i++) {
        status = take_verdict(l, sq_json_at(list, i), &r->verdicts[i]);
        r->verdict_count = i + 1;
    }
    return r->verdicts == NULL ? SQ_NOMEM : status;
}

static enum sq_status take_seals(struct loader *l, const struct sq_json *root)
{
    struct sq_seals *seals = sq_arena_alloc(&l->r->arena, 1, sizeof *seals);
    if (seals == NULL) {
        return SQ_NOMEM;
    }
    l->r->seals = seals;
    return sq_seals_read(seals, root) ? SQ_OK : wrong(l, "`files` is not complete");
}

/* ---- runs.csv ---- */

/* Words are counted in the summary; a single run has the word itself. */
static bool is_word(const struct sq_json *root, const char *metric)
{
    const struct sq_json *of = sq_json_get(sq_json_get(root, "metrics"), metric);
    return sq_json_get(of, "counts") != NULL || sq_json_text(sq_json_get(of, "value")) != NULL;
}

static enum sq_status take_run(struct loader *l, const struct sq_csv_row *row, const bool *words,
                               struct sq_run *out)
{
    struct sq_result *r = l->r;
    int64_t replication = 0;
    struct sq_where where = { .file = l->path, .line = row->line };
    out->values = sq_arena_alloc(&r->arena, r->metric_count + 1, sizeof *out->values);
    if (out->values == NULL) {
        return SQ_NOMEM;
    }
    const char *bad = sq_unit_count(row->cells[0], &replication);
    out->replication = (uint64_t)replication;
    for (size_t m = 0; m < r->metric_count && bad == NULL; m++) {
        const char *cell = row->cells[m + 1];
        out->values[m] =
            (struct sq_value){ (double)NAN, words[m] && cell[0] != '\0' ? keep(l, cell) : NULL };
        if (!words[m] && cell[0] != '\0') {
            bad = sq_unit_number(cell, &out->values[m].number);
        }
    }
    return bad == NULL ? SQ_OK : sq_diag_error(l->diag, where, NULL, NULL, "a number %s", bad);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Metrics are looked up by name, and are keys of summary.json: no two are called alike. */
static enum sq_status check_names(struct loader *l)
{
    size_t count = l->r->metric_count;
    const char **sorted = sq_mem_alloc(count + 1, sizeof *sorted);
    if (sorted == NULL) {
        return SQ_NOMEM;
    }
    memcpy(sorted, l->r->metric_names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    enum sq_status status = SQ_OK;
    for (size_t m = 1; m < count && status == SQ_OK; m++) {
        if (strcmp(sorted[m - 1], sorted[m]) == 0) {
            status = sq_diag_error(l->diag, (struct sq_where){ .file = l->path, .line = 1 },
                                   sorted[m], NULL, "this metric has two columns");
        }
    }
    sq_mem_free(sorted);
    return status;
}

static enum sq_status take_runs(struct loader *l, const struct sq_csv *csv,
                                const struct sq_json *root)
{
    struct sq_result *r = l->r;
    if (csv->count != r->run_count || csv->header.count < 1 ||
        strcmp(csv->header.cells[0], "replication") != 0) {
        return wrong(l, "its rows are not the runs of summary.json");
    }
    r->metric_count = csv->header.count - 1;
    r->metric_names = csv->header.cells + 1;
    r->runs = sq_arena_alloc(&r->arena, r->run_count + 1, sizeof *r->runs);
    bool *words = sq_arena_alloc(&r->arena, r->metric_count + 1, sizeof *words);
    enum sq_status status = r->runs != NULL && words != NULL ? check_names(l) : SQ_NOMEM;
    for (size_t m = 0; m < r->metric_count && status == SQ_OK; m++) {
        words[m] = is_word(root, r->metric_names[m]);
    }
    for (size_t k = 0; k < r->run_count && status == SQ_OK; k++) {
        status = take_run(l, &csv->rows[k], words, &r->runs[k]);
    }
    return status;
}

static enum sq_status read_runs(struct loader *l, const struct sq_json *root)
{
    struct sq_buf text = { 0 };
    struct sq_csv csv = { 0 };
    enum sq_status status = sq_file_read(l->path, SQ_MAX_CSV_BYTES, &text, l->diag);
    if (status == SQ_OK) {
        status = sq_csv_parse_own(l->path, &text, &l->r->arena, l->diag, &csv);
    }
    status = status == SQ_OK ? take_runs(l, &csv, root) : status;
    status = status == SQ_OK ? sq_seals_check(l->r->seals, l->path, &text, l->diag) : status;
    sq_buf_fini(&text);
    return status;
}

/* ---- scenario.yaml ---- */

static enum sq_status read_scenario(struct loader *l)
{
    struct sq_buf text = { 0 };
    struct sq_node *root = NULL;
    enum sq_status status = sq_file_read(l->path, SQ_MAX_SCENARIO_BYTES, &text, l->diag);
    if (status == SQ_OK) {
        l->r->echo = keep(l, text.text != NULL ? text.text : "");
        status = sq_doc_parse(l->path, text.text != NULL ? text.text : "", text.len, &l->r->arena,
                              l->diag, &root);
    }
    status = status == SQ_OK ? sq_seals_check(l->r->seals, l->path, &text, l->diag) : status;
    sq_buf_fini(&text);
    if (status != SQ_OK) {
        return status;
    }
    const struct sq_node *notes = root->kind == SQ_NODE_MAP ? sq_node_get(root, "notes") : NULL;
    if (notes != NULL && notes->kind == SQ_NODE_SCALAR && !sq_node_is_null(notes)) {
        l->r->notes = notes->text;
    }
    return SQ_OK;
}

/* ---- a result ---- */

static enum sq_status take_summary(struct loader *l, const struct sq_json *root,
                                   const char *const paths[])
{
    enum sq_status status = take_head(l, root);
    if (status == SQ_OK) {
        status = take_moments(l, root);
    }
    if (status == SQ_OK) {
        status = take_life(l, root);
    }
    if (status == SQ_OK) {
        status = sq_layers_read(l->r, root);
        status = status == SQ_USER ? wrong(l, "`layers` is not complete") : status;
    }
    if (status == SQ_OK) {
        status = take_verdicts(l, root);
    }
    if (status == SQ_OK) {
        status = take_seals(l, root);
    }
    if (status == SQ_OK) {
        l->path = paths[1];
        status = read_runs(l, root);
    }
    if (status == SQ_OK) {
        l->path = paths[2];
        status = read_scenario(l);
    }
    return status == SQ_OK && l->failed ? SQ_NOMEM : status;
}

enum sq_status sq_load_result(const char *folder, struct sq_result *out, struct sq_diag *diag)
{
    static const char *const names[] = { "summary.json", "runs.csv", "scenario.yaml" };
    const char *paths[SQ_COUNT(names)];
    struct sq_json *root = NULL;
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        paths[i] = sq_arena_printf(&out->arena, "%s/%s", folder, names[i]);
        if (paths[i] == NULL) {
            return SQ_NOMEM;
        }
    }
    enum sq_status status = sq_json_of_ours(paths[0], diag, &root);
    if (status == SQ_OK) {
        struct loader l = { .r = out, .diag = diag, .path = paths[0] };
        status = take_summary(&l, root, paths);
        sq_json_free(root);
    }
    return status;
}
