/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_celery.c - Celery 5: settings as `celery inspect conf --json` prints them, or as a map
 * of them. A worker process is a replica, its concurrency the slots; it fetches prefetch multiplier
 * times concurrency messages. Retries are not settings but arguments of tasks; of them only
 * annotations for all tasks are known here. `max_retries` counts retries. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

static bool has_settings(const struct sq_node *map)
{
    static const char *const keys[] = { "task_acks_late",    "worker_prefetch_multiplier",
                                        "broker_url",        "worker_concurrency",
                                        "task_time_limit",   "broker_transport_options",
                                        "task_default_queue" };
    for (size_t i = 0; map->kind == SQ_NODE_MAP && i < SQ_COUNT(keys); i++) {
        if (mdl_source_node(map, keys[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Settings, or those of the one worker that answered. */
static const struct sq_node *settings(const struct sq_node *doc)
{
    return doc->count == 1 && strchr(doc->keys[0], '@') != NULL ? doc->items[0] : doc;
}

static bool is(const struct sq_node *doc)
{
    return has_settings(settings(doc));
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *queue = mdl_source_text(settings(doc), "task_default_queue");
    if (queue != NULL) {
        mdl_names_add(m, &m->queues, mdl_source_name(m, queue));
    }
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *queue = mdl_source_text(settings(doc), "task_default_queue");
    const char *broker = mdl_source_text(settings(doc), "broker_url");
    m->module = settings(doc);
    m->scope.entity = mdl_source_entity(m, mdl_source_pool(m));
    m->scope.queue = queue != NULL          ? mdl_source_name(m, queue)
                     : m->queues.count == 1 ? m->queues.items[0]
                                            : "celery";
    mdl_names_add(m, &m->queues, m->scope.queue);
    mdl_source_default(m, "{pool}.preset", "celery", "what this file is about");
    mdl_source_default(m, "{pool}.queue", m->scope.queue, "what this file is about");
    if (broker != NULL && strncmp(broker, "redis", 5) == 0) {
        mdl_source_default(m, "{queue}.preset", "redis-kombu", "broker_url is Redis");
    }
}

/* Four messages a slot, unless told; the preset, which does not know the slots, has four in all. */
static void default_prefetch(struct mdl_importing *m, const struct sq_node *all)
{
    int64_t slots;
    const char *concurrency = mdl_source_text(all, "worker_concurrency");
    if (mdl_source_text(all, "worker_prefetch_multiplier") == NULL && concurrency != NULL &&
        mdl_turn_is_whole(concurrency, &slots) && slots > 0 && slots <= 1 << 20) {
        mdl_source_default(m, "{pool}.prefetch", mdl_source_format(m, "%d", (int)slots * 4),
                           "Celery, unless told otherwise: 4 times worker_concurrency");
    }
}

static void end(struct mdl_importing *m, const struct sq_node *doc)
{
    default_prefetch(m, settings(doc));
    mdl_draft_want(&m->draft, mdl_source_format(m, "%s.retry", m->scope.entity), "celery",
                   "arguments of the tasks: autoretry_for, retry_backoff, max_retries");
}

/* Arguments of all tasks; those of single ones have no place. */
static void enter_annotation(struct mdl_importing *m, const struct sq_node *n)
{
    if (strcmp(m->path[m->depth - 1], "*") != 0) {
        m->scope.entity = NULL;
    } else if (mdl_source_find(n, "default_retry_delay") != NULL) {
        mdl_source_default(m, "{pool}.retry.preset", "celery-retry", "retry() without jitter");
    }
}

/* null: without end, which is not what the preset says. */
static void take_max_retries(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    bool endless = n->kind == SQ_NODE_SCALAR && sq_node_is_null(n);
    if (endless) {
        mdl_source_put(m, n, "{pool}.retry.max_retries", "unlimited", "null: without end");
    } else if (mdl_turn_count(m, n, &b) == MDL_TURNED) {
        mdl_source_put(m, n, "{pool}.retry.max_retries", mdl_turn_text(&b), "counts retries");
    } else {
        mdl_source_wrong(m, n, m->why);
    }
    mdl_turn_done(m, &b);
}

static enum mdl_turned turn_acks(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    enum mdl_turned t = mdl_turn_bool(m, n, &b);
    sq_buf_puts(out,
                t == MDL_TURNED && strcmp(mdl_turn_text(&b), "true") == 0 ? "after" : "before");
    mdl_turn_done(m, &b);
    return t;
}

static enum mdl_turned turn_prefetch(struct mdl_importing *m, const struct sq_node *n,
                                     struct sq_buf *out)
{
    int64_t times, slots;
    const char *concurrency = mdl_source_text(m->module, "worker_concurrency");
    if (n->kind != SQ_NODE_SCALAR || !mdl_turn_is_whole(n->text, &times)) {
        m->why = "a whole number is needed";
        return MDL_WRONG;
    }
    if (times == 0) {
        m->why = "0: as many as come; squall has a number: see prefetch";
        return MDL_LOST;
    }
    if (concurrency == NULL || !mdl_turn_is_whole(concurrency, &slots) || slots > 1 << 20 ||
        times > 1 << 20) {
        m->why = "it multiplies worker_concurrency, which is not here: see prefetch";
        return MDL_LOST;
    }
    int64_t messages = times * slots;
    sq_buf_printf(out, "%lld", (long long)messages);
    return MDL_TURNED;
}

static const char program[] = "a limit on a run: see total_timeout of its calls";
static const char kept[] = "what is kept of results";
static const char way[] = "how messages get there";
static const char shown[] = "only what is shown of it";

#define SETTINGS(at)                                                                             \
    MDL_TURN(at "task_acks_late", "{pool}.acknowledge", turn_acks, NULL),                        \
        MDL_TURN(at "worker_concurrency", "{pool}.slots", mdl_turn_at_least_1,                   \
                 "a replica is a worker process"),                                               \
        MDL_TURN(at "worker_prefetch_multiplier", "{pool}.prefetch", turn_prefetch,              \
                 "times worker_concurrency"),                                                    \
        MDL_TURN(at "worker_eta_task_limit", "{pool}.held_limit", mdl_turn_at_least_1, NULL),    \
        MDL_TURN(at "broker_transport_options.visibility_timeout", "{queue}.visibility_timeout", \
                 mdl_turn_seconds, NULL),                                                        \
        MDL_IDLE_ROW(at "broker_transport_options.**", way), MDL_USED(at "task_default_queue"),  \
        MDL_USED(at "broker_url"), MDL_ENTER(at "task_annotations.*", enter_annotation),         \
        MDL_TAKE(at "task_annotations.*.max_retries", take_max_retries),                         \
        MDL_TURN(at "task_annotations.*.default_retry_delay", "{pool}.retry.backoff.base",       \
                 mdl_turn_seconds, NULL),                                                        \
        MDL_LOSE(at "task_annotations.**", "arguments of tasks: see retry, rate_limit"),         \
        MDL_LOSE(at "task_default_rate_limit", "see rate_limit of a control, scope: replica"),   \
        MDL_LOSE(at "task_time_limit", program), MDL_LOSE(at "task_soft_time_limit", program),   \
        MDL_LOSE(at "task_reject_on_worker_lost", "with acknowledge: after a crash brings the "  \
                                                  "message back"),                               \
        MDL_LOSE(at "task_acks_on_failure_or_timeout", "squall's failures are retried or end"),  \
        MDL_LOSE(at "task_routes.**", "see queue of a pool and of producers"),                   \
        MDL_LOSE(at "task_queues.**", "see queue of a pool and of producers"),                   \
        MDL_LOSE(at "task_queue_max_priority", "see discipline: priority"),                      \
        MDL_LOSE(at "beat_schedule.**", "see arrivals of a producer"),                           \
        MDL_LOSE(at "worker_autoscaler", "see autoscaler: celery"),                              \
        MDL_LOSE(at "worker_max_tasks_per_child", "squall's replicas do not wear out"),          \
        MDL_LOSE(at "worker_max_memory_per_child", "see memory"),                                \
        MDL_IDLE_ROW(at "result_backend.**", kept), MDL_IDLE_ROW(at "result_expires", kept),     \
        MDL_IDLE_ROW(at "result_serializer", kept), MDL_IDLE_ROW(at "task_ignore_result", kept), \
        MDL_IDLE_ROW(at "task_serializer", way), MDL_IDLE_ROW(at "accept_content.**", way),      \
        MDL_IDLE_ROW(at "broker_connection_retry_on_startup", way),                              \
        MDL_IDLE_ROW(at "broker_pool_limit", way), MDL_IDLE_ROW(at "include.**", "its program"), \
        MDL_IDLE_ROW(at "imports.**", "its program"), MDL_IDLE_ROW(at "timezone", shown),        \
        MDL_IDLE_ROW(at "enable_utc", shown), MDL_IDLE_ROW(at "task_track_started", shown),      \
        MDL_IDLE_ROW(at "worker_send_task_events", shown),                                       \
        MDL_IDLE_ROW(at "worker_hijack_root_logger", shown)

static const struct mdl_source_row rows[] = { SETTINGS(""), SETTINGS("*.") };

const struct mdl_source mdl_source_celery = {
    .name = "Celery settings",
    .is = is,
    .about_pool = true,
    .scan = scan,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows),
};
