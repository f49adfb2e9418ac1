/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limits.c - reading what is looked for, and the two kinds of search. */
#include "models/study/mdl_limits.h"

#include "models/study/mdl_amount.h"
#include "models/study/mdl_try.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_folder.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 5 };
static const double narrow = 0.01;

static const char *keep(struct sq_arena *arena, const char *text)
{
    return text != NULL ? sq_arena_text(arena, text, strlen(text)) : NULL;
}

/* ---- what is looked for ---- */

static enum sq_status refuse_find(struct sq_diag *diag, const char *hint, const char *what)
{
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--find", hint, "%s", what);
}

/* PATH=LO..HI in its parts, in the arena. */
static enum sq_status split_find(struct mdl_try *t, const char *find, struct sq_limits *out,
                                 struct sq_diag *diag)
{
    static const char hint[] =
        "write --find PATH=LO..HI, for example producers.orders.arrivals=10/s..90/s";
    const char *equals = find != NULL ? strchr(find, '=') : NULL;
    const char *dots = equals != NULL ? strstr(equals, "..") : NULL;
    if (dots == NULL || equals == find) {
        return refuse_find(diag, hint, "a key and a range are needed");
    }
    t->key = sq_arena_text(&out->arena, find, (size_t)(equals - find));
    t->lo_text = sq_arena_text(&out->arena, equals + 1, (size_t)(dots - equals - 1));
    t->hi_text = keep(&out->arena, dots + 2);
    return t->key != NULL && t->lo_text != NULL && t->hi_text != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status read_end(const struct mdl_try *t, const char *text, double *value,
                               struct sq_diag *diag)
{
    const char *wrong = mdl_amount_read(t->type, text, value);
    if (wrong == NULL) {
        return SQ_OK;
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--find",
                         "both ends are written as in a scenario, for example 10/s..90/s",
                         "`%s` is not %s: it %s", text, mdl_amount_wanted(t->type), wrong);
}

static enum sq_status read_range(struct mdl_try *t, struct sq_tipping_ask *range,
                                 struct sq_diag *diag)
{
    enum sq_status status = read_end(t, t->lo_text, &range->lo, diag);
    status = status == SQ_OK ? read_end(t, t->hi_text, &range->hi, diag) : status;
    if (status == SQ_OK && !(range->lo < range->hi)) {
        return refuse_find(diag, "write the smaller end first",
                           "the range has its ends in the wrong order, or is empty");
    }
    range->whole = mdl_amount_is_whole(t->type);
    range->looks = LOOKS;
    return status;
}

static enum sq_status read_share(const char *option, const char *text, double *out,
                                 struct sq_diag *diag)
{
    if (text == NULL || (sq_unit_ratio(text, out) == NULL && *out > 0)) {
        return SQ_OK;
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, option, "for example 95%",
                         "`%s` is no share above 0", text);
}

/* The file's own value, if there stands an amount. */
static enum sq_status read_own(struct mdl_try *t, const struct sq_node *node, struct sq_limits *out)
{
    out->own_value = (double)NAN;
    if (node == NULL || node->kind != SQ_NODE_SCALAR ||
        mdl_amount_read(t->type, node->text, &out->own_value) != NULL) {
        return SQ_OK;
    }
    out->own = keep(&out->arena, node->text);
    return out->own != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status find_key(struct mdl_try *t, struct sq_limits *out, struct sq_diag *diag)
{
    struct sq_conf conf = { .arena = &out->arena, .diag = diag };
    struct sq_amount amount = { 0 };
    enum sq_status status = sq_conf_find(&conf, t->base.tree, &mdl_root_table, t->key,
                                         (struct sq_where){ .file = "--find" }, &amount);
    if (status != SQ_OK) {
        return status;
    }
    t->path = amount.path;
    t->type = amount.row->type;
    return read_own(t, amount.node, out);
}

static enum sq_status describe(const struct mdl_try *t, const struct mdl_limits_ask *ask,
                               struct sq_limits *out)
{
    const struct mdl_scenario *s = &t->base;
    out->version = SQ_VERSION;
    out->title = keep(&out->arena, s->cfg.title != NULL ? s->cfg.title : s->file);
    out->file = keep(&out->arena, s->file);
    out->variant = keep(&out->arena, s->variant);
    out->scenario_hash = keep(&out->arena, s->hash);
    out->seed = s->cfg.seed;
    out->runs = (size_t)s->cfg.runs;
    out->key = t->key;
    out->unit = t->type == SQ_TIME ? "s" : t->type == SQ_RATE ? "per s" : "";
    out->unit_value = t->type == SQ_TIME ? (double)SQ_NS_PER_S : 1;
    out->until = keep(&out->arena, ask->until);
    out->in = t->in;
    bool failed = out->title == NULL || out->file == NULL || out->variant == NULL ||
                  out->scenario_hash == NULL || out->until == NULL;
    return failed ? SQ_NOMEM : SQ_OK;
}

/* Half-way between T1 (or the start) and the end of arrivals. */
static sq_time_t middle_of(const struct mdl_scenario *s)
{
    sq_time_t from = s->t1 != SQ_NEVER && s->t1 < s->cfg.duration ? s->t1 : 0;
    sq_time_t at = from + (s->cfg.duration - from) / 2;
    return at > SQ_NS_PER_S ? at - at % SQ_NS_PER_S : at;
}

/* Both ways: when the key changes. */
static enum sq_status read_switch(struct mdl_try *t, const struct mdl_limits_ask *ask,
                                  struct sq_diag *diag)
{
    t->switch_ns = middle_of(&t->base);
    if (ask->at == NULL) {
        return SQ_OK;
    }
    const char *wrong = sq_unit_duration(ask->at, &t->switch_ns);
    if (wrong != NULL) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--at", NULL, "`%s` %s", ask->at, wrong);
    }
    if (!ask->both_ways) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--at", "add --both-ways",
                             "only a study of both ways changes the key in mid-run");
    }
    if (t->switch_ns <= 0 || t->switch_ns >= t->base.cfg.duration) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--at", NULL,
                             "%s is not inside the run's `duration`", ask->at);
    }
    return SQ_OK;
}

/* Both ends can be read, and both ways one can become the other. */
static enum sq_status check_ends(struct mdl_try *t, const struct mdl_limits_ask *ask,
                                 const struct sq_tipping_ask *range, const struct sq_limits *out)
{
    t->start = ask->both_ways ? out->hi : NULL;
    enum sq_status status = mdl_try_check(t, range->lo);
    t->start = NULL;
    return status == SQ_OK ? mdl_try_check(t, range->hi) : status;
}

/* Reads everything; after this only values are tried. */
static enum sq_status open_study(struct mdl_try *t, const struct mdl_limits_ask *ask,
                                 struct sq_tipping_ask *range, struct sq_limits *out,
                                 struct sq_diag *diag)
{
    range->within = narrow;
    t->in = 1;
    if (ask->until == NULL) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--until",
                             "for example --until 'outcome.p_collapse == 0%'",
                             "say what must hold");
    }
    enum sq_status status = split_find(t, ask->find, out, diag);
    status = status == SQ_OK ? read_share("--in", ask->in, &t->in, diag) : status;
    status = status == SQ_OK ? read_share("--to", ask->to, &range->within, diag) : status;
    status = status == SQ_OK ? mdl_scenario_load(&t->base, &t->ask, diag) : status;
    status = status == SQ_OK ? find_key(t, out, diag) : status;
    status = status == SQ_OK ? read_range(t, range, diag) : status;
    status = status == SQ_OK ? read_switch(t, ask, diag) : status;
    if (status == SQ_OK) {
        struct mdl_expect_text text = { "--until", ask->until, t->in };
        status = mdl_expects_one(&t->expects, &t->base, &text, diag);
    }
    if (status == SQ_OK) {
        out->lo = mdl_try_text(t, range->lo);
        out->hi = mdl_try_text(t, range->hi);
        status = out->lo != NULL && out->hi != NULL ? describe(t, ask, out) : SQ_NOMEM;
    }
    status = status == SQ_OK ? check_ends(t, ask, range, out) : status;
    return status == SQ_OK ? sq_folder_open(ask->folder, SQ_FOLDER_LIMITS, diag) : status;
}

/* ---- searching ---- */

static enum sq_status search(struct mdl_try *t, const struct sq_tipping_ask *range,
                             enum sq_way_kind kind, struct sq_limits *out)
{
    struct sq_way *way = &out->ways[out->way_count++];
    *way = (struct sq_way){ .kind = kind, .tipping.of_outcome = t->expects.items[0].of_outcome };
    return sq_tipping_find(range, mdl_try_value, t, &out->arena, &way->tipping);
}

/* The ends as they stand say where a run begins well. */
static enum sq_status search_both(struct mdl_try *t, const struct sq_tipping_ask *range,
                                  struct sq_limits *out)
{
    struct sq_trial lo = { 0 }, hi = { 0 };
    enum sq_status status = mdl_try_value(t, range->lo, &lo);
    status = status == SQ_OK ? mdl_try_value(t, range->hi, &hi) : status;
    if (status != SQ_OK) {
        return status;
    }
    if (lo.holds == hi.holds) {
        return sq_diag_error(
            t->diag, (struct sq_where){ 0 }, "--find",
            "choose a range with one end at which it holds and one at which it does not",
            "to go both ways the expectation must hold at one end; it holds at %s of %s and %s",
            lo.holds ? "both" : "neither", out->lo, out->hi);
    }
    out->start_well = lo.holds ? out->lo : out->hi;
    out->start_fallen = lo.holds ? out->hi : out->lo;
    out->switch_ns = t->switch_ns;
    t->start = out->start_well;
    status = search(t, range, SQ_WAY_FALLS, out);
    t->start = out->start_fallen;
    return status == SQ_OK ? search(t, range, SQ_WAY_RETURNS, out) : status;
}

enum sq_status mdl_limits(const struct mdl_limits_ask *ask, struct sq_limits *out,
                          struct sq_diag *diag)
{
    struct sq_tipping_ask range = { 0 };
    struct mdl_try t = { .ask = ask->scenario,
                         .arena = &out->arena,
                         .runs = { .first = 1,
                                   .threads = ask->threads,
                                   .check_every = ask->check_every,
                                   .stop = ask->stop,
                                   .shows = ask->shows },
                         .diag = diag };
    enum sq_status status = open_study(&t, ask, &range, out, diag);
    if (status == SQ_OK) {
        status =
            ask->both_ways ? search_both(&t, &range, out) : search(&t, &range, SQ_WAY_LIMIT, out);
    }
    mdl_expects_fini(&t.expects);
    mdl_scenario_fini(&t.base);
    return status;
}
