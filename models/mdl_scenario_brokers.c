/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario_brokers.c - what rows of queues cannot say: names of other queues, and keys that
 * mean something only together. */
#include "models/mdl_scenario.h"

#include "models/policy/mdl_backoff.h"

#include <string.h>

static void check_retry_queue(const struct mdl_root_cfg *cfg, const struct sq_conf *conf, size_t i)
{
    const struct mdl_queue_cfg *q = sq_map_at(&cfg->queues, i);
    const char *name = q->retry_queue.name;
    if (name == NULL || sq_map_find(&cfg->queues, name) >= 0) {
        return;
    }
    const char *close = sq_diag_closest(name, cfg->queues.names, cfg->queues.count);
    sq_diag_error(conf->diag, q->retry_queue.where,
                  sq_arena_printf(conf->arena, "queues.%s.retry_queue", cfg->queues.names[i]),
                  close != NULL ? sq_arena_printf(conf->arena, "did you mean `%s`?", close) : NULL,
                  "there is no queue `%s`", name);
}

/* Without keys there is nothing to know again. */
static void check_dedup(const struct mdl_root_cfg *cfg, const struct sq_conf *conf, size_t i)
{
    const struct mdl_queue_cfg *q = sq_map_at(&cfg->queues, i);
    if (q->dedup_window == NULL) {
        return;
    }
    for (size_t k = 0; k < cfg->producers.count; k++) {
        const struct mdl_producer_cfg *p = sq_map_at(&cfg->producers, k);
        if (p->supersede != NULL && strcmp(p->queue.name, cfg->queues.names[i]) == 0) {
            return;
        }
    }
    sq_diag_error(conf->diag, cfg->queues.where[i],
                  sq_arena_printf(conf->arena, "queues.%s.dedup_window", cfg->queues.names[i]),
                  "give a producer of this queue a `supersede`, such as supersede: 1000",
                  "no job of this queue has a key that could be known again");
}

static bool waits_for_its_lease(const struct mdl_retry_cfg *retry)
{
    return retry != NULL && mdl_backoff_is_lease(&retry->backoff);
}

/* Backoff lease is for workers whose queues lease what they deliver. */
static void check_lease_backoff(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, i);
        if (waits_for_its_lease(w->retry) && w->acknowledge == MDL_ACK_BEFORE) {
            sq_diag_error(
                conf->diag, w->retry->backoff.node->where,
                sq_arena_printf(conf->arena, "workers.%s.retry.backoff", cfg->workers.names[i]),
                "write acknowledge: after, or another backoff",
                "backoff lease waits for the end of a lease, and with acknowledge: before it is "
                "over "
                "when the job runs");
        }
        for (size_t k = 0; waits_for_its_lease(w->retry) && k < w->queue.count; k++) {
            const struct sq_ref *ref = sq_list_at(&w->queue, k);
            int at = sq_map_find(&cfg->queues, ref->name);
            const struct mdl_queue_cfg *q = at >= 0 ? sq_map_at(&cfg->queues, (size_t)at) : NULL;
            if (q != NULL && q->visibility_timeout == SQ_NEVER) {
                sq_diag_error(
                    conf->diag, w->retry->backoff.node->where,
                    sq_arena_printf(conf->arena, "workers.%s.retry.backoff", cfg->workers.names[i]),
                    "give the queue a visibility_timeout",
                    "backoff lease waits for the end of a lease, and queue `%s` has none",
                    ref->name);
            }
        }
    }
    for (size_t i = 0; i < cfg->clients.count; i++) {
        const struct mdl_client_cfg *c = sq_map_at(&cfg->clients, i);
        if (waits_for_its_lease(c->retry)) {
            sq_diag_error(
                conf->diag, c->retry->backoff.node->where,
                sq_arena_printf(conf->arena, "clients.%s.retry.backoff", cfg->clients.names[i]),
                "use another backoff", "backoff lease is for workers: a client has no lease");
        }
    }
}

void mdl_scenario_check_brokers(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->queues.count; i++) {
        check_retry_queue(cfg, conf, i);
        check_dedup(cfg, conf, i);
    }
    check_lease_backoff(cfg, conf);
}

void mdl_scenario_set_leases(const struct mdl_root_cfg *cfg)
{
    for (size_t i = 0; i < cfg->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, i);
        for (size_t k = 0; waits_for_its_lease(w->retry) && k < w->queue.count; k++) {
            const struct sq_ref *ref = sq_list_at(&w->queue, k);
            int at = sq_map_find(&cfg->queues, ref->name);
            const struct mdl_queue_cfg *q = at >= 0 ? sq_map_at(&cfg->queues, (size_t)at) : NULL;
            if (q != NULL && q->visibility_timeout != SQ_NEVER) {
                w->retry->lease = sq_max_i64(w->retry->lease, q->visibility_timeout);
            }
        }
    }
}
