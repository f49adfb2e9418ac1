/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_bullmq.c - BullMQ 5 and 6 as JSON: options of jobs (also under defaultJobOptions) and
 * of workers. `attempts` counts runs and is 1 unless told; without `backoff` the next run comes at
 * once; exponential: delay * 2^(n - 1), without a cap; `jitter` 0 to 1 is the share of a delay that
 * is drawn. maxStalledCount 1 lets a message be delivered twice. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include "sim/base/sq_unit.h"

#include <string.h>

static const struct sq_node *options(const struct sq_node *doc)
{
    const struct sq_node *nested = mdl_source_node(doc, "defaultJobOptions");
    return nested != NULL ? nested : doc;
}

static bool is(const struct sq_node *doc)
{
    static const char *const keys[] = { "defaultJobOptions", "attempts",     "removeOnComplete",
                                        "removeOnFail",      "lockDuration", "stalledInterval",
                                        "maxStalledCount",   "limiter" };
    for (size_t i = 0; i < SQ_COUNT(keys); i++) {
        if (mdl_source_node(doc, keys[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    (void)doc;
    m->scope.entity = mdl_source_entity(m, mdl_source_pool(m));
    m->scope.queue = mdl_source_queue(m);
    mdl_names_add(m, &m->queues, m->scope.queue);
    mdl_source_default(m, "{queue}.preset", "bullmq", "what this file is about");
    mdl_source_default(m, "{pool}.preset", "bullmq", "what this file is about");
    mdl_source_default(m, "{pool}.queue", m->scope.queue, "what this file is about");
    mdl_source_default(m, "{pool}.retry.retry_on", "everything", "but UnrecoverableError");
}

static void end(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_source_default(m, "{pool}.retry.max_attempts", "1", "BullMQ, unless told otherwise");
    if (mdl_source_node(options(doc), "backoff") == NULL) {
        mdl_source_default(m, "{pool}.retry.backoff", "none", "BullMQ without backoff: at once");
        mdl_source_default(m, "{pool}.retry.jitter", "none", "BullMQ without backoff: at once");
    }
}

/* Milliseconds of a key as a duration of ours; false with what is wrong reported. */
static bool millis(struct mdl_importing *m, const struct sq_node *n, struct sq_buf *out)
{
    bool good = n != NULL && mdl_turn_millis(m, n, out) == MDL_TURNED;
    if (!good) {
        mdl_source_wrong(m, n != NULL ? n : m->doc, "backoff needs a delay in milliseconds");
    }
    return good;
}

static void put_jitter(struct mdl_importing *m, const struct sq_node *n)
{
    double share;
    struct sq_buf b = { 0 };
    if (n == NULL) {
        mdl_source_default(m, "{pool}.retry.jitter", "none", "BullMQ, unless told otherwise");
        return;
    }
    if (n->kind != SQ_NODE_SCALAR || sq_unit_number(n->text, &share) != NULL || share > 1) {
        mdl_source_wrong(m, n, "jitter is a number from 0 to 1");
        return;
    }
    if (share >= 1) {
        sq_buf_puts(&b, "{kind: full, lattice: 1ms}");
    } else if (share > 0) {
        sq_buf_puts(&b, "{kind: scaled, low: ");
        sq_buf_number(&b, 1 - share, 9);
        sq_buf_puts(&b, ", high: 1, lattice: 1ms}");
    } else {
        sq_buf_puts(&b, "none");
    }
    mdl_source_put(m, n, "{pool}.retry.jitter", mdl_turn_text(&b), "jitter");
    mdl_turn_done(m, &b);
}

static void take_backoff(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    const struct sq_node *delay = n->kind == SQ_NODE_MAP ? mdl_source_node(n, "delay") : n;
    const char *type = n->kind == SQ_NODE_MAP ? mdl_source_text(n, "type") : "fixed";
    bool grows = type != NULL && strcmp(type, "exponential") == 0;
    if (type == NULL || (!grows && strcmp(type, "fixed") != 0)) {
        mdl_source_lose(m, n, "a strategy of the program: see backoff.kind table");
        mdl_source_default(m, "{pool}.retry.backoff", "1s",
                           "an example: the strategy is not known");
        mdl_source_default(m, "{pool}.retry.jitter", "none",
                           "an example: the strategy is not known");
        return;
    }
    if (millis(m, delay, &b)) {
        mdl_source_put(m, n, "{pool}.retry.backoff.kind", grows ? "exponential" : "fixed", NULL);
        mdl_source_put(m, delay, "{pool}.retry.backoff.base", mdl_turn_text(&b), "delay");
        if (grows) {
            mdl_source_default(m, "{pool}.retry.backoff.cap", "unlimited", "BullMQ has none");
        }
        put_jitter(m, n->kind == SQ_NODE_MAP ? mdl_source_node(n, "jitter") : NULL);
    }
    mdl_turn_done(m, &b);
}

static enum mdl_turned turn_stalls(struct mdl_importing *m, const struct sq_node *n,
                                   struct sq_buf *out)
{
    int64_t stalls;
    if (n->kind != SQ_NODE_SCALAR || !mdl_turn_is_whole(n->text, &stalls)) {
        m->why = "a whole number is needed";
        return MDL_WRONG;
    }
    sq_buf_printf(out, "%lld", (long long)stalls + 1);
    return MDL_TURNED;
}

static enum mdl_turned turn_lifo(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    enum mdl_turned t = mdl_turn_bool(m, n, &b);
    sq_buf_puts(out, t == MDL_TURNED && strcmp(mdl_turn_text(&b), "true") == 0 ? "lifo" : "fifo");
    mdl_turn_done(m, &b);
    return t;
}

static const char kept[] = "what is kept of jobs that ended";
static const char connection[] = "how it gets there";
static const char limiter[] =
    "see rate_limit of a control: {preset: bullmq-limiter, limit, window}";

#define JOB(at)                                                                                 \
    MDL_TURN(at "attempts", "{pool}.retry.max_attempts", mdl_turn_at_least_1, "counts runs"),   \
        MDL_TAKE(at "backoff", take_backoff),                                                   \
        MDL_TURN(at "lifo", "{queue}.discipline", turn_lifo, NULL),                             \
        MDL_LOSE(at "delay", "squall's jobs are ready when they arrive"),                       \
        MDL_LOSE(at "priority", "see priority of a producer, and discipline: priority"),        \
        MDL_LOSE(at "deduplication.**", "see supersede of a producer"),                         \
        MDL_LOSE(at "jobId", "see supersede of a producer"),                                    \
        MDL_LOSE(at "repeat.**", "see arrivals of a producer"),                                 \
        MDL_LOSE(at "timeout", "see total_timeout of a call"),                                  \
        MDL_IDLE_ROW(at "removeOnComplete.**", kept), MDL_IDLE_ROW(at "removeOnFail.**", kept), \
        MDL_IDLE_ROW(at "keepLogs", kept), MDL_IDLE_ROW(at "stackTraceLimit", kept),            \
        MDL_IDLE_ROW(at "sizeLimit", "what a job says does not matter")

static const struct mdl_source_row rows[] = {
    JOB("defaultJobOptions."),
    JOB(""),
    MDL_TURN("concurrency", "{pool}.slots", mdl_turn_at_least_1, NULL),
    MDL_TURN("lockDuration", "{queue}.visibility_timeout", mdl_turn_millis,
             "renewed while it lives"),
    MDL_TURN("stalledInterval", "{queue}.sweep", mdl_turn_millis, NULL),
    MDL_TURN("maxStalledCount", "{queue}.max_receives", turn_stalls,
             "stalls, and the first delivery"),
    MDL_LOSE("limiter.**", limiter),
    MDL_IDLE_ROW("lockRenewTime", "locks are renewed while a worker lives"),
    MDL_IDLE_ROW("drainDelay", "long polls only save calls"),
    MDL_IDLE_ROW("connection.**", connection),
    MDL_IDLE_ROW("prefix", connection),
    MDL_IDLE_ROW("name", connection),
    MDL_IDLE_ROW("autorun", connection),
    MDL_IDLE_ROW("metrics.**", "only what is shown of it"),
};

const struct mdl_source mdl_source_bullmq = {
    .name = "BullMQ options",
    .is = is,
    .about_pool = true,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows),
};
