/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_pick.c - entities and columns of a result, and the reduction of bins to columns. */
#include "plots/plt_pick.h"

#include <math.h>
#include <string.h>

#include "plots/plt_words.h"

/* Takes <kind>.<name>.<quantity> apart; false if `text` is not of that form. */
static bool match(const char *text, const char *kind, const char *quantity, struct plt_entity *out)
{
    size_t len = strlen(text), head = strlen(kind), tail = strlen(quantity);
    if (len < head + tail + 3 || strncmp(text, kind, head) != 0 || text[head] != '.') {
        return false;
    }
    if (text[len - tail - 1] != '.' || strcmp(text + len - tail, quantity) != 0) {
        return false;
    }
    out->name = text + head + 1;
    out->len = len - head - tail - 2;
    return memchr(out->name, '.', out->len) == NULL;
}

/* Sorted insertion, stable; the lightest falls out when the list is full. */
static void insert(struct plt_entities *out, struct plt_entity entity)
{
    out->total++;
    size_t at = out->count;
    if (at == PLT_ENTITIES_MAX) {
        at--;
        if (!(entity.weight > out->list[at].weight)) {
            return;
        }
    } else {
        out->count++;
    }
    for (; at > 0 && entity.weight > out->list[at - 1].weight; at--) {
        out->list[at] = out->list[at - 1];
    }
    out->list[at] = entity;
}

void plt_pick_columns(struct plt_entities *out, const struct sq_series *s, const char *kind,
                      const char *quantity)
{
    *out = (struct plt_entities){ 0 };
    for (size_t i = 0; i < s->column_count; i++) {
        struct plt_entity entity = { 0 };
        if (!match(s->columns[i].name, kind, quantity, &entity)) {
            continue;
        }
        for (size_t k = 0; k < s->bin_count; k++) {
            float value = s->columns[i].bins[k];
            entity.weight += isfinite(value) ? (double)value : 0;
        }
        insert(out, entity);
    }
}

void plt_pick_metrics(struct plt_entities *out, const struct sq_result *r, const char *kind,
                      const char *quantity)
{
    *out = (struct plt_entities){ 0 };
    for (size_t i = 0; i < r->metric_count; i++) {
        struct plt_entity entity = { 0 };
        if (match(r->metric_names[i], kind, quantity, &entity)) {
            insert(out, entity);
        }
    }
}

void plt_pick_histograms(struct plt_entities *out, const struct sq_result *r, const char *kind,
                         const char *quantity)
{
    *out = (struct plt_entities){ 0 };
    for (size_t i = 0; i < r->histogram_count; i++) {
        struct plt_entity entity = { 0 };
        if (match(r->histograms[i].name, kind, quantity, &entity)) {
            insert(out, entity);
        }
    }
}

const float *plt_column(const struct sq_series *s, const char *kind,
                        const struct plt_entity *entity, const char *quantity)
{
    for (size_t i = 0; i < s->column_count; i++) {
        struct plt_entity found = { 0 };
        if (match(s->columns[i].name, kind, quantity, &found) && found.len == entity->len &&
            memcmp(found.name, entity->name, found.len) == 0) {
            return s->columns[i].bins;
        }
    }
    return NULL;
}

double plt_entity_value(const struct sq_result *r, size_t run, const char *kind,
                        const struct plt_entity *entity, const char *quantity)
{
    for (size_t i = 0; i < r->metric_count && run < r->run_count; i++) {
        struct plt_entity found = { 0 };
        if (match(r->metric_names[i], kind, quantity, &found) && found.len == entity->len &&
            memcmp(found.name, entity->name, found.len) == 0) {
            return r->runs[run].values[i].number;
        }
    }
    return NAN;
}

bool plt_entity_is(const struct plt_entity *entity, const char *name)
{
    return name != NULL && strlen(name) == entity->len &&
           memcmp(name, entity->name, entity->len) == 0;
}

size_t plt_view_first(const struct plt_view *v, size_t column)
{
    return (size_t)((unsigned __int128)v->bins * column / v->columns);
}

static double total(const struct plt_stack *stack, size_t bin)
{
    double sum = 0;
    for (size_t i = 0; i < PLT_STACK_MAX; i++) {
        const float *bins = stack->bins[i];
        sum += bins != NULL && isfinite(bins[bin]) ? (double)bins[bin] : 0;
    }
    return sum;
}

size_t plt_view_top(const struct plt_view *v, size_t column, const struct plt_stack *stack)
{
    size_t top = plt_view_first(v, column);
    size_t after = plt_view_first(v, column + 1);
    const float *lowest = stack->bins[0];
    for (size_t bin = top + 1; bin < after; bin++) {
        bool better = total(stack, bin) > total(stack, top) || !isfinite(lowest[top]);
        if (better && isfinite(lowest[bin])) {
            top = bin;
        }
    }
    return top;
}

double plt_view_max(const struct plt_view *v, const struct plt_stack *stack, size_t *bin)
{
    double max = 0;
    *bin = 0;
    for (size_t k = 0; k < v->bins; k++) {
        if (total(stack, k) > max) {
            max = total(stack, k);
            *bin = k;
        }
    }
    return max;
}

sq_time_t plt_interesting_end(const struct sq_result *r)
{
    sq_time_t end = r->series.end_ns, last = 0;
    if (plt_moment(r, SQ_MOMENT_T2) == NULL) {
        return end;
    }
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        /* Scalers go on working long after; they alone are not worth the paper. */
        if (m->kind != SQ_MOMENT_SCALING) {
            last = sq_max_i64(last, sq_max_i64(m->at_ns, m->until_ns));
        }
    }
    /* A run that is well from its start on has nothing after which to cut it. */
    sq_time_t cut = sq_time_add(last, last / 20);
    return last == 0 || cut > end - end / 10 ? end : sq_max_i64(cut, r->series.bin_ns);
}
