/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler.c - one row per kind of autoscaler. */
#include "models/policy/mdl_scaler.h"

#include "sim/conf/sq_rows.h"

#include <math.h>
#include <string.h>

static const char *const counts_words[] = { "ready", "delayed", "leased", NULL };
static const char *const type_words[] = { "average", "value", NULL };
static const char *const select_words[] = { "max", "min", "disabled", NULL };
static const char *const metric_words[] = { "depth",     "oldest",      "arrivals",
                                            "processed", "utilisation", NULL };

struct policy { /* one of the two is given */
    int64_t pods;
    double percent;
    sq_time_t every;
};
struct direction {
    sq_time_t stabilise;
    struct sq_list policies; /* of struct policy */
    int select;
};
struct hpa {
    struct mdl_scaler_common common;
    int metric, target_type;
    sq_time_t sync;
    double tolerance;
    struct direction *up, *down;
    sq_time_t poll, cooldown; /* KEDA */
    int64_t activation;
};

/* Ring of (time, number) pairs; entries live in the state after struct hpa_state. */
struct entry {
    sq_time_t at;
    int64_t value;
};
struct hpa_state {
    uint32_t rec_count, change_count; /* entries written so far, modulo nothing: rings */
    sq_time_t last_active;
    struct entry entries[]; /* `room` recommendations, then `room` changes */
};

/* ---- configuration ---- */

static const struct sq_field policy_rows[] = {
    SQ_ROW_AMOUNT(struct policy, pods, "pods", NULL, 0, SQ_F_OPTIONAL, "So many replicas."),
    { .key = "percent",
      .type = SQ_RATIO,
      .off = SQ_AT(struct policy, percent, double),
      .max = 1000,
      .flags = SQ_F_OPTIONAL,
      .doc = "Such a share of the replicas; 100% doubles." },
    SQ_ROW_TIME(struct policy, every, "every", NULL, 0, "Within this time."),
};

static void check_policy(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct policy *p = cfg;
    if ((p->pods < 0) == isnan(p->percent)) {
        sq_diag_error(diag, node->where, path, "for example {pods: 4, every: 15s}",
                      "needs either pods or percent");
    }
}

static const struct sq_table policy_table = { .rows = SQ_ROWS(policy_rows),
                                              .size = sizeof(struct policy),
                                              .check = check_policy };
static const struct sq_field policy_element = { .key = "policy",
                                                .type = SQ_GROUP,
                                                .more = &policy_table,
                                                .doc = "How much may change in which time." };
static const struct sq_field up_rows[] = {
    SQ_ROW_TIME(struct direction, stabilise, "stabilise", "0s", 0,
                "Window whose lowest recommendation counts."),
    SQ_ROW_LIST(struct direction, policies, "policies",
                "[{pods: 4, every: 15s}, {percent: 100%, every: 15s}]", &policy_element, 0,
                "Limits on the change."),
    SQ_ROW_CHOICE(struct direction, select, "select", "max", select_words, 0,
                  "Which policy counts."),
};
static const struct sq_field down_rows[] = {
    SQ_ROW_TIME(struct direction, stabilise, "stabilise", "5m", 0,
                "Window whose highest recommendation counts."),
    SQ_ROW_LIST(struct direction, policies, "policies", "[{percent: 100%, every: 15s}]",
                &policy_element, 0, "Limits on the change."),
    SQ_ROW_CHOICE(struct direction, select, "select", "max", select_words, 0,
                  "Which policy counts."),
};
static const struct sq_table up_table = { .rows = SQ_ROWS(up_rows),
                                          .size = sizeof(struct direction) };
static const struct sq_table down_table = { .rows = SQ_ROWS(down_rows),
                                            .size = sizeof(struct direction) };
static const struct sq_field counts_element = {
    .key = "part", .type = SQ_CHOICE, .more = counts_words, .doc = "A part of the queue."
};

#define COMMON_ROWS(min_default)                                                                 \
    SQ_ROW_AMOUNT(struct hpa, common.min, "min", min_default, 0, SQ_F_LIVE, "Fewest replicas."), \
        SQ_ROW_AMOUNT(struct hpa, common.max, "max", NULL, 1, SQ_F_LIVE, "Most replicas."),      \
        SQ_ROW_CHOICE(struct hpa, metric, "metric", "depth", metric_words, 0,                    \
                      "What is measured."),                                                      \
        SQ_ROW_NUMBER(struct hpa, common.target, "target", NULL, 1e-9, 1e12, SQ_F_LIVE,          \
                      "Value of the metric to hold, per replica with target_type average."),     \
        SQ_ROW_LIST(struct hpa, common.counts, "counts", "[ready]", &counts_element, SQ_F_ONE,   \
                    "Which parts of the queue are its depth: the broker's view."),               \
        SQ_ROW_LATER("gate", "No scaling up while a dependency is busier than this."),           \
        SQ_ROW_TIME(struct hpa, sync, "sync", "15s", SQ_F_ABOVE_MIN, "Time between looks."),     \
        SQ_ROW_RATIO(struct hpa, tolerance, "tolerance", "10%", 0,                               \
                     "No change while the ratio is this close to 1."),                           \
        SQ_ROW_CHOICE(struct hpa, target_type, "target_type", "average", type_words, 0,          \
                      "average: the target is per replica; value: for the whole fleet."),        \
        SQ_ROW_GROUP(struct hpa, up, "up", "{}", &up_table, 0, "Limits on scaling up."),         \
        SQ_ROW_GROUP(struct hpa, down, "down", "{}", &down_table, 0, "Limits on scaling down.")

static const struct sq_field hpa_rows[] = { COMMON_ROWS("1") };
static const struct sq_field keda_rows[] = {
    COMMON_ROWS("0"),
    SQ_ROW_TIME(struct hpa, poll, "poll", "30s", SQ_F_ABOVE_MIN,
                "Time between looks that decide between 0 and 1."),
    SQ_ROW_TIME(struct hpa, cooldown, "cooldown", "5m", 0,
                "Inactive for longer than this: down to 0."),
    SQ_ROW_AMOUNT(struct hpa, activation, "activation", "0", 0, 0,
                  "Active while the metric is above this."),
};

static void check_hpa(const void *cfg, const struct sq_node *node, const char *path,
                      struct sq_diag *diag)
{
    const struct hpa *h = cfg;
    if (h->common.min > h->common.max) {
        sq_diag_error(diag, node->where, path, NULL, "min is above max");
    }
    if (h->metric != 0) {
        sq_diag_error(diag, node->where, path, "use metric: depth",
                      "metric: %s is not supported yet", metric_words[h->metric]);
    }
    if (h->sync == 0) {
        sq_diag_error(diag, node->where, path, "for example sync: 15s", "sync is 0s");
    }
}

/* ---- arithmetic ---- */

static sq_time_t longest(const struct direction *d)
{
    sq_time_t most = d->stabilise;
    for (size_t i = 0; i < d->policies.count; i++) {
        const struct policy *p = sq_list_at(&d->policies, i);
        most = sq_max_i64(most, p->every);
    }
    return most;
}

/* Entries that can still matter: one per sync within the longest window. */
static uint32_t room(const struct hpa *h)
{
    sq_time_t window = sq_max_i64(longest(h->up), longest(h->down));
    return (uint32_t)sq_min_i64(window / h->sync + 2, 1 << 20);
}

static size_t hpa_state_size(const void *cfg)
{
    return sizeof(struct hpa_state) + 2 * (size_t)room(cfg) * sizeof(struct entry);
}

static sq_time_t hpa_period(const void *cfg)
{
    return ((const struct hpa *)cfg)->sync;
}

static void note(struct entry *ring, uint32_t size, uint32_t *count, sq_time_t at, int64_t value)
{
    ring[*count % size] = (struct entry){ at, value };
    ++*count;
}

static int64_t propose(const struct hpa *h, const struct mdl_scaler_view *v)
{
    if (h->target_type == 0) {
        double ratio = v->metric / (h->common.target * (double)v->current);
        if (fabs(1 - ratio) <= h->tolerance) {
            return v->current;
        }
        return (int64_t)ceil(v->metric / h->common.target);
    }
    double ratio = v->metric / h->common.target;
    if (fabs(1 - ratio) <= h->tolerance) {
        return v->current;
    }
    return (int64_t)ceil(ratio * (double)v->ready);
}

static int64_t stabilise(const struct hpa *h, struct hpa_state *s, sq_time_t now, int64_t raw,
                         int64_t current)
{
    int64_t up = raw, down = raw;
    uint32_t size = room(h), count = s->rec_count < size ? s->rec_count : size;
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *e = &s->entries[i];
        if (e->at > now - h->up->stabilise && e->value < up) {
            up = e->value;
        }
        if (e->at > now - h->down->stabilise && e->value > down) {
            down = e->value;
        }
    }
    note(s->entries, size, &s->rec_count, now, raw);
    int64_t result = current < up ? up : current;
    return result > down ? down : result;
}

/* Replicas added (sign 1) or removed (sign -1) strictly within the last `every`. */
static int64_t changed(const struct hpa *h, const struct hpa_state *s, sq_time_t now,
                       sq_time_t every, int sign)
{
    uint32_t size = room(h), count = s->change_count < size ? s->change_count : size;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *e = &s->entries[size + i];
        if (e->at > now - every && e->value * sign > 0) {
            sum += e->value * sign;
        }
    }
    return sum;
}

static int64_t bound_up(const struct policy *p, int64_t start)
{
    return p->pods >= 0 ? start + p->pods : (int64_t)ceil((double)start * (1 + p->percent));
}

static int64_t bound_down(const struct policy *p, int64_t start)
{
    return p->pods >= 0 ? start - p->pods : (int64_t)((double)start * (1 - p->percent));
}

/* The furthest that the policies of a direction allow. */
static int64_t limit(const struct hpa *h, const struct hpa_state *s,
                     const struct mdl_scaler_view *v, bool rising)
{
    const struct direction *d = rising ? h->up : h->down;
    if (d->select == 2) {
        return v->current;
    }
    bool widest = d->select == 0;
    int64_t best = v->current;
    for (size_t i = 0; i < d->policies.count; i++) {
        const struct policy *p = sq_list_at(&d->policies, i);
        int64_t added = changed(h, s, v->now, p->every, 1);
        int64_t removed = changed(h, s, v->now, p->every, -1);
        int64_t start = rising ? v->current - added : v->current + removed;
        int64_t to = rising ? bound_up(p, start) : bound_down(p, start);
        bool further = rising == widest ? to > best : to < best;
        best = i == 0 || further ? to : best;
    }
    return best;
}

static int64_t hpa_decide_from(const struct hpa *h, struct hpa_state *s,
                               const struct mdl_scaler_view *v, int64_t min)
{
    int64_t max = h->common.max;
    if (s->rec_count == 0) { /* the controller starts with what it finds as a recommendation */
        note(s->entries, room(h), &s->rec_count, v->now, v->current);
    }
    if (v->current == 0) {
        return 0; /* scaled to zero: the HPA is off */
    }
    if (v->current > max || v->current < min) {
        return v->current > max ? max : min;
    }
    int64_t raw = propose(h, v);
    int64_t want = stabilise(h, s, v->now, raw, v->current);
    if (want > v->current) {
        int64_t top = sq_max_i64(limit(h, s, v, true), v->current);
        want = sq_min_i64(sq_min_i64(want, top), max);
    } else if (want < v->current) {
        int64_t floor = sq_min_i64(limit(h, s, v, false), v->current);
        want = sq_max_i64(sq_max_i64(want, floor), min);
    }
    if (want != v->current) {
        note(s->entries + room(h), room(h), &s->change_count, v->now, want - v->current);
    }
    return want;
}

static int64_t hpa_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct hpa *h = cfg;
    return hpa_decide_from(h, state, v, h->common.min);
}

static int64_t keda_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct hpa *h = cfg;
    return hpa_decide_from(h, state, v, sq_max_i64(h->common.min, 1));
}

static sq_time_t keda_poll(const void *cfg)
{
    return ((const struct hpa *)cfg)->poll;
}

static int64_t keda_decide_poll(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct hpa *h = cfg;
    struct hpa_state *s = state;
    bool active = v->metric > (double)h->activation;
    if (active) {
        s->last_active = v->now;
        return v->current == 0 ? sq_max_i64(h->common.min, 1) : v->current;
    }
    bool cold = sq_time_add(s->last_active, h->cooldown) < v->now;
    return h->common.min == 0 && cold ? 0 : v->current;
}

static const struct mdl_scaler_row scaler_rows[] = {
    { .kind = { .name = "hpa",
                .doc = "Kubernetes HorizontalPodAutoscaler v2 on an external metric.",
                .table = { .rows = SQ_ROWS(hpa_rows),
                           .size = sizeof(struct hpa),
                           .check = check_hpa } },
      .state_size = hpa_state_size,
      .period = hpa_period,
      .decide = hpa_decide },
    { .kind = { .name = "keda",
                .doc = "KEDA ScaledObject: an HPA that also goes to zero.",
                .table = { .rows = SQ_ROWS(keda_rows),
                           .size = sizeof(struct hpa),
                           .check = check_hpa } },
      .state_size = hpa_state_size,
      .period = hpa_period,
      .decide = keda_decide,
      .poll = keda_poll,
      .decide_poll = keda_decide_poll },
    { .kind = { .name = "keda-jobs", .doc = "KEDA ScaledJob.", .later = true } },
    { .kind = { .name = "target-tracking", .doc = "AWS target tracking.", .later = true } },
    { .kind = { .name = "step", .doc = "Step scaling.", .later = true } },
    { .kind = { .name = "lambda-sqs", .doc = "AWS Lambda on SQS.", .later = true } },
    { .kind = { .name = "celery", .doc = "Celery's autoscale.", .later = true } },
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
    unsigned bits = 0;
    for (size_t i = 0; i < c->counts.count; i++) {
        bits |= 1u << *(const int *)sq_list_at(&c->counts, i);
    }
    return bits;
}
