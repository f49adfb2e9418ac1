/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_calendar.c - rows of outages and of the overload rule. */
#include "models/part/mdl_calendar.h"

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

static const struct sq_field down_rows[] = {
    SQ_ROW_TIME(struct mdl_outage_cfg, at, "at", NULL, 0, "Planned start."),
    SQ_ROW_LATER("every", "Random gaps between outages."),
    SQ_ROW_BLOCK(struct mdl_outage_cfg, length, "for", NULL, &mdl_dist_family, 0,
                 "How long it lasts."),
    SQ_ROW_LATER("nodes", "How many nodes it hits."),
    SQ_ROW_TIME(struct mdl_outage_cfg, answer_in, "answer_in", NULL, SQ_F_OPTIONAL,
                "Until a caller learns that it is refused."),
};

static void check_outage(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct mdl_outage_cfg *o = cfg;
    sq_time_t length;
    if (!mdl_dist_is_constant(&o->length, &length)) {
        sq_diag_error(diag, node->where, path, "write one duration, for example for: 20m",
                      "a planned outage needs a constant `for`");
    } else if (length == 0) {
        sq_diag_error(diag, node->where, path, "write a duration, for example for: 20m",
                      "the outage lasts 0s");
    }
}

static const struct sq_kind outage_kinds[] = {
    { .name = "down",
      .doc = "Calls inside fail with reset, new ones with unavailable.",
      .table = { .rows = SQ_ROWS(down_rows),
                 .size = sizeof(struct mdl_outage_cfg),
                 .check = check_outage } },
    { .name = "hang", .doc = "No answers while it lasts.", .later = true },
    { .name = "slow", .doc = "Service times are multiplied.", .later = true },
    { .name = "errors", .doc = "A share of the calls fails.", .later = true },
    { .name = "brownout", .doc = "Fewer servers take new work.", .later = true },
};

const struct sq_family mdl_outage_family = {
    .type = "outage",
    .kinds = outage_kinds,
    .kind_count = SQ_COUNT(outage_kinds),
    .stride = sizeof(struct sq_kind),
    .dflt_kind = "down",
};

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
    SQ_ROW_LATER("offered", "Trips above this rate of calls."),
    SQ_ROW_TIME(struct mdl_overload_cfg, hold, "for", "0s", SQ_F_LIVE,
                "Without a break for this long."),
    SQ_ROW_BLOCK(struct mdl_overload_cfg, down_for, "down_for", NULL, &mdl_dist_family, SQ_F_LIVE,
                 "How long it then stays down."),
    SQ_ROW_TIME(struct mdl_overload_cfg, answer_in, "answer_in", NULL, SQ_F_OPTIONAL | SQ_F_LIVE,
                "Until a caller learns that it is refused, while it is down."),
    SQ_ROW_LATER("per", "Whose value counts and who goes down."),
    SQ_ROW_BOOL(struct mdl_overload_cfg, repeat, "repeat", "true", SQ_F_LIVE,
                "Whether it may trip again."),
};

static void check_overload(const void *cfg, const struct sq_node *node, const char *path,
                           struct sq_diag *diag)
{
    const struct mdl_overload_cfg *o = cfg;
    if (o->in_flight < 0 && o->waiting < 0) {
        sq_diag_error(diag, node->where, path, "for example in_flight: 100",
                      "needs one of in_flight, waiting");
    }
}

const struct sq_table mdl_overload_table = { .type = "overload",
                                             .rows = SQ_ROWS(overload_rows),
                                             .size = sizeof(struct mdl_overload_cfg),
                                             .check = check_overload };

sq_time_t mdl_outage_length(const struct mdl_outage_cfg *o)
{
    sq_time_t length = 0;
    (void)mdl_dist_is_constant(&o->length, &length);
    return length;
}

static const struct mdl_outage_cfg *outage_at(const struct sq_list *outages, size_t i)
{
    return ((const struct sq_block *)sq_list_at(outages, i))->cfg;
}

void mdl_outages_check(const struct sq_list *outages, const struct sq_node *node, const char *path,
                       struct sq_diag *diag)
{
    for (size_t i = 0; i < outages->count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct mdl_outage_cfg *a = outage_at(outages, i), *b = outage_at(outages, k);
            if (a->at < sq_time_add(b->at, mdl_outage_length(b)) &&
                b->at < sq_time_add(a->at, mdl_outage_length(a))) {
                sq_diag_error(diag, node->items[i]->where, path, "write one longer outage",
                              "outage %zu overlaps outage %zu", i, k);
            }
        }
    }
}
