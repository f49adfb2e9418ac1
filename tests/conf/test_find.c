/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_find.c - the amounts that paths name, for studies that vary them. */
#include "tests/conf/conf_lang_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char world[] =
    "squall: 1\nduration: 90m\n"
    "producers: {p: {queue: q, arrivals: 24/s}}\n"
    "workers:\n"
    "  pool: {queue: q, concurrency: 40, budget: 5%, outages: [{every: 1s, for: 1s}]}\n"
    "  bare: {queue: q}\n";

static int setup(void **state)
{
    static struct lang_result r; /* of this test program only */
    struct lang_run run = { LANG_FILL, world, NULL, NULL };
    lang_run(&run, &r);
    *state = &r;
    return r.status == SQ_OK ? 0 : -1;
}

static int teardown(void **state)
{
    lang_fini(*state);
    return 0;
}

static enum sq_status find(struct lang_result *r, const char *path, struct sq_amount *out)
{
    struct sq_conf c = lang_conf(r);
    return sq_conf_find(&c, r->tree, &lang_table, path, (struct sq_where){ "f", 9, 4 }, out);
}

static void finds_amounts(void **state)
{
    struct lang_result *r = *state;
    static const struct {
        const char *path, *full, *text; /* text NULL: nothing stands there */
        enum sq_ftype type;
    } rows[] = {
        { "duration", "duration", "90m", SQ_TIME },
        { "workers.pool.slots", "workers.pool.slots", "1", SQ_AMOUNT },
        { "workers.pool.concurrency", "workers.pool.concurrency.limit", "40", SQ_AMOUNT },
        { "workers.bare.concurrency", "workers.bare.concurrency.limit", NULL, SQ_AMOUNT },
        { "workers.pool.budget", "workers.pool.budget.ratio", "5%", SQ_RATIO },
        { "workers.bare.budget.ratio", "workers.bare.budget.ratio", NULL, SQ_RATIO },
        { "producers.p.arrivals", "producers.p.arrivals.rate.value", "24/s", SQ_RATE },
        { "workers.pool.outages.0.for", "workers.pool.outages.0.for", "1s", SQ_TIME },
        { "workers.pool.outages[0].for", "workers.pool.outages.0.for", "1s", SQ_TIME },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_amount a = { 0 };
        assert_int_equal(find(r, rows[i].path, &a), SQ_OK);
        assert_string_equal(a.path, rows[i].full);
        assert_int_equal(a.row->type, rows[i].type);
        assert_true((a.node != NULL) == (rows[i].text != NULL));
        if (rows[i].text != NULL) {
            assert_string_equal(a.node->text, rows[i].text);
        }
    }
    assert_int_equal(r->diag.errors, 0);
}

static void refuses_paths(void **state)
{
    struct lang_result *r = *state;
    static const char *const rows[][2] = {
        { "worker.pool.slots", "`worker` is not a key here; did you mean `workers`?" },
        { "workers.pol.slots", "`pol` does not exist; did you mean `pool`?" },
        { "workers.pool.slot", "`slot` is not a key here; did you mean `slots`?" },
        { "workers.pool.slots.x", "`slots` has nothing below it" },
        { "workers.pool.acknowledge",
          "`workers.pool.acknowledge` is no amount; a count, duration, rate, ratio, size or "
          "number is" },
        { "workers.pool", "`workers.pool` is a block: name a key in it" },
        { "workers.pool.outages.1.for",
          "`1` is not an element of the list; elements are numbered from 0" },
        { "workers.bare.outages.0.for", "`0` is not an element of the list; the list is empty" },
        { "workers..slots",
          "a key is missing in `workers..slots`; keys are joined by dots, for example "
          "workers.pool.slots" },
        { "workers", "`workers` is no amount; a count, duration, rate, ratio, size or number is" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_amount a;
        struct sq_buf text = { 0 };
        sq_diag_fini(&r->diag);
        assert_int_equal(find(r, rows[i][0], &a), SQ_USER);
        assert_int_equal(r->diag.count, 1);
        sq_buf_puts(&text, r->diag.items[0].text);
        sq_buf_puts(&text, r->diag.items[0].hint != NULL ? "; " : "");
        sq_buf_puts(&text, r->diag.items[0].hint != NULL ? r->diag.items[0].hint : "");
        assert_string_equal(text.text, rows[i][1]);
        sq_buf_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_amounts),
        cmocka_unit_test(refuses_paths),
    };
    return cmocka_run_group_tests_name("find", tests, setup, teardown);
}
