/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_result.c - names: of metrics, columns and kinds of moments. */
#include "sim/core/sq_result.h"

#include <string.h>

static const char *const moment_words[] = {
    [SQ_MOMENT_OUTAGE] = "outage",
    [SQ_MOMENT_COLLAPSE] = "collapse",
    [SQ_MOMENT_ACTION] = "action",
    [SQ_MOMENT_SCALING] = "scaling",
    [SQ_MOMENT_RAMP] = "ramp",
    [SQ_MOMENT_BREAKER] = "breaker",
    [SQ_MOMENT_T1] = "t1",
    [SQ_MOMENT_T2] = "t2",
    [SQ_MOMENT_QUEUE_CLEAR] = "queue-clear",
    [SQ_MOMENT_LAST_JOB] = "last-job",
    [SQ_MOMENT_PEAK] = "peak",
    [SQ_MOMENT_BROKER] = "broker",
};

const char *sq_moment_word(enum sq_moment_kind kind)
{
    SQ_ASSERT((size_t)kind < SQ_COUNT(moment_words));
    return moment_words[kind];
}

bool sq_moment_kind(const char *word, enum sq_moment_kind *out)
{
    for (size_t i = 0; i < SQ_COUNT(moment_words); i++) {
        if (strcmp(moment_words[i], word) == 0) {
            *out = (enum sq_moment_kind)i;
            return true;
        }
    }
    return false;
}

const char *sq_result_forecast(const struct sq_result *r)
{
    static const char head[] = "; forecast: ";
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        const char *at = m->kind == SQ_MOMENT_T1 && m->text != NULL ? strstr(m->text, head) : NULL;
        if (at != NULL) {
            return at + sizeof head - 1;
        }
    }
    return NULL;
}

long sq_result_metric(const struct sq_result *r, const char *name)
{
    for (size_t i = 0; i < r->metric_count; i++) {
        if (strcmp(r->metric_names[i], name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

long sq_series_column(const struct sq_series *s, const char *name)
{
    for (size_t i = 0; i < s->column_count; i++) {
        if (strcmp(s->columns[i].name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

const struct sq_histogram *sq_result_histogram(const struct sq_result *r, const char *name)
{
    for (size_t i = 0; i < r->histogram_count; i++) {
        if (strcmp(r->histograms[i].name, name) == 0) {
            return &r->histograms[i];
        }
    }
    return NULL;
}
