/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_presets.c - every shipped retry preset: how often it retries, until when, and from where to
 * where each of its first delays may lie, by the facts that its file names and by hand. */
#include "models/mdl_scenario.h"
#include "models/policy/mdl_backoff.h"
#include "models/study/mdl_delays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { FOREVER = -1 };

/* Delays in seconds: "LOW:HIGH" of what can be drawn, "X" when it is always X. */
static const struct {
    const char *name;
    int retries;
    double elapsed; /* s; 0: no limit */
    const char *delays;
} rows[] = {
    { "celery", 3, 0, "0:1 0:2 0:4 0:8 0:16 0:32 0:64 0:128 0:256 0:512 0:600" },
    { "celery-retry", 3, 0, "180 180 180" },
    { "bullmq", 2, 0, "1 2 4 8 16 32 64 128 256 512 1024" },
    { "bullmq-jitter", 2, 0, "0:1 0:2 0:4 0:8 0:16" },
    { "bullmq-fixed", 2, 0, "1 1 1" },
    { "bullmq-3-4-0", 2, 0, "1 3 7 15 31 63 127 255 511" },
    { "sidekiq", 25, 0, "15:24 16:35 31:60 96:135 271:320" },
    { "sidekiq-7", 25, 0, "15:24 16:34 31:58 96:132 271:316" },
    { "sidekiq-6-1", 25, 0, "15:44 16:74 31:118 96:212 271:416" },
    { "lambda-async", 2, 21600, "60 120" },
    { "lambda-async-throttled", FOREVER, 21600, "1 2 4 8 16 32 64 128 256 300 300" },
    { "rabbitmq", 20, 0, "0 0 0" },
    { "rabbitmq-delayed", 20, 0, "5 10 15 20 25 30 30" },
    { "rabbitmq-ttl", 20, 0, "30 30 30" },
    { "kafka-producer", FOREVER, 120, "0.08:0.12 0.16:0.24 0.32:0.48 0.64:0.96 0.8:1 0.8:1" },
    { "pubsub", FOREVER, 604800, "0 0 0" },
    { "pubsub-exponential", FOREVER, 604800, "10 20 40 80 160 320 600 600" },
    { "temporal", FOREVER, 0, "1 2 4 8 16 32 64 100 100" },
    { "temporal-rpc", FOREVER, 60, "0.16:0.2 0.32:0.4 0.64:0.8 1.28:1.6 2.56:3.2 4.8:6" },
    { "cadence", 9, 0, "1 2 4 8 16 32 60 60" },
    { "inngest", 4, 0,
      "15:45 30:60 60:90 120:150 300:330 600:630 1200:1230 2400:2430 3600:3630 "
      "7200:7230 7200:7230" },
    { "durable-functions", 2, 0, "5 5 5" },
    { "durable-functions-exponential", 2, 0, "5 10 20 40 80" },
    { "step-functions", 3, 0, "1 2 4 8" },
    { "step-functions-full", 3, 0, "0:1 0:2 0:4 0:8" },
    { "hatchet", 3, 0, "0 0 0" },
    { "hatchet-backoff", 3, 0, "2 4 8 16 32 60 60" },
    { "trigger-dev", 2, 0, "1:2 2:4 4:8 8:16 16:32 32:60 60 60" },
    { "aws-legacy", 4, 0, "0:1 0:2 0:4 0:8 0:16 0:32 0:64" },
    { "aws-standard", 2, 0, "0:1 0:2 0:4 0:8 0:16 0:20 0:20" },
    { "aws-standard-old", 2, 0, "0:1 0:2 0:4 0:8 0:16 0:20 0:20" },
    { "aws-adaptive", 2, 0, "0:1 0:2 0:4 0:8 0:16 0:20 0:20" },
    { "aws-2026", 2, 0, "0:0.05 0:0.1 0:0.2 0:0.4 0:0.8 0:1.6 0:3.2 0:6.4 0:12.8 0:20" },
    { "aws-2026-throttling", 2, 0, "0:1 0:2 0:4 0:8 0:16 0:20" },
    { "aws-js", 2, 0, "0:0.05 0:0.1 0:0.2 0:0.4 0:0.8 0:1.6 0:3.2 0:6.4 0:12.8 0:20" },
    { "aws-js-throttling", 2, 0, "0:1 0:2 0:4 0:8 0:16 0:20" },
    { "aws-js-old", 2, 0, "0:0.1 0:0.2 0:0.4 0:0.8 0:1.6 0:3.2 0:6.4 0:12.8 0:20" },
    { "aws-go", 2, 0, "0:2 0:4 0:8 0:16 20 20" },
    { "polly", 3, 0, "2 2 2" },
    { "polly-exponential", 3, 0, "0:2.75436451" }, /* 2 s * 2 tanh 2 / 1.4 */
    { "polly-linear", 3, 0, "1.5:2.5 3:5 4.5:7.5" },
    { "polly-constant-jitter", 3, 0, "1.5:2.5 1.5:2.5" },
    { "tenacity", FOREVER, 0, "0 0 0" },
    { "tenacity-random", 4, 0, "0:1 0:2 0:4 0:8 0:16 0:32 0:60 0:60" },
    { "tenacity-exponential", 4, 0, "1 2 4 8 16 32 60 60" },
    { "tenacity-jitter", 4, 0, "1:2 2:3 4:5 8:9 16:17 32:33 60 60" },
    { "resilience4j", 2, 0, "0.5 0.5" },
    { "resilience4j-exponential", 2, 0, "0.5 0.75 1.125 1.6875 2.53125" },
    { "resilience4j-random", 2, 0, "0.25:0.75 0.375:1.125 0.5625:1.6875" },
    { "cockatiel", 5, 0, "0:0.17627933" }, /* 128 ms * 2 tanh 2 / 1.4 */
    { "cockatiel-none", 5, 0, "0.128 0.256 0.512 1.024 2.048 4.096 8.192 16.384 30 30" },
    { "cockatiel-full", 5, 0, "0:0.128 0:0.256 0:0.512" },
    { "cockatiel-half", 5, 0, "0.064:0.128 0.128:0.256 0.256:0.512" },
    { "failsafe", 2, 0, "0 0 0" },
    { "failsafe-backoff", 2, 0,
      "0.075:0.125 0.15:0.25 0.3:0.5 0.6:1 1.2:2 2.4:4 3.75:6.25 3.75:6.25" },
    { "cloud-tasks", 99, 0, "0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8 25.6 51.2 102.4" },
    { "cloud-tasks-example", 99, 0, "10 20 40 80 160 240 300 300" },
    { "spring-kafka", 9, 0, "0 0 0" },
    { "spring-kafka-topic", 2, 0, "1 1" },
    { "kubernetes-job", 6, 0, "10 20 40 80 160 320 600 600" },
    { "kubernetes-job-6m", 6, 0, "10 20 40 80 160 320 360 360" },
    { "crashloop", FOREVER, 0, "10 20 40 80 160 300 300" },
    { "crashloop-fast", FOREVER, 0, "1 2 4 8 16 32 60 60" },
    { "activejob", 4, 0, "3 3 3" },
    { "activejob-jitter", 4, 0, "3:3.45 3:3.45" },
    { "activejob-polynomial", 4, 0, "3 18 83 258 627" },
    { "activejob-polynomial-jitter", 4, 0, "3:3.15 18:20.4 83:95.15 258:296.4 627:720.75" },
    { "resque-retry", 1, 0, "0" },
    { "resque-retry-exponential", 6, 0, "0 60 600 3600 10800 21600 21600" },
    { "laravel", 2, 0, "0 0" },
    { "laravel-backoff", 2, 0, "10 30 60 60" },
    { "oban", 19, 0, "17:18 19:20 23:25 31:34 47:51" },
    { "faktory", 25, 0, "15:44 16:74 31:118 96:212 271:416" },
    { "river", 24, 0, "0.9:1.1 14.4:17.6 72.9:89.1 230.4:281.6 562.5:687.5" },
    { "grpc", 4, 0, "0.08:0.12 0.16:0.24 0.32:0.48 0.64:0.96 0.8:1.2 0.8:1.2" },
    { "grpc-old", 4, 0, "0:0.1 0:0.2 0:0.4 0:0.8 0:1 0:1" },
    { "grpc-connect", FOREVER, 0, "1 1.28:1.92 2.048:3.072 3.2768:4.9152" },
    { "envoy", 1, 0, "0:0.024 0:0.049 0:0.099 0:0.199 0:0.249 0:0.249" },
    { "envoy-old", 1, 0, "0:0.024 0:0.074 0:0.174 0:0.25 0:0.25" },
    { "istio", 2, 0, "0:0.024 0:0.049 0:0.099 0:0.199 0:0.249 0:0.249" },
    { "linkerd", FOREVER, 0, "0 0" },
    { "linkerd-policy", 1, 0, "0.025:0.05 0.05:0.1 0.1:0.2 0.2:0.25 0.25 0.25" },
    { "finagle", FOREVER, 0, "0 0" },
    { "finagle-decorrelated", 25, 0, "0.1 0.1:0.3 0.1:0.9 0.1:2.7 0.1:8.1 0.1:10" },
    { "finagle-exponential", 25, 0, "0.1 0:0.2 0:0.8 0:6.4 0:10 0:10" },
    { "finagle-equal", 25, 0, "0.1 0.1:0.2 0.2:0.4 0.4:0.8 0.8:1.6 1.6:3.2" },
    { "haproxy", 3, 0, "1 1 1" },
    { "haproxy-redispatch", 3, 0, "0 0" },
    { "nginx", 2, 0, "0 0" },
    { "spring-retry", 2, 0, "1 1" },
    { "spring-retry-exponential", 2, 0, "0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8 25.6 30 30" },
    { "spring-retry-random", 2, 0, "0.1:0.2 0.2:0.4 0.4:0.8" },
    { "gax", FOREVER, 60, "0:0.1 0:0.13 0:0.169 0:0.2197" },
    { "gax-core", FOREVER, 120, "0:1 0:2 0:4 0:8 0:16 0:32 0:60" },
    { "stripe", 2, 0, "0.5 0.5:1 1:2 2:4 2.5:5 2.5:5" },
    { "stripe-old", 2, 0, "0.5 0.5:1 1:2 1:2" },
    { "urllib3", 10, 0, "0 1 2 4 8 16 32 64 120 120" },
    { "urllib3-default", 10, 0, "0 0" },
    { "okhttp", 20, 0, "0 0" },
    { "retry-go", 9, 0, "0.1:0.2 0.2:0.3 0.4:0.5 0.8:0.9 1.6:1.7" },
    { "retry-go-old", 9, 0, "0.1 0.2 0.4 0.8 1.6" },
    { "cenkalti", FOREVER, 900, "0.25:0.75 0.375:1.125 0.5625:1.6875" },
    { "go-retryablehttp", 4, 0, "1 2 4 8 16 30 30" },
    { "go-retryablehttp-linear", 4, 0, "1:3 2:6 3:9 4:12" },
    { "node-retry", 10, 0, "1 2 4 8 16 32 64 128 256 512" },
    { "node-retry-random", 10, 0, "1:2 2:4 4:8 8:16" },
};

static void open_policy(struct mdl_policy *p, const char *text)
{
    struct sq_diag diag = { 0 };
    if (mdl_policy_open(p, text, &diag) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&diag, &b);
        fail_msg("%s: %s", text, b.text);
    }
    sq_diag_fini(&diag);
}

/* The least and the largest delay: by always drawing the least, or the largest. */
static void check_delays(const struct mdl_policy *p, const char *name, const char *want)
{
    double low_state = 0, high_state = 0;
    for (uint32_t n = 1; *want != '\0'; n++) {
        char *end;
        double low = strtod(want, &end), high = low;
        if (*end == ':') {
            high = strtod(end + 1, &end);
        }
        double least = sq_time_to_s(mdl_retry_delay(p->cfg, n, 0x1p-53, &low_state));
        double most = sq_time_to_s(mdl_retry_delay(p->cfg, n, 1 - 0x1p-53, &high_state));
        double step = low == high ? 1e-9 : 0.00101; /* a lattice of 1 ms */
        if (!(fabs(least - low) <= step && fabs(most - high) <= step)) {
            fail_msg("%s, retry %u: %.9g..%.9g and not %.9g..%.9g", name, n, least, most, low,
                     high);
        }
        want = end + strspn(end, " ");
    }
}

static void every_preset_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_policy p;
        open_policy(&p, rows[i].name);
        int64_t limit = mdl_retry_limit(p.cfg);
        int64_t want = rows[i].retries == FOREVER ? SQ_UNLIMITED : rows[i].retries + 1;
        if (limit != want) {
            fail_msg("%s allows %lld runs", rows[i].name, (long long)limit);
        }
        sq_time_t elapsed = rows[i].elapsed > 0 ? sq_time_from_s(rows[i].elapsed) : SQ_NEVER;
        if (p.cfg->max_elapsed != elapsed) {
            fail_msg("%s may take %lld ns", rows[i].name, (long long)p.cfg->max_elapsed);
        }
        check_delays(&p, rows[i].name, rows[i].delays);
        mdl_policy_fini(&p);
    }
}

static void no_preset_without_a_test(void **state)
{
    (void)state;
    struct mdl_policy p;
    open_policy(&p, "celery");
    struct sq_diag diag = { 0 };
    p.presets.diag = &diag;
    size_t count = 0;
    const char *const *names = sq_presets_names(&p.presets, "retry", &count);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < SQ_COUNT(rows); k++) {
            known |= strcmp(rows[k].name, names[i]) == 0;
        }
        known |= strcmp(names[i], "sqs") == 0; /* its delays are a queue's: test_queue_presets.c */
        if (!known) {
            fail_msg("there is no test of the retry preset %s", names[i]);
        }
    }
    assert_int_equal(count, SQ_COUNT(rows) + 1);
    mdl_policy_fini(&p);
}

/* What the systems' own manuals say the default spans are. */
static void spans(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        uint32_t retries;
        double days;
    } want[] = {
        { "sidekiq-7", 25, 20.43 },   /* 6.2.2 and later */
        { "sidekiq-6-1", 25, 20.46 }, /* with rand(30) */
        { "{preset: oban, jitter: none}", 19, 12.14 },
        { "river", 24, 20.4 },
        { "{preset: bullmq, max_attempts: 5}", 4, 15 / 86400.0 }, /* 1 + 2 + 4 + 8 s */
    };
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        struct mdl_policy p;
        struct sq_delays d;
        open_policy(&p, want[i].policy);
        struct mdl_delays_ask ask = { .retries = want[i].retries, .samples = 2000, .seed = 1 };
        assert_int_equal(mdl_delays(&p, &ask, &d), SQ_OK);
        double days = d.rows[d.count - 1].until_mean / 86400;
        if (!(fabs(days - want[i].days) <= 0.01 + 0.002 * want[i].days)) {
            fail_msg("%s spans %g days", want[i].policy, days);
        }
        sq_arena_fini(&d.arena);
        mdl_policy_fini(&p);
    }
}

static void who_holds_the_delay(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int held_by;
    } want[] = {
        { "celery", MDL_HELD_WORKER },
        { "celery-retry", MDL_HELD_WORKER },
        { "bullmq", MDL_HELD_BROKER },
        { "sidekiq", MDL_HELD_BROKER },
        { "temporal", MDL_HELD_BROKER },
        { "spring-kafka", MDL_HELD_SLOT },
        { "spring-kafka-topic", MDL_HELD_BROKER },
        { "tenacity-random", MDL_HELD_SLOT },
        { "stripe", MDL_HELD_SLOT },
        { "istio", MDL_HELD_SLOT },
    };
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        struct mdl_policy p;
        open_policy(&p, want[i].name);
        assert_int_equal(p.cfg->held_by, want[i].held_by);
        mdl_policy_fini(&p);
    }
}

/* Presets of all types that scenarios can hold: each expands and fills by the rows of its type. */
static void presets_of_every_type_fill(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_conf conf = { .arena = &arena, .diag = &diag };
    struct sq_presets presets;
    struct sq_preset_types types;
    assert_int_equal(sq_presets_open(&presets, &conf, &mdl_root_table, NULL), SQ_OK);
    sq_preset_types(&mdl_root_table, &types);
    size_t all = 0, count;
    for (size_t t = 0; t < types.count; t++) {
        const char *const *names = sq_presets_names(&presets, types.names[t], &count);
        all += count;
        for (size_t i = 0; i < count; i++) {
            struct sq_node *word = sq_node_scalar(&arena, (struct sq_where){ 0 }, names[i]);
            struct sq_node *map =
                sq_node_new(&arena, SQ_NODE_MAP, (struct sq_where){ .file = names[i] });
            assert_int_equal(sq_node_add(&arena, map, "preset", word->where, word), SQ_OK);
            struct sq_table table = { .rows = types.rows[t], .row_count = 1 };
            struct sq_node *root = sq_node_new(&arena, SQ_NODE_MAP, word->where);
            assert_int_equal(sq_node_add(&arena, root, types.rows[t]->key, word->where, map),
                             SQ_OK);
            if (sq_conf_expand(&conf, root, &table, "") != SQ_OK ||
                sq_conf_fill(&conf, root, &table, "") != SQ_OK) {
                struct sq_buf b = { 0 };
                sq_diag_print(&diag, &b);
                fail_msg("%s", b.text);
            }
        }
    }
    assert_true(all >= SQ_COUNT(rows));
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_by_hand),
        cmocka_unit_test(no_preset_without_a_test),
        cmocka_unit_test(spans),
        cmocka_unit_test(who_holds_the_delay),
        cmocka_unit_test(presets_of_every_type_fill),
    };
    return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
