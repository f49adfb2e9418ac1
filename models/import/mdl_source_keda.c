/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_keda.c - KEDA 2.20: ScaledObject and ScaledJob (kedacore/keda pkg/scalers and its
 * documentation for the metadata of triggers). */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

/* A kind of trigger that looks at a queue. */
struct trigger {
    const char *type;
    const char *queue;      /* key of its name */
    const char *target;     /* key of the target */
    const char *activation; /* key of what wakes it */
    const char *dflt;       /* target unless told */
    const char *counts;     /* what the scaler sees of the queue */
    const char *preset;     /* of the queue, or NULL */
};

static const struct trigger triggers[] = {
    { "aws-sqs-queue", "queueURL", "queueLength", "activationQueueLength", "5", "[ready, leased]",
      "sqs" },
    { "rabbitmq", "queueName", "value", "activationValue", "20", "[ready, leased]", NULL },
    { "redis", "listName", "listLength", "activationListLength", "5", "[ready]", NULL },
    { "kafka", "topic", "lagThreshold", "activationLagThreshold", "10", "[ready, leased]", NULL },
    { "apache-kafka", "topic", "lagThreshold", "activationLagThreshold", "10", "[ready, leased]",
      NULL },
    { "azure-servicebus", "queueName", "messageCount", "activationMessageCount", "5", "[ready]",
      NULL },
    { "gcp-pubsub", "subscriptionName", "value", "activationValue", "10", "[ready, leased]", NULL },
};

static const struct trigger *trigger_of(const struct sq_node *t)
{
    const char *type = t->kind == SQ_NODE_MAP ? mdl_source_text(t, "type") : NULL;
    for (size_t i = 0; type != NULL && i < SQ_COUNT(triggers); i++) {
        if (strcmp(type, triggers[i].type) == 0) {
            return &triggers[i];
        }
    }
    return NULL;
}

/* The queue a trigger looks at, as a name of ours; NULL if it tells none. */
static const char *queue_of(struct mdl_importing *m, const struct sq_node *t)
{
    const struct trigger *kind = trigger_of(t);
    const struct sq_node *meta = kind != NULL ? mdl_source_node(t, "metadata") : NULL;
    const char *name = meta != NULL ? mdl_source_text(meta, kind->queue) : NULL;
    const char *slash = name != NULL ? strrchr(name, '/') : NULL; /* of an address */
    return name != NULL ? mdl_source_name(m, slash != NULL ? slash + 1 : name) : NULL;
}

static const struct sq_node *first_trigger(const struct sq_node *doc)
{
    const struct sq_node *list = mdl_source_node(doc, "spec.triggers");
    return list != NULL && list->kind == SQ_NODE_LIST && list->count > 0 ? list->items[0] : NULL;
}

static void scan_queue(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *first = first_trigger(doc);
    const char *queue = first != NULL ? queue_of(m, first) : NULL;
    if (queue != NULL) {
        mdl_names_add(m, &m->queues, queue);
    }
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_scan_target(m, doc, "spec.scaleTargetRef.name");
    scan_queue(m, doc);
}

static void scan_job(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_scan_target(m, doc, "metadata.name");
    scan_queue(m, doc);
}

static void begin_with(struct mdl_importing *m, const struct sq_node *doc, const char *path,
                       const char *kind)
{
    const char *name = mdl_source_text(doc, path);
    const struct sq_node *first = first_trigger(doc);
    m->scope.entity = mdl_source_entity(m, mdl_source_name(m, name != NULL ? name : m->stem));
    m->scope.queue = first != NULL ? queue_of(m, first) : NULL;
    mdl_source_default(m, "{scaler}.kind", kind, "what this file is");
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    begin_with(m, doc, "spec.scaleTargetRef.name", "keda");
}

static void begin_job(struct mdl_importing *m, const struct sq_node *doc)
{
    begin_with(m, doc, "metadata.name", "keda-jobs");
}

static void end_job(struct mdl_importing *m, const struct sq_node *doc)
{
    (void)doc;
    mdl_source_default(m, "{scaler}.max", "100", "KEDA, unless told otherwise");
}

static void end(struct mdl_importing *m, const struct sq_node *doc)
{
    end_job(m, doc);
    if (mdl_source_node(doc, "spec.advanced.horizontalPodAutoscalerConfig.behavior") == NULL) {
        mdl_hpa_without_behavior(m, "KEDA's HPA");
    }
}

/* ---- triggers ---- */

static bool is_word(const struct sq_node *meta, const char *key, const char *word)
{
    const char *text = mdl_source_text(meta, key);
    return text != NULL && strcmp(text, word) == 0;
}

/* What the scaler counts, where a key of the trigger says so. */
static const char *counts_of(const struct trigger *kind, const struct sq_node *meta)
{
    bool flights = !is_word(meta, "scaleOnInFlight", "false") &&
                   !is_word(meta, "excludeUnacknowledged", "true");
    bool delayed = is_word(meta, "scaleOnDelayed", "true");
    if (!flights) {
        return delayed ? "[ready, delayed]" : "[ready]";
    }
    return delayed ? "[ready, delayed, leased]" : kind->counts;
}

/* A number of the trigger's metadata: where it goes, or what is wrong with it. */
static void put_number(struct mdl_importing *m, const struct sq_node *n, const char *to,
                       const char *unit)
{
    struct sq_buf b = { 0 };
    if (mdl_turn_number(m, n, &b) == MDL_TURNED) {
        sq_buf_puts(&b, unit);
        mdl_source_put(m, n, to, mdl_turn_text(&b), NULL);
    } else {
        mdl_source_wrong(m, n, m->why);
    }
    mdl_turn_done(m, &b);
}

static void take_key(struct mdl_importing *m, const struct trigger *kind, const char *key,
                     const struct sq_node *n, const char *unit)
{
    static const char *const read[] = { "scaleOnInFlight", "scaleOnDelayed", "mode",
                                        "excludeUnacknowledged" };
    static const char *const access[] = { "awsRegion",        "identityOwner", "host",
                                          "hostFromEnv",      "address",       "addressFromEnv",
                                          "bootstrapServers", "consumerGroup", "vhostName",
                                          "protocol",         "databaseIndex", "namespace" };
    if (strcmp(key, kind->queue) == 0) {
        mdl_source_put(m, n, "{pool}.queue", m->scope.queue, NULL);
        return;
    }
    if (strcmp(key, kind->target) == 0) {
        put_number(m, n, "{scaler}.target", unit);
        return;
    }
    if (strcmp(key, kind->activation) == 0) {
        if (m->source == &mdl_source_scaled_job) {
            mdl_source_lose(m, n, "squall's keda-jobs have no activation");
            return;
        }
        put_number(m, n, "{scaler}.activation", unit);
        return;
    }
    for (size_t i = 0; i < SQ_COUNT(read); i++) {
        if (strcmp(key, read[i]) == 0) {
            return;
        }
    }
    for (size_t i = 0; i < SQ_COUNT(access); i++) {
        if (strcmp(key, access[i]) == 0) {
            mdl_source_idle(m, n, "how the scaler gets there");
            return;
        }
    }
    mdl_source_lose(m, n, "squall does not know this key of the trigger");
}

static void take_queue_trigger(struct mdl_importing *m, const struct sq_node *t,
                               const struct trigger *kind)
{
    const struct sq_node *meta = mdl_source_node(t, "metadata");
    if (meta == NULL || meta->kind != SQ_NODE_MAP) {
        mdl_source_wrong(m, t, "a trigger needs metadata");
        return;
    }
    bool rates = is_word(meta, "mode", "MessageRate");
    if (rates) {
        mdl_source_put(m, meta, "{scaler}.metric", "arrivals", "mode MessageRate");
    } else {
        mdl_source_put(m, meta, "{scaler}.counts", counts_of(kind, meta),
                       mdl_source_format(m, "what %s sees", kind->type));
    }
    for (size_t i = 0; i < meta->count; i++) {
        m->path[m->depth++] = "metadata";
        m->path[m->depth++] = meta->keys[i];
        take_key(m, kind, meta->keys[i], meta->items[i], rates ? "/s" : "");
        m->depth -= 2;
    }
    mdl_source_default(m, "{scaler}.target", kind->dflt, "KEDA, unless told otherwise");
    if (kind->preset != NULL && m->scope.queue != NULL) {
        mdl_source_put(m, mdl_source_node(t, "type"), "{queue}.preset", kind->preset, kind->type);
    }
}

static void take_cpu_trigger(struct mdl_importing *m, const struct sq_node *t)
{
    const struct sq_node *value = mdl_source_node(t, "metadata.value");
    struct sq_buf b = { 0 };
    enum mdl_turned turned = value != NULL ? mdl_turn_percent(m, value, &b) : MDL_WRONG;
    if (turned == MDL_LOST) {
        mdl_source_lose(m, value, m->why);
    } else if (turned == MDL_TURNED) {
        mdl_source_put(m, t, "{scaler}.metric", "utilisation",
                       "CPU of what is requested, here the share of busy slots");
        mdl_source_put(m, value, "{scaler}.target", mdl_turn_text(&b), NULL);
    } else {
        mdl_source_wrong(m, t, "a trigger of type cpu needs metadata.value");
    }
    mdl_turn_done(m, &b);
}

static void take_metric_type(struct mdl_importing *m, const struct sq_node *t)
{
    const struct sq_node *type = mdl_source_node(t, "metricType");
    if (type == NULL || type->kind != SQ_NODE_SCALAR) {
        return;
    }
    if (m->source == &mdl_source_scaled_job) {
        mdl_source_lose(m, type, "squall's keda-jobs look at all that waits");
    } else if (strcmp(type->text, "Value") == 0) {
        mdl_source_put(m, type, "{scaler}.target_type", "value", NULL);
    } else if (strcmp(type->text, "AverageValue") != 0 && strcmp(type->text, "Utilization") != 0) {
        mdl_source_wrong(m, type, "metricType is AverageValue, Value or Utilization");
    }
}

/* Keys of a trigger beside type and metadata. */
static void take_rest(struct mdl_importing *m, const struct sq_node *t)
{
    static const struct mdl_word idle[] = { { "name", "its name" },
                                            { "authenticationRef", "how the scaler gets there" } };
    for (size_t i = 0; i < t->count; i++) {
        const char *why = mdl_word_find(idle, SQ_COUNT(idle), t->keys[i]);
        m->path[m->depth++] = t->keys[i];
        if (why != NULL) {
            mdl_source_idle(m, t->items[i], why);
        } else if (strcmp(t->keys[i], "useCachedMetrics") == 0) {
            mdl_source_lose(m, t->items[i], "squall reads metrics live");
        } else if (strcmp(t->keys[i], "type") != 0 && strcmp(t->keys[i], "metadata") != 0 &&
                   strcmp(t->keys[i], "metricType") != 0) {
            mdl_source_lose(m, t->items[i], "squall does not know this key of the trigger");
        }
        m->depth--;
    }
}

static void take_trigger(struct mdl_importing *m, const struct sq_node *t)
{
    const struct trigger *kind = trigger_of(t);
    const char *type = t->kind == SQ_NODE_MAP ? mdl_source_text(t, "type") : NULL;
    if (type == NULL) {
        mdl_source_wrong(m, t, "a trigger needs a type");
    } else if (m->index[m->depth - 1] > 0) {
        mdl_source_lose(m, t, "squall's scaler looks at one metric; here it is the first");
    } else if (strcmp(type, "cpu") == 0) {
        take_cpu_trigger(m, t);
        take_rest(m, t);
    } else if (kind == NULL) {
        mdl_source_lose(m, t,
                        mdl_source_format(m,
                                          "what a trigger of type %s sees is not known: "
                                          "see metric, counts and target",
                                          type));
    } else {
        take_queue_trigger(m, t, kind);
        take_metric_type(m, t);
        take_rest(m, t);
    }
}

/* ---- rows ---- */

static enum mdl_turned turn_strategy(struct mdl_importing *m, const struct sq_node *n,
                                     struct sq_buf *out)
{
    const char *text = n->kind == SQ_NODE_SCALAR ? n->text : "";
    if (strcmp(text, "default") != 0 && strcmp(text, "accurate") != 0 &&
        strcmp(text, "eager") != 0) {
        m->why = "of strategies squall has default, accurate and eager";
        return MDL_LOST;
    }
    sq_buf_puts(out, text);
    return MDL_TURNED;
}

static const char failing[] = "squall's metrics do not go missing";

static const struct mdl_source_row rows[] = {
    MDL_OBJECT_ROWS,
    MDL_USED("spec.scaleTargetRef.**"),
    MDL_TURN("spec.pollingInterval", "{scaler}.poll", mdl_turn_seconds, NULL),
    MDL_TURN("spec.cooldownPeriod", "{scaler}.cooldown", mdl_turn_seconds, NULL),
    MDL_LOSE("spec.initialCooldownPeriod", "squall's fleet may go to zero from the start on"),
    MDL_LOSE("spec.idleReplicaCount", "squall knows zero and min, nothing else below it"),
    MDL_TURN("spec.minReplicaCount", "{scaler}.min", mdl_turn_count, NULL),
    MDL_TURN("spec.maxReplicaCount", "{scaler}.max", mdl_turn_at_least_1, NULL),
    MDL_LOSE("spec.fallback.**", failing),
    MDL_TAKE("spec.triggers[]", take_trigger),
    MDL_BEHAVIOR_ROWS("spec.advanced.horizontalPodAutoscalerConfig.behavior"),
    MDL_USED("spec.advanced.horizontalPodAutoscalerConfig.name"),
    MDL_IDLE_ROW("spec.advanced.restoreToOriginalReplicaCount", "only when it is deleted"),
    MDL_LOSE("spec.advanced.scalingModifiers.**", "squall has no formulas over metrics"),
};

const struct mdl_source mdl_source_scaled_object = {
    .name = "KEDA ScaledObject",
    .api = "keda.sh/",
    .object = "ScaledObject",
    .scan = scan,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows),
};

static const struct mdl_source_row job_rows[] = {
    MDL_OBJECT_ROWS,
    MDL_LOSE("spec.jobTargetRef.backoffLimit", "Kubernetes makes failed pods again: see the preset "
                                               "kubernetes-job of retry"),
    MDL_LOSE("spec.jobTargetRef.activeDeadlineSeconds", "squall bounds calls, not runs: see "
                                                        "total_timeout"),
    MDL_LOSE("spec.jobTargetRef.parallelism", "one pod per job here"),
    MDL_LOSE("spec.jobTargetRef.completions", "one pod per job here"),
    MDL_TURN("spec.jobTargetRef.template.spec.terminationGracePeriodSeconds", "{pool}.grace",
             mdl_turn_seconds, NULL),
    MDL_LOSE("spec.jobTargetRef.template.spec.containers[].env.**",
             "may hold limits, timeouts and retries of the program: look there"),
    MDL_LOSE("spec.jobTargetRef.template.spec.containers[].args.**",
             "may hold limits, timeouts and retries of the program: look there"),
    MDL_IDLE_ROW("spec.jobTargetRef.**", "what the pods are"),
    MDL_TURN("spec.pollingInterval", "{scaler}.poll", mdl_turn_seconds, NULL),
    MDL_TURN("spec.minReplicaCount", "{scaler}.min", mdl_turn_count, NULL),
    MDL_TURN("spec.maxReplicaCount", "{scaler}.max", mdl_turn_at_least_1, NULL),
    MDL_IDLE_ROW("spec.successfulJobsHistoryLimit", "no part of what runs"),
    MDL_IDLE_ROW("spec.failedJobsHistoryLimit", "no part of what runs"),
    MDL_TURN("spec.scalingStrategy.strategy", "{scaler}.strategy", turn_strategy, NULL),
    MDL_LOSE("spec.rollout.**", "a rollout is an action: actions: [{at: 10m, deploy: ...}]"),
    MDL_TAKE("spec.triggers[]", take_trigger),
};

const struct mdl_source mdl_source_scaled_job = {
    .name = "KEDA ScaledJob",
    .api = "keda.sh/",
    .object = "ScaledJob",
    .scan = scan_job,
    .begin = begin_job,
    .end = end_job,
    MDL_SOURCE_ROWS(job_rows),
};
