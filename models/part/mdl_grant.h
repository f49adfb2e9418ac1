/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_grant.h - what a retry that has not left yet holds of a budget: its place, or the duty to ask
 * for one when it is to be sent. Of a call layer it stands in the run, of a job layer beside the
 * job (mdl_ctx.grants), whose table is made when the first one is kept. */
#ifndef MDL_GRANT_H
#define MDL_GRANT_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_budgets;
struct mdl_budget_state;

struct mdl_grant {
    struct mdl_budgets *of;         /* NULL: nothing is held */
    struct mdl_budget_state *state; /* where */
    uint8_t fault, error;           /* of the failure before */
    bool asks;                      /* it is still to ask */
};

struct mdl_grants {
    struct mdl_grant *jobs; /* by slot */
    uint32_t size;
};

/* The job in this slot has ended: its place is free. */
void mdl_grants_drop(struct mdl_grants *g, uint32_t job);

#endif
