/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario.h - a scenario file as a whole: read, variants and --set merged, checked.
 *
 * The effective scenario is a tree with every default written out. Each run binds it anew
 * (mdl_scenario_bind), because `set` actions change the configuration of their run. Traces are read
 * once and shared. Everything lives in the arena until mdl_scenario_fini; after loading it is
 * read-only and may be used from several threads. */
#ifndef MDL_SCENARIO_H
#define MDL_SCENARIO_H

#include "models/entity/mdl_client.h"
#include "models/entity/mdl_dependency.h"
#include "models/entity/mdl_operator.h"
#include "models/entity/mdl_producer.h"
#include "models/entity/mdl_queue.h"
#include "models/entity/mdl_workers.h"
#include "models/mdl_expect_cfg.h"
#include "models/policy/mdl_dist.h"

struct mdl_health_cfg {
    sq_time_t t1, window, settle; /* t1 SQ_NEVER: the end of the last planned outage */
    double failure_share;         /* NaN: from the baseline */
    int64_t backlog;              /* -1: from the baseline */
};

struct mdl_root_cfg {
    int64_t squall, runs;
    uint64_t seed;
    const char *title, *notes;
    sq_time_t duration, tail, timeline, measure_from;
    struct mdl_health_cfg *health;
    struct sq_map producers, clients, queues, workers, dependencies; /* of their cfg structs */
    struct sq_map controls;                                          /* of struct mdl_control_cfg */
    struct sq_list actions;                                          /* of struct mdl_action_cfg */
    struct sq_list expect;                                           /* of struct mdl_expect_cfg */
    struct sq_map allow;
    const struct sq_node *presets, *variants;
};
extern const struct sq_table mdl_root_table;

/* What the command line asks for. */
struct mdl_ask {
    const char *file;
    const char *variant; /* NULL: base */
    const char *const *sets;
    size_t set_count;
    uint64_t seed;
    bool has_seed; /* else the file's */
    int64_t runs;  /* -1: as in the file */
    /* Another variant of the same file, already loaded: then the file is known to be right, and
     * traces are shared, so that it must outlive this one. NULL: none. */
    const struct mdl_scenario *like;
};

struct mdl_scenario {
    struct sq_arena arena;
    const char *file, *variant;
    struct sq_node *tree;    /* effective */
    struct mdl_root_cfg cfg; /* bound once, for everything that does not change */
    const char *echo;        /* the effective scenario as YAML, with the seed and runs asked for */
    char hash[17];           /* of the echo, with the seed and runs of the file */
    size_t variant_count;
    const char **variants;    /* names, in file order, without base */
    struct sq_trace **traces; /* by producer, then client, in file order; NULL: none */
    struct mdl_tables tables; /* of distributions, shared by all runs */
    sq_time_t t1;             /* SQ_NEVER: none */
    sq_time_t t0;             /* end of the baseline; SQ_NEVER: none */
};

/* Reads, merges and checks. The base and every variant are checked, whichever is asked for. */
enum sq_status mdl_scenario_load(struct mdl_scenario *s, const struct mdl_ask *ask,
                                 struct sq_diag *diag) SQ_MUST_USE;
void mdl_scenario_fini(struct mdl_scenario *s);

/* The configuration of one run, in its arena; its distributions are not prepared yet. Fails only
 * for lack of memory. */
enum sq_status mdl_scenario_bind(const struct mdl_scenario *s, struct sq_arena *arena,
                                 struct mdl_root_cfg *out) SQ_MUST_USE;

/* References resolve, names are unique, sizes are sane; at the places of the tree. */
void mdl_scenario_check(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                        const struct sq_conf *conf);

/* Of queues: names of others, and keys that mean something only together. */
void mdl_scenario_check_brokers(const struct mdl_root_cfg *cfg, const struct sq_conf *conf);

/* Tells retry layers with backoff lease how long the leases of their queues are. */
void mdl_scenario_set_leases(const struct mdl_root_cfg *cfg);

/* Reads the files of arrivals of kind trace, or takes them from the scenario `like` (may be NULL).
 */
enum sq_status mdl_scenario_traces(struct mdl_scenario *s, const struct mdl_scenario *like,
                                   struct sq_diag *diag) SQ_MUST_USE;

/* Dependencies do not call each other in a circle. */
void mdl_scenario_check_graph(const struct mdl_root_cfg *cfg, const struct sq_conf *conf);

#endif
