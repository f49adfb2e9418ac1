# SPDX-License-Identifier: GPL-3.0-or-later
# A run from the outside: the files it leaves, runs alone and again, pipes. Interruptions
# have a script of their own.
. tests/lib.sh
small=tests/cli/small.yaml

run "$SQUALL" run $small --out "$work/one"
check 'a run succeeds' [ "$status" = 0 ]
check 'stderr is silent' [ ! -s "$work/stderr" ]
check 'the page has no colours when it is not on a terminal' \
    [ "$(tr -d -c '\033' <"$work/stdout" | wc -c)" = 0 ]
ls "$work/one" >"$work/files"
printf '%s\n' histograms.csv runs.csv scenario.yaml summary.json timeline.csv timeline.png timeline.svg \
    >"$work/wanted"
same 'the folder holds the six files and nothing else' "$work/wanted" "$work/files"
check 'runs.csv has a row for each run' [ "$(wc -l <"$work/one/runs.csv")" -eq 4 ]
check 'the picture is a PNG' [ "$(head -c 4 "$work/one/timeline.png" | tail -c 3)" = PNG ]
check 'the picture is an SVG' grep -q '</svg>' "$work/one/timeline.svg"

run "$SQUALL" run $small
check 'without --out the page is all' [ "$status" = 0 ]
check 'the page is there' [ "$(wc -l <"$work/stdout")" -gt 20 ]

# The echo of the effective scenario is a scenario, and the same one.
run "$SQUALL" run "$work/one/scenario.yaml" --out "$work/again"
check 'the echo runs' [ "$status" = 0 ]
same 'the echo gives the same runs' "$work/one/runs.csv" "$work/again/runs.csv"
same 'the echo gives the same timeline' "$work/one/timeline.csv" "$work/again/timeline.csv"

run "$SQUALL" run $small --replication 3 --out "$work/third"
check 'one replication runs alone' [ "$status" = 0 ]
sed -n '1p;4p' "$work/one/runs.csv" >"$work/wanted"
same 'the third run alone is the third of three' "$work/wanted" "$work/third/runs.csv"

run "$SQUALL" run $small --seed 2 --out "$work/other"
check 'another seed gives other runs' [ "$(cmp -s "$work/one/runs.csv" "$work/other/runs.csv"
    echo $?)" = 1 ]

run "$SQUALL" run $small --out "$work/one"
check 'results replace older ones' [ "$status" = 0 ]
check 'the old files are complete' [ "$(ls "$work/one" | wc -l)" -eq 7 ]

("$SQUALL" run $small 2>"$work/stderr" </dev/null; echo $? >"$work/status") | head -1 >"$work/stdout"
check 'a closed pipe ends quietly' [ "$(cat "$work/status") $(wc -c <"$work/stderr")" = '0 0' ]

# How long a breaker that grows stays open is not what the file says of the first time.
breaker='controls.d.breaker={window: {kind: consecutive, size: 3}, open_for: 1s, cap: 8s'
cat >"$work/breaker.yaml" <<'END'
squall: 1
duration: 20s
clients: {c: {arrivals: 10/s, calls: {d: {}}}}
dependencies: {d: {service: 10ms, errors: {error: 100%}}}
END
run "$SQUALL" run "$work/breaker.yaml" --set "$breaker}"
check 'a breaker opens for a time' grep -q 'breaker of d opens, for 1s$' "$work/stdout"
run "$SQUALL" run "$work/breaker.yaml" --set "$breaker, growth: 2}"
check 'one that grows, for at least that' grep -q 'opens, for at least 1s$' "$work/stdout"

# The life of one job.
run "$SQUALL" run $small --job orders:500 --out "$work/job"
check 'the life of a job is told' grep -q '^The life of job orders:500 in run 1$' "$work/stdout"
check 'it begins' grep -q '^ *[0-9]*m[0-9.]*s  arrives; ready in jobs' "$work/stdout"
check 'it ends' grep -q 'ends:' "$work/stdout"
check 'the folder has it' grep -q '"job": "orders:500"' "$work/job/summary.json"
cp "$work/stdout" "$work/once"
run "$SQUALL" run $small --threads 3 --job orders:500 --out "$work/job"
same 'it is the same again' "$work/once" "$work/stdout"
run "$SQUALL" run $small --out "$work/job"
check 'without being asked the page has none' [ "$(grep -c 'The life of' "$work/stdout")" = 0 ]
check 'the folder has one of the outage' grep -q '"why": "the first to arrive in the second half' \
    "$work/job/summary.json"
no_job() { # JOB TEXT
    run "$SQUALL" run $small --runs 1 --job "$1"
    check "the job $1 is refused" [ "$status" = 2 ]
    check "why $1 is refused" grep -q -F -e "$2" "$work/stderr"
}
no_job orders '`orders` names no job'
no_job orders:0 '`orders:0` names no job'
no_job order:1 'there is no producer or client order'
no_job orders:99999 'run 1 has no job orders:99999'

# Three bins fill the chart: 22 columns each, and the axis below has room for its labels.
run "$SQUALL" run tests/cli/small.yaml --set timeline=16s
check 'few bins are wide ones' [ "$(grep '^ *0 │' "$work/stdout" | head -1 | grep -o '█' | wc -l)" = 66 ]
check 'the axis is whole' grep -q '^ *0  *5s  *10s  *15s  *20s  *25s  *30s$' "$work/stdout"

finish
