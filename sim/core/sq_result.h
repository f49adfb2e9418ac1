/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_result.h - the neutral result of runs: names and numbers, with no knowledge of models.
 * Charts, tables and files are made from this and nothing else.
 *
 * Everything lives in the arena of the result and is valid until sq_arena_fini on it. */
#ifndef SQ_RESULT_H
#define SQ_RESULT_H

#include "sim/base/sq_mem.h"
#include "sim/core/sq_verdict.h"

/* A metric of one run. NaN is null. A metric that is a word (drain.state) has word != NULL. */
struct sq_value {
    double number;
    const char *word;
};

/* A timeline column of one run, or of several when `quantile` is set. */
struct sq_column {
    const char *name; /* "dependency.template-api.calls_first_per_s" */
    float *bins;      /* NaN: null in this bin */
};

/* Timeline: columns of equal length. Bin k covers [k * bin_ns, (k+1) * bin_ns). */
struct sq_series {
    sq_time_t bin_ns;
    sq_time_t end_ns; /* the last bin may be short: it ends here */
    size_t bin_count, column_count;
    struct sq_column *columns;
};

/* Something that happened, in order of time; `until_ns` > at_ns for things that last. */
enum sq_moment_kind {
    SQ_MOMENT_OUTAGE,   /* lasts */
    SQ_MOMENT_COLLAPSE, /* lasts: down by its own load */
    SQ_MOMENT_ACTION,
    SQ_MOMENT_SCALING,
    SQ_MOMENT_RAMP,
    SQ_MOMENT_BREAKER,
    SQ_MOMENT_T1,
    SQ_MOMENT_T2,
    SQ_MOMENT_QUEUE_CLEAR,
    SQ_MOMENT_LAST_JOB,
    SQ_MOMENT_PEAK,
    SQ_MOMENT_BROKER, /* a queue's first copy, its first dead letter */
};

struct sq_moment {
    enum sq_moment_kind kind;
    sq_time_t at_ns, until_ns; /* until_ns == at_ns for instants */
    const char *entity;        /* "template-api" or NULL */
    const char *text;          /* a sentence without time: "template-api goes down (planned)" */
};

/* What became of one job of the first run, in order of time. Steps that are left out in the middle
 * of a long life are one step that says so. */
struct sq_life_step {
    sq_time_t at_ns;
    const char *text; /* without time: "refused by api after 100ms; waits 37.2s for its retry" */
};
struct sq_life {
    const char *job; /* "login-codes:17": the 17th of its producer or client; NULL: none */
    const char *why; /* why this one, or NULL: it was asked for */
    size_t step_count;
    struct sq_life_step *steps;
};

/* How something was distributed in the first run. Bin k counts what lies above upto[k - 1] (the
 * first one: from 0 on) and not above upto[k]. */
struct sq_histogram {
    const char *name; /* "producer.login-codes.delay_s" */
    double limit;     /* what it should not pass, as a deadline; NaN: nothing */
    size_t count;
    double *upto;
    uint64_t *counts;
};

/* Who calls whom, and how often: one caller and one dependency. Without bound: infinity. */
struct sq_layer {
    const char *section, *caller; /* "clients", "checkout" */
    const char *dependency;
    double attempts;      /* of a job; 1 where a dependency calls */
    double tries, times;  /* of a call; such calls per attempt, which may be a fraction */
    double calls_per_job; /* at most, while the dependency is down: all layers above multiplied */
};

/* One replication. */
struct sq_run {
    uint64_t replication;    /* from 1 */
    struct sq_value *values; /* as many as sq_result.metric_count */
};

struct sq_result {
    struct sq_arena arena;
    const char *version, *title, *notes, *file, *variant;
    const char *model;         /* "fluid"; NULL: a simulation of events */
    const char *scenario_hash; /* of the effective scenario */
    const char *echo;          /* the effective scenario as YAML */
    uint64_t seed;
    sq_time_t duration_ns;
    size_t metric_count;
    const char **metric_names; /* fixed order, the same in every run of a scenario */
    size_t run_count;
    struct sq_run *runs;
    struct sq_series series; /* of the first run */
    struct sq_series bands;  /* _p10 _p50 _p90 of main columns over the runs; empty with one run */
    size_t band_runs;        /* runs the bands are made of (bounded memory), 0 with one run */
    size_t moment_count;
    struct sq_moment *moments; /* of the first run */
    size_t histogram_count;
    struct sq_histogram *histograms;
    struct sq_life life; /* of a job of the first run */
    size_t layer_count;
    struct sq_layer *layers; /* workers, clients, dependencies, each in the order of the file */
    size_t remark_count;
    const char **remarks; /* sentences for the page */
    size_t verdict_count;
    struct sq_verdict *verdicts;  /* expectations of this variant, in the order of the file */
    bool interrupted;             /* fewer runs than wanted: the first run_count of them */
    size_t runs_wanted;           /* may be 0 when not interrupted */
    const struct sq_seals *seals; /* of its files (sq_seal.h); NULL: not known */
};

/* "outage", "queue-clear" ...: the kind as files name it; and back, false for an unknown word. */
const char *sq_moment_word(enum sq_moment_kind kind);
bool sq_moment_kind(const char *word, enum sq_moment_kind *out);

/* The forecast made at T1 in the first run, in words: "clears in 13m"; NULL when none was made. */
const char *sq_result_forecast(const struct sq_result *r);

/* Index of a metric or column by name; -1 when there is none. O(n). */
long sq_result_metric(const struct sq_result *r, const char *name);
long sq_series_column(const struct sq_series *s, const char *name);

/* The histogram of this name, or NULL. */
const struct sq_histogram *sq_result_histogram(const struct sq_result *r, const char *name);

#endif
