/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_retry.c - the rows of a retry layer and its decision. */
#include "models/part/mdl_retry.h"

#include "models/policy/mdl_backoff.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_jitter.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

enum { WORD_TRANSIENT, WORD_EVERYTHING, WORD_FIRST_KIND };
static const char *const on_words[] = { "transient", "everything",
#define WORD(name, word) word,
                                        MDL_ERRORS(WORD)
#undef WORD
                                            NULL };
static const char *const counts_words[] = { "failures", "starts", NULL };
static const char *const after_words[] = { "ignore", "exact", "at-least", "clamp", "spread", NULL };
static const char *const held_words[] = { "broker", "worker-memory", "slot", NULL };

struct park {
    struct sq_block delay;
};

static const struct sq_field park_rows[] = {
    SQ_ROW_BLOCK(struct park, delay, "delay", "5m..10m", &mdl_dist_family, SQ_F_LIVE,
                 "How long the job rests at the broker before one attempt more."),
};

struct give_up_row {
    struct sq_kind kind;
    enum mdl_give_up what;
};
static const struct give_up_row give_up_rows[] = {
    { { .name = "dead-letter", .doc = "The job goes to the dead letters." },
      MDL_GIVE_UP_DEAD_LETTER },
    { { .name = "drop", .doc = "The job is dropped." }, MDL_GIVE_UP_DROP },
    { { .name = "park",
        .doc = "The job rests at the broker, then gets one attempt more, without limit.",
        .table = { .rows = SQ_ROWS(park_rows), .size = sizeof(struct park) } },
      MDL_GIVE_UP_PARK },
};
static const struct sq_family give_up_family = {
    .type = "give_up",
    .kinds = give_up_rows,
    .kind_count = SQ_COUNT(give_up_rows),
    .stride = sizeof(struct give_up_row),
};

static const struct sq_field on_element = {
    .key = "kind", .type = SQ_CHOICE, .more = on_words, .doc = "An error kind."
};

/* Full jitter unless the backoff draws by itself. */
static const char *usual_jitter(const struct sq_node *map)
{
    const struct sq_node *backoff = sq_node_get(map, "backoff");
    const struct sq_node *kind =
        backoff != NULL && backoff->kind == SQ_NODE_MAP ? sq_node_get(backoff, "kind") : NULL;
    bool draws = kind != NULL && kind->kind == SQ_NODE_SCALAR && mdl_backoff_kind_draws(kind->text);
    return draws ? "none" : "full";
}

static const struct sq_field retry_rows[] = {
    SQ_ROW_LIST(struct mdl_retry_cfg, retry_on, "retry_on", "transient", &on_element,
                SQ_F_ONE | SQ_F_LIVE, "Failures that are retried; anything else gives up at once."),
    { .key = "max_attempts",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct mdl_retry_cfg, max_attempts, int64_t),
      .dflt = "3",
      .min = 1,
      .max = 1099511627775.0,
      .flags = SQ_F_UNLIMITED | SQ_F_LIVE | SQ_F_OPTIONAL,
      .alt = 1,
      .doc = "Tries in all, the first included." },
    { .key = "max_retries",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct mdl_retry_cfg, max_retries, int64_t),
      .max = 1099511627775.0,
      .flags = SQ_F_UNLIMITED | SQ_F_LIVE | SQ_F_OPTIONAL,
      .alt = 1,
      .doc = "Tries after the first." },
    SQ_ROW_TIME(struct mdl_retry_cfg, max_elapsed, "max_elapsed", "none", SQ_F_NONE | SQ_F_LIVE,
                "No retry that would start later than this after the layer's first try."),
    SQ_ROW_CHOICE(struct mdl_retry_cfg, limit_counts, "limit_counts", "failures", counts_words,
                  SQ_F_LIVE, "starts: redeliveries after a crash use up the limit too."),
    SQ_ROW_BLOCK(struct mdl_retry_cfg, backoff, "backoff", "exponential", &mdl_backoff_family,
                 SQ_F_LIVE, "The delay before the next try."),
    { .key = "jitter",
      .type = SQ_BLOCK,
      .off = SQ_AT(struct mdl_retry_cfg, jitter, struct sq_block),
      .dflt = "full",
      .dflt_by = usual_jitter,
      .more = &mdl_jitter_family,
      .flags = SQ_F_LIVE,
      .doc = "How the delay is spread; none where the backoff draws itself." },
    SQ_ROW_CHOICE(struct mdl_retry_cfg, retry_after, "retry_after", "ignore", after_words,
                  SQ_F_LIVE, "What a hint of the dependency does to the delay."),
    SQ_ROW_CHOICE(struct mdl_retry_cfg, held_by, "held_by", "broker", held_words, 0,
                  "Where the delay lives."),
    SQ_ROW_BLOCK(struct mdl_retry_cfg, give_up, "give_up", NULL, &give_up_family,
                 SQ_F_OPTIONAL | SQ_F_LIVE, "What happens to a job that may not try again."),
};

static void check_retry(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct mdl_retry_cfg *r = cfg;
    bool jittered = r->jitter.kind != NULL && strcmp(r->jitter.kind->name, "none") != 0;
    if (mdl_backoff_draws(&r->backoff) && jittered) {
        sq_diag_error(diag, r->jitter.node != NULL ? r->jitter.node->where : node->where, path,
                      "write jitter: none", "backoff %s draws its delays itself: no jitter",
                      r->backoff.kind->name);
    }
}

const struct sq_table mdl_retry_table = {
    .type = "retry",
    .rows = SQ_ROWS(retry_rows),
    .size = sizeof(struct mdl_retry_cfg),
    .check = check_retry,
    .has_preset = true,
};

const char *const mdl_retry_not_of_clients[] = { "held_by", "limit_counts", NULL };
const char *const mdl_retry_not_of_calls[] = { "held_by", "give_up", "limit_counts", NULL };

static bool is_transient(enum mdl_error e)
{
    return e != MDL_ERR_OK && e != MDL_ERR_PERMANENT && e != MDL_ERR_CANCELLED;
}

bool mdl_retry_retries(const struct mdl_retry_cfg *layer, enum mdl_error e)
{
    for (size_t i = 0; i < layer->retry_on.count; i++) {
        int word = *(const int *)sq_list_at(&layer->retry_on, i);
        if (word == WORD_EVERYTHING || (word == WORD_TRANSIENT && is_transient(e)) ||
            word == WORD_FIRST_KIND + (int)e) {
            return true;
        }
    }
    return false;
}

int64_t mdl_retry_limit(const struct mdl_retry_cfg *layer)
{
    if (layer == NULL) {
        return 1;
    }
    if (layer->max_retries >= 0) {
        return layer->max_retries == SQ_UNLIMITED ? SQ_UNLIMITED : layer->max_retries + 1;
    }
    return layer->max_attempts;
}

sq_time_t mdl_retry_delay(const struct mdl_retry_cfg *layer, uint32_t n, double u, double *last)
{
    if (mdl_backoff_is_lease(&layer->backoff)) {
        return layer->lease; /* all of it at the most: failures come later */
    }
    struct mdl_jitter_in in = { .d = mdl_backoff_next_s(&layer->backoff, n, u, last),
                                .offset = mdl_backoff_offset_s(&layer->backoff),
                                .n = n };
    bool exact = mdl_backoff_is_exact(&layer->backoff, in.d);
    double d = exact ? in.d : mdl_jitter_apply(&layer->jitter, in, u);
    double cap = mdl_backoff_cap_after_s(&layer->backoff);
    return sq_time_from_s(d < cap ? d : cap);
}

/* What a Retry-After hint makes of the delay. */
static sq_time_t with_hint(const struct mdl_retry_cfg *layer, sq_time_t delay, sq_time_t hint,
                           double u)
{
    if (hint == SQ_NEVER) {
        return delay;
    }
    switch ((enum mdl_retry_after)layer->retry_after) {
    case MDL_HINT_IGNORE:
        return delay;
    case MDL_HINT_EXACT:
        return hint;
    case MDL_HINT_AT_LEAST:
        return sq_max_i64(delay, hint);
    case MDL_HINT_CLAMP:
        return sq_max_i64(hint, sq_min_i64(delay, sq_time_add(hint, 5 * SQ_NS_PER_S)));
    case MDL_HINT_SPREAD:
        return sq_time_from_s(sq_time_to_s(hint) * (1 + u / 2));
    }
    return delay;
}

struct mdl_retry_plan mdl_retry_give_up(const struct mdl_retry_cfg *layer, double u)
{
    struct mdl_retry_plan plan = { .give_up = MDL_GIVE_UP_DEFAULT };
    if (layer != NULL && layer->give_up.kind != NULL) {
        plan.give_up = ((const struct give_up_row *)(const void *)layer->give_up.kind)->what;
    }
    if (plan.give_up == MDL_GIVE_UP_PARK) {
        const struct park *park = layer->give_up.cfg;
        struct sq_dist d = mdl_dist_make(&park->delay);
        plan.delay = sq_dist_at(&d, u);
    }
    return plan;
}

struct mdl_retry_plan mdl_retry_decide(const struct mdl_retry_cfg *layer,
                                       const struct mdl_failure *f)
{
    SQ_ASSERT(f->n >= 1);
    if (layer == NULL || !mdl_retry_retries(layer, f->error)) {
        return mdl_retry_give_up(layer, f->u);
    }
    uint32_t used = layer->limit_counts == MDL_LIMIT_STARTS && f->starts > f->n ? f->starts : f->n;
    if ((int64_t)used >= mdl_retry_limit(layer)) {
        return mdl_retry_give_up(layer, f->u);
    }
    struct mdl_retry_plan plan = { .retry = true, .last = f->last };
    plan.leased = mdl_backoff_is_lease(&layer->backoff);
    plan.delay = mdl_retry_delay(layer, f->n, f->u, &plan.last);
    plan.delay = plan.leased ? f->lease : with_hint(layer, plan.delay, f->hint, f->u);
    if (sq_time_add(f->elapsed, plan.delay) > layer->max_elapsed) {
        return mdl_retry_give_up(layer, f->u);
    }
    return plan;
}
