/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_calendar.h - outages and the rule by which a dependency collapses under its load,
 * as written (SCENARIO 7). What they do is in the dependency entity. */
#ifndef MDL_CALENDAR_H
#define MDL_CALENDAR_H

#include "models/part/mdl_words.h"
#include "sim/base/sq_mem.h"
#include "sim/conf/sq_field.h"
#include "sim/core/sq_dist.h"

extern const struct sq_family mdl_outage_family;
extern const struct sq_table mdl_overload_table;

enum mdl_outage_kind {
    MDL_OUTAGE_DOWN,     /* calls inside fail with reset, new ones with unavailable */
    MDL_OUTAGE_HANG,     /* no answers; calls held go on afterwards, or are lost */
    MDL_OUTAGE_SLOW,     /* services that start meanwhile take `factor` times as long */
    MDL_OUTAGE_ERRORS,   /* a share of the calls fails */
    MDL_OUTAGE_BROWNOUT, /* a share of the servers takes new work */
};

/* What every kind of outage starts with. In effect on [start, start + length). Planned: `at` is the
 * start. Random (`every` given): the k-th gap runs from the end of the one before (from time 0). */
struct mdl_outage_cfg {
    sq_time_t at;           /* SQ_NEVER: random */
    struct sq_block every;  /* kind NULL: planned */
    struct sq_block length; /* `for`; planned: a constant */
    int64_t nodes;          /* -1: all */
    sq_time_t answer_in;    /* down, errors. SQ_NEVER: the dependency's, after service */
};

struct mdl_overload_cfg {
    int64_t in_flight, waiting; /* -1: another one is given */
    double offered;             /* per second; NaN: another one is given */
    sq_time_t hold;             /* `for` */
    struct sq_block down_for;
    sq_time_t answer_in; /* SQ_NEVER: the dependency's */
    int per;             /* enum mdl_per */
    bool repeat;
};
enum mdl_per { MDL_PER_DEPENDENCY, MDL_PER_NODE };

/* Of an entry of `outages`. */
const struct mdl_outage_cfg *mdl_outage_at(const struct sq_list *outages, size_t i);
enum mdl_outage_kind mdl_outage_kind(const struct sq_list *outages, size_t i);
double mdl_outage_amount(const struct sq_list *outages, size_t i); /* factor, ratio or capacity */
enum mdl_error mdl_outage_error(const struct sq_list *outages, size_t i); /* errors */
bool mdl_outage_loses(const struct sq_list *outages, size_t i);           /* hang */

static inline bool mdl_outage_is_planned(const struct mdl_outage_cfg *o)
{
    return o->every.kind == NULL;
}

/* Length and end of a planned one. */
sq_time_t mdl_outage_length(const struct mdl_outage_cfg *o);
sq_time_t mdl_outage_over(const struct mdl_outage_cfg *o);

/* Reports planned `down` and `hang` outages that overlap. */
void mdl_outages_check(const struct sq_list *outages, const struct sq_node *node, const char *path,
                       struct sq_diag *diag);

#endif
