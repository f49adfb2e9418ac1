/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_temporal.c - Temporal 1.29: options of an activity or a retry policy, in the spelling
 * of any SDK. Attempts are counted, 0 and nothing mean without limit; the longest delay is 100
 * times the first one unless told; there is no jitter. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include "sim/base/sq_unit.h"

#include <string.h>

static const struct sq_node *policy(const struct sq_node *doc)
{
    const struct sq_node *nested = mdl_source_find(doc, "retryPolicy");
    nested = nested != NULL ? nested : mdl_source_find(doc, "retry");
    return nested != NULL && nested->kind == SQ_NODE_MAP ? nested : doc;
}

static bool is(const struct sq_node *doc)
{
    return mdl_source_find(policy(doc), "initialInterval") != NULL ||
           mdl_source_find(policy(doc), "maximumAttempts") != NULL ||
           mdl_source_find(policy(doc), "backoffCoefficient") != NULL ||
           mdl_source_find(doc, "startToCloseTimeout") != NULL ||
           mdl_source_find(doc, "scheduleToCloseTimeout") != NULL;
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *queue = mdl_source_find(doc, "taskQueue");
    if (queue != NULL && queue->kind == SQ_NODE_SCALAR) {
        mdl_names_add(m, &m->queues, mdl_source_name(m, queue->text));
    }
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *queue = mdl_source_find(doc, "taskQueue");
    bool named = queue != NULL && queue->kind == SQ_NODE_SCALAR;
    m->scope.entity = mdl_source_entity(m, mdl_source_pool(m));
    m->scope.queue = named ? mdl_source_name(m, queue->text) : mdl_source_queue(m);
    mdl_names_add(m, &m->queues, m->scope.queue);
    mdl_source_default(m, "{pool}.retry.preset", "temporal", "what this file is about");
}

static void end(struct mdl_importing *m, const struct sq_node *doc)
{
    const struct sq_node *first = mdl_source_find(policy(doc), "initialInterval");
    sq_time_t base;
    struct sq_buf b = { 0 };
    if (first != NULL && first->kind == SQ_NODE_SCALAR &&
        mdl_source_find(policy(doc), "maximumInterval") == NULL &&
        sq_unit_duration(first->text, &base) == NULL) {
        sq_unit_put_duration(&b, sq_min_i64(base, SQ_NEVER / 1000) * 100);
        mdl_source_default(m, "{pool}.retry.backoff.cap",
                           mdl_source_format(m, "%s", mdl_turn_text(&b)),
                           "Temporal, unless told otherwise: 100 times the first");
    }
    mdl_turn_done(m, &b);
}

static enum mdl_turned turn_span(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    double number;
    if (n->kind == SQ_NODE_SCALAR && sq_unit_number(n->text, &number) == NULL) {
        m->why = "a number without unit: seconds or milliseconds? write 5s";
        return MDL_WRONG;
    }
    return mdl_turn_duration(m, n, out);
}

static enum mdl_turned turn_attempts(struct mdl_importing *m, const struct sq_node *n,
                                     struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_count(m, n, out);
    if (t == MDL_TURNED && strcmp(mdl_turn_text(out), "0") == 0) {
        out->len = 0;
        sq_buf_puts(out, "unlimited");
    }
    return t;
}

/* The server refuses less than 1; 0 is what is not set. */
static enum mdl_turned turn_factor(struct mdl_importing *m, const struct sq_node *n,
                                   struct sq_buf *out)
{
    enum mdl_turned t = mdl_turn_number(m, n, out);
    if (t == MDL_TURNED && mdl_turn_text(out)[0] == '0') {
        bool unset = strcmp(mdl_turn_text(out), "0") == 0;
        m->why = unset ? "0: not set, which is 2" : "Temporal's coefficient is 1 or more";
        return unset ? MDL_IDLE : MDL_WRONG;
    }
    return t;
}

static void take_queue(struct mdl_importing *m, const struct sq_node *n)
{
    mdl_source_put(m, n, "{pool}.queue", m->scope.queue, NULL);
}

#define POLICY(at)                                                                                 \
    MDL_TURN(at "initialInterval", "{pool}.retry.backoff.base", turn_span, NULL),                  \
        MDL_TURN(at "backoffCoefficient", "{pool}.retry.backoff.factor", turn_factor, NULL),       \
        MDL_TURN(at "maximumInterval", "{pool}.retry.backoff.cap", turn_span, NULL),               \
        MDL_TURN(at "maximumAttempts", "{pool}.retry.max_attempts", turn_attempts, "counts runs"), \
        MDL_LOSE(at "nonRetryableErrorTypes.**", "kinds of errors stand in retry_on")

static const struct mdl_source_row rows[] = {
    POLICY("retryPolicy."),
    POLICY("retry."),
    POLICY(""),
    MDL_TURN("scheduleToCloseTimeout", "{pool}.retry.max_elapsed", turn_span,
             "no retry starts later; a run that has begun goes on"),
    MDL_LOSE("startToCloseTimeout", "it bounds a run: see total_timeout of its calls"),
    MDL_LOSE("scheduleToStartTimeout", "see deadline of a producer"),
    MDL_LOSE("heartbeatTimeout", "squall's workers that crash are noticed by the queue: see "
                                 "visibility_timeout"),
    MDL_TAKE("taskQueue", take_queue),
    MDL_TURN("maxConcurrentActivityTaskExecutions", "{pool}.slots", mdl_turn_at_least_1, NULL),
    MDL_TURN("maxConcurrentActivityExecutionSize", "{pool}.slots", mdl_turn_at_least_1, NULL),
    MDL_TURN("maxConcurrentActivities", "{pool}.slots", mdl_turn_at_least_1, NULL),
    MDL_LOSE("maxTaskQueueActivitiesPerSecond", "see rate_limit of a control"),
    MDL_LOSE("taskQueueActivitiesPerSecond", "see rate_limit of a control"),
    MDL_IDLE_ROW("activityId", "its name"),
    MDL_IDLE_ROW("summary", "its name"),
};

const struct mdl_source mdl_source_temporal = {
    .name = "Temporal activity options",
    .is = is,
    .about_pool = true,
    .relaxed = true,
    .scan = scan,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows),
};
