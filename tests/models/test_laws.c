/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_laws.c - each law notices what it is about: a run is stopped half way, one figure is
 * falsified, and the law must name itself; put right again, it must be content. */
#include "tests/models/world.h"

#include "models/mdl_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Jobs ready, delayed, deferred and leased, calls waiting and in service. */
static const char *const storm =
    "squall: 1\nduration: 1m\ntail: 1h\n"
    "producers: {p: {queue: q, arrivals: 100/s, supersede: 500}}\nqueues: {q: {max_receives: 9}}\n"
    "workers: {w: {queue: q, replicas: 2, slots: 3, calls: {api: {timeout: 1s}},\n"
    "  retry: {max_attempts: 4, backoff: 9s, jitter: full}}}\n"
    "dependencies: {api: {servers: 3, service: {kind: exponential, mean: 400ms}, answer_in: 1ms,\n"
    "  outages: [{at: 1s, for: 500ms}]}}\n"
    "controls: {api: {concurrency: 5}}\n";

static bool half_way(void)
{
    return true; /* polled after some thousand events */
}

static void stop_half_way(struct wld *t)
{
    assert_int_equal(wld_load(t, storm, NULL), SQ_OK);
    wld_build(t, 1);
    assert_int_equal(mdl_world_run(&t->w, 1, half_way, &t->diag), SQ_STOPPED);
    assert_null(mdl_laws_check(&t->w));
    const struct mdl_queue *q = &t->w.queues[0];
    assert_true(q->ready.now > 0 && q->delayed.now > 0 && q->leased.now > 0);
    assert_true(t->w.dependencies[0].load.busy.now > 0);
}

static void check(struct wld *t, const char *what, const char *law)
{
    const char *said = mdl_laws_check(&t->w);
    if (said == NULL || strstr(said, law) == NULL) {
        fail_msg("%s: %s", what, said != NULL ? said : "nobody notices");
    }
}

/* Falsifies `figure` by one, up and down, and puts it right again. */
#define FALSIFY(t, figure, law)               \
    do {                                      \
        (figure)++;                           \
        check(t, #figure "++", law);          \
        (figure) -= 2;                        \
        check(t, #figure "--", law);          \
        (figure)++;                           \
        assert_null(mdl_laws_check(&(t)->w)); \
    } while (0)

static void jobs(void **state)
{
    (void)state;
    struct wld t;
    stop_half_way(&t);
    struct mdl_probe *p = t.w.probe;
    struct mdl_queue *q = &t.w.queues[0];
    FALSIFY(&t, p->arrived, "jobs arrived");
    FALSIFY(&t, p->ended[MDL_END_COMPLETED], "jobs arrived");
    FALSIFY(&t, p->ended[MDL_END_SUPERSEDED], "jobs arrived");
    FALSIFY(&t, p->jobs.now, "jobs arrived");
    FALSIFY(&t, t.w.ctx.alive, "job");
    FALSIFY(&t, t.w.ctx.jobs.used, "living job");
    FALSIFY(&t, q->ready.now, "queue");
    FALSIFY(&t, q->shelf.count, "queue");
    /* One too many is noticed always, one too few where nothing is on its way. */
    q->leased.now++;
    q->delayed.now++;
    check(&t, "leased and delayed", "living job");
    q->leased.now--;
    q->delayed.now--;
    int64_t deferred = q->deferred.now;
    q->deferred.now = q->delayed.now + 1;
    check(&t, "deferred", "queue");
    q->deferred.now = deferred;
    assert_null(mdl_laws_check(&t.w));
    wld_fini(&t);
}

static void calls(void **state)
{
    (void)state;
    struct wld t;
    stop_half_way(&t);
    struct mdl_call_counts *c = &t.w.probe->deps[0].all;
    struct mdl_dependency *d = &t.w.dependencies[0];
    uint64_t first = c->first, wasted = c->wasted;
    c->first = 0;
    check(&t, "first", "calls =");
    c->first = first;
    c->wasted = c->seen[MDL_SEEN_TIMEOUTS] + c->seen[MDL_SEEN_CANCELLED] + 1;
    check(&t, "wasted", "abandoned");
    c->wasted = wasted;
    FALSIFY(&t, d->load.in_flight.now, "dependency");
    FALSIFY(&t, d->load.busy.now, "dependency");
    FALSIFY(&t, d->load.waiting.now, "dependency");
    FALSIFY(&t, d->gate.waiting.now, "dependency");
    d->nodes[0]->room.open = false;
    check(&t, "open", "dependency");
    d->nodes[0]->room.open = true;
    wld_fini(&t);
}

static void pools(void **state)
{
    (void)state;
    struct wld t;
    stop_half_way(&t);
    struct mdl_workers *w = &t.w.pools[0];
    FALSIFY(&t, w->existing.now, "pool");
    FALSIFY(&t, w->busy.now, "pool");
    int64_t ready = w->ready.now;
    w->ready.now = w->existing.now + 1;
    check(&t, "ready", "pool");
    w->ready.now = ready;
    wld_fini(&t);
}

/* At the end: awaited calls are counted in the records, and Little's law is an identity, for runs
 * that drain and for those that do not. */
static void at_the_end(void **state)
{
    (void)state;
    static const char *const tops[] = { NULL, "tail=0s" };
    for (size_t i = 0; i < SQ_COUNT(tops); i++) {
        struct wld t;
        struct mdl_ask ask = { .runs = -1, .sets = &tops[i], .set_count = i };
        assert_int_equal(wld_load(&t, storm, &ask), SQ_OK);
        wld_build(&t, 1);
        wld_finish(&t);
        assert_true((wld_get(&t, "jobs.unfinished") > 0) == (i == 1));
        assert_true((wld_get(&t, "dependency.api.awaited") > 0) == (i == 1));
        struct mdl_probe *p = t.w.probe;
        assert_null(mdl_laws_end(&t.w));
        p->time_in_system++;
        assert_non_null(strstr(mdl_laws_end(&t.w), "Little"));
        p->time_in_system--;
        p->jobs.area--;
        assert_non_null(strstr(mdl_laws_end(&t.w), "Little"));
        p->jobs.area++;
        p->deps[0].all.retry++; /* a call counted twice */
        assert_non_null(strstr(mdl_laws_end(&t.w), "calls ="));
        p->deps[0].all.retry--;
        assert_null(mdl_laws_end(&t.w));
        wld_fini(&t);
    }
}

/* A broken law ends the run, and the world says which. */
static void ends_the_run(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, storm, NULL), SQ_OK);
    wld_build(&t, 1);
    t.w.probe->arrived++;
    assert_int_equal(mdl_world_run(&t.w, 1, NULL, &t.diag), SQ_BROKEN);
    assert_non_null(t.w.broken);
    assert_int_equal(t.w.ctx.sim.events, 1);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),       cmocka_unit_test(calls),        cmocka_unit_test(pools),
        cmocka_unit_test(at_the_end), cmocka_unit_test(ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
