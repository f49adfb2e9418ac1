# SPDX-License-Identifier: GPL-3.0-or-later
# Every rule has a file that triggers it and no other, and a twin without a finding; how findings
# are written, accepted, and which of them fail.
. tests/lib.sh
bad=tests/lint/bad good=tests/lint/good

"$SQUALL" lint --rules | sed -n -E 's/^([a-z0-9-]+) \((error|warning|note)\)$/\1/p' >"$work/rules"
check 'there are rules' [ "$(wc -l <"$work/rules")" -ge 25 ]
for rule in $(cat "$work/rules"); do
    if [ ! -f $bad/$rule.yaml ] || [ ! -f $good/$rule.yaml ]; then
        fail "$rule has a bad file and its good twin"
        continue
    fi
    "$SQUALL" lint $bad/$rule.yaml >"$work/found" 2>&1
    sed -n -E 's/.*\[([a-z0-9-]+)\]$/\1/p' "$work/found" | sort -u >"$work/names"
    echo "$rule" >"$work/wanted"
    same "$rule is found, and nothing else" "$work/wanted" "$work/names"
    check "$rule: with line, column and path" grep -q -E "^$bad/$rule.yaml:[0-9]+:[0-9]+: [a-z]+: [a-z_.0-9-]+: " "$work/found"
    check "$rule: with a number" grep -q -E '(: .*[0-9].*\[|rule `)' "$work/found"
    run "$SQUALL" lint --strict $good/$rule.yaml
    check "$rule: the twin is clean" grep -q '^1 file: 0 errors, 0 warnings, 0 notes, ' "$work/stdout"
done
for file in $bad/*.yaml $good/*.yaml; do
    check "$file is of a rule" grep -q -x "$(basename "$file" .yaml)" "$work/rules"
done

run "$SQUALL" lint $bad/single-node.yaml
check 'a single node: its slow start' grep -q 'db.slow_start: db has 1 node' "$work/stdout"
check 'and its balance' grep -q 'db.balance: db has 1 node' "$work/stdout"
{ cat $bad/single-node.yaml; echo 'actions: [{at: 2m, set: {dependencies.db.nodes: 3}}]'; } \
    >"$work/grows.yaml"
run "$SQUALL" lint "$work/grows.yaml"
check 'a file with an action is looked at' grep -q '^1 file: ' "$work/stdout"
check 'unless an action adds nodes' [ "$(grep -c 'single-node\]' "$work/stdout")" = 0 ]
run "$SQUALL" lint $bad/no-jitter.yaml
check 'a warning alone fails nothing' [ "$status" = 0 ]
run "$SQUALL" lint --strict $bad/no-jitter.yaml
check 'unless --strict' [ "$status" = 1 ]
run "$SQUALL" lint $bad/cap-below-base.yaml
check 'an error fails' [ "$status" = 1 ]
run "$SQUALL" lint --strict $bad/base-far-below-outage.yaml
check 'advice never fails' [ "$status" = 0 ]
run "$SQUALL" lint --strict $good/unused-allowance.yaml
check 'what the file accepts fails nothing' [ "$status" = 0 ]
check 'and is counted' grep -q ', 1 accepted by the files$' "$work/stdout"
run "$SQUALL" lint $bad
check 'a folder is looked at' grep -q "^$(ls $bad | wc -l | tr -d ' ') files: " "$work/stdout"
run "$SQUALL" lint --format github $bad/no-jitter.yaml
check 'annotations' grep -q -E "^::warning file=$bad/no-jitter.yaml,line=[0-9]+,col=[0-9]+,title=no-jitter::.*%0Afix: " "$work/stdout"
run "$SQUALL" lint --format json $bad/no-jitter.yaml $good/unused-allowance.yaml
check 'JSON' grep -q '"rule": "no-jitter"' "$work/stdout"
check 'JSON has what is accepted, with the reason' grep -q '"allowed": "it is a test"' "$work/stdout"
run "$SQUALL" lint --format yaml $bad/no-jitter.yaml
check 'an unknown format is refused' [ "$status" = 2 ]
run "$SQUALL" lint
check 'no file is a mistake' [ "$status" = 2 ]
run "$SQUALL" lint tests/lint/nowhere.yaml
check 'a missing file is a mistake' [ "$status" = 2 ]

# How many give up: retries of 5 and 10 s (half of each with full jitter, 7.5 s together) in an outage
# of 2 minutes. 4/s for 112.5 s are 450; of a cohort all that come in the first 112.5 s of it.
gives_up() { # NAME ARRIVALS TEXT [BACKLOG]
    sed -e "s|arrivals: 4/s|arrivals: $2, backlog: ${4:-0}|" -e "s|at: 2m, for: 2m|at: ${5:-2m}, for: 2m|" \
        $bad/window-below-outage.yaml >"$work/window.yaml"
    run "$SQUALL" lint "$work/window.yaml"
    check "$1" grep -q -F -e "the outage of db 2m: $3 before it ends" "$work/stdout"
}
gives_up 'a rate' 4/s 'about 450 jobs give up'
gives_up 'a cohort inside' '{kind: cohort, count: 300, at: 2m30s}' 'about 300 jobs give up'
gives_up 'a spread cohort, half of it inside' '{kind: cohort, count: 300, at: 1m, over: 2m}' \
    'about 150 jobs give up'
gives_up 'a cohort that comes too late to give up' '{kind: cohort, count: 300, at: 3m55s}' \
    'a job that comes in its first 1m53s gives up'
gives_up 'a backlog at the start of an outage at 0' none 'about 80 jobs give up' 80 0s

run "$SQUALL" lint --strict scenarios
check 'the shipped scenarios are clean or say why not' [ "$status" = 0 ]
check 'advice included' grep -q ', 0 notes, ' "$work/stdout"
finish
