/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_calendar.h - planned outages and the rule by which a dependency collapses under its load,
 * as written (SCENARIO 7). What they do is in the dependency entity. */
#ifndef MDL_CALENDAR_H
#define MDL_CALENDAR_H

#include "sim/base/sq_mem.h"
#include "sim/conf/sq_field.h"
#include "sim/core/sq_dist.h"

extern const struct sq_family mdl_outage_family;
extern const struct sq_table mdl_overload_table;

/* What every kind of outage starts with. In effect on [at, at + length). */
struct mdl_outage_cfg {
    sq_time_t at;
    struct sq_block length; /* `for`: a constant */
    sq_time_t answer_in;    /* SQ_NEVER: the dependency's */
};

struct mdl_overload_cfg {
    int64_t in_flight, waiting; /* -1: the other one is given */
    sq_time_t hold;             /* `for` */
    struct sq_block down_for;
    sq_time_t answer_in; /* SQ_NEVER: the dependency's */
    bool repeat;
};

sq_time_t mdl_outage_length(const struct mdl_outage_cfg *o);

/* Reports planned `down` outages that overlap. */
void mdl_outages_check(const struct sq_list *outages, const struct sq_node *node, const char *path,
                       struct sq_diag *diag);

#endif
