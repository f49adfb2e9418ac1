/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_world.h - one run: a scenario bound, its entities built and wired in order of name, run to
 * its end under the laws.
 *
 * A world lives on one thread. Nothing outlives mdl_world_fini but what was copied out. */
#ifndef MDL_WORLD_H
#define MDL_WORLD_H

#include "models/entity/mdl_autoscaler.h"
#include "models/entity/mdl_client.h"
#include "models/mdl_scenario.h"

struct mdl_probe;

/* Events between checks of the laws: all of them in debug builds. */
#ifdef SQ_DEBUG
#define MDL_CHECK_EVERY 1
#else
#define MDL_CHECK_EVERY 1024
#endif

struct mdl_world {
    struct mdl_ctx ctx;
    const struct mdl_scenario *scenario;
    uint64_t replication;
    struct mdl_root_cfg cfg;  /* of this run: `set` actions write here */
    struct mdl_tables tables; /* of distributions: those that `set` actions made necessary */
    size_t producer_count, client_count, queue_count, pool_count, dependency_count, scaler_count;
    struct mdl_producer *producers; /* each kind in order of name */
    struct mdl_client *clients;
    struct mdl_queue *queues;
    struct mdl_workers *pools;
    struct mdl_dependency *dependencies;
    struct mdl_autoscaler *scalers;
    struct mdl_operator operator_;
    uint16_t clock; /* the actor of DRAIN, END, T1, MEASURE, BASELINE */
    struct mdl_probe *probe;
    const char *broken; /* which law does not hold, or NULL */
};

/* Builds the world of one replication (from 1) and posts its first events. */
enum sq_status mdl_world_init(struct mdl_world *w, const struct mdl_scenario *s,
                              uint64_t replication) SQ_MUST_USE;
void mdl_world_fini(struct mdl_world *w);

/* Runs to the end. `check_every`: events between checks of the laws. SQ_BROKEN: w->broken says
 * which. SQ_LIMIT, SQ_NOMEM: the text is in `diag`. */
enum sq_status mdl_world_run(struct mdl_world *w, uint32_t check_every, bool (*stop)(void),
                             struct sq_diag *diag) SQ_MUST_USE;

/* The laws as far as they hold at any instant; the name of a broken one, or NULL. */
const char *mdl_laws_check(const struct mdl_world *w);

/* The laws of a finished run. */
const char *mdl_laws_end(const struct mdl_world *w);

#endif
