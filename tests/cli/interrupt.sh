# SPDX-License-Identifier: GPL-3.0-or-later
# INT and TERM in the middle of long work: status 130, the finished runs kept and marked, no file
# half-written. And the bar that shows how far it is: on a terminal, and nowhere else.
. tests/lib.sh
storm=tests/cli/variants.yaml

# Sends SIGNAL to the command after two seconds. A shell starts its background jobs with INT ignored,
# and what is ignored stays so: hence timeout(1), which runs it in the foreground.
stop_with() { # SIGNAL COMMAND...
    signal=$1
    shift
    run timeout --preserve-status -s "$signal" 2 "$@"
}

if ! timeout --preserve-status 5 true 2>/dev/null; then
    skip 'interruptions' 'there is no timeout(1) of the kind that keeps the status'
    finish
fi

json() { # FILE KEY: the number of a key on a line of its own
    sed -n "s/^ *\"$2\": \([0-9]*\),*\$/\1/p" "$1" | head -1
}

stop_with INT "$SQUALL" run $storm --runs 50000 --out "$work/run"
check 'INT: run ends with 130' [ "$status" = 130 ]
check 'INT: it is said' grep -q '^squall: interrupted' "$work/stderr"
runs=$(json "$work/run/summary.json" runs)
check 'INT: some runs were finished' [ "${runs:-0}" -gt 1 ]
check 'INT: the page begins with it' [ "$(head -1 "$work/stdout")" = \
    "INTERRUPTED after $runs of 50000 runs: what follows is of the finished ones." ]
check 'INT: the summary is marked' grep -q '^  "interrupted": true,$' "$work/run/summary.json"
check 'INT: so many were wanted' [ "$(json "$work/run/summary.json" runs_wanted)" = 50000 ]
check 'INT: all files, and nothing half-written' [ "$(ls -A "$work/run" | wc -l)" -eq 7 ]
check 'INT: every finished run has a row' [ "$(wc -l <"$work/run/runs.csv")" -eq $((runs + 1)) ]
run "$SQUALL" run $storm --runs "$runs" --out "$work/whole"
for file in runs.csv timeline.csv; do
    same "what was kept is what so many runs give: $file" "$work/run/$file" "$work/whole/$file"
done
check 'INT: the chart says it' grep -q "· $runs of 50000 runs, INTERRUPTED ·" "$work/run/timeline.svg"
grep -v " of 50000 runs, INTERRUPTED" "$work/run/timeline.svg" >"$work/run/rest.svg"
grep -v " · $runs runs · scenario" "$work/whole/timeline.svg" >"$work/whole/rest.svg"
same 'and is the same but for that line' "$work/run/rest.svg" "$work/whole/rest.svg"

stop_with TERM "$SQUALL" compare $storm --runs 50000 --out "$work/compare"
check 'TERM: compare ends with 130' [ "$status" = 130 ]
runs=$(json "$work/compare/comparison.json" runs)
check 'TERM: some runs were finished' [ "${runs:-0}" -gt 1 ]
check 'TERM: the page begins with it' grep -q "^INTERRUPTED after $runs of 50000 runs" \
    "$work/stdout"
check 'TERM: the Markdown is marked' grep -q "INTERRUPTED after $runs of 50000 runs" \
    "$work/compare/comparison.md"
check 'TERM: the comparison is marked' grep -q '^  "interrupted": true,$' \
    "$work/compare/comparison.json"
for variant in plain jitter cap overload; do
    check "TERM: as many runs of $variant" \
        [ "$(json "$work/compare/$variant/summary.json" runs)" = "$runs" ]
done
run "$SQUALL" compare $storm --runs "$runs" --out "$work/whole-pair"
same 'what was kept is what so many runs give: comparison.csv' "$work/compare/comparison.csv" \
    "$work/whole-pair/comparison.csv"

for kind in variants delays herd; do
    run "$SQUALL" plot "$work/compare" --kind "$kind" -o "$work/$kind.svg"
    check "TERM: the chart of $kind says it" \
        grep -q "· $runs of 50000 runs each, on the same luck, INTERRUPTED" "$work/$kind.svg"
done

# Years second by second: the fluid model answers as well.
stop_with INT "$SQUALL" run $storm --fluid --set duration=10000d --set timeline=1d --out "$work/years"
check 'INT: the fluid model ends with 130' [ "$status" = 130 ]
check 'INT: and leaves nothing' [ ! -e "$work/years/summary.json" ]

# Not one run was finished: no result at all.
stop_with INT "$SQUALL" run $storm --set duration=100d --set timeline=1h --out "$work/none"
check 'stopped in the first run: 130' [ "$status" = 130 ]
check 'stopped in the first run: no file' [ -z "$(ls -A "$work/none" 2>/dev/null)" ]
check 'stopped in the first run: no page' [ ! -s "$work/stdout" ]

# The bar: stderr is the terminal that script(1) makes, stdout is a file.
if ! script -qec true /dev/null >/dev/null 2>&1; then
    skip 'the bar' 'there is no script(1) of the kind that takes a command'
    finish
fi
cat >"$work/long" <<END
timeout --preserve-status -s INT 3 '$SQUALL' compare $storm --runs 50000 >'$work/stdout'
END
script -qec "sh '$work/long'" /dev/null >"$work/terminal" 2>/dev/null </dev/null
status=$?
check 'on a terminal, still 130' [ "$status" = 130 ]
check 'on a terminal there is a bar' grep -q '\[[=>][=> ]*\] [0-9]*/200000, [0-9]*s, about ' \
    "$work/terminal"
check 'an estimate comes first' grep -q '50000 runs x 4 variants on [0-9]* threads*: about ' \
    "$work/terminal"
check 'nothing of it is in the page' [ -z "$(grep -e '/200000' -e about\ .*left "$work/stdout")" ]
script -qec "'$SQUALL' compare $storm --runs 1 >'$work/stdout'" /dev/null >"$work/terminal" \
    2>/dev/null </dev/null
check 'short work shows none' [ ! -s "$work/terminal" ]
script -qec "timeout --preserve-status -s INT 3 '$SQUALL' check $storm --runs 50000" /dev/null \
    >"$work/terminal" 2>/dev/null </dev/null
status=$?
check 'an interrupted check ends with 130' [ "$status" = 130 ]
check 'check has its bar too' grep -q '\[[=>][=> ]*\] [0-9]*/100000, [0-9]*s, about ' \
    "$work/terminal"
finish
