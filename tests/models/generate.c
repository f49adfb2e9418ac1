/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - see generate.h. Blocks are expansions of a small grammar; the sections around them,
 * whose names refer to each other, are written by hand. A key of the language that becomes
 * available is one more alternative.
 *
 * In an alternative, <name> is another rule, <2-9> a whole number between the two, both included,
 * and <q> <d> <p> <c> <w> the name of a queue, dependency, producer, client or pool; alternatives
 * that name what the scenario has not are never taken. <inner> are calls that this dependency
 * makes, or none. A rule drawn more often stands twice. */
#include "tests/models/generate.h"

#include "sim/core/sq_luck.h"

#include <stdlib.h>
#include <string.h>

struct rule {
    const char *name;
    const char *alternatives[24];
};

static const struct rule rules[] = {
    { "bool", { "true", "false" } },
    { "cv", { "0.<1-9>", "1", "<1-3>.5" } },
    { "short",
      { "<1-60>ms", "<1-60>ms", "{kind: exponential, mean: <1-60>ms}", "<0-10>ms..<11-90>ms",
        "{kind: lognormal, mean: <1-60>ms, cv: <cv>}", "{kind: gamma, mean: <1-60>ms, cv: <cv>}",
        "{kind: normal, mean: <1-60>ms, sd: <0-40>ms}",
        "{kind: weibull, mean: <1-60>ms, shape: <cv>}",
        "{kind: pareto, min: <1-9>ms, shape: 1.<1-9>, max: <1-4>s}",
        "{kind: pareto, min: <1-9>ms, shape: 2.<1-9>}",
        "{kind: empirical, points: [[0, <0-5>ms], [0.<1-9>, <6-20>ms], [1, <21-90>ms]]}",
        "{kind: empirical, file: samples.csv, column: gap}" } },
    { "long", { "<1-9>s", "<200-2000>ms", "{kind: exponential, mean: <1-6>s}", "<1-3>s..<4-9>s" } },
    { "varying",
      { "{kind: steps, points: [[0s, <1-30>/s], [<1-6>s, <0-60>/s], [<7-9>s, <1-30>/s]]}",
        "{kind: linear, points: [[<0-3>s, <0-40>/s], [<4-9>s, <1-40>/s]]}",
        "{kind: daily, mean: <1-30>/s, swing: <0-100>%, peak_at: <0-23>h, starts_at: <0-23>h}" } },
    { "open",
      { "<1-40>/s", "<1-40>/s", "{kind: poisson, rate: <varying>}",
        "{kind: regular, rate: <1-30>/s}",
        "{kind: regular, rate: <1-30>/s, sources: <2-9>, phase: <phase>}",
        "{kind: regular, rate: <varying>}",
        "{kind: bursts, size: <1-40>, every: <long>, over: <0-900>ms}",
        "{kind: bursts, size: <1-40>, every: <long>, first: <short>}",
        "{kind: cohort, count: <1-300>, at: <0-9>s, over: <0-9>s}", "{kind: none}",
        "{kind: trace, file: samples.csv, time: at<times options>}",
        "{kind: trace, file: samples.csv, time: at, value: n, reads: counts<trace options>}",
        "{kind: trace, file: samples.csv, time: at, value: n, reads: rate<trace options>}" } },
    { "trace options", { "", ", scale: 2.5", ", repeat: true", ", skip_to: <1-9>s" } },
    { "times options", { "", ", repeat: true", ", skip_to: <1-9>s" } },
    { "phase", { "random", "same" } },
    { "arrivals", { "<open>", "<open>", "<open>", "<closed>" } },
    { "closed",
      { "{kind: closed, population: <1-40>, think: <long>}",
        "{kind: closed, population: <1-20>, think: <1-60>ms, jobs_each: <1-99>}",
        "{kind: closed, population: <1-20>, think: <short>, start: after-think, jobs_each: 9}" } },
    { "maker",
      { "<backlog><deadline>", "<work><scale><priority>", "<deadline><work><poison>",
        "<backlog><deadline><work><scale><priority><poison>" } },
    { "backlog", { "", "", ", backlog: <1-200>" } },
    { "deadline", { "", ", deadline: <50-900>ms", ", deadline: <1-9>s" } },
    { "deadline check", { "", ", deadline_check: enqueue", ", deadline_check: delivery" } },
    { "supersede",
      { ", supersede: <1-40>", ", supersede: {keys: <1-40>, keep: oldest, removal: <removal>}",
        ", supersede: {keys: <1-40>, removal: <removal>}" } },
    { "removal", { "eager", "lazy" } },
    { "work", { "", ", work: <short>" } },
    { "poison", { "", ", permanent: <1-30>%" } },
    { "scale", { "", ", service_scale: 0.<1-9>", ", service_scale: <1-4>" } },
    { "priority", { "", ", priority: <0-7>" } },
    { "discipline",
      { "fifo", "lifo", "{kind: adaptive-lifo, after: <0-900>ms}", "codel",
        "{kind: codel, target: <1-300>ms, interval: <10-900>ms}", "priority",
        "{kind: priority, mode: weighted, weights: [<5-9>, 4, 3, 2, <1-3>, 1, 1, 1]}" } },
    { "receives",
      { "", "", ", max_receives: <1-9>", ", max_receives: <1-9>, receives_count: all" } },
    { "lease",
      { ", visibility_timeout: <50-900>ms", ", visibility_timeout: <1-9>s",
        ", visibility_timeout: <1-9>s, requeue: head",
        ", visibility_timeout: <50-900>ms, sweep: <100-2000>ms",
        ", visibility_timeout: <1-9>s, renew: true, sweep: <0-3>s, requeue: head" } },
    { "capacity",
      { "", "", ", capacity: <1-60>", ", capacity: <1-60>, overflow: drop-oldest",
        ", capacity: <1-60>, overflow: block" } },
    { "due",
      { "", "", ", retry_as: new-message", ", poll: <100-3000>ms", ", retry_queue: <q>",
        ", poll: <long>, retry_queue: <q>, retry_as: new-message",
        ", dead_letter: {retention: <0-9>s}" } },
    { "backoff",
      { "none", "<50-3000>ms", "{kind: linear, base: <0-900>ms, step: <10-900>ms, cap: <1-9>s}",
        "{base: <50-900>ms, cap: <1-9>s, cap_applies: <cap applies>, offset: <0-200>ms}",
        "{base: <1-90>ms, factor: <1-4>.5, doublings: <0-6>}",
        "{kind: polynomial, power: <0-4>, scale: <1-90>ms, start: <0-2>, cap: <5-30>s}",
        "{kind: table, delays: [<0-90>ms, <1-2>s, <3-5>s]}",
        "{kind: table, delays: [0s, <1-5>s], cap: <1-9>s, cap_applies: <cap applies>}" } },
    { "cap applies", { "before-jitter", "after-jitter", "both", "unjittered" } },
    { "drawn",
      { "{kind: decorrelated, base: <20-900>ms, growth: <1-3>.5, cap: <1-9>s}",
        "{kind: decorrelated, base: <20-900>ms, low: previous, first: base, cap: <1-9>s, "
        "cap_applies: <cap applies>}",
        "{kind: compounding, base: <20-900>ms, low: 0.<1-9>, high: 1.<0-9>, cap: <1-9>s}",
        "{kind: compounding, base: <20-900>ms, low: 0, high: 1, first: base, accelerates: <bool>, "
        "cap: <1-9>s, cap_applies: <cap applies>}",
        "{kind: polly, base: <20-900>ms, cap: <1-9>s}" } },
    { "jitter",
      { "none", "full", "equal", "exponential", "<0-100>%", "<1-900>ms",
        "{kind: scaled, low: 0.<0-5>, high: 1.<0-9>}",
        "{kind: full, lattice: <1-90>ms, inclusive: <bool>, min: <0-90>ms, offset_too: <bool>}",
        "{kind: full, from: <0-900>ms, skip: <0-2>}",
        "{kind: additive, amount: <1-900>ms, grows: <grows>}" } },
    { "grows", { "never", "range", "draw" } },
    { "layer",
      { "<limit>, backoff: <backoff>, jitter: <jitter><layer options>",
        "<limit>, backoff: <backoff>, jitter: <jitter><layer options>",
        "<limit>, backoff: <drawn><layer options>",
        "max_attempts: unlimited, backoff: <100-3000>ms, jitter: equal<layer options>" } },
    { "limit", { "max_attempts: <1-12>", "max_retries: <0-8>" } },
    { "layer options",
      { "", "", ", max_elapsed: <1-9>s", ", retry_after: <after>", ", retry_on: everything",
        ", retry_on: [timeout, unavailable, reset]",
        ", retry_on: transient, retry_after: <after>" } },
    { "after", { "exact", "at-least", "clamp", "spread" } },
    { "retry",
      { "", ", retry: {<layer>}", ", retry: {<layer>, give_up: drop}",
        ", retry: {<layer>, give_up: {kind: park, delay: <long>}}" } },
    { "call",
      { "{}", "{timeout: <20-900>ms}", "{timeout: <timeout><call retry><call options>}",
        "{timeout: <timeout><call retry><call options>}" } },
    { "timeout", { "<5-900>ms", "<1-4>s" } },
    { "call retry",
      { "", "", ", retry: {<layer>}", ", total_timeout: <timeout>, retry: {<layer>}" } },
    { "call options",
      { "", "", ", times: <1-3>", ", times: <0-2>.<1-9>", ", propagate_cancel: false",
        ", only: <p>", ", only: [<c>, <p>]" } },
    { "dependency",
      { "{<nodes><cache><node scaler>servers: <1-12><room>, service: <short><kinds of trouble>, "
        "outages: "
        "<outages><inner>}",
        "{<nodes><cache><node scaler>servers: <1-12><room>, service: <short><kinds of trouble>, "
        "outages: "
        "<outages><inner>}",
        "{<nodes><cache><node scaler>servers: <1-12><room>, service: <short><kinds of trouble>, "
        "outages: "
        "<brownouts><inner>}",
        "{<nodes><cache><node scaler>service: <short><kinds of trouble>, outages: "
        "<outages><inner>}",
        "{<nodes><cache><node scaler>service: <short>, contention: {kind: sharing, among: "
        "<1-9>}<kinds of "
        "trouble><inner>}" } },
    { "room",
      { "", "<waiting room>", "<waiting room>, discipline: <discipline>",
        "<waiting room>, contention: <contention>, discipline: <discipline>" } },
    { "waiting room",
      { "", ", waiting_room: <0-60>", ", waiting_room: <0-9>, refusal_cost: <refusal cost>" } },
    { "refusal cost", { "<1-9>ms", "<short>" } },
    { "contention",
      { "{kind: usl, alpha: 0.0<1-9>, beta: 0.00<1-9>, of: <of>}",
        "{kind: linear, per_call: 0.0<1-9>, of: <of>}",
        "{kind: power, scale: <2-20>, power: <1-3>, of: <of>}" } },
    { "of", { "in_service", "in_flight", "queue.<q>" } },
    { "kinds of trouble",
      { "<abandoned>", "<network><abandoned>", "<abandoned><overload><warm up>",
        "<network><rate limit><errors><abandoned><overload><warm up>",
        "<answer><rate limit><errors><overload><warm up>" } },
    { "abandoned", { "", ", abandoned: skip", ", abandoned: cancel" } },
    { "network", { ", network: <1-20>ms", ", network: <short>" } },
    { "answer", { "", ", answer_in: <1-90>ms" } },
    { "errors",
      { "", ", errors: {error: <0-40>%}",
        ", errors: {refused: 5%, conflict: 1%, permanent: 2%}" } },
    { "rate limit",
      { "", "", ", rate_limit: <5-60>/s",
        ", rate_limit: {rate: <5-60>/s, burst: <1-9>, start: empty}, hint: reset",
        ", rate_limit: {kind: gcra, rate: <5-60>/s, burst: <1-9>}, hint: <100-900>ms",
        ", rate_limit: {kind: fixed-window, limit: <5-60>, window: <500-2000>ms, start: <window>}, "
        "hint: reset",
        ", rate_limit: {kind: leaky-bucket, rate: <5-60>/s}, hint: reset",
        ", rate_limit: {kind: leaky-bucket, rate: <5-60>/s, queue: <0-9>}",
        ", rate_limit: {kind: sliding-log, limit: <5-60>, window: <500-2000>ms}, hint: reset",
        ", rate_limit: {kind: sliding-counter, limit: <5-60>, window: <500-2000>ms}, hint: "
        "reset" } },
    { "window", { "clock", "first-use" } },
    { "overload",
      { "", ", overload: {in_flight: <1-40>, for: <0-900>ms, down_for: <long>}",
        ", overload: {in_flight: <1-20>, per: node, for: <0-900>ms, down_for: <long>}",
        ", overload: {offered: <5-60>/s, per: <per>, for: <0-900>ms, down_for: <long>}",
        ", overload: {waiting: <0-30>, for: <0-900>ms, down_for: <long>, repeat: <bool>, "
        "answer_in: <1-40>ms}" } },
    { "per", { "dependency", "node" } },
    { "warm up",
      { "", ", warm_up: <1-100>%",
        ", warm_up: {from: <1-100>%, over: <0-9>s, curve: <curve>, affects: <affects>}" } },
    { "curve", { "linear", "quarters" } },
    { "affects", { "servers", "speed" } },
    { "outages",
      { "[]", "[{at: <0-5>s, for: <1-4>s<outage><hits>}]",
        "[{at: <0-5>s, for: <1-4>s<outage><hits>}, {at: 9s, for: <100-3000>ms<outage><hits>}]",
        "[{at: <0-5>s, for: <1-9>s<mild outage><hits>}, {at: <1-9>s, for: <1-4>s<outage><hits>}]",
        "[{every: <long>, for: <long><outage><hits>}]",
        "[{at: <0-5>s, for: <1-4>s<outage><hits>}, {every: <long>, for: "
        "<short><outage><hits>}]" } },
    { "hits", { "", "", ", nodes: <1-3>" } },
    { "nodes",
      { "", "", "nodes: <2-4>, balance: <balance>, slow_start: <slow start>, ", "nodes: <2-9>, ",
        "nodes: <2-4>, balance: <balance>, probe: {every: <300-3000>ms, timeout: <10-900>ms, fall: "
        "<1-3>, rise: <1-2>}, " } },
    { "cache",
      { "", "", "cache: {hit: <0-100>%, fill: <1-90>, after_return: <0-100>%}, ",
        "cache: {hit: <50-100>%, now: <0-50>%, fill: <1-900>, answer_in: <0-20>ms}, " } },
    { "node scaler",
      { "", "", "",
        "start_up: <short>, autoscaler: {kind: hpa, min: <1-2>, max: <2-9>, target: <1-9>, counts: "
        "[ready, leased], sync: <500-3000>ms}, ",
        "start_up: <short>, autoscaler: {kind: keda, max: <1-9>, metric: arrivals, target: "
        "<1-9>/s, sync: <500-3000>ms, poll: <300-3000>ms, cooldown: <1-9>s}, " } },
    { "balance", { "random", "round-robin", "least-loaded" } },
    { "slow start",
      { "<1-9>s", "{kind: haproxy, over: <1-9>s}", "{kind: angie, over: <100-9000>ms}",
        "{kind: envoy, over: <100-9000>ms, floor: <0-30>%, aggression: <cv>}" } },
    { "brownouts",
      { "[{at: <0-5>s, for: <1-9>s, kind: brownout, capacity: <0-100>%}]",
        "[{every: <long>, for: <long>, kind: brownout, capacity: <0-100>%}, {at: <0-9>s, for: "
        "<1-4>s<outage><hits>}]" } },
    { "outage",
      { "", "", ", answer_in: <1-90>ms", ", kind: hang", ", kind: hang, held: lost",
        "<mild outage>" } },
    { "mild outage",
      { ", kind: slow, factor: <1-20>", ", kind: slow, factor: 0.5",
        ", kind: errors, ratio: <1-100>%",
        ", kind: errors, ratio: <1-100>%, error: <error>, answer_in: <1-9>ms" } },
    { "error", { "unavailable", "refused", "rate-limited", "reset", "conflict", "permanent" } },
    { "control",
      { "{concurrency: <1-20>, throttled: <throttled>}",
        "{concurrency: <1-20>, throttled: <throttled>, ramp: <ramp>}",
        "{concurrency: {limit: <1-9>, scope: <scope>}, throttled: <throttled>}",
        "{concurrency: {limit: <1-9>, scope: <scope>}, ramp: <ramp>, throttled: wait}",
        "{concurrency: {limit: <1-9>, scope: <scope>, lease: <permit>}, throttled: <throttled>}",
        "{concurrency: {limit: <1-9>, lease: <permit>}, ramp: <ramp>, rate_limit: <limiter>}",
        "{concurrency: <1-9>, only: [<c>]}", "{rate_limit: <limiter>, throttled: <throttled>}",
        "{rate_limit: <limiter>}", "{adaptive: <adaptive>}",
        "{adaptive: <adaptive>, throttled: <throttled>, rate_limit: <limiter>}",
        "{rate_limit: <limiter>, concurrency: {limit: <1-20>, scope: <scope>}, throttled: "
        "<throttled>}",
        "{rate_limit: <limiter>, concurrency: <1-20>, ramp: <ramp>}", "{breaker: <breaker>}",
        "{breaker: <breaker>, throttled: <throttled>}",
        "{breaker: <breaker>, concurrency: {limit: <1-20>, scope: <scope>}, throttled: "
        "<throttled>}",
        "{breaker: {<breaker keys>}, ramp: {steps: [<1-3>, <4-9>], every: <200-3000>ms, starts: "
        "breaker-close}, throttled: <throttled>}",
        "{breaker: <breaker>, rate_limit: <limiter>, concurrency: <1-9>, ramp: <ramp>, throttled: "
        "<throttled>}",
        "{concurrency: <1-20>, ramp: <ramp>}" } },
    { "budget",
      { "<0-50>%", "{ratio: <0-50>%, of: <of>, floor: <0-9>, counter: <counter><asks>}",
        "{ratio: <0-50>%, window: <100-5000>ms, floor: <0-9>, scope: <scope><asks>}",
        "{kind: concurrent, ratio: <0-60>%, floor: <0-5><asks>}",
        "{kind: concurrent, ratio: <0-60>%, scope: <scope><asks>}",
        "{kind: tokens, max: <1-50>, cost: <1-9>, timeout_cost: <1-9>, scope: <scope><asks>}",
        "{kind: tokens, max: <1-50>, cost: 1, charge: failure, above: <0-90>%, refund: none<asks>}",
        "{kind: deposit, ratio: <0-50>%, ttl: <100-9000>ms, reserve: <0-9><asks>}",
        "{kind: sre, window: <1-20>s, scope: <scope>}", "{preset: <shipped budget>}" } },
    { "of", { "calls", "first", "successes" } },
    { "counter", { "sliding", "fixed", "idle" } },
    { "asks",
      { "", "", ", judged: at-send", ", beyond: dead-letter",
        ", beyond: {kind: park, delay: <short>}, judged: at-send",
        ", beyond: {kind: park, delay: <short>}" } },
    { "shipped budget",
      { "finagle", "linkerd", "envoy", "grpc", "grpc-js", "aws-standard", "aws-2026", "sre" } },
    { "breaker",
      { "{<breaker keys>}", "{<breaker keys>, scope: <scope>}",
        "{<breaker keys>, slow: <20-500>ms, slow_threshold: <10-100>%}",
        "{<breaker keys>, growth: <1-4>, cap: 5s, half_open: <half open>}",
        "{<breaker keys>, half_open: <half open>, scope: <scope>}",
        "{preset: <shipped breaker>, open_for: <100-5000>ms}" } },
    { "breaker keys",
      { "window: {kind: consecutive, size: <1-9>}, open_for: <100-5000>ms",
        "window: {kind: count, size: <1-40>}, min_calls: <0-20>, threshold: <1-100>%, open_for: "
        "<100-5000>ms, late_answers: <late>",
        "window: {kind: time, length: <500-9000>ms, buckets: <1-12>, rotate: <rotate>}, min_calls: "
        "<0-20>, open_for: <100-5000>ms, evaluate: <evaluate>, boundary: <boundary>, leaves: "
        "<leaves>, late_answers: <late>",
        "window: {kind: time, length: <1-9>s, rotate: timer}, min_calls: 0, compare: above, "
        "open_for: <100-5000>ms, volume_counts_rejected: true, evaluate: failure" } },
    { "rotate", { "aligned", "lazy", "timer", "per-call" } },
    { "late", { "credit", "drop", "failures-only" } },
    { "evaluate", { "answer", "failure", "<50-900>ms" } },
    { "boundary", { "inclusive", "strict" } },
    { "leaves", { "next-call", "timer" } },
    { "half open",
      { "none", "{calls: <1-9>}", "{calls: <1-9>, mode: concurrent, max: <500-5000>ms}",
        "{mode: wait}", "{calls: <1-5>, decide: all-succeed, max: <1-9>s}" } },
    { "shipped breaker",
      { "resilience4j", "hystrix", "polly", "opossum", "cockatiel", "gobreaker", "failsafe-go",
        "pybreaker", "envoy-outlier" } },
    { "limiter",
      { "<5-60>/s", "{rate: <5-60>/s, burst: <1-9>, start: <start>, scope: <scope>}",
        "{kind: gcra, rate: <5-60>/s, burst: <1-9>, scope: <scope>}",
        "{kind: leaky-bucket, rate: <5-60>/s}",
        "{kind: leaky-bucket, rate: <5-60>/s, queue: <0-9>, scope: <scope>}",
        "{kind: fixed-window, limit: <1-60>, window: <100-2000>ms, start: <window>, scope: "
        "<scope>}",
        "{kind: sliding-log, limit: <1-60>, window: <100-2000>ms, scope: <scope>}",
        "{kind: sliding-counter, limit: <1-60>, window: <100-2000>ms, scope: <scope>}" } },
    { "permit", { "<20-900>ms", "<1-9>s" } },
    { "adaptive",
      { "aimd", "{kind: aimd, start: 5, min: 1, max: <5-40>, decrease: 0.<5-9>, slow: <20-900>ms}",
        "vegas", "{kind: vegas, start: <1-9>, max: <9-40>, probe_every: <1-30>, scope: <scope>}",
        "gradient2", "{kind: gradient2, start: 4, min: <1-3>, smoothing: 0.<1-9>, scope: <scope>}",
        "envoy",
        "{kind: envoy, min: <1-3>, max: 40, percentile: <1-100>%, measure_every: <1-9>s}" } },
    { "start", { "full", "empty" } },
    { "processes", { "", ", replicas: <2-9>" } },
    { "scope", { "fleet", "caller", "replica" } },
    { "throttled",
      { "defer", "{kind: defer, delay: <50-2000>ms}", "{kind: defer, delay: <long>}", "wait",
        "{kind: wait, max: <0-3000>ms}", "fail", "pause", "pause" } },
    { "ramp",
      { "{steps: [<1-3>, <4-8>, <9-20>], every: <200-3000>ms}",
        "{steps: [<1-9>], every: <200-3000>ms, clock: wall}",
        "{steps: [<1-3>, <4-8>], every: <200-3000>ms, scope: <scope>}",
        "{kind: linear, from: <1-3>, to: <4-20>, over: <200-9000>ms, clock: <clock>}",
        "{kind: haproxy, to: <4-20>, over: <1-9>s, clock: <clock>, scope: <scope>}",
        "{kind: envoy, to: <4-20>, over: <200-9000>ms, floor: <0-30>%, aggression: <cv>}",
        "{steps: [<1-3>, <4-8>], every: <200-3000>ms, clock: clean}",
        "{steps: [<1-3>, <4-8>], every: <200-3000>ms, at_start: bottom}" } },
    { "replica",
      { "", "", ", prefetch: <1-9>", ", delivery_cost: <1-90>ms",
        ", crashes: {every: {kind: exponential, mean: <2-30>s}}",
        ", crashes: {every: <1-9>s, restart: <short>}, prefetch: <0-3>",
        ", job_memory: 1MB, memory: <3-9>MB, prefetch: <0-9>", ", batch: <1-6>",
        ", batch: {size: <1-6>, failure: each}, prefetch: <0-9>",
        ", batch: <1-6>, crashes: {every: <1-9>s}, delivery_cost: <0-90>ms" } },
    { "acknowledge", { "", "", ", acknowledge: before" } },
    { "after success", { "", "", ", after_success: skip" } },
    { "lease retry",
      { ", retry: {max_attempts: <1-9>, backoff: lease}",
        ", retry: {max_retries: unlimited, retry_on: everything, backoff: lease, give_up: park}",
        ", retry: {max_attempts: <2-9>, max_elapsed: <1-9>s, backoff: lease, limit_counts: "
        "starts}" } },
    { "pool retry",
      { "<retry>", "<retry>", ", retry: {<layer>, held_by: worker-memory}<held limit>",
        ", retry: {<layer>, limit_counts: starts}" } },
    { "clock", { "wall", "clean" } },
    { "held limit", { "", ", held_limit: <1-9>" } },
    { "sleeping",
      { ", retry: {<layer>, held_by: slot}",
        ", retry: {<layer>, held_by: slot}, crashes: {every: <2-9>s}",
        ", retry: {<layer>, held_by: slot}, prefetch: <1-3>" } },
    { "scaler",
      { "", "", ", autoscaler: {kind: hpa, <scaler keys>}",
        ", autoscaler: {kind: keda, <scaler keys>, poll: <300-3000>ms, cooldown: <1-9>s, "
        "activation: <0-9>}",
        ", autoscaler: {kind: hpa, <scaler keys>, tolerance: <0-40>%, target_type: value}",
        ", autoscaler: {kind: hpa, max: <2-12>, sync: <500-5000>ms, down: {stabilise: 2s}, "
        "<metric>}",
        ", autoscaler: {kind: keda, max: <2-12>, sync: 1s, poll: 2s, cooldown: 1s, <metric>}",
        ", autoscaler: {kind: keda-jobs, min: <0-2>, max: <2-12>, target: <1-30>, poll: "
        "<300-3000>ms, strategy: <strategy>}",
        ", autoscaler: {kind: target-tracking, max: <2-12>, <metric>, period: <300-2000>ms, "
        "out_after: <1-3>, in_after: <1-3>, cooldown_out: <0-2>s, cooldown_in: <0-2>s}",
        ", autoscaler: {kind: step, max: <2-12>, counts: <counts>, period: <300-2000>ms, cooldown: "
        "<0-3>s, steps: [[0, -<1-3>], [<1-9>, 0], [<10-60>, +<1-5>]]}",
        ", autoscaler: {kind: lambda-sqs, max: <5-30>, start: <1-5>, add: <1-9>, every: "
        "<300-3000>ms}",
        ", autoscaler: {kind: celery, min: <1-2>, max: <2-9>, keep: <300-3000>ms}" } },
    { "metric",
      { "target: <1-30>", "metric: oldest, target: <200-5000>ms",
        "metric: arrivals, target: "
        "<1-20>/s",
        "metric: processed, target: <1-20>/s", "metric: utilisation, target: <10-90>%",
        "metric: utilisation, target: 0.5" } },
    { "strategy", { "default", "accurate", "eager" } },
    { "scaler keys",
      { "min: <1-2>, max: <2-12>, target: <1-30>, sync: <500-5000>ms",
        "min: <0-2>, max: <2-12>, target: <1-30>, sync: <500-5000>ms, counts: <counts>, down: "
        "{stabilise: <0-8>s}",
        "max: <2-12>, target: <1-30>, counts: <counts>, sync: <1-4>s, up: {policies: [{pods: "
        "<0-3>, every: <1-9>s}], select: <select>}" } },
    { "counts", { "ready", "[ready, delayed]", "[ready, delayed, leased]" } },
    { "select", { "max", "min", "disabled" } },
    { "verb",
      { "set: {workers.<w>.replicas: <0-6>}",
        "set: {workers.<w>.slots: <1-6>}",
        "set: {workers.<w>.prefetch: <0-9>}",
        "set: {workers.<w>.held_limit: <1-9>}",
        "deploy: <w>",
        "deploy: {workers: <w>, at_once: <1-100>%}",
        "set: {producers.<p>.deadline: <1-9>s}",
        "set: {clients.<c>.deadline: none}",
        "set: {producers.<p>.permanent: <0-90>%}",
        "set: {dependencies.<d>.answer_in: <1-40>ms, dependencies.<d>.abandoned: skip}",
        "set: {dependencies.<d>.waiting_room: <0-60>}",
        "set: {queues.<q>.visibility_timeout: <100-3000>ms}",
        "set: {queues.<q>.capacity: <1-90>, queues.<q>.max_receives: <1-9>}",
        "redrive: {queue: <q>, rate: <1-90>/s}",
        "redrive: {queue: <q>, limit: <1-9>}",
        "set: {dependencies.<d>.nodes: <1-6>}",
        "burst: {<p>: <1-90>}",
        "burst: {<c>: <1-90>}",
        "pause: <p>",
        "pause: [<q>]",
        "pause: [<w>]",
        "purge: {queue: <q>, keep: <0-20>}",
        "purge: {queue: <q>, parts: [ready]}" } },
    { "undo", { "resume: <p>", "resume: <q>", "resume: [<w>]", "pause: <c>", "resume: <c>" } },
    { "actions",
      { "[]", "[{at: <0-9>s, <verb>}]", "[{at: <0-5>s, <verb>}, {at: <3-9>s, <verb>}]",
        "[{at: <0-5>s, <verb>}, {at: <3-9>s, <undo>}, {at: 5s, <verb>}]",
        "[{at: 2s, pause: <p>}, {at: 4s, resume: <p>}, {at: 4s, burst: {<p>: 20}}]",
        "[{at: 2s, pause: <w>}, {at: <3-9>s, resume: <w>}]" } },
    { "top",
      { "", "tail: <1-20>s\n", "tail: 10m\n", "tail: 10m\nmeasure_from: <0-9>s\n",
        "timeline: 100ms\n", "timeline: 3s\nhealth: {settle: <1-9>s, window: <1-9>s}\n",
        "health: {t1: <0-9>s, backlog: <1-90>, settle: 2s}\n",
        "tail: 30s\nhealth: {failure_share: <0-50>%, settle: <0-9>s}\n" } },
};

enum { PRODUCER, CLIENT, QUEUE, WORKERS, DEPENDENCY, SECTION_COUNT };
static const char letters[] = "pcqwd";

struct gen {
    struct sq_luck luck;
    uint64_t index;
    uint32_t draws;
    unsigned counts[SECTION_COUNT];
    bool keyed[2], leased[2]; /* by queue: jobs have keys, deliveries a lease */
    unsigned entry;           /* of its section, that is being written */
    struct sq_buf *out;
};

static unsigned below(struct gen *g, unsigned n)
{
    return (unsigned)(sq_luck_bits(&g->luck, 0x67656e00, g->index, g->draws++, 0) >> 32) % n;
}

static const struct rule *find_rule(const char *name, size_t len)
{
    for (size_t i = 0; i < SQ_COUNT(rules); i++) {
        if (strncmp(rules[i].name, name, len) == 0 && rules[i].name[len] == '\0') {
            return &rules[i];
        }
    }
    SQ_UNREACHABLE("a rule names only rules");
}

/* The section of a letter between < and >, or -1. */
static int section_of(const char *name)
{
    const char *at = name[0] != '\0' && name[1] == '>' ? strchr(letters, name[0]) : NULL;
    return at != NULL ? (int)(at - letters) : -1;
}

static bool is_possible(const struct gen *g, const char *alternative)
{
    for (const char *at = strchr(alternative, '<'); at != NULL; at = strchr(at + 1, '<')) {
        int section = section_of(at + 1);
        if (section >= 0 && g->counts[section] == 0) {
            return false;
        }
    }
    return true;
}

static void put(struct gen *g, const char *text);
static void put_calls(struct gen *g, unsigned from);

static void put_name(struct gen *g, const char *name, size_t len)
{
    int section = section_of(name);
    if (section >= 0) {
        sq_buf_printf(g->out, "%c%u", name[0], below(g, g->counts[section]));
        return;
    }
    if (strncmp(name, "inner", len) == 0) {
        if (g->entry + 1 < g->counts[DEPENDENCY] && below(g, 3) == 0) {
            put_calls(g, g->entry + 1);
        }
        return;
    }
    if (name[0] >= '0' && name[0] <= '9') {
        char *dash;
        unsigned low = (unsigned)strtoul(name, &dash, 10);
        unsigned high = (unsigned)strtoul(dash + 1, NULL, 10);
        sq_buf_printf(g->out, "%u", low + below(g, high - low + 1));
        return;
    }
    const struct rule *rule = find_rule(name, len);
    const char *possible[SQ_COUNT(rule->alternatives)];
    unsigned count = 0;
    for (size_t i = 0; i < SQ_COUNT(possible) && rule->alternatives[i] != NULL; i++) {
        if (is_possible(g, rule->alternatives[i])) {
            possible[count++] = rule->alternatives[i];
        }
    }
    put(g, possible[below(g, count)]);
}

/* Adds a text with its rules expanded. */
static void put(struct gen *g, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "<");
        sq_buf_add(g->out, at, len);
        at += len;
        if (*at == '<') {
            len = strcspn(at, ">");
            put_name(g, at + 1, len - 1);
            at += len + 1;
        }
    }
}

/* A caller's map `calls`: some dependencies of those from `from` on, at least one. */
static void put_calls(struct gen *g, unsigned from)
{
    unsigned must = from + below(g, g->counts[DEPENDENCY] - from);
    const char *before = "";
    put(g, ", calls: {");
    for (unsigned i = from; i < g->counts[DEPENDENCY]; i++) {
        if (i == must || below(g, 3) == 0) {
            sq_buf_printf(g->out, "%sd%u: ", before, i);
            put(g, "<call>");
            before = ", ";
        }
    }
    put(g, "}");
}

static void put_section(struct gen *g, int section, const char *title)
{
    if (g->counts[section] == 0) {
        return;
    }
    sq_buf_printf(g->out, "%s:\n", title);
    for (unsigned i = 0; i < g->counts[section]; i++) {
        g->entry = i;
        sq_buf_printf(g->out, "  %c%u: ", letters[section], i);
        if (section == PRODUCER) {
            /* A closed population whose jobs supersede each other goes round in no time. */
            unsigned queue = below(g, g->counts[QUEUE]);
            bool closed = below(g, 4) == 0, keyed = !closed && below(g, 2) == 0;
            sq_buf_printf(g->out, "{queue: q%u, arrivals: ", queue);
            put(g, closed ? "<closed><maker>" : "<open><maker>");
            put(g, keyed ? "<supersede>" : "");
            g->keyed[queue] = g->keyed[queue] || keyed;
            put(g, "<deadline check>}\n");
        } else if (section == CLIENT) {
            put(g, "{arrivals: <arrivals><maker><processes><after success><retry>");
            put_calls(g, 0);
            put(g, "}\n");
        } else if (section == QUEUE) {
            g->leased[i] = below(g, 2) == 0;
            put(g, "{discipline: <discipline><receives><capacity><due>");
            put(g, g->leased[i] ? "<lease>" : "");
            put(g, g->keyed[i] && below(g, 2) == 0 ? ", dedup_window: <0-20>s}\n" : "}\n");
        } else if (section == WORKERS) { /* every queue has a pool */
            unsigned first = i % g->counts[QUEUE];
            bool both = g->counts[QUEUE] > 1 && below(g, 4) == 0;
            sq_buf_printf(g->out, both ? "{queue: [q%u, q%u]" : "{queue: q%u", first, 1 - first);
            put(g, ", replicas: <0-4>, slots: <1-6>, start_up: <long>, grace: <0-9>s");
            bool leased = g->leased[first] && (!both || g->leased[1 - first]) && below(g, 3) == 0;
            put(g, below(g, 6) == 0 ? "<sleeping><acknowledge>"
                   : leased         ? "<replica><lease retry>"
                                    : "<replica><pool retry><acknowledge>");
            put(g, "<after success><scaler>");
            if (below(g, 12) != 0) {
                put_calls(g, 0);
            }
            put(g, "}\n");
        } else {
            put(g, "<dependency>\n");
        }
    }
}

static void put_controls(struct gen *g)
{
    const char *title = "controls:\n";
    for (unsigned i = 0; i < g->counts[DEPENDENCY]; i++) {
        if (below(g, 3) != 0) {
            sq_buf_printf(g->out, "%s  d%u: ", title, i);
            put(g, "<control>\n");
            title = "";
        }
    }
}

void generate_scenario(uint64_t index, struct sq_buf *out)
{
    struct gen g = { .luck = sq_luck_init(1, 1), .index = index, .out = out };
    g.counts[QUEUE] = below(&g, 4) == 0 ? 0 : 1 + below(&g, 2);
    if (g.counts[QUEUE] > 0) {
        g.counts[PRODUCER] = 1 + below(&g, 3);
        g.counts[WORKERS] = g.counts[QUEUE] + below(&g, 2);
    }
    g.counts[CLIENT] = g.counts[QUEUE] == 0 ? 1 + below(&g, 2) : below(&g, 2);
    g.counts[DEPENDENCY] = 1 + below(&g, 4);
    sq_buf_printf(out, "squall: 1\nseed: %u\n", 1 + below(&g, 1000));
    put(&g, "duration: <10-40>s\n<top>");
    put_section(&g, PRODUCER, "producers");
    put_section(&g, CLIENT, "clients");
    put_section(&g, QUEUE, "queues");
    put_section(&g, WORKERS, "workers");
    put_section(&g, DEPENDENCY, "dependencies");
    put_controls(&g);
    put(&g, "actions: <actions>\n");
}

const char generate_samples[] = "at,n,gap\n"
                                "0,3,0.001\n0.5,12,0.004\n1,0,0.002\n2,7,0.03\n2.25,1,0.005\n"
                                "4,25,0.0125\n4.5,9,0.001\n7,4,0.04\n9,18,0.002\n12,2,0.09\n";
