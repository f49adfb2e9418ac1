/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_words.h - the words for how jobs and calls end, and the semantic records: what happened in a
 * run, as metrics, laws and the run hash see it. */
#ifndef MDL_WORDS_H
#define MDL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* How a job ends: exactly once (SCENARIO 12.2). */
#define MDL_ENDS(X)                   \
    X(COMPLETED, "completed")         \
    X(STALE, "stale")                 \
    X(SUPERSEDED, "superseded")       \
    X(DEAD_LETTERED, "dead_lettered") \
    X(DROPPED, "dropped")             \
    X(LOST, "lost")
enum mdl_end {
#define MDL_END_ENUM(name, word) MDL_END_##name,
    MDL_ENDS(MDL_END_ENUM)
#undef MDL_END_ENUM
        MDL_END_COUNT
};

/* How a call ends (SCENARIO 6 "error kind"). OK is success. */
#define MDL_ERRORS(X)               \
    X(OK, "ok")                     \
    X(REFUSED, "refused")           \
    X(RATE_LIMITED, "rate-limited") \
    X(UNAVAILABLE, "unavailable")   \
    X(RESET, "reset")               \
    X(TIMEOUT, "timeout")           \
    X(ERROR, "error")               \
    X(CONFLICT, "conflict")         \
    X(THROTTLED, "throttled")       \
    X(BREAKER_OPEN, "breaker-open") \
    X(PERMANENT, "permanent")       \
    X(CANCELLED, "cancelled")
enum mdl_error {
#define MDL_ERROR_ENUM(name, word) MDL_ERR_##name,
    MDL_ERRORS(MDL_ERROR_ENUM)
#undef MDL_ERROR_ENUM
        MDL_ERROR_COUNT
};
const char *mdl_error_name(enum mdl_error e);
/* MDL_ERROR_COUNT when there is none of the name. */
enum mdl_error mdl_error_find(const char *word);
/* A failing answer that a dependency can give. */
bool mdl_error_is_answer(enum mdl_error e);
const char *mdl_end_name(enum mdl_end e);

/* Where a call that left its caller is. */
enum mdl_place {
    MDL_PLACE_OUT,  /* on its way, there or back */
    MDL_PLACE_LINE, /* in the waiting room */
    MDL_PLACE_SERVER,
    MDL_PLACE_HOLDS,   /* served; holds its server for the calls made on its behalf */
    MDL_PLACE_OVER,    /* these are over while it hangs: `outcome` is still to be told */
    MDL_PLACE_DROPPED, /* let go; its ABANDON message is still to come */
};

/* What happened, for metrics, laws and the run hash. X(NAME, doc) */
#define MDL_RECORDS(X)                                                                   \
    X(JOB_ARRIVED, "a job was created")                                                  \
    X(JOB_READY, "a job became ready")                                                   \
    X(JOB_DELIVERED, "a queue handed a job out; value: ns it had been ready")            \
    X(JOB_RETRY, "a job was delayed for a retry; value: delay")                          \
    X(JOB_DEFERRED, "a job was turned away by a control and goes back; value: delay")    \
    X(JOB_REDELIVERED, "a job came back undone; value 1: a copy of it")                  \
    X(JOB_ENDED, "a job ended; outcome: enum mdl_end; value: its age")                   \
    X(ATTEMPT, "an attempt began")                                                       \
    X(CALL_LEFT, "a call left its caller; outcome 1: first")                             \
    X(CALL_ENDED, "a caller learned the outcome; value: ns since it left")               \
    X(CALL_WASTED, "a server finished a call nobody waits for")                          \
    X(THROTTLED, "a control turned a call away; outcome: 0 deferred, 1 waits, 2 failed") \
    X(RAMP_START, "a ramp starts; outcome 1: at the bottom because of trouble")          \
    X(RAMP_STEP, "a ramp reaches a step; value: limit")                                  \
    X(OUTAGE, "an outage starts; outcome: kind; value: index")                           \
    X(OUTAGE_OVER, "an outage ends")                                                     \
    X(COLLAPSE, "a dependency collapses under its load")                                 \
    X(COLLAPSE_OVER, "a collapsed dependency returns")                                   \
    X(WANTED, "the wanted number of replicas changed; value: number")                    \
    X(REPLICA_READY, "a replica is ready")                                               \
    X(REPLICA_GONE, "a replica is gone; outcome 1: it crashed")                          \
    X(ACTION, "an operator acted; value: index")                                         \
    X(NODE_OUT, "a probe takes a node out; value: its number, from 0")                   \
    X(NODE_IN, "a probe takes a node in again; value: its number")                       \
    X(CALL_REPEATED, "a call was executed again: a duplicate effect; not in the hash")   \
    X(BREAKER, "a breaker changed; outcome: its state; value: times opened")             \
    X(DENIED, "a budget refused; outcome 0: a retry, 1: a call")                         \
    X(GATE, "the gate of a pool's autoscaler closes (outcome 1) or opens; value: busy, ppm")

/* What the extra of a message says: why a job is delayed; beside an end, that it is acknowledged as
 * completed before by its key; how a control turns a call away. */
enum mdl_delay { MDL_DELAY_RETRY, MDL_DELAY_DEFERRED, MDL_DELAY_PARKED };
enum { MDL_SETTLE_REPEATED = 128 };
enum mdl_turned {
    MDL_TURNED_DEFER,
    MDL_TURNED_FAIL,
    MDL_TURNED_STALE,
    MDL_TURNED_OPEN,
    MDL_TURNED_PAUSE
};

enum mdl_record {
#define MDL_RECORD_ENUM(name, doc) MDL_REC_##name,
    MDL_RECORDS(MDL_RECORD_ENUM)
#undef MDL_RECORD_ENUM
        MDL_RECORD_COUNT
};
_Static_assert(MDL_RECORD_COUNT <= 32, "sets of kinds fit into 32 bits");

struct mdl_rec {
    enum mdl_record kind;
    uint16_t entity;        /* actor */
    uint8_t outcome, flags; /* flags: of the job or call */
    uint16_t producer;
    uint32_t attempt;
    uint64_t ordinal;
    int64_t value;
};

#endif
