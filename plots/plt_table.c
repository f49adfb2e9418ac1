/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_table.c - numbers of one run, or medians and quantiles of several, in aligned columns. */
#include "plots/plt_table.h"

#include <math.h>
#include <string.h>

#include "plots/plt_outcome.h"
#include "plots/plt_pick.h"
#include "plots/plt_words.h"

enum unit { COUNT, RATE, RATIO, SPAN };

struct col {
    const char *head, *metric;
    enum unit unit;
    bool always; /* else left out when it is 0 or null everywhere */
};

struct table {
    const char *kind, *label; /* kind: first part of the metric name; label: head of column 1 */
    const struct col *cols;
    size_t col_count;
};

static const struct col job_cols[] = {
    { "arrived", "arrived", COUNT, true },
    { "completed", "completed", COUNT, true },
    { "stale", "stale", COUNT, false },
    { "superseded", "superseded", COUNT, false },
    { "dead-lettered", "dead_lettered", COUNT, false },
    { "dropped", "dropped", COUNT, false },
    { "lost", "lost", COUNT, false },
    { "unfinished", "unfinished", COUNT, false },
};

static const struct col outage_cols[] = {
    { "arrived", "outage_jobs", COUNT, true },
    { "done at T1", "done", COUNT, false },
    { "past deadline", "past_deadline", COUNT, false },
    { "superseded", "superseded", COUNT, false },
    { "still useful", "useful", COUNT, true },
};

static const struct col load_cols[] = {
    { "collapses", "secondary_outages", COUNT, true },
    { "down for", "downtime_s", SPAN, true },
    { "peak", "peak_rate_per_s", RATE, true },
    { "peak while up", "peak_up_per_s", RATE, true },
    { "normal", "normal_rate_per_s", RATE, true },
    { "peak/normal", "peak_to_normal", RATIO, true },
};

static const struct col call_cols[] = {
    { "calls", "calls", COUNT, true },         { "first", "calls_first", COUNT, true },
    { "retries", "calls_retry", COUNT, true }, { "amplif.", "amplification", RATIO, true },
    { "goodput", "goodput", COUNT, true },     { "wasted", "wasted", COUNT, true },
};

static const struct col failure_cols[] = {
    { "refused", "refused", COUNT, true },   { "errors", "errors", COUNT, true },
    { "timeouts", "timeouts", COUNT, true }, { "cancelled", "cancelled", COUNT, false },
    { "awaited", "awaited", COUNT, false },  { "duplicates", "duplicate_effects", COUNT, false },
};

static const struct col control_cols[] = {
    { "in use max", "in_use_max", COUNT, true },
    { "deferred", "deferred", COUNT, false },
    { "waited", "waited", COUNT, false },
    { "rejected", "rejected", COUNT, false },
    { "breaker opens", "breaker_opens", COUNT, false },
    { "budget denied", "budget_denied", COUNT, false },
    { "ramp relapses", "ramp_relapses", COUNT, false },
};

static const struct col queue_cols[] = {
    { "ready max", "ready_max", COUNT, true },
    { "delayed max", "delayed_max", COUNT, true },
    { "oldest", "oldest_max_s", SPAN, true },
    { "redelivered", "redelivered", COUNT, false },
};

static const struct col worker_cols[] = {
    { "replicas max", "replicas_max", COUNT, true },
    { "changes", "replica_changes", COUNT, false },
    { "deaths", "deaths", COUNT, false },
};

static const struct col delay_cols[] = {
    { "delay p50", "delay_p50_s", SPAN, true },
    { "p90", "delay_p90_s", SPAN, true },
    { "p99", "delay_p99_s", SPAN, true },
    { "max", "delay_max_s", SPAN, true },
};

#define TABLE(kind, label, cols)                \
    {                                           \
        (kind), (label), (cols), SQ_COUNT(cols) \
    }

static const struct table entity_tables[] = {
    TABLE("dependency", "Dependency", load_cols),
    TABLE("dependency", "Calls", call_cols),
    TABLE("dependency", "Failed calls", failure_cols),
    TABLE("control", "Control", control_cols),
    TABLE("queue", "Queue", queue_cols),
    TABLE("workers", "Workers", worker_cols),
    TABLE("producer", "Producer", delay_cols),
    TABLE("client", "Client", delay_cols),
};

struct pen {
    struct plt_text *t;
    const struct sq_result *r;
    bool grouped; /* a median of two groups was printed */
};

static void fail(struct pen *p)
{
    p->t->out->failed = true;
}

/* `entity` may be NULL: <kind>.<quantity>. */
static bool metric_spread(struct pen *p, const char *kind, const struct plt_entity *entity,
                          const char *quantity, struct sq_spread *out)
{
    struct sq_buf name = { 0 };
    if (entity != NULL) {
        sq_buf_printf(&name, "%s.%.*s.%s", kind, (int)entity->len, entity->name, quantity);
    } else {
        sq_buf_printf(&name, "%s.%s", kind, quantity);
    }
    bool found = !name.failed && plt_spread(p->t, p->r, name.text, out);
    if (name.failed) {
        fail(p);
    }
    sq_buf_fini(&name);
    return found;
}

static void put_value(struct sq_buf *b, enum unit unit, double value)
{
    switch (unit) {
    case COUNT:
        plt_put_count(b, value);
        break;
    case RATE:
        plt_put_rate(b, value);
        break;
    case RATIO:
        plt_put_ratio(b, value);
        break;
    case SPAN:
        plt_put_span(b, value);
        break;
    }
}

enum line { MEDIAN, LOW, HIGH, LINES };

enum { CELL = 24, COLS_MAX = 8, ROWS_MAX = PLT_ENTITIES_MAX };

/* A table filled with texts, before it is known how wide its columns are. */
struct sheet {
    char cells[ROWS_MAX][LINES][COLS_MAX][CELL];
    bool grouped[ROWS_MAX][COLS_MAX]; /* a median of two groups of runs */
    unsigned width[COLS_MAX];         /* 0: the column is left out */
    size_t rows;
};

static void set_cell(struct pen *p, char *cell, enum unit unit, double value)
{
    struct sq_buf b = { 0 };
    put_value(&b, unit, value);
    if (b.failed || b.len >= CELL) {
        fail(p);
    } else {
        memcpy(cell, b.text, b.len + 1);
    }
    sq_buf_fini(&b);
}

static void fill_column(struct pen *p, struct sheet *s, const struct table *table,
                        const struct plt_entities *e, size_t c)
{
    const struct col *col = &table->cols[c];
    bool shown = false, known = false;
    unsigned width = (unsigned)strlen(col->head);
    for (size_t row = 0; row < s->rows; row++) {
        struct sq_spread spread;
        const struct plt_entity *entity = e != NULL ? &e->list[row] : NULL;
        if (!metric_spread(p, table->kind, entity, col->metric, &spread)) {
            s->cells[row][MEDIAN][c][0] = '-';
            continue;
        }
        known = true;
        shown = shown || (spread.n > 0 && (spread.min != 0 || spread.max != 0));
        set_cell(p, s->cells[row][MEDIAN][c], col->unit, spread.n > 0 ? spread.p50 : NAN);
        set_cell(p, s->cells[row][LOW][c], col->unit, spread.n > 0 ? spread.p10 : NAN);
        set_cell(p, s->cells[row][HIGH][c], col->unit, spread.n > 0 ? spread.p90 : NAN);
        if (spread.bimodal && p->r->run_count > 1) {
            s->grouped[row][c] = true;
            p->grouped = true;
        }
        for (size_t line = 0; line < LINES; line++) {
            unsigned len = (unsigned)strlen(s->cells[row][line][c]);
            width = len > width ? len : width;
        }
    }
    s->width[c] = known && (shown || col->always) ? width + 2 : 0;
}

static void put_name(struct plt_text *t, const char *name, size_t len)
{
    struct sq_buf b = { 0 };
    sq_buf_add(&b, name, len);
    plt_text_put(t, b.failed ? "" : b.text);
    t->out->failed = t->out->failed || b.failed;
    sq_buf_fini(&b);
}

/* A part of a sheet: columns [from, after), right of column `first` of the terminal. */
struct block {
    const struct sheet *sheet;
    const struct table *table;
    size_t from, after;
    unsigned first;
};

static void put_head(struct pen *p, const struct block *b)
{
    unsigned end = b->first;
    plt_text_colour(p->t, PLT_BOLD);
    plt_text_put(p->t, "  ");
    plt_text_put(p->t, b->table->label);
    for (size_t c = b->from; c < b->after; c++) {
        end += b->sheet->width[c];
        if (b->sheet->width[c] > 0) {
            plt_text_right(p->t, b->table->cols[c].head, end);
        }
    }
    plt_text_colour(p->t, PLT_PLAIN);
    plt_text_end(p->t);
}

static void put_line(struct pen *p, const struct block *b, size_t row, enum line line)
{
    unsigned end = b->first;
    for (size_t c = b->from; c < b->after; c++) {
        end += b->sheet->width[c];
        if (b->sheet->width[c] > 0) {
            plt_text_right(p->t, b->sheet->cells[row][line][c], end);
            plt_text_put(p->t, line == MEDIAN && b->sheet->grouped[row][c] ? "*" : "");
        }
    }
    plt_text_end(p->t);
}

/* True if 80 % of the runs say the same in every column. */
static bool settled(const struct block *b, size_t row)
{
    for (size_t c = b->from; c < b->after; c++) {
        const char(*cells)[COLS_MAX][CELL] = b->sheet->cells[row];
        if (b->sheet->width[c] > 0 && (strcmp(cells[LOW][c], cells[MEDIAN][c]) != 0 ||
                                       strcmp(cells[HIGH][c], cells[MEDIAN][c]) != 0)) {
            return false;
        }
    }
    return true;
}

static void put_quantiles(struct pen *p, const struct block *b, size_t row)
{
    static const char *const names[] = { "p50", "p10", "p90" };
    static const enum line order[] = { LOW, MEDIAN, HIGH };
    if (settled(b, row)) {
        plt_text_to(p->t, 4);
        plt_text_put(p->t, "p10-p90");
        put_line(p, b, row, MEDIAN);
        return;
    }
    for (size_t k = 0; k < LINES; k++) {
        plt_text_to(p->t, 4);
        plt_text_put(p->t, names[order[k]]);
        put_line(p, b, row, order[k]);
    }
}

static void put_block(struct pen *p, const struct block *b, const struct plt_entities *e)
{
    const bool several = p->r->run_count > 1;
    put_head(p, b);
    for (size_t row = 0; row < b->sheet->rows; row++) {
        if (e != NULL) {
            plt_text_put(p->t, "  ");
            put_name(p->t, e->list[row].name, e->list[row].len);
        }
        if (e != NULL && (several || p->t->column > b->first)) {
            plt_text_end(p->t);
        }
        if (several) {
            put_quantiles(p, b, row);
        } else {
            put_line(p, b, row, MEDIAN);
        }
    }
}

/* As many columns side by side as fit, the rest below. */
static void put_sheet(struct pen *p, const struct sheet *s, const struct table *table,
                      const struct plt_entities *e)
{
    unsigned first = (unsigned)strlen(table->label) + 2;
    for (size_t i = 0; e != NULL && i < e->count; i++) {
        unsigned len = (unsigned)e->list[i].len + 2;
        first = len > first && len <= 18 ? len : first;
    }
    first = first < 11 ? 11 : first; /* room for the names of quantiles */
    const unsigned room = p->t->width - (p->r->run_count > 1 ? 1 : 0); /* an asterisk */
    size_t from = 0;
    while (from < table->col_count) {
        unsigned end = first;
        size_t after = from;
        while (after < table->col_count && (after == from || end + s->width[after] <= room)) {
            end += s->width[after++];
        }
        if (end > first) {
            put_block(p, &(struct block){ s, table, from, after, first }, e);
        }
        from = after;
    }
}

static void put_table(struct pen *p, const struct table *table, const struct plt_entities *e)
{
    struct sheet *s = sq_mem_alloc(1, sizeof *s);
    if (s == NULL) {
        fail(p);
        return;
    }
    s->rows = e != NULL ? e->count : 1;
    bool any = false;
    SQ_ASSERT(table->col_count <= COLS_MAX);
    for (size_t c = 0; c < table->col_count; c++) {
        fill_column(p, s, table, e, c);
        any = any || s->width[c] > 0;
    }
    if (any) {
        put_sheet(p, s, table, e);
        plt_text_end(p->t);
    }
    sq_mem_free(s);
}

static void put_entities(struct pen *p)
{
    for (size_t i = 0; i < SQ_COUNT(entity_tables); i++) {
        const struct table *table = &entity_tables[i];
        struct plt_entities e;
        plt_pick_metrics(&e, p->r, table->kind, table->cols[0].metric);
        if (e.count == 0) {
            continue;
        }
        put_table(p, table, &e);
        if (e.total > e.count) {
            sq_buf_printf(p->t->out, "  ... and %zu more of them in summary.json\n\n",
                          e.total - e.count);
        }
    }
}

void plt_table(struct plt_text *t, const struct sq_result *r)
{
    static const struct table jobs = TABLE("jobs", "Jobs", job_cols);
    static const struct table outage = TABLE("recovery", "Outage jobs", outage_cols);
    struct pen p = { t, r, false };
    plt_outcome(t, r, &p.grouped);
    plt_text_end(t);
    put_table(&p, &jobs, NULL);
    if (plt_moment(r, SQ_MOMENT_T1) != NULL) {
        put_table(&p, &outage, NULL);
    }
    put_entities(&p);
    if (p.grouped) {
        plt_text_put(t, "  * ");
        plt_text_wrap(
            t,
            "The runs fall into two groups, so this median is a state that few runs are in: "
            "see runs.csv.",
            4);
        plt_text_end(t);
        plt_text_end(t);
    }
}
