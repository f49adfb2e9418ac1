/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_delays.c - rules about how long retries wait. */
#include "models/advice/mdl_rule.h"

#include <math.h>
#include <string.h>

static const char *of(struct mdl_lint *l, const struct mdl_layer *y, const char *key)
{
    return mdl_say(l, "%s.%s", y->path, key);
}

/* ---- no-jitter ---- */

/* Jobs that an outage makes fail at nearly one time: those that arrive while it lasts, and all that
 * a cohort or closed population has under way. */
static double jobs_together(const struct mdl_layer *y)
{
    double seconds = mdl_outage_s(y->route->dependency);
    return y->route->rate_per_s * seconds;
}

static void look_no_jitter(struct mdl_lint *l, const struct mdl_layer *y)
{
    struct mdl_delay_span first = mdl_delay_after(y->retry, 1);
    bool spread = first.most > first.least;
    if (spread || !(first.mean > 0) || mdl_retries_of(y->retry) < 1 ||
        !mdl_fails_for_all(y->route->dependency)) {
        return;
    }
    double jobs = jobs_together(y);
    const char *first_s = mdl_say_span(l, first.mean);
    if (jobs >= 1) {
        mdl_find(l, of(l, y, "jitter"),
                 "jobs that fail together try again together, exactly %s later: the %s outage of "
                 "%s meets %s jobs",
                 first_s, mdl_say_span(l, mdl_outage_s(y->route->dependency)), y->upstream,
                 mdl_say_number(l, floor(jobs)));
    } else {
        mdl_find(l, of(l, y, "jitter"),
                 "jobs that fail together when %s fails try again together, exactly %s later",
                 y->upstream, first_s);
    }
}

static void no_jitter(struct mdl_lint *l)
{
    mdl_each_layer(l, look_no_jitter);
}

/* ---- jitter-rounds-to-nothing ---- */

static void look_rounds(struct mdl_lint *l, const struct mdl_layer *y)
{
    double lattice = mdl_read_s(l, of(l, y, "jitter.lattice"));
    const char *kind = mdl_read_word(l, of(l, y, "jitter.kind"));
    struct mdl_delay_span first = mdl_delay_after(y->retry, 1);
    if (isnan(lattice) || strcmp(kind, "none") == 0 || first.most > first.least ||
        !(first.mean > 0)) {
        return;
    }
    mdl_find(l, of(l, y, "jitter.lattice"),
             "draws are multiples of %s, so the jitter of the first delay (%s) has one value",
             mdl_say_span(l, lattice), mdl_say_span(l, first.mean));
}

static void jitter_rounds(struct mdl_lint *l)
{
    mdl_each_layer(l, look_rounds);
}

/* ---- cap-below-base ---- */

static void look_cap(struct mdl_lint *l, const struct mdl_layer *y)
{
    double cap = mdl_read_s(l, of(l, y, "backoff.cap"));
    double base = mdl_read_s(l, of(l, y, "backoff.base"));
    if (isnan(cap) || isnan(base) || !(cap < base)) {
        return;
    }
    mdl_find(l, of(l, y, "backoff.cap"), "cap %s is below base %s: every delay is the cap",
             mdl_say_span(l, cap), mdl_say_span(l, base));
}

static void cap_below_base(struct mdl_lint *l)
{
    mdl_each_layer(l, look_cap);
}

/* ---- base-far-below-outage ---- */

enum { BASE_SHARE = 1000 };

static void look_base(struct mdl_lint *l, const struct mdl_layer *y)
{
    double outage = mdl_outage_s(y->route->dependency);
    double first = mdl_delay_after(y->retry, 1).mean;
    double retries = mdl_retries_of(y->retry);
    if (y->is_call || !(outage > 0) || !(first > 0) || first * BASE_SHARE >= outage) {
        return;
    }
    uint32_t n = 1; /* tries before one outlives a tenth of the outage */
    while (n < fmin(retries, MDL_LOOK_RETRIES) && mdl_delay_after(y->retry, n).mean < outage / 10) {
        n++;
    }
    mdl_find(
        l, of(l, y, "backoff"),
        "the first delay is %s, 1/%s of the %s outage: the first %u retries of a job that fails "
        "in it are spent before a tenth of it is over",
        mdl_say_span(l, first), mdl_say_number(l, round(outage / first)), mdl_say_span(l, outage),
        n);
}

static void base_far_below(struct mdl_lint *l)
{
    mdl_each_layer(l, look_base);
}

/* ---- window-below-outage ---- */

static void look_window(struct mdl_lint *l, const struct mdl_layer *y)
{
    double outage = mdl_outage_s(y->route->dependency), window = mdl_window_s(y->retry);
    if (y->is_call || !(outage > 0) || window >= outage || mdl_retries_of(y->retry) < 1) {
        return;
    }
    double from = mdl_outage_from_s(y->route->dependency), early = outage - window;
    double jobs = mdl_jobs_between(l, y->route, from, from + early);
    mdl_find(l, y->path,
             "all retries together take %s on average, and the outage of %s %s: %s before it ends",
             mdl_say_span(l, window), y->upstream, mdl_say_span(l, outage),
             jobs >= 1
                 ? mdl_say(l, "about %s jobs give up", mdl_say_number(l, floor(jobs)))
                 : mdl_say(l, "a job that comes in its first %s gives up", mdl_say_span(l, early)));
}

static void window_below(struct mdl_lint *l)
{
    mdl_each_layer(l, look_window);
}

/* ---- growth-without-cap ---- */

static void look_growth(struct mdl_lint *l, const struct mdl_layer *y)
{
    const double day = 86400;
    double retries = fmin(mdl_retries_of(y->retry), MDL_LOOK_RETRIES);
    if (mdl_read_s(l, of(l, y, "backoff.cap")) < INFINITY || retries < 2) {
        return;
    }
    double last = mdl_delay_after(y->retry, (uint32_t)retries).most;
    if (last > day && last > mdl_delay_after(y->retry, 1).most) {
        mdl_find(l, of(l, y, "backoff"), "the delay grows without a cap: retry %s waits up to %s",
                 mdl_say_number(l, retries),
                 last < 1e4 * day ? mdl_say_span(l, last) : "more than 10,000 days");
    }
}

static void growth(struct mdl_lint *l)
{
    mdl_each_layer(l, look_growth);
}

/* ---- deadline-before-retry ---- */

static void deadline_before(struct mdl_lint *l)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    for (size_t i = 0; i < cfg->producers.count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(&cfg->producers, i);
        for (size_t k = 0; k < l->route_count && p->deadline != SQ_NEVER; k++) {
            const struct mdl_route *r = &l->routes[k];
            if (r->job_retry == NULL || r->queue_name == NULL ||
                strcmp(r->queue_name, p->queue.name) != 0 || mdl_retries_of(r->job_retry) < 1) {
                continue;
            }
            double first = mdl_delay_after(r->job_retry, 1).mean;
            if (first >= sq_time_to_s(p->deadline)) {
                mdl_find(l, mdl_say(l, "producers.%s.deadline", cfg->producers.names[i]),
                         "jobs are stale after %s, and their first retry waits %s on average: none "
                         "of the %s retries of %s is in time",
                         mdl_say_span(l, sq_time_to_s(p->deadline)), mdl_say_span(l, first),
                         mdl_say_number(l, mdl_retries_of(r->job_retry)), r->caller);
            }
        }
    }
}

/* ---- retry-after-ignored ---- */

static void look_hint(struct mdl_lint *l, const struct mdl_layer *y)
{
    const char *hint = mdl_say(l, "dependencies.%s.hint", y->upstream);
    if (y->retry->retry_after == MDL_HINT_IGNORE && mdl_read_has(l, hint)) {
        double seconds = mdl_read_s(l, mdl_say(l, "%s.value", hint));
        mdl_find(l, of(l, y, "retry_after"),
                 "%s says when to come back (%s), and this layer does not listen: its first retry "
                 "comes after %s",
                 y->upstream, isnan(seconds) ? "at the next free token" : mdl_say_span(l, seconds),
                 mdl_say_span(l, mdl_delay_after(y->retry, 1).mean));
    }
}

static void retry_after_ignored(struct mdl_lint *l)
{
    mdl_each_layer(l, look_hint);
}

const struct mdl_rule mdl_rules_delays[] = {
    { .name = "no-jitter",
      .severity = SQ_WARNING,
      .title = "Retries without jitter where failures are simultaneous.",
      .why =
          "When a dependency fails, every call in it fails at one instant. Without jitter all of "
          "them wait equally long and come back at one instant, again and again; backoff only "
          "moves the spike. Jitter spreads it over the whole delay.",
      .fix = "jitter: full",
      .look = no_jitter },
    { .name = "jitter-rounds-to-nothing",
      .severity = SQ_ERROR,
      .title = "Jitter that rounds to one value.",
      .why =
          "Libraries that draw whole seconds (or minutes) round a jitter smaller than that away: "
          "the delay looks random in the configuration and is not.",
      .fix = "a finer lattice, or a jitter wider than it",
      .look = jitter_rounds },
    { .name = "cap-below-base",
      .severity = SQ_ERROR,
      .title = "A cap below the base.",
      .why = "The cap applies from the first delay on, so the delay never grows and the base is "
             "never used: nearly always two numbers in the wrong places, or in different units.",
      .fix = "a cap well above the base",
      .look = cap_below_base },
    { .name = "base-far-below-outage",
      .severity = SQ_NOTE,
      .title = "A first delay far below the outage it must survive.",
      .why =
          "A base of milliseconds suits a lost packet. In an outage of minutes it spends the first "
          "attempts within seconds, each of them a call that cannot succeed.",
      .fix = "a base in proportion to the outages that matter, or a breaker in between",
      .look = base_far_below },
    { .name = "window-below-outage",
      .severity = SQ_WARNING,
      .title = "All retries together are shorter than the outage.",
      .why = "The delays of all retries, added up, are the time a job can outlive. Jobs that fail "
             "early in a longer outage have given up before it ends.",
      .fix = "more attempts, a larger cap, or give_up: park",
      .look = window_below },
    { .name = "growth-without-cap",
      .severity = SQ_WARNING,
      .title = "A delay that grows without a cap.",
      .why =
          "Doubling reaches a day at the seventeenth retry of a one-second base. A job in such a "
          "delay comes back long after anybody wants it, and the end of the backlog moves with it.",
      .fix = "cap: 10m, or whatever the deadline of the work allows",
      .look = growth },
    { .name = "deadline-before-retry",
      .severity = SQ_WARNING,
      .title = "A deadline shorter than the first retry delay.",
      .why = "Jobs past their deadline are thrown away. If the first retry already comes after it, "
             "retrying does nothing but keep dead jobs in the queue.",
      .fix = "a shorter first delay, or no retries for these jobs",
      .look = deadline_before },
    { .name = "retry-after-ignored",
      .severity = SQ_WARNING,
      .title = "Retry-After is sent and ignored.",
      .why = "A dependency that sheds load knows best when it can take more. A client that comes "
             "back earlier is refused again, and makes the refusals part of the load.",
      .fix = "retry_after: at-least",
      .look = retry_after_ignored },
};
const size_t mdl_rules_delays_count = SQ_COUNT(mdl_rules_delays);
