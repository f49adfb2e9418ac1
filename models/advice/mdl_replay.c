/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay.c - a log of calls before a control: one line per event, or what it came to. */
#include "models/advice/mdl_replay_in.h"

#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"

#include <string.h>

/* What it came to. */
struct sums {
    uint64_t calls, retries, refused, refused_retries, waited, refused_ok;
    uint64_t turns;    /* times the state left the usual one */
    sq_time_t first;   /* of them, or the first refusal; SQ_NEVER: none */
    sq_time_t unusual; /* time spent in other states */
    sq_time_t refusal;
};

struct replay {
    const struct replay_acts *acts;
    void *self;
    struct replay_call *calls;
    const struct replay_log *log;
    struct sums s;
    const char *state;
    sq_time_t now;
};

/* ---- events ---- */

static bool is_usual(const struct replay *r, const char *state)
{
    return state == NULL || strcmp(state, r->acts->usual) == 0 || strcmp(state, "full") == 0;
}

/* Time passes: how long the state was not the usual one. */
static void note_state(struct replay *r, sq_time_t now)
{
    const char *state = r->acts->state(r->self);
    if (r->acts->usual == NULL) {
        return;
    }
    r->s.unusual += is_usual(r, r->state) ? 0 : now - r->now;
    bool opens = strcmp(state, "open") == 0 || strcmp(state, "trouble") == 0;
    if (opens && (r->state == NULL || strcmp(r->state, state) != 0)) {
        r->s.turns++;
        r->s.first = sq_min_i64(r->s.first, now);
    }
    r->state = state;
    r->now = now;
}

static void count(struct replay *r, const struct replay_event *e, enum replay_decision d)
{
    bool retry = e->what == REPLAY_RETRY;
    r->s.calls += retry ? 0 : 1;
    r->s.retries += retry ? 1 : 0;
    r->s.waited += d == REPLAY_WAIT ? 1 : 0;
    if (d == REPLAY_REFUSE) {
        r->s.refused += retry ? 0 : 1;
        r->s.refused_retries += retry ? 1 : 0;
        r->s.refusal = sq_min_i64(r->s.refusal, e->at);
    }
}

static enum replay_decision act(struct replay *r, const struct replay_event *e)
{
    struct replay_call *c = &r->calls[e->call];
    r->acts->advance(r->self, e->at);
    note_state(r, e->at);
    enum replay_decision d = REPLAY_NOTHING;
    if (e->what != REPLAY_END) {
        d = r->acts->ask(r->self, e, c);
        c->under_way = d == REPLAY_PASS || (d == REPLAY_WAIT && r->acts->waits_leave);
        count(r, e, d);
    } else if (c->under_way) {
        r->acts->end(r->self, e, c);
        c->under_way = false;
    } else {
        d = REPLAY_LEFT_OUT;
        r->s.refused_ok += e->kind == MDL_ERR_OK ? 1 : 0;
    }
    note_state(r, e->at);
    return d;
}

/* ---- writing ---- */

static void put_line(struct replay *r, const struct replay_event *e, enum replay_decision d,
                     struct sq_buf *out)
{
    static const char *const what[] = { "end", "start", "retry" };
    static const char *const said[] = { "", "pass", "refuse", "wait", "left-out" };
    replay_put_time(out, e->at);
    sq_buf_printf(out, ",%s", what[e->what]);
    sq_csv_put(out, false, e->id);
    sq_buf_printf(out, ",%s,%s", e->what == REPLAY_START ? "" : mdl_error_name(e->kind), said[d]);
    const char *state = r->acts->state(r->self);
    if (r->acts->usual != NULL) {
        sq_buf_printf(out, ",%s", state);
    }
    r->acts->show(r->self, e->at, out);
    sq_buf_putc(out, '\n');
}

static void put_count(struct sq_buf *out, uint64_t n, const char *one, const char *many)
{
    sq_buf_printf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void put_at(struct sq_buf *out, sq_time_t at)
{
    sq_buf_puts(out, ", first at ");
    replay_put_time(out, at);
    sq_buf_puts(out, " s");
}

static void put_summary(const struct replay *r, enum replay_type type, struct sq_buf *out)
{
    const struct sums *s = &r->s;
    put_count(out, s->calls, "call", "calls");
    sq_buf_puts(out, ": ");
    put_count(out, s->refused, "would have been turned away", "would have been turned away");
    if (s->refused + s->refused_retries > 0 && s->refusal != SQ_NEVER) {
        put_at(out, s->refusal);
    }
    if (s->waited > 0) {
        sq_buf_puts(out, "; ");
        put_count(out, s->waited, "would have waited", "would have waited");
    }
    sq_buf_puts(out, ".\n");
    if (s->refused_ok > 0) {
        put_count(out, s->refused_ok, "of them had succeeded.\n", "of them had succeeded.\n");
    }
    if (s->retries > 0) {
        put_count(out, s->retries, "retry", "retries");
        sq_buf_puts(out, ": ");
        put_count(out, s->refused_retries, "refused.\n", "refused.\n");
    }
    if (type == REPLAY_BREAKER || type == REPLAY_RAMP) {
        bool breaker = type == REPLAY_BREAKER;
        sq_buf_puts(out, breaker ? "The breaker would have opened " : "Trouble would have begun ");
        put_count(out, s->turns, "time", "times");
        if (s->turns > 0) {
            put_at(out, s->first);
            sq_buf_puts(out, breaker ? "; not closed for " : "; below its top for ");
            sq_unit_put_span(out, sq_time_to_s(s->unusual));
            sq_buf_puts(out, " in all");
        }
        sq_buf_puts(out, ".\n");
    }
}

/* ---- the whole ---- */

static enum sq_status run(struct replay *r, const struct replay_control *c, bool summary,
                          struct sq_buf *out)
{
    if (!summary) {
        sq_buf_printf(out, "time_s,event,id,kind,decision%s\n", r->acts->columns);
    }
    for (size_t i = 0; i < r->log->count; i++) {
        const struct replay_event *e = &r->log->events[i];
        enum replay_decision d = act(r, e);
        if (!summary) {
            put_line(r, e, d, out);
        }
    }
    if (summary) {
        put_summary(r, c->type, out);
    }
    return r->acts->failed(r->self) || out->failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status mdl_replay(const struct mdl_replay_ask *ask, struct sq_diag *diag,
                          struct sq_buf *out)
{
    struct sq_arena arena = { 0 };
    struct replay_control control;
    struct replay_log log;
    struct replay r = { .log = &log, .s = { .first = SQ_NEVER, .refusal = SQ_NEVER } };
    enum sq_status status = replay_control_read(&control, ask->control, &arena, diag);
    if (status == SQ_OK) {
        status = replay_read(&log, ask->file, &arena, diag);
    }
    if (status == SQ_OK) {
        r.acts = &replay_acts[control.type];
        r.self = sq_arena_alloc(&arena, 1, r.acts->size);
        r.calls = sq_arena_alloc(&arena, (size_t)log.calls + 1, sizeof(*r.calls));
        status =
            r.self != NULL && r.calls != NULL ? r.acts->open(r.self, &control, &arena) : SQ_NOMEM;
    }
    if (status == SQ_OK) {
        status = run(&r, &control, ask->summary, out);
        r.acts->close(r.self);
    }
    sq_arena_fini(&arena);
    return status;
}

enum sq_status mdl_replay_page(const struct sq_args *args, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_replay_ask ask = { .control = args->words[0],
                                  .file = args->words[1],
                                  .summary = sq_args_get(args, "summary") != NULL };
    return mdl_replay(&ask, diag, out);
}
