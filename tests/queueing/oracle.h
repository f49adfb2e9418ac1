/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oracle.h - closed forms and published results that judge the engine.
 *
 * oracles.csv has one expected value per row, found without this program. A family (one function
 * in fam_*.c) turns a row into a check: the scenario to run, how often, and what to measure of it.
 * Checks with the same scenario share its runs. A value passes when
 *
 *     |measured - value| <= 4 * standard error + rel_accuracy * |value| + abs_accuracy
 *
 * The standard error comes from independent replications by leaving one out at a time (jackknife),
 * which serves means, ratios, variances and shares alike. Seeds are fixed: a check gives the same
 * figures in every run. */
#ifndef ORACLE_H
#define ORACLE_H

#include "models/part/mdl_core.h"
#include "models/part/mdl_words.h"
#include "sim/base/sq_buf.h"
#include "sim/conf/sq_csv.h"

#define ORACLE_Z 4.0

struct oracle {
    const char *id, *family, *parameters, *value_text;
    double value, rel, abs; /* value NaN: in words */
};

/* A parameter "lam" of "lam=0.5;mu=1.0"; the test dies when it is not there. */
double oracle_number(const struct oracle *o, const char *key);
/* The text of a parameter, for comparing; valid until the next call with the same buffer. */
const char *oracle_word(const struct oracle *o, const char *key, char *buf, size_t size);
bool oracle_ends(const struct oracle *o, const char *tail);
bool oracle_begins(const struct oracle *o, const char *head);

/* ---- what is measured ---- */

/* Which records: negative or 0 fields match everything. */
struct oracle_match {
    enum mdl_record kind;
    int outcome;      /* -1: any */
    uint32_t attempt; /* 0: any; RETRIES: all above the first */
    int producer;     /* -1: any; index in order of name */
    bool unwaited;    /* only those whose value is 0 */
};
#define ORACLE_RETRIES UINT32_MAX

/* A number of things over time. */
enum oracle_level { LEVEL_JOBS, LEVEL_DELAYED, LEVEL_READY };

enum oracle_ask_kind {
    ASK_METRIC,  /* `metric` "a", "a/b" or "a+b/c" of metric names, summed over the runs */
    ASK_VALUES,  /* the values (s) of matching records inside the window */
    ASK_COUNT,   /* how many matching records inside the window */
    ASK_RATIO,   /* records that match over records that match `base`, inside the window */
    ASK_LEVEL,   /* the level over the window, weighted by time */
    ASK_AT,      /* the level at `from` */
    ASK_PASSAGE, /* when the level first is at most `x` at or after `from`, since `from`; ends the
                  * run */
    ASK_BUSY,    /* lengths of the times in which the level is above 0 without a break */
    ASK_INSTANT, /* the instant of the record number `x` (from 1) that matches, inside the window */
    ASK_PEAK,    /* the largest level inside the window */
    ASK_RECOVER, /* when the first 5 s in a row begin in which more than `x` matching records come,
                  * on whole seconds, since `from` */
    ASK_BUSIEST, /* the most matching records in 60 s in a row inside the window */
};

/* What is made of the values v. */
enum oracle_figure {
    FIGURE_MEAN,
    FIGURE_VAR,
    FIGURE_SD,
    FIGURE_SHARE, /* of values <= `bound` */
    FIGURE_CAPPED /* mean of min(v, bound) */
};

struct oracle_ask {
    enum oracle_ask_kind kind;
    enum oracle_figure figure;
    const char *metric;
    struct oracle_match match, base;
    enum oracle_level level;
    int without;      /* LEVEL_JOBS: leaves out those of producer number `without` - 1; 0: none */
    bool per_run;     /* what is made of the sums of one run is one value */
    uint32_t attempt; /* LEVEL_DELAYED: of jobs with so many attempts behind them; 0: all */
    double from, to;  /* window (s); to 0: from measure_from to the end */
    double x, bound;
    double scale;     /* of the result; 0: 1 */
    double expected;  /* instead of the row's value; NaN: that */
    bool independent; /* trials of chance `expected`: their exact standard error, for chances too
                       * small to be seen in every run */
};

struct oracle_check {
    struct sq_buf yaml; /* the scenario */
    uint32_t seed;      /* its luck, one per row of parameters */
    size_t reps;
    double slack; /* how far the model itself may be off: whole jobs where the value is of a fluid,
                   * rounding of long sums */
    struct oracle_ask ask;
    double cost; /* jobs and calls in all, roughly: decides what runs in the fast selection */
    bool within; /* instead of one value: lo <= measured <= hi, within 4 standard errors */
    double lo, hi;
    double (*compute)(const struct oracle *o); /* instead of a scenario: our own functions */
    const char *why;                           /* why it is not judged */
};

/* Fills the check of a row for one of the family's places. */
typedef void oracle_family_fn(const struct oracle *o, int place, struct oracle_check *c);

struct oracle_family {
    const char *name;
    oracle_family_fn *make; /* NULL: not judged, because of `why` */
    int places;             /* 0 counts as 1 */
    const char *why;
};
/* Ends with a row without a name. */
extern const struct oracle_family oracle_stations[], oracle_orders[], oracle_retrials[],
    oracle_drains[], oracle_storms[], oracle_published[], oracle_incident[], oracle_claims[],
    oracle_occ[];

/* ---- writing scenarios ---- */

/* Adds text; "@r" a number (double), "@t" a duration of so many seconds (double), "@n" a whole
 * number (double), "@s" a word (const char *). */
void oracle_say(struct sq_buf *b, const char *fmt, ...);

/* Steady state: reps runs of (warm + jobs / (reps * lam)) seconds, measured after `warm`; `relax`
 * is the system's relaxation time (s). Writes the top level of the scenario. */
void oracle_steady(struct oracle_check *c, double jobs, double lam, double relax);

/* A scenario that runs `duration` s, `reps` times. */
void oracle_plain(struct oracle_check *c, size_t reps, double duration);

/* ---- running ---- */

/* Sums of one ask in one run. */
struct oracle_sums {
    double n, s1, s2;
};

struct oracle_group {
    const struct oracle_check *first; /* scenario and reps */
    const struct oracle_ask **asks;
    size_t ask_count;
    struct oracle_sums *sums; /* [rep][ask] */
    double seconds;           /* of processor time */
    char error[400];          /* empty: fine */
};

struct mdl_scenario;
/* Loads a scenario from its text; prints complaints. To be freed with mdl_scenario_fini. */
bool oracle_load(struct mdl_scenario *s, const struct sq_buf *yaml);

/* By our delay laws: the sum of the delays after the failures 1 .. count of a retry layer written
 * as `retry`; at the uniform u, or for u < 0 its mean (exact: the laws are linear in u, or step at
 * a lattice that divides 300). */
double oracle_delays(const char *retry, double count, double u);

/* Runs all replications on all cores. */
void oracle_run(struct oracle_group *g);

struct oracle_estimate {
    double value, se;
};
/* Over the runs of `ask` number k. */
struct oracle_estimate oracle_estimate(const struct oracle_group *g, size_t k);

/* Every metric name of an ask's expression is passed through `value`; used by oracle_run. */
struct mdl_world;
struct oracle_sums oracle_metric(struct mdl_world *w, const char *expression);

#endif
