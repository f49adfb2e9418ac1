/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_words.c - numbers as people write them, and the verdict on a run. */
#include "plots/plt_words.h"

#include <math.h>
#include <string.h>

#include "sim/base/sq_unit.h"

void plt_put_count(struct sq_buf *b, double value)
{
    if (!isfinite(value)) {
        sq_buf_putc(b, '-');
        return;
    }
    if (value < 0) {
        sq_buf_putc(b, '-');
        value = -value;
    }
    if (value < 999.5) {
        sq_buf_number(b, value, 3);
        return;
    }
    if (value >= 1e18) {
        sq_buf_number(b, value, 3);
        return;
    }
    if (value >= 9999999.5) {
        static const char units[] = "MGT";
        size_t unit = 0;
        value /= 1e6;
        for (; value >= 999.5 && unit < 2; unit++) {
            value /= 1000;
        }
        sq_buf_number(b, value, value < 1000 ? 3 : 7);
        sq_buf_putc(b, units[unit]);
        return;
    }
    int64_t whole = (int64_t)(value + 0.5);
    if (whole >= 1000000) {
        sq_buf_printf(b, "%d,%03d,%03d", (int)(whole / 1000000), (int)(whole / 1000 % 1000),
                      (int)(whole % 1000));
        return;
    }
    sq_buf_printf(b, "%d,%03d", (int)(whole / 1000), (int)(whole % 1000));
}

void plt_put_rate(struct sq_buf *b, double per_s)
{
    plt_put_count(b, per_s);
    if (isfinite(per_s)) {
        sq_buf_puts(b, "/s");
    }
}

void plt_put_ratio(struct sq_buf *b, double value)
{
    if (value >= 999.5) {
        plt_put_count(b, value);
    } else if (isfinite(value)) {
        sq_buf_number(b, value, 3);
    } else {
        sq_buf_putc(b, '-');
    }
}

void plt_put_span(struct sq_buf *b, double seconds)
{
    if (isfinite(seconds)) {
        sq_unit_put_span(b, seconds);
    } else {
        sq_buf_putc(b, '-');
    }
}

void plt_put_percent(struct sq_buf *b, double share)
{
    double percent = share * 100;
    if (!isfinite(percent)) {
        sq_buf_putc(b, '-');
    } else if (percent > 0 && percent < 1) {
        sq_buf_puts(b, "<1 %");
    } else if (percent > 99 && percent < 100) {
        sq_buf_puts(b, ">99 %");
    } else {
        sq_buf_number(b, floor(percent + 0.5), 3);
        sq_buf_puts(b, " %");
    }
}

void plt_put_clock(struct sq_buf *b, sq_time_t at, bool fine)
{
    if (fine) {
        int64_t ms = at / 1000000;
        sq_buf_printf(b, "%lld.%03ds", (long long)(ms / 1000), (int)(ms % 1000));
        return;
    }
    int64_t s = at / SQ_NS_PER_S;
    if (s >= 3600) {
        sq_buf_printf(b, "%lldh", (long long)(s / 3600));
    }
    sq_buf_printf(b, s >= 3600 ? "%02dm%02ds" : "%dm%02ds", (int)(s / 60 % 60), (int)(s % 60));
}

void plt_put_fine_clock(struct sq_buf *b, sq_time_t at)
{
    int64_t ms = at / 1000000, s = ms / 1000;
    if (s >= 3600) {
        sq_buf_printf(b, "%lldh", (long long)(s / 3600));
    }
    sq_buf_printf(b, s >= 3600 ? "%02dm%02d.%03ds" : "%dm%02d.%03ds", (int)(s / 60 % 60),
                  (int)(s % 60), (int)(ms % 1000));
}

double plt_value(const struct sq_result *r, size_t run, const char *name)
{
    long at = sq_result_metric(r, name);
    if (at < 0 || run >= r->run_count) {
        return NAN;
    }
    return r->runs[run].values[at].number;
}

const char *plt_word(const struct sq_result *r, size_t run, const char *name)
{
    long at = sq_result_metric(r, name);
    return at < 0 || run >= r->run_count ? NULL : r->runs[run].values[at].word;
}

double plt_sum(const struct sq_result *r, size_t run, const char *prefix, const char *suffix)
{
    size_t head = strlen(prefix), tail = strlen(suffix);
    double sum = 0;
    for (size_t i = 0; i < r->metric_count && run < r->run_count; i++) {
        const char *name = r->metric_names[i];
        size_t len = strlen(name);
        bool match = len > head + tail + 2 && strncmp(name, prefix, head) == 0 &&
                     name[head] == '.' && name[len - tail - 1] == '.' &&
                     strcmp(name + len - tail, suffix) == 0;
        double value = r->runs[run].values[i].number;
        if (match && isfinite(value)) {
            sum += value;
        }
    }
    return sum;
}

const struct sq_moment *plt_moment(const struct sq_result *r, enum sq_moment_kind kind)
{
    for (size_t i = 0; i < r->moment_count; i++) {
        if (r->moments[i].kind == kind) {
            return &r->moments[i];
        }
    }
    return NULL;
}

const char *plt_no_forecast(const struct sq_result *r)
{
    const char *state = plt_word(r, 0, "forecast.state");
    bool made = state != NULL && strcmp(state, "null") != 0;
    return !made ? "none" : strcmp(state, "clears") != 0 ? state : "never";
}

bool plt_collapsed_runs(const struct sq_result *r, int64_t *hits)
{
    double sum = 0;
    bool known = false;
    for (size_t i = 0; i < r->run_count; i++) {
        double share = plt_value(r, i, "outcome.p_collapse");
        if (isfinite(share)) {
            sum += share;
            known = true;
        }
    }
    *hits = (int64_t)(sum + 0.5);
    return known;
}

void plt_put_runs(struct sq_buf *b, const struct sq_result *r)
{
    int64_t hits = 0, n = (int64_t)r->run_count;
    if (n < 2) {
        return;
    }
    sq_buf_printf(b, "run 1 of %lld", (long long)n);
    if (!plt_collapsed_runs(r, &hits)) {
        return;
    }
    if (hits == 0 || hits == n) {
        sq_buf_printf(b, "; %s of them collapse", hits == 0 ? "none" : "all");
    } else {
        sq_buf_printf(b, "; %lld of them collapse%s", (long long)hits, hits == 1 ? "s" : "");
    }
}

static void put_stability(struct sq_buf *b, const struct sq_result *r, bool recovered)
{
    double falls = plt_sum(r, 0, "dependency", "secondary_outages");
    const char *more = recovered ? " more" : "";
    if (falls == 1) {
        sq_buf_puts(b, recovered ? "falls over once more" : "falls over once");
    } else if (falls > 1) {
        sq_buf_puts(b, "falls over ");
        plt_put_count(b, falls);
        sq_buf_printf(b, "%s times", more);
    } else if (plt_value(r, 0, "outcome.p_collapse") >= 1 &&
               isfinite(plt_value(r, 0, "drain.healthy_s"))) {
        sq_buf_puts(b, "stays up, but too few of its calls succeed in the end");
    } else if (plt_value(r, 0, "outcome.p_collapse") >= 1) {
        sq_buf_puts(b, recovered ? "stays up but does not become healthy again"
                                 : "ends in an unhealthy state");
    } else {
        sq_buf_puts(b, recovered ? "does not fall over again" : "stays healthy");
    }
}

static bool has_queues(const struct sq_result *r)
{
    for (size_t i = 0; i < r->metric_count; i++) {
        if (strncmp(r->metric_names[i], "queue.", 6) == 0) {
            return true;
        }
    }
    return false;
}

static void put_end(struct sq_buf *b, const struct sq_result *r)
{
    bool queues = has_queues(r);
    double clear = plt_value(r, 0, queues ? "drain.queue_clear_s" : "drain.healthy_s");
    const char *state = plt_word(r, 0, "drain.state");
    if (isfinite(clear)) {
        sq_buf_puts(b, queues ? "; queue clear " : "; healthy again ");
        plt_put_span(b, clear);
        sq_buf_puts(b, " after recovery");
    } else if (!queues) {
        sq_buf_puts(b, "; not healthy by the end of the run");
    } else if (state != NULL && strcmp(state, "will not drain") == 0) {
        sq_buf_puts(b, "; the backlog will not drain");
    } else if (state != NULL && strcmp(state, "stalled") == 0) {
        sq_buf_puts(b, "; the backlog is stalled");
    } else {
        sq_buf_puts(b, "; queue not clear by the end of the run");
    }
}

void plt_put_verdict(struct sq_buf *b, const struct sq_result *r)
{
    bool recovered = plt_moment(r, SQ_MOMENT_T1) != NULL;
    put_stability(b, r, recovered);
    if (recovered) {
        put_end(b, r);
    }
}

void plt_put_title(struct sq_buf *b, const struct sq_result *r, const char *dash)
{
    sq_buf_puts(b, r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario");
    if (r->variant != NULL && r->variant[0] != '\0' && strcmp(r->variant, "base") != 0) {
        sq_buf_printf(b, " %s %s", dash, r->variant);
    }
}
