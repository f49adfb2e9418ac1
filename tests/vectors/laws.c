/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laws.c - see vectors.h. */
#include "tests/vectors/vectors.h"

#define MS     0.001
#define GAP    "wall-clock gap of an end-to-end run, scheduling included"
#define RUNS   "count of runs or of retries, no delay"
#define TOKENS "tokens or counts of a retry quota"
#define RATE   "requests per second of an adaptive limiter"
#define POLL   "interval of a poller, a matter of the queue"
#define HOLD   "how a broker holds tasks, a matter of the queue"
#define VALUE  "a default value, no delay"

#define LAW(s, v, p, y, g)                                                 \
    {                                                                      \
        .system = s, .version = v, .parameters = p, .policy = y, .step = g \
    }
#define HINTED(s, v, p, y, g, h)                                                      \
    {                                                                                 \
        .system = s, .version = v, .parameters = p, .policy = y, .step = g, .hint = h \
    }
#define APART(s, w)                          \
    {                                        \
        .system = s, .version = "", .why = w \
    }

/* Base 1 s, cap 60 s. */
#define REF                  "backoff: {kind: exponential, base: 1s, cap: 1m}"
#define DOUBLING(base, more) "backoff: {kind: exponential, base: " base ", factor: 2" more "}"

const struct vec_law vec_laws[] = {
    /* no delays of a policy */
    APART("e2e.measured_gap", GAP),
    APART("e2e.total_runs", RUNS),
    APART("e2e.eta_tasks", HOLD),
    APART("e2e.runs_of_one", HOLD),
    APART("retries_with_default_maxAttempts", RUNS),
    APART("quota", TOKENS),
    APART("refund_on_success", TOKENS),
    APART("retryThrottling", TOKENS),
    APART("cubic_rate", RATE),
    APART("poll_interval", POLL),
    APART("load_defaults", VALUE),

    /* the presets as they are, and with other numbers */
    LAW("celery", "", "\"retry_backoff\":1,\"retry_backoff_max\":600,\"retry_jitter\":false",
        "{preset: celery, jitter: none}", 0),
    LAW("celery", "", "\"retry_backoff\":1,", "celery", 1),
    LAW("celery", "", "\"retry_backoff\":2,\"retry_backoff_max\":600,\"retry_jitter\":false",
        "{preset: celery, jitter: none, backoff: {base: 2s}}", 0),
    LAW("celery", "", "\"retry_backoff\":2,", "{preset: celery, backoff: {base: 2s}}", 1),
    LAW("celery", "", "\"retry_backoff\":5,\"retry_backoff_max\":3600,\"retry_jitter\":false",
        "{preset: celery, jitter: none, backoff: {base: 5s, cap: 1h}}", 0),
    LAW("celery", "", "\"retry_backoff\":5,", "{preset: celery, backoff: {base: 5s, cap: 1h}}", 1),
    LAW("celery", "", "\"retry_backoff\":2.9",
        "{preset: celery, jitter: none, backoff: {base: 2s}}", 0),
    LAW("celery", "", "\"retry_backoff\":", "{preset: celery, jitter: none}", 0), /* 0.5, 1.5 */

    LAW("bullmq.exponential", "3.4.0", NULL, "bullmq-3-4-0", 0),
    LAW("bullmq.exponential", "", "\"jitter\":0.25",
        "{preset: bullmq, jitter: {kind: scaled, low: 0.75, high: 1, lattice: 1ms}}", MS),
    LAW("bullmq.exponential", "", "\"jitter\":0.5",
        "{preset: bullmq, jitter: {kind: equal, lattice: 1ms}}", MS),
    LAW("bullmq.exponential", "", "\"jitter\":1,", "bullmq-jitter", MS),
    LAW("bullmq.exponential", "", NULL, "bullmq", 0),
    LAW("bullmq.fixed", "", "\"jitter\":0.5",
        "{preset: bullmq-fixed, jitter: {kind: equal, lattice: 1ms}}", MS),
    LAW("bullmq.fixed", "", NULL, "bullmq-fixed", 0),

    LAW("sidekiq.retry", "8.1.7", NULL, "sidekiq", 1),
    LAW("sidekiq.retry", "6.4.1", NULL, "sidekiq-7", 1),
    LAW("sidekiq.retry", "2.5.2-6.2.1", NULL, "sidekiq-6-1", 1),
    LAW("rabbitmq.quorum.delayed_retry", "", NULL, "rabbitmq-delayed", 0),
    LAW("kafka.producer", "", NULL, "kafka-producer", MS),
    LAW("temporal.activity", "", "\"MaximumInterval\":100", "temporal", 0),
    LAW("temporal.activity", "", NULL, "{preset: temporal, backoff: {cap: 1m}}", 0),
    LAW("temporal.sdk_go", "", NULL, "temporal-rpc", 0),
    LAW("cadence", "", NULL, "cadence", 1),
    LAW("hatchet", "", NULL, "hatchet-backoff", 0),
    LAW("azure.durable", "", "\"backoffCoefficient\":2",
        "{preset: durable-functions-exponential, backoff: {cap: 1m}}", 0),
    LAW("azure.durable", "", NULL, "durable-functions", 0),
    LAW("aws.stepfunctions", "", "FULL", "step-functions-full", 0),
    LAW("trigger.dev", "", NULL, "trigger-dev", MS),

    LAW("aws.botocore.legacy", "", NULL, "aws-legacy", 0),
    LAW("aws.botocore.standard-2026", "", "dynamodb", "{preset: aws-2026, backoff: {base: 25ms}}",
        0),
    LAW("aws.botocore.standard-2026", "", "\"throttling\"", "aws-2026-throttling", 0),
    LAW("aws.smithy-js", "3.41", "\"transient\"", "aws-js", MS),
    LAW("aws.smithy-js", "3.41", NULL, "aws-js-throttling", MS),
    LAW("aws.smithy-js", "", NULL, "aws-js-old", MS),
    LAW("aws.go-v2", "", NULL, "aws-go", 0),

    LAW("polly.Decorrelated", "", NULL, "polly-exponential", 0),
    LAW("polly.default", "", NULL, "polly", 0),
    LAW("tenacity.wait_exponential_jitter", "", NULL, "tenacity-jitter", 0),
    LAW("tenacity.wait_random_exponential", "8.2", NULL, "tenacity-random", 0),
    LAW("tenacity.wait_random_exponential", "", NULL,
        "{preset: tenacity-random, jitter: {kind: full, from: 1s}}", 0),
    LAW("tenacity.wait_exponential", "", NULL,
        "{preset: tenacity-exponential, jitter: {kind: none, min: 2s}, backoff: {base: 500ms, "
        "factor: 3, cap: 30s}}",
        0),
    LAW("tenacity.wait_incrementing", "", NULL,
        "{preset: tenacity-exponential, backoff: {kind: linear, base: 1s, step: 5s, cap: 30s}}", 0),
    LAW("resilience4j.ofExponential", "", "\"max_ms\":5000",
        "{preset: resilience4j-random, backoff: {cap: 5s}}", MS),
    LAW("resilience4j.ofExponential", "", NULL, "resilience4j-random", MS),
    LAW("resilience4j.ofRandomized", "", NULL,
        "{preset: resilience4j, jitter: {kind: proportional, ratio: 50%, lattice: 1ms, inclusive: "
        "true}}",
        MS),
    LAW("cockatiel.noJitter", "", NULL, "cockatiel-none", 0),
    LAW("cockatiel.halfJitter", "", NULL, "cockatiel-half", MS),
    LAW("cockatiel.decorrelated", "", "\"initialDelay_ms\":128", "cockatiel", 0),
    LAW("cockatiel.decorrelated", "", NULL,
        "{preset: cockatiel, backoff: {base: 1s, cap: unlimited}}", 0),
    LAW("failsafe", "", "jitterFactor", "failsafe-backoff", 0),
    LAW("failsafe", "", NULL, "{preset: failsafe-backoff, jitter: none}", 0),

    LAW("gcp.cloudtasks", "", "\"minBackoff\":10", "cloud-tasks-example", 0),
    LAW("gcp.cloudtasks", "", NULL, "cloud-tasks", 0),
    LAW("spring-kafka.Default", "", NULL, "spring-kafka", 0),
    LAW("spring-kafka.Retryable", "", NULL, "spring-kafka-topic", 0),
    LAW("kubernetes.job", "", "\"max\":600", "kubernetes-job", 0),
    LAW("kubernetes.job", "", NULL, "kubernetes-job-6m", 0),
    LAW("kubernetes.crashloop", "", "\"max\":300", "crashloop", 0),
    LAW("kubernetes.crashloop", "", NULL, "crashloop-fast", 0),
    LAW("activejob.fixed", "", NULL, "activejob-jitter", 0),
    LAW("activejob", "", NULL, "activejob-polynomial-jitter", 0),
    LAW("resque-retry", "", NULL, "resque-retry-exponential", 0),
    LAW("laravel", "", "worker default", "laravel", 0),
    LAW("laravel", "", "[10,30,60]", "laravel-backoff", 0),
    LAW("laravel", "", "scalar 5", "{preset: laravel, backoff: 5s}", 0),
    LAW("oban", "", "\"max_attempts\":40",
        "{preset: oban, backoff: {kind: table, delays: ["
        "17s, 17s, 19s, 19s, 23s, 23s, 31s, 31s, 47s, 47s, 79s, 79s, 143s, 143s, 271s, 271s, 527s, "
        "527s, 1039s, 1039s, 2063s, 2063s, 4111s, 4111s, 8207s, 8207s, 16399s, 16399s, 32783s, "
        "32783s, 65551s, 65551s, 131087s, 131087s, 262159s, 262159s, 524303s, 524303s, 1048591s]}}",
        1),
    LAW("faktory", "", NULL, "faktory", 1),
    LAW("river", "", NULL, "river", 0),
    LAW("grpc.retryPolicy", "1.33", NULL, "grpc-old", 0),
    LAW("grpc.retryPolicy", "", NULL, "grpc", 0),
    LAW("grpc.connection", "", NULL, "grpc-connect", 0),
    LAW("envoy.retry_back_off", "<=1.14", NULL, "envoy-old", MS),
    LAW("envoy.retry_back_off", "", NULL, "envoy", MS),
    HINTED("envoy.rate_limited", "", NULL, "{preset: envoy, retry_after: spread}", MS, 10),
    LAW("linkerd.policy", "", NULL, "linkerd-policy", 0),
    LAW("linkerd.exp_backoff", "", NULL,
        "{preset: linkerd-policy, backoff: {base: 100ms, cap: 10s}, jitter: {kind: scaled, low: 1, "
        "high: 1.5}}",
        0),
    LAW("finagle.decorrelated", "", NULL, "finagle-decorrelated", 0),
    LAW("finagle.exponential", "", NULL, "finagle-exponential", 0),
    LAW("spring-retry", "", NULL, "spring-retry-random", MS),
    LAW("google.api_core", "", NULL, "gax-core", 0),
    LAW("stripe", "5.0.0", NULL, "stripe-old", 0),
    LAW("stripe", "", NULL, "stripe", 0),
#define URLLIB3(delays, more)                                                             \
    "{preset: urllib3, backoff: {kind: table, delays: " delays ", cap: 2m, cap_applies: " \
    "after-jitter}" more "}"
    LAW("urllib3", "", "\"backoff_factor\":0.1",
        URLLIB3("[0s, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 12.8s, 25.6s, 51.2s]", ""), 0),
    LAW("urllib3", "", "\"backoff_jitter\":1.0",
        URLLIB3("[0s, 1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s]",
                ", jitter: {kind: additive, amount: 1s, skip: 1}"),
        0),
    LAW("urllib3", "", "\"backoff_factor\":0.5", "urllib3", 0),
    LAW("urllib3", "", "\"backoff_factor\":1,",
        URLLIB3("[0s, 2s, 4s, 8s, 16s, 32s, 64s, 128s]", ""), 0),
    LAW("urllib3", "", "\"backoff_factor\":2", URLLIB3("[0s, 4s, 8s, 16s, 32s, 64s, 128s]", ""), 0),
    LAW("cenkalti", "", NULL, "cenkalti", 0),
    LAW("retryablehttp.Default", "", NULL, "go-retryablehttp", 0),
    LAW("retryablehttp.Linear", "", NULL, "go-retryablehttp-linear", 0),
    LAW("node-retry", "", "\"randomize\":true", "{preset: node-retry-random, backoff: {cap: 1m}}",
        MS),
    LAW("p-retry", "", "\"randomize\":true", "{preset: node-retry-random, backoff: {cap: 1m}}", MS),
    LAW("p-retry", "", NULL, "node-retry", 0),

    /* systems without a preset */
    LAW("backoff.expo", "", NULL, "{" REF ", jitter: none}", 0),
    LAW("backoff.fibo", "", NULL,
        "{backoff: {kind: table, delays: [1s, 1s, 2s, 3s, 5s, 8s, 13s, 21s, 34s, 55s, 1m]}, "
        "jitter: "
        "none}",
        0),
    LAW("retrying.exponential", "", NULL, "{" DOUBLING("2s", ", cap: 10s") ", jitter: none}", 0),
    LAW("faraday", "", NULL, "{" DOUBLING("500ms", "") ", jitter: 250ms}", 0),
    LAW("exponential-backoff(npm)", "", "\"full\"", "{" DOUBLING("100ms", "") ", jitter: full}",
        MS),
    LAW("got", "", NULL, "{" DOUBLING("1s", ", cap: unlimited") ", jitter: 100ms}", 0),
    LAW("axios-retry", "", NULL,
        "{" DOUBLING("200ms", ", cap: unlimited") ", jitter: {kind: scaled, low: 1, high: 1.2}}",
        0),
    LAW("kafkajs", "", NULL,
        "{backoff: {kind: compounding, base: 300ms, factor: 2, low: 0.8, high: 1.2, cap: 30s}}",
        MS),
    LAW("backoff(npm)", "", "\"randomisationFactor\":0.5",
        "{" DOUBLING("100ms", ", cap: 10s, cap_applies: before-jitter") ", jitter: {kind: scaled, "
                                                                        "low: 1, high: 1.5}}",
        MS),
    LAW("backoff(npm)", "", NULL, "{" DOUBLING("100ms", ", cap: 10s") ", jitter: none}", 0),
    LAW("undici", "", NULL, "{" DOUBLING("500ms", ", cap: 30s") ", jitter: none}", 0),
    LAW("ky", "", NULL, "{" DOUBLING("300ms", ", cap: unlimited") ", jitter: none}", 0),
    LAW("octokit", "", NULL, "{backoff: {kind: polynomial, power: 2, start: 1}, jitter: none}", 0),
    LAW("pg-boss", "", NULL,
        "{" DOUBLING("5s", ", cap: unlimited") ", jitter: {kind: scaled, low: 1, high: 2}}", 0),
    LAW("ref.exponential", "", NULL, "{" REF ", jitter: none}", 0),
    LAW("ref.equal_jitter", "", NULL, "{" REF ", jitter: equal}", 0),
    LAW("ref.decorrelated_jitter", "", NULL, "{backoff: {kind: decorrelated, base: 1s, cap: 1m}}",
        0),
};
const size_t vec_law_count = SQ_COUNT(vec_laws);
