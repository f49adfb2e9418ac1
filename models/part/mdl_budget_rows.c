/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget_rows.c - one row per kind of budget. */
#include "models/part/mdl_budget_rows.h"

#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_scope.h"

static const char *const judged_words[] = { "at-failure", "at-send", NULL };
static const char *const of_words[] = { "calls", "first", "successes", NULL };
static const char *const counter_words[] = { "sliding", "fixed", "idle", NULL };
static const char *const refund_words[] = { "none", "last", NULL };
static const char *const charge_words[] = { "retry", "failure", NULL };

/* ---- beyond ---- */

struct park {
    struct sq_block delay;
};
struct beyond_row {
    struct sq_kind kind;
    enum mdl_beyond what;
};
static const struct sq_field park_rows[] = {
    SQ_ROW_BLOCK(struct park, delay, "delay", "5m..10m", &mdl_dist_family, SQ_F_LIVE,
                 "How long the job rests at the broker before one attempt more."),
};
static const struct beyond_row beyond_rows[] = {
    { { .name = "fail", .doc = "The retry layer gives up." }, MDL_BEYOND_FAIL },
    { { .name = "park",
        .doc = "The job rests at the broker, then gets one attempt more.",
        .table = { .rows = SQ_ROWS(park_rows), .size = sizeof(struct park) } },
      MDL_BEYOND_PARK },
    { { .name = "dead-letter", .doc = "The job goes to the dead letters." },
      MDL_BEYOND_DEAD_LETTER },
};
static const struct sq_family beyond_family = {
    .type = "beyond",
    .kinds = beyond_rows,
    .kind_count = SQ_COUNT(beyond_rows),
    .stride = sizeof(struct beyond_row),
};

/* ---- the kinds ---- */

/* Every kind's struct begins like this. */
struct common {
    int judged, scope;
    struct sq_block beyond;
};
struct by_ratio {
    struct common common;
    struct mdl_budget_ratio law;
};
struct by_concurrent {
    struct common common;
    struct mdl_budget_concurrent law;
};
struct by_tokens {
    struct common common;
    struct mdl_budget_tokens law;
};
struct by_deposit {
    struct common common;
    struct mdl_budget_deposit law;
};
struct by_sre {
    struct common common;
    struct mdl_budget_sre law;
};

#define COMMON_ROWS(T)                                                                            \
    SQ_ROW_CHOICE(T, common.judged, "judged", "at-failure", judged_words, 0,                      \
                  "When a retry asks: at the failure, its place then held through the delay, or " \
                  "when it is to be sent."),                                                      \
        SQ_ROW_BLOCK(T, common.beyond, "beyond", "fail", &beyond_family, SQ_F_LIVE,               \
                     "What becomes of a retry that may not go."),                                 \
        MDL_ROW_SCOPE(T, common.scope)

static const struct sq_field ratio_rows[] = {
    SQ_ROW_RATIO(struct by_ratio, law.ratio, "ratio", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "Retries per call."),
    SQ_ROW_CHOICE(struct by_ratio, law.of, "of", "calls", of_words, 0, "What it is a share of."),
    SQ_ROW_TIME(struct by_ratio, law.window, "window", "1m", SQ_F_ABOVE_MIN | SQ_F_LIVE,
                "Over which both are counted."),
    SQ_ROW_NUMBER(struct by_ratio, law.floor, "floor", "10", 0, 1e12, SQ_F_LIVE,
                  "Retries that may go in any window."),
    SQ_ROW_CHOICE(
        struct by_ratio, law.counter, "counter", "sliding", counter_words, 0,
        "sliding: exactly; fixed: by the clock; idle: until nothing came for the window."),
    COMMON_ROWS(struct by_ratio),
};
static const struct sq_field concurrent_rows[] = {
    SQ_ROW_RATIO(struct by_concurrent, law.ratio, "ratio", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "Retries per call under way."),
    SQ_ROW_AMOUNT(struct by_concurrent, law.floor, "floor", "3", 0, SQ_F_LIVE,
                  "Retries at a time that may go anyway."),
    COMMON_ROWS(struct by_concurrent),
};
static const struct sq_field tokens_rows[] = {
    SQ_ROW_NUMBER(struct by_tokens, law.max, "max", "500", 0, 1e12, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                  "Tokens at most, and at time 0."),
    SQ_ROW_NUMBER(struct by_tokens, law.cost, "cost", "5", 0, 1e12, SQ_F_LIVE, "Of a retry."),
    SQ_ROW_NUMBER(struct by_tokens, law.timeout_cost, "timeout_cost", NULL, 0, 1e12,
                  SQ_F_LIVE | SQ_F_OPTIONAL, "Of a retry after a timeout; as cost by default."),
    SQ_ROW_NUMBER(struct by_tokens, law.throttle_cost, "throttle_cost", NULL, 0, 1e12,
                  SQ_F_LIVE | SQ_F_OPTIONAL, "Of a retry after rate-limited; as cost by default."),
    SQ_ROW_NUMBER(struct by_tokens, law.per_success, "per_success", "1", 0, 1e12, SQ_F_LIVE,
                  "What a success brings."),
    SQ_ROW_CHOICE(struct by_tokens, law.refund, "refund", "last", refund_words, 0,
                  "last: the success of a retry brings back what that cost, and nothing else."),
    SQ_ROW_CHOICE(struct by_tokens, law.charge, "charge", "retry", charge_words, 0,
                  "Whether retries or failures cost."),
    SQ_ROW_RATIO(struct by_tokens, law.above, "above", "0%", SQ_F_LIVE,
                 "A retry may go while there are more tokens than this share of max."),
    COMMON_ROWS(struct by_tokens),
};
static const struct sq_field deposit_rows[] = {
    SQ_ROW_RATIO(struct by_deposit, law.ratio, "ratio", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "What a first call brings."),
    SQ_ROW_TIME(struct by_deposit, law.ttl, "ttl", "10s", SQ_F_ABOVE_MIN | SQ_F_LIVE,
                "How long that lasts."),
    SQ_ROW_NUMBER(struct by_deposit, law.reserve, "reserve", "100", 0, 1e12, SQ_F_LIVE,
                  "Retries that may go in any such time."),
    COMMON_ROWS(struct by_deposit),
};
static const struct sq_field sre_rows[] = {
    SQ_ROW_NUMBER(struct by_sre, law.k, "k", "2", 1, 1e6, SQ_F_LIVE,
                  "Calls sent per accepted one, about."),
    SQ_ROW_TIME(struct by_sre, law.window, "window", "2m", SQ_F_ABOVE_MIN | SQ_F_LIVE,
                "Over which both are counted."),
    MDL_ROW_SCOPE(struct by_sre, common.scope), /* no retry asks it: nothing to say of one */
};

struct budget_row {
    struct sq_kind kind;
    enum mdl_budget_kind what;
    size_t law; /* offset */
};
#define KIND(name_, doc_, rows_, T, what_)                          \
    {                                                               \
        { .name = (name_),                                          \
          .doc = (doc_),                                            \
          .table = { .rows = SQ_ROWS(rows_), .size = sizeof(T) } }, \
            (what_), offsetof(T, law)                               \
    }
static const struct budget_row budget_rows[] = {
    KIND("ratio", "Retries in a window at most a share of what it holds.", ratio_rows,
         struct by_ratio, MDL_BUDGET_RATIO),
    KIND("concurrent", "Retries at a time at most a share of the calls under way.", concurrent_rows,
         struct by_concurrent, MDL_BUDGET_CONCURRENT),
    KIND("tokens", "Failures or retries cost what successes bring.", tokens_rows, struct by_tokens,
         MDL_BUDGET_TOKENS),
    KIND("deposit", "Each first call brings a share of a retry, for a while.", deposit_rows,
         struct by_deposit, MDL_BUDGET_DEPOSIT),
    KIND("sre", "Calls of every sort are turned away by chance once few are accepted.", sre_rows,
         struct by_sre, MDL_BUDGET_SRE),
};
const struct sq_family mdl_budget_family = {
    .type = "budget",
    .kinds = budget_rows,
    .kind_count = SQ_COUNT(budget_rows),
    .stride = sizeof(struct budget_row),
    .dflt_kind = "ratio",
    .has_preset = true,
};

static const struct common *common_of(const struct sq_block *budget)
{
    SQ_ASSERT(budget->kind != NULL);
    return budget->cfg;
}

struct mdl_budget_law mdl_budget_law(const struct sq_block *budget)
{
    SQ_ASSERT(budget->kind != NULL);
    const struct budget_row *row = (const void *)budget->kind;
    return (struct mdl_budget_law){ row->what, (const char *)budget->cfg + row->law };
}

int mdl_budget_scope(const struct sq_block *budget)
{
    return common_of(budget)->scope;
}

bool mdl_budget_at_send(const struct sq_block *budget)
{
    return common_of(budget)->judged == 1;
}

enum mdl_beyond mdl_budget_beyond(const struct sq_block *budget, double u, sq_time_t *delay)
{
    const struct beyond_row *row = (const void *)common_of(budget)->beyond.kind;
    if (row->what == MDL_BEYOND_PARK) {
        const struct park *park = common_of(budget)->beyond.cfg;
        struct sq_dist d = mdl_dist_make(&park->delay);
        *delay = sq_dist_at(&d, u);
    }
    return row->what;
}
