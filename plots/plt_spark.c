/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_spark.c - charts of a few lines, eight levels a line. */
#include "plots/plt_spark.h"

#include <math.h>

#include "plots/plt_pick.h"
#include "plots/plt_scale.h"
#include "plots/plt_words.h"

enum { LABEL = 11, CALL_LINES = 6, QUEUE_LINES = 3 };

struct spark {
    struct plt_stack stack; /* the lower one is there, the upper one may be NULL */
    double top;             /* columns above it end in an arrow */
    double level;           /* a dotted line at this height; 0: none */
    unsigned lines;
};

static void put_label(struct plt_text *t, double value)
{
    struct sq_buf b = { 0 };
    plt_put_count(&b, value);
    if (!b.failed && b.len <= LABEL - 2) {
        plt_text_to(t, LABEL - 2 - (unsigned)b.len);
        plt_text_put(t, b.text);
    }
    t->out->failed = t->out->failed || b.failed;
    sq_buf_fini(&b);
}

/* One cell: how much of line `line` (0 is the lowest) a column of that height fills. */
static const char *cell(const struct plt_text *t, const struct spark *s, double value,
                        unsigned line)
{
    static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char *const plain[] = { " ", ".", ".", ".", ":", ":", ":", "#", "#" };
    double per_line = s->top / s->lines;
    if (line + 1 == s->lines && value > s->top * (1 + 1e-9)) {
        return t->utf8 ? "▲" : "^";
    }
    double eighths = floor((value / per_line - line) * 8 + 0.5);
    if (line == 0 && value > 0 && eighths < 1) {
        eighths = 1; /* little is not nothing */
    }
    if (eighths >= 1) {
        unsigned filled = eighths > 8 ? 8 : (unsigned)eighths;
        return t->utf8 ? blocks[filled] : plain[filled];
    }
    bool dotted = s->level > per_line * line && s->level <= per_line * (line + 1);
    return !dotted ? " " : t->utf8 ? "┄" : "-";
}

static void put_lines(struct plt_text *t, const struct plt_view *v, const struct spark *s)
{
    for (unsigned line = s->lines; line-- > 0;) {
        double per_line = s->top / s->lines;
        bool dotted = s->level > per_line * line && s->level <= per_line * (line + 1);
        if (line + 1 == s->lines) {
            put_label(t, s->top);
        } else if (dotted) {
            put_label(t, s->level);
        } else if (line == 0) {
            put_label(t, 0);
        }
        plt_text_to(t, LABEL - 2);
        plt_text_put(t, t->utf8 ? " │" : " |");
        for (size_t i = 0; i < v->columns; i++) {
            size_t bin = plt_view_top(v, i, &s->stack);
            const float *lower = s->stack.bins[0];
            const float *upper = s->stack.bins[1];
            double low = isfinite(lower[bin]) ? (double)lower[bin] : 0;
            double high = upper != NULL && isfinite(upper[bin]) ? (double)upper[bin] : 0;
            plt_text_put(t, cell(t, s, low + high, line));
        }
        plt_text_end(t);
    }
}

/* The same rule as in the drawn chart: a peak far above the capacity is cut, and said so. */
static void put_calls(struct plt_text *t, const struct sq_result *r, const struct plt_view *v,
                      const struct plt_entity *e)
{
    const struct sq_series *series = &r->series;
    const float *capacity = plt_column(series, "dependency", e, "capacity_per_s");
    struct spark s = { .stack = { { plt_column(series, "dependency", e, "calls_first_per_s"),
                                    plt_column(series, "dependency", e, "calls_retry_per_s") } },
                       .lines = CALL_LINES };
    size_t bin = 0;
    double max = plt_view_max(v, &s.stack, &bin);
    double peak = plt_entity_value(r, 0, "dependency", e, "peak_rate_per_s");
    const struct plt_stack line = { { capacity } };
    s.level = plt_view_max(v, &line, &bin);
    s.top = fmax(fmax(max, s.level), 1e-9);
    bool cut = s.level > 0 && max > 4 * s.level;
    if (cut) {
        s.top = plt_round_up(s.level * 1.8);
    }
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "Calls per second to %.*s, retries included", (int)e->len, e->name);
    sq_buf_puts(&b, cut ? (t->utf8 ? "; ▲ beyond the chart: peak " : "; ^ beyond the chart: peak ")
                        : "; peak ");
    plt_put_rate(&b, isfinite(peak) ? peak : max);
    if (s.level > 0) {
        sq_buf_puts(&b, t->utf8 ? "; ┄ capacity " : "; - capacity ");
        plt_put_rate(&b, s.level);
    }
    plt_text_wrap(t, b.failed ? "" : b.text, 2);
    plt_text_end(t);
    t->out->failed = t->out->failed || b.failed;
    sq_buf_fini(&b);
    put_lines(t, v, &s);
}

static void put_queue(struct plt_text *t, const struct sq_result *r, const struct plt_view *v,
                      const struct plt_entity *e)
{
    struct spark s = { .stack = { { plt_column(&r->series, "queue", e, "ready"),
                                    plt_column(&r->series, "queue", e, "delayed") } },
                       .lines = QUEUE_LINES };
    size_t bin = 0;
    double max = plt_view_max(v, &s.stack, &bin);
    s.top = max > 0 ? max : 1;
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "Jobs in queue %.*s, ready and delayed; max ", (int)e->len, e->name);
    plt_put_count(&b, max);
    plt_text_wrap(t, b.failed ? "" : b.text, 2);
    plt_text_end(t);
    t->out->failed = t->out->failed || b.failed;
    sq_buf_fini(&b);
    put_lines(t, v, &s);
}

static void put_axis(struct plt_text *t, const struct plt_view *v, double end_s)
{
    struct plt_ticks ticks;
    size_t most = v->columns / 9;
    plt_ticks_time(&ticks, end_s, most < 2 ? 2 : most > 12 ? 12 : most);
    for (size_t i = 0; i < ticks.count; i++) {
        unsigned at = LABEL + (unsigned)(ticks.at[i] / end_s * (double)v->columns);
        struct sq_buf b = { 0 };
        plt_put_time_tick(&b, ticks.at[i]);
        bool fits = !b.failed && at >= t->column && at + b.len <= t->width;
        if (fits) {
            plt_text_to(t, at);
            plt_text_put(t, b.text);
        }
        sq_buf_fini(&b);
    }
    plt_text_end(t);
}

/* What the worst thing was in a column: 2 a collapse, 1 an outage, 0 neither. */
static int column_state(const struct sq_result *r, const struct plt_view *v, size_t column)
{
    sq_time_t from = (sq_time_t)plt_view_first(v, column) * r->series.bin_ns;
    sq_time_t to = (sq_time_t)plt_view_first(v, column + 1) * r->series.bin_ns;
    to = to > from ? to : from + r->series.bin_ns; /* one of several columns of a bin */
    int state = 0;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        if (m->at_ns >= to || m->until_ns <= from) {
            continue;
        }
        if (m->kind == SQ_MOMENT_COLLAPSE) {
            return 2;
        }
        state = m->kind == SQ_MOMENT_OUTAGE ? 1 : state;
    }
    return state;
}

static void put_states(struct plt_text *t, const struct sq_result *r, const struct plt_view *v)
{
    static const char *const blocks[] = { " ", "░", "▓" }, *const plain[] = { " ", "o", "X" };
    static const enum plt_colour colours[] = { PLT_PLAIN, PLT_YELLOW, PLT_RED };
    bool outage = plt_moment(r, SQ_MOMENT_OUTAGE) != NULL;
    bool collapse = plt_moment(r, SQ_MOMENT_COLLAPSE) != NULL;
    if (!outage && !collapse) {
        return;
    }
    const char *const *marks = t->utf8 ? blocks : plain;
    int last = 0;
    plt_text_to(t, LABEL);
    for (size_t i = 0; i < v->columns; i++) {
        int state = column_state(r, v, i);
        if (state != last) {
            plt_text_colour(t, colours[state]);
        }
        plt_text_put(t, marks[state]);
        last = state;
    }
    if (last != 0) {
        plt_text_colour(t, PLT_PLAIN);
    }
    plt_text_end(t);
    plt_text_to(t, LABEL);
    plt_text_put(t, outage ? marks[1] : "");
    plt_text_put(t, outage ? " outage   " : "");
    plt_text_put(t, collapse ? marks[2] : "");
    plt_text_put(t, collapse ? " down by its own load" : "");
    plt_text_end(t);
}

void plt_spark(struct plt_text *t, const struct sq_result *r)
{
    const struct sq_series *s = &r->series;
    struct plt_entities dependencies, queues;
    plt_pick_columns(&dependencies, s, "dependency", "calls_first_per_s");
    plt_pick_columns(&queues, s, "queue", "ready");
    if (s->bin_count == 0 || s->end_ns <= 0 || dependencies.count + queues.count == 0) {
        return;
    }
    sq_time_t end = plt_interesting_end(r);
    size_t room = t->width - LABEL - 1;
    struct plt_view v = { s, (size_t)((end + s->bin_ns - 1) / s->bin_ns), 0 };
    v.bins = v.bins < s->bin_count ? v.bins : s->bin_count;
    v.columns = v.bins < room ? v.bins * (room / v.bins) : room; /* few bins are wide ones */
    if (dependencies.count > 0) {
        put_calls(t, r, &v, &dependencies.list[0]);
    }
    if (queues.count > 0) {
        put_queue(t, r, &v, &queues.list[0]);
    }
    put_axis(t, &v, sq_time_to_s(end));
    put_states(t, r, &v);
    plt_text_end(t);
}
