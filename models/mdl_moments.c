/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_moments.c - wording of the moments. Times are left to whoever prints them. */
#include "models/mdl_moments.h"

#include "models/policy/mdl_ramp.h"
#include "sim/base/sq_unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void mdl_probe_tell(struct mdl_probe *p, struct sq_moment m, const char *fmt, ...)
{
    if (p->moment_count == p->moment_size) {
        size_t size = p->moment_size == 0 ? 64 : 2 * p->moment_size;
        struct sq_moment *grown = sq_mem_resize(p->moments, size, sizeof(*grown));
        if (grown == NULL) {
            p->failed = true;
            return;
        }
        p->moments = grown;
        p->moment_size = size;
    }
    char text[400];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    m.text = sq_arena_printf(&p->world->ctx.arena, "%s", text);
    p->failed = p->failed || m.text == NULL;
    p->moments[p->moment_count++] = m;
}

static struct sq_moment at_now(const struct mdl_probe *p, enum sq_moment_kind kind,
                               const char *entity)
{
    sq_time_t now = mdl_now(&p->world->ctx);
    return (struct sq_moment){ .kind = kind, .at_ns = now, .until_ns = now, .entity = entity };
}

/* A number with thousands separators in a static-free way: into `out`. */
static const char *grouped(char out[32], int64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)n), o = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            out[o++] = ',';
        }
        out[o++] = digits[i];
    }
    out[o] = '\0';
    return out;
}

static const char *span(struct mdl_probe *p, char out[32], double seconds)
{
    struct sq_buf b = { 0 };
    sq_unit_put_span(&b, seconds);
    (void)snprintf(out, 32, "%s", b.failed || b.text == NULL ? "?" : b.text);
    p->failed = p->failed || b.failed;
    sq_buf_fini(&b);
    return out;
}

const char *mdl_moments_name(const struct mdl_probe *p, uint16_t actor)
{
    const struct mdl_actor *a = &p->actors[actor];
    const struct mdl_world *w = p->world;
    switch ((enum mdl_section)a->section) {
    case MDL_SEC_PRODUCER:
        return w->producers[a->index].name;
    case MDL_SEC_CLIENT:
        return w->clients[a->index].name;
    case MDL_SEC_QUEUE:
        return w->queues[a->index].name;
    case MDL_SEC_POOL:
        return w->pools[a->index].name;
    case MDL_SEC_DEPENDENCY:
        return w->dependencies[a->index].name;
    case MDL_SEC_OTHER:
        break;
    }
    return NULL;
}

/* ---- as it goes ---- */

/* Ends the last open span of the kind for an entity. */
static void close_span(struct mdl_probe *p, enum sq_moment_kind kind, const char *entity)
{
    for (size_t i = p->moment_count; i > 0; i--) {
        struct sq_moment *m = &p->moments[i - 1];
        if (m->kind == kind && m->entity == entity && m->until_ns == SQ_NEVER) {
            m->until_ns = mdl_now(&p->world->ctx);
            return;
        }
    }
}

static void see_outage(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    static const char *const does[] = { [MDL_OUTAGE_DOWN] = "goes down",
                                        [MDL_OUTAGE_HANG] = "hangs",
                                        [MDL_OUTAGE_SLOW] = "becomes slow",
                                        [MDL_OUTAGE_ERRORS] = "begins to fail",
                                        [MDL_OUTAGE_BROWNOUT] = "loses part of its servers" };
    const struct mdl_dependency *d = &p->world->dependencies[p->actors[r->entity].index];
    const struct mdl_outage_cfg *o = mdl_outage_at(&d->cfg->outages, (size_t)r->value);
    struct sq_moment m = at_now(p, SQ_MOMENT_OUTAGE, name);
    m.until_ns = SQ_NEVER;
    mdl_probe_tell(p, m, "%s %s, %s", name, does[r->outcome],
                   mdl_outage_is_planned(o) ? "as planned" : "by chance");
}

/* Calls whose callers wait for an answer. */
static int64_t awaited(const struct mdl_dep_tally *t)
{
    uint64_t calls = t->all.first + t->all.retry;
    for (size_t i = 0; i < MDL_SEEN_COUNT; i++) {
        calls -= t->all.seen[i];
    }
    return (int64_t)calls;
}

/* What the overload rule looks at, and its limit: "4,318 calls in flight, 160 of them still waited
 * for, against a limit of 100". Of a node, or per second, only the limit is known here. */
static void put_trip(struct sq_buf *b, const struct mdl_dependency *d,
                     const struct mdl_dep_tally *tally)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    char n[32], limit[32];
    bool waiting = o->in_flight < 0;
    grouped(limit, !isnan(o->offered) ? (int64_t)o->offered : waiting ? o->waiting : o->in_flight);
    if (!isnan(o->offered)) {
        sq_buf_printf(b, "more than %s calls per second", limit);
    } else if (o->per == MDL_PER_NODE) {
        sq_buf_printf(b, "more than %s calls %s", limit, waiting ? "waiting" : "in flight");
    } else {
        int64_t inside = waiting ? d->load.waiting.now : d->load.in_flight.now;
        sq_buf_printf(b, "%s calls %s", grouped(n, inside), waiting ? "waiting" : "in flight");
        if (!waiting && awaited(tally) < inside) {
            sq_buf_printf(b, ", %s of them still waited for,", grouped(n, awaited(tally)));
        }
        sq_buf_printf(b, " against a limit of %s", limit);
    }
    if (o->hold > 0) {
        sq_buf_puts(b, " for ");
        sq_unit_put_span(b, sq_time_to_s(o->hold));
    }
}

/* Whose calls they were: of those since it came back, or of all so far. */
static void put_retries(struct sq_buf *b, const struct mdl_dep_tally *d)
{
    bool back = d->back_at != SQ_NEVER;
    uint64_t retries = d->all.retry - (back ? d->back_retry : 0);
    uint64_t calls = d->all.first - (back ? d->back_first : 0) + retries;
    if (retries > 0) {
        sq_buf_printf(b, "; %.0f %% of the calls %s were retries",
                      floor(100 * (double)retries / (double)calls + 0.5),
                      back ? "since then" : "so far");
    }
}

static void see_collapse(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    size_t i = p->actors[r->entity].index;
    const struct mdl_dependency *d = &p->world->dependencies[i];
    struct sq_moment m = at_now(p, SQ_MOMENT_COLLAPSE, name);
    struct sq_buf b = { 0 };
    char t[32];
    m.until_ns = SQ_NEVER;
    sq_buf_printf(&b, "%s%s falls over", d->cfg->overload->per == MDL_PER_NODE ? "a node of " : "",
                  name);
    if (p->deps[i].back_at != SQ_NEVER) {
        sq_buf_printf(&b, " %s after it came back",
                      span(p, t, sq_time_to_s(m.at_ns - p->deps[i].back_at)));
    }
    sq_buf_puts(&b, ": ");
    put_trip(&b, d, &p->deps[i]);
    put_retries(&b, &p->deps[i]);
    p->failed = p->failed || b.failed;
    mdl_probe_tell(p, m, "%s", b.failed ? name : b.text);
    sq_buf_fini(&b);
}

/* The first crash of a pool: when things began. How many there were is a metric. */
static void see_gone(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    const struct mdl_actor *a = &p->actors[r->entity];
    if (a->section == MDL_SEC_POOL && r->outcome == 1 && p->world->pools[a->index].deaths == 1) {
        mdl_probe_tell(p, at_now(p, SQ_MOMENT_SCALING, name), "the first replica of %s crashes",
                       name);
    }
}

/* The first lease of a queue that ends under a worker, and its first dead letter: when things
 * began.
 */
static void see_queue(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    struct mdl_queue_tally *q = &p->queues[p->actors[r->entity].index];
    struct sq_moment m = at_now(p, SQ_MOMENT_BROKER, name);
    if (r->kind == MDL_REC_JOB_REDELIVERED && r->value == 1 && !q->told_copy) {
        q->told_copy = true;
        mdl_probe_tell(p, m,
                       "a lease of %s ends while its job is still in a worker's hands: it is "
                       "delivered again",
                       name);
    }
    if (r->kind == MDL_REC_JOB_ENDED && r->outcome == MDL_END_DEAD_LETTERED && !q->told_letter) {
        q->told_letter = true;
        mdl_probe_tell(p, m, "the first dead letter of %s", name);
    }
}

/* A gate that closes or opens; what it kept from happening is not known. */
static void see_gate(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    if (r->outcome == 1) {
        mdl_moments_gate(p, r, at_now(p, SQ_MOMENT_SCALING, name));
    } else {
        close_span(p, SQ_MOMENT_SCALING, name);
    }
}

static void see_breaker(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    const struct mdl_gate *g = &p->world->dependencies[p->actors[r->entity].index].gate;
    struct sq_moment m = at_now(p, SQ_MOMENT_BREAKER, name);
    if (r->outcome == MDL_BREAKER_OPEN) {
        char t[32];
        const struct mdl_breaker_cfg *b = g->cfg->breaker;
        bool forced = b->forced == MDL_BREAKER_FORCED_OPEN;
        span(p, t, sq_time_to_s(sq_min_i64(b->open_for, b->cap)));
        mdl_probe_tell(p, m, "the breaker of %s opens%s%s", name,
                       forced          ? ", because an operator says so"
                       : b->growth > 1 ? ", for at least "
                                       : ", for ",
                       forced ? "" : t);
    } else if (r->outcome == MDL_BREAKER_HALF_OPEN) {
        mdl_probe_tell(p, m, "the breaker of %s is half-open: calls try whether it is well", name);
    } else {
        mdl_probe_tell(p, m, "the breaker of %s closes", name);
    }
}

/* What sets off the ramp. */
static bool by_breaker(const struct mdl_probe *p, const struct mdl_rec *r)
{
    const struct mdl_gate *g = &p->world->dependencies[p->actors[r->entity].index].gate;
    return mdl_ramp_common(&g->cfg->ramp)->starts == MDL_RAMP_BREAKER_CLOSE;
}

static void see_ramp(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    struct sq_moment m = at_now(p, SQ_MOMENT_RAMP, name);
    long long limit = (long long)r->value;
    if (r->kind == MDL_REC_RAMP_STEP) {
        mdl_probe_tell(p, m, "ramp of %s: %lld calls at a time", name, limit);
    } else if (by_breaker(p, r)) {
        mdl_probe_tell(p, m, "the %s %s %s %lld", r->outcome == 0 ? "ramp of" : "limit on calls to",
                       name, r->outcome == 0 ? "starts at" : "drops to", limit);
    } else if (r->outcome == 0) {
        mdl_probe_tell(p, m, "calls to %s succeed again: the ramp starts at %lld", name, limit);
    } else {
        mdl_probe_tell(p, m, "half of the calls to %s fail: the limit drops to %lld", name, limit);
    }
}

/* What the operator does, up to the names and values that follow. */
static const char *verb_of(const struct mdl_action_cfg *a)
{
    if (a->redrive != NULL) {
        return "dead letters return";
    }
    return a->deploy != NULL ? "an operator deploys" : "an operator sets";
}

static void see_action(struct mdl_probe *p, const struct mdl_rec *r)
{
    const struct mdl_action_cfg *a = mdl_action_at(&p->world->cfg.actions, (size_t)r->value);
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s", a->note != NULL ? a->note : verb_of(a));
    if (a->redrive != NULL) {
        sq_buf_printf(&b, "%s%s, ", a->note != NULL ? ": dead letters return to " : " to ",
                      a->redrive->queue.name);
        if (isinf(a->redrive->rate) != 0) {
            sq_buf_printf(&b, "all at once");
        } else {
            sq_unit_put_rate(&b, a->redrive->rate);
        }
    }
    for (size_t i = 0; i < a->set.count; i++) {
        const struct sq_node *v = *(const struct sq_node *const *)sq_map_at(&a->set, i);
        sq_buf_printf(&b, "%s%s = %s", i == 0 ? (a->note != NULL ? ": " : " ") : ", ",
                      a->set.names[i], v->kind == SQ_NODE_SCALAR ? v->text : "...");
    }
    if (a->deploy != NULL) {
        sq_buf_printf(&b, "%s %s", a->note != NULL ? ": deploy of" : "", a->deploy->workers.name);
    }
    p->failed = p->failed || b.failed;
    mdl_probe_tell(p, at_now(p, SQ_MOMENT_ACTION, NULL), "%s", b.failed ? verb_of(a) : b.text);
    sq_buf_fini(&b);
}

void mdl_moments_see(struct mdl_probe *p, const struct mdl_rec *r)
{
    const char *name = mdl_moments_name(p, r->entity);
    switch ((int)r->kind) { /* the few kinds that matter here */
    case MDL_REC_OUTAGE:
        see_outage(p, r, name);
        break;
    case MDL_REC_OUTAGE_OVER:
        close_span(p, SQ_MOMENT_OUTAGE, name);
        break;
    case MDL_REC_COLLAPSE:
        see_collapse(p, r, name);
        break;
    case MDL_REC_COLLAPSE_OVER:
        close_span(p, SQ_MOMENT_COLLAPSE, name);
        break;
    case MDL_REC_WANTED:
        mdl_moments_wanted(p, r, at_now(p, SQ_MOMENT_SCALING, name));
        break;
    case MDL_REC_GATE:
        see_gate(p, r, name);
        break;
    case MDL_REC_JOB_REDELIVERED:
    case MDL_REC_JOB_ENDED:
        if (p->actors[r->entity].section == MDL_SEC_QUEUE) {
            see_queue(p, r, name);
        }
        break;
    case MDL_REC_REPLICA_GONE:
        see_gone(p, r, name);
        break;
    case MDL_REC_NODE_OUT:
    case MDL_REC_NODE_IN:
        mdl_probe_tell(p, at_now(p, SQ_MOMENT_SCALING, name), "the probe takes node %lld of %s %s",
                       (long long)r->value, name, r->kind == MDL_REC_NODE_OUT ? "out" : "in again");
        break;
    case MDL_REC_RAMP_START:
    case MDL_REC_RAMP_STEP:
        see_ramp(p, r, name);
        break;
    case MDL_REC_BREAKER:
        see_breaker(p, r, name);
        break;
    case MDL_REC_ACTION:
        see_action(p, r);
        break;
    default:
        break;
    }
}

/* T1 stands in the file: what happened before it need not be an outage. */
static bool t1_given(const struct mdl_probe *p)
{
    return p->world->cfg.health->t1 != SQ_NEVER;
}

void mdl_moments_t1(struct mdl_probe *p)
{
    char n[32];
    const char *jobs = grouped(n, p->jobs.now);
    mdl_probe_tell(p, at_now(p, SQ_MOMENT_T1, NULL), "%s: %s %s%s%s",
                   t1_given(p) ? "T1, given by health.t1" : "the scheduled outage is over", jobs,
                   p->jobs.now == 1 ? "job is unfinished" : "jobs are unfinished",
                   p->forecast.text != NULL ? "; forecast: " : "",
                   p->forecast.text != NULL ? p->forecast.text : "");
}

/* ---- at the end ---- */

static void tell_peaks(struct mdl_probe *p)
{
    for (size_t i = 0; i < p->world->dependency_count; i++) {
        const struct mdl_dep_tally *d = &p->deps[i];
        const char *name = p->world->dependencies[i].name;
        if (d->peak == 0 || d->peak_at < 0) {
            continue;
        }
        struct sq_moment m = at_now(p, SQ_MOMENT_PEAK, name);
        m.at_ns = m.until_ns = d->peak_at * SQ_NS_PER_S;
        char n[32];
        mdl_probe_tell(p, m, "most calls to %s in one second: %s", name,
                       grouped(n, (int64_t)d->peak));
    }
}

static void tell_mark(struct mdl_probe *p, enum sq_moment_kind kind, sq_time_t at, const char *text)
{
    sq_time_t t1 = p->world->ctx.t1_ns;
    if (at == SQ_NEVER || t1 == SQ_NEVER || at < t1) {
        return;
    }
    struct sq_moment m = { .kind = kind, .at_ns = at, .until_ns = at };
    char t[32];
    mdl_probe_tell(p, m, "%s, %s after %s", text, span(p, t, sq_time_to_s(at - t1)),
                   t1_given(p) ? "T1" : "recovery");
}

struct keyed {
    struct sq_moment m;
    size_t order;
};

static int by_time(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->m.at_ns != y->m.at_ns) {
        return x->m.at_ns < y->m.at_ns ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_moments(struct mdl_probe *p)
{
    struct keyed *k = sq_mem_alloc(p->moment_count + 1, sizeof(*k));
    if (k == NULL) {
        p->failed = true;
        return;
    }
    for (size_t i = 0; i < p->moment_count; i++) {
        k[i] = (struct keyed){ p->moments[i], i };
    }
    qsort(k, p->moment_count, sizeof(*k), by_time);
    for (size_t i = 0; i < p->moment_count; i++) {
        p->moments[i] = k[i].m;
    }
    sq_mem_free(k);
}

void mdl_moments_end(struct mdl_probe *p)
{
    sq_time_t end = mdl_now(&p->world->ctx);
    for (size_t i = 0; i < p->moment_count; i++) {
        if (p->moments[i].until_ns == SQ_NEVER) {
            p->moments[i].until_ns = end;
        }
    }
    tell_peaks(p);
    tell_mark(p, SQ_MOMENT_QUEUE_CLEAR, p->marks.queue_clear, "the ready queue is clear");
    tell_mark(p, SQ_MOMENT_T2, p->marks.t2, "healthy for good");
    if (p->before_t1 == 0) {
        tell_mark(p, SQ_MOMENT_LAST_JOB, p->last_job,
                  t1_given(p) ? "the last job from before T1 is done"
                              : "the last job of the outage is done");
    }
    sort_moments(p);
    mdl_life_end(p);
}
