/* SPDX-License-Identifier: GPL-3.0-or-later */
/* yard.c - a textbook heap and the bare M/M/1 loop. */
#include "tests/bench/yard.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void yard_push(struct yard_heap *h, struct yard_entry e)
{
    size_t i = ++h->n;
    for (; i > 1 && e.at < h->e[i / 2].at; i /= 2) {
        h->e[i] = h->e[i / 2];
    }
    h->e[i] = e;
}

struct yard_entry yard_pop(struct yard_heap *h)
{
    struct yard_entry top = h->e[1];
    struct yard_entry last = h->e[h->n--];
    size_t i = 1;
    for (size_t c = 2; c <= h->n; c = 2 * i) {
        c += c < h->n && h->e[c + 1].at < h->e[c].at;
        if (last.at <= h->e[c].at) {
            break;
        }
        h->e[i] = h->e[c];
        i = c;
    }
    h->e[i] = last;
    return top;
}

uint64_t yard_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t yard_exponential(uint64_t *state, double mean_ns)
{
    double u = (double)((yard_bits(state) >> 11) + 1) * 0x1p-53;
    return (int64_t)(-log(u) * mean_ns);
}

double yard_mm1(uint64_t customers)
{
    enum { ARRIVAL, SERVED, RING = 1 << 16 };
    const double gap = 1e9 / 900, service = 1e6;
    struct yard_entry room[8];
    struct yard_heap h = { room, 0 };
    int64_t *came = calloc(RING, sizeof(*came)); /* of those in the system */
    uint64_t state = 1, first = 0, last = 0, served = 0;
    double sum = 0;
    if (came == NULL) {
        return NAN;
    }
    yard_push(&h, (struct yard_entry){ yard_exponential(&state, gap), ARRIVAL });
    while (served < customers) {
        struct yard_entry e = yard_pop(&h);
        bool starts;
        if (e.load == ARRIVAL) {
            starts = first == last;
            came[last++ % RING] = e.at;
            yard_push(&h, (struct yard_entry){ e.at + yard_exponential(&state, gap), ARRIVAL });
        } else {
            sum += (double)(e.at - came[first++ % RING]);
            served++;
            starts = first != last;
        }
        if (starts) {
            yard_push(&h, (struct yard_entry){ e.at + yard_exponential(&state, service), SERVED });
        }
    }
    free(came);
    return sum / (double)served / 1e9;
}
