# SPDX-License-Identifier: GPL-3.0-or-later
# A run as OpenMetrics: the text is of the form that Prometheus takes, its counters end with what the
# timeline adds up to, and the dashboard asks for nothing that is not in it.
. tests/lib.sh
scenario=scenarios/first.yaml
board=scenarios/dashboards/grafana-storm.json

run "$SQUALL" run $scenario --runs 1 --out "$work/out" --openmetrics "$work/om" \
    --start '2024-05-01 10:00:00'
check 'a run is exported' [ "$status" = 0 ]
check 'it says what to do with it' grep -q 'promtool tsdb create-blocks-from openmetrics' "$work/stderr"
check 'it ends as the format demands' [ "$(tail -1 "$work/om")" = '# EOF' ]
# A line is a remark, or a name, labels, a number and a time; families do not come twice.
grep -v -E -e '^# (HELP|TYPE|UNIT) [a-z_]+ .+$' -e '^# EOF$' \
    -e '^[a-z_]+\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\} [0-9.e+-]+ [0-9]+(\.[0-9]{3})?$' \
    "$work/om" >"$work/odd"
check 'every line has its form' [ ! -s "$work/odd" ]
sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$work/om" | sort | uniq -d >"$work/twice"
check 'a family stands in one place' [ ! -s "$work/twice" ]
check 'samples of a family follow its type' awk '
    $1 == "#" && $2 == "TYPE" { family = $3; end = $4 == "counter" ? "_total" : $4 == "info" ? "_info" : "" }
    $1 != "#" { split($1, part, "{"); if (part[1] != family end) exit 1 }' "$work/om"
check 'times rise within a series' awk '
    $1 == "#" { next }
    { match($0, /^.*\} /); s = substr($0, 1, RLENGTH); if (s == last && $NF <= at) exit 1; last = s; at = $NF }' \
    "$work/om"
check 'time 0 is where it was put' grep -q -E '^squall_run_info\{.*\} 1 1714557600$' "$work/om"
run "$SQUALL" run $scenario --start '2024-05-01'
check 'a start without an export: status' [ "$status" = 2 ]
run "$SQUALL" run $scenario --openmetrics "$work/om2" --start yesterday
check 'a start that is none: status' [ "$status" = 2 ]

# The counters' last values against the sums of the timeline (bins of one second).
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { p = "dependency.payments."
      first += $column[p "calls_first_per_s"]; retry += $column[p "calls_retry_per_s"]
      good += $column[p "goodput_per_s"]; errors += $column[p "errors_per_s"] + $column[p "refused_per_s"] }
    END { printf "%.0f %.0f %.0f %.0f\n", first, retry, good, errors }' \
    "$work/out/timeline.csv" >"$work/wanted"
last() { # SERIES: its last value
    grep -F -e "$1" "$work/om" | tail -1 | awk '{ printf "%.0f", $(NF - 1) }'
}
echo "$(last 'call="first"') $(last 'call="retry"') $(last 'status="200"')" \
    "$(($(last 'status="500"') + $(last 'status="503"')))" >"$work/seen"
same 'counters are the sums of the timeline' "$work/wanted" "$work/seen"
check 'and no zeros' [ "$(tr ' ' '\n' <"$work/seen" | grep -c '^[1-9]')" = 4 ]

# The dashboard: JSON, and every metric that it names is exported.
if command -v jq >/dev/null 2>&1; then
    run jq -r '.panels[].targets[].expr, (.templating.list[] | select(.type == "query") | .query.query)' $board
    check 'the dashboard is JSON' [ "$status" = 0 ]
    check 'it asks a dozen questions' [ "$(wc -l <"$work/stdout")" -ge 12 ]
    cp "$work/stdout" "$work/queries"
elif command -v python3 >/dev/null 2>&1; then
    run python3 -c 'import json, sys
board = json.load(open(sys.argv[1]))
print("\n".join(t["expr"] for p in board["panels"] for t in p["targets"]))' $board
    check 'the dashboard is JSON' [ "$status" = 0 ]
    cp "$work/stdout" "$work/queries"
else
    skip 'the dashboard is JSON' 'neither jq nor python3 is here'
    cp $board "$work/queries"
fi
grep -o 'squall_[a-z_]*' "$work/queries" | sort -u >"$work/asked"
sed -n 's/^\([a-z_]*\){.*/\1/p' "$work/om" | sort -u >"$work/there"
check 'it names metrics' [ "$(wc -l <"$work/asked")" -ge 8 ]
comm -23 "$work/asked" "$work/there" >"$work/missing"
check 'every metric of it is exported' [ ! -s "$work/missing" ]
finish
