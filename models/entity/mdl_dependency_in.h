/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_in.h - what the files of the dependency entity ask of each other; not for others.
 */
#ifndef MDL_DEPENDENCY_IN_H
#define MDL_DEPENDENCY_IN_H

#include "models/entity/mdl_dependency.h"

/* ---- going down and coming back: mdl_dependency_down.c ---- */

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

/* ---- calls of its own: mdl_dependency_calls.c ---- */

static inline bool mdl_inner_exists(const struct mdl_dependency *d)
{
    return d->caller.entry_count > 0;
}

/* The own service of a call is over: it holds its server while the calls are made. */
void mdl_inner_start(struct mdl_dependency *d, uint32_t call);

/* One of the events of a caller. */
void mdl_inner_event(struct mdl_dependency *d, struct sq_msg m, uint64_t seq);

/* The call is thrown out or dropped: what is under way on its behalf is cancelled. */
void mdl_inner_abort(struct mdl_dependency *d, uint32_t call);

/* It hung and goes on. */
void mdl_inner_go_on(struct mdl_dependency *d);

/* The service of a call is over with all its calls: its server is free already. In
 * mdl_dependency.c. */
void mdl_dependency_done(struct mdl_dependency *d, uint32_t call, enum mdl_error outcome);

#endif
