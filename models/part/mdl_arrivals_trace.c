/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals_trace.c - arrivals from a CSV file. */
#include "models/part/mdl_arrivals_in.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

static const char *const reads_words[] = { "times", "counts", "rate", NULL };
enum { READS_TIMES, READS_COUNTS, READS_RATE };

/* Rows of next to nothing, in repetitions, that are looked at for the next arrival. */
enum { PATIENCE = 1 << 20 };

const struct sq_field mdl_trace_rows[MDL_TRACE_ROWS] = {
    SQ_ROW_TEXT(struct mdl_trace_cfg, ask.file, "file", NULL, 0, "CSV file, relative to this one."),
    SQ_ROW_TEXT(struct mdl_trace_cfg, ask.time, "time", NULL, SQ_F_OPTIONAL,
                "Column of times; without it the file is recognised, as by `squall import trace`."),
    SQ_ROW_TEXT(struct mdl_trace_cfg, ask.value, "value", NULL, SQ_F_OPTIONAL,
                "Column of counts or rates."),
    SQ_ROW_CHOICE(struct mdl_trace_cfg, reads, "reads", "times", reads_words, 0,
                  "times: a job at each row's time; counts, rate: so many in each row's bin. "
                  "Without `time`, times means as the file is recognised."),
    SQ_ROW_CHOICE(struct mdl_trace_cfg, ask.time_unit, "time_unit", "s", sq_trace_csv_units, 0,
                  "Unit of times that are numbers."),
    SQ_ROW_TIME(struct mdl_trace_cfg, skip_to, "skip_to", "0s", 0,
                "Leaves out the rows before this."),
    SQ_ROW_NUMBER(struct mdl_trace_cfg, scale, "scale", "1", 0, 1e9, 0,
                  "Multiplies counts and rates; with reads: times it must be 1."),
    SQ_ROW_BOOL(struct mdl_trace_cfg, repeat, "repeat", "false", 0, "Starts again at the end."),
};

/* A recognised file says itself what it holds. */
static int reads_of(const struct sq_trace *t, const struct mdl_trace_cfg *cfg)
{
    return t->reads == SQ_TRACE_AS_ASKED ? cfg->reads : (int)t->reads - (int)SQ_TRACE_TIMES;
}

static sq_time_t row_end(const struct sq_trace *t, uint64_t row)
{
    return row + 1 < t->count ? t->at_ns[row + 1] : t->end_ns;
}

/* The first row that is not over at skip_to; the count when all are. */
static uint64_t first_row(const struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg)
{
    uint64_t row = 0;
    while (row < a->trace->count && row_end(a->trace, row) <= cfg->skip_to) {
        row++;
    }
    return row;
}

/* Steps to the next row; false at the end of a trace that does not repeat. */
static bool trace_step(struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg)
{
    a->row++;
    if (a->row < a->trace->count) {
        return true;
    }
    if (!cfg->repeat || a->trace->end_ns <= cfg->skip_to) {
        return false;
    }
    a->shift = sq_time_add(a->shift, a->trace->end_ns - cfg->skip_to);
    a->row = first_row(a, cfg);
    return a->row < a->trace->count && a->shift < SQ_NEVER;
}

/* An instant of the trace in the time of the run. */
static sq_time_t shifted(const struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg,
                         sq_time_t at)
{
    return sq_time_add(a->shift, sq_max_i64(at - cfg->skip_to, 0));
}

static sq_time_t trace_time(struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg)
{
    do {
        if (a->row < a->trace->count && a->trace->at_ns[a->row] >= cfg->skip_to) {
            sq_time_t at = shifted(a, cfg, a->trace->at_ns[a->row]);
            a->left = trace_step(a, cfg) ? 1 : 0;
            return at;
        }
    } while (trace_step(a, cfg));
    a->left = 0;
    return SQ_NEVER;
}

/* What a row's count leaves after skip_to: of half a bin half the count. What rounding adds or
 * takes is made good in the rows after it, so that scaled rows of few arrivals keep their sum. */
static uint64_t count_of(struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg)
{
    sq_time_t from = a->trace->at_ns[a->row], until = row_end(a->trace, a->row);
    double share = (double)(until - sq_max_i64(from, cfg->skip_to)) / (double)(until - from);
    double exact = a->trace->values[a->row] * cfg->scale * share + a->rest;
    uint64_t whole = (uint64_t)(exact + 0.5);
    a->rest = exact - (double)whole;
    return whole;
}

/* Exactly as many arrivals in each bin as its count says, spread uniformly. */
static sq_time_t trace_count(struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg, uint64_t n)
{
    for (uint64_t steps = 0; a->left == 0; steps++) {
        bool more = a->open ? trace_step(a, cfg) : a->row < a->trace->count;
        if (!more || steps > a->trace->count + PATIENCE) { /* over, or a repetition of nothing */
            return SQ_NEVER;
        }
        a->open = true;
        a->left = count_of(a, cfg);
        a->lasts[0] = shifted(a, cfg, a->trace->at_ns[a->row]);
    }
    sq_time_t until = shifted(a, cfg, row_end(a->trace, a->row));
    return mdl_arrivals_spread(a->lasts[0], until, a->left--, mdl_arrivals_uniform(a, 0, n));
}

/* A Poisson process whose rate is that of the row in force. */
static sq_time_t trace_rate(struct mdl_arrivals *a, const struct mdl_trace_cfg *cfg, uint64_t n)
{
    double area = -sq_fn_log(mdl_arrivals_uniform(a, 0, n));
    sq_time_t from = a->lasts[0];
    for (uint64_t idle = 0; a->row < a->trace->count && idle <= a->trace->count; idle++) {
        sq_time_t until = shifted(a, cfg, row_end(a->trace, a->row));
        double rate = a->trace->values[a->row] * cfg->scale;
        double held = rate * sq_time_to_s(sq_max_i64(until - from, 0));
        if (held >= area) {
            return sq_time_add(from, sq_time_from_s(area / rate));
        }
        area -= held;
        idle = held > 0 ? 0 : idle;
        from = sq_max_i64(from, until);
        if (!trace_step(a, cfg)) {
            break;
        }
    }
    return SQ_NEVER;
}

sq_time_t mdl_trace_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct mdl_trace_cfg *t = cfg;
    uint64_t n = a->counts[source]++;
    SQ_ASSERT(a->trace != NULL);
    int reads = reads_of(a->trace, t);
    if (n == 0) {
        a->left = reads == READS_TIMES ? 1 : 0;
        a->row = reads == READS_TIMES ? 0 : first_row(a, t);
    }
    if (reads == READS_TIMES) {
        return a->left > 0 ? trace_time(a, t) : SQ_NEVER;
    }
    return reads == READS_COUNTS ? trace_count(a, t, n) : trace_rate(a, t, n);
}

/* Arrivals of the trace within a minute of the instant (of its repetition), per second. */
double mdl_trace_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    const struct mdl_trace_cfg *t = cfg;
    sq_time_t length = a->trace->end_ns - t->skip_to;
    at = t->repeat && length > 0 ? at % length : at;
    sq_time_t from = at + t->skip_to, until = from + 60 * SQ_NS_PER_S;
    double sum = 0;
    for (uint64_t i = 0; i < a->trace->count; i++) {
        sq_time_t start = a->trace->at_ns[i], end = row_end(a->trace, i);
        if (reads_of(a->trace, t) == READS_TIMES) {
            sum += start >= from && start < until ? 1 : 0;
            continue;
        }
        sq_time_t shared = sq_min_i64(end, until) - sq_max_i64(start, from);
        if (shared > 0) {
            double amount = a->trace->values[i] * t->scale;
            sum += reads_of(a->trace, t) == READS_RATE
                       ? amount * sq_time_to_s(shared)
                       : amount * (double)shared / (double)(end - start);
        }
    }
    return sum / 60;
}

void mdl_trace_check(const void *cfg, const struct sq_node *node, const char *path,
                     struct sq_diag *diag)
{
    const struct mdl_trace_cfg *t = cfg;
    if (t->ask.time == NULL) {
        return; /* what the file holds is not known yet */
    }
    if (t->reads != READS_TIMES && t->ask.value == NULL) {
        sq_diag_error(diag, node->where, path, "name the column of counts or rates",
                      "reads: %s needs `value`", reads_words[t->reads]);
    }
    if (t->reads == READS_TIMES && !(t->scale >= 1 && t->scale <= 1)) {
        sq_diag_error(diag, node->where, path, "use reads: counts", "reads: times takes no scale");
    }
}

const struct mdl_trace_ask *mdl_arrivals_trace(const struct sq_block *arrivals)
{
    if (((const struct mdl_arrivals_row *)(const void *)arrivals->kind)->next != mdl_trace_next) {
        return NULL;
    }
    struct mdl_trace_cfg *t = arrivals->cfg;
    t->ask.wants_value = t->reads != READS_TIMES;
    t->ask.reads = t->reads;
    t->ask.scaled = !(t->scale >= 1 && t->scale <= 1);
    return &t->ask;
}
