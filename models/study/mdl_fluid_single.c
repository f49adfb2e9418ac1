/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_fluid_single.c - what the fluid model says of every second, made into columns, metrics,
 * moments and remarks. */
#include "models/study/mdl_fluid_single.h"

#include "models/forecast/mdl_fluid.h"
#include "models/study/mdl_gather.h"
#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

/* Columns: sums over the bin, per second of it; levels at its end; the largest level in it. */
enum how { SUM, LEVEL, MOST };
#define SECOND(m) offsetof(struct mdl_drain_second, m)
struct column {
    const char *section, *quantity;
    enum how how;
    size_t at;
    bool controlled; /* only with a control */
};
static const struct column columns[] = {
    { "dependency", "calls_first_per_s", SUM, SECOND(first), false },
    { "dependency", "calls_retry_per_s", SUM, SECOND(retry), false },
    { "dependency", "goodput_per_s", SUM, SECOND(goodput), false },
    { "dependency", "refused_per_s", SUM, SECOND(refused), false },
    { "dependency", "errors_per_s", SUM, SECOND(errors), false },
    { "dependency", "timeouts_per_s", SUM, SECOND(timeouts), false },
    { "dependency", "in_flight", LEVEL, SECOND(inside), false },
    { "dependency", "in_flight_max", MOST, SECOND(inside), false },
    { "dependency", "capacity_per_s", LEVEL, SECOND(capacity_per_s), false },
    { "control", "limit", LEVEL, SECOND(limit), true },
    { "control", "in_use", LEVEL, SECOND(in_use), true },
    { "control", "waiting", LEVEL, SECOND(waiting), true },
    { "queue", "ready", LEVEL, SECOND(ready), false },
    { "queue", "delayed", LEVEL, SECOND(delayed), false },
    { "queue", "in_flight", LEVEL, SECOND(leased), false },
    { "workers", "busy_slots", LEVEL, SECOND(leased), false },
};
enum { COLUMNS = SQ_COUNT(columns), FLEET = 2, METRICS_MAX = 64 };

/* Metrics that are sums over the run, or the largest level in it. */
struct figure {
    const char *section, *name;
    enum how how;
    size_t at;
};
static const struct figure figures[] = {
    { "jobs", "completed", SUM, SECOND(completed) },
    { "jobs", "stale", SUM, SECOND(stale) },
    { "jobs", "superseded", SUM, SECOND(superseded) },
    { "jobs", "dead_lettered", SUM, SECOND(dead) },
    { "dependency", "calls_first", SUM, SECOND(first) },
    { "dependency", "calls_retry", SUM, SECOND(retry) },
    { "dependency", "goodput", SUM, SECOND(goodput) },
    { "dependency", "refused", SUM, SECOND(refused) },
    { "dependency", "errors", SUM, SECOND(errors) },
    { "dependency", "timeouts", SUM, SECOND(timeouts) },
    { "dependency", "in_flight_max", MOST, SECOND(inside) },
    { "control", "in_use_max", MOST, SECOND(in_use) },
    { "queue", "ready_max", MOST, SECOND(ready) },
    { "queue", "delayed_max", MOST, SECOND(delayed) },
};
enum { FIGURES = SQ_COUNT(figures) };

struct maker {
    bool (*stop)(void); /* polled; may be NULL */
    struct sq_result *r;
    struct mdl_world *w;
    struct mdl_fluid_parts parts;
    struct mdl_drain_result drain;
    float *bins[COLUMNS], *fleet[FLEET], **arrivals;
    size_t bin_size, seconds; /* seconds: of a bin */
    double sums[COLUMNS], *arrived, filled;
    double of[FIGURES], peak_per_s, peak_at_s, replicas_max;
    double left, left_then, tenth_s; /* jobs unfinished: at last, when the last tenth begins */
    bool down, failed;
};

static const char *entity_of(const struct maker *m, const char *section)
{
    if (strcmp(section, "queue") == 0) {
        return m->parts.queue->name;
    }
    if (strcmp(section, "workers") == 0) {
        return m->parts.pool->name;
    }
    return strcmp(section, "jobs") == 0 ? NULL : m->parts.dep->name;
}

/* ---- moments ---- */

enum { MOMENTS_MAX = 256 };

static void tell(struct maker *m, enum sq_moment_kind kind, double at_s, const char *text)
{
    struct sq_result *r = m->r;
    if (r->moment_count < MOMENTS_MAX && text != NULL) {
        sq_time_t at = sq_time_from_s(at_s);
        r->moments[r->moment_count++] =
            (struct sq_moment){ kind, at, at, m->parts.dep->name, text };
    }
    m->failed = m->failed || text == NULL;
}

static bool is_planned(const struct maker *m, sq_time_t at)
{
    const struct sq_list *outages = &m->parts.dep->cfg->outages;
    for (size_t i = 0; i < outages->count; i++) {
        const struct mdl_outage_cfg *o = mdl_outage_at(outages, i);
        if (o->at <= at && at < mdl_outage_over(o)) {
            return true;
        }
    }
    return false;
}

/* Down and up again, as it shows at the ends of seconds. */
static void tell_down(struct maker *m, const struct mdl_drain_second *s)
{
    struct sq_result *r = m->r;
    const char *name = m->parts.dep->name;
    if (s->down && !m->down) {
        double at = s->end_s - 1;
        bool planned = is_planned(m, sq_time_from_s(at));
        tell(m, planned ? SQ_MOMENT_OUTAGE : SQ_MOMENT_COLLAPSE, at,
             sq_arena_printf(&r->arena,
                             planned ? "%s goes down, as planned" : "%s goes down under its load",
                             name));
    } else if (!s->down && m->down && r->moment_count > 0) {
        for (size_t i = r->moment_count; i-- > 0;) {
            if (r->moments[i].kind == SQ_MOMENT_OUTAGE ||
                r->moments[i].kind == SQ_MOMENT_COLLAPSE) {
                r->moments[i].until_ns = sq_time_from_s(s->end_s - 1);
                break;
            }
        }
    }
    m->down = s->down;
}

/* ---- seconds into bins ---- */

static double value_of(const struct mdl_drain_second *s, size_t at)
{
    double v;
    memcpy(&v, (const char *)s + at, sizeof(v));
    return v;
}

static double added(enum how how, double sum, double value)
{
    return how == SUM ? sum + value : (how == LEVEL ? value : fmax(sum, value));
}

static void close_bin(struct maker *m, double end_s)
{
    struct sq_series *s = &m->r->series;
    size_t k = s->bin_count;
    double from = (double)k * (double)m->seconds;
    if (k >= m->bin_size || !(end_s > from)) {
        return;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double v = columns[i].how == SUM ? m->sums[i] / (end_s - from) : m->sums[i];
        m->bins[i][k] = isinf(v) ? (float)NAN : (float)v;
        m->sums[i] = 0;
    }
    for (size_t i = 0; i < m->w->producer_count; i++) {
        m->arrivals[i][k] = (float)(m->arrived[i] / (end_s - from));
        m->arrived[i] = 0;
    }
    s->bin_count++;
    s->end_ns = sq_time_from_s(end_s);
}

static void note(void *ctx, const struct mdl_drain_second *s)
{
    struct maker *m = ctx;
    size_t k = m->r->series.bin_count;
    double calls = s->first + s->retry;
    tell_down(m, s);
    m->left = s->ready + s->delayed + s->leased;
    m->left_then = s->end_s <= m->tenth_s ? m->left : m->left_then;
    for (size_t i = 0; i < COLUMNS; i++) {
        m->sums[i] = added(columns[i].how, m->sums[i], value_of(s, columns[i].at));
    }
    for (size_t i = 0; i < FIGURES; i++) {
        m->of[i] = added(figures[i].how, m->of[i], value_of(s, figures[i].at));
    }
    for (size_t i = 0; i < m->w->producer_count; i++) {
        m->arrived[i] += s->arrived[i];
    }
    double existing = s->existing > 0 ? (double)s->existing : (double)m->parts.pool->existing.now;
    m->replicas_max = fmax(m->replicas_max, existing);
    if (k < m->bin_size) {
        m->fleet[0][k] = (float)existing;
        m->fleet[1][k] = (float)(s->existing > 0 ? (double)s->ready_replicas : existing);
    }
    if (calls > m->peak_per_s * (1 + 1e-6)) {
        m->peak_per_s = calls;
        m->peak_at_s = s->end_s - 1;
    }
    m->filled = s->end_s;
    if (s->end_s >= (double)(k + 1) * (double)m->seconds - 1e-9) {
        close_bin(m, s->end_s);
    }
}

static float *add_column(struct maker *m, const char *section, const char *name,
                         const char *quantity)
{
    struct sq_series *s = &m->r->series;
    struct sq_column *c = &s->columns[s->column_count];
    c->name = sq_arena_printf(&m->r->arena, "%s.%s.%s", section, name, quantity);
    c->bins = sq_arena_alloc(&m->r->arena, m->bin_size + 1, sizeof(*c->bins));
    m->failed = m->failed || c->name == NULL || c->bins == NULL;
    s->column_count++;
    return c->bins;
}

static bool open_columns(struct maker *m)
{
    struct sq_result *r = m->r;
    const struct mdl_world *w = m->w;
    sq_time_t longest = sq_time_add(w->cfg.duration, w->cfg.tail);
    m->seconds = (size_t)(w->cfg.timeline / SQ_NS_PER_S);
    m->bin_size = (size_t)(longest / w->cfg.timeline) + 2;
    r->series.bin_ns = w->cfg.timeline;
    r->series.columns =
        sq_arena_alloc(&r->arena, COLUMNS + FLEET + w->producer_count, sizeof(*r->series.columns));
    m->arrivals = sq_arena_alloc(&r->arena, w->producer_count + 1, sizeof(*m->arrivals));
    m->arrived = sq_arena_alloc(&r->arena, w->producer_count + 1, sizeof(*m->arrived));
    r->moments = sq_arena_alloc(&r->arena, MOMENTS_MAX, sizeof(*r->moments));
    if (r->series.columns == NULL || m->arrivals == NULL || m->arrived == NULL ||
        r->moments == NULL) {
        return false;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i].controlled && !m->parts.dep->gate.active) {
            m->bins[i] = sq_arena_alloc(&r->arena, m->bin_size + 1, sizeof(float)); /* not shown */
            m->failed = m->failed || m->bins[i] == NULL;
            continue;
        }
        m->bins[i] = add_column(m, columns[i].section, entity_of(m, columns[i].section),
                                columns[i].quantity);
    }
    m->fleet[0] = add_column(m, "workers", m->parts.pool->name, "replicas");
    m->fleet[1] = add_column(m, "workers", m->parts.pool->name, "ready_replicas");
    for (size_t i = 0; i < w->producer_count; i++) {
        m->arrivals[i] = add_column(m, "producer", w->producers[i].name, "arrivals_per_s");
    }
    return !m->failed;
}

/* ---- metrics ---- */

static void put_as(struct maker *m, const char *name, double number, const char *word)
{
    struct sq_result *r = m->r;
    SQ_ASSERT(r->metric_count < METRICS_MAX);
    m->failed = m->failed || name == NULL;
    r->metric_names[r->metric_count] = name;
    r->runs[0].values[r->metric_count++] = (struct sq_value){ number, word };
}

static void put(struct maker *m, const char *section, const char *quantity, double number)
{
    const char *name = entity_of(m, section);
    put_as(m,
           name != NULL ? sq_arena_printf(&m->r->arena, "%s.%s.%s", section, name, quantity)
                        : sq_arena_printf(&m->r->arena, "%s.%s", section, quantity),
           number, NULL);
}

/* SCENARIO 12.4, from the slope of all unfinished jobs over the last tenth of the run. */
static const char *drain_word(const struct maker *m)
{
    double span = m->filled - m->tenth_s, slope = span > 0 ? (m->left - m->left_then) / span : 0;
    double rest = 10 * (m->filled - sq_time_to_s(m->w->ctx.t1_ns));
    double hundredth = m->drain.arrivals_per_s / 100;
    if (!isnan(m->drain.planned_s) || (slope < -hundredth && m->left < -slope * rest)) {
        return mdl_drain_word(MDL_DRAIN_CLEARS);
    }
    return mdl_drain_word(slope > hundredth ? MDL_DRAIN_WILL_NOT : MDL_DRAIN_STALLED);
}

static double after_t1(const struct maker *m, double at_s)
{
    return at_s - sq_time_to_s(m->w->ctx.t1_ns);
}

/* How jobs end that have failed too often: by the retry layer, unless the broker is first. */
static const char *dead_word(const struct maker *m)
{
    const struct mdl_retry_cfg *retry = m->parts.pool->cfg->retry;
    const struct mdl_queue_cfg *q = m->parts.queue->cfg;
    bool drops = retry != NULL && retry->give_up.kind != NULL &&
                 strcmp(retry->give_up.kind->name, "drop") == 0;
    bool broker = q->retry_as == MDL_RETRY_SAME && q->max_receives < mdl_retry_limit(retry);
    return drops && !broker ? "dropped" : "dead_lettered";
}

static void put_metrics(struct maker *m)
{
    bool t1 = m->w->ctx.t1_ns != SQ_NEVER;
    double calls = 0, first = 0;
    if (t1) {
        put_as(m, "drain.state", (double)NAN, drain_word(m));
        put_as(m, "drain.queue_clear_s", after_t1(m, m->drain.planned_s), NULL);
        put_as(m, "drain.last_job_s", after_t1(m, m->drain.planned_last_job_s), NULL);
    }
    put(m, "jobs", "arrived", m->drain.work.backlog + m->drain.work.arrived);
    for (size_t i = 0; i < FIGURES; i++) {
        bool controlled = strcmp(figures[i].section, "control") == 0;
        if (controlled && !m->parts.dep->gate.active) {
            continue;
        }
        put(m, figures[i].section, figures[i].at == SECOND(dead) ? dead_word(m) : figures[i].name,
            m->of[i]);
        first += figures[i].at == SECOND(first) ? m->of[i] : 0;
        calls += figures[i].at == SECOND(first) || figures[i].at == SECOND(retry) ? m->of[i] : 0;
    }
    put(m, "jobs", "unfinished", m->drain.work.left > 1e-6 ? m->drain.work.left : 0);
    put(m, "dependency", "awaited", m->drain.awaited);
    put(m, "dependency", "calls", calls);
    put(m, "dependency", "amplification", first > 0 ? calls / first : (double)NAN);
    put(m, "dependency", "peak_rate_per_s", m->peak_per_s);
    put(m, "dependency", "secondary_outages", m->drain.relapses);
    put(m, "workers", "replicas_max", m->replicas_max);
}

/* ---- where it is not to be trusted ---- */

static void remark(struct maker *m, const char *text)
{
    m->failed = m->failed || text == NULL;
    if (text != NULL) {
        m->r->remarks[m->r->remark_count++] = text;
    }
}

static void remark_load(struct maker *m)
{
    const struct mdl_drain_result *d = &m->drain;
    double load = d->capacity_per_s > 0 ? d->arrivals_per_s / d->capacity_per_s : 0;
    struct sq_buf b = { 0 };
    if (load > 0.9 && load < 1.1) {
        sq_buf_puts(&b, "near the knee: arrivals are ");
        sq_buf_number(&b, 100 * load, 3);
        sq_buf_puts(&b, " % of the capacity, where chance decides, and the fluid model has none");
        remark(m, sq_arena_text(&m->r->arena, b.text != NULL ? b.text : "", b.len));
    }
    sq_buf_fini(&b);
}

static void put_remarks(struct maker *m)
{
    struct sq_result *r = m->r;
    const struct mdl_dependency_cfg *dep = m->parts.dep->cfg;
    double servers = (double)(dep->nodes * dep->room.servers), few = 10;
    r->remarks = sq_arena_alloc(&r->arena, 8, sizeof(*r->remarks));
    if (r->remarks == NULL) {
        m->failed = true;
        return;
    }
    remark(m, "by the fluid model: no luck, no single waits, no odds of a collapse; leave out "
              "--fluid for those");
    remark_load(m);
    if (m->parts.pool->cfg->prefetch > 0 || m->parts.pool->cfg->acknowledge == MDL_ACK_BEFORE) {
        remark(m, "jobs that are fetched ahead count as ready, and running ones as leased, "
                  "acknowledged or not");
    }
    if (dep->room.servers != SQ_UNLIMITED && servers < few) {
        remark(m, sq_arena_printf(&r->arena,
                                  "few servers (%.0f): their waits are a matter of chance, and not "
                                  "in the fluid model",
                                  servers));
    }
    if (m->drain.trips > 0) {
        remark(m, sq_arena_printf(&r->arena,
                                  "the overload rule trips %.0f times: a threshold that all jobs "
                                  "pass at one instant here is passed by chance there; trust that "
                                  "it falls, not when",
                                  m->drain.trips));
    }
}

static void put_marks(struct maker *m)
{
    struct sq_result *r = m->r;
    struct sq_buf b = { 0 };
    double t1 = sq_time_to_s(m->w->ctx.t1_ns);
    if (m->w->ctx.t1_ns < r->series.end_ns) {
        tell(m, SQ_MOMENT_T1, t1, "the trigger is over (T1)");
    }
    if (m->peak_per_s > 0) {
        sq_buf_printf(&b, "most calls to %s in one second: ", m->parts.dep->name);
        sq_buf_number(&b, floor(m->peak_per_s + 0.5), 9);
        tell(m, SQ_MOMENT_PEAK, m->peak_at_s, sq_arena_text(&r->arena, b.text, b.len));
    }
    sq_buf_fini(&b);
    if (!isnan(m->drain.planned_s) && m->w->ctx.t1_ns != SQ_NEVER) {
        tell(m, SQ_MOMENT_QUEUE_CLEAR, m->drain.planned_s, "the ready queue is clear");
    }
    if (!isnan(m->drain.planned_last_job_s) && m->w->ctx.t1_ns != SQ_NEVER) {
        tell(m, SQ_MOMENT_LAST_JOB, m->drain.planned_last_job_s,
             "the last job of the outage is done");
    }
    for (size_t i = 1; i < r->moment_count; i++) { /* few: by insertion */
        struct sq_moment x = r->moments[i];
        size_t k = i;
        for (; k > 0 && r->moments[k - 1].at_ns > x.at_ns; k--) {
            r->moments[k] = r->moments[k - 1];
        }
        r->moments[k] = x;
    }
}

static enum sq_status make(struct maker *m)
{
    struct sq_result *r = m->r;
    struct mdl_fluid_note to = { note, m, m->stop };
    r->metric_names = sq_arena_alloc(&r->arena, METRICS_MAX, sizeof(*r->metric_names));
    r->runs = sq_arena_alloc(&r->arena, 1, sizeof(*r->runs));
    struct sq_value *values = sq_arena_alloc(&r->arena, METRICS_MAX, sizeof(*values));
    if (!open_columns(m) || r->metric_names == NULL || r->runs == NULL || values == NULL) {
        return SQ_NOMEM;
    }
    r->run_count = r->runs_wanted = 1;
    r->runs[0] = (struct sq_run){ 1, values };
    r->model = "fluid";
    double end_s = sq_time_to_s(sq_time_add(m->w->ctx.duration_ns, m->w->ctx.tail_ns));
    double t1_s = fmin(sq_time_to_s(m->w->ctx.t1_ns), end_s);
    m->tenth_s = t1_s + 0.9 * (end_s - t1_s);
    enum sq_status status = mdl_fluid_run(m->w, &to, &m->drain);
    if (status != SQ_OK) {
        return status;
    }
    close_bin(m, m->filled); /* a short one */
    put_metrics(m);
    put_marks(m);
    put_remarks(m);
    return m->failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status mdl_fluid_single(const struct mdl_scenario *s, bool (*stop)(void),
                                struct sq_result *out, struct sq_diag *diag)
{
    struct mdl_gather g;
    struct mdl_gather_ask ask = { 1, 1, 0 };
    struct mdl_world w = { 0 };
    struct maker m = { .r = out, .w = &w, .stop = stop };
    enum sq_status status = mdl_gather_open(&g, s, &ask, out);
    if (status != SQ_OK) {
        return status;
    }
    status = mdl_world_init(&w, s, 1);
    status = status == SQ_OK ? mdl_fluid_check(&w, &m.parts, diag) : status;
    status = status == SQ_OK ? make(&m) : status;
    mdl_world_fini(&w);
    return status;
}
