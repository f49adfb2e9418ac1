# SPDX-License-Identifier: GPL-3.0-or-later
# Every shipped scenario is a test: what it yields is compared with what is kept here.
#
#   golden.sh              compares
#   golden.sh --update     rewrites; the commit must say why a golden moved
#
# A case is one line of tests/golden/cases: NAME SCENARIO VARIANT RUNS. Kept are NAME.json (the
# summary, without the version of the program and the hash of the scenario, which moves with every
# key that the language gains) and NAME.sums (checksums of the CSV files).
. tests/lib.sh
here=tests/golden

yield() { # NAME SCENARIO VARIANT RUNS: results in work/out/NAME, what is kept in work/new
    run "$SQUALL" run "scenarios/$2.yaml" --variant "$3" --runs "$4" --out "$work/out/$1"
    if [ "$status" != 0 ]; then
        fail "$1 runs" "$work/stderr"
        return 1
    fi
    sed -e 's/"version": "[^"]*"/"version": "-"/' -e 's/"hash": "[^"]*"/"hash": "-"/' \
        "$work/out/$1/summary.json" >"$work/new/$1.json"
    (cd "$work/out/$1" && cksum timeline.csv runs.csv) >"$work/new/$1.sums"
    rm -r "$work/out/$1"
}

mkdir "$work/new" "$work/out"
grep -v -e '^#' -e '^$' $here/cases >"$work/cases"
while read -r name scenario variant runs; do
    yield "$name" "$scenario" "$variant" "$runs" || continue
    if [ "${1:-}" = --update ]; then
        cp "$work/new/$name.json" "$work/new/$name.sums" $here/
    fi
    for kind in json sums; do
        same "$name.$kind" "$here/$name.$kind" "$work/new/$name.$kind"
    done
done <"$work/cases"

for scenario in scenarios/*.yaml; do
    name=$(basename "$scenario" .yaml)
    check "$scenario has a golden case" grep -q -E "^[^ ]+ +$name " "$work/cases"
done
for kept in $here/*.json $here/*.sums; do
    name=$(basename "$kept")
    check "$kept belongs to a case" grep -q "^${name%.*} " "$work/cases"
done
finish
