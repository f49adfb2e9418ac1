/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outlook.h - the outlook at T1: when is the backlog gone? Three answers side by side - naive,
 * planned, simulated - with the state in words, for one result or one variant of a comparison.
 *
 * Over several runs they are bands (p10, p50, p90), the forecasts too: each run's starts from its
 * own state at T1. Where the runs fall into two groups there is no middle to speak of, and both
 * groups are told. */
#ifndef PLT_OUTLOOK_H
#define PLT_OUTLOOK_H

#include "plots/plt_text.h"
#include "sim/core/sq_comparison.h"

enum { PLT_MARKS = 3, PLT_STATES = 5 };

/* In how many runs a state was. */
struct plt_state {
    const char *word;
    int64_t runs;
};

struct plt_mark {
    const char *label;
    bool known; /* the result has such a mark */
    bool has_naive, has_planned;
    struct sq_spread naive, planned, simulated; /* n = 0: null everywhere */
    const char *not_simulated; /* what null means: "never"; "-": there is nothing to wait for */
};

struct plt_outlook {
    int64_t runs;
    const char *text; /* the forecast of run 1 in words, or NULL; borrowed */
    const char *by;   /* what says what then happened: "simulated", or the model, "fluid" */
    size_t drain_count, forecast_count;
    struct plt_state drain[PLT_STATES], forecast[PLT_STATES]; /* words that are, but for null */
    struct plt_mark marks[PLT_MARKS]; /* queue clear, last affected job, healthy for good */
};

/* What is borrowed lives as long as the result, or the comparison. `failed` is set when memory is
 * out. */
void plt_outlook_of_result(struct plt_outlook *o, const struct sq_result *r, bool *failed);
void plt_outlook_of_variant(struct plt_outlook *o, const struct sq_comparison *c, size_t variant);

/* True where there is a forecast, or a word why there is none. */
bool plt_has_forecast(const struct plt_outlook *o);

/* True where there is a forecast, or a queue that cleared: something to put side by side. */
bool plt_outlook_says(const struct plt_outlook *o);

/* "clears in 18, stalled in 2 of 20 runs"; of one run "clears". Nothing when it is null. */
void plt_put_drain_states(struct sq_buf *b, const struct plt_outlook *o);

/* The forecast in words: "clears in 16m50s", "would relapse in 20 of 20 runs: 160 callers ...". A
 * plan is one line where chance leads to two, so where the queue clears in two groups of runs both
 * are named: "clears in 7m52s; simulated 7m54s in 12 of 20 runs, 9m3s in 8". Nothing when none was
 * made. */
void plt_put_forecast(struct sq_buf *b, const struct plt_outlook *o);

/* True when that names two groups of simulated runs. */
bool plt_has_branches(const struct plt_outlook *o);

/* What stands for a time that a forecast has not: "never", "would relapse", "stalled", "will not
 * drain"; "-" where none was made. */
const char *plt_no_naive(const struct plt_outlook *o);
const char *plt_no_plan(const struct plt_outlook *o);

/* "16m50s to 17m": p10 to p90. True when both are written alike. */
void plt_put_band(struct sq_buf *b, const struct sq_spread *s);
bool plt_is_narrow(const struct sq_spread *s);

/* The table on a terminal: its head, and the rows of one outlook, indented so far. `grouped` is set
 * when a median of two groups was written. */
void plt_outlook_head(struct plt_text *t, const char *title, const struct plt_outlook *o);
void plt_outlook_rows(struct plt_text *t, const struct plt_outlook *o, unsigned indent,
                      bool *grouped);

#endif
