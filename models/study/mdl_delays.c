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
    if (text[strspn(text, " \t\n")] == '\0') {
        return sq_diag_error(diag, (struct sq_where){ .file = "POLICY" }, NULL,
                             "for example celery, or '{backoff: 5s, jitter: full}'",
                             "the policy is empty");
    }
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

enum sq_status mdl_policy_check(const struct mdl_policy *p, struct sq_diag *diag)
{
    if (!mdl_backoff_is_lease(&p->cfg->backoff)) {
        return SQ_OK;
    }
    return sq_diag_error(diag, (struct sq_where){ .file = "POLICY" }, NULL,
                         "run a scenario with the queue, or `squall explain` it",
                         "with backoff lease the delay is what is left of the queue's "
                         "visibility_timeout: there is nothing to draw");
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

/* A law that keeps no state is a function of its uniform that rises: its ends are known. */
static void set_ends(const struct mdl_policy *p, uint32_t n, struct sq_delays *out)
{
    struct sq_delay_row *row = &out->rows[n - 1];
    double none = 0;
    if (mdl_backoff_draws(&p->cfg->backoff)) {
        return;
    }
    row->min = sq_time_to_s(mdl_retry_delay(p->cfg, n, 0x1p-53, &none));
    row->max = sq_time_to_s(mdl_retry_delay(p->cfg, n, 1 - 0x1p-53, &none));
    row->exact = row->min == row->max;
    row->until_min = row->min + (n > 1 ? row[-1].until_min : 0);
    row->until_max = row->max + (n > 1 ? row[-1].until_max : 0);
}

enum sq_status mdl_delays_read(struct mdl_delays_ask *ask, const struct sq_args *args,
                               struct sq_diag *diag)
{
    int64_t retries = 0, samples = 100000;
    const char *format = sq_args_get(args, "format");
    *ask =
        (struct mdl_delays_ask){ .seed = 1, .csv = format != NULL && strcmp(format, "csv") == 0 };
    enum sq_status status =
        sq_args_count(args, "retries", (struct sq_opt_range){ 1, 10000 }, &retries, diag);
    if (sq_args_count(args, "samples", (struct sq_opt_range){ 10, 1000000 }, &samples, diag) !=
            SQ_OK ||
        sq_args_seed(args, "seed", &ask->seed, diag) != SQ_OK) {
        status = SQ_USER;
    }
    if (format != NULL && !ask->csv && strcmp(format, "table") != 0) {
        status = sq_diag_error(diag, (struct sq_where){ .file = "--format" }, NULL,
                               "write table or csv", "there is no format `%s`", format);
    }
    ask->retries = (uint32_t)retries;
    ask->samples = (size_t)samples;
    return status;
}

/* At least one, also of a policy that never retries. */
static uint32_t shown(const struct mdl_policy *p, const struct mdl_delays_ask *ask)
{
    if (ask->retries > 0) {
        return ask->retries;
    }
    int64_t limit = mdl_retry_limit(p->cfg);
    if (limit == SQ_UNLIMITED || limit > MDL_DELAYS_SHOWN) {
        return MDL_DELAYS_SHOWN;
    }
    return limit > 1 ? (uint32_t)limit - 1 : 1;
}

enum sq_status mdl_delays(const struct mdl_policy *p, const struct mdl_delays_ask *ask,
                          struct sq_delays *out)
{
    uint32_t retries = shown(p, ask);
    bool exact = mdl_policy_is_exact(p);
    struct draws d = { .count = exact ? 1 : ask->samples };
    *out = (struct sq_delays){ .count = retries, .seed = ask->seed };
    out->samples = exact ? 0 : ask->samples;
    out->ends_drawn = mdl_backoff_draws(&p->cfg->backoff);
    int64_t limit = mdl_retry_limit(p->cfg);
    out->limit = limit == SQ_UNLIMITED ? limit : limit - 1;
    out->gives_up_s =
        p->cfg->max_elapsed == SQ_NEVER ? __builtin_inf() : sq_time_to_s(p->cfg->max_elapsed);
    out->rows = sq_arena_alloc(&out->arena, retries + 1, sizeof(*out->rows));
    d.delay = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    d.until = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    d.last = sq_arena_alloc(&out->arena, d.count, sizeof(double));
    if (out->rows == NULL || d.delay == NULL || d.until == NULL || d.last == NULL) {
        return SQ_NOMEM;
    }
    struct sq_luck luck = sq_luck_init(ask->seed, 1);
    uint32_t stream = sq_luck_stream("delays", "retry", NULL);
    for (uint32_t n = 1; n <= retries; n++) {
        for (size_t i = 0; i < d.count; i++) {
            double u = exact ? 0.5 : sq_luck_uniform(&luck, stream, i, n, 0);
            d.delay[i] = sq_time_to_s(mdl_retry_delay(p->cfg, n, u, &d.last[i]));
            d.until[i] += d.delay[i];
        }
        fill_row(&out->rows[n - 1], &d);
        set_ends(p, n, out);
    }
    return SQ_OK;
}
