/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_adaptive.c - one row per kind of adaptive limit. */
#include "models/policy/mdl_adaptive.h"

#include "sim/base/sq_mem.h"
#include "sim/core/sq_stat.h"

#include <math.h>
#include <stdlib.h>

/* Every one begins with its scope and bounds. */
struct bounds {
    int scope;
    int64_t start, min, max;
};
struct aimd {
    struct bounds bounds;
    double decrease;
    sq_time_t slow;
};
struct vegas {
    struct bounds bounds;
    double probe_every;
};
struct gradient2 {
    struct bounds bounds;
    double tolerance, smoothing;
};
struct envoy {
    struct bounds bounds;
    double percentile;
    sq_time_t measure_every;
};

struct adaptive_row {
    struct sq_kind kind;
    void (*init)(const void *cfg, struct mdl_adaptive_state *s, double u);
    void (*note)(const void *cfg, struct mdl_adaptive_state *s,
                 const struct mdl_adaptive_sample *sample);
};

#define START_ROW(T, d) SQ_ROW_AMOUNT(T, bounds.start, "start", d, 1, 0, "Limit at time 0.")
#define MIN_ROW(T, d)   SQ_ROW_AMOUNT(T, bounds.min, "min", d, 1, 0, "Least limit.")
#define MAX_ROW(T, d)   SQ_ROW_AMOUNT(T, bounds.max, "max", d, 1, 0, "Largest limit.")

static const struct sq_field aimd_rows[] = {
    START_ROW(struct aimd, "20"),
    MIN_ROW(struct aimd, "20"),
    MAX_ROW(struct aimd, "200"),
    SQ_ROW_RATIO(struct aimd, decrease, "decrease", "0.9", SQ_F_ABOVE_MIN,
                 "Factor after a dropped or slow call."),
    SQ_ROW_TIME(struct aimd, slow, "slow", "5s", SQ_F_ABOVE_MIN,
                "Calls that take longer are slow."),
    MDL_ROW_SCOPE(struct aimd, bounds.scope),
};
static const struct sq_field vegas_rows[] = {
    START_ROW(struct vegas, "20"),
    MAX_ROW(struct vegas, "1000"),
    SQ_ROW_NUMBER(struct vegas, probe_every, "probe_every", "30", 0, 1e9, SQ_F_ABOVE_MIN,
                  "Times the limit: samples between two probes of the time without load."),
    MDL_ROW_SCOPE(struct vegas, bounds.scope),
};
static const struct sq_field gradient2_rows[] = {
    START_ROW(struct gradient2, "20"),
    MIN_ROW(struct gradient2, "20"),
    MAX_ROW(struct gradient2, "200"),
    SQ_ROW_NUMBER(struct gradient2, tolerance, "tolerance", "1.5", 1, 1000, 0,
                  "How much longer than on average a call may take."),
    SQ_ROW_RATIO(struct gradient2, smoothing, "smoothing", "0.2", SQ_F_ABOVE_MIN,
                 "Share of the new limit in each step."),
    MDL_ROW_SCOPE(struct gradient2, bounds.scope),
};
static const struct sq_field envoy_rows[] = {
    MIN_ROW(struct envoy, "3"),
    MAX_ROW(struct envoy, "1000"),
    SQ_ROW_RATIO(struct envoy, percentile, "percentile", "50%", SQ_F_ABOVE_MIN,
                 "Of the latencies of a window."),
    SQ_ROW_TIME(struct envoy, measure_every, "measure_every", "60s", SQ_F_ABOVE_MIN,
                "Between two measurements of the latency without load."),
    MDL_ROW_SCOPE(struct envoy, bounds.scope),
};

static double clamp(double x, double low, double high)
{
    return fmax(low, fmin(high, x));
}

static void simple_init(const void *cfg, struct mdl_adaptive_state *s, double u)
{
    const struct bounds *b = cfg;
    s->limit = (double)b->start;
    s->jitter = 0.5 + 0.5 * u;
    s->draws = 1;
}

/* ---- aimd ---- */

static void aimd_note(const void *cfg, struct mdl_adaptive_state *s,
                      const struct mdl_adaptive_sample *sample)
{
    const struct aimd *a = cfg;
    if (sample->end == MDL_ADAPTIVE_IGNORED) {
        return;
    }
    if (sample->end == MDL_ADAPTIVE_DROPPED || sample->rtt > a->slow) {
        s->limit = trunc(s->limit * a->decrease);
    } else if (2 * (double)sample->in_flight >= s->limit) {
        s->limit += 1;
    }
    s->limit = clamp(s->limit, (double)a->bounds.min, (double)a->bounds.max);
}

/* ---- vegas ---- */

static double log10_of(double limit)
{
    double digits = 0;
    for (int64_t n = (int64_t)limit; n >= 10; n /= 10) {
        digits++;
    }
    return fmax(digits, 1);
}

/* The limit after a sample that is neither a probe nor a new best time. */
static double vegas_limit(const struct mdl_adaptive_state *s,
                          const struct mdl_adaptive_sample *sample, double rtt)
{
    double queue = ceil(s->limit * (1 - s->best / rtt));
    double step = log10_of(s->limit);
    if (sample->end == MDL_ADAPTIVE_DROPPED) {
        return s->limit - step;
    }
    if (2 * (double)sample->in_flight < s->limit) {
        return s->limit;
    }
    if (queue <= step) {
        return s->limit + 6 * step;
    }
    if (queue < 3 * step) {
        return s->limit + step;
    }
    return queue > 6 * step ? s->limit - step : s->limit;
}

static void vegas_note(const void *cfg, struct mdl_adaptive_state *s,
                       const struct mdl_adaptive_sample *sample)
{
    const struct vegas *v = cfg;
    double rtt = (double)sq_max_i64(sample->rtt, 1);
    if (sample->end == MDL_ADAPTIVE_IGNORED) {
        return;
    }
    s->count++;
    if (s->jitter * v->probe_every * s->limit <= (double)s->count) {
        s->count = 0;
        s->jitter = 0.5 + 0.5 * sample->u;
        s->draws++;
        s->best = rtt;
    } else if (!(s->best > 0) || rtt < s->best) {
        s->best = rtt;
    } else {
        s->limit = clamp(vegas_limit(s, sample, rtt), 1, (double)v->bounds.max);
    }
}

/* ---- gradient2 ---- */

static void gradient2_note(const void *cfg, struct mdl_adaptive_state *s,
                           const struct mdl_adaptive_sample *sample)
{
    enum { WARM_UP = 10, WINDOW = 600, QUEUE = 4 };
    const struct gradient2 *g = cfg;
    double rtt = (double)sq_max_i64(sample->rtt, 1);
    if (sample->end == MDL_ADAPTIVE_IGNORED) {
        return;
    }
    if (s->count < WARM_UP) {
        s->best += rtt; /* their sum */
        s->average = s->best / (double)++s->count;
    } else {
        double weight = 2.0 / (WINDOW + 1);
        s->average = s->average * (1 - weight) + rtt * weight;
    }
    double average = s->average;
    if (average / rtt > 2) {
        s->average *= 0.95;
    }
    if ((double)sample->in_flight < s->limit / 2) {
        return;
    }
    double gradient = clamp(g->tolerance * average / rtt, 0.5, 1);
    double next = s->limit * gradient + QUEUE;
    next = s->limit * (1 - g->smoothing) + next * g->smoothing;
    s->limit = clamp(next, (double)g->bounds.min, (double)g->bounds.max);
}

/* ---- envoy ---- */

static const sq_time_t envoy_window = SQ_NS_PER_S / 10;

static void envoy_init(const void *cfg, struct mdl_adaptive_state *s, double u)
{
    (void)u;
    const struct bounds *b = cfg;
    s->limit = s->deferred = (double)b->min;
    s->measuring = true;
}

static int by_length(const void *a, const void *b)
{
    const sq_time_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The order statistic of the samples, which are forgotten. */
static double envoy_take(const struct envoy *e, struct mdl_adaptive_state *s)
{
    qsort(s->samples, s->sample_count, sizeof(*s->samples), by_length);
    int64_t rank = sq_stat_rank(e->percentile, s->sample_count);
    double value = (double)sq_max_i64(s->samples[rank - 1], 1);
    s->sample_count = 0;
    s->window_end = SQ_NEVER;
    return value;
}

static void envoy_measure(const struct envoy *e, struct mdl_adaptive_state *s, sq_time_t now)
{
    s->measuring = true;
    s->deferred = s->limit;
    s->limit = (double)e->bounds.min;
    s->sample_count = 0;
    s->window_end = SQ_NEVER;
    s->epoch = now;
    s->at_min = 0;
}

static void envoy_update(const struct envoy *e, struct mdl_adaptive_state *s, sq_time_t now)
{
    enum { AT_MIN = 5 };
    double min = (double)e->bounds.min, gradient = clamp(1.25 * s->best / envoy_take(e, s), 0.5, 2);
    double scaled = s->limit * gradient;
    double next = clamp(trunc(scaled + sqrt(scaled)), min, (double)e->bounds.max);
    bool stays = !(s->limit > min) && !(next > min);
    s->at_min = stays ? s->at_min + 1 : 0;
    s->limit = next;
    if (s->at_min >= AT_MIN) {
        s->measure_at = now;
    }
}

static void envoy_advance(const struct envoy *e, struct mdl_adaptive_state *s, sq_time_t now)
{
    if (!s->measuring && now >= s->window_end) {
        envoy_update(e, s, s->window_end);
    }
    if (!s->measuring && now >= s->measure_at) {
        envoy_measure(e, s, s->measure_at);
    }
}

static bool keep(struct mdl_adaptive_state *s, sq_time_t rtt)
{
    if (s->sample_count == s->sample_size) {
        uint32_t size = s->sample_size == 0 ? 64 : 2 * s->sample_size;
        sq_time_t *grown = sq_mem_resize(s->samples, size, sizeof(*grown));
        if (grown == NULL) {
            s->failed = true;
            return false;
        }
        s->samples = grown;
        s->sample_size = size;
    }
    s->samples[s->sample_count++] = rtt;
    return true;
}

static void envoy_note(const void *cfg, struct mdl_adaptive_state *s,
                       const struct mdl_adaptive_sample *sample)
{
    enum { REQUESTS = 50 };
    const struct envoy *e = cfg;
    bool early = s->epoch > sample->now - sample->rtt;
    if (!sample->answered || early || !keep(s, sample->rtt)) {
        return;
    }
    if (!s->measuring && s->sample_count == 1) {
        s->window_end = (sample->now / envoy_window + 1) * envoy_window;
    }
    if (s->measuring && s->sample_count >= REQUESTS) {
        s->best = envoy_take(e, s);
        s->measuring = false;
        s->limit = s->deferred;
        double wait = (double)e->measure_every * (1 + 0.15 * sample->u);
        s->draws++;
        s->measure_at = wait < 9e18 ? sq_time_add(sample->now, (sq_time_t)wait) : SQ_NEVER;
    }
}

/* ---- the rows ---- */

static void check_bounds(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct bounds *b = cfg;
    if (b->min > b->max || (b->start > 0 && (b->start < b->min || b->start > b->max))) {
        sq_diag_error(diag, node->where, path, "min <= start <= max",
                      "the limit starts at %lld, which is not between %lld and %lld",
                      (long long)(b->start > 0 ? b->start : b->min), (long long)b->min,
                      (long long)b->max);
    }
}

static const struct adaptive_row adaptive_rows[] = {
    { { .name = "aimd",
        .doc = "One more when all is well, a share less when a call is dropped or slow.",
        .table = { .rows = SQ_ROWS(aimd_rows),
                   .size = sizeof(struct aimd),
                   .check = check_bounds } },
      simple_init,
      aimd_note },
    { { .name = "vegas",
        .doc = "By the queue that the latency tells of.",
        .table = { .rows = SQ_ROWS(vegas_rows),
                   .size = sizeof(struct vegas),
                   .check = check_bounds } },
      simple_init,
      vegas_note },
    { { .name = "gradient2",
        .doc = "By the latency now against its long average.",
        .table = { .rows = SQ_ROWS(gradient2_rows),
                   .size = sizeof(struct gradient2),
                   .check = check_bounds } },
      simple_init,
      gradient2_note },
    { { .name = "envoy",
        .doc = "By the latency now against the latency without load, measured from time to time.",
        .table = { .rows = SQ_ROWS(envoy_rows),
                   .size = sizeof(struct envoy),
                   .check = check_bounds } },
      envoy_init,
      envoy_note },
};
const struct sq_family mdl_adaptive_family = {
    .type = "adaptive",
    .kinds = adaptive_rows,
    .kind_count = SQ_COUNT(adaptive_rows),
    .stride = sizeof(struct adaptive_row),
    .has_preset = true,
};

static const struct adaptive_row *row_of(const struct sq_block *b)
{
    return (const struct adaptive_row *)(const void *)b->kind;
}

void mdl_adaptive_init(const struct sq_block *b, struct mdl_adaptive_state *s, double u)
{
    *s = (struct mdl_adaptive_state){ .window_end = SQ_NEVER, .measure_at = SQ_NEVER };
    row_of(b)->init(b->cfg, s, u);
}

void mdl_adaptive_fini(struct mdl_adaptive_state *s)
{
    sq_mem_free(s->samples);
    s->samples = NULL;
}

void mdl_adaptive_advance(const struct sq_block *b, struct mdl_adaptive_state *s, sq_time_t now)
{
    if (row_of(b)->note == envoy_note) {
        envoy_advance(b->cfg, s, now);
    }
}

void mdl_adaptive_note(const struct sq_block *b, struct mdl_adaptive_state *s,
                       const struct mdl_adaptive_sample *sample)
{
    mdl_adaptive_advance(b, s, sample->now);
    row_of(b)->note(b->cfg, s, sample);
}

sq_time_t mdl_adaptive_next(const struct mdl_adaptive_state *s)
{
    return s->window_end;
}

int mdl_adaptive_scope(const struct sq_block *b)
{
    return *(const int *)b->cfg;
}
