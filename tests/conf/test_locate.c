/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_locate.c - paths of `set` actions into bound structs, and new values there. */
#include "tests/conf/conf_lang_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char world[] =
    "squall: 1\nduration: 90m\n"
    "producers: {p: {queue: q, arrivals: 24/s}, o: {queue: q, arrivals: 5}}\n"
    "workers:\n"
    "  pool: {queue: q, work: 5s..9s, concurrency: 40, budget: 5%, outages: [{every: 1s, for: "
    "1s}]}\n"
    "  bare: {queue: q, retry: {max_retries: 2}}\n";

static int setup(void **state)
{
    static struct lang_result r; /* of this test program only */
    struct lang_run run = { LANG_BIND, world, NULL, NULL };
    lang_run(&run, &r);
    *state = &r;
    return r.status == SQ_OK ? 0 : -1;
}

static int teardown(void **state)
{
    lang_fini(*state);
    return 0;
}

static enum sq_status find(struct lang_result *r, const char *path, struct sq_place *out)
{
    struct sq_conf c = lang_conf(r);
    return sq_conf_locate(&c, &lang_table, &r->root, path, (struct sq_where){ "f", 9, 4 }, out);
}

static void finds_members(void **state)
{
    struct lang_result *r = *state;
    struct sq_place at;
    struct worker *pool = sq_map_at(&r->root.workers, 0);
    struct producer *p = sq_map_at(&r->root.producers, 0);
    struct poisson *poisson = p->arrivals.cfg;
    struct uniform *work = pool->work.cfg;
    struct {
        const char *path;
        const void *at;
        const char *row;
    } samples[] = {
        { "workers.pool.slots", &pool->slots, "slots" },
        { "workers.pool.concurrency.limit", &pool->concurrency->limit, "limit" },
        { "workers.pool.concurrency", &pool->concurrency->limit, "limit" },
        { "workers.pool.work.max", &work->max, "max" },
        { "producers.p.deadline", &p->deadline, "deadline" },
        { "producers.p.arrivals.rate.value", poisson->rate.cfg, "value" },
        { "producers.p.arrivals.rate", poisson->rate.cfg, "value" },
        { "producers.p.arrivals", poisson->rate.cfg, "value" },
    };
    for (size_t i = 0; i < SQ_COUNT(samples); i++) {
        assert_int_equal(find(r, samples[i].path, &at), SQ_OK);
        assert_ptr_equal(at.at, samples[i].at);
        assert_string_equal(at.row->key, samples[i].row);
        assert_true(strncmp(samples[i].path, at.section, strlen(at.section)) == 0);
        assert_string_equal(at.name, samples[i].path[0] == 'w' ? "pool" : "p");
    }
    assert_int_equal(r->diag.errors, 0);
}

static void refuses_paths(void **state)
{
    struct lang_result *r = *state;
    static const char *const samples[][2] = {
        { "worker.pool.slots", "`worker` is not a key here; did you mean `workers`?" },
        { "workers.pol.slots", "`pol` is not under `workers`; did you mean `pool`?" },
        { "workers.pool.slot", "`slot` is not a key here; did you mean `slots`?" },
        { "workers.pool.slots.x", "`slots` has nothing below it" },
        { "workers.pool.renew", "`renew` cannot be changed while the world runs" },
        { "workers.pool.work.kind", "`kind` cannot be changed while the world runs" },
        { "workers.pool.preset", "`preset` cannot be changed while the world runs" },
        { "workers.pool.work.mean", "`mean` is not a key of this kind" },
        { "workers.pool.work", "`work` is a block: name a key in it" },
        { "workers.pool", "`pool` is a block: name a key in it" },
        { "workers.pool.retry.max_retries",
          "`retry` is absent in this world, so nothing in it can be changed; only what exists at "
          "time 0 can be changed" },
        { "workers.bare.concurrency",
          "`concurrency` is absent in this world, so nothing in it can be changed; only what "
          "exists at time 0 can be changed" },
        { "workers.pool.budget.ratio", "`ratio` cannot be changed while the world runs" },
        { "workers.pool.autoscaler.max", "`autoscaler` is not supported yet" },
        { "workers.pool.outages.0.for", "`for` cannot be changed while the world runs" },
        { "workers.pool.outages.1.for",
          "`1` is not an element of the list; elements are numbered from 0" },
        { "workers", "`workers` cannot be changed while the world runs" },
        { "", "`` is not a key here" },
    };
    for (size_t i = 0; i < SQ_COUNT(samples); i++) {
        struct sq_place at;
        struct sq_buf text = { 0 };
        sq_diag_fini(&r->diag);
        assert_int_equal(find(r, samples[i][0], &at), SQ_USER);
        assert_int_equal(r->diag.count, 1);
        const struct sq_complaint *c = &r->diag.items[0];
        assert_int_equal(c->where.line, 9);
        assert_string_equal(c->path, samples[i][0]);
        sq_buf_puts(&text, c->text);
        sq_buf_puts(&text, c->hint != NULL ? "; " : "");
        sq_buf_puts(&text, c->hint != NULL ? c->hint : "");
        assert_string_equal(text.text, samples[i][1]);
        sq_buf_fini(&text);
    }
}

static enum sq_status set(struct lang_result *r, const char *path, const char *value)
{
    struct sq_conf c = lang_conf(r);
    struct sq_place at;
    struct sq_node *node = NULL;
    assert_int_equal(find(r, path, &at), SQ_OK);
    assert_int_equal(sq_doc_parse("f", value, strlen(value), &r->arena, &r->diag, &node), SQ_OK);
    return sq_conf_value(&c, node, at.row, path, at.at);
}

static void puts_values(void **state)
{
    struct lang_result *r = *state;
    struct worker *pool = sq_map_at(&r->root.workers, 0);
    struct producer *p = sq_map_at(&r->root.producers, 0);
    sq_diag_fini(&r->diag);
    assert_int_equal(set(r, "workers.pool.slots", "7"), SQ_OK);
    assert_int_equal(pool->slots, 7);
    assert_int_equal(set(r, "workers.pool.slots", "0"), SQ_USER);
    assert_int_equal(set(r, "workers.pool.slots", "[1]"), SQ_USER);
    assert_int_equal(set(r, "workers.pool.slots", "null"), SQ_USER);
    assert_int_equal(pool->slots, 7);
    assert_int_equal(r->diag.count, 3);
    assert_string_equal(r->diag.items[0].path, "workers.pool.slots");
    assert_string_equal(r->diag.items[0].text, "0 is below the minimum 1");
    assert_int_equal(set(r, "producers.p.deadline", "none"), SQ_OK);
    assert_int_equal(p->deadline, SQ_NEVER);
    assert_int_equal(set(r, "producers.p.deadline", "2m"), SQ_OK);
    assert_int_equal(p->deadline, 120 * SQ_NS_PER_S);
}

/* A value of a type with parts is expanded and filled as in a file. */
static void puts_blocks(void **state)
{
    struct lang_result *r = *state;
    struct sq_conf c = lang_conf(r);
    struct retry *retry = NULL;
    struct sq_field row = { .key = "retry", .type = SQ_GROUP, .more = &lang_retry };
    static const char text[] = "{preset: house, max_retries: 1}";
    struct sq_node *node = NULL;
    sq_diag_fini(&r->diag);
    assert_int_equal(sq_doc_parse("f", text, strlen(text), &r->arena, &r->diag, &node), SQ_OK);
    assert_int_equal(sq_conf_value(&c, node, &row, "retry", &retry), SQ_OK);
    assert_int_equal(retry->max_retries, 1);
    assert_int_equal(retry->max_attempts, -1);
    assert_int_equal(((const struct fixed *)retry->backoff.cfg)->base, 2 * SQ_NS_PER_S);
    assert_int_equal(node->count, 2); /* the caller's tree is as it was */
}

/* Every step, with the n-th allocation refused: no crash, no leak, and the status says why. */
static void survives_no_memory(void **state)
{
    (void)state;
    enum sq_status st = SQ_NOMEM;
    for (long n = 0; st == SQ_NOMEM; n++) {
        struct lang_result r;
        struct lang_run run = { LANG_BIND, world, "workers: {pool: {retry: mild, slot: 1}}",
                                "workers.pool.outages.0.for=5x" };
        assert_true(n < 2000);
        sq_mem_fail_after(n);
        lang_run(&run, &r);
        sq_mem_fail_after(-1);
        st = r.status;
        assert_true(st == SQ_NOMEM || st == SQ_USER);
        lang_fini(&r);
    }
    assert_int_equal(st, SQ_USER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_members),      cmocka_unit_test(refuses_paths),
        cmocka_unit_test(puts_values),        cmocka_unit_test(puts_blocks),
        cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests_name("locate", tests, setup, teardown);
}
