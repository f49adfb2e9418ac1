/* SPDX-License-Identifier: GPL-3.0-or-later */
/* yard.h - the yardsticks: a textbook binary heap with entries of 16 bytes and no order of ties, a
 * random generator of three multiplications, and the shortest M/M/1 queue made of both. Written for
 * speed and for nothing else: no statistics but a mean, no keys, no checks. */
#ifndef SQ_YARD_H
#define SQ_YARD_H

#include <stddef.h>
#include <stdint.h>

struct yard_entry {
    int64_t at;
    uint64_t load;
};

struct yard_heap {
    struct yard_entry *e; /* from 1 */
    size_t n;
};

void yard_push(struct yard_heap *h, struct yard_entry e);
struct yard_entry yard_pop(struct yard_heap *h);

uint64_t yard_bits(uint64_t *state); /* splitmix64 */
int64_t yard_exponential(uint64_t *state, double mean_ns);

/* Serves so many customers at rho = 0.9 and a mean service of 1 ms; returns their mean time in
 * seconds, which is 0.01 s. */
double yard_mm1(uint64_t customers);

#endif
