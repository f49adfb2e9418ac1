/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_progress.c - a thread that looks at a counter and draws a line. */
#include "sim/base/sq_progress.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/sq_mem.h"
#include "sim/base/sq_unit.h"

enum {
    BAR_COLUMNS = 24,
    QUIET_MS = 1000, /* nothing is shown for work shorter than this */
    DRAW_MS = 200,
    LONG_S = 10, /* from here on the estimate has a line of its own */
};

struct sq_progress {
    struct sq_progress_plan plan;
    pthread_t thread;
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t over;
    double began_s, stepped_s, left_s; /* left_s: as of stepped_s; NaN before the first step */
    size_t done;
    bool ended, drawn, estimated;
};

/* ---- numbers and texts ---- */

double sq_progress_left_s(const struct sq_progress_plan *plan, size_t done, double elapsed_s)
{
    if (done == 0) {
        return (double)NAN;
    }
    size_t open = plan->total > done ? plan->total - done : 0;
    size_t others = plan->threads > 1 ? plan->threads - 1 : 0;
    others = others < open ? others : open;
    double worked = (double)done + (double)others / 2;
    double left = elapsed_s / worked * ((double)plan->total - worked);
    return left > 0 ? left : 0;
}

static void put_whole_span(struct sq_buf *b, double seconds)
{
    sq_unit_put_span(b, seconds < 60 ? floor(seconds + 0.5) : seconds);
}

void sq_progress_put_bar(struct sq_buf *b, const struct sq_progress_plan *plan, size_t done,
                         double elapsed_s, double left_s)
{
    size_t filled = plan->total > 0 ? BAR_COLUMNS * done / plan->total : BAR_COLUMNS;
    sq_buf_putc(b, '[');
    for (size_t i = 0; i < BAR_COLUMNS; i++) {
        sq_buf_putc(b, i < filled ? '=' : i == filled ? '>' : ' ');
    }
    sq_buf_printf(b, "] %zu/%zu, ", done, plan->total);
    put_whole_span(b, elapsed_s);
    if (isfinite(left_s)) {
        sq_buf_puts(b, ", about ");
        put_whole_span(b, left_s);
        sq_buf_puts(b, " left");
    }
}

void sq_progress_put_estimate(struct sq_buf *b, const struct sq_progress_plan *plan, double all_s)
{
    sq_buf_printf(b, "%s on %u thread%s: about ", plan->what, plan->threads,
                  plan->threads == 1 ? "" : "s");
    put_whole_span(b, all_s);
}

/* ---- the thread ---- */

static double now_s(clockid_t clock)
{
    struct timespec t = { 0 };
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line end in `b` stays; what comes after it is drawn over the next time. */
static void draw(struct sq_progress *p, double at_s)
{
    struct sq_buf b = { 0 };
    double left = p->left_s - (at_s - p->stepped_s);
    double all = p->stepped_s - p->began_s + p->left_s;
    sq_buf_puts(&b, "\r\x1b[K");
    if (!p->estimated && all >= LONG_S) { /* false for NaN */
        sq_progress_put_estimate(&b, &p->plan, all);
        sq_buf_putc(&b, '\n');
        p->estimated = true;
    }
    sq_progress_put_bar(&b, &p->plan, p->done, at_s - p->began_s, left < 0 ? 0 : left);
    if (!b.failed) {
        (void)fwrite(b.text, 1, b.len, stderr);
        (void)fflush(stderr);
        p->drawn = true;
    }
    sq_buf_fini(&b);
}

static void erase(const struct sq_progress *p)
{
    if (p->drawn) {
        (void)fputs("\r\x1b[K", stderr);
        (void)fflush(stderr);
    }
}

/* Waits, at most so long, until the work is over. Called with the lock held. */
static void wait_ms(struct sq_progress *p, long ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until); /* the clock that conditions wait by */
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= SQ_NS_PER_S) {
        until.tv_nsec -= (long)SQ_NS_PER_S;
        until.tv_sec++;
    }
    while (!p->ended && pthread_cond_timedwait(&p->over, &p->lock, &until) != ETIMEDOUT) {
    }
}

static void *show(void *arg)
{
    struct sq_progress *p = arg;
    pthread_mutex_lock(&p->lock);
    wait_ms(p, QUIET_MS);
    while (!p->ended) {
        draw(p, now_s(CLOCK_MONOTONIC));
        wait_ms(p, DRAW_MS);
    }
    erase(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct sq_progress *sq_progress_begin(const struct sq_progress_plan *plan)
{
    if (!isatty(STDERR_FILENO)) {
        return NULL;
    }
    struct sq_progress *p = sq_mem_alloc(1, sizeof(*p));
    if (p == NULL) {
        return NULL;
    }
    p->plan = *plan;
    p->left_s = (double)NAN;
    p->began_s = p->stepped_s = now_s(CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->over, NULL);
    if (pthread_create(&p->thread, NULL, show, p) != 0) {
        pthread_cond_destroy(&p->over);
        pthread_mutex_destroy(&p->lock);
        sq_mem_free(p);
        return NULL;
    }
    return p;
}

void sq_progress_step(struct sq_progress *p)
{
    if (p == NULL) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->done++;
    p->stepped_s = now_s(CLOCK_MONOTONIC);
    p->left_s = sq_progress_left_s(&p->plan, p->done, p->stepped_s - p->began_s);
    pthread_mutex_unlock(&p->lock);
}

void sq_progress_end(struct sq_progress *p)
{
    if (p == NULL) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->over);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->over);
    pthread_mutex_destroy(&p->lock);
    sq_mem_free(p);
}
