/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_base.h - the words every file may use: simulated time, amounts, status codes, assertions.
 *
 * Time is int64_t nanoseconds since the start of a run. Instants and lengths share the type;
 * both are >= 0. SQ_NEVER stands for "none" and "unlimited": a timeout of SQ_NEVER never fires.
 * Adding saturates at SQ_NEVER, so `now + SQ_NEVER` needs no special case.
 *
 * Amounts (counts, sizes) are int64_t >= 0; SQ_UNLIMITED stands for "has no bound". */
#ifndef SQ_BASE_H
#define SQ_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t sq_time_t;

#define SQ_NEVER     INT64_MAX
#define SQ_UNLIMITED INT64_MAX
#define SQ_NS_PER_S  INT64_C(1000000000)

/* What a fallible function returns. On failure its out-parameters are untouched. */
enum sq_status {
    SQ_OK = 0,
    SQ_USER,    /* the user's mistake; at least one error stands in the sq_diag that was passed */
    SQ_NOMEM,   /* the machine has no memory left */
    SQ_IO,      /* a file could not be read or written; the text stands in the sq_diag */
    SQ_LIMIT,   /* a stated maximum (sq_limits.h) was reached; the text stands in the sq_diag */
    SQ_STOPPED, /* interrupted by INT, TERM or HUP */
    SQ_FAILED,  /* what was to be checked does not hold; the report says what */
    SQ_BROKEN,  /* a conservation law of the simulation does not hold: our own bug */
};

#define SQ_MUST_USE     __attribute__((warn_unused_result))
#define SQ_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define SQ_APART        __attribute__((noinline)) /* keeps the usual way through its caller short */
#define SQ_COUNT(arr)   (sizeof(arr) / sizeof((arr)[0]))

/* Prints "file:line: assertion failed: text" with write(2) and ends the program with status 4. */
_Noreturn void sq_panic(const char *file, int line, const char *text);

/* Checked in every build: arguments at module borders. One condition each. */
#define SQ_ASSERT(cond) ((cond) ? (void)0 : sq_panic(__FILE__, __LINE__, #cond))

/* A place that is never reached; says what would have had to happen. */
#define SQ_UNREACHABLE(text) sq_panic(__FILE__, __LINE__, text)

/* Checked in debug and sanitizer builds only (SQ_DEBUG): invariants of loops and structures. */
#ifdef SQ_DEBUG
#define SQ_DEBUG_ASSERT(cond) SQ_ASSERT(cond)
#else
#define SQ_DEBUG_ASSERT(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

/* a + b, at most SQ_NEVER. Both must be >= 0. */
static inline sq_time_t sq_time_add(sq_time_t a, sq_time_t b)
{
    return a > SQ_NEVER - b ? SQ_NEVER : a + b;
}

/* The one place where a length in seconds (a double) becomes nanoseconds: rounded to nearest,
 * negative and NaN become 0, anything from 2^63 ns up becomes SQ_NEVER. */
static inline sq_time_t sq_time_from_s(double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns > 0)) {
        return 0;
    }
    return ns >= 9223372036854774784.0 ? SQ_NEVER : (sq_time_t)(ns + 0.5);
}

/* Seconds of a time; exact to 2^-53. */
static inline double sq_time_to_s(sq_time_t t)
{
    return (double)t / 1e9;
}

static inline int64_t sq_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t sq_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
