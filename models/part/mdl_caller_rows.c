/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller_rows.c - how a call is written. */
#include "models/part/mdl_caller.h"

#include "models/policy/mdl_backoff.h"
#include "sim/conf/sq_rows.h"

const char *const mdl_after_success_words[] = { "repeat", "skip", NULL };

static const struct sq_field only_element = {
    .key = "producer", .type = SQ_REF, .more = "producers", .doc = "A producer or client."
};

static const struct sq_field calls_rows[] = {
    SQ_ROW_TIME(struct mdl_calls_cfg, timeout, "timeout", "none", SQ_F_NONE | SQ_F_LIVE,
                "The caller stops waiting for one try after this, from leaving to the answer."),
    SQ_ROW_TIME(struct mdl_calls_cfg, total_timeout, "total_timeout", "none", SQ_F_NONE | SQ_F_LIVE,
                "Bound on all tries with the delays and the waits at controls between."),
    { .key = "retry",
      .type = SQ_GROUP,
      .off = offsetof(struct mdl_calls_cfg, retry),
      .more = &mdl_retry_table,
      .flags = SQ_F_OPTIONAL | SQ_F_NONE,
      .preset_without = mdl_retry_not_of_calls,
      .doc = "The call layer: the caller waits in place." },
    { .key = "times",
      .type = SQ_NUMBER,
      .off = SQ_AT(struct mdl_calls_cfg, times, double),
      .dflt = "1",
      .max = 1e6,
      .flags = SQ_F_LIVE | SQ_F_ABOVE_MIN,
      .doc = "Such calls per attempt; a fraction is the probability of one more." },
    SQ_ROW_LIST(struct mdl_calls_cfg, only, "only", NULL, &only_element, SQ_F_OPTIONAL | SQ_F_ONE,
                "Producers whose jobs make this call; all by default."),
    SQ_ROW_BOOL(struct mdl_calls_cfg, propagate_cancel, "propagate_cancel", "true", 0,
                "Whether a caller that gives up tells the dependency."),
};

static void check_calls(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct mdl_calls_cfg *c = cfg;
    if (c->timeout == 0 || c->total_timeout == 0) {
        sq_diag_error(diag, node->where, path, "for example timeout: 1s, or none",
                      "%s is 0s: every call would time out as it leaves",
                      c->timeout == 0 ? "timeout" : "total_timeout");
    }
    if (c->retry != NULL && c->retry->held_by != MDL_HELD_BROKER) {
        sq_diag_error(diag, node->where, path,
                      "leave held_by out, or put it into the retry of the workers",
                      "a call layer waits in place: it has no held_by");
    }
    if (c->retry != NULL && c->retry->limit_counts != MDL_LIMIT_FAILURES) {
        sq_diag_error(diag, node->where, path, "put limit_counts into the retry of the workers",
                      "limit_counts is for jobs: a call is not redelivered");
    }
    if (c->retry != NULL && c->retry->give_up.kind != NULL) {
        sq_diag_error(diag, node->where, path, "put give_up into the retry of the workers",
                      "a call layer has no give_up: it passes the failure up");
    }
    if (c->retry != NULL && mdl_backoff_is_lease(&c->retry->backoff)) {
        sq_diag_error(diag, node->where, path, "put it into the retry of the workers",
                      "backoff lease is for jobs: a call has no lease");
    }
}

const struct sq_table mdl_calls_table = { .rows = SQ_ROWS(calls_rows),
                                          .size = sizeof(struct mdl_calls_cfg),
                                          .check = check_calls };
const struct sq_field mdl_calls_element = {
    .key = "call", .type = SQ_GROUP, .more = &mdl_calls_table, .doc = "A call to a dependency."
};

uint32_t mdl_entry_times(const struct sq_luck *luck, const struct mdl_entry *e, uint16_t producer,
                         uint64_t ordinal)
{
    if (e->only != NULL && !e->only[producer]) {
        return 0;
    }
    uint32_t whole = (uint32_t)e->cfg->times;
    double rest = e->cfg->times - whole;
    if (!(rest > 0)) {
        return whole;
    }
    double u = sq_luck_uniform(luck, e->times_streams[producer], ordinal, 0, 0);
    return whole + (u < rest ? 1 : 0);
}
