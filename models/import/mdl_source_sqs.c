/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_sqs.c - Amazon SQS: a redrive policy, or the attributes of a queue, in which the
 * policy is a JSON text. A message that was received maxReceiveCount times goes to the dead-letter
 * queue at its next receive, whatever the reason that it was not deleted. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

static bool is_policy(const struct sq_node *doc)
{
    return mdl_source_node(doc, "maxReceiveCount") != NULL;
}

static bool is_queue(const struct sq_node *doc)
{
    const struct sq_node *nested = mdl_source_node(doc, "Attributes");
    const struct sq_node *a = nested != NULL && nested->kind == SQ_NODE_MAP ? nested : doc;
    return mdl_source_node(a, "RedrivePolicy") != NULL ||
           mdl_source_node(a, "VisibilityTimeout") != NULL;
}

/* The last part of arn:aws:sqs:region:account:name, or of an address. */
static const char *last_part(const char *arn)
{
    const char *colon = strrchr(arn, ':'), *slash = strrchr(arn, '/');
    const char *cut = slash != NULL && (colon == NULL || slash > colon) ? slash : colon;
    return cut != NULL ? cut + 1 : arn;
}

/* The queue that it is about: the one that is named; else the only one of the files; else it is
 * called as the file. */
static const char *queue_of(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *arn = mdl_source_text(doc, "Attributes.QueueArn");
    arn = arn != NULL ? arn : mdl_source_text(doc, "QueueArn");
    if (arn != NULL) {
        return mdl_source_name(m, last_part(arn));
    }
    return mdl_source_queue(m);
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *arn = mdl_source_text(doc, "Attributes.QueueArn");
    arn = arn != NULL ? arn : mdl_source_text(doc, "QueueArn");
    if (arn != NULL) {
        mdl_names_add(m, &m->queues, mdl_source_name(m, last_part(arn)));
    }
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    m->scope.queue = queue_of(m, doc);
    mdl_names_add(m, &m->queues, m->scope.queue);
    mdl_source_default(m, "{queue}.preset", "sqs", "what this file is about");
}

static const struct mdl_source_row policy_rows[] = {
    MDL_TURN("maxReceiveCount", "{queue}.max_receives", mdl_turn_at_least_1, "counts deliveries"),
    MDL_IDLE_ROW("deadLetterTargetArn", "where dead letters go"),
};

const struct mdl_source mdl_source_sqs_policy = {
    .name = "SQS redrive policy",
    .is = is_policy,
    .scan = scan,
    .begin = begin,
    MDL_SOURCE_ROWS(policy_rows),
};

/* The policy as a text in JSON within JSON. */
static void take_policy(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_diag quiet = { 0 };
    struct sq_node *inner = NULL;
    const struct sq_node *policy = n->kind == SQ_NODE_MAP ? n : NULL;
    if (n->kind == SQ_NODE_SCALAR &&
        sq_doc_parse(n->where.file, n->text, strlen(n->text), m->arena, &quiet, &inner) == SQ_OK) {
        policy = inner;
    }
    m->failed |= quiet.failed;
    sq_diag_fini(&quiet);
    const char *count = policy != NULL ? mdl_source_text(policy, "maxReceiveCount") : NULL;
    int64_t whole;
    if (count == NULL || !mdl_turn_is_whole(count, &whole) || whole == 0) {
        mdl_source_wrong(m, n, "a redrive policy has a maxReceiveCount of 1 or more");
        return;
    }
    mdl_source_put(m, n, "{queue}.max_receives", count, "maxReceiveCount, which counts deliveries");
}

#define QUEUE_ROWS(at)                                                                            \
    MDL_TURN(at "VisibilityTimeout", "{queue}.visibility_timeout", mdl_turn_seconds, NULL),       \
        MDL_TAKE(at "RedrivePolicy", take_policy),                                                \
        MDL_LOSE(at "MessageRetentionPeriod", "squall's jobs do not expire in a queue; deadline " \
                                              "of a producer is nearest"),                        \
        MDL_LOSE(at "DelaySeconds", "squall's jobs are ready when they arrive"),                  \
        MDL_LOSE(at "FifoQueue", "squall has no message groups"),                                 \
        MDL_LOSE(at "ContentBasedDeduplication", "see dedup_window"),                             \
        MDL_LOSE(at "DeduplicationScope", "see dedup_window"),                                    \
        MDL_LOSE(at "FifoThroughputLimit", "squall has no message groups"),                       \
        MDL_USED(at "QueueArn"),                                                                  \
        MDL_IDLE_ROW(at "ReceiveMessageWaitTimeSeconds", "long polls only save calls"),           \
        MDL_IDLE_ROW(at "MaximumMessageSize", "what a job says does not matter"),                 \
        MDL_IDLE_ROW(at "CreatedTimestamp", "no part of what runs"),                              \
        MDL_IDLE_ROW(at "LastModifiedTimestamp", "no part of what runs"),                         \
        MDL_IDLE_ROW(at "ApproximateNumberOfMessages", "what it held when it was asked: see "     \
                                                       "backlog of a producer"),                  \
        MDL_IDLE_ROW(at "ApproximateNumberOfMessagesNotVisible", "what it held when asked"),      \
        MDL_IDLE_ROW(at "ApproximateNumberOfMessagesDelayed", "what it held when asked"),         \
        MDL_IDLE_ROW(at "Policy", "rights"), MDL_IDLE_ROW(at "RedriveAllowPolicy", "rights"),     \
        MDL_IDLE_ROW(at "SqsManagedSseEnabled", "how it is kept"),                                \
        MDL_IDLE_ROW(at "KmsMasterKeyId", "how it is kept"),                                      \
        MDL_IDLE_ROW(at "KmsDataKeyReusePeriodSeconds", "how it is kept")

static const struct mdl_source_row queue_rows[] = { QUEUE_ROWS("Attributes."), QUEUE_ROWS("") };

const struct mdl_source mdl_source_sqs_queue = {
    .name = "SQS queue attributes",
    .is = is_queue,
    .scan = scan,
    .begin = begin,
    MDL_SOURCE_ROWS(queue_rows),
};
