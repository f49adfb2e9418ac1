/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_timeline.c - columns and bins. */
#include "models/mdl_timeline.h"

#include <math.h>

enum sq_status mdl_timeline_open(struct mdl_timeline *t, sq_time_t bin_ns, size_t bins)
{
    *t = (struct mdl_timeline){ .series = { .bin_ns = bin_ns }, .bin_size = bins };
    return SQ_OK;
}

void mdl_timeline_fini(struct mdl_timeline *t)
{
    for (size_t i = 0; i < t->series.column_count; i++) {
        sq_mem_free(t->series.columns[i].bins);
    }
    sq_mem_free(t->series.columns);
    sq_mem_free(t->watched);
}

static enum sq_status grow(struct mdl_timeline *t)
{
    size_t size = t->column_size == 0 ? 32 : 2 * t->column_size;
    struct sq_column *columns = sq_mem_resize(t->series.columns, size, sizeof(*columns));
    if (columns == NULL) {
        return SQ_NOMEM;
    }
    t->series.columns = columns;
    struct mdl_watched *watched = sq_mem_resize(t->watched, size, sizeof(*watched));
    if (watched == NULL) {
        return SQ_NOMEM;
    }
    t->watched = watched;
    t->column_size = size;
    return SQ_OK;
}

enum sq_status mdl_timeline_add(struct mdl_timeline *t, struct mdl_watched w, const char *name)
{
    if (t->series.column_count == t->column_size && grow(t) != SQ_OK) {
        return SQ_NOMEM;
    }
    float *bins = sq_mem_alloc(t->bin_size, sizeof(*bins));
    if (bins == NULL) {
        return SQ_NOMEM;
    }
    t->series.columns[t->series.column_count] = (struct sq_column){ .name = name, .bins = bins };
    t->watched[t->series.column_count++] = w;
    return SQ_OK;
}

static double read_column(struct mdl_watched *w, double width_s)
{
    switch (w->kind) {
    case MDL_WATCH_COUNTER: {
        uint64_t *counter = w->what;
        double rate = (double)*counter / width_s;
        *counter = 0;
        return rate;
    }
    case MDL_WATCH_LEVEL:
        return (double)((const struct sq_level *)w->what)->now;
    case MDL_WATCH_MAX:
        return (double)sq_level_bin(w->what);
    case MDL_WATCH_FIGURE:
        return w->figure(w->what);
    }
    SQ_UNREACHABLE("every kind of column is read above");
}

void mdl_timeline_close_bin(struct mdl_timeline *t, sq_time_t end)
{
    struct sq_series *s = &t->series;
    sq_time_t from = (sq_time_t)s->bin_count * s->bin_ns;
    SQ_ASSERT(end > from && s->bin_count < t->bin_size);
    double width = sq_time_to_s(end - from);
    for (size_t i = 0; i < s->column_count; i++) {
        s->columns[i].bins[s->bin_count] = (float)read_column(&t->watched[i], width);
    }
    s->bin_count++;
    s->end_ns = end;
}
