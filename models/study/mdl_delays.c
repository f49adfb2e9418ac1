/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_delays.c - reads a policy and draws from it. */
#include "models/study/mdl_delays.h"

#include "models/mdl_scenario.h"
#include "models/policy/mdl_backoff.h"
#include "sim/conf/sq_rows.h"
#include "sim/core/sq_luck.h"

#include <stdlib.h>
#include <string.h>

/* ---- a policy ---- */

struct holder {
    struct mdl_retry_cfg *retry;
};
static const struct sq_field holder_rows[] = {
    SQ_ROW_GROUP(struct holder, retry, "retry", NULL, &mdl_retry_table, 0, "The policy."),
};
static const struct sq_table holder_table = { .rows = SQ_ROWS(holder_rows),
                                              .size = sizeof(struct holder) };

static enum sq_status read_tree(struct mdl_policy *p, const char *text, struct sq_diag *diag,
                                struct sq_node **root)
{
    struct sq_node *block;
    enum sq_status status = sq_doc_parse("POLICY", text, strlen(text), &p->arena, diag, &block);
    if (status != SQ_OK) {
        return status;
    }
    *root = sq_node_new(&p->arena, SQ_NODE_MAP, block->where);
    if (*root == NULL) {
        return SQ_NOMEM;
    }
    return sq_node_add(&p->arena, *root, "retry", block->where, block);
}

enum sq_status mdl_policy_open(struct mdl_policy *p, const char *text, struct sq_diag *diag)
{
    *p = (struct mdl_policy){ 0 };
    struct sq_conf conf = { .arena = &p->arena, .diag = diag };
    struct sq_node *root = NULL;
    struct holder holder = { 0 };
    enum sq_status status = sq_presets_open(&p->presets, &conf, &mdl_root_table, NULL);
    if (status == SQ_OK) {
        status = read_tree(p, text, diag, &root);
    }
    if (status == SQ_OK) {
        status = sq_conf_expand(&conf, root, &holder_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_fill(&conf, root, &holder_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_bind(&conf, root, &holder_table, "", &holder);
    }
    if (status == SQ_OK) {
        p->tree = sq_node_get(root, "retry");
        p->cfg = holder.retry;
    }
    return status;
}

void mdl_policy_fini(struct mdl_policy *p)
{
    sq_arena_fini(&p->arena);
}

bool mdl_policy_is_exact(const struct mdl_policy *p)
{
    const struct mdl_retry_cfg *c = p->cfg;
    bool spread = c->jitter.kind != NULL && strcmp(c->jitter.kind->name, "none") != 0;
    return !spread && !mdl_backoff_draws(&c->backoff);
}

/* ---- its delays ---- */

struct draws {
    double *delay, *until, *last; /* by sample */
    size_t count;
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void fill_row(struct sq_delay_row *row, struct draws *d)
{
    double sum = 0, until = 0;
    row->until_min = d->until[0];
    row->until_max = d->until[0];
    for (size_t i = 0; i < d->count; i++) {
        sum += d->delay[i];
        until += d->until[i];
        row->until_min = d->until[i] < row->until_min ? d->until[i] : row->until_min;
        row->until_max = d->until[i] > row->until_max ? d->until[i] : row->until_max;
    }
    qsort(d->delay, d->count, sizeof(double), compare);
    row->min = d->delay[0];
    row->max = d->delay[d->count - 1];
    row->exact = row->min == row->max;
    row->mean = row->exact ? row->min : sum / (double)d->count;
    row->until_mean = row->until_min == row->until_max ? row->until_min : until / (double)d->count;
    for (size_t q = 0; q < SQ_DELAY_DECILES; q++) {
        row->decile[q] = d->delay[d->count * (q + 1) / 10];
    }
}

enum sq_status mdl_delays(const struct mdl_policy *p, const struct mdl_delays_ask *ask,
                          struct sq_delays *out)
{
    bool exact = mdl_policy_is_exact(p);
    struct draws d = { .count = exact ? 1 : ask->samples };
    *out = (struct sq_delays){ .count = ask->retries, .seed = ask->seed };
    out->samples = exact ? 0 : ask->samples;
    int64_t limit = mdl_retry_limit(p->cfg);
    out->limit = limit == SQ_UNLIMITED ? limit : limit - 1;
    out->gives_up_s =
        p->cfg->max_elapsed == SQ_NEVER ? __builtin_inf() : sq_time_to_s(p->cfg->max_elapsed);
    out->rows = sq_arena_alloc(&out->arena, ask->retries + 1, sizeof(*out->rows));
    d.delay = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    d.until = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    d.last = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    if (out->rows == NULL || d.delay == NULL || d.until == NULL || d.last == NULL) {
        return SQ_NOMEM;
    }
    struct sq_luck luck = sq_luck_init(ask->seed, 1);
    uint32_t stream = sq_luck_stream("delays", "retry", NULL);
    for (uint32_t n = 1; n <= ask->retries; n++) {
        for (size_t i = 0; i < d.count; i++) {
            double u = exact ? 0.5 : sq_luck_uniform(&luck, stream, i, n, 0);
            d.delay[i] = sq_time_to_s(mdl_retry_delay(p->cfg, n, u, &d.last[i]));
            d.until[i] += d.delay[i];
        }
        fill_row(&out->rows[n - 1], &d);
    }
    return SQ_OK;
}
