/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_life.c - wording of what happens to one job. Times are left to whoever prints them. */
#include "models/mdl_life.h"

#include "models/mdl_moments.h"
#include "models/mdl_probe.h"
#include "sim/base/sq_unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- whose life ---- */

enum sq_status mdl_life_ask(struct mdl_life_ask *ask, const char *text, struct sq_diag *diag)
{
    const char *colon = text != NULL ? strrchr(text, ':') : NULL;
    int64_t number = 0;
    if (text == NULL) {
        return SQ_OK;
    }
    if (colon == NULL || colon == text || sq_unit_count(colon + 1, &number) != NULL || number < 1) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--job",
                             "write PRODUCER:N, for example orders:17 for its 17th job",
                             "`%s` names no job", text);
    }
    *ask = (struct mdl_life_ask){ text, (size_t)(colon - text), (uint64_t)number };
    return SQ_OK;
}

static bool is_source(const struct mdl_life_ask *ask, const char *name)
{
    return strlen(name) == ask->len && memcmp(name, ask->source, ask->len) == 0;
}

static bool any_is(const struct mdl_life_ask *ask, const struct sq_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (is_source(ask, map->names[i])) {
            return true;
        }
    }
    return false;
}

enum sq_status mdl_life_check(const struct mdl_life_ask *ask, const struct mdl_scenario *s,
                              struct sq_diag *diag)
{
    const struct sq_map *producers = &s->cfg.producers, *clients = &s->cfg.clients;
    if (ask->source == NULL || any_is(ask, producers) || any_is(ask, clients)) {
        return SQ_OK;
    }
    struct sq_buf hint = { 0 }, name = { 0 };
    sq_buf_add(&name, ask->source, ask->len);
    sq_buf_puts(&hint, "there are");
    for (size_t i = 0; i < producers->count + clients->count; i++) {
        bool client = i >= producers->count;
        sq_buf_printf(&hint, "%s %s", i > 0 ? "," : "",
                      client ? clients->names[i - producers->count] : producers->names[i]);
    }
    enum sq_status status = sq_diag_error(
        diag, (struct sq_where){ 0 }, "--job", hint.failed ? NULL : hint.text,
        "there is no producer or client %s", name.failed ? "of this name" : name.text);
    sq_buf_fini(&hint);
    sq_buf_fini(&name);
    return status;
}

enum sq_status mdl_life_found(const struct mdl_life_ask *ask, const struct sq_result *r,
                              struct sq_diag *diag)
{
    if (ask->source == NULL || r->life.job != NULL) {
        return SQ_OK;
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--job",
                         "numbers count the jobs of a producer from 1, in the order of arrival",
                         "run %llu has no job %s", (unsigned long long)r->runs[0].replication,
                         ask->source);
}

/* The last planned outage that ends at T1. */
static const struct mdl_outage_cfg *last_outage(const struct mdl_world *w)
{
    const struct mdl_outage_cfg *found = NULL;
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct sq_list *outages = &w->dependencies[i].cfg->outages;
        for (size_t k = 0; k < outages->count; k++) {
            const struct mdl_outage_cfg *o = mdl_outage_at(outages, k);
            bool last = mdl_outage_is_planned(o) && mdl_outage_over(o) == w->ctx.t1_ns;
            found = last ? o : found;
        }
    }
    return found;
}

/* Luck is tied to jobs, so that every variant of a scenario tells of the same one. */
static void decide(struct mdl_life *l, const struct mdl_world *w)
{
    sq_time_t t1 = w->ctx.t1_ns;
    const struct mdl_outage_cfg *o = t1 != SQ_NEVER ? last_outage(w) : NULL;
    l->decided = true;
    l->last_call = SQ_NEVER;
    if (l->ask.source != NULL) {
        return;
    }
    if (o != NULL) {
        l->pick_at = o->at + (t1 - o->at) / 2;
        l->why = "the first to arrive in the second half of the outage";
    } else {
        l->pick_at = t1 != SQ_NEVER ? t1 : w->ctx.duration_ns / 2;
        l->why = t1 != SQ_NEVER ? "the first to arrive after T1"
                                : "the first to arrive in the second half of the run";
    }
}

static bool is_wanted(const struct mdl_probe *p, const struct mdl_rec *r)
{
    const struct mdl_life *l = &p->life;
    const char *name = p->world->ctx.sources[r->producer].name;
    return l->ask.source == NULL ? mdl_now(&p->world->ctx) >= l->pick_at
                                 : r->ordinal + 1 == l->ask.number && is_source(&l->ask, name);
}

/* ---- steps ---- */

/* Beyond the room the steps between head and tail go, the oldest of them first. */
static struct sq_life_step *new_step(struct mdl_life *l)
{
    if (l->count == SQ_COUNT(l->steps)) {
        struct sq_life_step *gap = &l->steps[MDL_LIFE_HEAD];
        l->skipped += l->skipped == 0 ? 2 : 1; /* the first becomes the gap itself */
        memmove(gap + 1, gap + 2, (MDL_LIFE_TAIL - 1) * sizeof(*gap));
        l->count--;
    }
    return &l->steps[l->count++];
}

static void add(struct mdl_probe *p, const char *fmt, ...) SQ_PRINTF(2, 3);
static void add(struct mdl_probe *p, const char *fmt, ...)
{
    struct mdl_life *l = &p->life;
    sq_time_t now = mdl_now(&p->world->ctx);
    char text[200];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    struct sq_life_step *last = l->count > 0 ? &l->steps[l->count - 1] : NULL;
    bool joins = last != NULL && last->at_ns == now && strlen(last->text) < 400;
    const char *before = joins ? last->text : "";
    if (!joins) {
        last = new_step(l);
    }
    last->at_ns = now;
    last->text = sq_arena_printf(&p->world->ctx.arena, "%s%s%s", before, joins ? "; " : "", text);
    if (last->text == NULL) {
        last->text = "";
        p->failed = true;
    }
}

/* A duration, exact. */
static const char *exact(struct mdl_probe *p, char out[32], sq_time_t t)
{
    struct sq_buf b = { 0 };
    sq_unit_put_span(&b, sq_time_to_s(t));
    p->failed = p->failed || b.failed;
    (void)snprintf(out, 32, "%s", b.failed || b.text == NULL ? "?" : b.text);
    sq_buf_fini(&b);
    return out;
}

static void see_ended(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    char t[32];
    exact(p, t, r->value);
    p->life.last_call = mdl_now(&p->world->ctx);
    p->life.attempt = r->attempt;
    switch ((int)r->outcome) { /* the others have one wording */
    case MDL_ERR_OK:
        add(p, "%s answers after %s", name, t);
        break;
    case MDL_ERR_REFUSED:
        add(p, "%s refuses it after %s", name, t);
        break;
    case MDL_ERR_TIMEOUT:
        add(p, "no answer of %s within %s: the caller gives up", name, t);
        break;
    default:
        add(p, "the call to %s fails after %s: %s", name, t,
            mdl_error_name((enum mdl_error)r->outcome));
    }
}

/* A call that is made again within the same attempt is a retry of the client library. */
static void see_left(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    const struct mdl_life *l = &p->life;
    sq_time_t now = mdl_now(&p->world->ctx);
    char t[32];
    if (r->outcome == 1) {
        add(p, "calls %s", name);
    } else if (l->last_call != SQ_NEVER && l->attempt == r->attempt && l->last_call < now) {
        add(p, "calls %s again, %s after the last try", name, exact(p, t, now - l->last_call));
    } else {
        add(p, "calls %s again", name);
    }
}

static void see_throttled(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    static const char *const what[] = { "the job goes back", "the call waits its turn",
                                        "the call fails" };
    add(p, "the control of %s lets no call pass: %s", name, what[r->outcome < 3 ? r->outcome : 2]);
}

static void see_back(struct mdl_probe *p, const struct mdl_rec *r)
{
    char t[32];
    exact(p, t, r->value);
    if (r->kind == MDL_REC_JOB_DEFERRED) {
        add(p, "comes back in %s", t);
    } else if (r->outcome == MDL_DELAY_RETRY) {
        add(p, "delay drawn for its retry: %s", t);
    } else {
        add(p, "is parked for %s", t);
    }
}

static void see_delivered(struct mdl_probe *p, const struct mdl_rec *r)
{
    char t[32];
    if (r->value > 0) {
        add(p, "a worker takes it, after %s in the ready queue", exact(p, t, r->value));
    } else {
        add(p, "a worker takes it at once");
    }
}

static void see_end(struct mdl_probe *p, const struct mdl_rec *r)
{
    char t[32];
    char word[32];
    (void)snprintf(word, sizeof(word), "%s", mdl_end_name((enum mdl_end)r->outcome));
    for (char *c = word; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    add(p, "ends: %s, %s after it arrived", word,
        exact(p, t, mdl_now(&p->world->ctx) - p->life.arrived));
    p->life.ended = true;
}

static void see_arrived(struct mdl_probe *p, const struct mdl_rec *r, const char *name)
{
    struct mdl_life *l = &p->life;
    bool again = l->found;
    const char *source = p->world->ctx.sources[r->producer].name;
    l->found = true;
    l->ended = false;
    l->source = r->producer;
    l->ordinal = r->ordinal;
    if (again) {
        add(p, "comes back from the dead letters of %s", name);
        return;
    }
    l->arrived = mdl_now(&p->world->ctx);
    l->job = sq_arena_printf(&p->world->ctx.arena, "%s:%llu", source,
                             (unsigned long long)r->ordinal + 1);
    p->failed = p->failed || l->job == NULL;
    add(p, "arrives");
}

/* The records that speak of a job, about the one whose life this is. */
static void see(struct mdl_probe *p, const struct mdl_rec *r)
{
    const char *name = mdl_moments_name(p, r->entity);
    name = name != NULL ? name : "?";
    switch ((int)r->kind) {
    case MDL_REC_JOB_ARRIVED:
        see_arrived(p, r, name);
        break;
    case MDL_REC_JOB_READY:
        add(p, "ready in %s", name);
        break;
    case MDL_REC_JOB_DELIVERED:
        see_delivered(p, r);
        break;
    case MDL_REC_ATTEMPT:
        add(p, "attempt %u by %s", r->attempt, name);
        break;
    case MDL_REC_CALL_LEFT:
        see_left(p, r, name);
        break;
    case MDL_REC_CALL_ENDED:
        see_ended(p, r, name);
        break;
    case MDL_REC_CALL_WASTED:
        add(p, "%s finishes a call that nobody waits for any more", name);
        break;
    case MDL_REC_CALL_REPEATED:
        add(p, "%s does it once more: a duplicate effect", name);
        break;
    case MDL_REC_THROTTLED:
        see_throttled(p, r, name);
        break;
    case MDL_REC_JOB_RETRY:
    case MDL_REC_JOB_DEFERRED:
        see_back(p, r);
        break;
    case MDL_REC_JOB_REDELIVERED:
        add(p, r->value == 1 ? "its lease ends in a worker's hands: it is delivered again"
                             : "comes back undone");
        break;
    case MDL_REC_JOB_ENDED:
        see_end(p, r);
        break;
    default:
        break;
    }
}

void mdl_life_see(struct mdl_probe *p, const struct mdl_rec *r)
{
    struct mdl_life *l = &p->life;
    if (!l->decided) {
        decide(l, p->world);
    }
    bool its = l->found ? r->ordinal == l->ordinal && r->producer == l->source
                        : r->kind == MDL_REC_JOB_ARRIVED && is_wanted(p, r);
    if (its) {
        see(p, r);
    }
}

void mdl_life_end(struct mdl_probe *p)
{
    struct mdl_life *l = &p->life;
    if (l->found && !l->ended) {
        add(p, "the run ends before the job does");
    }
    if (l->skipped > 0) {
        struct sq_life_step *gap = &l->steps[MDL_LIFE_HEAD];
        gap->text =
            sq_arena_printf(&p->world->ctx.arena, "... %zu steps are left out here", l->skipped);
        p->failed = p->failed || gap->text == NULL;
    }
}
