/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outlook.c - three answers to one question, from a result or from a comparison, in words. */
#include "plots/plt_outlook.h"

#include <math.h>
#include <string.h>

#include "plots/plt_runs.h"
#include "plots/plt_words.h"

static const struct row {
    const char *label, *naive, *planned, *simulated;
    bool of_queues;
} rows[PLT_MARKS] = {
    { "queue clear", "forecast.naive_s", "forecast.planned_s", "drain.queue_clear_s", true },
    { "last affected job", NULL, "forecast.planned_last_job_s", "drain.last_job_s", false },
    { "healthy for good", NULL, NULL, "drain.healthy_s", false },
};

enum { LAST_JOB = 1 }; /* its row */

static const char unfinished_jobs[] = "jobs.unfinished";

/* In the order in which they are told: the good one first. */
static const char *const states[] = { "clears", "stalled", "will not drain", "would relapse" };

static bool is_of_queue(const char *metric)
{
    return strncmp(metric, "queue.", 6) == 0;
}

/* Every job has ended and yet the last one of the outage has no time: there was none. */
static void name_null(struct plt_mark *m, const struct row *row, const struct sq_spread *unfinished)
{
    bool none = row == &rows[LAST_JOB] && unfinished->n > 0 && unfinished->max == 0;
    m->not_simulated = none ? "-" : "never";
}

/* ---- from a result ---- */

static void add_state(struct plt_state *list, size_t *count, const char *word, int64_t runs)
{
    if (runs > 0 && *count < PLT_STATES) {
        list[(*count)++] = (struct plt_state){ word, runs };
    }
}

static int64_t count_word(const struct sq_result *r, const char *metric, const char *state)
{
    int64_t count = 0;
    for (size_t k = 0; k < r->run_count; k++) {
        const char *word = plt_word(r, k, metric);
        count += word != NULL && strcmp(word, state) == 0;
    }
    return count;
}

void plt_outlook_of_result(struct plt_outlook *o, const struct sq_result *r, bool *failed)
{
    bool queues = false;
    *o = (struct plt_outlook){ .runs = (int64_t)r->run_count,
                               .text = sq_result_forecast(r),
                               .by = r->model != NULL ? r->model : "simulated" };
    for (size_t i = 0; i < r->metric_count; i++) {
        queues = queues || is_of_queue(r->metric_names[i]);
    }
    for (size_t i = 0; i < SQ_COUNT(states); i++) {
        add_state(o->drain, &o->drain_count, states[i], count_word(r, "drain.state", states[i]));
        add_state(o->forecast, &o->forecast_count, states[i],
                  count_word(r, "forecast.state", states[i]));
    }
    struct sq_spread unfinished = plt_runs_spread(r, unfinished_jobs, failed);
    for (size_t i = 0; i < PLT_MARKS; i++) {
        struct plt_mark *m = &o->marks[i];
        const struct row *row = &rows[i];
        m->label = row->label;
        name_null(m, row, &unfinished);
        m->known = sq_result_metric(r, row->simulated) >= 0 && (queues || !row->of_queues);
        m->has_naive = row->naive != NULL && sq_result_metric(r, row->naive) >= 0;
        m->has_planned = row->planned != NULL && sq_result_metric(r, row->planned) >= 0;
        m->simulated = plt_runs_spread(r, row->simulated, failed);
        m->naive = plt_runs_spread(r, m->has_naive ? row->naive : "", failed);
        m->planned = plt_runs_spread(r, m->has_planned ? row->planned : "", failed);
    }
}

/* ---- from a comparison ---- */

static void take_states(const struct sq_comparison *c, size_t variant, const char *metric,
                        struct plt_state *list, size_t *count)
{
    const struct sq_cell *cell = sq_comparison_cell(c, variant, metric);
    for (size_t i = 0; i < SQ_COUNT(states) && cell != NULL; i++) {
        for (size_t w = 0; w < cell->word_count; w++) {
            if (strcmp(cell->words[w].word, states[i]) == 0) {
                add_state(list, count, states[i], cell->words[w].runs);
            }
        }
    }
}

/* False when the variant has no such metric. */
static bool take_spread(const struct sq_comparison *c, size_t variant, const char *metric,
                        struct sq_spread *out)
{
    const struct sq_cell *cell = metric != NULL ? sq_comparison_cell(c, variant, metric) : NULL;
    *out = cell != NULL ? cell->spread : (struct sq_spread){ .p50 = (double)NAN };
    return cell != NULL;
}

void plt_outlook_of_variant(struct plt_outlook *o, const struct sq_comparison *c, size_t variant)
{
    bool queues = false;
    *o = (struct plt_outlook){ .runs = (int64_t)c->run_count,
                               .text = c->variants[variant].forecast,
                               .by = "simulated" };
    for (size_t i = 0; i < c->metric_count; i++) {
        queues = queues || (is_of_queue(c->metric_names[i]) && c->variants[variant].cells[i].known);
    }
    take_states(c, variant, "drain.state", o->drain, &o->drain_count);
    take_states(c, variant, "forecast.state", o->forecast, &o->forecast_count);
    struct sq_spread unfinished;
    (void)take_spread(c, variant, unfinished_jobs, &unfinished);
    for (size_t i = 0; i < PLT_MARKS; i++) {
        struct plt_mark *m = &o->marks[i];
        name_null(m, &rows[i], &unfinished);
        m->label = rows[i].label;
        m->known = take_spread(c, variant, rows[i].simulated, &m->simulated) &&
                   (queues || !rows[i].of_queues);
        m->has_naive = take_spread(c, variant, rows[i].naive, &m->naive);
        m->has_planned = take_spread(c, variant, rows[i].planned, &m->planned);
    }
}

bool plt_has_forecast(const struct plt_outlook *o)
{
    return o->forecast_count > 0 || o->text != NULL;
}

bool plt_outlook_says(const struct plt_outlook *o)
{
    return plt_has_forecast(o) || (o->marks[0].known && o->marks[0].simulated.n > 0);
}

/* ---- words ---- */

void plt_put_drain_states(struct sq_buf *b, const struct plt_outlook *o)
{
    for (size_t i = 0; i < o->drain_count; i++) {
        sq_buf_printf(b, "%s%s", i > 0 ? ", " : "", o->drain[i].word);
        if (o->runs > 1) {
            sq_buf_printf(b, " in %lld", (long long)o->drain[i].runs);
        }
    }
    if (o->drain_count > 0 && o->runs > 1) {
        sq_buf_printf(b, " of %lld runs", (long long)o->runs);
    }
}

/* What the text of run 1 says behind its state: ": 160 callers ..."; "" when run 1 is in another
 * state. */
static const char *reason_of(const struct plt_outlook *o, const char *state)
{
    size_t len = strlen(state);
    bool same = o->text != NULL && strncmp(o->text, state, len) == 0 && o->text[len] == ':';
    return same ? o->text + len : "";
}

static void put_state(struct sq_buf *b, const struct plt_outlook *o, const struct plt_state *s)
{
    const struct sq_spread *planned = &o->marks[0].planned;
    bool clears = strcmp(s->word, "clears") == 0;
    sq_buf_puts(b, s->word);
    if (clears && planned->bimodal) {
        sq_buf_puts(b, " in ");
        plt_put_groups(b, planned, o->runs);
        return;
    }
    if (clears && planned->n > 0) {
        sq_buf_puts(b, planned->p50 > 0 ? " in " : " at once");
        if (planned->p50 > 0) {
            plt_put_span(b, planned->p50);
        }
    }
    if (o->runs > 1 && (s->runs < o->runs || !clears)) {
        sq_buf_printf(b, " in %lld of %lld runs", (long long)s->runs, (long long)o->runs);
    }
    sq_buf_puts(b, reason_of(o, s->word));
}

void plt_put_forecast(struct sq_buf *b, const struct plt_outlook *o)
{
    if (o->text != NULL && (o->runs == 1 || o->forecast_count == 0)) { /* or why there is none */
        sq_buf_puts(b, o->text);
        return;
    }
    for (size_t i = 0; i < o->forecast_count; i++) {
        sq_buf_puts(b, i > 0 ? "; " : "");
        put_state(b, o, &o->forecast[i]);
    }
    if (plt_has_branches(o)) { /* the plan knows one of them */
        sq_buf_puts(b, "; simulated ");
        plt_put_groups(b, &o->marks[0].simulated, o->runs);
    }
}

bool plt_has_branches(const struct plt_outlook *o)
{
    return o->forecast_count > 0 && o->marks[0].known && o->marks[0].simulated.bimodal;
}

/* The state of most runs that have no time. */
static const char *no_time(const struct plt_outlook *o)
{
    const struct plt_state *most = NULL;
    for (size_t i = 0; i < o->forecast_count; i++) {
        const struct plt_state *s = &o->forecast[i];
        bool other = strcmp(s->word, "clears") != 0;
        most = other && (most == NULL || s->runs > most->runs) ? s : most;
    }
    return most != NULL ? most->word : o->forecast_count > 0 ? "never" : "-";
}

const char *plt_no_plan(const struct plt_outlook *o)
{
    return no_time(o);
}

const char *plt_no_naive(const struct plt_outlook *o)
{
    const char *word = no_time(o);
    return strcmp(word, "would relapse") == 0 || strcmp(word, "-") == 0 ? word : "never";
}

void plt_put_band(struct sq_buf *b, const struct sq_spread *s)
{
    plt_put_span(b, s->p10);
    sq_buf_puts(b, " to ");
    plt_put_span(b, s->p90);
}

bool plt_is_narrow(const struct sq_spread *s)
{
    struct sq_buf low = { 0 }, high = { 0 };
    plt_put_span(&low, s->p10);
    plt_put_span(&high, s->p90);
    bool same = !low.failed && !high.failed && strcmp(low.text, high.text) == 0;
    sq_buf_fini(&low);
    sq_buf_fini(&high);
    return same;
}
