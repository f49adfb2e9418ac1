/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_marks.c - collecting and judging the marks of a run. */
#include "models/mdl_marks.h"

#include "sim/core/sq_infer.h"

#include <math.h>

#define BASELINE_MIN (10 * SQ_NS_PER_S)
#define CHANCE       1e-6

/* ---- spans ---- */

static void span_close(struct mdl_marks *m, struct mdl_spans *s, sq_time_t now, sq_time_t shortest)
{
    sq_time_t from = s->open_since;
    s->open_since = SQ_NEVER;
    if (now - from < shortest || now == from) {
        return;
    }
    if (s->count > 0 && s->items[s->count - 1].until == from) {
        s->items[s->count - 1].until = now;
        return;
    }
    if (s->count == s->size) {
        size_t size = s->size == 0 ? 16 : 2 * s->size;
        struct mdl_span *grown = sq_mem_resize(s->items, size, sizeof(*grown));
        if (grown == NULL) {
            m->failed = true;
            return;
        }
        s->items = grown;
        s->size = size;
    }
    s->items[s->count++] = (struct mdl_span){ from, now };
}

/* ---- collecting ---- */

enum sq_status mdl_marks_init(struct mdl_marks *m, const struct mdl_marks_ask *ask,
                              struct sq_arena *arena)
{
    size_t bins = (size_t)(ask->longest / ask->bin) + 2;
    *m = (struct mdl_marks){ .bin = ask->bin,
                             .window = ask->window,
                             .settle = ask->settle,
                             .t1 = ask->t1,
                             .failure_share = ask->failure_share,
                             .backlog = ask->backlog,
                             .queue_count = ask->queue_count,
                             .dependency_count = ask->dependency_count,
                             .lane_count = ask->dependency_count + ask->client_count,
                             .bin_size = bins,
                             .queue_clear = SQ_NEVER,
                             .t2 = SQ_NEVER };
    m->queues = sq_arena_alloc(arena, ask->queue_count + 1, sizeof(*m->queues));
    m->dependencies = sq_arena_alloc(arena, ask->dependency_count + 1, sizeof(*m->dependencies));
    m->called = sq_arena_alloc(arena, ask->dependency_count + 1, sizeof(*m->called));
    m->tries = sq_arena_alloc(arena, bins * (m->lane_count + 1), sizeof(*m->tries));
    m->alive = sq_arena_alloc(arena, bins, sizeof(*m->alive));
    m->arrived = sq_arena_alloc(arena, bins, sizeof(*m->arrived));
    m->goodput = sq_arena_alloc(arena, bins, sizeof(*m->goodput));
    m->first = sq_arena_alloc(arena, bins, sizeof(*m->first));
    m->around = sq_arena_alloc(arena, m->lane_count + 1, sizeof(*m->around));
    if (m->around == NULL || m->queues == NULL || m->dependencies == NULL || m->called == NULL ||
        m->tries == NULL || m->alive == NULL || m->arrived == NULL || m->goodput == NULL ||
        m->first == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < ask->queue_count; i++) {
        m->queues[i].bad.open_since = m->queues[i].dip = SQ_NEVER;
        m->queues[i].limit = INT64_MAX;
    }
    for (size_t i = 0; i < ask->dependency_count; i++) {
        m->dependencies[i].bad.open_since = SQ_NEVER;
    }
    return SQ_OK;
}

size_t mdl_marks_bin_bytes(const struct mdl_marks *m)
{
    return (m->lane_count + 1) * sizeof(*m->tries) + sizeof(*m->alive) + sizeof(*m->arrived) +
           sizeof(*m->goodput) + sizeof(*m->first);
}

void mdl_marks_fini(struct mdl_marks *m)
{
    for (size_t i = 0; m->queues != NULL && i < m->queue_count; i++) {
        sq_mem_free(m->queues[i].bad.items);
    }
    for (size_t i = 0; m->dependencies != NULL && i < m->dependency_count; i++) {
        sq_mem_free(m->dependencies[i].bad.items);
    }
}

void mdl_marks_backlog(struct mdl_marks *m, size_t queue, sq_time_t now, int64_t value)
{
    struct mdl_watch *q = &m->queues[queue];
    q->value = value;
    if (q->limit == INT64_MAX) {
        q->baseline_max = sq_max_i64(q->baseline_max, value);
        return;
    }
    if (q->dip != SQ_NEVER && now > q->dip) {
        span_close(m, &q->bad, q->dip, MDL_BURST);
        q->dip = SQ_NEVER;
    }
    if (value > q->limit) {
        q->bad.open_since = sq_min_i64(q->bad.open_since, now);
        q->dip = SQ_NEVER; /* within the limit for no time at all */
    } else if (q->bad.open_since != SQ_NEVER) {
        q->dip = sq_min_i64(q->dip, now);
    }
}

void mdl_marks_down(struct mdl_marks *m, size_t dependency, sq_time_t now, bool down)
{
    struct mdl_spans *s = &m->dependencies[dependency].bad;
    if (down && s->open_since == SQ_NEVER) {
        s->open_since = now;
    } else if (!down && s->open_since != SQ_NEVER) {
        span_close(m, s, now, 0);
    }
}

void mdl_marks_try(struct mdl_marks *m, size_t lane, bool failed)
{
    struct mdl_bin_tries *t = &m->tries[m->bin_count * m->lane_count + lane];
    t->tries++;
    t->failed += failed ? 1 : 0;
}

/* Share of failed tries in the bins of the baseline so far. */
static double share_so_far(const struct mdl_marks *m)
{
    uint64_t tries = 0, failed = 0;
    for (size_t i = m->baseline_bin * m->lane_count; i < (m->bin_count + 1) * m->lane_count; i++) {
        tries += m->tries[i].tries;
        failed += m->tries[i].failed;
    }
    return tries > 0 ? (double)failed / (double)tries : 0;
}

void mdl_marks_measure(struct mdl_marks *m)
{
    m->baseline_bin = m->bin_count;
    for (size_t i = 0; i < m->queue_count; i++) {
        m->queues[i].baseline_max = m->queues[i].value;
    }
}

void mdl_marks_baseline(struct mdl_marks *m, sq_time_t now, sq_time_t length)
{
    (void)now;
    bool known = length >= BASELINE_MIN;
    for (size_t i = 0; i < m->queue_count; i++) {
        int64_t twice = known ? 2 * m->queues[i].baseline_max : 0;
        m->queues[i].limit = m->backlog >= 0 ? m->backlog : sq_max_i64(20, twice);
    }
    if (isnan(m->failure_share)) {
        m->failure_share = fmax(0.05, known ? 2 * share_so_far(m) : 0);
    }
}

void mdl_marks_bin(struct mdl_marks *m, struct mdl_bin_sums sums)
{
    if (m->bin_count + 1 >= m->bin_size) {
        return;
    }
    size_t k = m->bin_count++;
    m->alive[k] = sums.alive;
    m->arrived[k] = (uint32_t)sums.arrived;
    m->goodput[k] = (uint32_t)sums.goodput;
    m->first[k] = (uint32_t)sums.first;
}

/* ---- judging ---- */

/* Spans are in order and apart: the first that ends later decides. O(log n). */
static bool meets(const struct mdl_spans *s, sq_time_t from, sq_time_t until)
{
    size_t lo = 0, hi = s->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->items[mid].until <= from) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < s->count && s->items[lo].from < until;
}

/* Moves the window of all lanes one bin towards the start, so that it begins with bin k: judging
 * takes time in proportion to the bins, however long the window is. */
static void move_window(struct mdl_marks *m, size_t k)
{
    size_t span = (size_t)((m->window + m->bin - 1) / m->bin);
    const struct mdl_bin_tries *in = &m->tries[k * m->lane_count];
    const struct mdl_bin_tries *out =
        span < m->bin_count - k ? &m->tries[(k + span) * m->lane_count] : NULL;
    for (size_t lane = 0; lane < m->lane_count; lane++) {
        m->around[lane].tries += in[lane].tries;
        m->around[lane].failed += in[lane].failed;
        if (out != NULL) {
            m->around[lane].tries -= out[lane].tries;
            m->around[lane].failed -= out[lane].failed;
        }
    }
}

/* Too many failures in the window. */
static bool fails_around(const struct mdl_marks *m, size_t lane)
{
    uint64_t tries = m->around[lane].tries, failed = m->around[lane].failed;
    if (failed < 20 || (double)failed <= m->failure_share * (double)tries) {
        return false;
    }
    return m->failure_share <= 0 ||
           sq_infer_binomial_tail((int64_t)failed, (int64_t)tries, m->failure_share) < CHANCE;
}

/* Bin k, when those after it have been asked, from the last one on. What happened before T1 is no
 * evidence against health after it: of the bin that holds T1 only the rest counts, and its
 * failures, whose instants are not kept, from the next bin on. */
static bool is_unhealthy(struct mdl_marks *m, size_t k)
{
    sq_time_t from = (sq_time_t)k * m->bin, until = from + m->bin;
    bool straddles = m->t1 != SQ_NEVER && from < m->t1;
    from = straddles ? m->t1 : from;
    if (!straddles) {
        move_window(m, k);
    }
    for (size_t i = 0; i < m->dependency_count; i++) {
        if (meets(&m->dependencies[i].bad, from, until)) {
            return true;
        }
    }
    for (size_t i = 0; i < m->lane_count; i++) {
        if (fails_around(m, i)) {
            return true;
        }
    }
    for (size_t i = 0; i < m->queue_count; i++) {
        if (meets(&m->queues[i].bad, from, until)) {
            return true;
        }
    }
    return false;
}

/* Ends of bins that matter for T2: from T1 (or 0) on. Sets t2 and returns whether the last
 * `settle` before the end is healthy. */
static bool judge_t2(struct mdl_marks *m, sq_time_t end)
{
    size_t first = m->t1 != SQ_NEVER ? (size_t)(m->t1 / m->bin) : 0;
    uint64_t bad = 0, seen = 0;
    bool settled = true;
    m->t2 = SQ_NEVER;
    for (size_t lane = 0; lane < m->lane_count; lane++) {
        m->around[lane] = (struct mdl_window_tries){ 0 };
    }
    for (size_t k = m->bin_count; k > first; k--) {
        bool unhealthy = is_unhealthy(m, k - 1);
        bad += unhealthy ? 1 : 0;
        seen++;
        if (unhealthy && (sq_time_t)k * m->bin > end - m->settle) {
            settled = false;
        }
        if (settled && 100 * bad < seen) {
            m->t2 = sq_max_i64((sq_time_t)(k - 1) * m->bin, m->t1 != SQ_NEVER ? m->t1 : 0);
        }
    }
    if (m->t1 == SQ_NEVER || m->t1 >= end || !settled) {
        m->t2 = SQ_NEVER;
    }
    return settled;
}

static bool bad_between(const struct mdl_marks *m, sq_time_t from, sq_time_t until)
{
    for (size_t i = 0; i < m->queue_count; i++) {
        if (meets(&m->queues[i].bad, from, until)) {
            return true;
        }
    }
    for (size_t i = 0; i < m->dependency_count; i++) {
        if (m->called[i] && meets(&m->dependencies[i].bad, from, until)) {
            return true;
        }
    }
    return false;
}

/* Takes `at` as the clear instant if it is one and earlier than what is known. */
static void try_clear(struct mdl_marks *m, sq_time_t at, sq_time_t end)
{
    if (at >= m->t1 && at < end && at < m->queue_clear &&
        !bad_between(m, at, sq_min_i64(sq_time_add(at, m->settle), end))) {
        m->queue_clear = at;
    }
}

/* The first instant from which nothing is bad is T1 or the end of something bad. */
static void judge_clear(struct mdl_marks *m, sq_time_t end)
{
    m->queue_clear = SQ_NEVER;
    if (m->t1 == SQ_NEVER || m->queue_count == 0) {
        return;
    }
    try_clear(m, m->t1, end);
    for (size_t i = 0; i < m->queue_count; i++) {
        for (size_t k = 0; k < m->queues[i].bad.count; k++) {
            try_clear(m, m->queues[i].bad.items[k].until, end);
        }
    }
    for (size_t i = 0; i < m->dependency_count; i++) {
        for (size_t k = 0; k < m->dependencies[i].bad.count; k++) {
            try_clear(m, m->dependencies[i].bad.items[k].until, end);
        }
    }
}

static const char *judge_state(const struct mdl_marks *m, sq_time_t end)
{
    if (m->t1 == SQ_NEVER || m->t1 >= end) {
        return NULL;
    }
    if (m->t2 != SQ_NEVER) {
        return "clears";
    }
    size_t n = m->bin_count, tenth = (size_t)((end - m->t1) / 10 / m->bin);
    tenth = tenth > 1 ? tenth : 1;
    if (n < tenth + 1) {
        return "stalled";
    }
    size_t a = n - tenth - 1;
    double span = sq_time_to_s((sq_time_t)tenth * m->bin), arrived = 0;
    for (size_t k = a + 1; k < n; k++) {
        arrived += m->arrived[k];
    }
    double v = (double)(m->alive[n - 1] - m->alive[a]) / span, lambda = arrived / span;
    if (v < -lambda / 100 && (double)m->alive[n - 1] / -v < 10 * sq_time_to_s(end - m->t1)) {
        return "clears";
    }
    return fabs(v) <= lambda / 100 ? "stalled" : "will not drain";
}

/* Goodput below 90 % of first calls over the last max(60 s, 5 % of the run) with arrivals, of which
 * only what lies after T1 counts: a short run must not hold the planned outage against itself. */
static bool is_useless(const struct mdl_marks *m, sq_time_t end)
{
    size_t last = m->bin_count;
    while (last > 0 && m->arrived[last - 1] == 0) {
        last--;
    }
    sq_time_t length = sq_max_i64(60 * SQ_NS_PER_S, end / 20);
    size_t span = (size_t)((length + m->bin - 1) / m->bin);
    size_t from = last > span ? last - span : 0;
    size_t after = m->t1 != SQ_NEVER && m->t1 < end ? (size_t)((m->t1 + m->bin - 1) / m->bin) : 0;
    uint64_t goodput = 0, first = 0;
    for (size_t k = from > after ? from : after; k < last; k++) {
        goodput += m->goodput[k];
        first += m->first[k];
    }
    return 10 * goodput < 9 * first;
}

void mdl_marks_judge(struct mdl_marks *m, sq_time_t end, bool relapsed)
{
    for (size_t i = 0; i < m->queue_count; i++) {
        if (m->queues[i].bad.open_since != SQ_NEVER) {
            span_close(m, &m->queues[i].bad, sq_min_i64(m->queues[i].dip, end), MDL_BURST);
        }
    }
    for (size_t i = 0; i < m->dependency_count; i++) {
        if (m->dependencies[i].bad.open_since != SQ_NEVER) {
            span_close(m, &m->dependencies[i].bad, end, 0);
        }
    }
    bool settled = judge_t2(m, end);
    judge_clear(m, end);
    m->state = judge_state(m, end);
    bool unwell = m->t1 != SQ_NEVER ? m->t2 == SQ_NEVER : !settled;
    m->collapsed = relapsed || unwell || is_useless(m, end);
}
