/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay_acts.c - each kind of control before the calls of a log. */
#include "models/advice/mdl_replay_in.h"

#include "models/part/mdl_gate.h"
#include "models/policy/mdl_limiter.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_trouble.h"
#include "sim/core/sq_luck.h"

#include <math.h>

void replay_put_time(struct sq_buf *out, sq_time_t t)
{
    sq_buf_printf(out, "%lld", (long long)(t / SQ_NS_PER_S));
    int64_t rest = t % SQ_NS_PER_S;
    for (int64_t unit = SQ_NS_PER_S / 10; rest > 0; unit /= 10) {
        sq_buf_printf(out, "%s%lld", unit == SQ_NS_PER_S / 10 ? "." : "", (long long)(rest / unit));
        rest %= unit;
    }
}

static void put_number(struct sq_buf *out, double value)
{
    sq_buf_putc(out, ',');
    if (!isnan(value)) {
        sq_buf_number(out, value, 6);
    }
}

static const char *no_state(void *self)
{
    (void)self;
    return "";
}

static void stays(void *self, sq_time_t now)
{
    (void)self, (void)now;
}

static void closes_itself(void *self)
{
    (void)self;
}

static bool never_fails(const void *self)
{
    (void)self;
    return false;
}

/* ---- breakers ---- */

struct breaker {
    const struct mdl_breaker_cfg *cfg;
    struct mdl_breaker *b;
};

static enum sq_status breaker_open(void *self, const struct replay_control *c,
                                   struct sq_arena *arena)
{
    struct breaker *r = self;
    r->cfg = c->breaker;
    r->b = sq_arena_alloc(arena, 1, mdl_breaker_size(r->cfg));
    if (r->b == NULL) {
        return SQ_NOMEM;
    }
    mdl_breaker_init(r->cfg, r->b);
    return SQ_OK;
}

static void breaker_advance(void *self, sq_time_t now)
{
    struct breaker *r = self;
    mdl_breaker_advance(r->cfg, r->b, now);
}

static enum replay_decision breaker_ask(void *self, const struct replay_event *e,
                                        struct replay_call *c)
{
    struct breaker *r = self;
    switch (mdl_breaker_ask(r->cfg, r->b, e->at)) {
    case MDL_BREAKER_PASS:
        c->age = r->b->age;
        return REPLAY_PASS;
    case MDL_BREAKER_WAIT:
        return REPLAY_WAIT;
    case MDL_BREAKER_REFUSE:
        break;
    }
    return REPLAY_REFUSE;
}

static void breaker_end(void *self, const struct replay_event *e, struct replay_call *c)
{
    struct breaker *r = self;
    mdl_breaker_answer(
        r->cfg, r->b,
        &(struct mdl_breaker_answer){ .now = e->at,
                                      .took = e->took,
                                      .age = c->age,
                                      .failed = mdl_gate_breaker_fails(r->cfg, e->kind) });
}

static const char *breaker_state(void *self)
{
    return mdl_breaker_word(((struct breaker *)self)->b->state);
}

static void breaker_show(void *self, sq_time_t now, struct sq_buf *out)
{
    struct breaker *r = self;
    bool half = r->b->state == MDL_BREAKER_HALF_OPEN;
    struct mdl_tally t = half ? r->b->half : mdl_breaker_seen(r->cfg, r->b, now);
    put_number(out, (double)t.total);
    put_number(out, (double)t.failed);
}

/* ---- budgets ---- */

struct budget {
    struct mdl_budget_law law;
    struct mdl_budget b;
    struct sq_luck luck;
    uint32_t stream;
};

static enum sq_status budget_open(void *self, const struct replay_control *c,
                                  struct sq_arena *arena)
{
    (void)arena;
    struct budget *r = self;
    r->law = mdl_budget_law(&c->block);
    r->luck = sq_luck_init(1, 1);
    r->stream = sq_luck_stream("replay", "budget", NULL);
    mdl_budget_init(r->law, &r->b);
    return SQ_OK;
}

static void budget_close(void *self)
{
    mdl_budget_fini(&((struct budget *)self)->b);
}

static enum replay_decision budget_ask(void *self, const struct replay_event *e,
                                       struct replay_call *c)
{
    struct budget *r = self;
    double u = sq_luck_uniform(&r->luck, r->stream, e->order, 0, 0);
    if (!mdl_budget_admit(r->law, &r->b, e->at, u)) {
        return REPLAY_REFUSE;
    }
    if (e->what == REPLAY_RETRY) {
        if (!mdl_budget_ask(r->law, &r->b, e->at, mdl_budgets_fault(e->kind))) {
            return REPLAY_REFUSE;
        }
        c->retry = true;
        c->fault = (uint8_t)mdl_budgets_fault(e->kind);
    }
    mdl_budget_left(r->law, &r->b, e->at, e->what == REPLAY_START);
    return REPLAY_PASS;
}

static void budget_end(void *self, const struct replay_event *e, struct replay_call *c)
{
    struct budget *r = self;
    bool ok = e->kind == MDL_ERR_OK;
    mdl_budget_ended(r->law, &r->b,
                     &(struct mdl_budget_end){ .now = e->at,
                                               .ok = ok,
                                               .accepted = mdl_budgets_accepts(e->kind),
                                               .charged = !ok && e->kind != MDL_ERR_PERMANENT,
                                               .retry = c->retry,
                                               .fault = ok ? (enum mdl_budget_fault)c->fault
                                                           : mdl_budgets_fault(e->kind) });
}

static void budget_show(void *self, sq_time_t now, struct sq_buf *out)
{
    struct budget *r = self;
    put_number(out, mdl_budget_rest(r->law, &r->b, now));
}

static bool budget_failed(const void *self)
{
    return ((const struct budget *)self)->b.failed;
}

/* ---- rate limits ---- */

struct rate {
    const struct sq_block *cfg;
    struct mdl_limiter_state s;
};

static enum sq_status rate_open(void *self, const struct replay_control *c, struct sq_arena *arena)
{
    (void)arena;
    struct rate *r = self;
    r->cfg = &c->block;
    mdl_limiter_init(r->cfg, &r->s);
    return SQ_OK;
}

static void rate_close(void *self)
{
    mdl_limiter_fini(&((struct rate *)self)->s);
}

static enum replay_decision rate_ask(void *self, const struct replay_event *e,
                                     struct replay_call *c)
{
    (void)c;
    struct rate *r = self;
    sq_time_t at = e->at;
    if (!mdl_limiter_enter(r->cfg, &r->s, e->at, &at)) {
        return REPLAY_REFUSE;
    }
    return at > e->at ? REPLAY_WAIT : REPLAY_PASS;
}

static void rate_end(void *self, const struct replay_event *e, struct replay_call *c)
{
    (void)self, (void)e, (void)c;
}

/* How long until the next one may pass. */
static void rate_show(void *self, sq_time_t now, struct sq_buf *out)
{
    struct rate *r = self;
    sq_time_t next = mdl_limiter_next(r->cfg, &r->s, now);
    sq_buf_putc(out, ',');
    replay_put_time(out, next > now ? next - now : 0);
}

static bool rate_failed(const void *self)
{
    return ((const struct rate *)self)->s.failed;
}

/* ---- ramps ---- */

struct ramp {
    const struct sq_block *cfg;
    struct mdl_trouble trouble;
    sq_time_t start, now; /* start: SQ_NEVER: none has started */
    int64_t in_use;
    bool failed;
};

static enum sq_status ramp_open(void *self, const struct replay_control *c, struct sq_arena *arena)
{
    (void)arena;
    *(struct ramp *)self = (struct ramp){ .cfg = &c->block, .start = SQ_NEVER };
    return SQ_OK;
}

static void ramp_close(void *self)
{
    mdl_trouble_fini(&((struct ramp *)self)->trouble);
}

static void ramp_advance(void *self, sq_time_t now)
{
    ((struct ramp *)self)->now = now;
}

static int64_t ramp_limit(const struct ramp *r)
{
    bool bottom = r->start == SQ_NEVER && mdl_ramp_common(r->cfg)->at_start == 1;
    if (r->trouble.on || bottom) {
        return mdl_ramp_bottom(r->cfg);
    }
    return r->start == SQ_NEVER ? SQ_UNLIMITED : mdl_ramp_limit(r->cfg, r->now - r->start);
}

static enum replay_decision ramp_ask(void *self, const struct replay_event *e,
                                     struct replay_call *c)
{
    (void)e, (void)c;
    struct ramp *r = self;
    if (r->in_use >= ramp_limit(r)) {
        return REPLAY_REFUSE;
    }
    r->in_use++;
    return REPLAY_PASS;
}

static void ramp_end(void *self, const struct replay_event *e, struct replay_call *c)
{
    (void)c;
    struct ramp *r = self;
    bool failed =
        e->kind != MDL_ERR_OK && e->kind != MDL_ERR_CONFLICT && e->kind != MDL_ERR_PERMANENT;
    r->in_use--;
    bool runs = r->start != SQ_NEVER && !r->trouble.on;
    if (failed && runs && mdl_ramp_common(r->cfg)->clock == 1 &&
        mdl_ramp_next(r->cfg, e->at - r->start) != SQ_NEVER) {
        r->start = e->at - mdl_ramp_step(r->cfg, e->at - r->start);
    }
    enum mdl_turn turn = mdl_trouble_note(&r->trouble, e->at, failed);
    r->start = turn == MDL_TURN_ENDS ? e->at : r->start;
    r->failed = r->failed || turn == MDL_TURN_NO_MEMORY;
}

static const char *ramp_state(void *self)
{
    struct ramp *r = self;
    if (r->trouble.on) {
        return "trouble";
    }
    if (r->start == SQ_NEVER) {
        return "calm";
    }
    return mdl_ramp_next(r->cfg, r->now - r->start) != SQ_NEVER ? "rising" : "full";
}

static void ramp_show(void *self, sq_time_t now, struct sq_buf *out)
{
    struct ramp *r = self;
    (void)now;
    int64_t limit = ramp_limit(r);
    put_number(out, limit == SQ_UNLIMITED ? (double)NAN : (double)limit);
    put_number(out, (double)r->in_use);
}

static bool ramp_failed(const void *self)
{
    return ((const struct ramp *)self)->failed;
}

/* ---- the table ---- */

const struct replay_acts replay_acts[REPLAY_TYPES] = {
    [REPLAY_BREAKER] = { .columns = ",state,calls,failures",
                         .open = breaker_open,
                         .close = closes_itself,
                         .advance = breaker_advance,
                         .ask = breaker_ask,
                         .end = breaker_end,
                         .show = breaker_show,
                         .state = breaker_state,
                         .usual = "closed",
                         .failed = never_fails,
                         .size = sizeof(struct breaker) },
    [REPLAY_BUDGET] = { .columns = ",left",
                        .open = budget_open,
                        .close = budget_close,
                        .advance = stays,
                        .ask = budget_ask,
                        .end = budget_end,
                        .show = budget_show,
                        .state = no_state,
                        .failed = budget_failed,
                        .size = sizeof(struct budget) },
    [REPLAY_RATE] = { .columns = ",next_in_s",
                      .open = rate_open,
                      .close = rate_close,
                      .advance = stays,
                      .ask = rate_ask,
                      .end = rate_end,
                      .show = rate_show,
                      .state = no_state,
                      .waits_leave = true,
                      .failed = rate_failed,
                      .size = sizeof(struct rate) },
    [REPLAY_RAMP] = { .columns = ",state,limit,in_use",
                      .open = ramp_open,
                      .close = ramp_close,
                      .advance = ramp_advance,
                      .ask = ramp_ask,
                      .end = ramp_end,
                      .show = ramp_show,
                      .state = ramp_state,
                      .usual = "calm",
                      .failed = ramp_failed,
                      .size = sizeof(struct ramp) },
};
