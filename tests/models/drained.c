/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drained.c - see drained.h. */
#include "tests/models/drained.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const double ramp_steps[] = { 5, 10, 20, 40 };

struct mdl_drain_jobs drained_jobs(double count, uint32_t cls, double due_s)
{
    return (struct mdl_drain_jobs){
        .count = count, .cls = cls, .affected = true, .deadline_s = INFINITY, .due_s = due_s
    };
}

void drained_init(struct drained *w, double backlog, double rate, double service_s)
{
    memset(w, 0, sizeof(*w));
    for (size_t i = 0; i < 3; i++) {
        w->rates[i] = (struct mdl_drain_rate){ 0, i == 0 ? rate : 0 };
        w->classes[i] = (struct mdl_drain_class){
            .rates = &w->rates[i], .rate_count = 1, .deadline_s = INFINITY, .calls_per_job = 1
        };
    }
    w->ready[0] = drained_jobs(backlog, 0, 0);
    w->in = (struct mdl_drain_input){
        .classes = w->classes,
        .class_count = 1,
        .arrivals_end_s = INFINITY,
        .ready = w->ready,
        .ready_count = 1,
        .timers = w->timers,
        .hands = w->hands,
        .callers = { 1e6, 1e6, 0 },
        .service = { .servers = INFINITY,
                     .service_s = service_s,
                     .timeout_s = INFINITY,
                     .warm_from = 1,
                     .overload_in_flight = INFINITY },
        .gate = { .limit = 40, .rate_per_s = INFINITY, .ramp_from_s = 0, .delay_s = 10 },
        .settle_s = 120,
    };
}

void drained_ramp(struct drained *w)
{
    w->in.gate.steps = ramp_steps;
    w->in.gate.step_count = SQ_COUNT(ramp_steps);
    w->in.gate.step_s = 60;
}

struct mdl_drain_result drained_run(struct drained *w)
{
    struct mdl_drain_result r;
    assert_int_equal(mdl_drain(&w->in, NULL, &r), SQ_OK);
    double in = r.work.backlog + r.work.arrived;
    double out = r.work.served + r.work.stale + r.work.superseded + r.work.dead + r.work.left;
    assert_true(fabs(in - out) <= 1e-9 * fmax(1, in));
    return r;
}
