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

# What the model has is judged as in runs; what it has not is said.
cat >"$work/expect.yaml" <<'END'
squall: 1
duration: 20m
tail: 1h
producers: {p: {queue: q, arrivals: 400/s}}
queues: {q: {}}
workers:
  w: {queue: q, replicas: 16, slots: 40, calls: {api: {timeout: 1s}},
      retry: {max_attempts: 8, backoff: {kind: exponential, base: 5s}}}
dependencies:
  api: {servers: 320, service: {kind: lognormal, mean: 320ms, cv: 0.3}, answer_in: 530ms,
        outages: [{at: 3m, for: 4m}]}
controls: {api: {concurrency: 320}}
variants: {tight: {controls: {api: {concurrency: 200}}}}
expect:
  - {that: drain.queue_clear_s < 10m}
  - {that: jobs.completed > 500000}
  - {that: drain.state == clears}
  - {that: queue.q.ready < 100, when: {at: 2m}}
  - {that: queue.q.ready < 100, when: {at: 6m}}
  - {that: queue.q.oldest_s < 60, when: {at: 2m}}
  - {that: drain.queue_clear_s <= 1.1 * forecast.planned_s}
  - {that: outcome.p_collapse == 0%}
  - {that: drain.queue_clear_s < drain.queue_clear_s@tight}
END
judged() { # WHAT VERDICT EXPECTATION
    check "$1" sh -c 'grep -A2 -F -e "$2" "$3" | grep -q -e "$1"' - "$2" "$3" "$work/verdicts"
}
run "$SQUALL" run "$work/expect.yaml" --fluid --out "$work/judged"
sed -n '/^Expectations/,$p' "$work/stdout" >"$work/verdicts"
check 'expectations do not change the status of a run' [ "$status" = 0 ]
judged 'one that holds' passed 'drain.queue_clear_s < 10m'
judged 'one that does not' FAILED 'jobs.completed > 500000'
judged 'words' passed 'drain.state == clears'
judged 'columns' passed 'queue.q.ready < 100 (at 2m)'
judged 'columns that break it' FAILED 'queue.q.ready < 100 (at 6m)'
judged 'a column it has not' 'the fluid model has no such column' 'queue.q.oldest_s < 60 (at 2m)'
judged 'a metric it has not' 'no metric forecast.planned_s: leave' '1.1 * forecast.planned_s'
judged 'odds' 'no metric outcome.p_collapse' 'outcome.p_collapse == 0%'
judged 'another variant' 'looks at variant tight too' 'drain.queue_clear_s@tight'
check 'kept with the result' grep -q '"that": "jobs.completed > 500000"' "$work/judged/summary.json"

run "$SQUALL" run scenarios/template-api-outage.yaml --variant everything --fluid
check 'outside of the model' [ "$status" = 2 ]
check 'it names the key' grep -q 'controls.template-api.breaker: the fluid model' "$work/stderr"
run "$SQUALL" run scenarios/template-api-outage.yaml --variant cap-ramp --fluid
check 'a file of many runs' [ "$status" = 0 ]
check 'the page says whose result it is' grep -q '^Result of the fluid model$' "$work/stdout"
check 'and the table' grep -q 'naive  *planned  *fluid$' "$work/stdout"
check 'its expectations are judged once' grep -q 'passed *control.template-api.in_use_max <= 40' "$work/stdout"
# Every shipped file is walked through, or refused by the name of what the model does not know.
odd=
walked=0
for file in $(find scenarios -name '*.yaml' -not -path 'scenarios/presets/*' | LC_ALL=C sort); do
    run "$SQUALL" run "$file" --fluid
    [ "$status" != 0 ] || walked=$((walked + 1))
    [ "$status" = 0 ] || { [ "$status" = 2 ] && grep -q 'fluid model' "$work/stderr"; } ||
        odd="$odd $file"
done
note "$walked shipped files are walked through"
check 'every shipped file is walked through or refused by name' [ -z "$odd" ]
check 'and some are walked through' [ "$walked" -ge 5 ]
run "$SQUALL" run "$work/large.yaml" --fluid --runs 5
check 'runs do not go with it' [ "$status" = 2 ]
check 'and it says so' grep -q -e '--runs: does not go with --fluid' "$work/stderr"
finish
