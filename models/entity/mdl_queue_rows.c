/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_rows.c - the keys of a queue. */
#include "models/entity/mdl_queue.h"
#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

static const char *const receives_words[] = { "all", "undeferred", NULL };
static const char *const overflow_words[] = { "drop-new", "drop-oldest", "block", NULL };
static const char *const retry_words[] = { "same-message", "new-message", NULL };
static const char *const requeue_words[] = { "tail", "head", NULL };

static const struct sq_field dedup_rows[] = {
    SQ_ROW_TIME(struct mdl_dedup_cfg, keep, "for", NULL, SQ_F_STAR,
                "How long it is known that a key was completed."),
};
static const struct sq_table dedup_table = { .type = "dedup_window",
                                             .rows = SQ_ROWS(dedup_rows),
                                             .size = sizeof(struct mdl_dedup_cfg) };

static const struct sq_field dead_letter_rows[] = {
    SQ_ROW_TIME(struct mdl_dead_letter_cfg, retention, "retention", "unlimited",
                SQ_F_STAR | SQ_F_UNLIMITED, "Older dead letters cannot be redriven."),
};
static const struct sq_table dead_letter_table = { .type = "dead_letter",
                                                   .rows = SQ_ROWS(dead_letter_rows),
                                                   .size = sizeof(struct mdl_dead_letter_cfg) };

static const struct sq_field queue_rows[] = {
    SQ_ROW_BLOCK(struct mdl_queue_cfg, discipline, "discipline", "fifo", &mdl_discipline_family, 0,
                 "Order of the ready jobs."),
    SQ_ROW_AMOUNT(struct mdl_queue_cfg, capacity, "capacity", "unlimited", 1,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Bound on ready and delayed jobs, for new ones."),
    SQ_ROW_CHOICE(struct mdl_queue_cfg, overflow, "overflow", "drop-new", overflow_words, 0,
                  "What happens beyond it; block: the producer offers the job again every 1s."),
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
    SQ_ROW_CHOICE(struct mdl_queue_cfg, retry_as, "retry_as", "same-message", retry_words, 0,
                  "new-message: a scheduled retry starts with receive count 0 and a fresh lease."),
    SQ_ROW_CHOICE(struct mdl_queue_cfg, requeue, "requeue", "tail", requeue_words, 0,
                  "Where redelivered jobs re-enter."),
    SQ_ROW_BLOCK(struct mdl_queue_cfg, poll, "poll", "0s", &mdl_dist_family, 0,
                 "Gaps between polls that release what is due in one batch; 0s: each when due."),
    SQ_ROW_REF(struct mdl_queue_cfg, retry_queue, "retry_queue", "queues", SQ_F_OPTIONAL,
               "Where due retries become ready; the queue itself by default."),
    SQ_ROW_GROUP(struct mdl_queue_cfg, dedup_window, "dedup_window", NULL, &dedup_table,
                 SQ_F_OPTIONAL | SQ_F_NONE,
                 "A job whose key was completed within this time is acknowledged without a call."),
    SQ_ROW_GROUP(struct mdl_queue_cfg, dead_letter, "dead_letter", NULL, &dead_letter_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "How long dead letters are kept."),
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
