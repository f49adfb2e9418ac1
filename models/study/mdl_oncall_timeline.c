/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall_timeline.c - reading a timeline for a forecast. */
#include "models/study/mdl_oncall_timeline.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"

#include <math.h>
#include <string.h>

struct table {
    struct sq_csv csv;
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
};

static enum sq_status find_window(const struct table *t, struct window *w, struct sq_diag *diag)
{
    double at = 0, start = 0;
    size_t rows = 0;
    for (size_t i = 0; i < t->csv.count; i++) {
        enum sq_status status = cell(t, i, (size_t)t->time, &at, diag);
        if (status != SQ_OK) {
            return status;
        }
        if (!isnan(t->ask->at_s) && at >= t->ask->at_s) {
            break;
        }
        rows = i + 1;
    }
    if (rows == 0 || (!isnan(t->ask->at_s) && rows == t->csv.count && at + 1 < t->ask->at_s)) {
        return sq_diag_error(diag, (struct sq_where){ .file = t->ask->file }, "--at", NULL,
                             "the timeline has no row at this instant");
    }
    w->last = rows - 1;
    w->first = w->last;
    enum sq_status status = cell(t, w->last, (size_t)t->time, &at, diag);
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
        struct total total;
        status = sum(t, i, arrivals, &total, diag);
        w->arrivals += status == SQ_OK ? total.sum / (double)(w->last - w->first) : 0;
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
    if (isnan(f->cap_per_s) && isnan(f->permits)) {
        if (!(w.seconds > 0)) {
            return sq_diag_error(diag, (struct sq_where){ .file = t->ask->file }, "--window",
                                 "give a longer window, or --cap",
                                 "two rows at least are needed to measure a throughput");
        }
        f->cap_per_s = fmax(w.arrivals - (now - then) / w.seconds, 0);
    }
    return SQ_OK;
}

enum sq_status mdl_oncall_timeline(struct mdl_oncall *f, const struct mdl_timeline_ask *ask,
                                   struct sq_diag *diag)
{
    struct sq_arena arena = { 0 };
    struct sq_buf text = { 0 };
    struct table t = { .ask = ask };
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
