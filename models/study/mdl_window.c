/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_window.c - the part of a run that an expectation is about. */
#include "models/study/mdl_window.h"

#include "sim/base/sq_unit.h"

#include <string.h>

static const char forms[] = "write always, {at: 40m} or {between: [T1, T1+30m]}";

struct reader {
    const char *path;
    struct sq_arena *arena;
    struct sq_diag *diag;
};

sq_time_t mdl_instant_at(const struct mdl_instant *i, sq_time_t t1)
{
    if (!i->from_t1) {
        return i->offset_ns;
    }
    if (t1 == SQ_NEVER) {
        return SQ_NEVER;
    }
    return i->offset_ns >= 0 ? sq_time_add(t1, i->offset_ns) : sq_max_i64(t1 + i->offset_ns, 0);
}

static const char *skip_blanks(const char *s)
{
    while (*s == ' ') {
        s++;
    }
    return s;
}

/* 40m, T1, T1+30m, T1 - 10s. */
static enum sq_status read_instant(const struct reader *r, const struct sq_node *node,
                                   struct mdl_instant *out)
{
    if (node->kind != SQ_NODE_SCALAR || sq_node_is_null(node)) {
        return sq_diag_error(r->diag, node->where, r->path, NULL, "expects a time such as 40m");
    }
    const char *s = node->text;
    *out = (struct mdl_instant){ .from_t1 = strncmp(s, "T1", 2) == 0 };
    const char *wrong = NULL;
    if (!out->from_t1) {
        wrong = sq_unit_duration(s, &out->offset_ns);
    } else {
        s = skip_blanks(s + 2);
        if (*s == '\0') {
            return SQ_OK;
        }
        bool before = *s == '-';
        wrong = before || *s == '+' ? sq_unit_duration(skip_blanks(s + 1), &out->offset_ns)
                                    : "has something other than + or - behind T1";
        out->offset_ns = before ? -out->offset_ns : out->offset_ns;
    }
    return wrong == NULL
               ? SQ_OK
               : sq_diag_error(r->diag, node->where, r->path, "times are written 40m, T1 or T1+30m",
                               "`%s` %s", node->text, wrong);
}

static enum sq_status read_at(const struct reader *r, const struct sq_node *node,
                              struct mdl_window *out)
{
    enum sq_status status = read_instant(r, node, &out->from);
    if (status != SQ_OK) {
        return status;
    }
    out->kind = MDL_AT;
    out->text = sq_arena_printf(r->arena, "at %s", node->text);
    return out->text != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status read_between(const struct reader *r, const struct sq_node *node,
                                   struct mdl_window *out)
{
    if (node->kind != SQ_NODE_LIST || node->count != 2) {
        return sq_diag_error(r->diag, node->where, r->path, "for example between: [T1, T1+30m]",
                             "expects a list of two times");
    }
    enum sq_status status = read_instant(r, node->items[0], &out->from);
    if (status == SQ_OK) {
        status = read_instant(r, node->items[1], &out->until);
    }
    if (status != SQ_OK) {
        return status;
    }
    out->kind = MDL_BETWEEN;
    out->text =
        sq_arena_printf(r->arena, "between %s and %s", node->items[0]->text, node->items[1]->text);
    return out->text != NULL ? SQ_OK : SQ_NOMEM;
}

enum sq_status mdl_window_read(const struct sq_node *node, const char *path, struct sq_arena *arena,
                               struct sq_diag *diag, struct mdl_window *out)
{
    struct reader r = { path, arena, diag };
    if (node->kind == SQ_NODE_SCALAR && strcmp(node->text, "always") == 0) {
        *out = (struct mdl_window){ .kind = MDL_ALWAYS, .text = "always" };
        return SQ_OK;
    }
    if (node->kind != SQ_NODE_MAP || node->count != 1) {
        return sq_diag_error(diag, node->where, path, forms, "expects one of three forms");
    }
    if (strcmp(node->keys[0], "at") == 0) {
        return read_at(&r, node->items[0], out);
    }
    if (strcmp(node->keys[0], "between") == 0) {
        return read_between(&r, node->items[0], out);
    }
    return sq_diag_error(diag, node->key_where[0], path, forms, "unknown key `%s`", node->keys[0]);
}

enum sq_status mdl_window_check(const struct mdl_window *w, const struct mdl_scenario *s,
                                const struct sq_node *node, const char *path, struct sq_diag *diag)
{
    if (w->kind == MDL_ALWAYS) {
        return SQ_OK;
    }
    if ((w->from.from_t1 || w->until.from_t1) && s->t1 == SQ_NEVER) {
        return sq_diag_error(diag, node->where, path, "plan an outage, or set health.t1",
                             "there is no T1 in variant `%s`", s->variant);
    }
    sq_time_t from = mdl_instant_at(&w->from, s->t1);
    if (from >= sq_time_add(s->cfg.duration, s->cfg.tail)) {
        return sq_diag_error(diag, node->where, path, NULL, "begins after the end of variant `%s`",
                             s->variant);
    }
    if (w->kind == MDL_BETWEEN && mdl_instant_at(&w->until, s->t1) <= from) {
        return sq_diag_error(diag, node->where, path, "write the earlier time first",
                             "ends before it begins");
    }
    return SQ_OK;
}

void mdl_window_bins(const struct mdl_window *w, const struct sq_series *series, sq_time_t t1,
                     size_t *first, size_t *last)
{
    *first = 0;
    *last = series->bin_count;
    if (w->kind == MDL_ALWAYS) {
        return;
    }
    sq_time_t bin = series->bin_ns, from = mdl_instant_at(&w->from, t1);
    sq_time_t until = w->kind == MDL_BETWEEN ? mdl_instant_at(&w->until, t1) : from + 1;
    if (from >= series->end_ns || until <= from) {
        *last = 0;
        return;
    }
    *first = (size_t)(from / bin);
    until = sq_min_i64(until, series->end_ns);
    *last = (size_t)((until + bin - 1) / bin);
}
