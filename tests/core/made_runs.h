/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made_runs.h - three variants of four runs with figures that can be reckoned by hand, for the
 * tests of comparisons. "old" collapses three times of four and its queue does not clear once,
 * "new" does better and has one metric more, "stuck" never clears. Nothing is simulated. */
#ifndef MADE_RUNS_H
#define MADE_RUNS_H

#include <math.h>

#include "sim/core/sq_comparison.h"

enum { MADE_VARIANTS = 3, MADE_RUNS = 4, MADE_METRICS = 8 };

struct made {
    struct sq_result results[MADE_VARIANTS];
    struct sq_run runs[MADE_VARIANTS][MADE_RUNS];
    struct sq_value values[MADE_VARIANTS][MADE_RUNS][MADE_METRICS];
    const char *names[MADE_VARIANTS][MADE_METRICS];
};

struct made_metric {
    const char *name;
    double numbers[MADE_RUNS];
    const char *words[MADE_RUNS]; /* NULL: a number */
};

static const struct made_metric made_metrics[MADE_VARIANTS][MADE_METRICS] = {
    { { "outcome.p_collapse", { 1, 1, 1, 0 }, { NULL } },
      { "drain.state",
        { NAN, NAN, NAN, NAN },
        { "stalled", "clears", "clears", "will not drain" } },
      { "drain.queue_clear_s", { NAN, 100, 110, 120 }, { NULL } },
      { "jobs.completed", { 1000, 1010, 990, 1000 }, { NULL } },
      { "queue.jobs.ready_max", { 0.5, 2, 2, 0 }, { NULL } },
      { "run.hash", { NAN, NAN, NAN, NAN }, { "a", "b", "c", "d" } },
      { NULL, { 0 }, { NULL } },
      { NULL, { 0 }, { NULL } } },
    { { "outcome.p_collapse", { 0, 0, 1, 0 }, { NULL } },
      { "drain.state", { NAN, NAN, NAN, NAN }, { "clears", "clears", "clears", "clears" } },
      { "drain.queue_clear_s", { 50, 62, 70, 79 }, { NULL } },
      { "jobs.completed", { 1000, 1010, 990, 1000 }, { NULL } },
      { "control.api.in_use_max", { 10, 10, 9, 10 }, { NULL } },
      { "queue.jobs.ready_max", { 0.5, 2, 2, 4 }, { NULL } },
      { "run.hash", { NAN, NAN, NAN, NAN }, { "a", "b", "c", "d" } },
      { NULL, { 0 }, { NULL } } },
    { { "outcome.p_collapse", { 1, 1, 1, 1 }, { NULL } },
      { "drain.state", { NAN, NAN, NAN, NAN }, { "stalled", "stalled", "stalled", "stalled" } },
      { "drain.queue_clear_s", { NAN, NAN, NAN, NAN }, { NULL } },
      { "jobs.completed", { 900, 910, 880, 905 }, { NULL } },
      { "queue.jobs.ready_max", { 7, 7, 7, 7 }, { NULL } },
      { "run.hash", { NAN, NAN, NAN, NAN }, { "a", "b", "c", "d" } },
      { NULL, { 0 }, { NULL } },
      { NULL, { 0 }, { NULL } } },
};

/* The first `runs` of them (1 to MADE_RUNS). */
static inline void made_fill(struct made *m, size_t runs)
{
    static const char *const variants[MADE_VARIANTS] = { "old", "new", "stuck" };
    *m = (struct made){ 0 };
    for (size_t v = 0; v < MADE_VARIANTS; v++) {
        struct sq_result *r = &m->results[v];
        *r = (struct sq_result){ .version = "0.1.0",
                                 .title = "A <small> | world",
                                 .file = "/home/someone/small.yaml",
                                 .variant = variants[v],
                                 .scenario_hash = "00ff00ff00ff00ff",
                                 .seed = 7,
                                 .duration_ns = 600 * SQ_NS_PER_S,
                                 .metric_names = m->names[v],
                                 .run_count = runs,
                                 .runs_wanted = runs,
                                 .runs = m->runs[v] };
        for (size_t i = 0; i < MADE_METRICS && made_metrics[v][i].name != NULL; i++) {
            m->names[v][i] = made_metrics[v][i].name;
            r->metric_count = i + 1;
        }
        for (size_t k = 0; k < runs; k++) {
            m->runs[v][k] = (struct sq_run){ k + 1, m->values[v][k] };
            for (size_t i = 0; i < r->metric_count; i++) {
                const struct made_metric *from = &made_metrics[v][i];
                m->values[v][k][i] = (struct sq_value){ from->numbers[k], from->words[k] };
            }
        }
    }
}

#endif
