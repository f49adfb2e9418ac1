/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conf_lang.c - the tables of the made-up language. */
#include "tests/conf/conf_lang.h"

#define MS(n) ((n)*1e6)
#define ROW(KEY, TYPE, S, MEMBER, ...)                                                         \
    {                                                                                          \
        .key = (KEY), .type = (TYPE), .off = offsetof(struct S, MEMBER), .doc = "A sentence.", \
        __VA_ARGS__                                                                            \
    }

/* ---- distributions ---- */
static const struct sq_field constant_rows[] = {
    ROW("value", SQ_TIME, constant, value, .flags = SQ_F_STAR),
};
static const struct sq_field uniform_rows[] = {
    ROW("min", SQ_TIME, uniform, min),
    ROW("max", SQ_TIME, uniform, max, .flags = SQ_F_LIVE),
};
static const struct sq_field normal_rows[] = {
    ROW("mean", SQ_TIME, normal, mean),
    ROW("sd", SQ_TIME, normal, sd),
};
static void check_uniform(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct uniform *u = cfg;
    if (u->min > u->max) {
        (void)sq_diag_error(diag, node->where, path, NULL, "min is larger than max");
    }
}
static const struct sq_kind dist_kinds[] = {
    { "constant", "Fixed.", { .rows = constant_rows, 1, sizeof(struct constant) }, false },
    { "uniform",
      "Even.",
      { .rows = uniform_rows, 2, sizeof(struct uniform), check_uniform },
      false },
    { "normal", "Bell.", { .rows = normal_rows, 2, sizeof(struct normal) }, false },
    { "empirical", "From a file.", { 0 }, true },
};
static const struct sq_family dist = { .type = "distribution",
                                       .kinds = dist_kinds,
                                       .kind_count = SQ_COUNT(dist_kinds),
                                       .stride = sizeof(dist_kinds[0]),
                                       .ranges = true };

/* ---- rates ---- */
static const struct sq_field rate_constant_rows[] = {
    ROW("value", SQ_RATE, rate_constant, value, .flags = SQ_F_STAR | SQ_F_LIVE),
};
static const struct sq_field rate_point_rows[] = {
    ROW("at", SQ_TIME, rate_point, at),
    ROW("rate", SQ_RATE, rate_point, rate),
    ROW("weight", SQ_AMOUNT, rate_point, weight, .dflt = "7", .flags = SQ_F_OPTIONAL),
};
static const struct sq_table rate_point_table = { .rows = rate_point_rows,
                                                  .row_count = 3,
                                                  .size = sizeof(struct rate_point) };
static const struct sq_field rate_point_row = {
    .type = SQ_GROUP, .more = &rate_point_table, .flags = SQ_F_TUPLE, .doc = "A step."
};
static const struct sq_field rate_steps_rows[] = {
    ROW("points", SQ_LIST, rate_steps, points, .min = 1, .max = 3, .more = &rate_point_row),
};
static const struct sq_kind rate_kinds[] = {
    { "constant", "Flat.", { .rows = rate_constant_rows, 1, sizeof(struct rate_constant) }, false },
    { "steps", "Steps.", { .rows = rate_steps_rows, 1, sizeof(struct rate_steps) }, false },
};
static const struct sq_family rate = {
    .type = "rate", .kinds = rate_kinds, .kind_count = 2, .stride = sizeof(rate_kinds[0])
};

/* ---- arrivals ---- */
static const struct sq_field poisson_rows[] = {
    ROW("rate", SQ_BLOCK, poisson, rate, .more = &rate, .flags = SQ_F_STAR | SQ_F_LIVE),
};
static const struct sq_field bursts_rows[] = {
    ROW("size", SQ_AMOUNT, bursts, size, .min = 1, .max = -1),
    ROW("every", SQ_BLOCK, bursts, every, .more = &dist),
};
static const struct sq_field cohort_rows[] = {
    ROW("count", SQ_AMOUNT, cohort, count, .flags = SQ_F_STAR),
    ROW("at", SQ_TIME, cohort, at, .dflt = "0s"),
};
static const struct sq_kind arrival_kinds[] = {
    { "poisson", "Random.", { .rows = poisson_rows, 1, sizeof(struct poisson) }, false },
    { "bursts", "In bursts.", { .rows = bursts_rows, 2, sizeof(struct bursts) }, false },
    { "cohort", "At once.", { .rows = cohort_rows, 2, sizeof(struct cohort) }, false },
    { "none", "Never.", { 0 }, false },
};
static const struct sq_family arrivals = {
    .type = "arrivals", .kinds = arrival_kinds, .kind_count = 4, .stride = sizeof(arrival_kinds[0])
};

/* ---- backoff: rows that start with struct sq_kind, as policies do ---- */
struct policy {
    struct sq_kind kind;
    int number;
};
static const struct sq_field fixed_rows[] = {
    ROW("base", SQ_TIME, fixed, base, .flags = SQ_F_STAR),
};
static const struct sq_field exponential_rows[] = {
    ROW("base", SQ_TIME, exponential, base, .dflt = "1s"),
    ROW("cap", SQ_TIME, exponential, cap, .dflt = "10m", .flags = SQ_F_UNLIMITED),
    ROW("factor", SQ_NUMBER, exponential, factor, .dflt = "2", .min = 1, .max = 10),
    ROW("doublings", SQ_AMOUNT, exponential, doublings, .dflt = "unlimited",
        .flags = SQ_F_UNLIMITED),
};
static const struct sq_field delay_row = { .type = SQ_TIME, .doc = "A delay." };
static const struct sq_field table_rows[] = {
    ROW("delays", SQ_LIST, table, delays, .more = &delay_row, .flags = SQ_F_STAR),
};
static const struct policy backoffs[] = {
    { { "none", "At once.", { 0 }, false }, 0 },
    { { "fixed", "Same.", { .rows = fixed_rows, 1, sizeof(struct fixed) }, false }, 1 },
    { { "exponential",
        "Grows.",
        { .rows = exponential_rows, 4, sizeof(struct exponential) },
        false },
      2 },
    { { "table", "Listed.", { .rows = table_rows, 1, sizeof(struct table) }, false }, 3 },
    { { "polly", "Curve.", { 0 }, true }, 4 },
};
static const struct sq_family backoff = { .type = "backoff",
                                          .kinds = backoffs,
                                          .kind_count = SQ_COUNT(backoffs),
                                          .stride = sizeof(backoffs[0]),
                                          .dflt_kind = "exponential" };

/* ---- budget: a family with presets ---- */
static const char *const scopes[] = { "fleet", "caller", NULL };
static const struct sq_field ratio_rows[] = {
    ROW("ratio", SQ_RATIO, ratio, ratio, .flags = SQ_F_STAR | SQ_F_LIVE),
    ROW("floor", SQ_AMOUNT, ratio, floor, .dflt = "10"),
    ROW("scope", SQ_CHOICE, ratio, scope, .dflt = "fleet", .more = scopes),
};
static const struct sq_field tokens_rows[] = {
    ROW("max", SQ_AMOUNT, tokens, max, .dflt = "500"),
    ROW("scope", SQ_CHOICE, tokens, scope, .dflt = "fleet", .more = scopes),
};
static const struct sq_kind budget_kinds[] = {
    { "ratio", "Share.", { .rows = ratio_rows, 3, sizeof(struct ratio) }, false },
    { "tokens", "Tokens.", { .rows = tokens_rows, 2, sizeof(struct tokens) }, false },
};
static const struct sq_family budget = { .type = "budget",
                                         .kinds = budget_kinds,
                                         .kind_count = 2,
                                         .stride = sizeof(budget_kinds[0]),
                                         .dflt_kind = "ratio",
                                         .has_preset = true };

/* ---- groups ---- */
static const char *const errors[] = { "transient", "timeout", "error", NULL };
static const struct sq_field error_row = { .type = SQ_CHOICE, .more = errors, .doc = "A kind." };
static const struct sq_field retry_rows[] = {
    ROW("max_attempts", SQ_AMOUNT, retry, max_attempts, .dflt = "3", .min = 1, .max = -1,
        .flags = SQ_F_UNLIMITED, .alt = 1),
    ROW("max_retries", SQ_AMOUNT, retry, max_retries, .flags = SQ_F_OPTIONAL | SQ_F_UNLIMITED,
        .alt = 1),
    ROW("backoff", SQ_BLOCK, retry, backoff, .dflt = "exponential", .more = &backoff),
    ROW("retry_on", SQ_LIST, retry, retry_on, .dflt = "transient", .more = &error_row,
        .flags = SQ_F_ONE),
    ROW("max_elapsed", SQ_TIME, retry, max_elapsed, .flags = SQ_F_OPTIONAL | SQ_F_NONE),
};
const struct sq_table lang_retry = { .type = "retry",
                                     .rows = retry_rows,
                                     .row_count = 5,
                                     .size = sizeof(struct retry),
                                     .has_preset = true };
static const struct sq_field concurrency_rows[] = {
    ROW("limit", SQ_AMOUNT, concurrency, limit, .min = 1, .max = -1,
        .flags = SQ_F_STAR | SQ_F_LIVE),
    ROW("lease", SQ_TIME, concurrency, lease, .dflt = "none", .flags = SQ_F_NONE),
};
static const struct sq_table concurrency = { .rows = concurrency_rows,
                                             .row_count = 2,
                                             .size = sizeof(struct concurrency) };
static const struct sq_field outage_rows[] = {
    ROW("at", SQ_TIME, outage, at, .alt = 1),
    ROW("every", SQ_BLOCK, outage, every, .more = &dist, .alt = 1),
    ROW("for", SQ_TIME, outage, length, .flags = SQ_F_ABOVE_MIN),
};
static const struct sq_table outage = { .rows = outage_rows,
                                        .row_count = 3,
                                        .size = sizeof(struct outage) };
static const struct sq_field outage_row = { .type = SQ_GROUP, .more = &outage, .doc = "One." };
static const struct sq_field queue_row = { .type = SQ_REF, .more = "queues", .doc = "A queue." };
static const char *const acks[] = { "after", "before", NULL };
static const struct sq_field worker_rows[] = {
    ROW("queue", SQ_LIST, worker, queue, .more = &queue_row, .flags = SQ_F_ONE),
    ROW("replicas", SQ_AMOUNT, worker, replicas, .dflt = "1", .flags = SQ_F_LIVE),
    ROW("slots", SQ_AMOUNT, worker, slots, .dflt = "1", .min = 1, .max = -1, .flags = SQ_F_LIVE),
    ROW("memory", SQ_SIZE, worker, memory, .flags = SQ_F_OPTIONAL, .max = 1e12),
    ROW("retry", SQ_GROUP, worker, retry, .more = &lang_retry, .flags = SQ_F_OPTIONAL | SQ_F_LIVE),
    ROW("outages", SQ_LIST, worker, outages, .more = &outage_row, .flags = SQ_F_OPTIONAL),
    ROW("work", SQ_BLOCK, worker, work, .dflt = "0s", .more = &dist, .flags = SQ_F_LIVE),
    ROW("budget", SQ_BLOCK, worker, budget, .more = &budget, .flags = SQ_F_OPTIONAL),
    ROW("concurrency", SQ_GROUP, worker, concurrency, .more = &concurrency, .flags = SQ_F_OPTIONAL),
    ROW("renew", SQ_BOOL, worker, renew, .dflt = "false"),
    ROW("acknowledge", SQ_CHOICE, worker, acknowledge, .dflt = "after", .more = acks),
    { .key = "autoscaler", .type = SQ_BLOCK, .flags = SQ_F_LATER, .doc = "Scaling." },
};
static const struct sq_table worker = { .type = "workers",
                                        .rows = worker_rows,
                                        .row_count = SQ_COUNT(worker_rows),
                                        .size = sizeof(struct worker),
                                        .has_preset = true };
static const struct sq_field worker_row = { .type = SQ_GROUP, .more = &worker, .doc = "A pool." };
static const struct sq_field producer_rows[] = {
    ROW("queue", SQ_REF, producer, queue, .more = "queues"),
    ROW("arrivals", SQ_BLOCK, producer, arrivals, .more = &arrivals, .flags = SQ_F_LIVE),
    ROW("deadline", SQ_TIME, producer, deadline, .flags = SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE),
    ROW("share", SQ_RATIO, producer, share, .flags = SQ_F_OPTIONAL),
    ROW("label", SQ_TEXT, producer, label, .flags = SQ_F_OPTIONAL),
    ROW("order", SQ_CHOICE, producer, order, .more = acks, .flags = SQ_F_OPTIONAL),
};
static const struct sq_table producer = { .rows = producer_rows,
                                          .row_count = 6,
                                          .size = sizeof(struct producer) };
static const struct sq_field producer_row = { .type = SQ_GROUP, .more = &producer, .doc = "One." };
static const struct sq_field health_rows[] = {
    ROW("t1", SQ_TIME, health, t1, .flags = SQ_F_OPTIONAL),
    ROW("window", SQ_TIME, health, window, .dflt = "30s"),
};
static const struct sq_table health = { .rows = health_rows,
                                        .row_count = 2,
                                        .size = sizeof(struct health) };
static const struct sq_field reason_row = { .type = SQ_TEXT, .doc = "Why." };
static const struct sq_field root_rows[] = {
    ROW("squall", SQ_AMOUNT, root, squall, .min = 1, .max = 1, .flags = SQ_F_UNSET),
    ROW("title", SQ_TEXT, root, title, .flags = SQ_F_OPTIONAL | SQ_F_UNSET),
    ROW("duration", SQ_TIME, root, duration, .flags = SQ_F_ABOVE_MIN),
    ROW("timeline", SQ_TIME, root, timeline, .dflt = "1s", .min = MS(1), .max = MS(3600e3)),
    ROW("level", SQ_NUMBER, root, level, .dflt = "1.5", .flags = SQ_F_ABOVE_MIN),
    ROW("speed", SQ_RATE, root, speed, .max = 100, .flags = SQ_F_OPTIONAL | SQ_F_UNLIMITED),
    ROW("health", SQ_GROUP, root, health, .dflt = "{}", .more = &health),
    ROW("producers", SQ_MAP, root, producers, .more = &producer_row, .flags = SQ_F_OPTIONAL),
    ROW("workers", SQ_MAP, root, workers, .more = &worker_row, .flags = SQ_F_OPTIONAL),
    ROW("allow", SQ_MAP, root, allow, .more = &reason_row, .flags = SQ_F_OPTIONAL | SQ_F_ANY_KEY),
    ROW("actions", SQ_RAW, root, actions, .flags = SQ_F_OPTIONAL),
};
const struct sq_table lang_table = { .rows = root_rows,
                                     .row_count = SQ_COUNT(root_rows),
                                     .size = sizeof(struct root) };
