/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drained.h - the input of a drain forecast, made by hand. */
#ifndef TESTS_MODELS_DRAINED_H
#define TESTS_MODELS_DRAINED_H

#include "models/forecast/mdl_drain.h"

/* One class, one kind of job, forty slots before an endless dependency. */
struct drained {
    struct mdl_drain_class classes[3];
    struct mdl_drain_rate rates[3];
    struct mdl_drain_jobs ready[4], timers[4];
    struct mdl_drain_hand hands[2];
    struct mdl_drain_input in;
};

/* Jobs of the outage; due_s matters for timers only. */
struct mdl_drain_jobs drained_jobs(double count, uint32_t cls, double due_s);
void drained_init(struct drained *w, double backlog, double rate, double service_s);

/* A ramp of 5, 10, 20, 40 by the minute. */
void drained_ramp(struct drained *w);

/* Forecasts; asserts that what comes in goes out. */
struct mdl_drain_result drained_run(struct drained *w);

#endif
