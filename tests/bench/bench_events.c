/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_events.c - the event list beside the textbook heap.
 *
 * Hold model: N events are pending; each step pops the first and posts one a random delay later.
 * The draw is part of both figures. Both lists see the same draws, in turns, in one process: what
 * is compared is a step with everything warm. */
#include "tests/bench/bench.h"
#include "tests/bench/yard.h"

#include "sim/core/sq_evq.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t draw_fn(uint64_t *state);

static int64_t draw_second(uint64_t *state)
{
    return yard_exponential(state, 1e9);
}

/* Full jitter: anything up to two seconds. */
static int64_t draw_jitter(uint64_t *state)
{
    return (int64_t)(yard_bits(state) % UINT64_C(2000000000));
}

/* A storm: three of four are services of 100 ms, one a backoff with full jitter up to an hour. */
static int64_t draw_storm(uint64_t *state)
{
    bool backoff = yard_bits(state) % 4 == 0;
    return backoff ? (int64_t)(yard_bits(state) % UINT64_C(3600000000000))
                   : yard_exponential(state, 1e8);
}

static void need(bool ok)
{
    if (!ok) {
        (void)fprintf(stderr, "bench: the event list failed\n");
        exit(1);
    }
}

static double hold_evq(struct sq_evq *q, draw_fn *draw, uint64_t *state, size_t steps)
{
    struct sq_event e;
    double start = bench_cpu_ns();
    for (size_t i = 0; i < steps; i++) {
        need(sq_evq_pop(q, &e));
        (void)sq_evq_push(q, e.at + draw(state), 1, e.load);
    }
    return (bench_cpu_ns() - start) / (double)steps;
}

static double hold_heap(struct yard_heap *h, draw_fn *draw, uint64_t *state, size_t steps)
{
    double start = bench_cpu_ns();
    for (size_t i = 0; i < steps; i++) {
        struct yard_entry e = yard_pop(h);
        e.at += draw(state);
        yard_push(h, e);
    }
    return (bench_cpu_ns() - start) / (double)steps;
}

static void bench_hold(const char *name, draw_fn *draw, size_t n, double target)
{
    double evq_ns[BENCH_ROUNDS], heap_ns[BENCH_ROUNDS];
    uint64_t a = n, b = n;
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    struct yard_heap h = { calloc(n + 2, sizeof(struct yard_entry)), 0 };
    need(q != NULL && h.e != NULL);
    for (size_t i = 0; i < n; i++) {
        (void)sq_evq_push(q, draw(&a), 1, i);
        yard_push(&h, (struct yard_entry){ draw(&b), i });
    }
    size_t steps = n < 1000000 ? 1000000 : n;
    (void)hold_evq(q, draw, &a, 2 * n);
    (void)hold_heap(&h, draw, &b, 2 * n);
    for (int r = 0; r < BENCH_ROUNDS; r++) {
        evq_ns[r] = hold_evq(q, draw, &a, steps);
        heap_ns[r] = hold_heap(&h, draw, &b, steps);
    }
    need(sq_evq_now(q) <= h.e[1].at); /* both have had the same draws */
    double x = bench_median(evq_ns, BENCH_ROUNDS), y = bench_median(heap_ns, BENCH_ROUNDS);
    char text[64];
    (void)snprintf(text, sizeof(text), "%s, %.0e pending", name, (double)n);
    bench_put(&(struct bench_row){ text, "x the heap", y / x, BENCH_AT_LEAST, target, x, y });
    sq_evq_close(q);
    free(h.e);
}

/* All events on one instant: posted before it, popped in order; ns each. */
static double instant(size_t n)
{
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    struct sq_event e = { 0 };
    double start = bench_cpu_ns();
    for (size_t i = 0; i < n; i++) {
        (void)sq_evq_push(q, 1000000007, (unsigned)(i % 3), i);
    }
    while (sq_evq_pop(q, &e)) {
    }
    double ns = (bench_cpu_ns() - start) / (double)n;
    sq_evq_close(q);
    return ns;
}

static void bench_instant(void)
{
    double many[BENCH_ROUNDS], few[BENCH_ROUNDS];
    for (int r = 0; r < BENCH_ROUNDS; r++) {
        few[r] = instant(100000);
        many[r] = instant(1000000);
    }
    double x = bench_median(many, BENCH_ROUNDS), y = bench_median(few, BENCH_ROUNDS);
    bench_put(&(struct bench_row){ "1e6 events on one instant, each", "x of 1e5", x / y,
                                   BENCH_AT_MOST, 1.5, x, y });
}

/* Every job posts a service and a timeout of two seconds. Nine of ten timeouts are dead when their
 * time comes, because the service ended before: the cost of one, beside that of a hold. */
struct jobs {
    uint64_t *timeout; /* by job: the sequence that is awaited, 0 if none */
};

static bool timeout_alive(const void *ctx, const struct sq_event *e)
{
    const struct jobs *j = ctx;
    return e->load % 2 == 0 || j->timeout[e->load / 2] == sq_event_seq(e);
}

static double run_jobs(size_t n, size_t steps, bool with_timeouts)
{
    struct jobs j = { calloc(n, sizeof(*j.timeout)) };
    struct sq_evq *q = sq_evq_open(timeout_alive, &j);
    int two_s = sq_evq_lane(q, 2000000000, 2);
    uint64_t state = n;
    struct sq_event e;
    need(j.timeout != NULL);
    for (size_t i = 0; i < n; i++) {
        (void)sq_evq_push(q, yard_exponential(&state, 1e8), 1, 2 * i);
    }
    double start = bench_cpu_ns();
    for (size_t done = 0; done < steps && sq_evq_pop(q, &e);) {
        size_t job = e.load / 2;
        if (e.load % 2 == 1) {
            j.timeout[job] = 0;
            continue;
        }
        if (with_timeouts) {
            bool dies = done % 10 != 0;
            if (j.timeout[job] != 0 && dies) {
                sq_evq_stale(q);
            }
            if (j.timeout[job] == 0 || dies) {
                j.timeout[job] = sq_evq_push_lane(q, two_s, e.load + 1);
            }
        }
        (void)sq_evq_push(q, e.at + yard_exponential(&state, 1e8), 1, e.load);
        done++;
    }
    double ns = (bench_cpu_ns() - start) / (double)steps;
    sq_evq_close(q);
    free(j.timeout);
    return ns;
}

static void bench_timeouts(size_t n)
{
    double with[BENCH_ROUNDS], bare[BENCH_ROUNDS];
    for (int r = 0; r < BENCH_ROUNDS; r++) {
        with[r] = run_jobs(n, 1000000 + 20 * n, true);
        bare[r] = run_jobs(n, 1000000 + 20 * n, false);
    }
    double x = bench_median(with, BENCH_ROUNDS), y = bench_median(bare, BENCH_ROUNDS);
    char text[64];
    (void)snprintf(text, sizeof(text), "a timeout, 9 of 10 cancelled, %.0e jobs", (double)n);
    bench_put(&(struct bench_row){ text, "of a hold", (x - y) / y, BENCH_AT_MOST, 0.6, x - y, y });
}

void bench_events(void)
{
    static const struct {
        const char *name;
        draw_fn *draw;
        double targets[4];
    } rows[] = { { "hold, exponential", draw_second, { 1, 1.8, 3, 4 } },
                 { "hold, full jitter", draw_jitter, { 1, 1.8, 3, 4 } },
                 { "hold, storm", draw_storm, { 1, 1.5, 3, 4 } } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t n = 1000;
        for (size_t k = 0; k < 4; k++) {
            bench_hold(rows[i].name, rows[i].draw, n, rows[i].targets[k]);
            n *= k == 0 ? 100 : 10;
        }
    }
    bench_instant();
    bench_timeouts(1000);
    bench_timeouts(100000);
}
