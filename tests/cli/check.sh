# SPDX-License-Identifier: GPL-3.0-or-later
# squall check: the shipped scenarios hold, every exit status, what is said, in which order, and
# that it is the same for any number of threads.
. tests/lib.sh
small=tests/cli/small.yaml

# with NAME LINE...: a copy of the small scenario with these lines under `expect`.
with() {
    with_file=$work/$1.yaml
    shift
    { cat $small; echo 'variants:'; echo '  twice: {producers: {orders: {arrivals: 40/s}}}'
        echo 'expect:'; printf '  - %s\n' "$@"; } >"$with_file"
}
# has NAME TEXT: the last run printed the text.
has() {
    check "$1" grep -F -q -e "$2" "$work/stdout"
}
# ended NAME STATUS
ended() {
    check "$1" [ "$status" = "$2" ]
}

# All shipped scenarios, with few runs; with all of theirs they are checked by library.sh. Those that
# promise a share of runs between none and all need their own number.
find scenarios -name '*.yaml' ! -path 'scenarios/presets/*' | LC_ALL=C sort >"$work/all"
xargs grep -l '^runs:' <"$work/all" | xargs grep -L -E 'p_collapse (<|>)' >"$work/many"
# shellcheck disable=SC2046
run "$SQUALL" check $(grep -v -x -F -f "$work/many" "$work/all")
ended 'the shipped scenarios of one run or of shares hold' 0
cat "$work/stdout" >"$work/shipped"
# shellcheck disable=SC2046
run "$SQUALL" check --runs 2 $(cat "$work/many")
ended 'the shipped scenarios of many runs hold' 0
cat "$work/shipped" >>"$work/stdout"
check 'the shipped scenarios: nothing on stderr' [ ! -s "$work/stderr" ]
check 'the shipped scenarios: none failed' grep -q '^[0-9]* passed, 0 failed' "$work/stdout"
for scenario in scenarios/*.yaml; do
    check "$scenario is checked" grep -q -e "$scenario" "$work/stdout"
done

# Verdicts, failures first, and the line that counts.
with mixed '{that: producer.orders.arrived > 0}' \
    '{that: jobs.arrived < 5, severity: warn}' \
    '{variant: twice, that: jobs.arrived > jobs.arrived@base}' \
    '{that: jobs.completed > 1M}' \
    '{that: queue.jobs.ready <= 8}'
run "$SQUALL" check "$work/mixed.yaml"
ended 'a column beside a metric is refused' 2
with mixed '{that: producer.orders.arrived > 0}' \
    '{that: jobs.arrived < 5, severity: warn}' \
    '{variant: twice, that: jobs.arrived > jobs.arrived@base}' \
    '{that: jobs.completed > 1M, in: 50%}' \
    '{that: dependency.db.in_flight <= 100, when: {between: [T1, T1+10s]}}'
run "$SQUALL" check "$work/mixed.yaml" --threads 1
ended 'a failed expectation ends with 1' 1
cp "$work/stdout" "$work/mixed.txt"
check 'the failure comes first' [ "$(sed -n '1s/ .*//p' "$work/stdout")" = FAILED ]
check 'then the warning' [ "$(sed -n '3s/ .*//p' "$work/stdout")" = warned ]
check 'then what passed' [ "$(sed -n '5s/ .*//p' "$work/stdout")" = passed ]
has 'a verdict names file, line and variant' "$work/mixed.yaml:28: twice: jobs.arrived >"
has 'a verdict names the part of the run' '(between T1 and T1+10s)'
has 'a verdict has its figures' 'observed 1034 (1029 to 1058), limit 1000000, margin -998966 (worst -998971)'
has 'a verdict counts runs' 'in 0 of 3 runs, 2 needed'
has 'a variant that two expectations need runs once' '3 passed, 1 failed, 1 warned; 1 scenario, 6 runs'
check 'nothing on stderr' [ ! -s "$work/stderr" ]
run "$SQUALL" check "$work/mixed.yaml" --threads 2
same 'the report is the same with two threads' "$work/mixed.txt" "$work/stdout"

# Statuses.
with warns '{that: jobs.arrived < 5, severity: warn}'
run "$SQUALL" check "$work/warns.yaml"
ended 'a warning does not fail' 0
has 'a warning is said' '0 passed, 0 failed, 1 warned'
run "$SQUALL" check $small
ended 'a file without expectations runs' 0
has 'it says so' "$small: no expectations; 3 runs of base kept every law"
has 'it is counted' '1 scenario, 1 without expectations, 3 runs'
with slip '{that: jobs.compleeted > 0}' '{variant: thrice, that: jobs.completed > 0}'
for command in check run explain; do
    run "$SQUALL" $command "$work/slip.yaml"
    ended "$command: an unknown metric or variant ends with 2" 2
    check "$command: the metric at its line and column" \
        grep -F -q -e "$work/slip.yaml:26:12: expect[0].that: there is no metric" "$work/stderr"
    check "$command: the variant at its line and column" \
        grep -F -q -e "$work/slip.yaml:27:15: expect[1].variant: there is no variant" "$work/stderr"
    check "$command: did you mean" grep -F -q -e 'did you mean `jobs.completed`?' "$work/stderr"
    check "$command: nothing on stdout" [ ! -s "$work/stdout" ]
done
run "$SQUALL" check "$work/warns.yaml" "$work/slip.yaml"
ended 'one wrong file stops all' 2
check 'nothing ran' [ ! -s "$work/stdout" ]
run "$SQUALL" check "$work/absent.yaml"
ended 'a path that does not exist ends with 2' 2
mkdir "$work/empty"
run "$SQUALL" check "$work/empty"
ended 'a folder without scenarios ends with 2' 2
run "$SQUALL" check
ended 'no path ends with 2' 2
run "$SQUALL" check $small --runs 0
ended 'no runs end with 2' 2
if [ -c /dev/full ]; then
    "$SQUALL" check $small >/dev/full 2>"$work/stderr"
    status=$?
    ended 'a report that cannot be written ends with 3' 3
    check 'and says so' [ -s "$work/stderr" ]
else
    skip 'a report that cannot be written ends with 3' 'no /dev/full here'
fi
"$SQUALL" check "$work/warns.yaml" $small --runs 50000 >"$work/stdout" 2>"$work/stderr" </dev/null &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
status=$?
ended 'an interrupted check ends with 130' 130
has 'it says what was not checked' 'not finished: 2 of 2 scenarios were not checked'
check 'stderr says it was interrupted' grep -q interrupted "$work/stderr"

# Folders, filter, list, fail-fast.
mkdir -p "$work/lib/b" "$work/lib/presets" "$work/lib/.hidden"
with lib/z '{that: jobs.arrived > 0}'
with lib/b/a '{that: jobs.arrived < 0}'
cp $small "$work/lib/c.yaml"
echo 'no scenario' >"$work/lib/presets/p.yaml"
echo 'no scenario' >"$work/lib/.hidden/p.yaml"
echo 'no scenario' >"$work/lib/notes.txt"
run "$SQUALL" check "$work/lib" --list
ended 'the list ends with 0' 0
printf '%s\n' "$work/lib/b/a.yaml:26: base: jobs.arrived < 0" "$work/lib/c.yaml: no expectations" \
    "$work/lib/z.yaml:26: base: jobs.arrived > 0" '2 expectations in 3 scenarios' >"$work/wanted"
same 'folders are walked in order, presets and hidden ones not' "$work/wanted" "$work/stdout"
run "$SQUALL" check "$work/lib" --list --junit "$work/list.xml"
check 'a list has no verdicts to write' [ "$status" = 2 ]
check 'and says so' grep -q -e '--junit: does not go with --list' "$work/stderr"
run "$SQUALL" check "$work/lib" "$work/lib/z.yaml" --list
same 'a file that is named twice counts once' "$work/wanted" "$work/stdout"
run "$SQUALL" check "$work/lib" --runs 1
ended 'one failure among files' 1
has 'all files ran' '1 passed, 1 failed; 3 scenarios, 1 without expectations, 3 runs'
run "$SQUALL" check "$work/lib" --runs 1 --fail-fast
ended 'fail-fast ends with 1' 1
has 'fail-fast stops behind the failure' 'not finished: 2 of 3 scenarios were not checked'
has 'fail-fast ran one file' '0 passed, 1 failed; 1 scenario, 1 run'
run "$SQUALL" check "$work/lib" --runs 1 --filter 'z.yaml:26'
ended 'the filter leaves what holds' 0
has 'the filter leaves one' '1 passed, 0 failed; 1 scenario, 1 run'
run "$SQUALL" check "$work/lib" --filter 'no such text'
ended 'a filter that leaves nothing ends with 2' 2

# run reports and ends with 0.
run "$SQUALL" run "$work/mixed.yaml" --out "$work/out"
ended 'run does not fail for an expectation' 0
has 'run says what failed' 'FAILED      jobs.completed > 1M'
check 'the summary has the verdict' grep -q '"passed": false' "$work/out/summary.json"
run "$SQUALL" run "$work/mixed.yaml" --variant twice
has 'run leaves open what needs another variant' \
    'looks at variant base too: `squall check` judges it'
run "$SQUALL" run "$work/out/scenario.yaml"
ended 'the echo of a scenario with expectations runs' 0
has 'with the expectations of its variant' 'FAILED      jobs.completed > 1M'
finish
