/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_rows.c - the keys of a control. */
#include "models/part/mdl_gate_parts.h"

#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_ramp.h"
#include "sim/conf/sq_rows.h"

struct throttled_row {
    struct sq_kind kind;
    enum mdl_throttled how;
};

static const struct sq_field defer_rows[] = {
    SQ_ROW_BLOCK(struct mdl_throttled_defer, delay, "delay", "5s..15s", &mdl_dist_family, SQ_F_LIVE,
                 "How long the job stays away."),
};
static const struct sq_field wait_rows[] = {
    SQ_ROW_TIME(struct mdl_throttled_wait, max, "max", "unlimited", SQ_F_UNLIMITED | SQ_F_LIVE,
                "Longest wait; then as `fail`."),
};
static const struct throttled_row throttled_rows[] = {
    { { .name = "defer",
        .doc = "The job goes back to its queue for a while; no attempt is used.",
        .table = { .rows = SQ_ROWS(defer_rows), .size = sizeof(struct mdl_throttled_defer) } },
      MDL_THROTTLED_DEFER },
    { { .name = "wait",
        .doc = "The caller waits in its slot, first come first served.",
        .table = { .rows = SQ_ROWS(wait_rows), .size = sizeof(struct mdl_throttled_wait) } },
      MDL_THROTTLED_WAIT },
    { { .name = "fail", .doc = "The call fails with `throttled`." }, MDL_THROTTLED_FAIL },
    { { .name = "pause",
        .doc = "The job goes back to the head of its queue, and the pool stops fetching until the "
               "control would admit; callers other than workers wait." },
      MDL_THROTTLED_PAUSE },
};
static const struct sq_family throttled_family = {
    .type = "throttled",
    .kinds = throttled_rows,
    .kind_count = SQ_COUNT(throttled_rows),
    .stride = sizeof(struct throttled_row),
};

static const struct sq_field concurrency_rows[] = {
    SQ_ROW_AMOUNT(
        struct mdl_concurrency_cfg, limit, "limit", NULL, 1, SQ_F_STAR | SQ_F_LIVE,
        SQ_BELOW("Calls at a time, of all callers of one state together.", MDL_LIMIT_HINT)),
    SQ_ROW_TIME(struct mdl_concurrency_cfg, lease, "lease", "none", SQ_F_NONE | SQ_F_ABOVE_MIN,
                "A permit is free after this, whether its holder lives or not."),
    MDL_ROW_SCOPE(struct mdl_concurrency_cfg, scope),
};
static const struct sq_table concurrency_table = { .type = "concurrency",
                                                   .rows = SQ_ROWS(concurrency_rows),
                                                   .size = sizeof(struct mdl_concurrency_cfg),
                                                   .has_preset = true };

static const struct sq_field only_element = {
    .key = "caller", .type = SQ_REF, .more = "workers", .doc = "Workers, clients or a dependency."
};

static const struct sq_field control_rows[] = {
    SQ_ROW_LIST(struct mdl_control_cfg, only, "only", NULL, &only_element, SQ_F_OPTIONAL | SQ_F_ONE,
                "Callers it stands before; all by default."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, throttled, "throttled", NULL, &throttled_family,
                 SQ_F_OPTIONAL | SQ_F_LIVE, "What a throttled caller does."),
    SQ_ROW_GROUP(struct mdl_control_cfg, concurrency, "concurrency", NULL, &concurrency_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Bound on calls at a time."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, rate_limit, "rate_limit", NULL, &mdl_limiter_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Bound on calls per time."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, adaptive, "adaptive", NULL, &mdl_adaptive_family,
                 SQ_F_OPTIONAL | SQ_F_NONE, "A limit on calls at a time that adapts itself."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, ramp, "ramp", NULL, &mdl_ramp_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Limits that rise after trouble."),
    SQ_ROW_GROUP(struct mdl_control_cfg, breaker, "breaker", NULL, &mdl_breaker_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "A circuit breaker."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, budget, "budget", NULL, &mdl_budget_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "A retry budget."),
};
/* A ramp that starts when the breaker closes needs one, of its own scope. */
static void check_control(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct mdl_control_cfg *c = cfg;
    if (c->ramp.kind == NULL || mdl_ramp_common(&c->ramp)->starts != MDL_RAMP_BREAKER_CLOSE) {
        return;
    }
    struct sq_where where = sq_node_get(node, "ramp")->where;
    if (c->breaker == NULL) {
        sq_diag_error(diag, where, path, "add a breaker, or use starts: errors-stop",
                      "a ramp that starts when the breaker closes needs a breaker");
    } else if (c->breaker->scope != mdl_ramp_common(&c->ramp)->scope) {
        sq_diag_error(diag, where, path, "give both the same scope",
                      "the ramp has scope %s and the breaker that starts it %s",
                      mdl_scope_words[mdl_ramp_common(&c->ramp)->scope],
                      mdl_scope_words[c->breaker->scope]);
    }
}

const struct sq_table mdl_control_table = { .type = "control",
                                            .rows = SQ_ROWS(control_rows),
                                            .size = sizeof(struct mdl_control_cfg),
                                            .check = check_control };

enum mdl_throttled mdl_control_throttled(const struct mdl_control_cfg *cfg, bool pool)
{
    const struct sq_kind *kind = cfg->throttled.kind;
    if (kind != NULL) {
        enum mdl_throttled how = ((const struct throttled_row *)(const void *)kind)->how;
        return how == MDL_THROTTLED_PAUSE && !pool ? MDL_THROTTLED_WAIT : how;
    }
    return pool ? MDL_THROTTLED_WAIT : MDL_THROTTLED_FAIL;
}

bool mdl_control_has(const struct mdl_control_cfg *cfg, enum mdl_control kind)
{
    switch (kind) {
    case MDL_CONTROL_BREAKER:
        return cfg->breaker != NULL;
    case MDL_CONTROL_RATE:
        return cfg->rate_limit.kind != NULL;
    case MDL_CONTROL_CONCURRENCY:
        return cfg->concurrency != NULL;
    case MDL_CONTROL_RAMP:
        return cfg->ramp.kind != NULL;
    case MDL_CONTROL_ADAPTIVE:
        return cfg->adaptive.kind != NULL;
    case MDL_CONTROL_COUNT:
        break;
    }
    return false;
}

int mdl_control_scope(const struct mdl_control_cfg *cfg, enum mdl_control kind)
{
    switch (kind) {
    case MDL_CONTROL_BREAKER:
        return cfg->breaker->scope;
    case MDL_CONTROL_RATE:
        return mdl_limiter_scope(&cfg->rate_limit);
    case MDL_CONTROL_CONCURRENCY:
        return cfg->concurrency->scope;
    case MDL_CONTROL_RAMP:
        return mdl_ramp_common(&cfg->ramp)->scope;
    case MDL_CONTROL_ADAPTIVE:
        return mdl_adaptive_scope(&cfg->adaptive);
    case MDL_CONTROL_COUNT:
        break;
    }
    return MDL_SCOPE_FLEET;
}
