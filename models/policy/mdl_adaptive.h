/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_adaptive.h - limits on calls at a time that adapt themselves (SCENARIO 8, `adaptive`).
 *
 *   aimd       Netflix concurrency-limits, AIMDLimit: a call that is dropped or took longer than
 *              `slow` makes the limit trunc(limit x decrease), any other one + 1 when twice the
 *              calls in flight reach the limit
 *   vegas      VegasLimit: queue = ceil(limit (1 - best / rtt)), L = max(1, trunc(log10 limit));
 *              dropped: - L; else nothing when twice the calls in flight are below the limit;
 *              queue <= L: + 6 L; < 3 L: + L; > 6 L: - L. A new best time, and a probe after
 *              probe_every x limit x U[0.5, 1) samples, replaces `best` and changes nothing else
 *   gradient2  Gradient2Limit: long = average of the first 10 samples, then exponential over 600;
 *              x 0.95 while above twice the sample; unless fewer than limit / 2 are in flight,
 *              limit = 0.8 limit + 0.2 (limit g + 4), g = clamp(tolerance long / rtt, 0.5, 1), with
 *              `smoothing` for 0.2
 *   envoy      adaptive concurrency, gradient controller: every 100 ms with samples limit =
 *              trunc(limit g + sqrt(limit g)), g = clamp(1.25 best / percentile, 0.5, 2); `best` is
 *              measured anew from 50 calls that left since, at the limit `min`, `measure_every`
 *              with up to 15 % more, and when the limit has been at `min` five times in a row
 *
 * For the first three a call is dropped when it was refused, rate-limited, unavailable, reset or
 * timed out, and ignored when it failed otherwise; for envoy every answer is a sample, and timeouts
 * and resets are none. Calls in flight are counted as a call left, itself included.
 *
 * Pure: the owner keeps the state; the samples of envoy are memory of its own. */
#ifndef MDL_ADAPTIVE_H
#define MDL_ADAPTIVE_H

#include "models/policy/mdl_scope.h"

extern const struct sq_family mdl_adaptive_family;

struct mdl_adaptive_state {
    double limit;
    double best, average; /* ns: without load; over many samples */
    double jitter;        /* vegas: of the next probe */
    int64_t count;        /* vegas: samples since the probe; gradient2: so far, up to 10 */
    uint32_t draws;       /* uniforms used */
    sq_time_t *samples;   /* envoy, from here on */
    uint32_t sample_count, sample_size;
    sq_time_t window_end; /* of the samples; SQ_NEVER: there are none */
    sq_time_t epoch;      /* measuring: calls that left earlier do not count */
    sq_time_t measure_at;
    double deferred; /* the limit after measuring */
    int at_min;      /* updates in a row that left it at the minimum */
    bool measuring, failed;
};

/* A call that ended. */
enum mdl_adaptive_end { MDL_ADAPTIVE_OK, MDL_ADAPTIVE_DROPPED, MDL_ADAPTIVE_IGNORED };
struct mdl_adaptive_sample {
    sq_time_t now, rtt;
    int64_t in_flight; /* as it left, itself included */
    enum mdl_adaptive_end end;
    bool answered; /* neither timed out nor reset nor cancelled */
    double u;      /* a uniform of its own: number `draws` */
};

void mdl_adaptive_init(const struct sq_block *b, struct mdl_adaptive_state *s, double u);
void mdl_adaptive_fini(struct mdl_adaptive_state *s);

void mdl_adaptive_note(const struct sq_block *b, struct mdl_adaptive_state *s,
                       const struct mdl_adaptive_sample *sample);

/* Time passes. */
void mdl_adaptive_advance(const struct sq_block *b, struct mdl_adaptive_state *s, sq_time_t now);

/* When the limit may change without another sample, if not before; SQ_NEVER: it does not. */
sq_time_t mdl_adaptive_next(const struct mdl_adaptive_state *s);

static inline int64_t mdl_adaptive_limit(const struct mdl_adaptive_state *s)
{
    return (int64_t)s->limit;
}

int mdl_adaptive_scope(const struct sq_block *b);

#endif
