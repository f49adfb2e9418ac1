/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conf_lang.h - a small made-up language that has every type of row, for the tests of sq_conf. */
#ifndef CONF_LANG_H
#define CONF_LANG_H

#include "sim/conf/sq_conf.h"

struct constant {
    sq_time_t value;
};
struct uniform {
    sq_time_t min, max;
};
struct normal {
    sq_time_t mean, sd;
};

struct rate_constant {
    double value;
};
struct rate_point {
    sq_time_t at;
    double rate;
    int64_t weight;
};
struct rate_steps {
    struct sq_list points; /* struct rate_point */
};

struct poisson {
    struct sq_block rate;
};
struct bursts {
    int64_t size;
    struct sq_block every;
};
struct cohort {
    int64_t count;
    sq_time_t at;
};

struct fixed {
    sq_time_t base;
};
struct exponential {
    sq_time_t base, cap;
    double factor;
    int64_t doublings;
};
struct table {
    struct sq_list delays;
};

struct ratio {
    double ratio;
    int64_t floor;
    int scope;
};
struct tokens {
    int64_t max;
    int scope;
};

struct retry {
    int64_t max_attempts, max_retries;
    struct sq_block backoff;
    struct sq_list retry_on; /* int */
    sq_time_t max_elapsed;
};
struct concurrency {
    int64_t limit;
    sq_time_t lease;
};
struct outage {
    sq_time_t at, length;
    struct sq_block every;
};
struct worker {
    struct sq_list queue; /* struct sq_ref */
    int64_t replicas, slots, memory;
    struct retry *retry;
    struct sq_list outages; /* struct outage */
    struct sq_block work, budget;
    struct concurrency *concurrency;
    bool renew;
    int acknowledge;
};
struct producer {
    struct sq_ref queue;
    struct sq_block arrivals;
    sq_time_t deadline;
    double share;
    const char *label;
    int order;
};
struct health {
    sq_time_t t1, window;
};
struct root {
    int64_t squall;
    const char *title;
    sq_time_t duration, timeline;
    double level, speed;
    struct health *health;
    struct sq_map producers, workers, allow;
    const struct sq_node *actions;
};

extern const struct sq_table lang_table;
extern const struct sq_table lang_retry;

#endif
