/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler.c - one row per kind of autoscaler: its keys, and what is wrong with them. */
#include "models/policy/mdl_scaler_in.h"
#include "sim/conf/sq_rows.h"

#include <math.h>

static const char *const counts_words[] = { "ready", "delayed", "leased", NULL };
static const char *const type_words[] = { "average", "value", NULL };
static const char *const select_words[] = { "max", "min", "disabled", NULL };
static const char *const strategy_words[] = { "default", "accurate", "eager", NULL };
static const char *const metric_words[] = { "depth",     "oldest",      "arrivals",
                                            "processed", "utilisation", NULL };

/* ---- keys of several kinds ---- */

static const struct sq_field counts_element = {
    .key = "part", .type = SQ_CHOICE, .more = counts_words, .doc = "A part of the queue."
};
static const struct sq_field gate_rows[] = {
    SQ_ROW_REF(struct mdl_scaler_gate, dependency, "dependency", "dependencies", 0,
               "Whose servers are looked at."),
    SQ_ROW_RATIO(struct mdl_scaler_gate, utilisation, "utilisation", NULL, 0,
                 "Busier than this since the last look: no scaling up."),
};
static const struct sq_table gate_table = { .rows = SQ_ROWS(gate_rows),
                                            .size = sizeof(struct mdl_scaler_gate) };

#define MIN_ROW(least)                                                               \
    SQ_ROW_AMOUNT_IN(struct mdl_scaler_common, min, "min", least, 0, 1e6, SQ_F_LIVE, \
                     "Fewest replicas.")
#define MAX_ROW                                                                     \
    SQ_ROW_AMOUNT_IN(struct mdl_scaler_common, max, "max", NULL, 1, 1e6, SQ_F_LIVE, \
                     "Most replicas.")
#define METRIC_ROW                                                                      \
    SQ_ROW_CHOICE(struct mdl_scaler_common, metric, "metric", "depth", metric_words, 0, \
                  "What is measured.")
#define COUNTS_ROW                                                                                \
    SQ_ROW_LIST(struct mdl_scaler_common, counts, "counts", "[ready]", &counts_element, SQ_F_ONE, \
                "Which parts of the queue are its depth: the broker's view.")
#define GATE_ROW                                                            \
    SQ_ROW_GROUP(struct mdl_scaler_common, gate, "gate", NULL, &gate_table, \
                 SQ_F_OPTIONAL | SQ_F_NONE,                                 \
                 "No scaling up while a dependency is busier than this.")
#define TARGET_ROW(doc_)                                                                          \
    SQ_ROW_QUANTITY(struct mdl_scaler_common, target, "target", NULL, SQ_F_ABOVE_MIN | SQ_F_LIVE, \
                    doc_)

/* Whether a value is written in the unit of the metric, and how that looks. */
static bool fits(int metric, const struct sq_quantity *q, const char **like)
{
    static const struct {
        enum sq_ftype unit;
        const char *like;
    } units[] = { [MDL_METRIC_DEPTH] = { SQ_NUMBER, "750 (jobs)" },
                  [MDL_METRIC_OLDEST] = { SQ_TIME, "30s" },
                  [MDL_METRIC_ARRIVALS] = { SQ_RATE, "10/s" },
                  [MDL_METRIC_PROCESSED] = { SQ_RATE, "10/s" },
                  [MDL_METRIC_UTILISATION] = { SQ_RATIO, "70%" } };
    bool plain = metric == MDL_METRIC_UTILISATION && q->unit == SQ_NUMBER;
    *like = units[metric].like;
    return isnan(q->value) || q->value == 0 || q->unit == units[metric].unit || plain;
}

static void check_unit(const struct mdl_scaler_common *c, const struct sq_quantity *q,
                       const char *key, const struct sq_node *node, const char *path,
                       struct sq_diag *diag)
{
    const char *like;
    if (!fits(c->metric, q, &like)) {
        sq_diag_error(diag, node->where, path, NULL,
                      "%s does not have the unit of metric: %s, for example %s", key,
                      metric_words[c->metric], like);
    }
}

static void check_common(const struct mdl_scaler_common *c, const struct sq_node *node,
                         const char *path, struct sq_diag *diag)
{
    if (c->min > c->max) {
        sq_diag_error(diag, node->where, path, NULL, "min is above max");
    }
    check_unit(c, &c->target, "target", node, path, diag);
}

static void check_any(const void *cfg, const struct sq_node *node, const char *path,
                      struct sq_diag *diag)
{
    check_common(cfg, node, path, diag);
}

/* ---- hpa, keda ---- */

static const struct sq_field policy_rows[] = {
    SQ_ROW_AMOUNT(struct mdl_scale_policy, pods, "pods", NULL, 0, SQ_F_OPTIONAL,
                  "So many replicas."),
    { .key = "percent",
      .type = SQ_RATIO,
      .off = SQ_AT(struct mdl_scale_policy, percent, double),
      .max = 1000,
      .flags = SQ_F_OPTIONAL,
      .doc = "Such a share of the replicas; 100% doubles." },
    SQ_ROW_TIME(struct mdl_scale_policy, every, "every", NULL, 0, "Within this time."),
};

static void check_policy(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct mdl_scale_policy *p = cfg;
    if ((p->pods < 0) == isnan(p->percent)) {
        sq_diag_error(diag, node->where, path, "for example {pods: 4, every: 15s}",
                      "needs either pods or percent");
    }
}

static const struct sq_table policy_table = { .rows = SQ_ROWS(policy_rows),
                                              .size = sizeof(struct mdl_scale_policy),
                                              .check = check_policy };
static const struct sq_field policy_element = { .key = "policy",
                                                .type = SQ_GROUP,
                                                .more = &policy_table,
                                                .doc = "How much may change in which time." };
static const struct sq_field up_rows[] = {
    SQ_ROW_TIME(struct mdl_scale_limits, stabilise, "stabilise", "0s", 0,
                "Window whose lowest recommendation counts."),
    SQ_ROW_LIST(struct mdl_scale_limits, policies, "policies",
                "[{pods: 4, every: 15s}, {percent: 100%, every: 15s}]", &policy_element, 0,
                "Limits on the change."),
    SQ_ROW_CHOICE(struct mdl_scale_limits, select, "select", "max", select_words, 0,
                  "Which policy counts."),
};
static const struct sq_field down_rows[] = {
    SQ_ROW_TIME(struct mdl_scale_limits, stabilise, "stabilise", "5m", 0,
                "Window whose highest recommendation counts."),
    SQ_ROW_LIST(struct mdl_scale_limits, policies, "policies", "[{percent: 100%, every: 15s}]",
                &policy_element, 0, "Limits on the change."),
    SQ_ROW_CHOICE(struct mdl_scale_limits, select, "select", "max", select_words, 0,
                  "Which policy counts."),
};
static const struct sq_table up_table = { .rows = SQ_ROWS(up_rows),
                                          .size = sizeof(struct mdl_scale_limits) };
static const struct sq_table down_table = { .rows = SQ_ROWS(down_rows),
                                            .size = sizeof(struct mdl_scale_limits) };

#define HPA_ROWS(least)                                                                          \
    MIN_ROW(least), MAX_ROW, METRIC_ROW,                                                         \
        TARGET_ROW("Value of the metric to hold, per replica with target_type average."),        \
        COUNTS_ROW, GATE_ROW,                                                                    \
        SQ_ROW_TIME(struct mdl_hpa, sync, "sync", "15s", SQ_F_ABOVE_MIN, "Time between looks."), \
        SQ_ROW_RATIO(struct mdl_hpa, tolerance, "tolerance", "10%", 0,                           \
                     "No change while the ratio is this close to 1."),                           \
        SQ_ROW_CHOICE(struct mdl_hpa, target_type, "target_type", "average", type_words, 0,      \
                      "average: the target is per replica; value: for the whole fleet."),        \
        SQ_ROW_GROUP(struct mdl_hpa, up, "up", "{}", &up_table, 0, "Limits on scaling up."),     \
        SQ_ROW_GROUP(struct mdl_hpa, down, "down", "{}", &down_table, 0,                         \
                     "Limits on scaling down.")

static const struct sq_field hpa_rows[] = { HPA_ROWS("1") };
static const struct sq_field keda_rows[] = {
    HPA_ROWS("0"),
    SQ_ROW_TIME(struct mdl_hpa, poll, "poll", "30s", SQ_F_ABOVE_MIN,
                "Time between looks that decide between 0 and 1."),
    SQ_ROW_TIME(struct mdl_hpa, cooldown, "cooldown", "5m", 0,
                "Inactive for longer than this: down to 0."),
    SQ_ROW_QUANTITY(struct mdl_hpa, activation, "activation", "0", 0,
                    "Active while the metric is above this."),
};

static void check_hpa(const void *cfg, const struct sq_node *node, const char *path,
                      struct sq_diag *diag)
{
    const struct mdl_hpa *h = cfg;
    check_common(&h->common, node, path, diag);
    check_unit(&h->common, &h->activation, "activation", node, path, diag);
}

/* ---- keda-jobs ---- */

static const struct sq_field jobs_rows[] = {
    MIN_ROW("0"),
    MAX_ROW,
    METRIC_ROW,
    TARGET_ROW("Value of the metric that one replica stands for."),
    COUNTS_ROW,
    GATE_ROW,
    SQ_ROW_TIME(struct mdl_jobs, poll, "poll", "30s", SQ_F_ABOVE_MIN, "Time between looks."),
    SQ_ROW_CHOICE(struct mdl_jobs, strategy, "strategy", "default", strategy_words, 0,
                  "How replicas that run or start already are counted."),
};

/* ---- target-tracking, step ---- */

static const struct sq_field tracking_rows[] = {
    MIN_ROW("1"),
    MAX_ROW,
    METRIC_ROW,
    TARGET_ROW("Value of the metric to hold; depth, arrivals and processed: per ready replica."),
    COUNTS_ROW,
    GATE_ROW,
    SQ_ROW_TIME(struct mdl_tracking, period, "period", "1m", SQ_F_ABOVE_MIN, "Time between looks."),
    SQ_ROW_AMOUNT(struct mdl_tracking, out_after, "out_after", "3", 1, 0,
                  "Periods in a row above the target before it grows."),
    SQ_ROW_AMOUNT(struct mdl_tracking, in_after, "in_after", "15", 1, 0,
                  "Periods in a row below 90 % of the target before it shrinks."),
    SQ_ROW_TIME(struct mdl_tracking, cooldown_out, "cooldown_out", "5m", 0,
                "Least time between two steps up."),
    SQ_ROW_TIME(struct mdl_tracking, cooldown_in, "cooldown_in", "5m", 0,
                "Least time between two steps down."),
};

static const struct sq_field step_rows[] = {
    SQ_ROW_QUANTITY(struct mdl_step, from, "from", NULL, 0, "From this value of the metric on."),
    SQ_ROW_AMOUNT_IN(struct mdl_step, change, "change", NULL, -1e6, 1e6, SQ_F_SIGNED,
                     "So many replicas more, or fewer."),
};
static const struct sq_table step_table = { .rows = SQ_ROWS(step_rows),
                                            .size = sizeof(struct mdl_step) };
static const struct sq_field step_element = { .key = "step",
                                              .type = SQ_GROUP,
                                              .more = &step_table,
                                              .flags = SQ_F_TUPLE,
                                              .doc = "A value of the metric and a change." };
static const struct sq_field steps_rows[] = {
    MIN_ROW("1"),
    MAX_ROW,
    METRIC_ROW,
    COUNTS_ROW,
    GATE_ROW,
    SQ_ROW_LIST(struct mdl_steps, steps, "steps", NULL, &step_element, 0,
                "Values of the metric, rising, and what to change from there on."),
    SQ_ROW_TIME(struct mdl_steps, period, "period", "1m", SQ_F_ABOVE_MIN, "Time between looks."),
    SQ_ROW_TIME(struct mdl_steps, cooldown, "cooldown", "5m", 0, "Least time between two changes."),
};

static void check_steps(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct mdl_steps *s = cfg;
    check_common(&s->common, node, path, diag);
    if (s->steps.count == 0) {
        sq_diag_error(diag, node->where, path, "for example steps: [[1000, +5], [10000, +20]]",
                      "steps is empty");
    }
    for (size_t i = 0; i < s->steps.count; i++) {
        const struct mdl_step *step = sq_list_at(&s->steps, i);
        const struct mdl_step *before = i > 0 ? sq_list_at(&s->steps, i - 1) : NULL;
        check_unit(&s->common, &step->from, "a step", node, path, diag);
        if (before != NULL && step->from.value <= before->from.value) {
            sq_diag_error(diag, node->where, path, "sort them by the value of the metric",
                          "step %zu does not lie above the one before", i + 1);
        }
    }
}

/* ---- lambda-sqs, celery ---- */

static const struct sq_field lambda_rows[] = {
    MIN_ROW("1"),
    MAX_ROW,
    GATE_ROW,
    SQ_ROW_AMOUNT_IN(struct mdl_lambda, start, "start", "5", 1, 1e6, 0,
                     "Concurrent batches to begin with."),
    SQ_ROW_AMOUNT_IN(struct mdl_lambda, add, "add", "300", 1, 1e6, 0,
                     "So many more at every look while messages wait."),
    SQ_ROW_TIME(struct mdl_lambda, every, "every", "1m", SQ_F_ABOVE_MIN, "Time between looks."),
};
static const struct sq_field celery_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_scaler_common, min, "min", "1", 1, 1e6, SQ_F_LIVE,
                     "Fewest slots of a replica."),
    SQ_ROW_AMOUNT_IN(struct mdl_scaler_common, max, "max", NULL, 1, 1e6, SQ_F_LIVE,
                     "Most slots of a replica."),
    SQ_ROW_TIME(struct mdl_celery, keep, "keep", "30s", SQ_F_ABOVE_MIN,
                "It shrinks when it last grew longer ago than this."),
};

/* ---- the family ---- */

#define KIND(name_, doc_, rows_, type_, check_) \
    .kind = { .name = name_,                    \
              .doc = doc_,                      \
              .table = { .rows = SQ_ROWS(rows_), .size = sizeof(type_), .check = check_ } }

static const struct mdl_scaler_row scaler_rows[] = {
    { KIND("hpa", "Kubernetes HorizontalPodAutoscaler v2.", hpa_rows, struct mdl_hpa, check_hpa),
      .state_size = mdl_hpa_state_size, .period = mdl_hpa_period, .decide = mdl_hpa_decide },
    { KIND("keda", "KEDA ScaledObject: an HPA that also goes to zero.", keda_rows, struct mdl_hpa,
           check_hpa),
      .state_size = mdl_keda_state_size, .period = mdl_hpa_period, .decide = mdl_keda_decide,
      .poll = mdl_keda_poll, .decide_poll = mdl_keda_decide_poll },
    { KIND("keda-jobs", "KEDA ScaledJob: starts replicas that fill their slots once and end.",
           jobs_rows, struct mdl_jobs, check_any),
      .state_size = mdl_jobs_state_size, .period = mdl_jobs_period, .decide = mdl_jobs_decide,
      .runs_once = true },
    { KIND("target-tracking", "AWS target tracking: two alarms around a target.", tracking_rows,
           struct mdl_tracking, check_any),
      .state_size = mdl_tracking_state_size, .period = mdl_tracking_period,
      .decide = mdl_tracking_decide },
    { KIND("step", "Step scaling: the higher the metric, the larger the change.", steps_rows,
           struct mdl_steps, check_steps),
      .state_size = mdl_steps_state_size, .period = mdl_steps_period, .decide = mdl_steps_decide },
    { KIND("lambda-sqs", "AWS Lambda on an SQS queue; a replica is a concurrent batch.",
           lambda_rows, struct mdl_lambda, check_any),
      .state_size = mdl_lambda_state_size, .period = mdl_lambda_period,
      .decide = mdl_lambda_decide },
    { KIND("celery", "Celery's autoscale: slots of a replica follow the jobs leased to it.",
           celery_rows, struct mdl_celery, check_any),
      .state_size = mdl_celery_state_size, .period = mdl_celery_period, .decide = mdl_celery_decide,
      .slots = true },
};

const struct sq_family mdl_scaler_family = {
    .type = "autoscaler",
    .kinds = scaler_rows,
    .kind_count = SQ_COUNT(scaler_rows),
    .stride = sizeof(struct mdl_scaler_row),
    .has_preset = true,
};

unsigned mdl_scaler_counts(const struct sq_block *b)
{
    const struct mdl_scaler_common *c = b->cfg;
    unsigned bits = c->counts.count == 0 ? (unsigned)MDL_COUNTS_READY : 0;
    for (size_t i = 0; i < c->counts.count; i++) {
        bits |= 1u << *(const int *)sq_list_at(&c->counts, i);
    }
    return bits;
}
