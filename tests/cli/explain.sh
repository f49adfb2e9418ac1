# SPDX-License-Identifier: GPL-3.0-or-later
# What `explain` says about call paths: layers, their product, windows and headroom, reckoned by hand;
# and that its output is a scenario that reads back to itself.
. tests/lib.sh

cat >"$work/graph.yaml" <<'END'
squall: 1
duration: 30m
clients:
  shop:
    arrivals: 10/s
    calls: {front: {timeout: 2s, retry: {max_attempts: 3, backoff: 1s, jitter: none}}}
    retry: {max_attempts: 5, backoff: 10s, jitter: none}
dependencies:
  store: {servers: 2, service: 50ms, answer_in: 100ms, outages: [{at: 5m, for: 10m}]}
  front: {service: 10ms, calls: {middle: {timeout: 1s, retry: {max_attempts: 3, backoff: 1s, jitter: none}}}}
  middle: {service: 10ms, calls: {store: {timeout: 1s, retry: {max_attempts: 3, backoff: 1s, jitter: none}}}}
END
run "$SQUALL" explain "$work/graph.yaml"
check 'a service graph is explained' [ "$status" = 0 ]
cp "$work/stdout" "$work/once.yaml"
says() { # TEXT
    check "says: $1" grep -q -F -e "$1" "$work/once.yaml"
}
says 'clients.shop -> front'
says 'per call      3 tries, timeout 2s; delays 1s, 1s, the caller waits in place; together 2s'
says 'per job       5 attempts; delays 10s, 10s, 10s ... 10s, held by the client; together 40s'
says 'worst case    3 x 5 = 15 calls of front by one job while it is down'
says 'worst case    3 x 3 x 5 = 45 calls of middle by one job while it is down'
says 'worst case    3 x 3 x 3 x 5 = 135 calls of store by one job while it is down'
# 2 servers of 50 ms serve 40 a second; three tries of each leave 40 / 3
says 'store: 10 new calls a second of 40 that it can serve, 25 %; of 13.3 when every call is tried 3 times'
run "$SQUALL" explain "$work/once.yaml"
sed '/^#/d' "$work/once.yaml" >"$work/first"
sed '/^#/d' "$work/stdout" >"$work/second"
same 'the output reads back to itself' "$work/first" "$work/second"

run "$SQUALL" run "$work/graph.yaml" --runs 1 --set duration=6m --out "$work/out"
sed -n 's/.*"calls_per_job": \([0-9]*\).*/\1/p' "$work/out/summary.json" | tr '\n' ' ' >"$work/products"
check 'a result has the same products' [ "$(cat "$work/products")" = '15 45 135 ' ]

run "$SQUALL" explain scenarios/template-api-outage.yaml --variant cap
cp "$work/stdout" "$work/once.yaml"
says 'worst case    1 x 12 = 12 calls of template-api by one job while it is down'
# 80 pods of 2 slots; 40 at a time, each refused after 100 ms
says 'fleet         160 slots, capped at 40 calls; refused in 100ms, 400 calls a second'
says 'outage        20m: the attempts of a job last 1h13m, longer'
says 'by the broker 14 deliveries'

for of in calls first; do
    run "$SQUALL" explain "$work/graph.yaml" --set "controls.store={budget: {ratio: 20%, of: $of}}"
    cp "$work/stdout" "$work/once.yaml"
    case $of in
    calls) says 'retries up to 0.2 of all calls: at most 1 / (1 - 0.2) = 1.25 calls per first call' ;;
    first) says 'retries up to 0.2 of first calls: at most 1 + 0.2 = 1.2 calls per first call' ;;
    esac
done
# 10 servers of 100 ms would serve 100 a second; the limit at the server lets 30 in, none while it is
# down.
cat >"$work/limited.yaml" <<'END'
squall: 1
duration: 1m
clients: {c: {arrivals: 20/s, calls: {d: {timeout: 1s}}}}
dependencies:
  d: {servers: 10, service: 100ms, rate_limit: {rate: 30/s}, outages: [{at: 20s, for: 10s}]}
END
run "$SQUALL" explain "$work/limited.yaml"
cp "$work/stdout" "$work/once.yaml"
says 'd: 20 new calls a second of 30 that it can serve, 66.7 %'
run "$SQUALL" run "$work/limited.yaml" --out "$work/limited"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at = $i == "dependency.d.capacity_per_s" ? i : at }
    NR == 12 || NR == 27 { printf "%s ", $at }' "$work/limited/timeline.csv" >"$work/capacity"
check 'the capacity of the timeline knows the limit' [ "$(cat "$work/capacity")" = '30 0 ' ]
finish
