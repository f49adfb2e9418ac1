/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.h - one run of a scenario written as text, with its metrics and all its records. */
#ifndef TESTS_MODELS_RUNS_H
#define TESTS_MODELS_RUNS_H

#include "models/mdl_probe.h"

struct seen {
    sq_time_t at;
    struct mdl_rec r;
};

struct run_metric {
    char name[80];
    double value;
};

struct run {
    struct mdl_scenario s;
    struct mdl_world w;
    void (*observe)(void *probe, const struct mdl_rec *r);
    struct seen *seen;
    size_t count, size;
    struct run_metric metrics[400];
    size_t metric_count;
};

/* Runs replication 1 to its end, all laws checked after every event. The test fails when anything
 * is wrong. `sets`: as --set. */
struct run *run_open(const char *yaml, const char *const *sets, size_t set_count);
void run_close(struct run *run);

/* A metric; the test fails when there is none of this name. */
double run_get(const struct run *run, const char *name);

#endif
