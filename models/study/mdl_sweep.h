/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sweep.h - a scenario at every combination of the values of some keys, or a part of them.
 *
 * All cells are read, and all their mistakes noted, before anything runs. A finished cell is a file
 * at once (sq_grid_files.h), and is not run again when the same sweep is started anew with the same
 * folder: what is lost by a kill are the cells in hand. */
#ifndef MDL_SWEEP_H
#define MDL_SWEEP_H

#include "models/study/mdl_cell.h"
#include "models/study/mdl_shard.h"

struct mdl_sweep_ask {
    struct mdl_ask scenario;
    const char *const *vary; /* "KEY=V1,V2,..." */
    size_t vary_count;
    const char *metrics;                  /* "A,B": the only ones that are kept; NULL: all */
    const char *(*env)(const char *name); /* looks up a variable of the environment */
    struct mdl_shard shard;
    const char *folder; /* a shard has a folder of its own in it: shard-3-of-8 */
    unsigned threads;
    uint32_t check_every;
    bool (*stop)(void);
    bool shows; /* how far it is, on a terminal */
};

struct mdl_sweep {
    struct sq_grid grid;
    struct mdl_scenario base;
    const char *folder; /* of this shard */
    const char *csv;    /* the path of sweep.csv, or NULL */
    size_t kept;        /* cells that were finished before */
};

/* Reads everything and makes the folder. SQ_USER with what is wrong, the folder of another sweep
 * included. */
enum sq_status mdl_sweep_open(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                              struct sq_diag *diag) SQ_MUST_USE;
void mdl_sweep_fini(struct mdl_sweep *s); /* also after failure */

/* Runs what is not there yet. Statuses of mdl_runs; also after SQ_STOPPED the finished cells are in
 * the grid. */
enum sq_status mdl_sweep_run(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                             struct sq_diag *diag) SQ_MUST_USE;

/* Puts the shards of one sweep together: the same bytes as of the whole. A folder is that of a
 * shard, or holds folders of shards. SQ_USER, each by its name: a cell that is missing or there
 * twice, a shard of another sweep. */
enum sq_status mdl_merge(struct mdl_sweep *s, const char *const *folders, size_t count,
                         const char *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
