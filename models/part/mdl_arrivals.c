/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals.c - one row per kind of arrivals. */
#include "models/part/mdl_arrivals_in.h"

#include <string.h>

#include "models/policy/mdl_rate.h"
#include "sim/conf/sq_rows.h"

static const char *const start_words[] = { "at-once", "after-think", NULL };
static const char *const phase_words[] = { "random", "same", NULL };

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
struct closed {
    int64_t population, jobs_each;
    struct sq_block think;
    int start;
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
static const struct sq_field closed_rows[] = {
    SQ_ROW_AMOUNT_IN(struct closed, population, "population", NULL, 1, MDL_MEMBERS_MAX, 0,
                     "Members; each has one job at a time."),
    SQ_ROW_BLOCK(struct closed, think, "think", "0s", &mdl_dist_family, 0,
                 "From the end of a member's job, however it ended, to its next one."),
    SQ_ROW_AMOUNT(struct closed, jobs_each, "jobs_each", "unlimited", 1, SQ_F_UNLIMITED,
                  "Jobs of each member."),
    SQ_ROW_CHOICE(struct closed, start, "start", "at-once", start_words, 0,
                  "Whether members think before their first job."),
};

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

/* Instants are whole nanoseconds. Where gaps are so short that this matters (by more than 4e-6 of
 * the rate), what rounding adds or takes away is made good by the next gap. */
#define FAST_PER_S 1e7

static sq_time_t poisson_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct poisson *p = cfg;
    double gap = -sq_fn_log(mdl_arrivals_uniform(a, source, a->counts[source]));
    sq_time_t last = a->lasts[source];
    double rate = mdl_rate_at(&p->rate, last);
    a->counts[source]++;
    if (!(rate > FAST_PER_S)) {
        return mdl_rate_reach(&p->rate, last, gap);
    }
    gap += a->rest;
    sq_time_t at = gap > 0 ? mdl_rate_reach(&p->rate, last, gap) : last;
    a->rest = at != SQ_NEVER ? gap - rate * sq_time_to_s(at - last) : 0;
    return at;
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
    return r->phase == 0 ? mdl_arrivals_uniform(a, source, 0) : 0;
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
    return mdl_arrivals_spread(from, sq_time_add(c->at, c->over), (uint64_t)c->count - n,
                               mdl_arrivals_uniform(a, source, n));
}

/* ---- closed: a source is a member ---- */

static enum sq_status closed_open(struct mdl_arrivals *a, const void *cfg, struct sq_arena *arena)
{
    (void)arena;
    a->gap = mdl_dist_make(&((const struct closed *)cfg)->think);
    return SQ_OK;
}

static int64_t closed_sources(const void *cfg)
{
    return ((const struct closed *)cfg)->population;
}

static sq_time_t closed_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    const struct closed *c = cfg;
    uint64_t n = a->counts[source];
    if (c->jobs_each != SQ_UNLIMITED && n >= (uint64_t)c->jobs_each) {
        return SQ_NEVER;
    }
    a->counts[source]++;
    if (n == 0 && c->start == 0) {
        return a->lasts[source];
    }
    double u = mdl_arrivals_uniform(a, 0, mdl_member_ordinal(source, n));
    return sq_time_add(a->lasts[source], sq_dist_at(&a->gap, u));
}

/* As if jobs took no time: more than really come. Without thinking there is no such figure. */
static double closed_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    (void)at;
    double think = sq_dist_mean_s(&a->gap);
    return think > 0 ? (double)((const struct closed *)cfg)->population / think : 0;
}

static double closed_at_once(const void *cfg, sq_time_t until)
{
    const struct closed *c = cfg;
    return c->start == 0 && until > 0 ? (double)c->population : 0;
}

/* ---- none ---- */

static sq_time_t none_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    (void)a, (void)cfg, (void)source;
    return SQ_NEVER;
}

static double cohort_at_once(const void *cfg, sq_time_t until)
{
    const struct cohort *c = cfg;
    return c->over == 0 && c->at < until ? (double)c->count : 0;
}

static double bursts_at_once(const void *cfg, sq_time_t until)
{
    const struct mdl_bursts_cfg *c = cfg;
    return c->over == 0 && until > 0 ? (double)c->size : 0;
}

static const struct mdl_arrivals_row arrivals_rows[] = {
    { { .name = "poisson",
        .doc = "A Poisson process with this rate.",
        .table = { .rows = SQ_ROWS(poisson_rows), .size = sizeof(struct poisson) } },
      NULL,
      one_source,
      poisson_next,
      poisson_rate,
      NULL },
    { { .name = "regular",
        .doc = "Evenly spaced.",
        .table = { .rows = SQ_ROWS(regular_rows),
                   .size = sizeof(struct regular),
                   .check = check_regular } },
      NULL,
      regular_sources,
      regular_next,
      regular_rate,
      NULL },
    { { .name = "bursts",
        .doc = "In batches.",
        .table = { .rows = mdl_bursts_rows,
                   .row_count = MDL_BURSTS_ROWS,
                   .size = sizeof(struct mdl_bursts_cfg),
                   .check = mdl_bursts_check } },
      mdl_bursts_open,
      one_source,
      mdl_bursts_next,
      mdl_bursts_rate,
      bursts_at_once },
    { { .name = "cohort",
        .doc = "So many at once, or spread over a while.",
        .table = { .rows = SQ_ROWS(cohort_rows), .size = sizeof(struct cohort) } },
      NULL,
      one_source,
      cohort_next,
      no_rate,
      cohort_at_once },
    { { .name = "closed",
        .doc = "A population: when a member's job ended, it thinks and makes the next.",
        .table = { .rows = SQ_ROWS(closed_rows), .size = sizeof(struct closed) } },
      closed_open,
      closed_sources,
      closed_next,
      closed_rate,
      closed_at_once },
    { { .name = "trace",
        .doc = "From a CSV file.",
        .table = { .rows = mdl_trace_rows,
                   .row_count = MDL_TRACE_ROWS,
                   .size = sizeof(struct mdl_trace_cfg),
                   .check = mdl_trace_check } },
      NULL,
      one_source,
      mdl_trace_next,
      mdl_trace_rate,
      NULL },
    { { .name = "none", .doc = "Never." }, NULL, one_source, none_next, no_rate, NULL },
};

const struct sq_family mdl_arrivals_family = {
    .type = "arrivals",
    .kinds = arrivals_rows,
    .kind_count = SQ_COUNT(arrivals_rows),
    .stride = sizeof(struct mdl_arrivals_row),
};

static const struct mdl_arrivals_row *row_of(const struct sq_block *b)
{
    SQ_ASSERT(b->kind != NULL);
    return (const struct mdl_arrivals_row *)(const void *)b->kind;
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
    const struct mdl_arrivals_row *row = row_of(cfg);
    return row->open != NULL ? row->open(a, cfg->cfg, arena) : SQ_OK;
}

bool mdl_arrivals_is_closed(const struct sq_block *arrivals)
{
    return row_of(arrivals)->next == closed_next;
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

double mdl_arrivals_at_once(const struct sq_block *arrivals, sq_time_t until)
{
    const struct mdl_arrivals_row *row = row_of(arrivals);
    return row->at_once != NULL ? row->at_once(arrivals->cfg, until) : 0;
}

double mdl_arrivals_of_cohort(const struct sq_block *arrivals, sq_time_t from, sq_time_t to)
{
    const struct cohort *c = arrivals->cfg;
    if (strcmp(arrivals->kind->name, "cohort") != 0) {
        return 0;
    }
    if (c->over == 0) {
        return c->at >= from && c->at < to ? (double)c->count : 0;
    }
    sq_time_t end = sq_time_add(c->at, c->over);
    sq_time_t shared = sq_min_i64(end, to) - sq_max_i64(c->at, from);
    return shared > 0 ? (double)c->count * (double)shared / (double)c->over : 0;
}
