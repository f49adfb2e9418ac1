# SPDX-License-Identifier: GPL-3.0-or-later
# A real Prometheus on simulated data: promtool makes blocks of the export, a server on the loopback
# reads them, and the two queries that one would watch a recovery with give the simulated peak and
# error rate within 1 %. The figures to compare with come from timeline.csv, a minute at a time.
. tests/lib.sh
for tool in promtool prometheus; do
    if ! command -v $tool >/dev/null 2>&1; then
        skip 'a real Prometheus' "there is no $tool (Debian: apt-get install prometheus)"
        finish
    fi
done
incident=scenarios/template-api-outage.yaml
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

run "$SQUALL" run $incident --variant as-it-was --runs 1 --out "$work/out" --openmetrics "$work/om"
check 'a run is exported' [ "$status" = 0 ]
run promtool tsdb create-blocks-from openmetrics "$work/om" "$work/data"
check 'promtool makes blocks of it' [ "$status" = 0 ]
check 'a block is there' [ -n "$(find "$work/data" -name meta.json)" ]

echo 'global: {scrape_interval: 1h}' >"$work/prometheus.yml"
port=19390
while [ $port -lt 19400 ]; do
    prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
        --storage.tsdb.retention.time=100y --web.listen-address="127.0.0.1:$port" \
        >"$work/server" 2>&1 &
    server=$!
    tries=0
    until grep -q 'Server is ready' "$work/server" || ! kill -0 $server 2>/dev/null || [ $tries = 100 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
    grep -q 'Server is ready' "$work/server" && break
    kill $server 2>/dev/null
    wait $server 2>/dev/null
    port=$((port + 1)) # the port may be another's
done
check 'the server is ready' grep -q 'Server is ready' "$work/server"

# ask SECOND QUERY: its one value at that second of the run.
ask() {
    promtool query instant --time="$((1704067200 + $1))" "http://127.0.0.1:$port" "$2" 2>&1 |
        sed -n 's/^{.*} => \([^ ]*\) @.*/\1/p'
}
# near NAME WANTED SEEN: within 1 %.
near() {
    note "$1: simulated $2, Prometheus $3"
    check "$1" awk -v a="$2" -v b="${3:-none}" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b != "none" && a > 0 && d <= a / 100) }'
}

# The largest minute of offered calls; and the share of failures in the worst minute of recovery and
# in the minutes that end at some seconds.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { p = "dependency.template-api."; k = NR - 1
      calls[k] = calls[k - 1] + $column[p "calls_first_per_s"] + $column[p "calls_retry_per_s"]
      bad = $column[p "refused_per_s"] + $column[p "errors_per_s"] + $column[p "timeouts_per_s"]
      failed[k] = failed[k - 1] + bad; ends[k] = ends[k - 1] + bad + $column[p "goodput_per_s"]
      if (k >= 60 && calls[k] - calls[k - 60] > peak) { peak = calls[k] - calls[k - 60]; at = k } }
    END {
        print "peak", k, peak / 60
        for (s = 300; s <= k; s += 60) {
            share = (failed[s] - failed[s - 60]) / (ends[s] - ends[s - 60])
            if (share > 0.01 && share < 0.99 && n < 5) { print "errors", s, share; n++ }
        }
    }' "$work/out/timeline.csv" >"$work/figures"
end=$(awk '$1 == "peak" { print $2 }' "$work/figures")
near 'the peak of the request rate' "$(awk '$1 == "peak" { print $3 }' "$work/figures")" \
    "$(ask "$end" "max_over_time((sum(rate(template_api_requests_total[1m])))[${end}s:1s])")"
check 'there are minutes in which some calls fail' grep -q errors "$work/figures"
grep errors "$work/figures" >"$work/errors"
while read -r _ second share; do
    near "the error rate at $second s" "$share" "$(ask "$second" \
        'sum(rate(template_api_requests_total{status=~"5.."}[1m])) / sum(rate(template_api_requests_total[1m]))')"
done <"$work/errors"
near 'the calls that arrived, by their counter' \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        { p = "dependency.template-api."; n += $c[p "calls_first_per_s"] + $c[p "calls_retry_per_s"] }
        END { print n }' "$work/out/timeline.csv")" "$(ask "$end" 'sum(squall_dependency_calls_total)')"
finish
