/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_resilience4j.c - Resilience4j 2.4 in the YAML of Spring Boot: retry, circuit breaker,
 * rate limiter, bulkhead and time limiter. Each instance is a dependency of its name. Around a call
 * they stand in the order of squall:
 * Retry(CircuitBreaker(RateLimiter(TimeLimiter(Bulkhead(call))))).
 *
 * An instance has its own keys and, where those say nothing, the ones of its baseConfig, `default`
 * unless told. `maxAttempts` counts tries; all state is that of one process. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"
#include "sim/base/sq_unit.h"

#include <string.h>

static bool is(const struct sq_node *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        size_t len = strcspn(doc->keys[i], ".");
        if (len == 12 && strncmp(doc->keys[i], "resilience4j", len) == 0) {
            return true;
        }
    }
    return false;
}

static void note_twice(struct mdl_importing *m, const struct sq_node *from, size_t i)
{
    (void)sq_diag_error(m->diag, from->key_where[i], NULL, "keep one of the two",
                        "the key `%s` stands twice, once in parts", from->keys[i]);
}

/* Puts a value where a key of several parts says. */
static void put_below(struct mdl_importing *m, struct sq_node *to, const struct sq_node *from,
                      size_t i);

static void put_all_below(struct mdl_importing *m, struct sq_node *to, const struct sq_node *from)
{
    for (size_t i = 0; i < from->count; i++) {
        put_below(m, to, from, i);
    }
}

static void put_below(struct mdl_importing *m, struct sq_node *to, const struct sq_node *from,
                      size_t i)
{
    const char *key = from->keys[i];
    struct sq_node *value = from->items[i];
    for (size_t len = strcspn(key, "."); key[len] == '.' && len > 0; len = strcspn(key, ".")) {
        const char *part = mdl_source_format(m, "%.*s", (int)len, key);
        struct sq_node *next = sq_node_get(to, part);
        if (next == NULL) {
            next = sq_node_new(m->arena, SQ_NODE_MAP, value->where);
            m->failed |=
                next == NULL || sq_node_add(m->arena, to, part, from->key_where[i], next) != SQ_OK;
        }
        if (m->failed || next->kind != SQ_NODE_MAP) {
            note_twice(m, from, i);
            return;
        }
        to = next;
        key += len + 1;
    }
    struct sq_node *there = sq_node_get(to, key);
    if (value->kind == SQ_NODE_MAP && value->count > 0) {
        bool fresh = there == NULL;
        there = fresh ? sq_node_new(m->arena, SQ_NODE_MAP, value->where) : there;
        m->failed |= there == NULL ||
                     (fresh && sq_node_add(m->arena, to, key, from->key_where[i], there) != SQ_OK);
        if (!m->failed && there->kind == SQ_NODE_MAP) {
            put_all_below(m, there, value);
        } else {
            note_twice(m, from, i);
        }
    } else if (there == NULL) {
        m->failed |= sq_node_add(m->arena, to, key, from->key_where[i], value) != SQ_OK;
    } else {
        note_twice(m, from, i);
    }
}

/* Spring reads `a.b: 1` as `a: {b: 1}`, wherever it stands. */
static const struct sq_node *unfold(struct mdl_importing *m, const struct sq_node *doc)
{
    struct sq_node *tree = sq_node_new(m->arena, SQ_NODE_MAP, doc->where);
    m->failed |= tree == NULL;
    if (!m->failed) {
        put_all_below(m, tree, doc);
    }
    return m->failed ? doc : tree;
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *all = mdl_source_find(doc, "resilience4j");
    for (size_t i = 0; all != NULL && all->kind == SQ_NODE_MAP && i < all->count; i++) {
        const struct sq_node *instances = mdl_source_find(all->items[i], "instances");
        for (size_t k = 0;
             instances != NULL && instances->kind == SQ_NODE_MAP && k < instances->count; k++) {
            mdl_names_add(m, &m->dependencies, mdl_source_name(m, instances->keys[k]));
        }
    }
}

/* ---- instances and what they are based on ---- */

static const char *base_name(const struct sq_node *instance)
{
    const struct sq_node *base = mdl_source_find(instance, "baseConfig");
    return base != NULL && base->kind == SQ_NODE_SCALAR ? base->text : "default";
}

/* The value of a key of an instance, its own or that of its base; NULL: neither says. */
static const char *effective(const struct mdl_importing *m, const char *key)
{
    const struct sq_node *own = mdl_source_find(m->instance, key);
    if (own == NULL) {
        own = mdl_source_find(
            mdl_source_find(mdl_source_find(m->module, "configs"), base_name(m->instance)), key);
    }
    return own != NULL && own->kind == SQ_NODE_SCALAR ? own->text : NULL;
}

static bool is_true(const struct mdl_importing *m, const char *key)
{
    const char *text = effective(m, key);
    return text != NULL && strcmp(text, "true") == 0;
}

static void begin_retry(struct mdl_importing *m)
{
    bool random = is_true(m, "enableRandomizedWait"),
         grows = is_true(m, "enableExponentialBackoff");
    mdl_source_default(m, "{calls}.retry.preset",
                       grows ? random ? "resilience4j-random" : "resilience4j-exponential"
                             : "resilience4j",
                       "an instance of retry");
    if (random && !grows) {
        mdl_source_default(m, "{calls}.retry.jitter.kind", "proportional", "enableRandomizedWait");
        if (effective(m, "randomizedWaitFactor") == NULL) {
            mdl_source_default(m, "{calls}.retry.jitter.ratio", "50%", "unless told otherwise");
        }
    }
}

static void fail_at_once(struct mdl_importing *m)
{
    mdl_source_default(m, "{control}.throttled", "fail", "an exception at once");
}

static void begin_breaker(struct mdl_importing *m)
{
    mdl_source_default(m, "{control}.breaker.preset", "resilience4j",
                       "an instance of circuitbreaker");
    mdl_source_default(m, "{control}.breaker.scope", "replica", "each process has its own");
    fail_at_once(m);
}

static void begin_bulkhead(struct mdl_importing *m)
{
    if (effective(m, "maxConcurrentCalls") == NULL) {
        mdl_source_default(m, "{control}.concurrency.limit", "25",
                           "Resilience4j, unless told otherwise");
    }
    mdl_source_default(m, "{control}.concurrency.scope", "replica", "each process has its own");
    fail_at_once(m);
}

static void begin_limiter(struct mdl_importing *m)
{
    mdl_source_default(m, "{control}.rate_limit.kind", "fixed-window",
                       "an instance of ratelimiter");
    mdl_source_default(m, "{control}.rate_limit.scope", "replica", "each process has its own");
    if (effective(m, "limitForPeriod") == NULL) {
        mdl_source_default(m, "{control}.rate_limit.limit", "50",
                           "Resilience4j, unless told otherwise");
    }
    if (effective(m, "limitRefreshPeriod") == NULL) {
        mdl_source_default(m, "{control}.rate_limit.window", "0.5us",
                           "Resilience4j, unless told otherwise");
    }
    fail_at_once(m);
}

static void begin_timer(struct mdl_importing *m)
{
    if (effective(m, "timeoutDuration") == NULL) {
        mdl_source_default(m, "{calls}.timeout", "1s", "Resilience4j, unless told otherwise");
    }
}

static const struct {
    const char *name;
    void (*begin)(struct mdl_importing *m);
} modules[] = { { "retry", begin_retry },
                { "circuitbreaker", begin_breaker },
                { "bulkhead", begin_bulkhead },
                { "ratelimiter", begin_limiter },
                { "timelimiter", begin_timer } };

/* A config: once for each instance that is based on it; what the instance says itself holds. */
static void take_config(struct mdl_importing *m, const struct sq_node *instances,
                        const struct sq_node *configs, size_t at)
{
    bool used = false;
    for (size_t i = 0; instances != NULL && i < instances->count; i++) {
        if (!mdl_source_alike(base_name(instances->items[i]), configs->keys[at])) {
            continue;
        }
        m->instance = instances->items[i];
        m->scope.dependency = mdl_source_name(m, instances->keys[i]);
        m->gives_way = true;
        m->muted = used;
        mdl_source_walk_key(m, configs, at);
        m->gives_way = m->muted = false;
        used = true;
    }
    if (!used) {
        m->path[m->depth++] = configs->keys[at];
        mdl_source_lose(m, configs->items[at], "no instance here is based on it");
        m->depth--;
    }
}

static void take_module(struct mdl_importing *m, const struct sq_node *n, const char *name)
{
    const struct sq_node *instances = mdl_source_find(n, "instances");
    const struct sq_node *saved = m->module;
    instances = instances != NULL && instances->kind == SQ_NODE_MAP ? instances : NULL;
    m->module = n;
    m->path[m->depth++] = "instances";
    for (size_t i = 0; instances != NULL && i < instances->count; i++) {
        m->instance = instances->items[i];
        m->scope.dependency = mdl_source_name(m, instances->keys[i]);
        for (size_t k = 0; k < SQ_COUNT(modules); k++) {
            if (mdl_source_alike(modules[k].name, name)) {
                modules[k].begin(m);
            }
        }
        mdl_source_walk_key(m, instances, i);
    }
    m->depth--;
    for (size_t i = 0; i < n->count; i++) {
        const struct sq_node *v = n->items[i];
        bool configs = mdl_source_alike(n->keys[i], "configs") && v->kind == SQ_NODE_MAP;
        m->path[m->depth++] = n->keys[i];
        for (size_t k = 0; configs && k < v->count; k++) {
            take_config(m, instances, v, k);
        }
        if (!configs && v != instances) {
            mdl_source_lose(m, v, "only instances and configs are read");
        }
        m->depth--;
    }
    m->module = saved;
}

/* The walk of the parts counts; this only leads it. */
static void lead(struct mdl_importing *m, const struct sq_node *n)
{
    for (size_t i = 0; i < n->count; i++) {
        bool known = false;
        for (size_t k = 0; k < SQ_COUNT(modules); k++) {
            known |= mdl_source_alike(modules[k].name, n->keys[i]);
        }
        m->path[m->depth++] = n->keys[i];
        if (known && n->items[i]->kind == SQ_NODE_MAP) {
            take_module(m, n->items[i], n->keys[i]);
        } else {
            mdl_source_lose(m, n->items[i],
                            "of the modules retry, circuitbreaker, bulkhead, "
                            "ratelimiter and timelimiter are read");
        }
        m->depth--;
    }
}

/* ---- values ---- */

/* ISO 8601, PT1M30S or PT0.5S, as a duration of ours; NULL: it is none. */
static const char *iso_span(struct mdl_importing *m, const char *text)
{
    if (strncmp(text, "PT", 2) != 0 || text[2] == '\0' || strlen(text) > 30 ||
        strspn(text + 2, "0123456789.HMS") != strlen(text + 2)) {
        return NULL;
    }
    char ours[32] = { 0 };
    for (size_t i = 0; text[i + 2] != '\0'; i++) {
        ours[i] = (char)(text[i + 2] >= 'H' ? text[i + 2] - 'A' + 'a' : text[i + 2]);
    }
    return mdl_source_format(m, "%s", ours);
}

/* Spring: 500ms, 2s, PT2S, or a number of milliseconds. */
static enum mdl_turned turn_span(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    int64_t whole;
    const char *iso = n->kind == SQ_NODE_SCALAR ? iso_span(m, n->text) : NULL;
    if (iso != NULL) {
        struct sq_node copy = *n;
        copy.text = iso;
        return mdl_turn_duration(m, &copy, out);
    }
    bool plain = n->kind == SQ_NODE_SCALAR && mdl_turn_is_whole(n->text, &whole);
    return plain ? mdl_turn_millis(m, n, out) : mdl_turn_duration(m, n, out);
}

static bool is_timed(const struct mdl_importing *m)
{
    const char *type = effective(m, "slidingWindowType");
    return type != NULL && mdl_source_alike(type, "TIME_BASED");
}

static int64_t whole_or(const char *text, int64_t dflt)
{
    int64_t whole;
    return text != NULL && mdl_turn_is_whole(text, &whole) ? whole : dflt;
}

static void put_min_calls(struct mdl_importing *m, const struct sq_node *n)
{
    int64_t least = whole_or(effective(m, "minimumNumberOfCalls"), 100);
    int64_t size = whole_or(effective(m, "slidingWindowSize"), 100);
    bool cut = !is_timed(m) && size < least;
    mdl_source_put(m, n, "{control}.breaker.min_calls",
                   mdl_source_format(m, "%lld", (long long)(cut ? size : least)),
                   cut ? "no more than the window holds" : NULL);
}

static void take_size(struct mdl_importing *m, const struct sq_node *n)
{
    int64_t size;
    if (n->kind != SQ_NODE_SCALAR || !mdl_turn_is_whole(n->text, &size) || size == 0) {
        mdl_source_wrong(m, n, "a whole number above 0 is needed");
    } else if (is_timed(m)) {
        mdl_source_default(m, "{control}.breaker.window.kind", "time",
                           "slidingWindowType TIME_BASED");
        mdl_source_put(m, n, "{control}.breaker.window.length",
                       mdl_source_format(m, "%ss", n->text), NULL);
        mdl_source_default(m, "{control}.breaker.window.buckets", n->text, "a second each");
    } else {
        mdl_source_put(m, n, "{control}.breaker.window.size", n->text, NULL);
        if (effective(m, "minimumNumberOfCalls") == NULL) {
            put_min_calls(m, n);
        }
    }
}

static void take_min_calls(struct mdl_importing *m, const struct sq_node *n)
{
    int64_t least;
    if (n->kind != SQ_NODE_SCALAR || !mdl_turn_is_whole(n->text, &least) || least == 0) {
        mdl_source_wrong(m, n, "a whole number above 0 is needed");
    } else {
        put_min_calls(m, n);
    }
}

static enum mdl_turned turn_leaves(struct mdl_importing *m, const struct sq_node *n,
                                   struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    enum mdl_turned t = mdl_turn_bool(m, n, &b);
    sq_buf_puts(out,
                t == MDL_TURNED && strcmp(mdl_turn_text(&b), "true") == 0 ? "timer" : "next-call");
    mdl_turn_done(m, &b);
    return t;
}

static enum mdl_turned turn_share(struct mdl_importing *m, const struct sq_node *n,
                                  struct sq_buf *out)
{
    double number;
    enum mdl_turned t = mdl_turn_number(m, n, out);
    if (t == MDL_TURNED && sq_unit_number(n->text, &number) == NULL && number > 1) {
        out->len = 0;
        m->why = "squall's shares end at 1";
        return MDL_LOST;
    }
    return t;
}

static enum mdl_turned turn_unlimited(struct mdl_importing *m, const struct sq_node *n,
                                      struct sq_buf *out)
{
    enum mdl_turned t = turn_span(m, n, out);
    if (t == MDL_TURNED && strcmp(mdl_turn_text(out), "0s") == 0) {
        out->len = 0;
        sq_buf_puts(out, "unlimited");
    }
    return t;
}

static enum mdl_turned turn_no_wait(struct mdl_importing *m, const struct sq_node *n,
                                    struct sq_buf *out)
{
    enum mdl_turned t = turn_span(m, n, out);
    if (t == MDL_TURNED) {
        bool none = strcmp(mdl_turn_text(out), "0s") == 0;
        m->why =
            none ? "as here: nobody waits" : "here nobody waits: see throttled: {kind: wait, max}";
        return none ? MDL_IDLE : MDL_LOST;
    }
    return t;
}

static const char exceptions[] = "kinds of errors stand in retry_on and failure_kinds";
static const char shown[] = "only what is shown of it";

#define KEYS(of)                                                                                   \
    MDL_USED("resilience4j.*." of ".baseConfig"),                                                  \
        MDL_TURN("resilience4j.retry." of ".maxAttempts", "{calls}.retry.max_attempts",            \
                 mdl_turn_at_least_1, "counts tries"),                                             \
        MDL_TURN("resilience4j.retry." of ".maxRetryAttempts", "{calls}.retry.max_attempts",       \
                 mdl_turn_at_least_1, "of 1.x; counts tries"),                                     \
        MDL_TURN("resilience4j.retry." of ".waitDuration", "{calls}.retry.backoff.base",           \
                 turn_span, NULL),                                                                 \
        MDL_USED("resilience4j.retry." of ".enableExponentialBackoff"),                            \
        MDL_TURN("resilience4j.retry." of ".exponentialBackoffMultiplier",                         \
                 "{calls}.retry.backoff.factor", mdl_turn_number, NULL),                           \
        MDL_TURN("resilience4j.retry." of ".exponentialMaxWaitDuration",                           \
                 "{calls}.retry.backoff.cap", turn_span, NULL),                                    \
        MDL_USED("resilience4j.retry." of ".enableRandomizedWait"),                                \
        MDL_TURN("resilience4j.retry." of ".randomizedWaitFactor", "{calls}.retry.jitter.ratio",   \
                 turn_share, NULL),                                                                \
        MDL_IDLE_ROW("resilience4j.retry." of ".failAfterMaxAttempts", shown),                     \
        MDL_TAKE("resilience4j.circuitbreaker." of ".slidingWindowSize", take_size),               \
        MDL_USED("resilience4j.circuitbreaker." of ".slidingWindowType"),                          \
        MDL_TAKE("resilience4j.circuitbreaker." of ".minimumNumberOfCalls", take_min_calls),       \
        MDL_TURN("resilience4j.circuitbreaker." of ".failureRateThreshold",                        \
                 "{control}.breaker.threshold", mdl_turn_percent, NULL),                           \
        MDL_TURN("resilience4j.circuitbreaker." of ".slowCallDurationThreshold",                   \
                 "{control}.breaker.slow", turn_span, NULL),                                       \
        MDL_TURN("resilience4j.circuitbreaker." of ".slowCallRateThreshold",                       \
                 "{control}.breaker.slow_threshold", mdl_turn_percent, NULL),                      \
        MDL_TURN("resilience4j.circuitbreaker." of ".waitDurationInOpenState",                     \
                 "{control}.breaker.open_for", turn_span, NULL),                                   \
        MDL_TURN("resilience4j.circuitbreaker." of ".permittedNumberOfCallsInHalfOpenState",       \
                 "{control}.breaker.half_open.calls", mdl_turn_at_least_1, NULL),                  \
        MDL_TURN("resilience4j.circuitbreaker." of ".maxWaitDurationInHalfOpenState",              \
                 "{control}.breaker.half_open.max", turn_unlimited, NULL),                         \
        MDL_TURN("resilience4j.circuitbreaker." of                                                 \
                 ".automaticTransitionFromOpenToHalfOpenEnabled",                                  \
                 "{control}.breaker.leaves", turn_leaves, NULL),                                   \
        MDL_TURN("resilience4j.bulkhead." of ".maxConcurrentCalls", "{control}.concurrency.limit", \
                 mdl_turn_at_least_1, NULL),                                                       \
        MDL_TURN("resilience4j.bulkhead." of ".maxWaitDuration", NULL, turn_no_wait, NULL),        \
        MDL_TURN("resilience4j.ratelimiter." of ".limitForPeriod", "{control}.rate_limit.limit",   \
                 mdl_turn_at_least_1, NULL),                                                       \
        MDL_TURN("resilience4j.ratelimiter." of ".limitRefreshPeriod",                             \
                 "{control}.rate_limit.window", turn_span, NULL),                                  \
        MDL_TURN("resilience4j.ratelimiter." of ".timeoutDuration", NULL, turn_no_wait, NULL),     \
        MDL_TURN("resilience4j.timelimiter." of ".timeoutDuration", "{calls}.timeout", turn_span,  \
                 NULL),                                                                            \
        MDL_TURN("resilience4j.timelimiter." of ".cancelRunningFuture",                            \
                 "{calls}.propagate_cancel", mdl_turn_bool, NULL),                                 \
        MDL_LOSE("resilience4j.*." of ".retryExceptions.**", exceptions),                          \
        MDL_LOSE("resilience4j.*." of ".recordExceptions.**", exceptions),                         \
        MDL_LOSE("resilience4j.*." of ".ignoreExceptions.**", exceptions),                         \
        MDL_IDLE_ROW("resilience4j.*." of ".eventConsumerBufferSize", shown),                      \
        MDL_IDLE_ROW("resilience4j.*." of ".registerHealthIndicator", shown),                      \
        MDL_IDLE_ROW("resilience4j.*." of ".writableStackTraceEnabled", shown)

static const struct mdl_source_row rows[] = {
    KEYS("instances.*"),
    KEYS("configs.*"),
    { .does = MDL_ROW_LEAD, .path = "resilience4j", .act = lead },
    MDL_LOSE("*.**", "only what stands under resilience4j is read"),
};

const struct mdl_source mdl_source_resilience4j = {
    .name = "Resilience4j YAML",
    .is = is,
    .relaxed = true,
    .unfold = unfold,
    .scan = scan,
    MDL_SOURCE_ROWS(rows),
};
