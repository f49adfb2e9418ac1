/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_limits.h - every maximum of the product, with its reason. */
#ifndef SQ_LIMITS_H
#define SQ_LIMITS_H

#include <stdint.h>

enum {
    SQ_MAX_SCENARIO_BYTES = 8 << 20, /* a scenario is written by hand; a trace is a file apart */
    SQ_MAX_CSV_BYTES = 512 << 20,    /* a trace: about ten million rows */
    SQ_MAX_TRACE_WINDOW = 1 << 18,   /* rows of a trace that are put in order at a time: 6 MB */
    SQ_MAX_TRACE_ROWS = 1 << 26,     /* of a trace in memory: 1 GB */
    SQ_MAX_TRACE_BINS = 1 << 24,     /* bins that a trace is counted in: 194 days of seconds */
    SQ_MAX_YAML_DEPTH = 64,          /* the language nests to about 12 */
    SQ_MAX_YAML_NODES = 1 << 20,     /* bounds the memory a hostile file can ask for */
    SQ_MAX_NAME = 40,                /* SCENARIO 'Names' */
    SQ_MAX_RUNS = 100000,            /* SCENARIO 2 */
    SQ_MAX_LANES = 256,              /* distinct constant delays with a ring of their own */
    SQ_MAX_JOBS = 200000000,         /* living jobs: 64 bytes each, 12.8 GB */
    SQ_MAX_CALLS = 50000000,         /* calls in progress or abandoned inside a dependency */
    SQ_MAX_SLOTS = 1000000000,       /* of a pool, all replicas: more than jobs there can be */
    SQ_MAX_BINS = 4000000,           /* timeline bins of a run: 46 days of seconds */
    SQ_MAX_SAME_INSTANT = 10000000,  /* events at one nanosecond: more is a loop (SCENARIO 12.5) */
    SQ_MAX_CELLS = 100000,           /* of a sweep: each is a file of its own */
    SQ_MAX_OUTAGES = 100000,         /* of one random series: each is a moment of the result */
};

#define SQ_MAX_EVENTS INT64_C(100000000000) /* of a run: some hours; their numbers end at 2^56 */

#endif
