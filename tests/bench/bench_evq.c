/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_evq.c - nanoseconds of CPU per pop-and-push, the event list beside a textbook binary heap.
 *
 * Hold model: N events are pending; each step pops the first and posts one a random delay later.
 * The draw is part of the figure, and alone in the last column. Both lists do the same in turns,
 * five times; the medians are printed. The heap has entries of 16 bytes and no order of ties. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/core/sq_evq.h"

enum { ROUNDS = 5 };

/* ---- the textbook heap ---- */

struct entry {
    int64_t at;
    uint64_t load;
};

struct heap {
    struct entry *e; /* from 1 */
    size_t n;
};

static void heap_push(struct heap *h, struct entry e)
{
    size_t i = ++h->n;
    for (; i > 1 && e.at < h->e[i / 2].at; i /= 2) {
        h->e[i] = h->e[i / 2];
    }
    h->e[i] = e;
}

static struct entry heap_pop(struct heap *h)
{
    struct entry top = h->e[1];
    struct entry last = h->e[h->n--];
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

/* ---- draws ---- */

static uint64_t bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t exponential(uint64_t *state, double mean_ns)
{
    double u = (double)((bits(state) >> 11) + 1) * 0x1p-53;
    return (int64_t)(-log(u) * mean_ns);
}

typedef int64_t draw_fn(uint64_t *state);

static int64_t draw_second(uint64_t *state)
{
    return exponential(state, 1e9);
}

/* Short services, and a backoff of ten seconds for one in ten. */
static int64_t draw_storm(uint64_t *state)
{
    return exponential(state, bits(state) % 10 ? 5e6 : 1e10);
}

/* ---- measuring ---- */

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof(*v), by_value);
    return v[ROUNDS / 2];
}

static double hold_evq(struct sq_evq *q, draw_fn *draw, uint64_t *state, size_t steps)
{
    struct sq_event e;
    double start = cpu_ns();
    for (size_t i = 0; i < steps; i++) {
        if (!sq_evq_pop(q, &e)) {
            exit(1);
        }
        (void)sq_evq_push(q, e.at + draw(state), 1, e.load);
    }
    return (cpu_ns() - start) / (double)steps;
}

static double hold_heap(struct heap *h, draw_fn *draw, uint64_t *state, size_t steps)
{
    double start = cpu_ns();
    for (size_t i = 0; i < steps; i++) {
        struct entry e = heap_pop(h);
        e.at += draw(state);
        heap_push(h, e);
    }
    return (cpu_ns() - start) / (double)steps;
}

static double draw_only(draw_fn *draw, uint64_t *state, size_t steps)
{
    static volatile int64_t sink;
    int64_t sum = 0;
    double start = cpu_ns();
    for (size_t i = 0; i < steps; i++) {
        sum += draw(state);
    }
    double end = cpu_ns();
    sink = sum;
    (void)sink;
    return (end - start) / (double)steps;
}

static void bench_hold(const char *name, draw_fn *draw, size_t n)
{
    uint64_t a = n;
    uint64_t b = n;
    uint64_t c = n;
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    struct heap h = { calloc(n + 2, sizeof(struct entry)), 0 };
    if (!q || !h.e) {
        exit(1);
    }
    for (size_t i = 0; i < n; i++) {
        (void)sq_evq_push(q, draw(&a), 1, i);
        heap_push(&h, (struct entry){ draw(&b), i });
    }
    size_t steps = n < 1000000 ? 1000000 : 2 * n;
    (void)hold_evq(q, draw, &a, 2 * n);
    (void)hold_heap(&h, draw, &b, 2 * n);
    double evq_ns[ROUNDS];
    double heap_ns[ROUNDS];
    double draw_ns[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        evq_ns[r] = hold_evq(q, draw, &a, steps);
        heap_ns[r] = hold_heap(&h, draw, &b, steps);
        draw_ns[r] = draw_only(draw, &c, steps);
    }
    if (sq_evq_now(q) > h.e[1].at) {
        exit(1); /* both have had the same draws, so the heap cannot be behind */
    }
    double x = median(evq_ns);
    double y = median(heap_ns);
    printf("%-22s %9zu %9.1f %9.1f %7.2f %7.1f\n", name, n, x, y, y / x, median(draw_ns));
    sq_evq_close(q);
    free(h.e);
}

/* All events on one instant: posted before it, popped in order. */
static void bench_instant(size_t n)
{
    double ns[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        struct sq_evq *q = sq_evq_open(NULL, NULL);
        struct sq_event e = { 0 };
        double start = cpu_ns();
        for (size_t i = 0; i < n; i++) {
            (void)sq_evq_push(q, 1000000007, (unsigned)(i % 3), i);
        }
        while (sq_evq_pop(q, &e)) {
        }
        ns[r] = (cpu_ns() - start) / (double)n;
        sq_evq_close(q);
    }
    printf("%-22s %9zu %9.1f\n", "one instant", n, median(ns));
}

/* Every job posts a service and a timeout of two seconds, which is dead when its service ends:
 * what the lane saves beside the same with plain posts. */
struct jobs {
    uint64_t *timeout; /* by job: the sequence that is awaited, 0 if none */
};

static bool timeout_alive(const void *ctx, const struct sq_event *e)
{
    const struct jobs *j = ctx;
    return e->load % 2 == 0 || j->timeout[e->load / 2] == sq_event_seq(e);
}

static double run_timeouts(size_t n, size_t steps, bool lane)
{
    struct jobs j = { calloc(n, sizeof(*j.timeout)) };
    struct sq_evq *q = sq_evq_open(timeout_alive, &j);
    int two_s = sq_evq_lane(q, 2000000000, 2);
    uint64_t state = n;
    struct sq_event e;
    for (size_t i = 0; i < n; i++) {
        (void)sq_evq_push(q, exponential(&state, 1e8), 1, 2 * i);
    }
    double start = cpu_ns();
    for (size_t done = 0; done < steps && sq_evq_pop(q, &e);) {
        if (e.load % 2) {
            continue;
        }
        size_t job = e.load / 2;
        if (j.timeout[job]) {
            sq_evq_stale(q);
        }
        j.timeout[job] = lane ? sq_evq_push_lane(q, two_s, e.load + 1)
                              : sq_evq_push(q, e.at + 2000000000, 2, e.load + 1);
        (void)sq_evq_push(q, e.at + exponential(&state, 1e8), 1, e.load);
        done++;
    }
    double ns = (cpu_ns() - start) / (double)steps;
    sq_evq_close(q);
    free(j.timeout);
    return ns;
}

static void bench_timeouts(size_t n)
{
    double lane[ROUNDS];
    double plain[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        lane[r] = run_timeouts(n, 1000000 + 20 * n, true);
        plain[r] = run_timeouts(n, 1000000 + 20 * n, false);
    }
    double x = median(lane);
    double y = median(plain);
    printf("%-22s %9zu %9.1f %9.1f %7.2f\n", "timeouts, lane|post", n, x, y, y / x);
}

int main(void)
{
    static const size_t sizes[] = { 1000, 100000, 1000000 };
    printf("%-22s %9s %9s %9s %7s %7s\n", "ns each", "N", "evq", "heap", "ratio", "draw");
    for (size_t i = 0; i < SQ_COUNT(sizes); i++) {
        bench_hold("hold, exponential", draw_second, sizes[i]);
    }
    for (size_t i = 0; i < SQ_COUNT(sizes); i++) {
        bench_hold("hold, storm", draw_storm, sizes[i]);
    }
    bench_instant(1000000);
    bench_timeouts(1000);
    bench_timeouts(100000);
    return 0;
}
