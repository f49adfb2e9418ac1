/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_rows.c - how a worker pool is written. */
#include "models/entity/mdl_workers.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_scaler.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

static const char *const acknowledge_words[] = { "after", "before", NULL };

static const struct sq_field queue_element = {
    .key = "queue", .type = SQ_REF, .more = "queues", .doc = "A queue."
};

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
    SQ_ROW_LATER("batch", "Jobs delivered together."),
    SQ_ROW_MAP(struct mdl_workers_cfg, calls, "calls", &mdl_calls_element, SQ_F_OPTIONAL,
               "Dependencies called, one after the other."),
    SQ_ROW_LATER("after_success", "Whether later attempts repeat calls that succeeded."),
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
    SQ_ROW_LATER("memory", "Of a replica."),
    SQ_ROW_LATER("job_memory", "Of a leased job."),
    SQ_ROW_LATER("held_limit", "Delays one replica holds in memory."),
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

static void check_workers(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct mdl_workers_cfg *w = cfg;
    check_queues(w, sq_node_get(node, "queue")->where, path, diag);
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
