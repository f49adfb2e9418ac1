/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals_bursts.c - arrivals in batches. A batch that is spread over a time may overlap the
 * next ones, so several can be under way; each knows its next instant. */
#include "models/part/mdl_arrivals_in.h"

#include "sim/conf/sq_rows.h"

const struct sq_field mdl_bursts_rows[MDL_BURSTS_ROWS] = {
    SQ_ROW_AMOUNT(struct mdl_bursts_cfg, size, "size", NULL, 1, 0, "Jobs of each batch."),
    SQ_ROW_BLOCK(struct mdl_bursts_cfg, every, "every", NULL, &mdl_dist_family, 0,
                 "From the start of a batch to that of the next."),
    SQ_ROW_BLOCK(struct mdl_bursts_cfg, first, "first", NULL, &mdl_dist_family, SQ_F_OPTIONAL,
                 "Start of the first batch; left out, it is drawn as `every`."),
    SQ_ROW_TIME(struct mdl_bursts_cfg, over, "over", "0s", 0,
                "A batch is spread over this time, uniformly at random."),
};

/* Luck: batch b has its gap under attempt 0 and its n-th job under the attempts from 1 on. */
static double batch_luck(const struct mdl_arrivals *a, uint64_t batch, uint64_t n)
{
    return sq_luck_uniform(a->luck, a->stream, batch, (uint32_t)(1 + (n >> 23)),
                           (uint32_t)(n & 0x7fffff));
}

static sq_time_t gap_after(const struct mdl_arrivals *a, uint64_t batch)
{
    const struct sq_dist *d = batch == 0 ? &a->first : &a->gap;
    return sq_dist_at(d, mdl_arrivals_uniform(a, 0, batch));
}

enum sq_status mdl_bursts_open(struct mdl_arrivals *a, const void *cfg, struct sq_arena *arena)
{
    const struct mdl_bursts_cfg *c = cfg;
    a->arena = arena;
    a->gap = mdl_dist_make(&c->every);
    a->first = c->first.kind != NULL ? mdl_dist_make(&c->first) : a->gap;
    a->batch_start = gap_after(a, 0);
    return SQ_OK;
}

/* Sets when the next job of a batch comes, at or after `from`. */
static void aim(const struct mdl_arrivals *a, const struct mdl_bursts_cfg *c,
                struct mdl_batch *batch, sq_time_t from)
{
    double u = batch_luck(a, batch->number, (uint64_t)c->size - batch->left);
    batch->next = c->over > 0 ? mdl_arrivals_spread(from, batch->until, batch->left, u) : from;
}

/* The batch that is due starts. False: out of memory. */
static bool start_batch(struct mdl_arrivals *a, const struct mdl_bursts_cfg *c)
{
    if (a->batch_count == a->batch_size) {
        size_t size = a->batch_size > 0 ? 2 * a->batch_size : 4;
        struct mdl_batch *more = sq_arena_alloc(a->arena, size, sizeof(*more));
        if (more == NULL) {
            return false;
        }
        for (size_t i = 0; i < a->batch_count; i++) {
            more[i] = a->batches[i];
        }
        a->batches = more;
        a->batch_size = size;
    }
    struct mdl_batch *batch = &a->batches[a->batch_count++];
    *batch = (struct mdl_batch){ .number = a->batch_number++,
                                 .left = (uint64_t)c->size,
                                 .until = sq_time_add(a->batch_start, c->over) };
    aim(a, c, batch, a->batch_start);
    a->batch_start = sq_time_add(a->batch_start, gap_after(a, a->batch_number));
    return true;
}

/* The batch whose next job comes first; of several the oldest. */
static struct mdl_batch *soonest(const struct mdl_arrivals *a)
{
    struct mdl_batch *best = NULL;
    for (size_t i = 0; i < a->batch_count; i++) {
        if (best == NULL || a->batches[i].next < best->next) {
            best = &a->batches[i];
        }
    }
    return best;
}

static void end_batch(struct mdl_arrivals *a, const struct mdl_batch *batch)
{
    for (size_t i = (size_t)(batch - a->batches); i + 1 < a->batch_count; i++) {
        a->batches[i] = a->batches[i + 1];
    }
    a->batch_count--;
}

sq_time_t mdl_bursts_next(struct mdl_arrivals *a, const void *cfg, uint32_t source)
{
    (void)source;
    const struct mdl_bursts_cfg *c = cfg;
    struct mdl_batch *batch = soonest(a);
    while (a->batch_start != SQ_NEVER && (batch == NULL || a->batch_start < batch->next)) {
        if (!start_batch(a, c)) {
            a->failed = true;
            return SQ_NEVER;
        }
        batch = soonest(a);
    }
    if (batch == NULL) {
        return SQ_NEVER;
    }
    sq_time_t at = batch->next;
    if (--batch->left > 0) {
        aim(a, c, batch, at);
    } else {
        end_batch(a, batch);
    }
    return at;
}

double mdl_bursts_rate(const struct mdl_arrivals *a, const void *cfg, sq_time_t at)
{
    (void)at;
    double gap = sq_dist_mean_s(&a->gap);
    return gap > 0 ? (double)((const struct mdl_bursts_cfg *)cfg)->size / gap : 0;
}

void mdl_bursts_check(const void *cfg, const struct sq_node *node, const char *path,
                      struct sq_diag *diag)
{
    const struct mdl_bursts_cfg *c = cfg;
    if (mdl_dist_is_zero(&c->every)) {
        sq_diag_error(diag, node->where, path, "for example every: 10m",
                      "batches come one after the other without time between");
    }
}
