/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_rows.c - the keys of a dependency and what they must agree on. */
#include "models/entity/mdl_dependency.h"

#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_scaler.h"
#include "models/policy/mdl_slow_start.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

static const char *const kind_words[] = { "server", "optimistic", NULL };
static const char *const abandoned_words[] = { "finish", "skip", "cancel", NULL };

static const struct sq_field error_element = {
    .key = "ratio", .type = SQ_RATIO, .max = 1, .flags = SQ_F_LIVE, .doc = "Share of served calls."
};

static const struct sq_field outage_element = {
    .key = "outage", .type = SQ_BLOCK, .more = &mdl_outage_family, .doc = "One outage."
};

static const char *const balance_words[] = { "random", "round-robin", "least-loaded", NULL };

static const struct sq_field probe_rows[] = {
    SQ_ROW_TIME(struct mdl_probe_cfg, every, "every", "10s", SQ_F_ABOVE_MIN,
                "All nodes are probed so often."),
    SQ_ROW_TIME(struct mdl_probe_cfg, timeout, "timeout", "1s", 0,
                "It fails when the oldest waiting call has waited longer."),
    SQ_ROW_AMOUNT(struct mdl_probe_cfg, fall, "fall", "3", 1, 0,
                  "So many failures in a row take a node out."),
    SQ_ROW_AMOUNT(struct mdl_probe_cfg, rise, "rise", "1", 1, 0,
                  "So many successes in a row take it in again."),
};
static const struct sq_table probe_table = { .rows = SQ_ROWS(probe_rows),
                                             .size = sizeof(struct mdl_probe_cfg) };

/* At first it is as full as it becomes. */
static const char *full(const struct sq_node *map)
{
    const struct sq_node *hit = sq_node_get(map, "hit");
    return hit != NULL && hit->kind == SQ_NODE_SCALAR ? hit->text : "0%";
}

static const struct sq_field cache_rows[] = {
    SQ_ROW_RATIO(struct mdl_cache_cfg, hit, "hit", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "Share of hits when it is full."),
    { .key = "now",
      .type = SQ_RATIO,
      .off = SQ_AT(struct mdl_cache_cfg, now, double),
      .dflt = "hit",
      .dflt_by = full,
      .max = 1,
      .flags = SQ_F_LIVE,
      .doc = "Share of hits at the start." },
    SQ_ROW_TIME(struct mdl_cache_cfg, answer_in, "answer_in", "1ms", 0, "How long a hit takes."),
    SQ_ROW_NUMBER(struct mdl_cache_cfg, fill, "fill", NULL, 1, 1e12, 0,
                  "Each miss that ends as goodput brings the share nearer to `hit` by one in so "
                  "many."),
    SQ_ROW_RATIO(struct mdl_cache_cfg, after_return, "after_return", "0%", 0,
                 "Share of hits after it was down, hung or collapsed."),
};
static const struct sq_table cache_table = { .rows = SQ_ROWS(cache_rows),
                                             .size = sizeof(struct mdl_cache_cfg) };

static const struct sq_field dependency_rows[] = {
    SQ_ROW_CHOICE(struct mdl_dependency_cfg, kind, "kind", "server", kind_words, 0,
                  "How calls are answered."),
    SQ_ROW_AMOUNT_IN(struct mdl_dependency_cfg, nodes, "nodes", "1", 1, 10000, SQ_F_LIVE,
                     "Equal nodes."),
    SQ_ROW_CHOICE(struct mdl_dependency_cfg, balance, "balance", "least-loaded", balance_words, 0,
                  "How calls are dealt to the nodes that are up."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, slow_start, "slow_start", NULL, &mdl_slow_start_family,
                 SQ_F_OPTIONAL | SQ_F_NONE,
                 "How a node that returns gets less than its share of the calls at first."),
    SQ_ROW_AMOUNT(struct mdl_dependency_cfg, room.servers, "servers", "unlimited", 1,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Calls served at a time, per node."),
    SQ_ROW_AMOUNT(struct mdl_dependency_cfg, room.waiting_room, "waiting_room", "unlimited", 0,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Accepted calls beyond, per node; more are refused."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, room.discipline, "discipline", "fifo",
                 &mdl_discipline_family, 0, "Order of the waiting room."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, room.service, "service", NULL, &mdl_dist_family,
                 SQ_F_OPTIONAL | SQ_F_LIVE, "Time in a server; required for kind: server."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, network, "network", "0s", &mdl_dist_family, 0,
                 "Time of one way, drawn for each direction."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, room.contention, "contention", NULL,
                 &mdl_contention_family, SQ_F_OPTIONAL | SQ_F_NONE,
                 "How calls slow each other down."),
    SQ_ROW_GROUP(struct mdl_dependency_cfg, cache, "cache", NULL, &cache_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Calls answered without a server."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, rate_limit, "rate_limit", NULL, &mdl_limiter_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Limit at the server."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, hint, "hint", NULL, &mdl_hint_family,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Retry-After it sends: a duration, or reset."),
    SQ_ROW_MAP(struct mdl_dependency_cfg, errors, "errors", &error_element,
               SQ_F_OPTIONAL | SQ_F_ANY_KEY,
               "Shares of served calls that fail after their service, by error kind."),
    SQ_ROW_CHOICE(struct mdl_dependency_cfg, room.abandoned, "abandoned", "finish", abandoned_words,
                  SQ_F_LIVE, "What happens to calls nobody waits for."),
    SQ_ROW_TIME(struct mdl_dependency_cfg, answer_in, "answer_in", "1ms", SQ_F_LIVE,
                "Until a caller learns that it is refused."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, refusal_cost, "refusal_cost", "0s", &mdl_dist_family, 0,
                 "Server time that a refusal uses up."),
    SQ_ROW_LIST(struct mdl_dependency_cfg, outages, "outages", "[]", &outage_element, 0,
                "When it is down."),
    SQ_ROW_GROUP(struct mdl_dependency_cfg, overload, "overload", NULL, &mdl_overload_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "When it collapses under its load."),
    SQ_ROW_GROUP(struct mdl_dependency_cfg, room.warm_up, "warm_up", NULL, &mdl_warm_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Share of it in force after a return."),
    SQ_ROW_GROUP(struct mdl_dependency_cfg, probe, "probe", NULL, &probe_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Health checks that take nodes out."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, autoscaler, "autoscaler", NULL, &mdl_scaler_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Scales the nodes."),
    SQ_ROW_BLOCK(struct mdl_dependency_cfg, start_up, "start_up", "30s", &mdl_dist_family, 0,
                 "From the creation of a node until it serves."),
    SQ_ROW_MAP(
        struct mdl_dependency_cfg, calls, "calls", &mdl_calls_element, SQ_F_OPTIONAL,
        "Dependencies called after the own service, one after the other, holding the server."),
};

/* Sharing has no servers of its own, a brownout some. */
static void check_servers(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                          const char *path, struct sq_diag *diag)
{
    bool unlimited = cfg->room.servers == SQ_UNLIMITED;
    if (mdl_contention_among(&cfg->room.contention) > 0 && !unlimited) {
        sq_diag_error(diag, sq_node_get(node, "servers")->where, path,
                      "write servers: unlimited; `among` says how many are shared",
                      "contention by sharing needs servers: unlimited");
    }
    if (!mdl_dist_is_zero(&cfg->refusal_cost) && unlimited && cfg->kind == MDL_DEPENDENCY_SERVER) {
        sq_diag_error(diag, sq_node_get(node, "refusal_cost")->where, path,
                      "write how many servers there are",
                      "refusal_cost takes a server, and there is no bound on them");
    }
    for (size_t i = 0; i < cfg->outages.count; i++) {
        bool brownout = mdl_outage_kind(&cfg->outages, i) == MDL_OUTAGE_BROWNOUT;
        if (brownout && unlimited) {
            sq_diag_error(diag, sq_node_get(node, "outages")->items[i]->where, path,
                          "write how many servers there are", "a brownout needs finite servers");
        }
    }
}

static void check_errors(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                         const char *path, struct sq_diag *diag)
{
    (void)node;
    double sum = 0;
    for (size_t i = 0; i < cfg->errors.count; i++) {
        if (!mdl_error_is_answer(mdl_error_find(cfg->errors.names[i]))) {
            sq_diag_error(diag, cfg->errors.where[i], path,
                          "one of refused, rate-limited, unavailable, reset, error, conflict, "
                          "permanent",
                          "a dependency cannot answer `%s`", cfg->errors.names[i]);
        }
        sum += *(const double *)sq_map_at(&cfg->errors, i);
    }
    if (sum > 1 + 1e-9) {
        sq_diag_error(diag, cfg->errors.where[0], path, "make them add up to 100% at most",
                      "the shares of errors add up to more than 100%%");
    }
}

/* A limit at the server has one state: the server's. */
static void check_rate_limit(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                             const char *path, struct sq_diag *diag)
{
    if (cfg->rate_limit.kind != NULL && mdl_limiter_scope(&cfg->rate_limit) != MDL_SCOPE_FLEET) {
        sq_diag_error(diag, sq_node_get(sq_node_get(node, "rate_limit"), "scope")->where, path,
                      "a limit per caller or replica belongs under controls",
                      "a limit at the server has no scope: it counts all calls together");
    }
}

static void check_hint(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                       const char *path, struct sq_diag *diag)
{
    if (mdl_hint_is_reset(&cfg->hint) && cfg->rate_limit.kind == NULL) {
        sq_diag_error(diag, sq_node_get(node, "hint")->where, path,
                      "add a rate_limit, or write a duration",
                      "hint: reset needs a rate_limit to be reset");
    }
}

/* To an optimistic row only `network`, `outages` and `errors` apply. */
static void check_kind(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                       const char *path, struct sq_diag *diag)
{
    const struct mdl_room_cfg *r = &cfg->room;
    const struct {
        const char *key;
        bool set;
    } keys[] = {
        { "servers", r->servers != SQ_UNLIMITED },
        { "waiting_room", r->waiting_room != SQ_UNLIMITED },
        { "service", r->service.kind != NULL },
        { "contention", r->contention.kind != NULL },
        { "rate_limit", cfg->rate_limit.kind != NULL },
        { "hint", cfg->hint.kind != NULL },
        { "refusal_cost", !mdl_dist_is_zero(&cfg->refusal_cost) },
        { "abandoned", r->abandoned != MDL_ABANDONED_FINISH },
        { "overload", cfg->overload != NULL },
        { "warm_up", r->warm_up != NULL },
        { "calls", cfg->calls.count > 0 },
        { "nodes", cfg->nodes != 1 },
        { "probe", cfg->probe != NULL },
        { "slow_start", cfg->slow_start.kind != NULL },
        { "cache", cfg->cache != NULL },
        { "autoscaler", cfg->autoscaler.kind != NULL },
    };
    bool optimistic = cfg->kind == MDL_DEPENDENCY_OPTIMISTIC;
    if (!optimistic && r->service.kind == NULL) {
        sq_diag_error(diag, node->where, path, NULL, "the required key `service` is missing");
    }
    for (size_t i = 0; optimistic && i < SQ_COUNT(keys); i++) {
        if (keys[i].set) {
            sq_diag_error(diag, sq_node_get(node, keys[i].key)->where, path,
                          "only network, outages and errors apply to it",
                          "kind: optimistic has no `%s`", keys[i].key);
        }
    }
}

/* An autoscaler of nodes looks at calls: at no queue, and at no slots. */
static void check_scaler(const struct mdl_dependency_cfg *cfg, const struct sq_node *node,
                         const char *path, struct sq_diag *diag)
{
    if (cfg->autoscaler.kind == NULL) {
        return;
    }
    const struct mdl_scaler_row *row = mdl_scaler_row(&cfg->autoscaler);
    enum mdl_metric metric = (enum mdl_metric)mdl_scaler_common(&cfg->autoscaler)->metric;
    struct sq_where where = sq_node_get(node, "autoscaler")->where;
    bool pollers = strcmp(row->kind.name, "lambda-sqs") == 0;
    if (row->runs_once || row->slots || pollers) {
        sq_diag_error(diag, where, path, "for example kind: hpa, or target-tracking",
                      "an autoscaler of nodes cannot be of kind %s", row->kind.name);
    } else if (metric == MDL_METRIC_OLDEST) {
        sq_diag_error(diag, where, path, "for example metric: utilisation",
                      "an autoscaler of nodes sees no queue whose oldest job it could look at");
    } else if ((mdl_scaler_counts(&cfg->autoscaler) & MDL_COUNTS_DELAYED) != 0) {
        sq_diag_error(diag, where, path, "calls wait (ready) or are in service (leased)",
                      "nothing is delayed at a dependency");
    } else if (metric == MDL_METRIC_UTILISATION && cfg->room.servers == SQ_UNLIMITED) {
        sq_diag_error(diag, where, path, "write how many servers a node has",
                      "the utilisation of unlimited servers means nothing");
    }
}

static void check_dependency(const void *cfg, const struct sq_node *node, const char *path,
                             struct sq_diag *diag)
{
    const struct mdl_dependency_cfg *d = cfg;
    check_kind(d, node, path, diag);
    check_servers(d, node, path, diag);
    check_rate_limit(d, node, path, diag);
    check_hint(d, node, path, diag);
    check_scaler(d, node, path, diag);
    check_errors(d, node, path, diag);
    mdl_outages_check(&d->outages, sq_node_get(node, "outages"), path, diag);
}

const struct sq_table mdl_dependency_table = { .type = "dependency",
                                               .rows = SQ_ROWS(dependency_rows),
                                               .size = sizeof(struct mdl_dependency_cfg),
                                               .check = check_dependency };
