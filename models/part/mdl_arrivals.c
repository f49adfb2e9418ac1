/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals.c - one row per kind of arrivals. */
#include "models/part/mdl_arrivals.h"

#include "models/policy/mdl_rate.h"
#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

static const char *const phase_words[] = { "random", "same", NULL };
static const char *const reads_words[] = { "times", "counts", "rate", NULL };
enum { READS_TIMES, READS_COUNTS, READS_RATE };

struct poisson {
    struct sq_block rate;
};
struct regular {
    struct sq_block rate;
    int64_t sources;
    int phase;
};
struct cohort {
    int64_t count;
    sq_time_t at, over;
};
struct trace {
    struct mdl_trace_ask ask;
    int reads;
    sq_time_t skip_to;
    double scale;
    bool repeat;
};

struct arrivals_row {
    struct sq_kind kind;
    int64_t (*sources)(const void *cfg);
    sq_time_t (*next)(struct mdl_arrivals *a, const void *cfg, uint32_t source);
    double (*rate)(const struct mdl_arrivals *a, const void *cfg, sq_time_t at);
};

static const struct sq_field poisson_rows[] = {
    SQ_ROW_BLOCK(struct poisson, rate, "rate", NULL, &mdl_rate_family, SQ_F_STAR | SQ_F_LIVE,
                 "Jobs per time."),
};
static const struct sq_field regular_rows[] = {
    SQ_ROW_BLOCK(struct regular, rate, "rate", NULL, &mdl_rate_family, SQ_F_LIVE,
                 "Jobs per time, of all sources together."),
    SQ_ROW_AMOUNT_IN(struct regular, sources, "sources", "1", 1, 1e6, 0,
                     "Independent sources; each one makes a job every sources / rate."),
    SQ_ROW_CHOICE(struct regular, phase, "phase", "random", phase_words, 0,
                  "Whether each source starts at a random point of its period."),
};
static const struct sq_field cohort_rows[] = {
    SQ_ROW_AMOUNT(struct cohort, count, "count", NULL, 0, SQ_F_STAR, "How many jobs."),
    SQ_ROW_TIME(struct cohort, at, "at", "0s", 0, "When they come."),
    SQ_ROW_TIME(struct cohort, over, "over", "0s", 0,
                "They are spread over this time, uniformly at random."),
};
static const struct sq_field trace_rows[] = {
    SQ_ROW_TEXT(struct trace, ask.file, "file", NULL, 0, "CSV file, relative to this one."),
    SQ_ROW_TEXT(struct trace, ask.time, "time", NULL, 0, "Column of times."),
    SQ_ROW_TEXT(struct trace, ask.value, "value", NULL, SQ_F_OPTIONAL,
                "Column of counts or rates."),
    SQ_ROW_CHOICE(struct trace, reads, "reads", "times", reads_words, 0,
                  "times: a job at each row's time; counts, rate: so many in each row's bin."),
    SQ_ROW_CHOICE(struct trace, ask.time_unit, "time_unit", "s", sq_trace_csv_units, 0,
                  "Unit of times that are numbers."),
    SQ_ROW_TIME(struct trace, skip_to, "skip_to", "0s", 0, "Leaves out the rows before this."),
    SQ_ROW_NUMBER(struct trace, scale, "scale", "1", 0, 1e9, 0,
                  "Multiplies counts and rates; with reads: times it must be 1."),
    SQ_ROW_BOOL(struct trace, repeat, "repeat", "false", 0, "Starts again at the end."),
};

static double uniform(const struct mdl_arrivals *a, uint32_t source, uint64_t index)
{
    return sq_luck_uniform(a->luck, a->stream, index, source, 0);
}

/* The smallest of `left` instants spread uniformly over (from, until): the next one in order.
 * The minimum of m uniforms is 1 - (1 - u)^(1/m). */
static sq_time_t spread_next(sq_time_t from, sq_time_t until, uint64_t left, double u)
{
    double x = 1 - sq_fn_pow(1 - u, 1 / (double)left);
    sq_time_t step = (sq_time_t)(x * (double)(until - from));
    return from + sq_min_i64(step, until - from);
}

static int64_t one_source(const void *cfg)
{
    (void)cfg;
    return 1;
}

static double no_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    (void)a, (void)cfg, (void)at;
    return 0;
}

/* ---- poisson ---- */

static sq_time_t poisson_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct poisson *p = cfg;
    double gap = -sq_fn_log(uniform(a, source, a->counts[source]));
    a->counts[source]++;
    return mdl_rate_reach(&p->rate, a->lasts[source], gap);
}

static double poisson_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    (void)a;
    return mdl_rate_at(&((const struct poisson *)cfg)->rate, at);
}

/* ---- regular ---- */

static int64_t regular_sources(const void *cfg)
{
    return ((const struct regular *)cfg)->sources;
}

static double phase_of(const struct mdl_arrivals *a, const struct regular *r, uint32_t source)
{
    return r->phase == 0 ? uniform(a, source, 0) : 0;
}

/* Sources of one constant rate stay on a lattice: phase, phase + 1 period, ... without drift. */
static sq_time_t regular_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct regular *r = cfg;
    uint64_t n = a->counts[source]++;
    double rate = mdl_rate_at(&r->rate, a->lasts[source]);
    if (r->sources > 1 || mdl_rate_is_constant(&r->rate)) {
        if (!(rate > 0)) {
            return SQ_NEVER;
        }
        if (a->varied) {
            sq_time_t period = sq_time_from_s((double)r->sources / rate);
            return sq_time_add(a->lasts[source], period);
        }
        double periods = phase_of(a, r, source) + (double)n;
        return sq_time_from_s(periods * (double)r->sources / rate);
    }
    return mdl_rate_reach(&r->rate, a->lasts[source], n == 0 ? phase_of(a, r, source) : 1);
}

static double regular_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    (void)a;
    return mdl_rate_at(&((const struct regular *)cfg)->rate, at);
}

static void check_regular(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct regular *r = cfg;
    if (r->sources > 1 && !mdl_rate_is_constant(&r->rate)) {
        sq_diag_error(diag, node->where, path, "use sources: 1 or a constant rate",
                      "a varying rate needs one source");
    }
}

/* ---- cohort ---- */

static sq_time_t cohort_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct cohort *c = cfg;
    uint64_t n = a->counts[source]++;
    if (n >= (uint64_t)c->count) {
        return SQ_NEVER;
    }
    if (c->over == 0) {
        return c->at;
    }
    sq_time_t from = n == 0 ? c->at : a->lasts[source];
    return spread_next(from, sq_time_add(c->at, c->over), (uint64_t)c->count - n,
                       uniform(a, source, n));
}

/* ---- trace ---- */

static sq_time_t row_end(const struct sq_trace *t, uint64_t row)
{
    return row + 1 < t->count ? t->at_ns[row + 1] : t->end_ns;
}

/* Steps to the next row; false at the end of a trace that does not repeat. */
static bool trace_step(struct mdl_arrivals *a, const struct trace *cfg)
{
    a->row++;
    if (a->row < a->trace->count) {
        return true;
    }
    if (!cfg->repeat || a->trace->end_ns <= cfg->skip_to) {
        return false;
    }
    a->shift = sq_time_add(a->shift, a->trace->end_ns - cfg->skip_to);
    a->row = 0;
    while (a->row < a->trace->count && row_end(a->trace, a->row) <= cfg->skip_to) {
        a->row++;
    }
    return a->row < a->trace->count;
}

/* An instant of the trace in the time of the run. */
static sq_time_t shifted(const struct mdl_arrivals *a, const struct trace *cfg, sq_time_t at)
{
    return sq_time_add(a->shift, sq_max_i64(at - cfg->skip_to, 0));
}

static sq_time_t trace_time(struct mdl_arrivals *a, const struct trace *cfg)
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

/* Exactly as many arrivals in each bin as its count says, spread uniformly. */
static sq_time_t trace_count(struct mdl_arrivals *a, const struct trace *cfg, uint64_t n)
{
    while (a->left == 0) {
        if (!trace_step(a, cfg)) {
            return SQ_NEVER;
        }
        a->left = (uint64_t)(a->trace->values[a->row] * cfg->scale + 0.5);
        a->lasts[0] = shifted(a, cfg, a->trace->at_ns[a->row]);
    }
    sq_time_t until = shifted(a, cfg, row_end(a->trace, a->row));
    return spread_next(a->lasts[0], until, a->left--, uniform(a, 0, n));
}

/* A Poisson process whose rate is that of the row in force. */
static sq_time_t trace_rate(struct mdl_arrivals *a, const struct trace *cfg, uint64_t n)
{
    double area = -sq_fn_log(uniform(a, 0, n));
    sq_time_t from = a->lasts[0];
    for (;;) {
        sq_time_t until = shifted(a, cfg, row_end(a->trace, a->row));
        double rate = a->trace->values[a->row] * cfg->scale;
        double held = rate * sq_time_to_s(sq_max_i64(until - from, 0));
        if (held >= area) {
            return sq_time_add(from, sq_time_from_s(area / rate));
        }
        area -= held;
        from = sq_max_i64(from, until);
        if (!trace_step(a, cfg)) {
            return SQ_NEVER;
        }
    }
}

static sq_time_t trace_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct trace *t = cfg;
    uint64_t n = a->counts[source]++;
    SQ_ASSERT(a->trace != NULL);
    if (n == 0) { /* `row` counts from -1 for counts: the first step leads to row 0 */
        a->left = t->reads == READS_TIMES ? 1 : 0;
        a->row = t->reads == READS_COUNTS ? UINT64_MAX : 0;
        while (t->reads != READS_TIMES && a->row + 1 < a->trace->count &&
               row_end(a->trace, a->row + (t->reads == READS_COUNTS ? 1 : 0)) <= t->skip_to) {
            a->row++;
        }
    }
    if (t->reads == READS_TIMES) {
        return a->left > 0 ? trace_time(a, t) : SQ_NEVER;
    }
    return t->reads == READS_COUNTS ? trace_count(a, t, n) : trace_rate(a, t, n);
}

/* Arrivals of the trace within a minute of the instant, per second. */
static double trace_mean(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    const struct trace *t = cfg;
    sq_time_t from = at + t->skip_to, until = from + 60 * SQ_NS_PER_S;
    double sum = 0;
    for (uint64_t i = 0; i < a->trace->count; i++) {
        sq_time_t start = a->trace->at_ns[i], end = row_end(a->trace, i);
        if (t->reads == READS_TIMES) {
            sum += start >= from && start < until ? 1 : 0;
            continue;
        }
        sq_time_t shared = sq_min_i64(end, until) - sq_max_i64(start, from);
        if (shared > 0) {
            double amount = a->trace->values[i] * t->scale;
            sum += t->reads == READS_RATE ? amount * sq_time_to_s(shared)
                                          : amount * (double)shared / (double)(end - start);
        }
    }
    return sum / 60;
}

static void check_trace(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct trace *t = cfg;
    if (t->reads != READS_TIMES && t->ask.value == NULL) {
        sq_diag_error(diag, node->where, path, "name the column of counts or rates",
                      "reads: %s needs `value`", reads_words[t->reads]);
    }
    if (t->reads == READS_TIMES && !(t->scale >= 1 && t->scale <= 1)) {
        sq_diag_error(diag, node->where, path, "use reads: counts", "reads: times takes no scale");
    }
}

/* ---- none ---- */

static sq_time_t none_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    (void)a, (void)cfg, (void)source;
    return SQ_NEVER;
}

static const struct arrivals_row arrivals_rows[] = {
    { { .name = "poisson",
        .doc = "A Poisson process with this rate.",
        .table = { .rows = SQ_ROWS(poisson_rows), .size = sizeof(struct poisson) } },
      one_source,
      poisson_next,
      poisson_rate },
    { { .name = "regular",
        .doc = "Evenly spaced.",
        .table = { .rows = SQ_ROWS(regular_rows),
                   .size = sizeof(struct regular),
                   .check = check_regular } },
      regular_sources,
      regular_next,
      regular_rate },
    { { .name = "cohort",
        .doc = "So many at once, or spread over a while.",
        .table = { .rows = SQ_ROWS(cohort_rows), .size = sizeof(struct cohort) } },
      one_source,
      cohort_next,
      no_rate },
    { { .name = "trace",
        .doc = "From a CSV file.",
        .table = { .rows = SQ_ROWS(trace_rows),
                   .size = sizeof(struct trace),
                   .check = check_trace } },
      one_source,
      trace_next,
      trace_mean },
    { { .name = "none", .doc = "Never." }, one_source, none_next, no_rate },
    { { .name = "bursts", .doc = "In batches.", .later = true }, NULL, NULL, NULL },
    { { .name = "closed", .doc = "A population with think time.", .later = true },
      NULL,
      NULL,
      NULL },
};

const struct sq_family mdl_arrivals_family = {
    .type = "arrivals",
    .kinds = arrivals_rows,
    .kind_count = SQ_COUNT(arrivals_rows),
    .stride = sizeof(struct arrivals_row),
};

static const struct arrivals_row *row_of(const struct sq_block *b)
{
    SQ_ASSERT(b->kind != NULL);
    return (const struct arrivals_row *)(const void *)b->kind;
}

const struct mdl_trace_ask *mdl_arrivals_trace(const struct sq_block *arrivals)
{
    if (row_of(arrivals)->next != trace_next) {
        return NULL;
    }
    struct trace *t = arrivals->cfg;
    t->ask.wants_value = t->reads != READS_TIMES;
    return &t->ask;
}

enum sq_status mdl_arrivals_init(struct mdl_arrivals *a, const struct sq_block *cfg,
                                 const struct sq_luck *luck, uint32_t stream,
                                 struct sq_arena *arena)
{
    uint32_t sources = (uint32_t)row_of(cfg)->sources(cfg->cfg);
    uint64_t *counts = sq_arena_alloc(arena, sources, sizeof(*counts));
    sq_time_t *lasts = sq_arena_alloc(arena, sources, sizeof(*lasts));
    if (counts == NULL || lasts == NULL) {
        return SQ_NOMEM;
    }
    *a = (struct mdl_arrivals){ .cfg = cfg,
                                .luck = luck,
                                .stream = stream,
                                .sources = sources,
                                .counts = counts,
                                .lasts = lasts };
    return SQ_OK;
}

sq_time_t mdl_arrivals_next(struct mdl_arrivals *a, uint32_t source)
{
    SQ_ASSERT(source < a->sources);
    sq_time_t at = row_of(a->cfg)->next(a, a->cfg->cfg, source);
    a->lasts[source] = sq_max_i64(at, a->lasts[source]);
    return a->lasts[source];
}

void mdl_arrivals_changed(struct mdl_arrivals *a, sq_time_t now)
{
    a->varied = true;
    for (uint32_t i = 0; i < a->sources; i++) {
        a->lasts[i] = now;
    }
}

double mdl_arrivals_rate(const struct mdl_arrivals *a, sq_time_t at)
{
    return row_of(a->cfg)->rate(a, a->cfg->cfg, at);
}
