/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_breaker_rows.c - the keys of a breaker. */
#include "models/policy/mdl_breaker_in.h"
#include "models/policy/mdl_scope.h"

static const char *const compare_words[] = { "at-least", "above", NULL };
static const char *const boundary_words[] = { "inclusive", "strict", NULL };
static const char *const leaves_words[] = { "next-call", "timer", NULL };
static const char *const mode_words[] = { "total", "concurrent", "wait", NULL };
static const char *const decide_words[] = { "min-calls", "all-succeed", NULL };
static const char *const late_words[] = { "credit", "drop", "failures-only", NULL };
static const char *const force_words[] = { "auto", "open", "closed", NULL };
static const char *const kind_words[] = { "refused",  "rate-limited", "unavailable",
                                          "reset",    "timeout",      "error",
                                          "conflict", "permanent",    NULL };

/* ---- evaluate ---- */

struct evaluate_row {
    struct sq_kind kind;
    enum mdl_evaluate when;
};
struct tick {
    sq_time_t every;
};
static const struct sq_field tick_rows[] = {
    SQ_ROW_TIME(struct tick, every, "every", NULL, SQ_F_STAR | SQ_F_ABOVE_MIN,
                "How often the window is judged."),
};
static const struct evaluate_row evaluate_rows[] = {
    { { .name = "answer", .doc = "After each answer." }, MDL_EVALUATE_ANSWER },
    { { .name = "failure", .doc = "After each failure." }, MDL_EVALUATE_FAILURE },
    { { .name = "tick",
        .doc = "At regular instants, never in between.",
        .table = { .rows = SQ_ROWS(tick_rows), .size = sizeof(struct tick) } },
      MDL_EVALUATE_TICK },
};
static const struct sq_family evaluate_family = {
    .type = "evaluate",
    .kinds = evaluate_rows,
    .kind_count = SQ_COUNT(evaluate_rows),
    .stride = sizeof(struct evaluate_row),
};

enum mdl_evaluate mdl_breaker_evaluates(const struct mdl_breaker_cfg *cfg)
{
    return ((const struct evaluate_row *)(const void *)cfg->evaluate.kind)->when;
}

sq_time_t mdl_breaker_every(const struct mdl_breaker_cfg *cfg)
{
    SQ_ASSERT(mdl_breaker_evaluates(cfg) == MDL_EVALUATE_TICK);
    return ((const struct tick *)cfg->evaluate.cfg)->every;
}

/* ---- half_open ---- */

static const struct sq_field half_open_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_half_open_cfg, calls, "calls", "10", 1, 1e9, 0,
                     "Calls that may try whether all is well."),
    SQ_ROW_CHOICE(struct mdl_half_open_cfg, mode, "mode", "total", mode_words, 0,
                  "total: so many permits; concurrent: so many at a time; wait: one, the others "
                  "wait for it."),
    SQ_ROW_CHOICE(struct mdl_half_open_cfg, decide, "decide", "min-calls", decide_words, 0,
                  "min-calls: by the share of failures once min_calls (or all) have answered."),
    SQ_ROW_TIME(struct mdl_half_open_cfg, max, "max", "unlimited", SQ_F_UNLIMITED | SQ_F_ABOVE_MIN,
                "Longest stay; then it opens again."),
};
static const struct sq_table half_open_table = { .type = "half_open",
                                                 .rows = SQ_ROWS(half_open_rows),
                                                 .size = sizeof(struct mdl_half_open_cfg) };

/* ---- the breaker ---- */

static const struct sq_field kind_element = {
    .key = "kind", .type = SQ_CHOICE, .more = kind_words, .doc = "An error kind."
};

static const struct sq_field breaker_rows[] = {
    SQ_ROW_BLOCK(struct mdl_breaker_cfg, window, "window", "{kind: count, size: 100}",
                 &mdl_window_family, 0, "The calls that are judged."),
    SQ_ROW_AMOUNT(struct mdl_breaker_cfg, min_calls, "min_calls", "20", 0, 0,
                  "Fewer calls in the window are not judged; 0 with a count: share of its size."),
    SQ_ROW_RATIO(struct mdl_breaker_cfg, threshold, "threshold", "50%", 0,
                 "Trips at this share of failures."),
    SQ_ROW_CHOICE(struct mdl_breaker_cfg, compare, "compare", "at-least", compare_words, 0,
                  "Whether the threshold itself trips."),
    SQ_ROW_TIME(struct mdl_breaker_cfg, slow, "slow", "none", SQ_F_NONE,
                "Answers slower than this count as slow."),
    SQ_ROW_RATIO(struct mdl_breaker_cfg, slow_threshold, "slow_threshold", "100%", 0,
                 "Trips at this share of slow answers."),
    SQ_ROW_LIST(struct mdl_breaker_cfg, failure_kinds, "failure_kinds",
                "[refused, rate-limited, unavailable, reset, timeout, error]", &kind_element,
                SQ_F_ONE, "Outcomes that are failures; all others are successes."),
    SQ_ROW_BLOCK(struct mdl_breaker_cfg, evaluate, "evaluate", "answer", &evaluate_family, 0,
                 "When the window is judged: at each answer, each failure, or on a tick."),
    SQ_ROW_TIME(struct mdl_breaker_cfg, open_for, "open_for", "60s", SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long it stays open."),
    SQ_ROW_NUMBER(struct mdl_breaker_cfg, growth, "growth", "1", 1, 1e6, 0,
                  "Factor on open_for for each reopening in a row."),
    SQ_ROW_TIME(struct mdl_breaker_cfg, cap, "cap", "none", SQ_F_NONE | SQ_F_ABOVE_MIN,
                "Longest open time."),
    SQ_ROW_CHOICE(struct mdl_breaker_cfg, boundary, "boundary", "inclusive", boundary_words, 0,
                  "Whether a time exactly as long is over."),
    SQ_ROW_CHOICE(struct mdl_breaker_cfg, leaves, "leaves", "next-call", leaves_words, 0,
                  "Whether the next call or a timer ends the open state."),
    SQ_ROW_GROUP(struct mdl_breaker_cfg, half_open, "half_open", "{}", &half_open_table, SQ_F_NONE,
                 "How calls try whether all is well; none: it simply closes."),
    SQ_ROW_CHOICE(struct mdl_breaker_cfg, late_answers, "late_answers", "credit", late_words, 0,
                  "Answers of calls from before a change of state."),
    SQ_ROW_BOOL(struct mdl_breaker_cfg, volume_counts_rejected, "volume_counts_rejected", "false",
                0, "Rejected calls count among the calls of the window."),
    SQ_ROW_CHOICE(struct mdl_breaker_cfg, forced, "state", "auto", force_words, SQ_F_LIVE,
                  "For `set` actions: held open or closed by hand."),
    MDL_ROW_SCOPE(struct mdl_breaker_cfg, scope),
};

static void check_breaker(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct mdl_breaker_cfg *b = cfg;
    if (b->forced != MDL_BREAKER_AUTO) {
        sq_diag_error(diag, sq_node_get(node, "state")->where, path,
                      "write an action: {at: 10m, set: {controls.NAME.breaker.state: open}}",
                      "state is for actions only");
    }
    if (b->volume_counts_rejected && mdl_window_kind(b) != MDL_WINDOW_TIME) {
        sq_diag_error(diag, sq_node_get(node, "volume_counts_rejected")->where, path,
                      "write window: {kind: time, length: 10s}",
                      "rejected calls can be counted in a window of kind time only");
    }
    if (b->failure_kinds.count == 0) {
        sq_diag_error(diag, sq_node_get(node, "failure_kinds")->where, path,
                      "leave it out for the usual ones", "failure_kinds is empty");
    }
}

const struct sq_table mdl_breaker_table = { .type = "breaker",
                                            .rows = SQ_ROWS(breaker_rows),
                                            .size = sizeof(struct mdl_breaker_cfg),
                                            .check = check_breaker,
                                            .has_preset = true };

bool mdl_breaker_counts(const struct mdl_breaker_cfg *cfg, enum mdl_breaker_kind kind)
{
    for (size_t i = 0; i < cfg->failure_kinds.count; i++) {
        if (*(const int *)sq_list_at(&cfg->failure_kinds, i) == (int)kind) {
            return true;
        }
    }
    return false;
}

const char *mdl_breaker_word(enum mdl_breaker_state state)
{
    static const char *const words[] = { "closed", "open", "half-open" };
    SQ_ASSERT((size_t)state < SQ_COUNT(words));
    return words[state];
}
