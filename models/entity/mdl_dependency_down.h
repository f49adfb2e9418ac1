/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_down.h - outages and collapse of a dependency: part of mdl_dependency.c, not for
 * others. */
#ifndef MDL_DEPENDENCY_DOWN_H
#define MDL_DEPENDENCY_DOWN_H

#include "models/entity/mdl_dependency.h"

/* Posts the planned outages and the first of each random series. SQ_NOMEM. */
enum sq_status mdl_down_open(struct mdl_dependency *d) SQ_MUST_USE;

void mdl_down_outage(struct mdl_dependency *d, uint32_t index);
void mdl_down_over(struct mdl_dependency *d, uint32_t index);

/* The load changed: starts or clears the overload clock. */
void mdl_down_watch(struct mdl_dependency *d);
void mdl_down_trip(struct mdl_dependency *d, uint64_t seq);
void mdl_down_return(struct mdl_dependency *d);

/* How outages of kind errors make this call fail: on arrival, those that say when the answer comes
 * (`answer_in`), or after service the others. MDL_ERR_OK: not at all. */
enum mdl_error mdl_down_error(const struct mdl_dependency *d, const struct mdl_call *call,
                              bool arrival, sq_time_t *answer_in);

/* Down or collapsed: new calls are refused. */
static inline bool mdl_down_refuses(const struct mdl_dependency *d)
{
    return d->downs > 0 || d->collapsed;
}

/* An answer leaves for the caller now: network, then ANSWER. In mdl_dependency.c. */
void mdl_dependency_answer(struct mdl_dependency *d, uint32_t call, enum mdl_error outcome);

/* Lets go of a call that gets no answer. In mdl_dependency.c. */
void mdl_dependency_forget(void *d, uint32_t call);

#endif
