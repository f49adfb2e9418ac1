/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall.c - figures of the command line into the fluid model. */
#include "models/study/mdl_oncall.h"

#include "models/study/mdl_oncall_in.h"
#include "models/study/mdl_oncall_timeline.h"
#include "sim/base/sq_mem.h"
#include "sim/base/sq_unit.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static enum sq_status refuse(struct sq_diag *diag, const char *option, const char *hint,
                             const char *text)
{
    return sq_diag_error(diag, (struct sq_where){ 0 }, option, hint, "%s", text);
}

static enum sq_status read_count(const struct sq_args *args, const char *name, double *out,
                                 struct sq_diag *diag)
{
    int64_t n = -1;
    enum sq_status status =
        sq_args_count(args, name, (struct sq_opt_range){ 0, INT64_C(1000000000000) }, &n, diag);
    *out = status == SQ_OK && n >= 0 ? (double)n : *out;
    return status;
}

/* More than nothing, but for an instant. */
static enum sq_status read_span(const struct sq_args *args, const char *name, double *out,
                                struct sq_diag *diag)
{
    sq_time_t t = -1;
    bool instant = strcmp(name, "at") == 0;
    struct sq_opt_range range = { instant ? 0 : 1, 10000 * INT64_C(86400) * SQ_NS_PER_S };
    enum sq_status status = sq_args_duration(args, name, range, &t, diag);
    *out = status == SQ_OK && t >= 0 ? sq_time_to_s(t) : *out;
    return status;
}

static enum sq_status read_arrivals(struct mdl_oncall *f, const struct sq_args *args,
                                    struct sq_diag *diag)
{
    const char *text = sq_args_get(args, "arrivals");
    const char *wrong = text != NULL ? sq_unit_rate(text, &f->arrivals_per_s) : NULL;
    return wrong != NULL ? refuse(diag, "--arrivals", "for example --arrivals 50/s", wrong) : SQ_OK;
}

/* "125/s" is a rate, "40" are calls at a time. */
static const char *read_cap(const char *text, bool rate, double *out)
{
    int64_t n;
    if (rate) {
        return sq_unit_rate(text, out);
    }
    const char *wrong = sq_unit_count(text, &n);
    *out = wrong == NULL ? (double)n : *out;
    return wrong;
}

static bool is_rate(const char *text)
{
    return strchr(text, '/') != NULL;
}

static enum sq_status refuse_permits(const char *text, struct sq_diag *diag)
{
    struct sq_buf hint = { 0 };
    sq_buf_printf(&hint, "add --service 320ms; or is it a rate, --cap %s/s?", text);
    enum sq_status status = refuse(diag, "--cap", hint.failed ? NULL : hint.text,
                                   "calls at a time need the time that a call takes");
    sq_buf_fini(&hint);
    return status;
}

static enum sq_status read_capacity(struct mdl_oncall *f, const struct sq_args *args,
                                    struct sq_diag *diag)
{
    const char *text = sq_args_get(args, "cap");
    if (text == NULL) {
        return SQ_OK;
    }
    double *out = is_rate(text) ? &f->cap_per_s : &f->permits;
    const char *wrong = read_cap(text, is_rate(text), out);
    if (wrong != NULL) {
        return refuse(diag, "--cap", "a rate such as 125/s, or a number of calls at a time", wrong);
    }
    if (f->permits == 0) { /* no calls at a time are no jobs a second, however long they take */
        f->permits = (double)NAN;
        f->cap_per_s = 0;
    }
    return isnan(f->permits) || !isnan(f->service_s) ? SQ_OK : refuse_permits(text, diag);
}

static enum sq_status read_ramp(struct mdl_oncall *f, const struct sq_args *args,
                                struct sq_diag *diag)
{
    const char *text = sq_args_get(args, "ramp");
    char one[32];
    while (text != NULL && *text != '\0') {
        size_t len = strcspn(text, ",");
        const char *wrong = "is too long";
        if (len < sizeof(one) && f->step_count < MDL_MAX_STEPS) {
            memcpy(one, text, len);
            one[len] = '\0';
            wrong = read_cap(one, is_rate(one), &f->steps[f->step_count++]);
            wrong = wrong == NULL && is_rate(one) == isnan(f->cap_per_s)
                        ? "has another unit than --cap"
                        : wrong;
        }
        if (wrong != NULL) {
            return refuse(diag, "--ramp", "steps in the unit of --cap, for example 5,10,20,40",
                          wrong);
        }
        text += len + (text[len] == ',');
    }
    return SQ_OK;
}

static enum sq_status read_timer(struct mdl_oncall *f, const char *text, struct sq_diag *diag)
{
    char part[3][32] = { "", "", "" };
    const char *at = strchr(text, '@');
    const char *dots = at != NULL ? strstr(at, "..") : NULL;
    size_t ends[3] = { at != NULL ? (size_t)(at - text) : 0,
                       dots != NULL ? (size_t)(dots - at - 1) : (at != NULL ? strlen(at + 1) : 0),
                       dots != NULL ? strlen(dots + 2) : 0 };
    const char *starts[3] = { text, at != NULL ? at + 1 : "", dots != NULL ? dots + 2 : "" };
    bool sane = at != NULL && f->timer_count < MDL_MAX_TIMERS;
    for (size_t i = 0; i < 3 && sane; i++) {
        sane = ends[i] < sizeof(part[i]);
        memcpy(part[i], starts[i], sane ? ends[i] : 0);
    }
    int64_t count;
    sq_time_t from = 0, to = 0;
    sane =
        sane && sq_unit_count(part[0], &count) == NULL && sq_unit_duration(part[1], &from) == NULL;
    to = from;
    sane = sane && (dots == NULL || sq_unit_duration(part[2], &to) == NULL) && to >= from;
    if (!sane) {
        return refuse(diag, "--timers", "for example 12k@5m, or 12k@5m..30m when spread",
                      "is no count of retries with the time until they are due");
    }
    f->timers[f->timer_count++] =
        (struct mdl_oncall_timers){ (double)count, sq_time_to_s(from), sq_time_to_s(to) };
    return SQ_OK;
}

static enum sq_status read_timers(struct mdl_oncall *f, const struct sq_args *args,
                                  struct sq_diag *diag)
{
    size_t at = 0;
    const char *text;
    enum sq_status status = SQ_OK;
    while (status == SQ_OK && (text = sq_args_next(args, "timers", &at)) != NULL) {
        status = read_timer(f, text, diag);
    }
    return status;
}

/* What would be read and then say nothing. */
static enum sq_status check_use(const struct mdl_oncall *f, const struct sq_args *args,
                                struct sq_diag *diag)
{
    if (!isnan(f->service_s) && isnan(f->permits) && f->cap_per_s != 0) {
        return refuse(diag, "--service", "for example --cap 40 --service 320ms",
                      "goes with --cap as a number of calls at a time");
    }
    return sq_args_get(args, "every") != NULL && f->step_count == 0
               ? refuse(diag, "--every", NULL, "goes with --ramp")
               : SQ_OK;
}

static enum sq_status check(const struct mdl_oncall *f, struct sq_diag *diag)
{
    if (isnan(f->backlog)) {
        return refuse(diag, "--backlog", "for example --backlog 84210, or --from timeline.csv",
                      "how many jobs wait is missing");
    }
    if (isnan(f->cap_per_s) && isnan(f->permits)) {
        return refuse(diag, "--cap", "for example --cap 125/s", "the capacity is missing");
    }
    return f->stale > f->backlog
               ? refuse(diag, "--stale", NULL, "more jobs are stale than there are in the backlog")
               : SQ_OK;
}

/* Figures that are not those of the file: of all its queues together. */
static bool is_any_given(const struct sq_args *args)
{
    static const char *const names[] = { "backlog", "arrivals", "ramp", "stale" };
    size_t at = 0;
    bool given = sq_args_next(args, "timers", &at) != NULL;
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        given = given || sq_args_get(args, names[i]) != NULL;
    }
    return given;
}

enum sq_status mdl_oncall_read(struct mdl_oncall *f, const struct sq_args *args,
                               struct sq_diag *diag)
{
    *f = (struct mdl_oncall){ .backlog = NAN,
                              .cap_per_s = NAN,
                              .permits = NAN,
                              .service_s = NAN,
                              .step_s = 60,
                              .from = sq_args_get(args, "from") };
    double at = NAN, window = 300;
    enum sq_status status = read_count(args, "backlog", &f->backlog, diag);
    status = status == SQ_OK ? read_count(args, "stale", &f->stale, diag) : status;
    status = status == SQ_OK ? read_span(args, "service", &f->service_s, diag) : status;
    status = status == SQ_OK ? read_span(args, "every", &f->step_s, diag) : status;
    status = status == SQ_OK ? read_span(args, "at", &at, diag) : status;
    status = status == SQ_OK ? read_span(args, "window", &window, diag) : status;
    status = status == SQ_OK ? read_capacity(f, args, diag) : status;
    if (status == SQ_OK && f->from != NULL) {
        struct mdl_timeline_ask ask = { f->from, at, window };
        f->measured = isnan(f->cap_per_s) && isnan(f->permits);
        f->as_it_is = f->measured && !is_any_given(args);
        status = mdl_oncall_timeline(f, &ask, diag);
    } else if (status == SQ_OK && (!isnan(at) || sq_args_get(args, "window") != NULL)) {
        status = refuse(diag, !isnan(at) ? "--at" : "--window", NULL, "goes with --from");
    }
    status = status == SQ_OK ? read_arrivals(f, args, diag) : status;
    status = status == SQ_OK ? read_ramp(f, args, diag) : status;
    status = status == SQ_OK ? read_timers(f, args, diag) : status;
    status = status == SQ_OK ? check(f, diag) : status;
    return status == SQ_OK ? check_use(f, args, diag) : status;
}

/* ---- the model ---- */

/* A capacity given as a rate is that many permits of a call of this length. */
static const double rate_service_s = 0.01;

struct model {
    struct mdl_drain_input in;
    struct mdl_drain_rate rate;
    struct mdl_drain_class cls;
    struct mdl_drain_jobs ready[2];
    struct mdl_drain_jobs *timers;
    double steps[MDL_MAX_STEPS];
};

/* One bucket of timers per second of their range, and not more than these. */
static const double most_buckets = 100000;

static size_t buckets_of(const struct mdl_oncall_timers *t)
{
    return (size_t)fmin(t->to_s - t->from_s, most_buckets) + 1;
}

static enum sq_status fill_timers(struct model *m, const struct mdl_oncall *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->timer_count; i++) {
        count += buckets_of(&f->timers[i]);
    }
    m->timers = sq_mem_alloc(count + 1, sizeof(*m->timers));
    if (m->timers == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < f->timer_count; i++) {
        const struct mdl_oncall_timers *t = &f->timers[i];
        size_t buckets = buckets_of(t);
        double apart_s = fmax((t->to_s - t->from_s) / most_buckets, 1);
        for (size_t k = 0; k < buckets; k++) {
            m->timers[m->in.timer_count++] =
                (struct mdl_drain_jobs){ .count = t->count / (double)buckets,
                                         .affected = true,
                                         .deadline_s = INFINITY,
                                         .due_s = t->from_s + (double)k * apart_s };
        }
    }
    m->in.timers = m->timers;
    return SQ_OK;
}

static void fill(struct model *m, const struct mdl_oncall *f)
{
    bool rate = isnan(f->permits);
    double service = rate ? rate_service_s : f->service_s;
    double scale = rate ? service : 1;
    m->rate = (struct mdl_drain_rate){ 0, f->arrivals_per_s };
    m->cls = (struct mdl_drain_class){
        .rates = &m->rate, .rate_count = 1, .deadline_s = INFINITY, .calls_per_job = 1
    };
    m->ready[0] = (struct mdl_drain_jobs){ .count = f->stale, .affected = true, .deadline_s = -1 };
    m->ready[1] = (struct mdl_drain_jobs){ .count = f->backlog - f->stale,
                                           .affected = true,
                                           .deadline_s = INFINITY };
    for (size_t i = 0; i < f->step_count; i++) {
        m->steps[i] = f->steps[i] * scale;
    }
    m->in.classes = &m->cls;
    m->in.class_count = 1;
    m->in.arrivals_end_s = INFINITY;
    m->in.ready = m->ready;
    m->in.ready_count = 2;
    m->in.callers = (struct mdl_drain_callers){ INFINITY, INFINITY, 0 };
    m->in.service = (struct mdl_drain_service){ .servers = INFINITY,
                                                .service_s = service,
                                                .timeout_s = INFINITY,
                                                .warm_from = 1,
                                                .overload_in_flight = INFINITY };
    m->in.gate = (struct mdl_drain_gate){ .limit = rate ? f->cap_per_s * service : f->permits,
                                          .rate_per_s = INFINITY,
                                          .steps = m->steps,
                                          .step_count = f->step_count,
                                          .step_s = f->step_s };
    m->in.backlog_max = f->measured ? MDL_ONCALL_CLEAR : fmin(MDL_ONCALL_CLEAR, f->backlog / 100);
    m->in.settle_s = 120;
}

enum sq_status mdl_oncall_forecast(const struct mdl_oncall *f, struct mdl_drain_result *out)
{
    struct model m = { 0 };
    fill(&m, f);
    enum sq_status status = fill_timers(&m, f);
    status = status == SQ_OK ? mdl_drain(&m.in, NULL, out) : status;
    sq_mem_free(m.timers);
    return status;
}

enum sq_status mdl_oncall_page(const struct sq_args *args, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_oncall f;
    enum sq_status status = mdl_oncall_read(&f, args, diag);
    return status == SQ_OK ? mdl_oncall_say(&f, out) : status;
}
