/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bind.c - filled trees into structs: what lands where, and every complaint with its place. */
#include "tests/conf/conf_lang_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#define HEAD "squall: 1\nduration: 90m\n"

static void run_base(const char *base, struct lang_result *r)
{
    struct lang_run run = { LANG_BIND, base, NULL, NULL };
    lang_run(&run, r);
}

static void binds_every_type(void **state)
{
    (void)state;
    struct lang_result r;
    run_base(
        HEAD
        "title: 'null'\n"
        "level: 2.5\n"
        "speed: 30/m\n"
        "producers:\n"
        "  p: {queue: q, arrivals: 24/s, deadline: 5m, share: 20%, label: x y, order: before}\n"
        "workers:\n"
        "  w: {queue: [a, b], replicas: 0, memory: 2kB, renew: true, concurrency: 40}\n"
        "allow: {some/rule: because}\n"
        "actions: [{at: 1s, set: {a: null}}]\n",
        &r);
    assert_int_equal(r.status, SQ_OK);
    assert_int_equal(r.root.squall, 1);
    assert_string_equal(r.root.title, "null");
    assert_int_equal(r.root.duration, 5400 * SQ_NS_PER_S);
    assert_true(r.root.level == 2.5);
    assert_true(r.root.speed == 0.5);
    assert_int_equal(r.root.producers.count, 1);
    assert_int_equal(sq_map_find(&r.root.producers, "p"), 0);
    assert_int_equal(sq_map_find(&r.root.producers, "q"), -1);
    assert_int_equal(r.root.producers.where[0].line, 7);
    assert_int_equal(r.root.producers.where[0].col, 3);
    const struct producer *p = sq_map_at(&r.root.producers, 0);
    assert_string_equal(p->queue.name, "q");
    assert_int_equal(p->queue.where.col, 14);
    assert_int_equal(p->queue.id, -1);
    assert_string_equal(p->arrivals.kind->name, "poisson");
    const struct poisson *arrivals = p->arrivals.cfg;
    const struct rate_constant *rate = arrivals->rate.cfg;
    assert_true(rate->value == 24);
    assert_int_equal(p->deadline, 300 * SQ_NS_PER_S);
    assert_true(p->share == 0.2);
    assert_string_equal(p->label, "x y");
    assert_int_equal(p->order, 1);
    const struct worker *w = sq_map_at(&r.root.workers, 0);
    assert_int_equal(w->queue.count, 2);
    assert_string_equal(((const struct sq_ref *)sq_list_at(&w->queue, 1))->name, "b");
    assert_int_equal(w->replicas, 0);
    assert_int_equal(w->memory, 2000);
    assert_true(w->renew);
    assert_int_equal(w->concurrency->limit, 40);
    assert_int_equal(w->concurrency->lease, SQ_NEVER);
    assert_string_equal(*(const char *const *)sq_map_at(&r.root.allow, 0), "because");
    assert_int_equal(r.root.actions->kind, SQ_NODE_LIST);
    lang_fini(&r);
}

static void binds_absence(void **state)
{
    (void)state;
    struct lang_result r;
    run_base(
        HEAD
        "producers: {p: {queue: q, arrivals: none}, o: {queue: q, arrivals: 5, deadline: none}}\n"
        "workers: {w: {queue: a, concurrency: none}}\n",
        &r);
    assert_int_equal(r.status, SQ_OK);
    assert_null(r.root.title);
    assert_true(isnan(r.root.speed));
    assert_true(r.root.level == 1.5);
    assert_int_equal(r.root.health->t1, SQ_NEVER);
    assert_int_equal(r.root.health->window, 30 * SQ_NS_PER_S);
    assert_int_equal(r.root.allow.count, 0);
    assert_null(r.root.actions);
    const struct producer *p = sq_map_at(&r.root.producers, 0);
    const struct producer *o = sq_map_at(&r.root.producers, 1);
    assert_string_equal(p->arrivals.kind->name, "none");
    assert_int_equal(p->deadline, SQ_NEVER);
    assert_int_equal(o->deadline, SQ_NEVER);
    assert_true(isnan(p->share));
    assert_null(p->label);
    assert_int_equal(p->order, -1);
    const struct worker *w = sq_map_at(&r.root.workers, 0);
    assert_null(w->retry);
    assert_null(w->concurrency);
    assert_null(w->budget.kind);
    assert_int_equal(w->memory, -1);
    assert_int_equal(w->outages.count, 0);
    assert_false(w->renew);
    assert_int_equal(w->acknowledge, 0);
    lang_fini(&r);
}

static void binds_blocks_and_lists(void **state)
{
    (void)state;
    struct lang_result r;
    run_base(
        HEAD
        "speed: unlimited\n"
        "producers:\n"
        "  p: {queue: q, arrivals: {kind: poisson, rate: {kind: steps, points: [[0s, 1/s], [9s, "
        "2/s, 3]]}}}\n"
        "workers:\n"
        "  w: {queue: a, retry: {backoff: [1s, 4s], retry_on: [timeout, error], max_retries: "
        "unlimited}, work: 5s..15s,\n"
        "      outages: [{at: 0s, for: 2s}, {every: 5s, for: 1ms}]}\n"
        "  v: {queue: a, retry: {backoff: {cap: unlimited, factor: 3}}}\n",
        &r);
    assert_int_equal(r.status, SQ_OK);
    assert_true(isinf(r.root.speed));
    const struct producer *p = sq_map_at(&r.root.producers, 0);
    const struct rate_steps *steps = ((const struct poisson *)p->arrivals.cfg)->rate.cfg;
    const struct rate_point *points = steps->points.items;
    assert_int_equal(steps->points.count, 2);
    assert_int_equal(points[1].at, 9 * SQ_NS_PER_S);
    assert_true(points[1].rate == 2);
    assert_int_equal(points[1].weight, 3);
    assert_int_equal(points[0].weight, 7);
    const struct worker *w = sq_map_at(&r.root.workers, 0);
    assert_int_equal(w->retry->max_retries, SQ_UNLIMITED);
    assert_int_equal(w->retry->max_attempts, -1);
    const struct table *table = w->retry->backoff.cfg;
    assert_int_equal(*(sq_time_t *)sq_list_at(&table->delays, 1), 4 * SQ_NS_PER_S);
    assert_int_equal(*(int *)sq_list_at(&w->retry->retry_on, 1), 2);
    const struct uniform *work = w->work.cfg;
    assert_int_equal(work->max, 15 * SQ_NS_PER_S);
    const struct outage *outages = w->outages.items;
    assert_int_equal(outages[0].length, 2 * SQ_NS_PER_S);
    assert_null(outages[0].every.kind);
    assert_int_equal(outages[1].at, SQ_NEVER);
    assert_string_equal(outages[1].every.kind->name, "constant");
    const struct worker *v = sq_map_at(&r.root.workers, 1);
    const struct exponential *e = v->retry->backoff.cfg;
    assert_int_equal(v->retry->max_attempts, 3);
    assert_int_equal(e->base, SQ_NS_PER_S);
    assert_int_equal(e->cap, SQ_NEVER);
    assert_true(e->factor == 3);
    assert_int_equal(e->doublings, SQ_UNLIMITED);
    lang_fini(&r);
}

struct sample {
    const char *base, *expected;
};

static void check_complaints(const struct sample *samples, size_t count)
{
    struct sq_buf out = { 0 };
    for (size_t i = 0; i < count; i++) {
        struct lang_result r;
        run_base(samples[i].base, &r);
        lang_show(&r, &out);
        assert_string_equal(out.text, samples[i].expected);
        assert_int_equal(r.status, SQ_USER);
        lang_fini(&r);
    }
    sq_buf_fini(&out);
}

static void complains_about_values(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "squall: 2\nduration: 0s\ntimeline: 1us\nlevel: 0\nspeed: 101/s\n",
          "f:1:9: squall: 2 is above the maximum 1\n"
          "f:2:11: duration: 0s is not above 0s\n"
          "f:3:11: timeline: 1us is below the minimum 1ms\n"
          "f:4:8: level: 0 is not above 0\n"
          "f:5:8: speed: 101/s is above the maximum 100/s\n" },
        { "squall: 1.5\nduration: 5\ntimeline: -1s\nlevel: x\nspeed: 5\n",
          "f:1:9: squall: `1.5` is not a whole number\n"
          "f:2:11: duration: `5` needs a unit, for example 5s or 200ms\n"
          "f:3:11: timeline: `-1s` is negative\n"
          "f:4:8: level: `x` does not begin with a number\n"
          "f:5:8: speed: `5` needs a unit, for example 500/s or 30/m\n" },
        { HEAD "timeline: none\nlevel: unlimited\nspeed: none\n",
          "f:3:11: timeline: `none` cannot stand here; expects a duration such as 5s\n"
          "f:4:8: level: `unlimited` cannot stand here; expects a number such as 1.5\n"
          "f:5:8: speed: `none` cannot stand here; expects a rate such as 24/s\n" },
        { "squall:\nduration: ~\ntimeline: null\nhealth: {window: }\n",
          "f:1:8: squall: has no value; write one, or remove the key\n"
          "f:2:11: duration: has no value; write one, or remove the key\n"
          "f:3:11: timeline: has no value; write one, or remove the key\n"
          "f:4:18: health.window: has no value; write one, or remove the key\n" },
        { HEAD "level: [1]\ntimeline: {a: 1s}\nhealth: 5s\nproducers: x\nallow: [a]\n",
          "f:3:8: level: expects a number such as 1.5, not a list\n"
          "f:4:11: timeline: expects a duration such as 5s, not a map\n"
          "f:5:9: health: expects a map of keys, not `5s`\n"
          "    hint: keys: t1, window\n"
          "f:6:12: producers: expects a map, not `x`\n"
          "f:7:8: allow: expects a map, not a list\n" },
        { HEAD "workers:\n  w: {queue: q, renew: yes, acknowledge: befor, memory: 2TB}\n"
               "  v: {queue: Q, renew: \"true\", slots: 0, outages: 5}\n",
          "f:4:24: workers.w.renew: `yes` is not true or false\n"
          "    hint: write true\n"
          "f:4:42: workers.w.acknowledge: `befor` is not one of: after, before\n"
          "    hint: did you mean `before`?\n"
          "f:4:57: workers.w.memory: 2TB is above the maximum 1000GB\n"
          "f:5:14: workers.v.queue[0]: `Q` is not a name\n"
          "    hint: names have lower-case letters, digits and `-`\n"
          "f:5:24: workers.v.renew: `true` is not true or false\n"
          "f:5:39: workers.v.slots: 0 is below the minimum 1\n"
          "f:5:51: workers.v.outages: expects a list, not `5`\n" },
        { HEAD "producers: {P: {queue: q, arrivals: none}, a_b: {queue: q, arrivals: none}}\n"
               "allow: {x: [1]}\n",
          "f:3:13: producers.P: `P` is not a name\n"
          "    hint: a name starts with a lower-case letter and goes on with these, digits and "
          "`-`; at most 40 characters\n"
          "f:3:44: producers.a_b: `a_b` is not a name\n"
          "    hint: a name starts with a lower-case letter and goes on with these, digits and "
          "`-`; at most 40 characters\n"
          "f:4:12: allow.x: expects a text, not a list\n" },
    };
    check_complaints(samples, SQ_COUNT(samples));
}

static void complains_about_keys(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { HEAD "workrs: {}\n", "f:3:1: workrs: unknown key `workrs`\n"
                               "    hint: did you mean `workers`?\n" },
        { HEAD "zzz: 1\n", "f:3:1: zzz: unknown key `zzz`\n"
                           "    hint: keys: squall, title, duration, timeline, level, speed, "
                           "health, producers, workers, allow, actions\n" },
        { "duration: 1m\nworkers:\n  w: {slots: 1}\n",
          "f:3:6: workers.w: the required key `queue` is missing\n"
          "    hint: A sentence.\n"
          "f:1:1: the required key `squall` is missing\n"
          "    hint: A sentence.\n" },
        { HEAD "workers: {w: {queue: q, autoscaler: {a: 1}}}\n",
          "f:3:25: workers.w.autoscaler: `autoscaler` is not supported yet\n" },
        { HEAD "workers: {w: {queue: q, retry: {max_attempts: 1, max_retries: 1}}}\n",
          "f:3:50: workers.w.retry: `max_attempts` and `max_retries` exclude each other\n" },
        { HEAD "workers: {w: {queue: q, outages: [{for: 1s}, {at: 1s, every: 2s, for: 0s}]}}\n",
          "f:3:35: workers.w.outages[0]: one of these keys is required: at, every\n"
          "f:3:71: workers.w.outages[1].for: 0s is not above 0s\n"
          "f:3:55: workers.w.outages[1]: `at` and `every` exclude each other\n" },
    };
    check_complaints(samples, SQ_COUNT(samples));
}

static void complains_about_blocks(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { HEAD "workers: {w: {queue: q, retry: {backoff: {kind: table, delays: [1s], base: 2s, "
               "cap: 1s, foo: 1}}}}\n",
          "f:3:70: workers.w.retry.backoff.base: `base` belongs to backoff kinds fixed, "
          "exponential, not table\n"
          "f:3:80: workers.w.retry.backoff.cap: `cap` belongs to backoff kind exponential, not "
          "table\n"
          "f:3:89: workers.w.retry.backoff.foo: unknown key `foo`\n"
          "    hint: keys: kind, delays\n" },
        { HEAD "workers: {w: {queue: q, retry: {backoff: exponental}}}\n",
          "f:3:42: workers.w.retry.backoff.kind: there is no backoff kind `exponental`\n"
          "    hint: did you mean `exponential`?\n" },
        { HEAD "workers: {w: {queue: q, retry: {backoff: zzz}}}\n",
          "f:3:42: workers.w.retry.backoff.kind: there is no backoff kind `zzz`\n"
          "    hint: kinds: none, fixed, exponential, table, polly\n" },
        { HEAD "workers: {w: {queue: q, retry: {backoff: polly}, work: {kind: empirical}}}\n",
          "f:3:42: workers.w.retry.backoff.kind: backoff kind `polly` is not supported yet\n"
          "f:3:63: workers.w.work.kind: distribution kind `empirical` is not supported yet\n" },
        { HEAD "workers: {w: {queue: q, work: {value: 1s}}}\n",
          "f:3:31: workers.w.work: the required key `kind` is missing\n"
          "    hint: kinds: constant, uniform, normal, empirical\n" },
        { HEAD "workers: {w: {queue: q, work: {kind: [a]}, budget: {kind: }}}\n",
          "f:3:38: workers.w.work.kind: expects a kind of distribution\n"
          "    hint: kinds: constant, uniform, normal, empirical\n"
          "f:3:59: workers.w.budget.kind: expects a kind of budget\n"
          "    hint: kinds: ratio, tokens\n" },
        { HEAD "workers: {w: {queue: q, work: 320}}\n",
          "f:3:31: workers.w.work.value: `320` needs a unit, for example 5s or 200ms\n" },
        { HEAD "workers: {w: {queue: q, work: 9s..5s, concurrency: 4x}}\n",
          "f:3:31: workers.w.work: min is larger than max\n"
          "f:3:52: workers.w.concurrency.limit: `4x` is not a count; write it as 60000, 60k or "
          "2M\n" },
        { HEAD "workers: {w: {queue: q, work: 9..5}}\n",
          "f:3:31: workers.w.work.min: `9` needs a unit, for example 5s or 200ms\n"
          "f:3:34: workers.w.work.max: `5` needs a unit, for example 5s or 200ms\n" },
        { HEAD "workers: {w: {queue: q, work: none}}\n",
          "f:3:31: workers.w.work.value: `none` cannot stand here; expects a duration such as "
          "5s\n" },
        { HEAD "producers: {p: {queue: q, arrivals: 24x}}\n",
          "f:3:37: producers.p.arrivals: expects a map with `kind`, not `24x`\n"
          "    hint: kinds: poisson, bursts, cohort, none\n" },
        { HEAD "producers: {p: {queue: q, arrivals: {kind: poisson, rate: {kind: steps, points: "
               "[[0s], 5, [1s, 2/s, 3, 4], [1s, x]]}}}}\n",
          "f:3:81: producers.p.arrivals.rate.points: has 4 entries, at most 3 are possible\n"
          "f:3:82: producers.p.arrivals.rate.points[0]: expects 3 values, not 1\n"
          "    hint: they are: at, rate, weight\n"
          "f:3:88: producers.p.arrivals.rate.points[1]: expects a list of values, not `5`\n"
          "    hint: keys: at, rate, weight\n"
          "f:3:91: producers.p.arrivals.rate.points[2]: expects 3 values, not 4\n"
          "    hint: they are: at, rate, weight\n"
          "f:3:113: producers.p.arrivals.rate.points[3][1]: `x` does not begin with a number\n" },
        { HEAD "workers: {w: {queue: q, retry: {preset: hause, zzz: 1}, budget: [1]}}\n",
          "f:3:41: workers.w.retry.preset: there is no retry preset `hause`\n"
          "    hint: did you mean `house`?\n"
          "f:3:65: workers.w.budget: expects a map with `kind`, not a list\n"
          "    hint: kinds: ratio, tokens\n" },
    };
    check_complaints(samples, SQ_COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_every_type),       cmocka_unit_test(binds_absence),
        cmocka_unit_test(binds_blocks_and_lists), cmocka_unit_test(complains_about_values),
        cmocka_unit_test(complains_about_keys),   cmocka_unit_test(complains_about_blocks),
    };
    return cmocka_run_group_tests_name("bind", tests, NULL, NULL);
}
