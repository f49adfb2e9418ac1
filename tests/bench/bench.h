/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - measuring: every figure is the median of several rounds in which the product and its
 * yardstick take turns, in processor time; each round is a process of its own, so that memory is
 * that of the round and nothing is warm that would not be. */
#ifndef SQ_BENCH_H
#define SQ_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_ROUNDS = 7 };

/* What one process took. `said` is what the measured function left, for example events handled. */
struct bench_cost {
    double cpu_s, wall_s, rss_bytes, said;
};

/* Something to measure: returns a number for `said`, NaN when it failed. */
struct bench_job {
    double (*run)(const void *what);
    const void *what;
};

/* Medians of both, taken in turns. `yard` may be NULL. Ends the program when one fails. */
struct bench_pair {
    struct bench_cost ours, yard;
};
struct bench_pair bench_turns(const struct bench_job *ours, const struct bench_job *yard,
                              int rounds);

enum bench_sense { BENCH_NONE, BENCH_AT_MOST, BENCH_AT_LEAST };

/* A row of the table. */
struct bench_row {
    const char *name, *unit;
    double value;
    enum bench_sense sense;
    double target;
    double ours, yard; /* what the value is made of; NaN: nothing */
};
void bench_put(const struct bench_row *row);

double bench_median(double *v, size_t n);
double bench_cpu_ns(void); /* of this process, so far */

/* The groups of rows. */
void bench_events(void);  /* the event list beside a textbook heap */
void bench_storms(void);  /* whole runs */
void bench_startup(void); /* the program from the outside */

#endif
