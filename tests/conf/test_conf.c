/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_conf.c - shorthands, merging, presets and defaults: text of a made-up language in, the tree
 * or the complaints out. */
#include "tests/conf/conf_lang_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct sample {
    const char *base, *over, *set, *expected;
};

/* Rewrites a tree's text as it is printed, so that samples may be laid out freely. */
static void normalise(const char *text, struct sq_buf *out)
{
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_node *tree = NULL;
    assert_int_equal(sq_doc_parse("expected", text, strlen(text), &arena, &diag, &tree), SQ_OK);
    out->len = 0;
    sq_node_print(tree, out);
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
}

static void check_samples(enum lang_step last, const struct sample *samples, size_t count)
{
    struct sq_buf out = { 0 }, expected = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &samples[i];
        struct lang_run run = { last, s->base, s->over, s->set };
        struct lang_result r;
        lang_run(&run, &r);
        lang_show(&r, &out);
        if (r.diag.count > 0) {
            assert_string_equal(out.text, s->expected);
        } else {
            normalise(s->expected, &expected);
            assert_string_equal(out.text, expected.text);
        }
        assert_int_equal(r.status, r.diag.count > 0 ? SQ_USER : SQ_OK);
        lang_fini(&r);
    }
    sq_buf_fini(&out);
    sq_buf_fini(&expected);
}

static void expands_shorthands(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "producers: {p: {arrivals: 24/s}}", NULL, NULL,
          "producers:\n"
          "  p:\n"
          "    arrivals: {kind: poisson, rate: {kind: constant, value: 24/s}}\n" },
        { "producers: {p: {arrivals: 40}}", NULL, NULL,
          "producers:\n  p:\n    arrivals: {kind: cohort, count: 40}\n" },
        { "producers: {p: {arrivals: none}}", NULL, NULL,
          "producers:\n  p:\n    arrivals: {kind: none}\n" },
        { "producers: {p: {arrivals: \"24/s\"}}", NULL, NULL,
          "producers:\n"
          "  p:\n"
          "    arrivals: {kind: poisson, rate: {kind: constant, value: \"24/s\"}}\n" },
        { "producers: {p: {arrivals: {rate: 200/s}}}", NULL, NULL,
          "producers:\n  p:\n    arrivals:\n      rate: {kind: constant, value: 200/s}\n" },
        { "producers: {p: {arrivals: {every: 5s..15s}}}", NULL, NULL,
          "producers:\n  p:\n    arrivals:\n      every: {kind: uniform, min: 5s, max: 15s}\n" },
        { "workers: {w: {work: 320ms, queue: q, budget: 5%, concurrency: 40}}", NULL, NULL,
          "workers:\n  w:\n    work: {kind: constant, value: 320ms}\n    queue: [q]\n"
          "    budget: {kind: ratio, ratio: 5%}\n    concurrency: {limit: 40}\n" },
        { "workers: {w: {budget: none, concurrency: none, retry: none}}", NULL, NULL,
          "workers:\n  w: {budget: none, concurrency: none, retry: none}\n" },
        { "workers: {w: {budget: tokens}, v: {budget: pool}, u: celery}", NULL, NULL,
          "workers:\n  w:\n    budget: {kind: tokens}\n  v:\n    budget: {preset: pool}\n"
          "  u: {preset: celery}\n" },
        { "workers: {w: {retry: house}, v: {retry: {backoff: none}}, "
          "u: {retry: {backoff: [1s, 2s]}}, t: {retry: {backoff: 3s, retry_on: error}}}",
          NULL, NULL,
          "workers:\n  w:\n    retry: {preset: house}\n  v:\n    retry:\n      backoff: {kind: "
          "none}\n"
          "  u:\n    retry:\n      backoff: {kind: table, delays: [1s, 2s]}\n"
          "  t:\n    retry:\n      backoff: {kind: fixed, base: 3s}\n"
          "      retry_on: [error]\n" },
        { "workers: {w: {outages: [{every: 1s..2s}, {at: 5s}], autoscaler: hpa}}", NULL, NULL,
          "workers:\n  w:\n    outages:\n"
          "      - every: {kind: uniform, min: 1s, max: 2s}\n      - at: 5s\n"
          "    autoscaler: hpa\n" },
        { "duration: 5\nunknown: {a: b}\nallow: {x/y: z}\n", NULL, NULL,
          "duration: 5\nunknown: {a: b}\nallow: {x/y: z}\n" },
        { "- 1", NULL, NULL, "f:1:1: expects a map of keys\n" },
    };
    check_samples(LANG_EXPAND, samples, SQ_COUNT(samples));
}

static void merges_by_the_five_rules(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        /* 1: key by key, new keys to the end */
        { "duration: 1m\nworkers: {w: {slots: 2, replicas: 3}}\n",
          "workers: {v: {slots: 1}, w: {slots: 4, renew: true}}\n", NULL,
          "duration: 1m\nworkers:\n  w: {slots: 4, replicas: 3, renew: true}\n  v: {slots: 1}\n" },
        /* 2: another kind replaces, the same one merges, an absent one is the default */
        { "workers: {w: {retry: {backoff: {base: 5s, cap: 1h}}}}",
          "workers: {w: {retry: {backoff: {kind: exponential, base: 2s}}}}", NULL,
          "workers:\n  w:\n    retry:\n      backoff: {base: 2s, cap: 1h, kind: exponential}\n" },
        { "workers: {w: {retry: {backoff: {base: 5s, cap: 1h}}}}",
          "workers: {w: {retry: {backoff: {kind: fixed, base: 2s, cap: null}}}}", NULL,
          "workers:\n  w:\n    retry:\n      backoff: {kind: fixed, base: 2s}\n" },
        { "workers: {w: {retry: {backoff: {kind: fixed, base: 5s}}}}",
          "workers: {w: {retry: {backoff: 7s}}}", NULL,
          "workers:\n  w:\n    retry:\n      backoff: {kind: fixed, base: 7s}\n" },
        { "workers: {w: {retry: {backoff: {kind: fixed, base: 5s}}}}",
          "workers: {w: {retry: {backoff: exponential}}}", NULL,
          "workers:\n  w:\n    retry:\n      backoff: {kind: exponential}\n" },
        { "producers: {p: {arrivals: {kind: cohort, count: 1000, at: 1m}}}",
          "producers: {p: {arrivals: {count: 200k}}}", NULL,
          "producers:\n  p:\n    arrivals: {kind: cohort, count: 200k, at: 1m}\n" },
        { "producers: {p: {arrivals: {kind: cohort, count: 1000, at: 1m}}}",
          "producers: {p: {arrivals: 24/s}}", NULL,
          "producers:\n  p:\n    arrivals: {kind: poisson, rate: {kind: constant, value: "
          "24/s}}\n" },
        { "workers: {w: {retry: {preset: house, max_attempts: 9}}}",
          "workers: {w: {retry: {preset: mild, retry_on: error}}}", NULL,
          "workers:\n  w:\n    retry:\n      preset: mild\n      retry_on: [error]\n" },
        { "workers: {w: {retry: {preset: house, max_attempts: 9}}}",
          "workers: {w: {retry: {preset: house, retry_on: error}}}", NULL,
          "workers:\n  w:\n    retry:\n      preset: house\n      max_attempts: 9\n"
          "      retry_on: [error]\n" },
        { "workers: {w: {budget: {kind: tokens, max: 5}}}", "workers: {w: {budget: pool}}", NULL,
          "workers:\n  w:\n    budget: {preset: pool}\n" },
        { "workers: {w: {budget: pool}}", "workers: {w: {budget: {kind: ratio, ratio: 5%}}}", NULL,
          "workers:\n  w:\n    budget: {preset: pool, kind: ratio, ratio: 5%}\n" },
        /* 3: null removes; `none` stays; in a new place there is nothing to remove */
        { "workers: {w: {budget: 5%, slots: 3, concurrency: 4}}",
          "workers: {w: {budget: null, slots: ~, concurrency: none, retry: {max_retries: null}}}",
          NULL, "workers:\n  w:\n    concurrency: none\n    retry: {}\n" },
        { "workers: {w: {slots: 3}, v: {slots: 1}}", "workers: {v: null}", NULL,
          "workers:\n  w: {slots: 3}\n" },
        { "workers: {w: {concurrency: none}}", "workers: {w: {concurrency: {lease: 5s}}}", NULL,
          "workers:\n  w:\n    concurrency: {lease: 5s}\n" },
        /* 4: lists and scalars replace */
        { "workers: {w: {queue: [a, b], outages: [{at: 1s}]}}",
          "workers: {w: {queue: c, outages: []}}", NULL,
          "workers:\n  w:\n    queue: [c]\n    outages: []\n" },
        { "actions: [{at: 1s, set: {a: null}}]\n", "actions: [{at: 2s, set: {b: null}}]", NULL,
          "actions:\n  - at: 2s\n    set: {b: null}\n" },
        /* 5: alternatives */
        { "workers: {w: {retry: {max_attempts: 9}}}", "workers: {w: {retry: {max_retries: 2}}}",
          NULL, "workers:\n  w:\n    retry: {max_retries: 2}\n" },
        { "workers: {w: {retry: {max_retries: 9}}}",
          "workers: {w: {retry: {max_retries: null, max_attempts: 2}}}", NULL,
          "workers:\n  w:\n    retry: {max_attempts: 2}\n" },
    };
    check_samples(LANG_MERGE, samples, SQ_COUNT(samples));
}

static void refuses_overlays(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "title: a\n", "title: b\nsquall: null\n", NULL,
          "over:1:1: title: a variant or --set cannot change `title`\n"
          "over:2:1: squall: a variant or --set cannot change `squall`\n" },
        { "workers: {pool: {slots: 1}}", "workers: {pol: null, pool: {slot: null, work: null}}",
          NULL,
          "over:1:11: workers.pol: there is no `pol` to remove\n"
          "    hint: did you mean `pool`?\n"
          "over:1:29: workers.pool.slot: unknown key `slot`\n"
          "    hint: did you mean `slots`?\n" },
    };
    check_samples(LANG_MERGE, samples, SQ_COUNT(samples));
}

static void sets_one_path(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "duration: 1m\n", NULL, "duration=2m", "duration: 2m\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.slots=7", "workers:\n  w: {slots: 7}\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.retry={preset: mild}",
          "workers:\n  w:\n    slots: 1\n    retry: {preset: mild}\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.retry.backoff=3s",
          "workers:\n  w:\n    slots: 1\n    retry:\n      backoff: {kind: fixed, base: 3s}\n" },
        { "workers: {w: {work: 5s..9s}}", NULL, "workers.w.work.max=20s",
          "workers:\n  w:\n    work: {kind: uniform, min: 5s, max: 20s}\n" },
        { "workers: {w: {budget: 5%}}", NULL, "workers.w.budget=null", "workers:\n  w: {}\n" },
        { "workers: {w: {outages: [{at: 1s, for: 2s}, {at: 9s, for: 3s}]}}", NULL,
          "workers.w.outages.1.for=10m",
          "workers:\n  w:\n    outages: [{at: 1s, for: 2s}, {at: 9s, for: 10m}]\n" },
        { "workers: {w: {outages: [{at: 1s, for: 2s}, {at: 9s, for: 3s}]}}", NULL,
          "workers.w.outages[0].every=5s..6s",
          "workers:\n  w:\n    outages:\n      - for: 2s\n"
          "        every: {kind: uniform, min: 5s, max: 6s}\n      - at: 9s\n        for: 3s\n" },
        { "workers: {w: {outages: [{at: 1s, for: 2s}, {at: 9s, for: 3s}]}}", NULL,
          "workers.w.outages.0=null", "workers:\n  w:\n    outages: [{at: 9s, for: 3s}]\n" },
        { "workers: {w: {queue: [a, b]}}", NULL, "workers.w.queue.1=c",
          "workers:\n  w:\n    queue: [a, c]\n" },
        { "producers: {p: {arrivals: {kind: poisson, rate: {kind: steps, points: [[0s, 1/s], "
          "[9s, 2/s]]}}}}",
          NULL, "producers.p.arrivals.rate.points.1.1=8/s",
          "producers:\n  p:\n    arrivals:\n      kind: poisson\n"
          "      rate: {kind: steps, points: [[0s, 1/s], [9s, 8/s]]}\n" },
        { "duration: 1m\n", NULL, "duration",
          "--set:1:1: there is no `=` in `duration`\n"
          "    hint: write PATH=VALUE, for example workers.pool.slots=4\n" },
        { "duration: 1m\n", NULL, "a..b=1",
          "--set:1:3: a key is missing here\n"
          "    hint: write PATH=VALUE, for example workers.pool.slots=4\n" },
        { "duration: 1m\n", NULL, "duration= ",
          "--set:1:10: a value is missing after the `=`\n"
          "    hint: to remove a key write PATH=null\n" },
        { "duration: 1m\n", NULL, "duration=[1, 2",
          "--set:1:10: the bracket that opens here is never closed\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.slot=7",
          "--set:1:11: workers.w.slot: unknown key `slot`\n    hint: did you mean `slots`?\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.slots.x=7",
          "--set:1:17: workers.w.slots.x: there is nothing below `slots`, which is a whole number "
          "such as 40 or 60k\n" },
        { "workers: {w: {outages: [{at: 1s}]}}", NULL, "workers.w.outages.1.at=7s",
          "--set:1:19: workers.w.outages.1: the list has 1 element, there is no number 1\n"
          "    hint: the first element has the number 0\n" },
        { "workers: {w: {outages: [{at: 1s}]}}", NULL, "workers.w.outages.at=7s",
          "--set:1:19: workers.w.outages.at: this is a list, `at` cannot stand here\n"
          "    hint: a number from 0 on names an element of it\n" },
        { "workers: {w: {slots: 1}}", NULL, "workers.w.outages.0.at=7s",
          "--set:1:19: workers.w.outages.0: `outages` has no elements yet\n" },
        { "title: a", NULL, "title=b",
          "--set:1:1: title: a variant or --set cannot change `title`\n" },
    };
    check_samples(LANG_MERGE, samples, SQ_COUNT(samples));
}

#define ROOT_HEAD "squall: 1\nduration: 1m\n"
#define ROOT_TAIL "timeline: 1s\nlevel: 1.5\nhealth: {window: 30s}\n"

static void fills_presets_and_defaults(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { ROOT_HEAD, NULL, NULL, ROOT_HEAD ROOT_TAIL },
        { "workers: {w: {queue: q, retry: {max_retries: 2}}}", NULL, NULL,
          "workers:\n  w:\n    queue: [q]\n    retry:\n      max_retries: 2\n"
          "      backoff: {kind: exponential, base: 1s, cap: 10m, factor: 2, doublings: "
          "unlimited}\n"
          "      retry_on: [transient]\n    replicas: 1\n    slots: 1\n"
          "    work: {kind: constant, value: 0s}\n    renew: false\n    acknowledge: "
          "after\n" ROOT_TAIL },
        /* a preset that names one for a sub-block, keys beside it merged over */
        { "workers: {w: {preset: celery, slots: 4, retry: {max_retries: 2}}}", NULL, NULL,
          "workers:\n  w:\n    retry:\n      backoff: {kind: fixed, base: 2s}\n"
          "      max_retries: 2\n      retry_on: [transient]\n    slots: 4\n"
          "    acknowledge: before\n    replicas: 1\n    work: {kind: constant, value: 0s}\n"
          "    renew: false\n" ROOT_TAIL },
        /* a preset that stands on another, and displaces an alternative of it */
        { "workers: {w: {retry: {preset: mild, backoff: none}}}", NULL, NULL,
          "workers:\n  w:\n    retry:\n      backoff: {kind: none}\n"
          "      retry_on: [timeout, error]\n      max_retries: 9\n    replicas: 1\n"
          "    slots: 1\n    work: {kind: constant, value: 0s}\n    renew: false\n"
          "    acknowledge: after\n" ROOT_TAIL },
        /* the kind of the preset stays, or the user's replaces it */
        { "workers: {w: {budget: pool}, v: {budget: {preset: pool, max: 4}}, "
          "u: {budget: {preset: pool, kind: ratio, ratio: 1%}}, t: {budget: {preset: tenth}}}",
          NULL, NULL,
          "workers:\n"
          "  w:\n    budget: {kind: tokens, max: 20, scope: fleet}\n"
          "    replicas: 1\n    slots: 1\n    work: {kind: constant, value: 0s}\n"
          "    renew: false\n    acknowledge: after\n"
          "  v:\n    budget: {kind: tokens, max: 4, scope: fleet}\n"
          "    replicas: 1\n    slots: 1\n    work: {kind: constant, value: 0s}\n"
          "    renew: false\n    acknowledge: after\n"
          "  u:\n    budget: {kind: ratio, ratio: 1%, floor: 10, scope: fleet}\n"
          "    replicas: 1\n    slots: 1\n    work: {kind: constant, value: 0s}\n"
          "    renew: false\n    acknowledge: after\n"
          "  t:\n    budget: {kind: ratio, ratio: 10%, floor: 10, scope: fleet}\n"
          "    replicas: 1\n    slots: 1\n    work: {kind: constant, value: 0s}\n"
          "    renew: false\n    acknowledge: after\n" ROOT_TAIL },
        { "producers: {p: {arrivals: {kind: poisson, rate: {kind: steps, points: [[0s, 1/s]]}}}}",
          NULL, NULL,
          "producers:\n  p:\n    arrivals:\n      kind: poisson\n"
          "      rate: {kind: steps, points: [[0s, 1/s, 7]]}\n" ROOT_TAIL },
        { "workers:\n  w: {retry: huose, slots: 2}\n  v: {budget: token}\n"
          "  u: {retry: ring}\n  t: {retry: {preset: [a]}}\n",
          NULL, NULL,
          "f:2:14: workers.w.retry.preset: there is no retry preset `huose`\n"
          "    hint: did you mean `house`?\n"
          "f:3:15: workers.v.budget.preset: there is no budget preset `token`\n"
          "    hint: did you mean `tokens`?\n"
          "presets:1:10: workers.u.retry.preset: presets stand on each other in a circle\n"
          "f:5:23: workers.t.retry.preset: expects the name of a preset\n" },
    };
    check_samples(LANG_FILL, samples, SQ_COUNT(samples));
}

/* Without a way to look presets up the key is one of the language that is still to come. */
static void presets_may_be_unsupported(void **state)
{
    (void)state;
    static const char base[] = "workers: {w: {retry: house}}";
    struct lang_run run = { LANG_EXPAND, base, NULL, NULL };
    struct lang_result r;
    lang_run(&run, &r);
    struct sq_conf c = { .arena = &r.arena, .diag = &r.diag };
    assert_int_equal(sq_conf_fill(&c, r.tree, &lang_table, NULL), SQ_USER);
    assert_int_equal(r.diag.count, 1);
    assert_string_equal(r.diag.items[0].text, "`preset` is not supported yet");
    lang_fini(&r);
}

/* The effective text, run again, is itself. */
static void effective_text_is_its_own(void **state)
{
    (void)state;
    static const char base[] =
        ROOT_HEAD "producers: {p: {queue: q, arrivals: 24/s, deadline: none}}\n"
                  "workers: {w: {preset: celery, queue: q, budget: 5%, outages: [{every: 5s, for: "
                  "1s}], concurrency: none}}\n";
    struct sq_buf first = { 0 }, second = { 0 };
    struct lang_run run = { LANG_BIND, base, NULL, NULL };
    struct lang_result r;
    lang_run(&run, &r);
    lang_show(&r, &first);
    assert_int_equal(r.status, SQ_OK);
    assert_false(r.tree->filled);
    assert_false(sq_node_get(r.tree, "duration")->filled);
    assert_true(sq_node_get(r.tree, "timeline")->filled);
    struct sq_node *w = sq_node_get(sq_node_get(r.tree, "workers"), "w");
    assert_false(w->filled);
    assert_true(sq_node_get(w, "slots")->filled);
    assert_false(sq_node_get(w, "budget")->filled);
    assert_true(sq_node_get(sq_node_get(w, "budget"), "floor")->filled);
    lang_fini(&r);
    run.base = first.text;
    lang_run(&run, &r);
    lang_show(&r, &second);
    assert_string_equal(first.text, second.text);
    lang_fini(&r);
    sq_buf_fini(&first);
    sq_buf_fini(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands_shorthands),         cmocka_unit_test(merges_by_the_five_rules),
        cmocka_unit_test(refuses_overlays),           cmocka_unit_test(sets_one_path),
        cmocka_unit_test(fills_presets_and_defaults), cmocka_unit_test(effective_text_is_its_own),
        cmocka_unit_test(presets_may_be_unsupported),
    };
    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
