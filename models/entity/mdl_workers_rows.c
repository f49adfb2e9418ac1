/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_rows.c - how a worker pool is written. */
#include "models/entity/mdl_workers.h"
#include "sim/base/sq_limits.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_scaler.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

static const char *const acknowledge_words[] = { "after", "before", NULL };

static const struct sq_field queue_element = {
    .key = "queue", .type = SQ_REF, .more = "queues", .doc = "A queue."
};

static const char *const failure_words[] = { "whole", "each", NULL };

static const struct sq_field batch_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_batch_cfg, size, "size", NULL, 1, 1e5, SQ_F_STAR,
                     "Jobs delivered together, if there are as many."),
    SQ_ROW_CHOICE(struct mdl_batch_cfg, failure, "failure", "whole", failure_words, 0,
                  "whole: they succeed only if all do; each: each for itself."),
};
static const struct sq_table batch_table = { .type = "batch",
                                             .rows = SQ_ROWS(batch_rows),
                                             .size = sizeof(struct mdl_batch_cfg) };

static const struct sq_field crashes_rows[] = {
    SQ_ROW_BLOCK(struct mdl_crashes_cfg, every, "every", NULL, &mdl_dist_family, 0,
                 "Uptime of a replica: from ready to its crash."),
    SQ_ROW_BLOCK(struct mdl_crashes_cfg, restart, "restart", NULL, &mdl_dist_family, SQ_F_OPTIONAL,
                 "From the crash until it is ready again; as start_up by default."),
};
static const struct sq_table crashes_table = { .type = "crashes",
                                               .rows = SQ_ROWS(crashes_rows),
                                               .size = sizeof(struct mdl_crashes_cfg) };

static const struct sq_field workers_rows[] = {
    SQ_ROW_LIST(struct mdl_workers_cfg, queue, "queue", NULL, &queue_element, SQ_F_ONE,
                "The queue whose jobs it runs; a list is polled in strict order."),
    SQ_ROW_AMOUNT_IN(struct mdl_workers_cfg, replicas, "replicas", "1", 0, 1e6, SQ_F_LIVE,
                     "Ready at time 0."),
    SQ_ROW_AMOUNT_IN(struct mdl_workers_cfg, slots, "slots", "1", 1, 1e6, SQ_F_LIVE,
                     "Jobs run at a time per replica."),
    SQ_ROW_AMOUNT_IN(struct mdl_workers_cfg, prefetch, "prefetch", "0", 0, 1e6, SQ_F_LIVE,
                     "Jobs leased beyond the busy slots, per replica."),
    SQ_ROW_GROUP(struct mdl_workers_cfg, batch, "batch", NULL, &batch_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Jobs run one after the other in one slot."),
    SQ_ROW_MAP(struct mdl_workers_cfg, calls, "calls", &mdl_calls_element, SQ_F_OPTIONAL,
               "Dependencies called, one after the other."),
    SQ_ROW_CHOICE(struct mdl_workers_cfg, after_success, "after_success", "repeat",
                  mdl_after_success_words, 0,
                  "Whether later attempts repeat calls that succeeded before."),
    SQ_ROW_GROUP(struct mdl_workers_cfg, retry, "retry", NULL, &mdl_retry_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "The job layer."),
    SQ_ROW_CHOICE(struct mdl_workers_cfg, acknowledge, "acknowledge", "after", acknowledge_words, 0,
                  "before: settled at the broker when its run starts, so a crash loses it."),
    SQ_ROW_BLOCK(struct mdl_workers_cfg, start_up, "start_up", "30s", &mdl_dist_family, 0,
                 "From the creation of a replica until it is ready."),
    SQ_ROW_TIME(struct mdl_workers_cfg, grace, "grace", "30s", SQ_F_UNLIMITED,
                "A retiring replica counts as crashed after this."),
    SQ_ROW_GROUP(struct mdl_workers_cfg, crashes, "crashes", NULL, &crashes_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Random crashes of replicas."),
    { .key = "memory",
      .type = SQ_SIZE,
      .off = SQ_AT(struct mdl_workers_cfg, memory, int64_t),
      .dflt = "unlimited",
      .min = 1,
      .max = 9e15,
      .flags = SQ_F_UNLIMITED,
      .doc = "Of a replica; one whose jobs need more crashes." },
    { .key = "job_memory",
      .type = SQ_SIZE,
      .off = SQ_AT(struct mdl_workers_cfg, job_memory, int64_t),
      .dflt = "0B",
      .max = 9e15,
      .doc = "That each job in a replica's hands takes." },
    SQ_ROW_AMOUNT(struct mdl_workers_cfg, held_limit, "held_limit", "unlimited", 1,
                  SQ_F_UNLIMITED | SQ_F_LIVE,
                  "Delays one replica holds in memory; beyond, it fetches no more jobs."),
    SQ_ROW_TIME(struct mdl_workers_cfg, delivery_cost, "delivery_cost", "0s", 0,
                "Slot time of each delivery, also of stale, superseded and deferred ones."),
    SQ_ROW_BLOCK(struct mdl_workers_cfg, autoscaler, "autoscaler", NULL, &mdl_scaler_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Changes the number of replicas."),
};

/* The queues that it names are there, each once. */
static void check_queues(const struct mdl_workers_cfg *w, struct sq_where where, const char *path,
                         struct sq_diag *diag)
{
    if (w->queue.count == 0) {
        sq_diag_error(diag, where, path, "name a queue", "queue is empty");
    }
    for (size_t i = 0; i < w->queue.count; i++) {
        const struct sq_ref *ref = sq_list_at(&w->queue, i);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(((const struct sq_ref *)sq_list_at(&w->queue, k))->name, ref->name) == 0) {
                sq_diag_error(diag, ref->where, path, "name each queue once",
                              "the queue `%s` stands in the list twice", ref->name);
            }
        }
    }
}

/* Keys that contradict each other, or do nothing for want of another. */
static void check_together(const struct mdl_workers_cfg *w, const struct sq_node *node,
                           const char *path, struct sq_diag *diag)
{
    if (w->batch != NULL && w->retry != NULL && w->retry->held_by == MDL_HELD_SLOT) {
        sq_diag_error(diag, sq_node_get(node, "batch")->where, path,
                      "use held_by: worker-memory or broker",
                      "a job of a batch has no slot of its own to sleep in (held_by: slot)");
    }
    if (w->memory != SQ_UNLIMITED && w->job_memory > w->memory) {
        sq_diag_error(diag, sq_node_get(node, "memory")->where, path, NULL,
                      "job_memory is larger than memory: the first job would crash its replica");
    }
}

/* Slots and prefetched jobs of as many replicas as there may ever be, all of which ask for jobs. */
static void check_slots(const struct mdl_workers_cfg *w, const struct sq_node *node,
                        const char *path, struct sq_diag *diag)
{
    const struct sq_block *scaler = w->autoscaler.kind != NULL ? &w->autoscaler : NULL;
    int64_t most = scaler != NULL ? mdl_scaler_common(scaler)->max : 0;
    double replicas = (double)sq_max_i64(w->replicas, most);
    if (replicas * ((double)w->slots + (double)w->prefetch) > SQ_MAX_SLOTS) {
        sq_diag_error(diag, sq_node_get(node, "slots")->where, path, "give it fewer of either",
                      "%.0f replicas with so many slots are more than %d slots, and than jobs "
                      "there can be",
                      replicas, SQ_MAX_SLOTS);
    }
}

static void check_workers(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct mdl_workers_cfg *w = cfg;
    check_queues(w, sq_node_get(node, "queue")->where, path, diag);
    check_together(w, node, path, diag);
    check_slots(w, node, path, diag);
    if (w->crashes != NULL && mdl_dist_is_zero(&w->crashes->every)) {
        sq_diag_error(diag, sq_node_get(node, "crashes")->where, path,
                      "for example every: {kind: exponential, mean: 6h}",
                      "crashes.every is 0s: the replicas would crash as they start");
    }
}

const struct sq_table mdl_workers_table = { .type = "workers",
                                            .rows = SQ_ROWS(workers_rows),
                                            .size = sizeof(struct mdl_workers_cfg),
                                            .check = check_workers,
                                            .has_preset = true };
