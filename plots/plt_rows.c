/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_rows.c - what is shown of a comparison. */
#include "plots/plt_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plots/plt_words.h"

enum { ENTITIES_MAX = 3 };

/* A row, or one per entity when `kind` is set: <kind>.<name>.<metric>. */
struct pattern {
    const char *kind, *metric, *label, *weight; /* weight: the metric that orders the entities */
    bool words;
};

static const struct pattern patterns[] = {
    { NULL, "drain.state", "backlog", NULL, true },
    { "dependency", "secondary_outages", "collapses", "calls", false },
    { NULL, "drain.queue_clear_s", "queue clear", NULL, false },
    { NULL, "drain.last_job_s", "last affected job", NULL, false },
    { NULL, "drain.healthy_s", "healthy for good", NULL, false },
    { "dependency", "peak_rate_per_s", "peak", "calls", false },
    { "dependency", "recovery_peak_per_s", "peak from T1", "calls", false },
    { "dependency", "amplification", "amplification", "calls", false },
    { "dependency", "calls", "calls", "calls", false },
    { NULL, "jobs.completed", "jobs completed", NULL, false },
    { NULL, "jobs.stale", "stale", NULL, false },
    { NULL, "jobs.superseded", "superseded", NULL, false },
    { NULL, "jobs.dead_lettered", "dead-lettered", NULL, false },
    { NULL, "jobs.dropped", "dropped", NULL, false },
    { NULL, "jobs.lost", "lost", NULL, false },
    { NULL, "jobs.unfinished", "unfinished", NULL, false },
    { "producer", "delay_p99_s", "p99 delay", "arrived", false },
    { "client", "delay_p99_s", "p99 delay", "arrived", false },
};

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);
    return len >= tail && strcmp(text + len - tail, end) == 0;
}

enum plt_unit plt_unit_of(const char *metric)
{
    static const char *const ratios[] = { ".amplification", ".peak_to_normal", ".utilisation" };
    for (size_t i = 0; i < SQ_COUNT(ratios); i++) {
        if (ends_with(metric, ratios[i])) {
            return PLT_UNIT_RATIO;
        }
    }
    if (ends_with(metric, "_per_s")) {
        return PLT_UNIT_RATE;
    }
    return ends_with(metric, "_s") ? PLT_UNIT_SPAN : PLT_UNIT_COUNT;
}

/* ---- picking ---- */

/* The name in <kind>.<name>.<metric>; its length, or 0 when `text` is no such metric. */
static size_t entity_of(const char *text, const char *kind, const char *metric, const char **name)
{
    size_t head = strlen(kind), tail = strlen(metric), len = strlen(text);
    if (len < head + tail + 3 || strncmp(text, kind, head) != 0 || text[head] != '.' ||
        text[len - tail - 1] != '.' || strcmp(text + len - tail, metric) != 0) {
        return 0;
    }
    *name = text + head + 1;
    return len - head - tail - 2;
}

static double weight_of(const struct sq_comparison *c, const struct pattern *p, const char *name,
                        size_t len)
{
    struct sq_buf b = { 0 };
    double weight = 0;
    sq_buf_printf(&b, "%s.%.*s.%s", p->kind, (int)len, name, p->weight);
    for (size_t v = 0; v < c->variant_count && !b.failed && weight <= 0; v++) {
        const struct sq_cell *cell = sq_comparison_cell(c, v, b.text);
        weight = cell != NULL && cell->spread.n > 0 ? cell->spread.mean : 0;
    }
    sq_buf_fini(&b);
    return weight;
}

static bool says_something(const struct sq_comparison *c, size_t metric)
{
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_cell *cell = &c->variants[v].cells[metric];
        if (cell->spread.n > 0 && (cell->spread.min != 0 || cell->spread.max != 0)) {
            return true;
        }
        if (cell->word_count > 0 && strcmp(cell->words[0].word, "null") != 0) {
            return true;
        }
    }
    return false;
}

static void add_row(struct plt_rows *out, const struct sq_comparison *c, size_t metric,
                    const struct pattern *p)
{
    if (out->count == PLT_ROWS_MAX || !says_something(c, metric)) {
        return;
    }
    struct plt_row *row = &out->list[out->count++];
    *row = (struct plt_row){ .metric = metric,
                             .unit = plt_unit_of(c->metric_names[metric]),
                             .words = p->words };
    (void)snprintf(row->label, sizeof row->label, "%s", p->label);
}

/* A metric's weight must be among the ENTITIES_MAX largest of its pattern; of equal ones the first
 * count. */
static bool is_busy(const struct sq_comparison *c, const struct pattern *p, size_t metric,
                    size_t *entities)
{
    const char *name;
    size_t len = entity_of(c->metric_names[metric], p->kind, p->metric, &name), above = 0;
    if (len == 0) {
        return false;
    }
    double own = weight_of(c, p, name, len);
    *entities = 0;
    for (size_t i = 0; i < c->metric_count; i++) {
        size_t other = entity_of(c->metric_names[i], p->kind, p->metric, &name);
        double weight = other > 0 ? weight_of(c, p, name, other) : 0;
        *entities += other > 0;
        above += other > 0 && (weight > own || (weight == own && i < metric));
    }
    return above < ENTITIES_MAX;
}

static void add_entities(struct plt_rows *out, const struct sq_comparison *c,
                         const struct pattern *p)
{
    for (size_t m = 0; m < c->metric_count; m++) {
        size_t entities, before = out->count;
        if (!is_busy(c, p, m, &entities)) {
            continue;
        }
        add_row(out, c, m, p);
        if (out->count > before && entities > 1) {
            const char *name;
            size_t len = entity_of(c->metric_names[m], p->kind, p->metric, &name);
            struct plt_row *row = &out->list[before];
            (void)snprintf(row->label, sizeof row->label, "%s, %.*s", p->label, (int)len, name);
        }
    }
}

/* The peak of the whole run stands for that from T1 on where there is none. */
static bool has_t1_peak(const struct sq_comparison *c)
{
    for (size_t m = 0; m < c->metric_count; m++) {
        if (ends_with(c->metric_names[m], ".recovery_peak_per_s") && says_something(c, m)) {
            return true;
        }
    }
    return false;
}

static bool has_words(const struct sq_comparison *c, size_t metric)
{
    for (size_t v = 0; v < c->variant_count; v++) {
        if (c->variants[v].cells[metric].word_count > 0) {
            return true;
        }
    }
    return false;
}

/* Those that were asked for, whatever they say. */
static void pick_chosen(struct plt_rows *out, const struct sq_comparison *c)
{
    for (size_t i = 0; i < c->chosen_count && out->count < PLT_ROWS_MAX; i++) {
        const char *name = c->metric_names[c->chosen[i]];
        struct plt_row *row = &out->list[out->count++];
        *row = (struct plt_row){ .metric = c->chosen[i],
                                 .unit = plt_unit_of(name),
                                 .words = has_words(c, c->chosen[i]) };
        (void)snprintf(row->label, sizeof row->label, "%s", name);
    }
}

void plt_rows_pick(struct plt_rows *out, const struct sq_comparison *c)
{
    bool t1 = has_t1_peak(c);
    out->count = 0;
    if (c->chosen_count > 0) {
        pick_chosen(out, c);
        return;
    }
    for (size_t i = 0; i < SQ_COUNT(patterns); i++) {
        const struct pattern *p = &patterns[i];
        long at = p->kind == NULL ? sq_comparison_metric(c, p->metric) : -1;
        if (at >= 0) {
            add_row(out, c, (size_t)at, p);
        } else if (p->kind != NULL && !(t1 && strcmp(p->metric, "peak_rate_per_s") == 0)) {
            add_entities(out, c, p);
        }
    }
}

/* ---- cells ---- */

void plt_put_in_unit(struct sq_buf *b, enum plt_unit unit, double value)
{
    switch (unit) {
    case PLT_UNIT_COUNT:
        plt_put_count(b, value);
        break;
    case PLT_UNIT_RATE:
        plt_put_rate(b, value);
        break;
    case PLT_UNIT_RATIO:
        plt_put_ratio(b, value);
        break;
    case PLT_UNIT_SPAN:
        plt_put_span(b, value);
        break;
    }
}

static void put_words(struct sq_buf *b, const struct sq_cell *cell, size_t runs)
{
    if (cell->word_count == 0 || strcmp(cell->words[0].word, "null") == 0) {
        sq_buf_putc(b, '-');
        return;
    }
    sq_buf_puts(b, cell->words[0].word);
    if (cell->words[0].runs < (int64_t)runs) {
        sq_buf_printf(b, " %lld/%zu", (long long)cell->words[0].runs, runs);
    }
}

void plt_put_cell(struct sq_buf *b, const struct sq_comparison *c, size_t variant,
                  const struct plt_row *row, bool *marked)
{
    const struct sq_cell *cell = &c->variants[variant].cells[row->metric];
    if (row->words) {
        put_words(b, cell, c->run_count);
        return;
    }
    if (!cell->known || cell->spread.n == 0) {
        sq_buf_putc(b, '-');
        return;
    }
    plt_put_in_unit(b, row->unit, cell->spread.p50);
    if (cell->spread.bimodal) {
        sq_buf_putc(b, '*');
        if (marked != NULL) {
            *marked = true;
        }
    }
    if (cell->spread.n < (int64_t)c->run_count) {
        sq_buf_printf(b, " (%lld)", (long long)cell->spread.n);
    }
}

/* An interval is no more precise than that. */
static double two_digits(double value)
{
    if (!(value > 0)) { /* NaN too */
        return value;
    }
    double unit = pow(10, floor(log10(value)) - 1);
    return floor(value / unit + 0.5) * unit;
}

bool plt_may_be_chance(const struct sq_paired *p)
{
    return p->n > 1 && p->lo <= 0 && p->hi >= 0;
}

void plt_put_difference(struct sq_buf *b, const struct sq_comparison *c, size_t variant,
                        const struct plt_row *row)
{
    const struct sq_paired *p = &c->variants[variant].cells[row->metric].paired;
    if (p->n == 0) {
        sq_buf_putc(b, '-');
        return;
    }
    double half = two_digits((p->hi - p->lo) / 2);
    sq_buf_puts(b, p->mean > 0 ? "+" : "");
    plt_put_in_unit(b, row->unit, p->mean);
    if (p->n > 1 && half > 0) {
        sq_buf_puts(b, " ±");
        plt_put_in_unit(b, row->unit, half);
    }
    if (p->n < (int64_t)c->run_count) {
        sq_buf_printf(b, " (%lld)", (long long)p->n);
    }
}

void plt_put_share(struct sq_buf *b, const struct sq_share *s)
{
    plt_put_percent(b, s->n > 0 ? (double)s->hits / (double)s->n : (double)NAN);
}

void plt_put_share_range(struct sq_buf *b, const struct sq_share *s)
{
    static const char unit[] = " %";
    struct sq_buf low = { 0 };
    if (s->n < 2) {
        return;
    }
    plt_put_percent(&low, s->lo);
    b->failed = b->failed || low.failed;
    sq_buf_add(b, low.failed ? "" : low.text, low.failed ? 0 : low.len - (sizeof unit - 1));
    sq_buf_putc(b, '-');
    plt_put_percent(b, s->hi);
    sq_buf_fini(&low);
}

/* ---- the answer ---- */

/* Names of the variants that collapse in `hits` runs, as "a, b and c"; how many. */
static size_t put_names(struct sq_buf *b, const struct sq_comparison *c, int64_t hits)
{
    size_t count = 0, put = 0;
    for (size_t v = 0; v < c->variant_count; v++) {
        count += c->variants[v].collapse.hits == hits;
    }
    for (size_t v = 0; v < c->variant_count; v++) {
        if (c->variants[v].collapse.hits != hits) {
            continue;
        }
        sq_buf_puts(b, put == 0 ? "" : put + 1 == count ? " and " : ", ");
        sq_buf_puts(b, c->variants[v].name);
        put++;
    }
    return count;
}

static bool any_with(const struct sq_comparison *c, int64_t hits)
{
    for (size_t v = 0; v < c->variant_count; v++) {
        if (c->variants[v].collapse.hits == hits) {
            return true;
        }
    }
    return false;
}

void plt_put_headline(struct sq_buf *b, const struct sq_comparison *c)
{
    int64_t n = (int64_t)c->run_count;
    bool begun = false;
    for (int64_t hits = 0; hits <= n; hits++) {
        if (!any_with(c, hits)) {
            continue;
        }
        sq_buf_puts(b, begun ? ", " : "");
        size_t count = put_names(b, c, hits);
        if (n == 1) {
            sq_buf_printf(b, " %s%s", hits == 0 ? "did not collapse" : "collapsed",
                          begun ? "" : " in the one run");
            begun = true;
            continue;
        }
        sq_buf_puts(b, begun ? " in " : count == 1 ? " collapses in " : " collapse in ");
        if (hits == 0) {
            sq_buf_puts(b, "none");
        } else if (hits == n) {
            sq_buf_puts(b, "all");
        } else {
            sq_buf_printf(b, "%lld", (long long)hits);
        }
        if (!begun) {
            sq_buf_printf(b, " of %lld runs", (long long)n);
        }
        begun = true;
    }
}

void plt_put_mode(struct sq_buf *b, const struct sq_comparison *c, const struct sq_mode *mode)
{
    sq_buf_printf(b, "%lld of %zu runs: %s (--replication %llu)", (long long)mode->runs,
                  c->run_count, mode->text, (unsigned long long)mode->example);
}
