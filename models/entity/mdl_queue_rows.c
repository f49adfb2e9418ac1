/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_rows.c - the keys of a queue. */
#include "models/entity/mdl_queue.h"
#include "sim/conf/sq_rows.h"

static const char *const receives_words[] = { "all", "undeferred", NULL };
static const char *const requeue_words[] = { "tail", "head", NULL };

static const struct sq_field queue_rows[] = {
    SQ_ROW_BLOCK(struct mdl_queue_cfg, discipline, "discipline", "fifo", &mdl_discipline_family, 0,
                 "Order of the ready jobs."),
    SQ_ROW_LATER("capacity", "Bound on ready and delayed jobs."),
    SQ_ROW_LATER("overflow", "What happens beyond it."),
    SQ_ROW_TIME(struct mdl_queue_cfg, visibility_timeout, "visibility_timeout", "none",
                SQ_F_NONE | SQ_F_LIVE,
                "Lease of each delivery; none: the broker notices a lost connection at once."),
    SQ_ROW_BOOL(struct mdl_queue_cfg, renew, "renew", "false", 0,
                "Live replicas renew their leases: only a crash lets one expire."),
    SQ_ROW_TIME(struct mdl_queue_cfg, sweep, "sweep", "0s", 0,
                "Expired leases are noticed at multiples of this."),
    SQ_ROW_AMOUNT(struct mdl_queue_cfg, max_receives, "max_receives", "unlimited", 1,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Deliveries; one more dead-letters the job instead."),
    SQ_ROW_CHOICE(struct mdl_queue_cfg, receives_count, "receives_count", "undeferred",
                  receives_words, 0, "Whether deliveries that ended in a deferral count."),
    SQ_ROW_LATER("retry_as", "Whether a scheduled retry is the same message."),
    SQ_ROW_CHOICE(struct mdl_queue_cfg, requeue, "requeue", "tail", requeue_words, 0,
                  "Where redelivered jobs re-enter."),
    SQ_ROW_LATER("poll", "Gaps between polls that release due jobs."),
    SQ_ROW_LATER("retry_queue", "Where due retries become ready."),
    SQ_ROW_LATER("dedup_window", "Jobs whose key was completed lately are acknowledged."),
    SQ_ROW_LATER("dead_letter", "How long dead letters are kept."),
};

static void check_queue(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct mdl_queue_cfg *q = cfg;
    if (q->visibility_timeout == 0) {
        sq_diag_error(diag, sq_node_get(node, "visibility_timeout")->where, path,
                      "for example visibility_timeout: 30s, or none",
                      "visibility_timeout is 0s: every lease would end as it begins");
    }
}

const struct sq_table mdl_queue_table = { .type = "queue",
                                          .rows = SQ_ROWS(queue_rows),
                                          .size = sizeof(struct mdl_queue_cfg),
                                          .check = check_queue,
                                          .has_preset = true };
