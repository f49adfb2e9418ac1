/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_modes.c - runs that came out alike, from made-up figures; nothing is simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/study/mdl_modes.h"
#include "sim/core/sq_math.h"

enum { RUNS = 10, METRICS = 5 };

static const char *names[METRICS] = { "outcome.p_collapse", "drain.state", "drain.queue_clear_s",
                                      "dependency.db.secondary_outages",
                                      "dependency.db.in_flight_max" };

struct made {
    struct sq_result result;
    struct sq_run runs[RUNS];
    struct sq_value values[RUNS][METRICS];
    struct sq_comparison c;
    struct mdl_scenario s;
    struct mdl_dependency_cfg db;
    struct mdl_overload_cfg overload;
    const char *db_name;
};

/* One run: how often it falls over, how it ends, when the queue is clear. */
static void put_run(struct made *m, size_t k, double falls, const char *state, double clear_s)
{
    bool collapsed = falls > 0 || strcmp(state, "clears") != 0;
    m->values[k][0].number = collapsed ? 1 : 0;
    m->values[k][1] = (struct sq_value){ (double)NAN, state };
    m->values[k][2].number = clear_s;
    m->values[k][3].number = falls;
    m->values[k][4].number = 60 + (double)k; /* 60 to 69 */
    m->runs[k] = (struct sq_run){ .replication = k + 1, .values = m->values[k] };
}

static void look(struct made *m)
{
    m->result = (struct sq_result){ .version = "0",
                                    .title = "t",
                                    .variant = "v",
                                    .scenario_hash = "h",
                                    .metric_count = METRICS,
                                    .metric_names = names,
                                    .run_count = RUNS,
                                    .runs_wanted = RUNS,
                                    .runs = m->runs };
    m->db_name = "db";
    m->overload.in_flight = 100;
    m->db.overload = &m->overload;
    m->s.cfg.dependencies = (struct sq_map){
        .count = 1, .names = &m->db_name, .items = &m->db, .stride = sizeof(m->db)
    };
    assert_int_equal(sq_comparison_make(&m->result, 1, &m->c), SQ_OK);
    assert_int_equal(mdl_modes(&m->s, &m->result, &m->c), SQ_OK);
}

static void alike(void **state)
{
    (void)state;
    struct made m = { 0 };
    for (size_t k = 0; k < RUNS; k++) {
        put_run(&m, k, 0, "clears", 100 + (double)k);
    }
    look(&m);
    assert_int_equal(m.c.variants[0].mode_count, 0);
    /* the median of 60 ... 69 is the fifth value */
    assert_int_equal(m.c.variants[0].margin_count, 1);
    assert_string_equal(m.c.variants[0].margins[0],
                        "Peak in flight of db is 64 % of its collapse limit (64 of 100; most in a "
                        "run 69).");
    sq_arena_fini(&m.c.arena);
}

static void several(void **state)
{
    (void)state;
    struct made m = { 0 };
    for (size_t k = 0; k < RUNS; k++) {
        bool falls = k % 2 == 1; /* five */
        put_run(&m, k, falls ? 2 : 0, "clears", falls ? 600 : 60);
    }
    put_run(&m, 4, 7, "stalled", (double)NAN);
    put_run(&m, 8, 0, "will not drain", (double)NAN);
    look(&m);
    static const struct {
        int64_t runs;
        uint64_t example;
        const char *text;
        bool collapsed;
    } want[] = {
        { 5, 2, "falls over twice, then clears; queue clear 10m after recovery", true },
        { 3, 1, "no collapse; queue clear 1m after recovery", false },
        { 1, 5, "falls over more than 3 times, then stalls", true },
        { 1, 9, "does not drain", true },
    };
    const struct sq_compared *one = &m.c.variants[0];
    assert_int_equal(one->mode_count, SQ_COUNT(want));
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        assert_string_equal(one->modes[i].text, want[i].text);
        assert_int_equal(one->modes[i].runs, want[i].runs);
        assert_int_equal(one->modes[i].example, want[i].example);
        assert_int_equal(one->modes[i].collapsed, want[i].collapsed);
    }
    sq_arena_fini(&m.c.arena);
}

/* All recover, seven at about a minute and three at about ten. */
static void early_and_late(void **state)
{
    (void)state;
    struct made m = { 0 };
    for (size_t k = 0; k < RUNS; k++) {
        put_run(&m, k, 0, "clears", (k < 3 ? 600 : 60) + 30.0 * (double)(k % 2));
    }
    look(&m);
    const struct sq_compared *one = &m.c.variants[0];
    assert_int_equal(one->mode_count, 2);
    assert_int_equal(one->modes[0].runs, 7);
    assert_int_equal(one->modes[0].example, 4);
    assert_true(strstr(one->modes[0].text, "no collapse, queue clear early; ") != NULL);
    assert_int_equal(one->modes[1].runs, 3);
    assert_true(strstr(one->modes[1].text, "no collapse, queue clear late; ") != NULL);
    assert_true(strstr(one->modes[1].text, "(10m to 10m30s)") != NULL);
    sq_arena_fini(&m.c.arena);
}

static int setup(void **state)
{
    (void)state;
    sq_math_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike),
        cmocka_unit_test(several),
        cmocka_unit_test(early_and_late),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
