/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_grpc.c - gRPC service config (proposal A6, service_config.proto): retries and their
 * throttling. `maxAttempts` counts tries and is cut to 5 by clients; `timeout` is the deadline of
 * the call with all its retries; the delays have a jitter of 20 % after the cap. Each methodConfig
 * is a dependency, named after its first service and method. */
#include "models/import/mdl_retry_on.h"
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

static bool is(const struct sq_node *doc)
{
    return mdl_source_node(doc, "methodConfig") != NULL ||
           mdl_source_node(doc, "retryThrottling") != NULL;
}

/* shop.v1.Pricing, Quote -> pricing-quote; the file's name for all services. */
static const char *name_of(struct mdl_importing *m, const struct sq_node *config)
{
    const char *service = mdl_source_text(config, "name.0.service");
    const char *method = mdl_source_text(config, "name.0.method");
    if (service == NULL || service[0] == '\0') {
        return m->stem;
    }
    const char *dot = strrchr(service, '.');
    const char *last = dot != NULL ? dot + 1 : service;
    return mdl_source_name(m, method != NULL ? mdl_source_format(m, "%s-%s", last, method) : last);
}

static void each_config(struct mdl_importing *m, const struct sq_node *doc, struct mdl_names *names)
{
    const struct sq_node *list = mdl_source_node(doc, "methodConfig");
    for (size_t i = 0; list != NULL && list->kind == SQ_NODE_LIST && i < list->count; i++) {
        if (list->items[i]->kind == SQ_NODE_MAP) {
            mdl_names_add(m, names, name_of(m, list->items[i]));
        }
    }
    if (names->count == 0) {
        mdl_names_add(m, names, m->stem);
    }
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    struct mdl_names names = { 0 };
    each_config(m, doc, &names);
    for (size_t i = 0; i < names.count; i++) {
        mdl_names_add(m, &m->dependencies, names.items[i]);
    }
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    each_config(m, doc, &m->called);
}

static void enter_config(struct mdl_importing *m, const struct sq_node *n)
{
    m->scope.dependency = n->kind == SQ_NODE_MAP ? name_of(m, n) : NULL;
}

static void take_names(struct mdl_importing *m, const struct sq_node *n)
{
    for (size_t i = 0; i < n->count; i++) {
        if (i == 0) {
            mdl_source_idle(m, n->items[i], "which calls these are: the dependency's name");
        } else {
            mdl_source_lose(m, n->items[i],
                            "the same holds for these calls: they count as those of "
                            "the first name");
        }
    }
    if (n->count == 0) {
        mdl_source_idle(m, n, "empty: all calls");
    }
}

static void enter_retry(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{calls}.retry.preset", "grpc", "jitter of 20 % after the cap");
}

static void enter_throttling(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    mdl_source_default(m, "{controls}.budget.preset", "grpc",
                       "a failure costs one token; more than half must be there");
    mdl_source_default(m, "{controls}.budget.scope", "replica", "each client counts alone");
}

static enum mdl_turned turn_attempts(struct mdl_importing *m, const struct sq_node *n,
                                     struct sq_buf *out)
{
    int64_t attempts;
    if (n->kind != SQ_NODE_SCALAR || !mdl_turn_is_whole(n->text, &attempts) || attempts < 2) {
        m->why = "maxAttempts is a whole number above 1";
        return MDL_WRONG;
    }
    sq_buf_printf(out, "%lld", (long long)(attempts < 5 ? attempts : 5));
    return MDL_TURNED;
}

static enum mdl_turned turn_factor(struct mdl_importing *m, const struct sq_node *n,
                                   struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_number(m, n, out);
    if (t == MDL_TURNED && mdl_turn_text(out)[0] == '0') {
        m->why = "squall's delays do not shrink: factors below 1 have no counterpart";
        return MDL_LOST;
    }
    return t;
}

#define RETRY "methodConfig[].retryPolicy"

static const struct mdl_source_row rows[] = {
    MDL_ENTER("methodConfig[]", enter_config),
    MDL_TAKE("methodConfig[].name", take_names),
    MDL_TURN("methodConfig[].timeout", "{calls}.total_timeout", mdl_turn_duration,
             "of all tries together"),
    MDL_ENTER(RETRY, enter_retry),
    MDL_TURN(RETRY ".maxAttempts", "{calls}.retry.max_attempts", turn_attempts,
             "counts tries; clients allow 5 at most"),
    MDL_TURN(RETRY ".initialBackoff", "{calls}.retry.backoff.base", mdl_turn_duration, NULL),
    MDL_TURN(RETRY ".maxBackoff", "{calls}.retry.backoff.cap", mdl_turn_duration, NULL),
    MDL_TURN(RETRY ".backoffMultiplier", "{calls}.retry.backoff.factor", turn_factor, NULL),
    MDL_TURN(RETRY ".retryableStatusCodes", "{calls}.retry.retry_on", mdl_turn_retry_on, NULL),
    MDL_LOSE(RETRY ".perAttemptRecvTimeout", "squall's timeout is of a try: see timeout"),
    MDL_LOSE("methodConfig[].hedgingPolicy.**", "squall does not hedge"),
    MDL_LOSE("methodConfig[].waitForReady", "squall's calls do not wait for a connection"),
    MDL_IDLE_ROW("methodConfig[].maxRequestMessageBytes", "what a call says does not matter"),
    MDL_IDLE_ROW("methodConfig[].maxResponseMessageBytes", "what a call says does not matter"),
    MDL_ENTER("retryThrottling", enter_throttling),
    MDL_TURN("retryThrottling.maxTokens", "{controls}.budget.max", mdl_turn_at_least_1,
             "in gRPC one bucket per server name"),
    MDL_TURN("retryThrottling.tokenRatio", "{controls}.budget.per_success", mdl_turn_number, NULL),
    MDL_LOSE("loadBalancingConfig.**", "see balance of the dependency"),
    MDL_LOSE("loadBalancingPolicy", "see balance of the dependency"),
    MDL_LOSE("healthCheckConfig.**", "see probe of the dependency"),
};

const struct mdl_source mdl_source_grpc = {
    .name = "gRPC service config",
    .is = is,
    .scan = scan,
    .begin = begin,
    MDL_SOURCE_ROWS(rows),
};
