/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_path.h - which call is which in a service graph.
 *
 * A call is first when its job never sent it before (SCENARIO 12.3). The calls of an attempt are
 * numbered, so a job need only count how many it has sent; calls that dependencies make on behalf
 * of it are numbered below the call that they serve. A path is such a call: the one at a position
 * below its parent, or below a job (a root). It counts what was sent below it, and lives as long as
 * its job does, or as any call inside a dependency refers to it or to something below it.
 *
 * Only calls to dependencies that have calls of their own have paths; without such dependencies
 * there are none at all. */
#ifndef MDL_PATH_H
#define MDL_PATH_H

#include "sim/base/sq_mem.h"

struct mdl_path {
    uint32_t parent;      /* 0: a root */
    uint32_t child, next; /* the latest below it; the one before that */
    uint32_t position;    /* below its parent */
    uint32_t sent;        /* distinct calls ever sent below it: the next position that is first */
    uint32_t executed;    /* and executed: all before this position */
    uint32_t holds;       /* calls inside that refer to it; of a root: 1 while its job lives */
};

struct mdl_paths {
    struct sq_pool pool;
    const bool *goes_on; /* by actor: a dependency with calls of its own; NULL: there is none */
    uint32_t *roots;     /* by slot of the job, 0: none */
    uint32_t size;
};

void mdl_paths_init(struct mdl_paths *p);
void mdl_paths_fini(struct mdl_paths *p);

static inline struct mdl_path *mdl_path_at(const struct mdl_paths *p, uint32_t path)
{
    return sq_pool_at(&p->pool, path);
}

/* The root of a job; 0 when memory or a limit is exhausted. */
uint32_t mdl_path_root(struct mdl_paths *p, uint32_t job);

/* The same for a job whose slot is not its only one: the caller keeps the root and says when it is
 * over. `root`: the one it has, 0: none. */
uint32_t mdl_path_own_root(struct mdl_paths *p, uint32_t root);
uint32_t mdl_path_take_root(struct mdl_paths *p, uint32_t job);
void mdl_path_over(struct mdl_paths *p, uint32_t root);

/* The path at a position below `parent`, held once more; 0 when memory or a limit is exhausted. */
uint32_t mdl_path_take(struct mdl_paths *p, uint32_t parent, uint32_t position);

/* Holds it once more. */
static inline void mdl_path_hold(struct mdl_paths *p, uint32_t path)
{
    mdl_path_at(p, path)->holds++;
}

/* Lets go of it. */
void mdl_path_drop(struct mdl_paths *p, uint32_t path);

/* The job has ended: nothing of it is kept but what calls inside refer to. */
void mdl_path_job_over(struct mdl_paths *p, uint32_t job);

#endif
