/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay_in.h - the parts of a replay, for its own files: the log, the control, and what the
 * control says to each event. */
#ifndef MDL_REPLAY_IN_H
#define MDL_REPLAY_IN_H

#include "models/advice/mdl_replay.h"
#include "models/part/mdl_words.h"
#include "models/policy/mdl_breaker.h"
#include "sim/base/sq_mem.h"
#include "sim/conf/sq_preset.h"

/* ---- the log: mdl_replay_log.c ---- */

enum replay_what { REPLAY_END, REPLAY_START, REPLAY_RETRY }; /* in their order at one instant */

struct replay_event {
    sq_time_t at, took; /* took: of an end */
    enum replay_what what;
    enum mdl_error kind;
    uint32_t call;  /* which call this is, from 0 */
    uint32_t order; /* in the file */
    const char *id;
};

struct replay_log {
    struct replay_event *events; /* in order of time */
    size_t count;
    uint32_t calls;
};

enum sq_status replay_read(struct replay_log *log, const char *file, struct sq_arena *arena,
                           struct sq_diag *diag) SQ_MUST_USE;

/* ---- the control: mdl_replay_control.c ---- */

enum replay_type { REPLAY_BREAKER, REPLAY_BUDGET, REPLAY_RATE, REPLAY_RAMP, REPLAY_TYPES };

struct replay_control {
    struct sq_presets presets;
    enum replay_type type;
    struct mdl_breaker_cfg *breaker;
    struct sq_block block; /* the others */
};

enum sq_status replay_control_read(struct replay_control *c, const char *text,
                                   struct sq_arena *arena, struct sq_diag *diag) SQ_MUST_USE;

/* ---- what it does: mdl_replay_acts.c ---- */

enum replay_decision { REPLAY_NOTHING, REPLAY_PASS, REPLAY_REFUSE, REPLAY_WAIT, REPLAY_LEFT_OUT };

/* A call on its way. */
struct replay_call {
    sq_time_t left;
    uint32_t age;   /* of the breaker */
    bool under_way; /* it was let through and has not ended */
    bool retry;     /* a budget granted it ... */
    uint8_t fault;  /* ... after such a failure */
};

struct replay_acts {
    const char *columns; /* behind the decision, with a comma before each */
    enum sq_status (*open)(void *self, const struct replay_control *c, struct sq_arena *arena);
    void (*close)(void *self);
    void (*advance)(void *self, sq_time_t now);
    enum replay_decision (*ask)(void *self, const struct replay_event *e, struct replay_call *c);
    void (*end)(void *self, const struct replay_event *e, struct replay_call *c);
    void (*show)(void *self, sq_time_t now, struct sq_buf *out);
    const char *(*state)(void *self); /* in a word */
    bool waits_leave;                 /* one that waits leaves later all the same */
    const char *usual;                /* the state in which nothing is wrong; NULL: it has none */
    bool (*failed)(const void *self); /* out of memory */
    size_t size;
};
extern const struct replay_acts replay_acts[REPLAY_TYPES];

/* A time in seconds, to the nanosecond. */
void replay_put_time(struct sq_buf *out, sq_time_t t);

#endif
