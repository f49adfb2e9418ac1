/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oracle.c - rows of oracles.csv, scenarios as text, and figures out of sums. */
#include "tests/queueing/oracle.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

const char *oracle_word(const struct oracle *o, const char *key, char *buf, size_t size)
{
    size_t len = strlen(key);
    for (const char *p = o->parameters; p != NULL && *p != '\0';) {
        const char *end = strchr(p, ';');
        size_t all = end != NULL ? (size_t)(end - p) : strlen(p);
        if (all > len && strncmp(p, key, len) == 0 && p[len] == '=') {
            SQ_ASSERT(all - len < size);
            memcpy(buf, p + len + 1, all - len - 1);
            buf[all - len - 1] = '\0';
            return buf;
        }
        p = end != NULL ? end + 1 : NULL;
    }
    (void)fprintf(stderr, "%s has no parameter %s\n", o->id, key);
    abort();
}

double oracle_number(const struct oracle *o, const char *key)
{
    char text[64];
    double value = 0;
    const char *wrong = sq_unit_number(oracle_word(o, key, text, sizeof(text)), &value);
    SQ_ASSERT(wrong == NULL);
    return value;
}

bool oracle_ends(const struct oracle *o, const char *tail)
{
    size_t a = strlen(o->id), b = strlen(tail);
    return a >= b && strcmp(o->id + a - b, tail) == 0;
}

bool oracle_begins(const struct oracle *o, const char *head)
{
    return strncmp(o->id, head, strlen(head)) == 0;
}

/* ---- scenarios ---- */

static void say_time(struct sq_buf *b, double seconds)
{
    sq_time_t ns = sq_time_from_s(seconds);
    if (ns % 1000 == 0 && ns % SQ_NS_PER_S != 0) {
        sq_buf_printf(b, "%lldus", (long long)(ns / 1000));
    } else if (ns % SQ_NS_PER_S == 0) {
        sq_buf_printf(b, "%llds", (long long)(ns / SQ_NS_PER_S));
    } else {
        sq_buf_printf(b, "%lld.%03lldus", (long long)(ns / 1000), (long long)(ns % 1000));
    }
}

void oracle_say(struct sq_buf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    for (const char *p = fmt; *p != '\0'; p++) {
        if (*p != '@') {
            sq_buf_putc(b, *p);
            continue;
        }
        p++;
        if (*p == 's') {
            sq_buf_puts(b, va_arg(args, const char *));
        } else if (*p == 't') {
            say_time(b, va_arg(args, double));
        } else if (*p == 'n') {
            sq_buf_printf(b, "%lld", (long long)va_arg(args, double));
        } else {
            SQ_ASSERT(*p == 'r');
            sq_buf_number(b, va_arg(args, double), 17);
        }
    }
    va_end(args);
}

static void say_top(struct oracle_check *c, double duration, double warm)
{
    double bin = ceil(fmax(1, duration / 20));
    oracle_say(&c->yaml, "squall: 1\nseed: @n\nduration: @t\nmeasure_from: @t\ntimeline: @t\n",
               (double)c->seed, duration, warm, bin);
}

void oracle_steady(struct oracle_check *c, double jobs, double lam, double relax)
{
    c->reps = c->reps == 0 ? 40 : c->reps;
    double warm = ceil(15 * relax);
    double length = ceil(fmax(jobs / ((double)c->reps * lam), 20 * relax));
    say_top(c, warm + length, warm);
    c->cost = (double)c->reps * lam * (warm + length);
}

void oracle_plain(struct oracle_check *c, size_t reps, double duration)
{
    c->reps = reps;
    say_top(c, duration, 0);
}

/* ---- figures ---- */

static double figure(const struct oracle_ask *a, struct oracle_sums s)
{
    double mean = s.s1 / s.n, var = s.s2 / s.n - mean * mean;
    double scale = a->scale > 0 ? a->scale : 1;
    switch (a->figure) {
    case FIGURE_VAR:
        return scale * scale * var;
    case FIGURE_SD:
        return scale * sqrt(var);
    case FIGURE_MEAN:
    case FIGURE_SHARE:
    case FIGURE_CAPPED:
        return scale * mean;
    }
    return (double)NAN;
}

static struct oracle_sums less(struct oracle_sums a, struct oracle_sums b)
{
    return (struct oracle_sums){ a.n - b.n, a.s1 - b.s1, a.s2 - b.s2 };
}

/* Jackknife: what the figure would be without each of the runs (Efron 1982, ch. 3). */
struct oracle_estimate oracle_estimate(const struct oracle_group *g, size_t k)
{
    const struct oracle_ask *ask = g->asks[k];
    size_t reps = g->first->reps;
    struct oracle_sums all = { 0 };
    for (size_t r = 0; r < reps; r++) {
        struct oracle_sums s = g->sums[r * g->ask_count + k];
        all = (struct oracle_sums){ all.n + s.n, all.s1 + s.s1, all.s2 + s.s2 };
    }
    struct oracle_estimate e = { figure(ask, all), 0 };
    double mean = 0, square = 0;
    for (size_t r = 0; r < reps && reps > 1; r++) {
        mean += figure(ask, less(all, g->sums[r * g->ask_count + k])) / (double)reps;
    }
    for (size_t r = 0; r < reps && reps > 1; r++) {
        double d = figure(ask, less(all, g->sums[r * g->ask_count + k])) - mean;
        square += d * d;
    }
    e.se = sqrt(square * (double)(reps - 1) / (double)reps);
    if (ask->independent) {
        e.se = sqrt(ask->expected * (1 - ask->expected) / all.n);
    }
    return e;
}
