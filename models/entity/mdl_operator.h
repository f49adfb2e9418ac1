/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_operator.h - what people do while the world runs (SCENARIO 10): `set` writes a value into the
 * configuration of the run and tells its entity, which goes on from its present state; the other
 * verbs are messages to entities. */
#ifndef MDL_OPERATOR_H
#define MDL_OPERATOR_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_conf.h"

struct mdl_purge_cfg {
    struct sq_ref queue;
    int64_t keep;
    struct sq_list parts; /* of int: ready, delayed */
};
struct mdl_deploy_cfg {
    struct sq_ref workers;
    double at_once;
};
struct mdl_redrive_cfg {
    struct sq_ref queue;
    double rate;   /* per second; infinite: all at once */
    int64_t limit; /* SQ_UNLIMITED: all */
};
struct mdl_action_cfg {
    sq_time_t at;
    struct sq_map set;            /* path -> const struct sq_node * */
    struct sq_map burst;          /* producer or client -> int64_t */
    struct sq_list pause, resume; /* of const char *: entities */
    struct mdl_purge_cfg *purge;
    struct mdl_deploy_cfg *deploy;
    struct mdl_redrive_cfg *redrive;
    const char *note;
};
extern const struct sq_field mdl_action_element;

/* One assignment, resolved when the world is built. */
struct mdl_assignment {
    uint32_t action;
    struct sq_place place;
    uint16_t entity;
    bool arrivals; /* it changes when jobs arrive */
    const struct sq_node *value;
    const char *path;
};

/* One message of another verb, resolved likewise. */
struct mdl_order {
    uint32_t action;
    uint16_t entity;
    enum mdl_event kind;
    unsigned extra;
    uint32_t slot;
};

struct mdl_operator {
    struct mdl_ctx *ctx;
    uint16_t id;
    const struct sq_list *actions; /* of struct mdl_action_cfg */
    size_t assignment_count;
    struct mdl_assignment *assignments;
    size_t order_count;
    struct mdl_order *orders;
    /* Makes what values are sampled from anew, after a `set` and before its entity hears of it. */
    enum sq_status (*prepare)(void *world);
    void *world;
    struct sq_diag diag; /* of values that were checked before: stays empty */
};

enum sq_status mdl_operator_init(struct mdl_operator *o, struct mdl_ctx *ctx,
                                 const struct sq_list *actions) SQ_MUST_USE;
/* `assignments`, `orders` and `prepare` must be set. */
void mdl_operator_start(struct mdl_operator *o);
void mdl_operator_fini(struct mdl_operator *o);

static inline const struct mdl_action_cfg *mdl_action_at(const struct sq_list *actions, size_t i)
{
    return sq_list_at(actions, i);
}

#endif
