/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_trace_csv.c - times and values out of the cells of a CSV file. */
#include "sim/conf/sq_trace_csv.h"

#include "sim/base/sq_unit.h"
#include "sim/conf/sq_when.h"

const char *const sq_trace_csv_units[] = { "s", "ms", "us", "ns", "min", "h", NULL };

sq_time_t sq_trace_csv_unit_ns(size_t index)
{
    static const sq_time_t ns[] = { SQ_NS_PER_S, 1000000,          1000,
                                    1,           60 * SQ_NS_PER_S, 3600 * SQ_NS_PER_S };
    _Static_assert(SQ_COUNT(ns) + 1 == SQ_COUNT(sq_trace_csv_units), "one factor per unit");
    SQ_ASSERT(index < SQ_COUNT(ns));
    return ns[index];
}

/* What a read in progress knows. */
struct tracer {
    const struct sq_csv *csv;
    const struct sq_trace_ask *ask;
    struct sq_diag *diag;
    int time, value; /* columns; value -1: none */
    bool iso, disordered;
    __int128 first;
    struct sq_trace trace;
};

static void complain(const struct tracer *t, size_t row, const char *column, const char *text)
{
    struct sq_where where = { t->ask->file, t->csv->rows[row].line, 0 };
    int at = sq_csv_column(t->csv, column);
    (void)sq_diag_error(t->diag, where, column, NULL, "`%s` %s", t->csv->rows[row].cells[at], text);
}

static int find_column(const struct tracer *t, const char *name)
{
    int at = sq_csv_column(t->csv, name);
    if (at >= 0) {
        return at;
    }
    const struct sq_csv_row *header = &t->csv->header;
    struct sq_where where = { t->ask->file, header->line, 0 };
    struct sq_buf hint = { 0 };
    const char *close = sq_diag_closest(name, header->cells, header->count);
    if (close != NULL) {
        sq_buf_printf(&hint, "did you mean `%s`?", close);
    } else {
        for (uint32_t i = 0; i < header->count && i < SQ_DIAG_SHOWN; i++) {
            sq_buf_printf(&hint, "%s`%s`", i == 0 ? "the columns are " : ", ", header->cells[i]);
        }
    }
    (void)sq_diag_error(t->diag, where, NULL, hint.text, "there is no column `%s`", name);
    sq_buf_fini(&hint);
    return -1;
}

static void check_order(struct tracer *t, size_t i)
{
    sq_time_t before = t->trace.at_ns[i - 1], at = t->trace.at_ns[i];
    if (t->disordered || at > before || (at == before && t->value < 0)) {
        return; /* compared, not subtracted: two times may lie 584 years apart */
    }
    t->disordered = true;
    struct sq_where where = { t->ask->file, t->csv->rows[i].line, 0 };
    (void)sq_diag_error(t->diag, where, t->ask->time, "sort the rows by this column",
                        "`%s` %s the row before (line %u)", t->csv->rows[i].cells[t->time],
                        at < before ? "is earlier than" : "is the same time as",
                        t->csv->rows[i - 1].line);
}

/* The time of a row relative to the first, or a complaint. */
static bool read_time(struct tracer *t, size_t i)
{
    const char *cell = t->csv->rows[i].cells[t->time];
    bool iso = sq_when_looks_iso(cell);
    __int128 at = 0;
    if (i == 0) {
        t->iso = iso;
    }
    const char *wrong = iso      ? sq_when_iso(cell, &at)
                        : t->iso ? "is no ISO 8601 time, and the first row has one"
                                 : sq_when_number(cell, t->ask->unit_ns, &at);
    if (wrong == NULL && iso && !t->iso) {
        wrong = "is an ISO 8601 time, and the first row has a number";
    }
    if (i == 0) {
        t->first = at;
    }
    at -= t->first;
    if (wrong == NULL && (at >= SQ_NEVER || at <= -SQ_NEVER)) {
        wrong = "is more than 292 years from the first row";
    }
    if (wrong != NULL) {
        complain(t, i, t->ask->time, wrong);
        return false;
    }
    t->trace.at_ns[i] = (sq_time_t)at;
    return true;
}

static bool read_value(struct tracer *t, size_t i)
{
    if (t->value < 0) {
        return true;
    }
    const char *cell = t->csv->rows[i].cells[t->value];
    const char *wrong = *cell == '\0' ? "is empty" : sq_unit_number(cell, &t->trace.values[i]);
    if (wrong != NULL) {
        complain(t, i, t->ask->value, wrong);
    }
    return wrong == NULL;
}

static enum sq_status read_rows(struct tracer *t)
{
    size_t errors = t->diag->errors;
    bool before = false; /* the row before has a time */
    for (size_t i = 0; i < t->csv->count; i++) {
        bool timed = read_time(t, i);
        if (timed && before) {
            check_order(t, i);
        }
        before = timed;
        (void)read_value(t, i);
        if (!timed && i == 0) {
            return SQ_USER; /* nothing to measure the others from */
        }
    }
    return t->diag->errors > errors ? SQ_USER : SQ_OK;
}

static enum sq_status end_of(struct tracer *t)
{
    size_t n = t->csv->count;
    sq_time_t *at = t->trace.at_ns;
    t->trace.count = n;
    if (n == 1 && t->value >= 0) {
        struct sq_where where = { t->ask->file, t->csv->rows[0].line, 0 };
        return sq_diag_error(t->diag, where, t->ask->value, NULL,
                             "one row has no width: values need two rows at least");
    }
    t->trace.end_ns = n == 1 ? 0 : sq_time_add(at[n - 1], at[n - 1] - at[n - 2]);
    return SQ_OK;
}

enum sq_status sq_trace_csv_read(const struct sq_csv *csv, const struct sq_trace_ask *ask,
                                 struct sq_arena *arena, struct sq_diag *diag, struct sq_trace *out)
{
    SQ_ASSERT(ask->unit_ns > 0);
    SQ_ASSERT(csv->count > 0);
    struct tracer t = { .csv = csv, .ask = ask, .diag = diag, .value = -1 };
    t.time = find_column(&t, ask->time);
    t.value = ask->value == NULL ? -1 : find_column(&t, ask->value);
    if (t.time < 0 || (ask->value != NULL && t.value < 0)) {
        return SQ_USER;
    }
    t.trace.at_ns = sq_arena_alloc(arena, csv->count, sizeof *t.trace.at_ns);
    if (t.value >= 0) {
        t.trace.values = sq_arena_alloc(arena, csv->count, sizeof *t.trace.values);
    }
    if (t.trace.at_ns == NULL || (t.value >= 0 && t.trace.values == NULL)) {
        return SQ_NOMEM;
    }
    enum sq_status status = read_rows(&t);
    if (status == SQ_OK) {
        status = end_of(&t);
    }
    if (status == SQ_OK) {
        *out = t.trace;
    }
    return status;
}
