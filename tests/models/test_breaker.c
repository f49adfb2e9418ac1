/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_breaker.c - breakers and budgets at their boundaries: the exact instant, the exact share,
 * the entry exactly as old as the window, late answers. Told as short plays:
 *
 *     "T ask NAME pass|refuse|wait"   a call asks at T ms     "T ok|fail NAME"  its answer comes
 *     "T state WORD"                  what it is now          "T seen CALLS FAILURES" */
#include "models/part/mdl_budget_rows.h"
#include "models/policy/mdl_breaker.h"
#include "sim/base/sq_mem.h"
#include "sim/conf/sq_preset.h"
#include "tests/models/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

/* ---- breakers ---- */

/* A breaker written as a user would. */
struct control {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_presets presets;
    struct mdl_breaker_cfg cfg;
    struct mdl_breaker *b;
    uint32_t ages[128];
};

static void open_breaker(struct control *c, const char *yaml)
{
    *c = (struct control){ 0 };
    struct sq_conf conf = { .arena = &c->arena, .diag = &c->diag };
    struct sq_node *tree;
    assert_int_equal(sq_presets_open(&c->presets, &conf, &mdl_breaker_table, NULL), SQ_OK);
    assert_int_equal(sq_doc_parse("b", yaml, strlen(yaml), &c->arena, &c->diag, &tree), SQ_OK);
    assert_int_equal(sq_conf_expand(&conf, tree, &mdl_breaker_table, ""), SQ_OK);
    assert_int_equal(sq_conf_fill(&conf, tree, &mdl_breaker_table, ""), SQ_OK);
    assert_int_equal(sq_conf_bind(&conf, tree, &mdl_breaker_table, "", &c->cfg), SQ_OK);
    c->b = sq_arena_alloc(&c->arena, 1, mdl_breaker_size(&c->cfg));
    assert_non_null(c->b);
    mdl_breaker_init(&c->cfg, c->b);
}

static void close_breaker(struct control *c)
{
    sq_diag_fini(&c->diag);
    sq_arena_fini(&c->arena);
}

static void play_ask(struct control *c, sq_time_t now, const char *name, const char *want)
{
    static const char *const words[] = { "pass", "refuse", "wait" };
    mdl_breaker_advance(&c->cfg, c->b, now);
    bool would = mdl_breaker_would_pass(&c->cfg, c->b, now);
    enum mdl_breaker_decision d = mdl_breaker_ask(&c->cfg, c->b, now);
    assert_string_equal(words[d], want);
    assert_int_equal(would, d == MDL_BREAKER_PASS);
    c->ages[(size_t)name[0]] = c->b->age;
}

static void play_line(struct control *c, const char *line)
{
    char what[16], name[16] = "", more[16] = "";
    double ms;
    assert_true(sscanf(line, "%lf %15s %15s %15s", &ms, what, name, more) >= 3);
    sq_time_t now = (sq_time_t)(ms * 1e6 + 0.5);
    if (strcmp(what, "ask") == 0) {
        play_ask(c, now, name, more);
    } else if (strcmp(what, "state") == 0) {
        mdl_breaker_advance(&c->cfg, c->b, now);
        assert_string_equal(mdl_breaker_word(c->b->state), name);
    } else if (strcmp(what, "seen") == 0) {
        struct mdl_tally t = mdl_breaker_seen(&c->cfg, c->b, now);
        assert_int_equal(t.total, atoi(name));
        assert_int_equal(t.failed, atoi(more));
    } else if (strcmp(what, "cancel") == 0) {
        mdl_breaker_return(c->b, c->ages[(size_t)name[0]]);
    } else {
        struct mdl_breaker_answer a = { .now = now,
                                        .took = MS,
                                        .age = c->ages[(size_t)name[0]],
                                        .failed = strcmp(what, "fail") == 0 };
        mdl_breaker_answer(&c->cfg, c->b, &a);
    }
}

/* Lines end with a semicolon. */
static void play(const char *yaml, const char *script)
{
    struct control c;
    open_breaker(&c, yaml);
    char line[64];
    const char *at = script;
    while (*at != '\0') {
        size_t len = strcspn(at, ";");
        assert_true(len < sizeof(line));
        memcpy(line, at, len);
        line[len] = '\0';
        print_message("%s\n", line);
        play_line(&c, line);
        at += len + 1;
    }
    close_breaker(&c);
}

static void open_times_at_the_exact_tick(void **state)
{
    (void)state;
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: {calls: 1}}",
         "5 ask a pass;5 fail a;5 state open;1004.999999 ask b refuse;1005 ask c pass;"
         "1005 state half-open;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, boundary: strict,\n"
         "  half_open: {calls: 1}}",
         "5 ask a pass;5 fail a;1005 ask b refuse;1005.000001 ask c pass;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, leaves: timer,\n"
         "  half_open: {calls: 1}}",
         "5 ask a pass;5 fail a;1004.999999 state open;1005 state half-open;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, leaves: timer, boundary: strict,\n"
         "  half_open: {calls: 1}}",
         "5 ask a pass;5 fail a;1005 state open;1005.000001 state half-open;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: {calls: 1, max: 2s}}",
         "0 ask a pass;0 fail a;1000 ask b pass;2999.999999 state half-open;3000 state open;"
         "3999.999999 ask c refuse;4000 ask d pass;");
}

static void growth_up_to_the_cap(void **state)
{
    (void)state;
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, growth: 3, cap: 5s,\n"
         "  half_open: {calls: 1}}",
         "0 ask a pass;0 fail a;1000 ask a pass;1000 fail a;3999 ask b refuse;4000 ask a pass;"
         "4000 fail a;8999 ask b refuse;9000 ask a pass;9000 ok a;9000 state closed;"
         "9001 ask a pass;9001 fail a;10000 ask b refuse;10001 ask b pass;");
}

static void shares_at_the_threshold(void **state)
{
    (void)state;
    /* 7 of 100 are 7%, as near as doubles come: at least trips, above does not. */
    static const char *const forms[][2] = {
        { "{min_calls: 100, threshold: 7%, half_open: {calls: 1}}", "open" },
        { "{min_calls: 100, threshold: 7%, compare: above, half_open: {calls: 1}}", "closed" },
        { "{min_calls: 101, threshold: 7%, half_open: {calls: 1}}", "open" }, /* all of the ring */
        { "{window: {kind: time, length: 1m}, min_calls: 101, threshold: 7%}", "closed" },
        { "{window: {kind: time, length: 1m}, min_calls: 100, threshold: 7%}", "open" },
    };
    for (size_t i = 0; i < SQ_COUNT(forms); i++) {
        struct control c;
        open_breaker(&c, forms[i][0]);
        for (int k = 0; k < 100; k++) {
            assert_string_equal(mdl_breaker_word(c.b->state), "closed");
            play_line(&c, "1 ask a pass");
            play_line(&c, k % 14 == 13 ? "1 fail a" : "1 ok a"); /* 7 of them */
        }
        assert_string_equal(mdl_breaker_word(c.b->state), forms[i][1]);
        close_breaker(&c);
    }
}

/* Which bucket an entry at the edge is in, and when it leaves the window. */
static void window_edges(void **state)
{
    (void)state;
    play("{window: {kind: time, length: 10s, buckets: 10}}",
         "999.999999 ask a pass;999.999999 fail a;1000 ask b pass;1000 fail b;9999.999999 seen 2 2;"
         "10000 seen 1 1;10999.999999 seen 1 1;11000 seen 0 0;");
    play("{window: {kind: time, length: 10s, buckets: 10, rotate: timer}}",
         "1000 ask a pass;1000 fail a;1000.000001 ask b pass;1000.000001 fail b;10000 seen 2 2;"
         "10000.000001 seen 1 1;11000 seen 1 1;11000.000001 seen 0 0;");
    play("{window: {kind: time, length: 10s, buckets: 10, rotate: lazy}}",
         "500 ask a pass;500 fail a;1499.999999 ask b pass;1499.999999 fail b;1500 ask c pass;"
         "1500 fail c;10499.999999 seen 3 3;10500 seen 1 1;11500 seen 0 0;");
    play("{window: {kind: time, length: 10s, buckets: 10, rotate: lazy}, boundary: strict}",
         "500 ask a pass;500 fail a;1500 ask b pass;1500 fail b;1500.000001 ask c pass;"
         "1500.000001 fail c;10500 seen 3 3;10500.000001 seen 1 1;");
    play("{window: {kind: time, length: 10s, buckets: 10, rotate: per-call}}",
         "0 ask a pass;0 fail a;90000 ask b pass;90000 fail b;90000 seen 2 2;");
    play("{window: {kind: count, size: 3}, min_calls: 3, threshold: 100%}",
         "0 ask a pass;0 fail a;1 ask a pass;1 ok a;2 ask a pass;2 fail a;2 seen 3 2;"
         "3 ask a pass;3 fail a;3 seen 3 2;3 state closed;4 ask a pass;4 fail a;4 state open;");
}

static void ticks_see_what_is_over(void **state)
{
    (void)state;
    /* 3 of 4 failed by 999 ms: seen at 1 s, and not before; an answer at the tick is not yet. */
    play("{window: {kind: time, length: 2s, buckets: 2}, min_calls: 4, evaluate: 1s,\n"
         "  open_for: 1s, half_open: {calls: 1}}",
         "0 ask a pass;0 fail a;1 ask a pass;1 fail a;2 ask a pass;2 ok a;999 ask a pass;"
         "999 fail a;999.9 state closed;1000 state open;");
    play("{window: {kind: time, length: 2s, buckets: 2}, min_calls: 4, evaluate: 1s}",
         "0 ask a pass;0 fail a;1 ask a pass;1 fail a;2 ask a pass;2 fail a;1000 ask a pass;"
         "1000 fail a;1000 state closed;1999 state closed;2000 state open;");
    /* Nobody looks for a while: it tripped all the same, at its tick, and was open from then. */
    play("{window: {kind: time, length: 2s, buckets: 2}, min_calls: 2, evaluate: 1s,\n"
         "  open_for: 5s, half_open: {calls: 1}}",
         "0 ask a pass;0 fail a;1 ask a pass;1 fail a;5999.999 ask b refuse;6000 ask b pass;");
}

static void late_answers(void **state)
{
    (void)state;
    /* a leaves before the trip and is answered in half-open; p is the probe. */
#define PLAY(late, end)                                                             \
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, late_answers: " late \
         ", half_open: {calls: 1}}",                                                \
         "0 ask a pass;1 ask b pass;1 fail b;1 state open;1001 ask p pass;1002 " end)
    PLAY("credit", "ok a;1002 state closed;");
    PLAY("credit", "fail a;1002 state open;");
    PLAY("drop", "ok a;1002 state half-open;");
    PLAY("drop", "fail a;1002 state half-open;1003 ok p;1003 state closed;");
    PLAY("failures-only", "ok a;1002 state half-open;");
    PLAY("failures-only", "fail a;1002 state open;");
#undef PLAY
}

static void half_open_permits(void **state)
{
    (void)state;
#define OPEN "0 ask a pass;0 fail a;"
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, min_calls: 3,\n"
         "  half_open: {calls: 3}}",
         OPEN "1000 ask b pass;1000 ask c pass;1001 ok b;1001 ask d pass;1002 ask e refuse;"
              "1003 ok c;1003 state half-open;1004 ok d;1004 state closed;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, min_calls: 3,\n"
         "  half_open: {calls: 2, mode: concurrent, decide: all-succeed}}",
         OPEN "1000 ask b pass;1000 ask c pass;1000 ask d refuse;1001 ok b;1001 ask d pass;"
              "1002 fail d;1002 state open;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: {mode: wait}}",
         OPEN "1000 ask b pass;1000 ask c wait;1001 fail b;1001 state open;1001 ask c refuse;");
    /* A cancelled probe gives its permit back. */
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: {calls: 1}}",
         OPEN "1000 ask b pass;1000 ask c refuse;1001 cancel b;1002 ask c pass;1002 ask d refuse;");
    play("{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: none}",
         OPEN "999 ask b refuse;1000 state closed;1000 ask b pass;1000 ask c pass;");
#undef OPEN
}

/* Held by hand. */
static void forced(void **state)
{
    (void)state;
    struct control c;
    open_breaker(&c, "{window: {kind: consecutive, size: 1}, open_for: 1s, half_open: {calls: 1}}");
    c.cfg.forced = MDL_BREAKER_FORCED_OPEN;
    play_line(&c, "10 ask a refuse");
    play_line(&c, "99999 ask a refuse");
    c.cfg.forced = MDL_BREAKER_FORCED_CLOSED;
    play_line(&c, "100000 ask a pass");
    play_line(&c, "100000 fail a");
    play_line(&c, "100000 state closed");
    c.cfg.forced = MDL_BREAKER_AUTO;
    play_line(&c, "100001 ask a pass");
    play_line(&c, "100001 fail a");
    play_line(&c, "100001 state open");
    assert_int_equal(c.b->opens, 2);
    close_breaker(&c);
}

/* ---- budgets ---- */

static void tokens_at_half(void **state)
{
    (void)state;
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_budget_family,
                                 "all: {b: {kind: tokens, max: 10, cost: 1, per_success: 0.1,\n"
                                 "  refund: none, charge: failure, above: 50%}}"),
                     SQ_OK);
    struct mdl_budget_law law = mdl_budget_law(blocks_get(&b, "b"));
    struct mdl_budget s;
    mdl_budget_init(law, &s);
    struct mdl_budget_end failed = { .charged = true }, ok = { .ok = true };
    for (int i = 0; i < 5; i++) {
        assert_true(mdl_budget_ask(law, &s, 0, MDL_FAULT_OTHER));
        mdl_budget_ended(law, &s, &failed);
    }
    assert_false(mdl_budget_ask(law, &s, 0, MDL_FAULT_OTHER)); /* exactly half is not above it */
    mdl_budget_ended(law, &s, &ok);
    assert_true(mdl_budget_ask(law, &s, 0, MDL_FAULT_OTHER));
    for (int i = 0; i < 39; i++) { /* with the one above 4 more: 9, and no drift */
        mdl_budget_ended(law, &s, &ok);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(mdl_budget_ask(law, &s, 0, MDL_FAULT_OTHER));
        mdl_budget_ended(law, &s, &failed);
    }
    assert_false(mdl_budget_ask(law, &s, 0, MDL_FAULT_OTHER)); /* half again */
    blocks_fini(&b);
}

/* A retry exactly as old as the window is out; what is granted counts at once. */
static void windows_of_budgets(void **state)
{
    (void)state;
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_budget_family,
                                 "all:\n"
                                 "  sliding: {ratio: 50%, floor: 0, window: 10s}\n"
                                 "  fixed: {ratio: 50%, floor: 0, window: 10s, counter: fixed}\n"
                                 "  idle: {ratio: 50%, floor: 0, window: 10s, counter: idle}\n"
                                 "  deposit: {kind: deposit, ratio: 50%, ttl: 10s, reserve: 0}\n"),
                     SQ_OK);
    static const struct {
        const char *name;
        double at, left; /* s, retries that may go; 4 calls left at 5 s, one retry goes at 6 s */
    } rows[] = {
        { "sliding", 6, 1 },  { "sliding", 14.999999999, 1 },
        { "sliding", 15, 0 }, { "fixed", 9.999999999, 1 },
        { "fixed", 10, 0 },   { "idle", 14.999999999, 1 },
        { "idle", 15, 0 },    { "deposit", 14.999999999, 1 },
        { "deposit", 15, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_budget_law law = mdl_budget_law(blocks_get(&b, rows[i].name));
        struct mdl_budget s;
        mdl_budget_init(law, &s);
        for (int k = 0; k < 4; k++) {
            mdl_budget_left(law, &s, 5000 * MS, true);
        }
        assert_true(mdl_budget_ask(law, &s, 6000 * MS, MDL_FAULT_OTHER));
        assert_true(mdl_budget_rest(law, &s, sq_time_from_s(rows[i].at)) == rows[i].left);
        mdl_budget_fini(&s);
    }
    blocks_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_times_at_the_exact_tick),
        cmocka_unit_test(growth_up_to_the_cap),
        cmocka_unit_test(shares_at_the_threshold),
        cmocka_unit_test(window_edges),
        cmocka_unit_test(ticks_see_what_is_over),
        cmocka_unit_test(late_answers),
        cmocka_unit_test(half_open_permits),
        cmocka_unit_test(forced),
        cmocka_unit_test(tokens_at_half),
        cmocka_unit_test(windows_of_budgets),
    };
    return cmocka_run_group_tests_name("breaker", tests, NULL, NULL);
}
