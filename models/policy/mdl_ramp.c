/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_ramp.c - one row per kind of ramp. */
#include "models/policy/mdl_ramp.h"

#include "sim/conf/sq_rows.h"

static const char *const starts_words[] = { "breaker-close", "errors-stop", NULL };
static const char *const clock_words[] = { "wall", "clean", NULL };
static const char *const at_start_words[] = { "full", "bottom", NULL };

struct steps {
    struct mdl_ramp_common common;
    struct sq_list steps; /* of int64_t */
    sq_time_t every;
};

struct ramp_row {
    struct sq_kind kind;
    int64_t (*limit)(const void *cfg, sq_time_t since);
    sq_time_t (*next)(const void *cfg, sq_time_t since);
    int64_t (*top)(const void *cfg);
};

static const struct sq_field step_element = {
    .key = "step", .type = SQ_AMOUNT, .min = 1, .max = 1099511627775.0, .doc = "Calls at a time."
};
static const struct sq_field steps_rows[] = {
    SQ_ROW_LIST(struct steps, steps, "steps", NULL, &step_element, SQ_F_STAR | SQ_F_LIVE,
                "Limits, one after the other."),
    SQ_ROW_TIME(struct steps, every, "every", "1m", SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long each step lasts."),
    SQ_ROW_CHOICE(struct steps, common.starts, "starts", "errors-stop", starts_words, 0,
                  "What starts the ramp."),
    SQ_ROW_CHOICE(struct steps, common.clock, "clock", "wall", clock_words, 0,
                  "Whether a failed call restarts the present step's time (clean)."),
    SQ_ROW_CHOICE(struct steps, common.at_start, "at_start", "full", at_start_words, 0,
                  "Limit before the first trouble."),
    MDL_ROW_SCOPE(struct steps, common.scope),
};

static int64_t steps_at(const struct steps *s, size_t i)
{
    return *(const int64_t *)sq_list_at(&s->steps, i);
}

static int64_t steps_limit(const void *cfg, sq_time_t since)
{
    const struct steps *s = cfg;
    size_t last = s->steps.count - 1;
    sq_time_t step = since / s->every;
    return steps_at(s, step < (sq_time_t)last ? (size_t)step : last);
}

static sq_time_t steps_next(const void *cfg, sq_time_t since)
{
    const struct steps *s = cfg;
    sq_time_t step = since / s->every + 1;
    return step < (sq_time_t)s->steps.count ? step * s->every : SQ_NEVER;
}

static int64_t steps_top(const void *cfg)
{
    const struct steps *s = cfg;
    return steps_at(s, s->steps.count - 1);
}

static void check_steps(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct steps *s = cfg;
    if (s->steps.count == 0) {
        sq_diag_error(diag, node->where, path, "for example [5, 10, 20, 40]", "steps is empty");
    }
    if (s->common.starts == MDL_RAMP_BREAKER_CLOSE) {
        sq_diag_error(diag, node->where, path, "use starts: errors-stop",
                      "starts: breaker-close is not supported yet");
    }
    if (s->common.clock == 1) {
        sq_diag_error(diag, node->where, path, "use clock: wall",
                      "clock: clean is not supported yet");
    }
}

static const struct ramp_row ramp_rows[] = {
    { { .name = "steps",
        .doc = "Limits that hold for `every` each, one after the other.",
        .table = { .rows = SQ_ROWS(steps_rows),
                   .size = sizeof(struct steps),
                   .check = check_steps } },
      steps_limit,
      steps_next,
      steps_top },
    { { .name = "linear", .doc = "From `from` to `to` over `over`.", .later = true },
      NULL,
      NULL,
      NULL },
    { { .name = "haproxy", .doc = "HAProxy's slowstart.", .later = true }, NULL, NULL, NULL },
    { { .name = "envoy", .doc = "Envoy's slow start.", .later = true }, NULL, NULL, NULL },
};

const struct sq_family mdl_ramp_family = {
    .type = "ramp",
    .kinds = ramp_rows,
    .kind_count = SQ_COUNT(ramp_rows),
    .stride = sizeof(struct ramp_row),
    .dflt_kind = "steps",
    .has_preset = true,
};

static const struct ramp_row *row_of(const struct sq_block *ramp)
{
    SQ_ASSERT(ramp->kind != NULL);
    return (const struct ramp_row *)(const void *)ramp->kind;
}

const struct mdl_ramp_common *mdl_ramp_common(const struct sq_block *ramp)
{
    SQ_ASSERT(ramp->kind != NULL);
    return ramp->cfg;
}

int64_t mdl_ramp_bottom(const struct sq_block *ramp)
{
    return row_of(ramp)->limit(ramp->cfg, 0);
}

int64_t mdl_ramp_limit(const struct sq_block *ramp, sq_time_t since)
{
    SQ_ASSERT(since >= 0);
    return row_of(ramp)->limit(ramp->cfg, since);
}

sq_time_t mdl_ramp_next(const struct sq_block *ramp, sq_time_t since)
{
    SQ_ASSERT(since >= 0);
    return row_of(ramp)->next(ramp->cfg, since);
}

int64_t mdl_ramp_top(const struct sq_block *ramp)
{
    return row_of(ramp)->top(ramp->cfg);
}
