/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_excess.c - what a run that cannot go on is full of. */
#include "models/mdl_excess.h"

#include "models/mdl_probe.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"

/* The entity that holds the most of something. */
struct holder {
    const char *name; /* NULL: nobody holds any */
    int64_t count;
};

static void hold(struct holder *most, const char *name, int64_t count)
{
    if (count > most->count) {
        *most = (struct holder){ name, count };
    }
}

struct crowd {
    struct holder queue, client, room, line; /* jobs; jobs; calls inside; calls at a control */
    uint64_t calls, retries;
};

static struct crowd look(const struct mdl_world *w)
{
    struct crowd c = { 0 };
    for (size_t i = 0; i < w->queue_count; i++) {
        const struct mdl_queue *q = &w->queues[i];
        hold(&c.queue, q->name, q->ready.now + q->delayed.now + q->leased.now);
    }
    for (size_t i = 0; i < w->client_count; i++) {
        hold(&c.client, w->clients[i].name, w->clients[i].running.now + w->clients[i].delayed.now);
    }
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct mdl_dependency *d = &w->dependencies[i];
        hold(&c.room, d->name, d->load.in_flight.now);
        hold(&c.line, d->name, d->gate.waiting.now);
        c.calls += w->probe->deps[i].all.first + w->probe->deps[i].all.retry;
        c.retries += w->probe->deps[i].all.retry;
    }
    return c;
}

/* "950", "135k", "12.3M": for people. */
static void put_amount(struct sq_buf *b, double n)
{
    double unit = n < 1e5 ? 1 : n < 1e6 ? 1e3 : 1e6;
    sq_buf_number(b, n / unit, n < 1e5 ? 6 : 3);
    sq_buf_puts(b, n < 1e5 ? "" : n < 1e6 ? "k" : "M");
}

static void put_holder(struct sq_buf *b, const struct holder *h, const char *where)
{
    if (h->count > 0) {
        sq_buf_puts(b, ", ");
        put_amount(b, (double)h->count);
        sq_buf_printf(b, " of them %s `%s`", where, h->name);
    }
}

static void put_crowd(struct sq_buf *b, const struct mdl_world *w, const struct crowd *c)
{
    put_amount(b, (double)w->ctx.alive);
    sq_buf_puts(b, w->ctx.alive == 1 ? " job is unfinished" : " jobs are unfinished");
    put_holder(b, &c->queue, "in the queue");
    put_holder(b, &c->client, "with the client");
    sq_buf_puts(b, "; ");
    put_amount(b, w->ctx.calls.used);
    sq_buf_puts(b, w->ctx.calls.used == 1 ? " call is under way" : " calls are under way");
    put_holder(b, &c->room, "inside");
    put_holder(b, &c->line, "waiting at the control of");
    if (c->calls > 0) {
        sq_buf_puts(b, "; retries are ");
        sq_buf_number(b, 100 * (double)c->retries / (double)c->calls, 3);
        sq_buf_puts(b, "% of all calls so far");
    }
}

/* What grows without bound, and what bounds it. */
static void put_advice(struct sq_buf *b, const struct mdl_world *w, const struct crowd *c)
{
    int64_t calls = c->room.count > c->line.count ? c->room.count : c->line.count;
    int64_t jobs = c->queue.count > c->client.count ? c->queue.count : c->client.count;
    if (w->ctx.sim.now == 0) {
        sq_buf_puts(b,
                    "all of them come at time 0: make the backlog, cohort or population smaller, "
                    "or spread it, as a cohort with `over: 10s` does");
    } else if (w->ctx.calls.used > 0 && calls >= jobs / 2 && c->room.count >= c->line.count) {
        sq_buf_printf(b,
                      "the storm is unbounded: calls reach `%s` faster than it serves them; bound "
                      "its waiting_room, their timeout, or the callers",
                      c->room.name);
    } else if (c->line.count > 0 && calls >= jobs / 2) {
        sq_buf_printf(b,
                      "callers wait at the control of `%s` without bound: let them wait at most "
                      "`max`, or throttled: fail",
                      c->line.name);
    } else if (c->client.count > c->queue.count) {
        sq_buf_printf(b,
                      "jobs of `%s` arrive faster than they end: bound their retries, give them "
                      "a deadline, or shorten the run",
                      c->client.name);
    } else if (c->queue.count > 0) {
        sq_buf_printf(b,
                      "jobs reach `%s` faster than they end: give it a capacity, them a "
                      "deadline, it more workers, or shorten the run",
                      c->queue.name);
    } else {
        sq_buf_puts(b, "shorten the run or choose wider bins");
    }
    if (sq_mem_is_over()) {
        sq_buf_puts(b, "; or raise --memory");
    }
}

/* ---- time that stands still ---- */

static void put_actor(struct sq_buf *b, const struct mdl_world *w, uint16_t id)
{
    struct mdl_actor a = w->probe->actors[id];
    const char *kind = NULL, *name = NULL;
    switch ((enum mdl_section)a.section) {
    case MDL_SEC_PRODUCER:
        kind = "producer", name = w->producers[a.index].name;
        break;
    case MDL_SEC_CLIENT:
        kind = "client", name = w->clients[a.index].name;
        break;
    case MDL_SEC_QUEUE:
        kind = "queue", name = w->queues[a.index].name;
        break;
    case MDL_SEC_POOL:
        kind = "workers", name = w->pools[a.index].name;
        break;
    case MDL_SEC_DEPENDENCY:
        kind = "dependency", name = w->dependencies[a.index].name;
        break;
    case MDL_SEC_OTHER:
        kind = "the operator or an autoscaler";
        break;
    }
    sq_buf_puts(b, kind);
    if (name != NULL) {
        sq_buf_printf(b, " `%s`", name);
    }
}

static void put_loop(struct sq_buf *b, const struct mdl_world *w)
{
    const struct sq_loop *loop = w->ctx.sim.loop;
    for (size_t i = 0; i < SQ_LOOP_SEEN && loop[i].count > 0; i++) {
        sq_buf_puts(b, i == 0 ? "" : "; ");
        put_actor(b, w, loop[i].to);
        sq_buf_printf(b, ": %s", mdl_event_doc((enum mdl_event)loop[i].kind));
    }
}

/* ---- the sentence ---- */

struct excess {
    struct sq_buf what, hint;
};

/* The dependency with as many random outages as there can be, or NULL. */
static const struct mdl_dependency *ever_down(const struct mdl_world *w)
{
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct mdl_dependency *d = &w->dependencies[i];
        for (size_t k = 0; d->outages != NULL && k < d->cfg->outages.count; k++) {
            if (d->outages[k].index == SQ_MAX_OUTAGES) {
                return d;
            }
        }
    }
    return NULL;
}

/* One of the pools holds as many as it may. */
static bool is_full(const struct mdl_ctx *c)
{
    return c->jobs.used == c->jobs.limit || c->calls.used == c->calls.limit;
}

/* "the run needs more than the 2GiB of memory that --memory allows"; or than there is. */
static void put_memory(struct sq_buf *b, const char *who)
{
    if (sq_mem_is_over()) {
        sq_buf_printf(b, "%s more than the ", who);
        sq_unit_put_size(b, (int64_t)sq_mem_limit());
        sq_buf_puts(b, " of memory that --memory allows");
        return;
    }
    sq_buf_printf(b, "%s more memory than this machine gives: ", who);
    sq_buf_number(b, (double)sq_mem_used() / (1 << 20), 3);
    sq_buf_puts(b, "MiB are in use");
}

/* Why it stopped, up to the instant; false when it was the machine, and no stated maximum. */
static bool put_reason(struct sq_buf *b, const struct mdl_ctx *c, enum sq_status status)
{
    if (status == SQ_LIMIT && c->sim.events > c->sim.most_events) {
        sq_buf_puts(b, "there were more than ");
        put_amount(b, (double)c->sim.most_events);
        sq_buf_puts(b, " events");
    } else if (is_full(c)) {
        bool jobs = c->jobs.used == c->jobs.limit;
        sq_buf_printf(b, "%u %s are the most that this program holds",
                      jobs ? c->jobs.used : c->calls.used, jobs ? "unfinished jobs" : "calls");
    } else {
        put_memory(b, "the run needs");
        return sq_mem_is_over();
    }
    return true;
}

static void put_instant(struct sq_buf *b, const struct mdl_world *w)
{
    sq_buf_puts(b, " at t = ");
    sq_unit_put_span(b, sq_time_to_s(w->ctx.sim.now));
    sq_buf_puts(b, ": ");
}

/* False when it was the machine, and no stated maximum. */
static bool describe(struct excess *x, const struct mdl_world *w, enum sq_status status)
{
    const struct sq_sim *s = &w->ctx.sim;
    if (status == SQ_LIMIT && s->events <= s->most_events) {
        sq_buf_printf(&x->what, "more than %d events", SQ_MAX_SAME_INSTANT);
        put_instant(&x->what, w);
        if (w->ctx.jobs.used > SQ_MAX_SAME_INSTANT / 10) { /* many once, not few again and again */
            put_amount(&x->what, w->ctx.jobs.used);
            sq_buf_puts(&x->what, " unfinished jobs move at one instant");
            sq_buf_puts(&x->hint, "spread them, as a cohort with `over: 10s` does; most events: ");
            put_loop(&x->hint, w);
            return true;
        }
        sq_buf_puts(&x->what, "time stands still");
        sq_buf_puts(&x->hint, "this goes round without time passing: ");
        put_loop(&x->hint, w);
        sq_buf_puts(&x->hint, ". Any delay in it ends that: a backoff, or an answer_in");
        return true;
    }
    const struct mdl_dependency *down = status == SQ_NOMEM ? ever_down(w) : NULL;
    if (down != NULL) {
        sq_buf_printf(&x->what, "more than %d random outages of `%s`", SQ_MAX_OUTAGES, down->name);
        put_instant(&x->what, w);
        sq_buf_puts(&x->what, "that is the most of one series");
        sq_buf_puts(&x->hint, "make its `every` longer, or the run shorter");
        return true;
    }
    bool stated = put_reason(&x->what, &w->ctx, status);
    if (w->probe == NULL || w->ctx.sim.events == 0) {
        sq_buf_puts(&x->what, " before it begins");
        sq_buf_puts(&x->hint, "choose wider bins, fewer clients, slots or servers, or fewer runs");
        return stated;
    }
    struct crowd c = look(w);
    put_instant(&x->what, w);
    put_crowd(&x->what, w, &c);
    put_advice(&x->hint, w, &c);
    return stated;
}

enum sq_status mdl_excess_note(const struct mdl_world *w, enum sq_status status,
                               struct sq_diag *diag)
{
    struct excess x = { 0 };
    bool stated = describe(&x, w, status);
    if (!x.what.failed) {
        (void)sq_diag_error(diag, (struct sq_where){ .file = w->scenario->file }, NULL, x.hint.text,
                            "%s", x.what.text);
    }
    sq_buf_fini(&x.what);
    sq_buf_fini(&x.hint);
    return stated ? SQ_LIMIT : SQ_NOMEM;
}

enum sq_status mdl_excess_note_kept(const char *file, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    put_memory(&b, "what is kept of the runs needs");
    if (!b.failed) {
        (void)sq_diag_error(diag, (struct sq_where){ .file = file }, NULL,
                            "choose wider bins (`timeline`) or fewer runs, or raise --memory", "%s",
                            b.text);
    }
    sq_buf_fini(&b);
    return SQ_NOMEM;
}
