/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_istio.c - Istio 1.31: VirtualService (what a caller's sidecar does with calls) and
 * DestinationRule (its limits). A host is a dependency; every pool of workers calls it.
 *
 * `attempts` counts retries (Envoy's num_retries). `timeout` bounds a call with all its retries,
 * `perTryTimeout` one try. Without `retries` the sidecar retries twice all the same; attempts: 0
 * switches it off (pilot/pkg/networking/core/route/retry/retry.go). */
#include "models/import/mdl_retry_on.h"
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

/* ---- VirtualService ---- */

/* Where a route leads; NULL if it does not tell. */
static const char *destination(struct mdl_importing *m, const struct sq_node *route)
{
    const char *host = mdl_source_text(route, "route.0.destination.host");
    host = host != NULL ? host : mdl_source_text(m->doc, "spec.hosts.0");
    return host != NULL ? mdl_source_host(m, host) : NULL;
}

static void each_route(struct mdl_importing *m, const struct sq_node *doc,
                       void (*act)(struct mdl_importing *m, const char *name))
{
    const struct sq_node *http = mdl_source_node(doc, "spec.http");
    for (size_t i = 0; http != NULL && http->kind == SQ_NODE_LIST && i < http->count; i++) {
        const char *name =
            http->items[i]->kind == SQ_NODE_MAP ? destination(m, http->items[i]) : NULL;
        if (name != NULL) {
            act(m, name);
        }
    }
}

static void add_dependency(struct mdl_importing *m, const char *name)
{
    mdl_names_add(m, &m->dependencies, name);
}

static void scan_service(struct mdl_importing *m, const struct sq_node *doc)
{
    each_route(m, doc, add_dependency);
}

static void enter_route(struct mdl_importing *m, const struct sq_node *n)
{
    m->scope.dependency = n->kind == SQ_NODE_MAP ? destination(m, n) : NULL;
}

static void take_destinations(struct mdl_importing *m, const struct sq_node *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const struct sq_node *item = n->items[i];
        if (i > 0) {
            mdl_source_lose(m, item,
                            "squall does not split calls over destinations; the first "
                            "takes them all");
            continue;
        }
        for (size_t k = 0; item->kind == SQ_NODE_MAP && k < item->count; k++) {
            bool name = strcmp(item->keys[k], "destination") == 0;
            m->path[m->depth++] = item->keys[k];
            if (!name) {
                mdl_source_lose(m, item->items[k], "squall does not split calls or change them");
            }
            m->depth--;
        }
    }
    if (n->count == 0) {
        mdl_source_idle(m, n, "empty");
    }
}

static void enter_retries(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{calls}.retry.preset", "istio", "the sidecar's delays and errors");
}

/* The first delay; the longest is ten times that. */
static void take_backoff(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    if (mdl_turn_duration(m, n, &b) != MDL_TURNED) {
        mdl_source_wrong(m, n, m->why);
    } else {
        mdl_source_put(m, n, "{calls}.retry.backoff.base", mdl_turn_text(&b), NULL);
        b.len = 0;
        (void)mdl_turn_ten_times(m, n, &b);
        mdl_source_put(m, n, "{calls}.retry.backoff.cap", mdl_turn_text(&b), "ten times that");
    }
    mdl_turn_done(m, &b);
}

static void default_retries(struct mdl_importing *m, const char *name)
{
    m->scope.dependency = name;
    mdl_source_default(m, "{calls}.retry.preset", "istio",
                       "the sidecar retries twice unless told otherwise");
}

static void end_service(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *http = mdl_source_node(doc, "spec.http");
    for (size_t i = 0; http != NULL && http->kind == SQ_NODE_LIST && i < http->count; i++) {
        const struct sq_node *route = http->items[i];
        const char *name = route->kind == SQ_NODE_MAP ? destination(m, route) : NULL;
        if (name != NULL && mdl_source_node(route, "retries") == NULL) {
            default_retries(m, name);
        }
    }
}

static const char faults[] = "faults are outages and errors of the dependency";

static const struct mdl_source_row service_rows[] = {
    MDL_OBJECT_ROWS,
    MDL_USED("spec.hosts.**"),
    MDL_IDLE_ROW("spec.exportTo.**", "where it holds"),
    MDL_LOSE("spec.gateways.**", "all callers are taken to go by this; see `only`"),
    MDL_LOSE("spec.tcp.**", "squall calls, it does not connect"),
    MDL_LOSE("spec.tls.**", "squall calls, it does not connect"),
    MDL_ENTER("spec.http[]", enter_route),
    MDL_USED("spec.http[].name"),
    MDL_LOSE("spec.http[].match.**", "all calls of the dependency are taken to go by this"),
    MDL_TAKE("spec.http[].route", take_destinations),
    MDL_TURN("spec.http[].timeout", "{calls}.total_timeout", mdl_turn_timeout,
             "of all tries together"),
    MDL_ENTER("spec.http[].retries", enter_retries),
    MDL_TURN("spec.http[].retries.attempts", "{calls}.retry.max_retries", mdl_turn_count,
             "counts retries, not tries"),
    MDL_TURN("spec.http[].retries.perTryTimeout", "{calls}.timeout", mdl_turn_timeout, NULL),
    MDL_TURN("spec.http[].retries.retryOn", "{calls}.retry.retry_on", mdl_turn_retry_on, NULL),
    MDL_TAKE("spec.http[].retries.backoff", take_backoff),
    MDL_IDLE_ROW("spec.http[].retries.retryRemoteLocalities", "squall has one locality"),
    MDL_IDLE_ROW("spec.http[].retries.retryIgnorePreviousHosts", "nodes are picked anew"),
    MDL_LOSE("spec.http[].fault.**", faults),
    MDL_LOSE("spec.http[].mirror.**", "mirrored calls are further load on another dependency"),
    MDL_LOSE("spec.http[].mirrors.**", "mirrored calls are further load on another dependency"),
    MDL_LOSE("spec.http[].mirrorPercentage.**", "mirrored calls are further load"),
    MDL_IDLE_ROW("spec.http[].rewrite.**", "what a call says does not matter"),
    MDL_IDLE_ROW("spec.http[].headers.**", "what a call says does not matter"),
    MDL_IDLE_ROW("spec.http[].corsPolicy.**", "what a call says does not matter"),
};

const struct mdl_source mdl_source_virtual_service = {
    .name = "Istio VirtualService",
    .api = "networking.istio.io/",
    .object = "VirtualService",
    .scan = scan_service,
    .end = end_service,
    MDL_SOURCE_ROWS(service_rows),
};

/* ---- DestinationRule ---- */

static const char *host_of(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *host = mdl_source_text(doc, "spec.host");
    return mdl_source_host(m, host != NULL ? host : m->stem);
}

static void scan_rule(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_names_add(m, &m->dependencies, host_of(m, doc));
}

static void begin_rule(struct mdl_importing *m, const struct sq_node *doc)
{
    m->scope.dependency = host_of(m, doc);
}

/* A ceiling of the sidecar: beyond it a call fails at once. */
static void take_requests(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    if (mdl_turn_count(m, n, &b) != MDL_TURNED || strcmp(mdl_turn_text(&b), "0") == 0) {
        mdl_source_wrong(m, n, "a whole number above 0 is needed");
    } else {
        mdl_source_put(m, n, "{control}.concurrency.limit", mdl_turn_text(&b), NULL);
        mdl_source_default(m, "{control}.concurrency.scope", "replica",
                           "each sidecar counts alone");
        mdl_source_default(m, "{control}.throttled", "fail", "beyond it the sidecar answers 503");
    }
    mdl_turn_done(m, &b);
}

static void take_max_retries(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    if (mdl_turn_count(m, n, &b) != MDL_TURNED) {
        mdl_source_wrong(m, n, m->why);
    } else {
        mdl_source_default(m, "{control}.budget.kind", "concurrent", "retries at a time");
        mdl_source_default(m, "{control}.budget.ratio", "0%", "a number, not a share");
        mdl_source_put(m, n, "{control}.budget.floor", mdl_turn_text(&b), NULL);
        mdl_source_default(m, "{control}.budget.scope", "replica", "each sidecar counts alone");
    }
    mdl_turn_done(m, &b);
}

static void enter_budget(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{control}.budget.kind", "concurrent", "retries at a time");
    mdl_source_default(m, "{control}.budget.scope", "replica", "each sidecar counts alone");
}

static void enter_warmup(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{dependency}.slow_start.kind", "envoy", "the sidecar is an Envoy");
}

/* The key of older versions. */
static void take_warmup(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    enter_warmup(m, n);
    if (mdl_turn_duration(m, n, &b) != MDL_TURNED) {
        mdl_source_wrong(m, n, m->why);
    } else {
        mdl_source_put(m, n, "{dependency}.slow_start.over", mdl_turn_text(&b), NULL);
    }
    mdl_turn_done(m, &b);
}

#define POOL   "spec.trafficPolicy.connectionPool."
#define WARMUP "spec.trafficPolicy.loadBalancer.warmup"

static const struct mdl_source_row rule_rows[] = {
    MDL_OBJECT_ROWS,
    MDL_USED("spec.host"),
    MDL_IDLE_ROW("spec.exportTo.**", "where it holds"),
    MDL_LOSE("spec.workloadSelector.**", "all callers are taken to go by this; see `only`"),
    MDL_TAKE(POOL "http.http2MaxRequests", take_requests),
    MDL_TAKE(POOL "http.maxRetries", take_max_retries),
    MDL_LOSE(POOL "http.http1MaxPendingRequests", "squall has no waiting room at the sidecar: see "
                                                  "throttled: {kind: wait}"),
    MDL_LOSE(POOL "tcp.maxConnections",
             "squall has no connections; with HTTP/1.1 it bounds calls at "
             "a time, as concurrency does"),
    MDL_LOSE(POOL "tcp.connectTimeout", "squall calls, it does not connect"),
    MDL_IDLE_ROW(POOL "http.maxRequestsPerConnection", "squall has no connections"),
    MDL_IDLE_ROW(POOL "http.maxConcurrentStreams", "squall has no connections"),
    MDL_IDLE_ROW(POOL "http.idleTimeout", "squall has no connections"),
    MDL_IDLE_ROW(POOL "http.h2UpgradePolicy", "squall has no connections"),
    MDL_IDLE_ROW(POOL "http.useClientProtocol", "squall has no connections"),
    MDL_IDLE_ROW(POOL "tcp.**", "squall has no connections"),
    MDL_ENTER("spec.trafficPolicy.retryBudget", enter_budget),
    MDL_TURN("spec.trafficPolicy.retryBudget.percent", "{control}.budget.ratio", mdl_turn_percent,
             NULL),
    MDL_TURN("spec.trafficPolicy.retryBudget.minRetryConcurrency", "{control}.budget.floor",
             mdl_turn_count, NULL),
    MDL_TURN("spec.trafficPolicy.loadBalancer.simple", "{dependency}.balance", mdl_turn_balance,
             NULL),
    MDL_ENTER(WARMUP, enter_warmup),
    MDL_TURN(WARMUP ".duration", "{dependency}.slow_start.over", mdl_turn_duration, NULL),
    MDL_TURN(WARMUP ".minimumPercent", "{dependency}.slow_start.floor", mdl_turn_percent, NULL),
    MDL_TURN(WARMUP ".aggression", "{dependency}.slow_start.aggression", mdl_turn_number, NULL),
    MDL_TAKE(WARMUP "DurationSecs", take_warmup),
    MDL_LOSE("spec.trafficPolicy.loadBalancer.**", "squall balances round-robin, at random or to "
                                                   "the least loaded node"),
    MDL_LOSE("spec.trafficPolicy.outlierDetection.**",
             "it takes single hosts out; squall's breaker, preset envoy-outlier, all of them"),
    MDL_IDLE_ROW("spec.trafficPolicy.tls.**", "squall has no connections"),
    MDL_IDLE_ROW("spec.trafficPolicy.tunnel.**", "squall has no connections"),
    MDL_LOSE("spec.trafficPolicy.portLevelSettings.**", "a dependency has one port here"),
    MDL_LOSE("spec.subsets[].trafficPolicy.**", "a dependency has no subsets here"),
    MDL_IDLE_ROW("spec.subsets.**", "a dependency has no subsets here"),
};

const struct mdl_source mdl_source_destination_rule = {
    .name = "Istio DestinationRule",
    .api = "networking.istio.io/",
    .object = "DestinationRule",
    .scan = scan_rule,
    .begin = begin_rule,
    MDL_SOURCE_ROWS(rule_rows),
};
