/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_delays.h - what a retry policy draws, retry by retry, for tables and charts. Seconds. */
#ifndef SQ_DELAYS_H
#define SQ_DELAYS_H

#include "sim/base/sq_mem.h"

enum { SQ_DELAY_DECILES = 9 };

struct sq_delay_row {
    bool exact;            /* the delay is always the same: `min`, and so are all the others */
    double min, mean, max; /* ends: of the law if it keeps no state, else of what was drawn */
    double decile[SQ_DELAY_DECILES];         /* order statistic floor(n q / 10), from 0 */
    double until_min, until_mean, until_max; /* the delays up to this one together */
};

struct sq_delays {
    struct sq_arena arena;
    size_t count; /* retries */
    struct sq_delay_row *rows;
    bool ends_drawn; /* min and max are those of the sample */
    size_t samples;  /* 0: every row is exact, nothing was drawn */
    uint64_t seed;
    double gives_up_s; /* of the layer, after its first try began; infinity: never by time */
    int64_t limit;     /* retries that the layer allows; SQ_UNLIMITED */
};

#endif
