/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall_timeline.c - reading a timeline for a forecast. */
#include "models/study/mdl_oncall_timeline.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct table {
    struct sq_csv csv;
    struct sq_arena *arena;
    int time; /* column */
    const struct mdl_timeline_ask *ask;
};
struct total {
    double sum;
    size_t columns;
};

static bool is_of(const char *name, const char *start, const char *end)
{
    size_t len = strlen(name), head = strlen(start), tail = strlen(end);
    return len > head + tail && strncmp(name, start, head) == 0 &&
           strcmp(name + len - tail, end) == 0;
}

/* An empty cell is null: it counts as nothing. */
static enum sq_status cell(const struct table *t, size_t row, size_t column, double *out,
                           struct sq_diag *diag)
{
    const char *text = t->csv.rows[row].cells[column];
    *out = 0;
    if (text[0] == '\0') {
        return SQ_OK;
    }
    const char *wrong = sq_unit_number(text, out);
    struct sq_where where = { t->ask->file, t->csv.rows[row].line, 0 };
    return wrong == NULL ? SQ_OK
                         : sq_diag_error(diag, where, t->csv.header.cells[column], NULL, "`%s` %s",
                                         text, wrong);
}

/* Sum over the columns START*END of one row, and how many there are. */
static enum sq_status sum(const struct table *t, size_t row, const char *const ends[2],
                          struct total *out, struct sq_diag *diag)
{
    *out = (struct total){ 0 };
    for (size_t c = 0; c < t->csv.header.count; c++) {
        double value;
        if (!is_of(t->csv.header.cells[c], ends[0], ends[1])) {
            continue;
        }
        enum sq_status status = cell(t, row, c, &value, diag);
        if (status != SQ_OK) {
            return status;
        }
        out->sum += value;
        out->columns++;
    }
    return SQ_OK;
}

static enum sq_status backlog_at(const struct table *t, size_t row, double *out,
                                 struct sq_diag *diag)
{
    static const char *const ready[2] = { "queue.", ".ready" }, *const late[2] = { "queue.",
                                                                                   ".delayed" };
    struct total waiting, delayed = { 0 };
    enum sq_status status = sum(t, row, ready, &waiting, diag);
    status = status == SQ_OK ? sum(t, row, late, &delayed, diag) : status;
    if (status == SQ_OK && waiting.columns == 0) {
        struct sq_where where = { t->ask->file, t->csv.header.line, 0 };
        return sq_diag_error(diag, where, NULL,
                             "columns are named queue.NAME.ready, as in the "
                             "timeline.csv of `squall run --out`",
                             "there is no column with the ready jobs of a queue");
    }
    *out = waiting.sum + delayed.sum;
    return status;
}

/* The first and the last row of the window, and the mean arrivals in it. */
struct window {
    size_t first, last;
    double seconds, arrivals;
    bool no_arrivals; /* there is no such column */
};

/* Jobs of the queue whose ready ones stand in that column, in one row. */
static enum sq_status jobs_of(const struct table *t, size_t row, const int columns[2], double *out,
                              struct sq_diag *diag)
{
    double ready = 0, delayed = 0;
    enum sq_status status = cell(t, row, (size_t)columns[0], &ready, diag);
    if (status == SQ_OK && columns[1] >= 0) {
        status = cell(t, row, (size_t)columns[1], &delayed, diag);
    }
    *out = ready + delayed;
    return status;
}

/* Backlog of each queue at the end of the window, and by how much it grew in it. */
static enum sq_status see_queues(struct mdl_oncall *f, const struct table *t,
                                 const struct window *w, struct sq_diag *diag)
{
    static const char head[] = "queue.", ready[] = ".ready";
    enum sq_status status = SQ_OK;
    for (size_t c = 0; c < t->csv.header.count && status == SQ_OK; c++) {
        const char *name = t->csv.header.cells[c];
        struct mdl_oncall_queue q = { .backlog = 0 };
        double then = 0;
        if (!is_of(name, head, ready)) {
            continue;
        }
        int len = (int)(strlen(name) - (sizeof head - 1) - (sizeof ready - 1));
        (void)snprintf(q.name, sizeof q.name, "%.*s", len, name + sizeof head - 1);
        char *late = sq_arena_printf(t->arena, "queue.%.*s.delayed", len, name + sizeof head - 1);
        if (late == NULL) {
            return SQ_NOMEM;
        }
        const int columns[2] = { (int)c, sq_csv_column(&t->csv, late) };
        status = jobs_of(t, w->last, columns, &q.backlog, diag);
        status = status == SQ_OK ? jobs_of(t, w->first, columns, &then, diag) : status;
        q.growth_per_s = w->seconds > 0 ? (q.backlog - then) / w->seconds : 0;
        if (f->queue_count < MDL_MAX_LINES) {
            f->queues[f->queue_count] = q;
        }
        f->queue_count++;
    }
    return status;
}

/* `end`: the time of the last row. */
static enum sq_status refuse_instant(const struct table *t, double end, struct sq_diag *diag)
{
    double begin = 0;
    struct sq_buf hint = { 0 };
    enum sq_status status = cell(t, 0, (size_t)t->time, &begin, diag);
    sq_buf_puts(&hint, "it goes from ");
    sq_unit_put_span(&hint, begin);
    sq_buf_puts(&hint, " to ");
    sq_unit_put_span(&hint, end);
    sq_buf_puts(&hint, ", and an instant needs a row before it");
    if (status == SQ_OK) {
        status = sq_diag_error(diag, (struct sq_where){ .file = t->ask->file }, "--at",
                               hint.failed ? NULL : hint.text,
                               "the timeline has no row at this instant");
    }
    sq_buf_fini(&hint);
    return status;
}

static enum sq_status find_window(const struct table *t, struct window *w, struct sq_diag *diag)
{
    double at = 0, start = 0;
    size_t rows = 0;
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < t->csv.count; i++) {
        double before = at;
        status = cell(t, i, (size_t)t->time, &at, diag);
        if (status == SQ_OK && i > 0 && at <= before) {
            struct sq_where where = { t->ask->file, t->csv.rows[i].line, 0 };
            status = sq_diag_error(diag, where, "time_s", NULL, "time does not go on here");
        }
        if (status != SQ_OK) {
            return status;
        }
        rows = isnan(t->ask->at_s) || at < t->ask->at_s ? i + 1 : rows;
    }
    if (rows == 0 || (!isnan(t->ask->at_s) && rows == t->csv.count && at + 1 < t->ask->at_s)) {
        return refuse_instant(t, at, diag);
    }
    w->last = rows - 1;
    w->first = w->last;
    status = cell(t, w->last, (size_t)t->time, &at, diag);
    while (status == SQ_OK && w->first > 0) {
        status = cell(t, w->first - 1, (size_t)t->time, &start, diag);
        if (at - start > t->ask->window_s) {
            break;
        }
        w->first--;
    }
    status = status == SQ_OK ? cell(t, w->first, (size_t)t->time, &start, diag) : status;
    w->seconds = at - start;
    return status;
}

static enum sq_status mean_arrivals(const struct table *t, struct window *w, struct sq_diag *diag)
{
    static const char *const arrivals[2] = { "producer.", ".arrivals_per_s" };
    enum sq_status status = SQ_OK;
    for (size_t i = w->first + 1; i <= w->last && status == SQ_OK; i++) {
        struct total total = { 0 };
        status = sum(t, i, arrivals, &total, diag);
        w->arrivals += status == SQ_OK ? total.sum / (double)(w->last - w->first) : 0;
        w->no_arrivals = total.columns == 0;
    }
    return status;
}

/* Jobs done in a part of the window, by what came and what is left of it. */
static enum sq_status done_in(const struct table *t, struct window *part, double *jobs,
                              struct sq_diag *diag)
{
    double then = 0, now = 0, from = 0, to = 0;
    enum sq_status status = cell(t, part->first, (size_t)t->time, &from, diag);
    status = status == SQ_OK ? cell(t, part->last, (size_t)t->time, &to, diag) : status;
    status = status == SQ_OK ? backlog_at(t, part->first, &then, diag) : status;
    status = status == SQ_OK ? backlog_at(t, part->last, &now, diag) : status;
    status = status == SQ_OK ? mean_arrivals(t, part, diag) : status;
    part->seconds = to - from;
    *jobs = part->arrivals * part->seconds - (now - then);
    return status;
}

/* A mean over a ramp is the throughput of no instant. The two halves of a window without one differ
 * by chance: of n jobs by sqrt(n). */
static enum sq_status see_halves(struct mdl_oncall *f, const struct table *t,
                                 const struct window *w, struct sq_diag *diag)
{
    size_t middle = w->first + (w->last - w->first) / 2;
    struct window early = { .first = w->first, .last = middle };
    struct window late = { .first = middle, .last = w->last };
    double a = 0, b = 0;
    if (middle == w->first) {
        return SQ_OK;
    }
    enum sq_status status = done_in(t, &early, &a, diag);
    status = status == SQ_OK ? done_in(t, &late, &b, diag) : status;
    double was = a / early.seconds, is = b / late.seconds, chance = 4 * sqrt(fmax(a + b, 0));
    if (status == SQ_OK && fabs(b - a) > chance && fabs(is - was) > 0.2 * fmax(is, was)) {
        f->early_per_s = was;
        f->late_per_s = is;
    }
    return status;
}

static enum sq_status measure(struct mdl_oncall *f, const struct table *t, struct sq_diag *diag)
{
    struct window w = { 0 };
    double now = 0, then = 0;
    enum sq_status status = find_window(t, &w, diag);
    status = status == SQ_OK ? backlog_at(t, w.last, &now, diag) : status;
    status = status == SQ_OK ? backlog_at(t, w.first, &then, diag) : status;
    status = status == SQ_OK ? mean_arrivals(t, &w, diag) : status;
    if (status != SQ_OK) {
        return status;
    }
    f->backlog = isnan(f->backlog) ? now : f->backlog;
    f->arrivals_per_s = w.arrivals;
    f->no_arrivals = w.no_arrivals;
    f->window_s = w.seconds;
    status = see_queues(f, t, &w, diag);
    if (status != SQ_OK) {
        return status;
    }
    if (isnan(f->cap_per_s) && isnan(f->permits)) {
        if (!(w.seconds > 0)) {
            return sq_diag_error(diag, (struct sq_where){ .file = t->ask->file }, "--window",
                                 "give a longer window, or --cap",
                                 "two rows at least are needed to measure a throughput");
        }
        f->cap_per_s = fmax(w.arrivals - (now - then) / w.seconds, 0);
        status = see_halves(f, t, &w, diag);
    }
    return status;
}

enum sq_status mdl_oncall_timeline(struct mdl_oncall *f, const struct mdl_timeline_ask *ask,
                                   struct sq_diag *diag)
{
    struct sq_arena arena = { 0 };
    struct sq_buf text = { 0 };
    struct table t = { .ask = ask, .arena = &arena };
    enum sq_status status = sq_file_read(ask->file, SQ_MAX_CSV_BYTES, &text, diag);
    status = status == SQ_OK ? sq_csv_parse(ask->file, &text, &arena, diag, &t.csv) : status;
    if (status == SQ_OK) {
        t.time = sq_csv_column(&t.csv, "time_s");
        if (t.time < 0) {
            struct sq_where where = { ask->file, t.csv.header.line, 0 };
            status = sq_diag_error(diag, where, NULL, "the first column of a timeline is time_s",
                                   "there is no column `time_s`");
        }
    }
    status = status == SQ_OK ? measure(f, &t, diag) : status;
    sq_buf_fini(&text);
    sq_arena_fini(&arena);
    return status;
}
