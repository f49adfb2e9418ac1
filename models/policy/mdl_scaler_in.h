/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler_in.h - configurations of the kinds of autoscaler, and their arithmetic: between
 * mdl_scaler.c, which has the rows, and the other mdl_scaler_*.c. */
#ifndef MDL_SCALER_IN_H
#define MDL_SCALER_IN_H

#include "models/policy/mdl_scaler.h"

struct mdl_scale_policy { /* one of the two is given */
    int64_t pods;
    double percent;
    sq_time_t every;
};
enum mdl_scale_select { MDL_SELECT_MAX, MDL_SELECT_MIN, MDL_SELECT_DISABLED };
struct mdl_scale_limits {
    sq_time_t stabilise;
    struct sq_list policies; /* of struct mdl_scale_policy */
    int select;              /* enum mdl_scale_select */
};
enum mdl_target_type { MDL_TARGET_AVERAGE, MDL_TARGET_VALUE };
struct mdl_hpa {
    struct mdl_scaler_common common;
    int target_type; /* enum mdl_target_type */
    sq_time_t sync;
    double tolerance;
    struct mdl_scale_limits *up, *down;
    sq_time_t poll, cooldown; /* KEDA */
    struct sq_quantity activation;
};

enum mdl_jobs_strategy { MDL_JOBS_DEFAULT, MDL_JOBS_ACCURATE, MDL_JOBS_EAGER };
struct mdl_jobs {
    struct mdl_scaler_common common;
    sq_time_t poll;
    int strategy; /* enum mdl_jobs_strategy */
};

struct mdl_tracking {
    struct mdl_scaler_common common;
    sq_time_t period, cooldown_out, cooldown_in;
    int64_t out_after, in_after; /* periods */
};

struct mdl_step {
    struct sq_quantity from;
    int64_t change;
};
struct mdl_steps {
    struct mdl_scaler_common common;
    struct sq_list steps; /* of struct mdl_step */
    sq_time_t period, cooldown;
};

struct mdl_lambda {
    struct mdl_scaler_common common;
    int64_t start, add;
    sq_time_t every;
};

struct mdl_celery {
    struct mdl_scaler_common common;
    sq_time_t keep;
};

/* What is common to all: within [min, max]. */
static inline int64_t mdl_scaler_clamp(const struct mdl_scaler_common *c, int64_t n)
{
    return sq_max_i64(sq_min_i64(n, c->max), c->min);
}

size_t mdl_hpa_state_size(const void *cfg);
sq_time_t mdl_hpa_period(const void *cfg);
int64_t mdl_hpa_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);
/* The same with another `min`. */
int64_t mdl_hpa_decide_from(const struct mdl_hpa *h, void *state, const struct mdl_scaler_view *v,
                            int64_t min);

size_t mdl_keda_state_size(const void *cfg);
int64_t mdl_keda_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);
sq_time_t mdl_keda_poll(const void *cfg);
int64_t mdl_keda_decide_poll(const void *cfg, void *state, const struct mdl_scaler_view *v);

size_t mdl_jobs_state_size(const void *cfg);
sq_time_t mdl_jobs_period(const void *cfg);
int64_t mdl_jobs_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);

size_t mdl_tracking_state_size(const void *cfg);
sq_time_t mdl_tracking_period(const void *cfg);
int64_t mdl_tracking_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);

size_t mdl_steps_state_size(const void *cfg);
sq_time_t mdl_steps_period(const void *cfg);
int64_t mdl_steps_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);

size_t mdl_lambda_state_size(const void *cfg);
sq_time_t mdl_lambda_period(const void *cfg);
int64_t mdl_lambda_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);

size_t mdl_celery_state_size(const void *cfg);
sq_time_t mdl_celery_period(const void *cfg);
int64_t mdl_celery_decide(const void *cfg, void *state, const struct mdl_scaler_view *v);

#endif
