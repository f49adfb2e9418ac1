/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_paths.c - call paths and headroom as text. */
#include "models/advice/mdl_paths.h"

#include "models/advice/mdl_rule.h"

#include <math.h>
#include <string.h>

static const char *number(struct mdl_lint *l, double value)
{
    return isinf(value) ? "unlimited" : mdl_say_number(l, value);
}

static const char *plural(double n)
{
    return n == 1 ? "" : "s";
}

/* ---- layers ---- */

/* "5s, 10s, 20s ... 1h": mean delays after the first failures and the last one. */
static const char *delays(struct mdl_lint *l, const struct mdl_retry_cfg *retry)
{
    double retries = mdl_retries_of(retry);
    const char *text = "";
    for (uint32_t n = 1; n <= fmin(retries, 3); n++) {
        text = mdl_say(l, "%s%s%s", text, n > 1 ? ", " : "",
                       mdl_say_span(l, mdl_delay_after(retry, n).mean));
    }
    if (retries > 3) {
        uint32_t last = (uint32_t)fmin(retries, MDL_LOOK_RETRIES);
        text = mdl_say(l, "%s ... %s", text, mdl_say_span(l, mdl_delay_after(retry, last).mean));
    }
    return text;
}

static const char *holder(const struct mdl_layer *y)
{
    static const char *const words[] = { [MDL_HELD_BROKER] = "held by the broker",
                                         [MDL_HELD_WORKER] = "held in the worker's memory",
                                         [MDL_HELD_SLOT] = "held in the slot" };
    if (y->is_call) {
        return "the caller waits in place";
    }
    return y->route->workers != NULL ? words[y->retry->held_by] : "held by the client";
}

static void put_layer(struct mdl_lint *l, const struct mdl_layer *y, const char *what,
                      const char *unit, struct sq_buf *out)
{
    double tries = mdl_tries_of(y->retry), window = mdl_window_s(y->retry);
    sq_buf_printf(out, "#     %-14s%s %s", what, number(l, tries), unit);
    if (tries > 1) {
        bool spread = mdl_delay_after(y->retry, 1).most > mdl_delay_after(y->retry, 1).least;
        sq_buf_printf(out, "; delays %s%s, %s", delays(l, y->retry), spread ? " on average" : "",
                      holder(y));
        sq_buf_printf(out, "; together %s",
                      isinf(window) ? "without end" : mdl_say_span(l, window));
    }
    sq_buf_putc(out, '\n');
}

static void put_layers(struct mdl_lint *l, const struct mdl_route *r, struct sq_buf *out)
{
    struct mdl_layer call = { r->calls->retry, NULL, r->dependency_name, r, true };
    struct mdl_layer job = { r->job_retry, NULL, r->dependency_name, r, false };
    const char *timeout =
        r->calls->timeout == SQ_NEVER
            ? "no timeout"
            : mdl_say(l, "timeout %s", mdl_say_span(l, sq_time_to_s(r->calls->timeout)));
    if (call.retry != NULL) {
        const char *tries = mdl_tries_of(call.retry) == 1 ? "try" : "tries";
        put_layer(l, &call, "per call", mdl_say(l, "%s, %s", tries, timeout), out);
    } else {
        sq_buf_printf(out, "#     %-14s1 try, %s\n", "per call", timeout);
    }
    if (job.retry != NULL) {
        put_layer(l, &job, "per job", mdl_tries_of(job.retry) == 1 ? "attempt" : "attempts", out);
    } else if (r->workers != NULL || r->client != NULL) {
        sq_buf_printf(out, "#     %-14s1 attempt\n", "per job");
    }
    if (r->queue != NULL) {
        double receives =
            r->queue->max_receives == SQ_UNLIMITED ? INFINITY : (double)r->queue->max_receives;
        sq_buf_printf(out, "#     %-14s%s deliver%s\n", "by the broker", number(l, receives),
                      receives == 1 ? "y" : "ies");
    }
}

/* "4 x 3 = 12 calls": the factors from the call outwards. */
static const char *product(struct mdl_lint *l, const struct mdl_route *r)
{
    const char *text = number(l, mdl_tries_of(r->calls->retry) * ceil(r->calls->times));
    const struct mdl_route *at = r;
    for (size_t hops = 0; hops < l->route_count && at->workers == NULL && at->client == NULL;
         hops++) {
        const struct mdl_route *outer = NULL;
        for (size_t i = 0; i < l->route_count; i++) {
            const struct mdl_route *o = &l->routes[i];
            if (strcmp(o->dependency_name, at->caller) == 0 &&
                (outer == NULL || mdl_calls_per_job(l, o) > mdl_calls_per_job(l, outer))) {
                outer = o;
            }
        }
        if (outer == NULL) {
            break;
        }
        text = mdl_say(l, "%s x %s", text,
                       number(l, mdl_tries_of(outer->calls->retry) * ceil(outer->calls->times)));
        at = outer;
    }
    return mdl_say(l, "%s x %s", text, number(l, mdl_tries_of(at->job_retry)));
}

/* What a saturated ratio budget bounds the amplification to. */
static void put_budget(struct mdl_lint *l, const struct mdl_route *r, struct sq_buf *out)
{
    const char *path = mdl_say(l, "controls.%s.budget", r->dependency_name);
    const char *of = mdl_read_word(l, mdl_say(l, "%s.of", path));
    double ratio = mdl_read_number(l, mdl_say(l, "%s.ratio", path));
    if (strcmp(mdl_read_word(l, mdl_say(l, "%s.kind", path)), "ratio") != 0 || isnan(ratio)) {
        return;
    }
    const char *share = mdl_say_number(l, ratio);
    if (strcmp(of, "calls") == 0 && ratio < 1) {
        sq_buf_printf(
            out,
            "#     %-14sretries up to %s of all calls: at most 1 / (1 - %s) = %s calls per "
            "first call\n",
            "budget", share, share, mdl_say_number(l, 1 / (1 - ratio)));
    } else if (strcmp(of, "first") == 0) {
        sq_buf_printf(out,
                      "#     %-14sretries up to %s of first calls: at most 1 + %s = %s calls per "
                      "first call\n",
                      "budget", share, share, mdl_say_number(l, 1 + ratio));
    } else if (strcmp(of, "successes") == 0) {
        sq_buf_printf(out, "#     %-14sretries up to %s of the successes: none while it is down\n",
                      "budget", share);
    }
}

static void put_route(struct mdl_lint *l, const struct mdl_route *r, struct sq_buf *out)
{
    double all = mdl_calls_per_job(l, r), outage = mdl_outage_s(r->dependency);
    double answer = sq_time_to_s(r->dependency->answer_in);
    sq_buf_printf(out, "#   %s -> %s\n", r->owner_path, r->dependency_name);
    put_layers(l, r, out);
    sq_buf_printf(out, "#     %-14s%s = %s call%s of %s by one job while it is down\n",
                  "worst case", product(l, r), number(l, all), plural(all), r->dependency_name);
    put_budget(l, r, out);
    if (!isinf(r->slots)) {
        double cap =
            mdl_read_number(l, mdl_say(l, "controls.%s.concurrency.limit", r->dependency_name));
        double at_once = fmin(r->slots, isnan(cap) ? INFINITY : cap);
        sq_buf_printf(out, "#     %-14s%s slots%s; refused in %s, %s calls a second\n", "fleet",
                      number(l, r->slots),
                      at_once < r->slots ? mdl_say(l, ", capped at %s calls", number(l, cap)) : "",
                      mdl_say_span(l, answer), number(l, answer > 0 ? at_once / answer : INFINITY));
    }
    if (outage > 0 && r->job_retry != NULL) {
        double window = mdl_window_s(r->job_retry);
        sq_buf_printf(out, "#     %-14s%s: the attempts of a job last %s, %s\n", "outage",
                      mdl_say_span(l, outage), isinf(window) ? "for ever" : mdl_say_span(l, window),
                      window >= outage ? "longer" : "which is less: jobs give up in it");
    }
}

/* ---- headroom ---- */

static void put_headroom(struct mdl_lint *l, size_t at, struct sq_buf *out)
{
    const struct sq_map *all = &l->s->cfg.dependencies;
    const struct mdl_dependency_cfg *d = sq_map_at(all, at);
    bool limited = d->rate_limit.kind != NULL;
    double most_served = limited ? mdl_limiter_rate(&d->rate_limit) : INFINITY;
    double capacity = fmin(mdl_capacity_per_s(d), most_served), load = 0, most = 0;
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (strcmp(r->dependency_name, all->names[at]) == 0) {
            load += r->rate_per_s * r->calls->times;
            most = fmax(most, mdl_tries_of(r->calls->retry));
        }
    }
    if (isinf(capacity) || !(capacity > 0)) {
        sq_buf_printf(out, "#   %s: %s new calls a second, servers unlimited\n", all->names[at],
                      mdl_say_number(l, load));
        return;
    }
    sq_buf_printf(out, "#   %s: %s new calls a second of %s that it can serve, %s %%",
                  all->names[at], mdl_say_number(l, load), mdl_say_number(l, capacity),
                  mdl_say_number(l, 100 * load / capacity));
    if (most > 1 && !isinf(most)) {
        sq_buf_printf(out, "; of %s when every call is tried %s times",
                      mdl_say_number(l, capacity / most), mdl_say_number(l, most));
    }
    sq_buf_putc(out, '\n');
}

enum sq_status mdl_paths_write(const struct mdl_scenario *s, struct sq_buf *out)
{
    struct mdl_lint l = { .s = s };
    enum sq_status status = mdl_routes_open(&l);
    if (status == SQ_OK && l.route_count > 0) {
        sq_buf_puts(out, "#\n# Call paths\n");
        for (size_t i = 0; i < l.route_count; i++) {
            put_route(&l, &l.routes[i], out);
        }
        sq_buf_puts(out, "#\n# Headroom without retries\n");
        for (size_t i = 0; i < s->cfg.dependencies.count; i++) {
            put_headroom(&l, i, out);
        }
        sq_buf_puts(out, "#\n");
    }
    status = status == SQ_OK && l.failed ? SQ_NOMEM : status;
    mdl_lint_fini(&l);
    return status;
}
