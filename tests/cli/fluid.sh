# SPDX-License-Identifier: GPL-3.0-or-later
# A whole run by the fluid model: at any rate, and not where it does not hold.
. tests/lib.sh
mkdir "$work/out"
cat >"$work/large.yaml" <<'END'
squall: 1
title: A million jobs a second
duration: 24h
timeline: 1m
producers: {p: {queue: q, arrivals: 1M/s}}
queues: {q: {}}
workers:
  w: {queue: q, replicas: 100, slots: 16k, calls: {api: {timeout: 1s}},
      retry: {max_attempts: 12, backoff: {kind: exponential, base: 5s, cap: 1h}}}
dependencies:
  api: {servers: 800k, service: {kind: lognormal, mean: 320ms, cv: 0.3}, answer_in: 1s,
        outages: [{at: 10m, for: 20m}]}
controls: {api: {concurrency: 800k}}
END
run "$SQUALL" run "$work/large.yaml" --fluid --out "$work/out"
check 'a day at a million jobs a second' [ "$status" = 0 ]
check 'says which model' grep -q '"model": "fluid"' "$work/out/summary.json"
check 'and on the page' grep -q 'by the fluid model' "$work/stdout"
# 1.2 G jobs at 1.5 M/s net; 24 h of 1 M/s
check 'the backlog is gone in 13 or 14 minutes' grep -q 'queue clear 1[34]m' "$work/stdout"
check 'a row a minute' [ "$(wc -l <"$work/out/timeline.csv")" = 1441 ]
check 'all are done' grep -q '86.4G      86.4G' "$work/stdout"

# What it leaves is drawn as any result, but what it does not count.
run "$SQUALL" plot "$work/out" -o "$work/fluid.svg"
check 'its folder is drawn' [ "$status" = 0 ]
run "$SQUALL" report "$work/out" -o "$work/fluid.html"
check 'and reported' [ "$status" = 0 ]
run "$SQUALL" plot "$work/out" --kind delays
check 'delays are refused' [ "$status" = 2 ]
check 'in words' grep -q 'histograms.csv holds no counts' "$work/stderr"

run "$SQUALL" run scenarios/template-api-outage.yaml --variant everything --fluid
check 'outside of the model' [ "$status" = 2 ]
check 'it names the key' grep -q 'controls.template-api.breaker: the fluid model' "$work/stderr"
run "$SQUALL" run "$work/large.yaml" --fluid --runs 5
check 'runs do not go with it' [ "$status" = 2 ]
check 'and it says so' grep -q -e '--runs: does not go with --fluid' "$work/stderr"
finish
