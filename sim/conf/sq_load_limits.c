/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_limits.c - reads limits.json and limits.csv. */
#include "sim/conf/sq_load_limits.h"

#include <math.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_json_of_ours.h"
#include "sim/core/sq_seal.h"

struct reader {
    struct sq_limits *l;
    struct sq_diag *diag;
    const char *path;
    struct sq_csv csv;
    const struct sq_csv_row *row;
    struct sq_seals seals;
    bool failed, bad; /* out of memory; something is no number */
};

static enum sq_status wrong(struct reader *in, const char *what)
{
    uint32_t line = in->row != NULL ? in->row->line : 0;
    return sq_diag_error(in->diag, (struct sq_where){ .file = in->path, .line = line }, NULL, NULL,
                         "%s", what);
}

static const char *keep(struct reader *in, const char *text)
{
    char *copy = text == NULL ? NULL : sq_arena_text(&in->l->arena, text, strlen(text));
    in->failed = in->failed || (text != NULL && copy == NULL);
    return copy;
}

/* ---- limits.json ---- */

static enum sq_status take_head(struct reader *in, const struct sq_json *root)
{
    struct sq_limits *l = in->l;
    const struct sq_json *h = sq_json_get(root, "limits");
    bool seeded = sq_json_seed(sq_json_get(h, "seed"), &l->seed);
    double runs = sq_json_number(sq_json_get(h, "runs"));
    l->version = keep(in, sq_json_text(sq_json_get(sq_json_get(root, "squall"), "version")));
    l->title = keep(in, sq_json_text(sq_json_get(h, "title")));
    l->file = keep(in, sq_json_text(sq_json_get(h, "file")));
    l->variant = keep(in, sq_json_text(sq_json_get(h, "variant")));
    l->scenario_hash = keep(in, sq_json_text(sq_json_get(h, "hash")));
    l->key = keep(in, sq_json_text(sq_json_get(h, "key")));
    l->unit = keep(in, sq_json_text(sq_json_get(h, "unit")));
    l->until = keep(in, sq_json_text(sq_json_get(h, "until")));
    l->in = sq_json_number(sq_json_get(h, "in"));
    l->unit_value = 1;
    if (l->key == NULL || l->unit == NULL || l->until == NULL || !seeded || !(runs >= 1)) {
        return in->failed ? SQ_NOMEM : wrong(in, "`limits` is not complete");
    }
    l->runs = (size_t)fmin(runs, 1e9);
    return in->failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status read_head(struct reader *in, const char *folder)
{
    struct sq_json *root = NULL;
    in->path = sq_arena_printf(&in->l->arena, "%s/limits.json", folder);
    enum sq_status status =
        in->path != NULL ? sq_json_of_ours(in->path, in->diag, &root) : SQ_NOMEM;
    status = status == SQ_OK ? take_head(in, root) : status;
    if (status == SQ_OK && !sq_seals_read(&in->seals, root)) {
        status = wrong(in, "`files` is not complete");
    }
    sq_json_free(root);
    return status;
}

/* ---- limits.csv ---- */

static const char *cell(const struct reader *in, const char *column)
{
    int k = sq_csv_column(&in->csv, column);
    return k >= 0 ? in->row->cells[k] : "";
}

static double number(struct reader *in, const char *column)
{
    const char *text = cell(in, column);
    double value = NAN;
    in->bad = in->bad || (text[0] != '\0' && sq_unit_number(text, &value) != NULL);
    return value;
}

static size_t count(struct reader *in, const char *column)
{
    double value = number(in, column);
    in->bad = in->bad || !(value >= 0 && value <= 1e9);
    return in->bad ? 0 : (size_t)value;
}

static bool way_kind(const char *word, enum sq_way_kind *out)
{
    for (int k = SQ_WAY_LIMIT; k <= SQ_WAY_RETURNS; k++) {
        if (strcmp(word, sq_way_word((enum sq_way_kind)k)) == 0) {
            *out = (enum sq_way_kind)k;
            return true;
        }
    }
    return false;
}

/* The way that a row belongs to: a word that was not there before starts the next one. */
static struct sq_way *take_way(struct reader *in)
{
    struct sq_limits *l = in->l;
    enum sq_way_kind kind;
    if (!way_kind(cell(in, "way"), &kind)) {
        return NULL;
    }
    if (l->way_count > 0 && l->ways[l->way_count - 1].kind == kind) {
        return &l->ways[l->way_count - 1];
    }
    if (l->way_count == SQ_COUNT(l->ways)) {
        return NULL;
    }
    struct sq_way *way = &l->ways[l->way_count++];
    way->kind = kind;
    way->tipping.state = SQ_TIPPING_NEVER;
    way->tipping.trials = sq_arena_alloc(&l->arena, in->csv.count, sizeof *way->tipping.trials);
    in->failed = in->failed || way->tipping.trials == NULL;
    return in->failed ? NULL : way;
}

/* The first edge is the lower one of the two. */
static void take_edge(struct reader *in, struct sq_tipping *t, size_t at)
{
    const char *edge = cell(in, "edge");
    if (edge[0] != '\0' && t->state != SQ_TIPPING_FOUND) {
        t->state = SQ_TIPPING_FOUND;
        t->below = at;
        t->holds_low = strcmp(edge, "holds") == 0;
    }
}

static enum sq_status take_row(struct reader *in)
{
    struct sq_way *way = take_way(in);
    if (way == NULL) {
        return in->failed ? SQ_NOMEM : wrong(in, "`way` is not one of limit, falls and returns");
    }
    struct sq_tipping *t = &way->tipping;
    t->trials[t->count] = (struct sq_trial){
        .value = number(in, "value"),
        .text = keep(in, cell(in, "text")),
        .holds = strcmp(cell(in, "holds"), "yes") == 0,
        .runs = count(in, "runs"),
        .held = count(in, "held"),
        .collapsed = count(in, "collapsed"),
        .held_lo = number(in, "held_lo"),
        .held_hi = number(in, "held_hi"),
        .collapsed_lo = number(in, "collapsed_lo"),
        .collapsed_hi = number(in, "collapsed_hi"),
        .observed = number(in, "observed"),
    };
    take_edge(in, t, t->count);
    bool complete = isfinite(t->trials[t->count].value) && t->trials[t->count].runs > 0;
    t->count++;
    if (in->bad || !complete) {
        return wrong(in, "a cell is no number");
    }
    return in->failed ? SQ_NOMEM : SQ_OK;
}

/* An edge on the last row alone would be none: the limit lies between two. */
static enum sq_status check_ways(struct reader *in)
{
    for (size_t i = 0; i < in->l->way_count; i++) {
        struct sq_tipping *t = &in->l->ways[i].tipping;
        in->row = NULL;
        if (t->state == SQ_TIPPING_FOUND && t->below + 1 >= t->count) {
            return wrong(in, "`edge` marks one value, not two");
        }
        if (t->state != SQ_TIPPING_FOUND && t->trials[0].holds) {
            t->state = SQ_TIPPING_ALWAYS;
        }
    }
    return SQ_OK;
}

static enum sq_status read_rows(struct reader *in, const char *folder)
{
    struct sq_arena scratch = { 0 };
    struct sq_buf text = { 0 };
    in->path = sq_arena_printf(&in->l->arena, "%s/limits.csv", folder);
    enum sq_status status =
        in->path != NULL ? sq_file_read(in->path, SQ_MAX_CSV_BYTES, &text, in->diag) : SQ_NOMEM;
    status =
        status == SQ_OK ? sq_csv_parse_own(in->path, &text, &scratch, in->diag, &in->csv) : status;
    for (size_t i = 0; i < in->csv.count && status == SQ_OK; i++) {
        in->row = &in->csv.rows[i];
        status = take_row(in);
    }
    status = status == SQ_OK ? check_ways(in) : status;
    status = status == SQ_OK ? sq_seals_check(&in->seals, in->path, &text, in->diag) : status;
    sq_buf_fini(&text);
    sq_arena_fini(&scratch);
    return status;
}

enum sq_status sq_load_limits(const char *folder, struct sq_limits *out, struct sq_diag *diag)
{
    *out = (struct sq_limits){ 0 };
    struct reader in = { .l = out, .diag = diag };
    enum sq_status status = read_head(&in, folder);
    return status == SQ_OK ? read_rows(&in, folder) : status;
}
