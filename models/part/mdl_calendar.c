/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_calendar.c - rows of outages and of the overload rule. */
#include "models/part/mdl_calendar.h"

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

#include <math.h>

/* Each kind starts with the common part. */
struct hang {
    struct mdl_outage_cfg o;
    int held;
};
struct amount { /* slow, brownout */
    struct mdl_outage_cfg o;
    double amount;
};
struct errors {
    struct mdl_outage_cfg o;
    double ratio;
    int error;
};

struct outage_row {
    struct sq_kind kind;
    enum mdl_outage_kind what;
};

static const char *const held_words[] = { "served", "lost", NULL };
static const char *const error_words[] = {
#define WORD(name, word) word,
    MDL_ERRORS(WORD)
#undef WORD
        NULL
};

#define WHEN                                                                          \
    { .key = "at",                                                                    \
      .type = SQ_TIME,                                                                \
      .off = SQ_AT(struct mdl_outage_cfg, at, sq_time_t),                             \
      .flags = SQ_F_OPTIONAL,                                                         \
      .alt = 1,                                                                       \
      .doc = "Planned start." },                                                      \
        { .key = "every",                                                             \
          .type = SQ_BLOCK,                                                           \
          .off = SQ_AT(struct mdl_outage_cfg, every, struct sq_block),                \
          .more = &mdl_dist_family,                                                   \
          .flags = SQ_F_OPTIONAL,                                                     \
          .alt = 1,                                                                   \
          .doc = "Random gaps from the end of one to the start of the next." },       \
        SQ_ROW_BLOCK(struct mdl_outage_cfg, length, "for", NULL, &mdl_dist_family, 0, \
                     "How long it lasts."),                                           \
        SQ_ROW_AMOUNT(struct mdl_outage_cfg, nodes, "nodes", NULL, 1, SQ_F_OPTIONAL,  \
                      "How many nodes it hits, the first ones that are up; absent: all.")

static const struct sq_field down_rows[] = {
    WHEN,
    SQ_ROW_TIME(struct mdl_outage_cfg, answer_in, "answer_in", NULL, SQ_F_OPTIONAL,
                "Until a caller learns that it is refused."),
};
static const struct sq_field hang_rows[] = {
    WHEN,
    SQ_ROW_CHOICE(struct hang, held, "held", "served", held_words, 0,
                  "Whether calls held go on afterwards or never answer."),
};
static const struct sq_field slow_rows[] = {
    WHEN,
    SQ_ROW_NUMBER(struct amount, amount, "factor", NULL, 0, 1e9, SQ_F_ABOVE_MIN,
                  "Services that start meanwhile take so many times as long."),
};
static const struct sq_field errors_rows[] = {
    WHEN,
    SQ_ROW_RATIO(struct errors, ratio, "ratio", NULL, 0, "Share of the calls that fail."),
    SQ_ROW_CHOICE(struct errors, error, "error", "error", error_words, 0, "How they fail."),
    SQ_ROW_TIME(struct mdl_outage_cfg, answer_in, "answer_in", NULL, SQ_F_OPTIONAL,
                "Until a caller learns that it failed, without service; else after its service."),
};
static const struct sq_field brownout_rows[] = {
    WHEN,
    SQ_ROW_RATIO(struct amount, amount, "capacity", NULL, 0,
                 "Share of servers that take new work."),
};

static void check_outage(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct mdl_outage_cfg *o = cfg;
    sq_time_t length;
    bool constant = mdl_dist_is_constant(&o->length, &length);
    if (!constant && mdl_outage_is_planned(o)) {
        sq_diag_error(diag, node->where, path, "write one duration, for example for: 20m",
                      "a planned outage needs a constant `for`");
    } else if (constant && length == 0) {
        sq_diag_error(diag, node->where, path, "write a duration, for example for: 20m",
                      "the outage lasts 0s");
    }
    if (mdl_outage_is_planned(o) && o->at == SQ_NEVER) {
        sq_diag_error(diag, node->where, path, "for example at: 10m, or every: 1h",
                      "needs one of at, every");
    }
}

static void check_errors(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct errors *e = cfg;
    check_outage(cfg, node, path, diag);
    if (!mdl_error_is_answer((enum mdl_error)e->error)) {
        sq_diag_error(diag, sq_node_get(node, "error")->where, path,
                      "for example error: unavailable", "a dependency cannot answer `%s`",
                      error_words[e->error]);
    }
}

#define OUTAGE(rows_, T, check_)                                   \
    {                                                              \
        .rows = SQ_ROWS(rows_), .size = sizeof(T), .check = check_ \
    }
static const struct outage_row outage_kinds[] = {
    { { .name = "down",
        .doc = "Calls inside fail with reset, new ones with unavailable.",
        .table = OUTAGE(down_rows, struct mdl_outage_cfg, check_outage) },
      MDL_OUTAGE_DOWN },
    { { .name = "hang",
        .doc = "No answers while it lasts.",
        .table = OUTAGE(hang_rows, struct hang, check_outage) },
      MDL_OUTAGE_HANG },
    { { .name = "slow",
        .doc = "Service times are multiplied.",
        .table = OUTAGE(slow_rows, struct amount, check_outage) },
      MDL_OUTAGE_SLOW },
    { { .name = "errors",
        .doc = "A share of the calls fails.",
        .table = OUTAGE(errors_rows, struct errors, check_errors) },
      MDL_OUTAGE_ERRORS },
    { { .name = "brownout",
        .doc = "Fewer servers take new work.",
        .table = OUTAGE(brownout_rows, struct amount, check_outage) },
      MDL_OUTAGE_BROWNOUT },
};

const struct sq_family mdl_outage_family = {
    .type = "outage",
    .kinds = outage_kinds,
    .kind_count = SQ_COUNT(outage_kinds),
    .stride = sizeof(struct outage_row),
    .dflt_kind = "down",
};

static const char *const per_words[] = { "dependency", "node", NULL };
static const struct sq_field overload_rows[] = {
    { .key = "in_flight",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct mdl_overload_cfg, in_flight, int64_t),
      .max = 1099511627775.0,
      .flags = SQ_F_OPTIONAL | SQ_F_LIVE,
      .alt = 1,
      .doc = "Trips above so many calls in service and waiting." },
    { .key = "waiting",
      .type = SQ_AMOUNT,
      .off = SQ_AT(struct mdl_overload_cfg, waiting, int64_t),
      .max = 1099511627775.0,
      .flags = SQ_F_OPTIONAL | SQ_F_LIVE,
      .alt = 1,
      .doc = "Trips above so many calls waiting." },
    { .key = "offered",
      .type = SQ_RATE,
      .off = SQ_AT(struct mdl_overload_cfg, offered, double),
      .flags = SQ_F_OPTIONAL | SQ_F_LIVE,
      .alt = 1,
      .doc = "Trips above this rate of calls, over the last second." },
    SQ_ROW_TIME(struct mdl_overload_cfg, hold, "for", "0s", SQ_F_LIVE,
                "Without a break for this long."),
    SQ_ROW_BLOCK(struct mdl_overload_cfg, down_for, "down_for", NULL, &mdl_dist_family, SQ_F_LIVE,
                 "How long it then stays down."),
    SQ_ROW_TIME(struct mdl_overload_cfg, answer_in, "answer_in", NULL, SQ_F_OPTIONAL | SQ_F_LIVE,
                "Until a caller learns that it is refused, while it is down."),
    SQ_ROW_CHOICE(struct mdl_overload_cfg, per, "per", "dependency", per_words, 0,
                  "Whose value counts and who goes down."),
    SQ_ROW_BOOL(struct mdl_overload_cfg, repeat, "repeat", "true", SQ_F_LIVE,
                "Whether it may trip again."),
};

static void check_overload(const void *cfg, const struct sq_node *node, const char *path,
                           struct sq_diag *diag)
{
    const struct mdl_overload_cfg *o = cfg;
    if (o->in_flight < 0 && o->waiting < 0 && isnan(o->offered)) {
        sq_diag_error(diag, node->where, path, "for example in_flight: 100",
                      "needs one of in_flight, waiting, offered");
    }
}

const struct sq_table mdl_overload_table = { .type = "overload",
                                             .rows = SQ_ROWS(overload_rows),
                                             .size = sizeof(struct mdl_overload_cfg),
                                             .check = check_overload };

static const struct sq_block *block_at(const struct sq_list *outages, size_t i)
{
    return sq_list_at(outages, i);
}

const struct mdl_outage_cfg *mdl_outage_at(const struct sq_list *outages, size_t i)
{
    return block_at(outages, i)->cfg;
}

enum mdl_outage_kind mdl_outage_kind(const struct sq_list *outages, size_t i)
{
    return ((const struct outage_row *)(const void *)block_at(outages, i)->kind)->what;
}

double mdl_outage_amount(const struct sq_list *outages, size_t i)
{
    const void *cfg = block_at(outages, i)->cfg;
    return mdl_outage_kind(outages, i) == MDL_OUTAGE_ERRORS ? ((const struct errors *)cfg)->ratio
                                                            : ((const struct amount *)cfg)->amount;
}

enum mdl_error mdl_outage_error(const struct sq_list *outages, size_t i)
{
    SQ_ASSERT(mdl_outage_kind(outages, i) == MDL_OUTAGE_ERRORS);
    return (enum mdl_error)((const struct errors *)block_at(outages, i)->cfg)->error;
}

bool mdl_outage_loses(const struct sq_list *outages, size_t i)
{
    SQ_ASSERT(mdl_outage_kind(outages, i) == MDL_OUTAGE_HANG);
    return ((const struct hang *)block_at(outages, i)->cfg)->held == 1;
}

sq_time_t mdl_outage_length(const struct mdl_outage_cfg *o)
{
    sq_time_t length = 0;
    (void)mdl_dist_is_constant(&o->length, &length);
    return length;
}

sq_time_t mdl_outage_over(const struct mdl_outage_cfg *o)
{
    SQ_ASSERT(mdl_outage_is_planned(o));
    return sq_time_add(o->at, mdl_outage_length(o));
}

/* Planned, and of a kind that stops answers. */
static bool stops(const struct sq_list *outages, size_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(outages, i);
    return mdl_outage_is_planned(mdl_outage_at(outages, i)) &&
           (kind == MDL_OUTAGE_DOWN || kind == MDL_OUTAGE_HANG);
}

void mdl_outages_check(const struct sq_list *outages, const struct sq_node *node, const char *path,
                       struct sq_diag *diag)
{
    for (size_t i = 0; i < outages->count; i++) {
        for (size_t k = 0; k < i && stops(outages, i); k++) {
            const struct mdl_outage_cfg *a = mdl_outage_at(outages, i);
            const struct mdl_outage_cfg *b = mdl_outage_at(outages, k);
            if (stops(outages, k) && a->at < mdl_outage_over(b) && b->at < mdl_outage_over(a)) {
                sq_diag_error(diag, node->items[i]->where, path, "write one longer outage",
                              "outage %zu overlaps outage %zu", i, k);
            }
        }
    }
}
