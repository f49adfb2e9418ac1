/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_envoy.c - Envoy (api v3): a bootstrap file, a route configuration or clusters. A
 * cluster is a dependency; every pool of workers calls it.
 *
 * `num_retries` counts retries and is 1; nothing is retried without `retry_on`; a route's timeout
 * is of all tries and 15 s; delays go from 25 ms to ten times the base. Ceilings of
 * circuit_breakers are per proxy; a refused call fails at once (config/route/v3,
 * config/cluster/v3). */
#include "models/import/mdl_retry_on.h"
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

static bool is(const struct sq_node *doc)
{
    return mdl_source_node(doc, "static_resources") != NULL ||
           mdl_source_node(doc, "virtual_hosts") != NULL ||
           mdl_source_node(doc, "clusters") != NULL;
}

static const struct sq_node *clusters(const struct sq_node *doc)
{
    const struct sq_node *list = mdl_source_node(doc, "static_resources.clusters");
    list = list != NULL ? list : mdl_source_node(doc, "clusters");
    return list != NULL && list->kind == SQ_NODE_LIST ? list : NULL;
}

/* Whatever calls itself the cluster of a route. */
static void scan_routes(struct mdl_importing *m, const struct sq_node *n)
{
    const struct sq_node *route = n->kind == SQ_NODE_MAP ? mdl_source_node(n, "route") : NULL;
    const char *cluster = route != NULL ? mdl_source_text(route, "cluster") : NULL;
    if (cluster != NULL) {
        mdl_names_add(m, &m->dependencies, mdl_source_name(m, cluster));
    }
    for (size_t i = 0; i < n->count; i++) {
        scan_routes(m, n->items[i]);
    }
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *list = clusters(doc);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const char *name = mdl_source_text(list->items[i], "name");
        if (name != NULL) {
            mdl_names_add(m, &m->dependencies, mdl_source_name(m, name));
        }
    }
    scan_routes(m, doc);
}

static void enter_route(struct mdl_importing *m, const struct sq_node *n)
{
    const char *cluster = n->kind == SQ_NODE_MAP ? mdl_source_text(n, "cluster") : NULL;
    m->scope.dependency = cluster != NULL ? mdl_source_name(m, cluster) : NULL;
    if (cluster != NULL && mdl_source_node(n, "timeout") == NULL) {
        mdl_source_default(m, "{calls}.total_timeout", "15s", "Envoy, unless told otherwise");
    }
}

static void enter_policy(struct mdl_importing *m, const struct sq_node *n)
{
    if (n->kind == SQ_NODE_MAP && mdl_source_node(n, "retry_on") == NULL) {
        mdl_source_default(m, "{calls}.retry", "none", "Envoy retries nothing without retry_on");
        return;
    }
    mdl_source_default(m, "{calls}.retry.preset", "envoy", "its delays");
}

static void enter_backoff(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    const struct sq_node *base =
        n->kind == SQ_NODE_MAP ? mdl_source_node(n, "base_interval") : NULL;
    if (base != NULL && mdl_source_node(n, "max_interval") == NULL &&
        mdl_turn_ten_times(m, base, &b) == MDL_TURNED) {
        mdl_source_default(m, "{calls}.retry.backoff.cap",
                           mdl_source_format(m, "%s", mdl_turn_text(&b)),
                           "Envoy, unless told otherwise: ten times the base");
    }
    mdl_turn_done(m, &b);
}

/* ---- clusters ---- */

static const char unless[] = "Envoy, unless told otherwise";

static bool is_high(const struct sq_node *threshold)
{
    const char *priority =
        threshold->kind == SQ_NODE_MAP ? mdl_source_text(threshold, "priority") : NULL;
    return priority != NULL && strcmp(priority, "HIGH") == 0;
}

/* The ceilings of calls that no route gives a priority; NULL: those of Envoy. */
static const struct sq_node *usual_threshold(const struct sq_node *cluster)
{
    const struct sq_node *list = mdl_source_node(cluster, "circuit_breakers.thresholds");
    for (size_t i = 0; list != NULL && list->kind == SQ_NODE_LIST && i < list->count; i++) {
        if (!is_high(list->items[i])) {
            return list->items[i];
        }
    }
    return NULL;
}

static void enter_cluster(struct mdl_importing *m, const struct sq_node *n)
{
    const char *name = n->kind == SQ_NODE_MAP ? mdl_source_text(n, "name") : NULL;
    m->scope.dependency = name != NULL ? mdl_source_name(m, name) : NULL;
    const struct sq_node *t = name != NULL ? usual_threshold(n) : NULL;
    if (mdl_source_find(t, "max_requests") == NULL) {
        mdl_source_default(m, "{control}.concurrency.limit", "1024", unless);
        mdl_source_default(m, "{control}.concurrency.scope", "replica", "each proxy counts alone");
        mdl_source_default(m, "{control}.throttled", "fail", "beyond a ceiling Envoy answers 503");
    }
    if (mdl_source_find(t, "max_retries") == NULL && mdl_source_find(t, "retry_budget") == NULL) {
        mdl_source_default(m, "{control}.budget.kind", "concurrent", "retries at a time");
        mdl_source_default(m, "{control}.budget.ratio", "0%", "a number, not a share");
        mdl_source_default(m, "{control}.budget.floor", "3", unless);
        mdl_source_default(m, "{control}.budget.scope", "replica", "each proxy counts alone");
    }
}

/* The hosts of all its localities are its nodes. */
static void take_assignment(struct mdl_importing *m, const struct sq_node *n)
{
    size_t hosts = 0;
    const struct sq_node *places = n->kind == SQ_NODE_MAP ? mdl_source_node(n, "endpoints") : NULL;
    for (size_t i = 0; places != NULL && i < places->count; i++) {
        const struct sq_node *list = mdl_source_node(places->items[i], "lb_endpoints");
        hosts += list != NULL ? list->count : 0;
    }
    if (hosts == 0) {
        mdl_source_lose(m, n, "it lists no hosts: see nodes");
        return;
    }
    mdl_source_put(m, n, "{dependency}.nodes", mdl_source_format(m, "%zu", hosts), "its hosts");
}

static void enter_threshold(struct mdl_importing *m, const struct sq_node *n)
{
    if (is_high(n)) {
        m->scope.aside = "of priority HIGH: calls are taken to be of the default one";
        return;
    }
    if (n->kind == SQ_NODE_MAP && mdl_source_node(n, "max_requests") != NULL) {
        mdl_source_default(m, "{control}.throttled", "fail", "beyond a ceiling Envoy answers 503");
        mdl_source_default(m, "{control}.concurrency.scope", "replica", "each proxy counts alone");
    }
    bool budget = n->kind == SQ_NODE_MAP && mdl_source_node(n, "retry_budget") != NULL;
    if (budget || (n->kind == SQ_NODE_MAP && mdl_source_node(n, "max_retries") != NULL)) {
        mdl_source_default(m, "{control}.budget.kind", "concurrent", "retries at a time");
        mdl_source_default(m, "{control}.budget.scope", "replica", "each proxy counts alone");
    }
    if (budget) {
        mdl_source_default(m, "{control}.budget.preset", "envoy", "retry_budget");
    }
}

static enum mdl_turned turn_max_retries(struct mdl_importing *m, const struct sq_node *n,
                                        struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_count(m, n, out);
    if (t == MDL_TURNED) {
        mdl_source_default(m, "{control}.budget.ratio", "0%", "a number, not a share");
    }
    return t;
}

#define VIRTUAL(at)                                                                           \
    MDL_ENTER(at "routes[].route", enter_route), MDL_USED(at "routes[].route.cluster"),       \
        MDL_TURN(at "routes[].route.timeout", "{calls}.total_timeout", mdl_turn_timeout,      \
                 "of all tries together"),                                                    \
        MDL_ENTER(at "routes[].route.retry_policy", enter_policy),                            \
        MDL_TURN(at "routes[].route.retry_policy.retry_on", "{calls}.retry.retry_on",         \
                 mdl_turn_retry_on, NULL),                                                    \
        MDL_TURN(at "routes[].route.retry_policy.num_retries", "{calls}.retry.max_retries",   \
                 mdl_turn_count, "counts retries, not tries"),                                \
        MDL_TURN(at "routes[].route.retry_policy.per_try_timeout", "{calls}.timeout",         \
                 mdl_turn_timeout, NULL),                                                     \
        MDL_ENTER(at "routes[].route.retry_policy.retry_back_off", enter_backoff),            \
        MDL_TURN(at "routes[].route.retry_policy.retry_back_off.base_interval",               \
                 "{calls}.retry.backoff.base", mdl_turn_duration, NULL),                      \
        MDL_TURN(at "routes[].route.retry_policy.retry_back_off.max_interval",                \
                 "{calls}.retry.backoff.cap", mdl_turn_duration, NULL),                       \
        MDL_LOSE(at "routes[].route.retry_policy.rate_limited_retry_back_off.**",             \
                 "see retry_after: spread"),                                                  \
        MDL_LOSE(at "routes[].route.retry_policy.retriable_status_codes.**", "see retry_on"), \
        MDL_IDLE_ROW(at "routes[].route.retry_policy.**", "nodes are picked anew"),           \
        MDL_LOSE(at "routes[].route.hedge_policy.**", "squall does not hedge"),               \
        MDL_LOSE(at "routes[].route.weighted_clusters.**",                                    \
                 "squall does not split calls over destinations"),                            \
        MDL_LOSE(at "routes[].route.request_mirror_policies.**", "further load elsewhere"),   \
        MDL_LOSE(at "routes[].match.**", "all calls of the cluster are taken to go by this"), \
        MDL_LOSE(at "retry_policy.**", "of a route each: see retry of the calls"),            \
        MDL_IDLE_ROW(at "routes[].route.**", "what a call says does not matter"),             \
        MDL_IDLE_ROW(at "name", "its name"), MDL_IDLE_ROW(at "domains.**", "its name")

static const char single[] =
    "it takes single hosts out; squall's breaker, preset envoy-outlier, all "
    "of them";

static void enter_slow_start(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{dependency}.slow_start.kind", "envoy", "a share of the calls");
}

#define SLOW_START(at)                                                                       \
    MDL_ENTER(at, enter_slow_start),                                                         \
        MDL_TURN(at ".slow_start_window", "{dependency}.slow_start.over", mdl_turn_duration, \
                 NULL),                                                                      \
        MDL_TURN(at ".min_weight_percent.value", "{dependency}.slow_start.floor",            \
                 mdl_turn_percent, NULL),                                                    \
        MDL_TURN(at ".aggression.default_value", "{dependency}.slow_start.aggression",       \
                 mdl_turn_number, NULL)

#define CLUSTER(at)                                                                               \
    MDL_ENTER(at, enter_cluster), MDL_USED(at ".name"),                                           \
        MDL_TURN(at ".lb_policy", "{dependency}.balance", mdl_turn_balance, NULL),                \
        MDL_TAKE(at ".load_assignment", take_assignment),                                         \
        MDL_ENTER(at ".circuit_breakers.thresholds[]", enter_threshold),                          \
        MDL_IDLE_ROW(at ".circuit_breakers.thresholds[].priority", "whose ceilings they are"),    \
        MDL_TURN(at ".circuit_breakers.thresholds[].max_requests", "{control}.concurrency.limit", \
                 mdl_turn_at_least_1, NULL),                                                      \
        MDL_TURN(at ".circuit_breakers.thresholds[].max_retries", "{control}.budget.floor",       \
                 turn_max_retries, NULL),                                                         \
        MDL_TURN(at ".circuit_breakers.thresholds[].retry_budget.budget_percent.value",           \
                 "{control}.budget.ratio", mdl_turn_percent, NULL),                               \
        MDL_TURN(at ".circuit_breakers.thresholds[].retry_budget.min_retry_concurrency",          \
                 "{control}.budget.floor", mdl_turn_count, NULL),                                 \
        MDL_LOSE(at ".circuit_breakers.**", "of ceilings squall has those on calls and retries"), \
        MDL_LOSE(at ".outlier_detection.**", single),                                             \
        MDL_TURN(at ".health_checks[].interval", "{dependency}.probe.every", mdl_turn_duration,   \
                 NULL),                                                                           \
        MDL_TURN(at ".health_checks[].timeout", "{dependency}.probe.timeout", mdl_turn_duration,  \
                 NULL),                                                                           \
        MDL_TURN(at ".health_checks[].unhealthy_threshold", "{dependency}.probe.fall",            \
                 mdl_turn_at_least_1, NULL),                                                      \
        MDL_TURN(at ".health_checks[].healthy_threshold", "{dependency}.probe.rise",              \
                 mdl_turn_at_least_1, NULL),                                                      \
        MDL_IDLE_ROW(at ".health_checks.**", "how it is asked does not matter"),                  \
        MDL_LOSE(at ".connect_timeout", "squall calls, it does not connect"),                     \
        MDL_LOSE(at ".common_lb_config.**", "see probe and balance"),                             \
        SLOW_START(at ".round_robin_lb_config.slow_start_config"),                                \
        SLOW_START(at ".least_request_lb_config.slow_start_config"),                              \
        MDL_LOSE(at ".max_requests_per_connection", "squall has no connections"),                 \
        MDL_IDLE_ROW(at ".**", "how the proxy gets there")

static const struct mdl_source_row rows[] = {
    VIRTUAL("static_resources.listeners[].filter_chains[].filters[].typed_config.route_config."
            "virtual_hosts[]."),
    MDL_IDLE_ROW("static_resources.listeners.**", "how calls come in"),
    CLUSTER("static_resources.clusters[]"),
    VIRTUAL("virtual_hosts[]."),
    CLUSTER("clusters[]"),
    MDL_IDLE_ROW("name", "its name"),
    MDL_IDLE_ROW("node.**", "its name"),
    MDL_IDLE_ROW("admin.**", "how it is run"),
    MDL_LOSE("dynamic_resources.**", "what a control plane sends: ask /config_dump for it"),
    MDL_LOSE("layered_runtime.**", "values that change while it runs"),
};

const struct mdl_source mdl_source_envoy = {
    .name = "Envoy",
    .is = is,
    .scan = scan,
    MDL_SOURCE_ROWS(rows),
};
