# SPDX-License-Identifier: GPL-3.0-or-later
# squall check --baseline: what is compared, what is written and when, what is said; and that no
# report depends on the folder, the locale or the number of threads.
. tests/lib.sh
root=$(pwd)
case $SQUALL in /*) ;; *) SQUALL=$root/$SQUALL ;; esac
mkdir "$work/ci" "$work/ci/s"
cp tests/cli/small.yaml "$work/ci/s/one.yaml"
{ cat tests/cli/small.yaml
    printf 'variants:\n  twice: {producers: {orders: {arrivals: 40/s}}}\n'
    printf 'expect:\n  - {that: jobs.completed > 0}\n'; } >"$work/ci/s/two.yaml"
cd "$work/ci" || exit 1

# checks STATUS NAME OPTION...: runs the check of all scenarios.
checks() {
    checks_status=$1 checks_name=$2
    shift 2
    run "$SQUALL" check s --baseline b "$@"
    check "$checks_name: status $checks_status" [ "$status" = "$checks_status" ]
}
says() { # NAME TEXT: the report says it
    check "$1" grep -F -q -e "$2" "$work/stdout"
}
complains() { # NAME TEXT: standard error says it
    check "$1" grep -F -q -e "$2" "$work/stderr"
}
sums() {
    find b -type f -exec cksum {} + | sort
}

checks 2 'a folder that is not there'
complains 'it is named' 'b: --baseline: there is no such folder'
check 'nothing ran' [ ! -s "$work/stdout" ]
for update in '' --update-baseline; do
    # shellcheck disable=SC2086 # none or one
    run "$SQUALL" check s --baseline s/one.yaml $update
    check "a file is no folder: $update" [ "$status" = 2 ]
    complains 'it is called a file' 's/one.yaml: --baseline: this is a file'
done
run "$SQUALL" check s --update-baseline
check 'an update without a folder is refused' [ "$status" = 2 ]

checks 0 'the first update' --update-baseline
says 'it says what is new' 'written: it had none'
check 'one file per scenario and variant' \
    [ "$(find b -type f | sort | tr '\n' ' ')" = 'b/s/one/base.json b/s/two/base.json b/s/two/twice.json ' ]
check 'the file has a format' grep -q '"format": 1' b/s/one/base.json
check 'a metric is one line' grep -q -E '^ +"jobs.arrived": \[3, [0-9.]+, [0-9.]+, [0-9.]+, [0-9.]+\],$' b/s/one/base.json
check 'words are counted' grep -q '"clears": 3' b/s/one/base.json
sums >"$work/first"

checks 0 'the same again'
says 'all metrics are as before' 'metrics as before'
says 'all variants are compared, not only those with expectations' 's/two.yaml: twice: baseline'
sums >"$work/second"
same 'a check writes nothing' "$work/first" "$work/second"
checks 0 'an update of the same' --update-baseline
sums >"$work/second"
same 'it leaves the same bytes' "$work/first" "$work/second"

# Other luck is no shift: ten other seeds, all metrics of all variants.
for seed in 2 3 4 5 6 7 8 9 10 11; do
    sed "s/^seed:.*/seed: $seed/" "$root/tests/cli/small.yaml" >s/one.yaml
    grep -q "^seed: $seed" s/one.yaml || echo "seed: $seed" >>s/one.yaml
    run "$SQUALL" check s/one.yaml --baseline b
    check "noise of seed $seed does not fail" [ "$status" = 0 ]
done
says 'the other seed is one of the changed keys' 'key changed: seed: 1 -> 11'
cp "$root/tests/cli/small.yaml" s/one.yaml

# A shift.
sed -i 's|40/s|60/s|' s/two.yaml
checks 1 'half as many jobs more'
says 'the metric, before and now' 'jobs.arrived 2409.7 -> 3602.3 (+49.5 %; 5 % allowed)'
says 'the key that changed' '1 key changed: producers.orders.arrivals.rate.value: 40/s -> 60/s'
check 'failures come first' [ "$(head -1 "$work/stdout")" = 'FAILED   s/two.yaml: twice: baseline' ]
checks 0 'a tolerance of 60 %' --tolerance '*=60%'
checks 0 'an amount' --tolerance '*=5%,2k'
checks 1 'a tolerance for another metric' --tolerance 'producer.*=60%'
checks 0 'metrics that are not compared' --tolerance '*=off'
checks 2 'a tolerance for no metric' --tolerance 'jobs.arived=5%'
complains 'it is named' 'no scenario of this check has such a metric'
for bad in jobs.arrived '=5%' 'jobs.arrived=' 'jobs.arrived=much' 'jobs.arrived=5%,' 'jobs.arrived=5%,x'; do
    checks 2 "--tolerance $bad" --tolerance "$bad"
done
checks 1 'in all forms' --junit j.xml --json j.json --markdown m.md --github
says 'annotations' '::error file=s/two.yaml,line=1,title=squall check::twice: baseline: '
check 'JUnit' grep -q '<failure type="baseline" message=".*jobs.arrived 2409.7' j.xml
check 'JSON' grep -q '"state": "shifted"' j.json
check 'Markdown' grep -q '^| \*\*FAILED\*\* | s/two.yaml:1 twice: baseline | ' m.md
check 'Markdown has the timeline of what failed before what passed' \
    [ "$(grep -n 'calls/s at db | `' m.md | head -1 | cut -d: -f1)" -lt "$(grep -n '| passed |' m.md | head -1 | cut -d: -f1)" ]
checks 1 'in TAP' --tap
says 'TAP' 'not ok'
if command -v xmllint >/dev/null; then
    run xmllint --noout --schema "$root/tests/cli/junit.xsd" j.xml
    check 'xmllint takes it' [ "$status" = 0 ]
else
    skip 'xmllint takes it' 'xmllint is not installed'
fi

# Another version is said, and compared all the same.
sed -i 's/"version": "[^"]*"/"version": "0.0.7"/' b/s/one/base.json
checks 1 'a baseline of another version'
says 'it is said' 'the baseline is of squall 0.0.7, this is'

checks 0 'the update accepts it' --update-baseline
says 'the update says what it accepts' 'written: 4 of 81 metrics shifted: jobs.arrived'
checks 0 'then it is as before'

# What is missing, wrong or left over.
cp b/s/two/twice.json twice.json
rm b/s/two/twice.json
checks 2 'a missing baseline'
complains 'it is named' 'b/s/two/twice.json: is missing: s/two.yaml, variant twice, has no baseline'
says 'the report has it' 'new: it has no baseline; --update-baseline writes it'
cp b/s/two/base.json b/s/two/twice.json
checks 2 'a baseline of another variant'
complains 'it is named' 'is of s/two.yaml, variant base, and not of s/two.yaml, variant twice'
for damage in 's/"mean/"/;1s/{/[/' 's/"jobs.arrived": \[3/"jobs.arrived": [4/' '/"variant"/d' \
    's/"format": 1/"format": 2/' 's/"clears": 3/"clears": 4/' '/"seed"/s/1/x/'; do
    sed "$damage" twice.json >b/s/two/twice.json
    checks 2 "a baseline that is damaged by $damage"
    complains "$damage: the file is named" 'b/s/two/twice.json'
done
cp twice.json b/s/two/twice.json
cp twice.json b/s/two/copy.json
checks 2 'a baseline in a wrong place'
complains 'its place is named' 'is of s/two.yaml, variant twice, which belongs in b/s/two/twice.json'
rm b/s/two/copy.json
mv s/one.yaml one.yaml
checks 1 'a scenario that is gone'
says 'it is said' 'the scenario is gone; --update-baseline forgets its baseline'
run "$SQUALL" check s/two.yaml --baseline b
check 'that is so for a part of the scenarios, too' [ "$status" = 1 ]
mv one.yaml s/one.yaml
run "$SQUALL" check s/two.yaml --baseline b
check 'baselines of scenarios that are not checked now are left alone' [ "$status" = 0 ]
run "$SQUALL" check s --baseline b --filter 'two.yaml:26' --update-baseline
check 'an update of a part' [ "$status" = 0 ]
check 'keeps the rest' [ "$(find b -type f | wc -l)" = 3 ]
sed -i '/^variants/,/^  twice/d' s/two.yaml
checks 1 'a variant that is gone'
says 'it is said' 'the variant is gone; --update-baseline forgets its baseline'
checks 0 'an update' --update-baseline
check 'forgets it' [ ! -e b/s/two/twice.json ]
mkdir up
cd up || exit 1
run "$SQUALL" check ../s --baseline ../b
check 'a path that leads up is refused' [ "$status" = 2 ]
cd ..

# The same bytes from another folder, in another locale, on other threads.
reports() { # OPTION...
    "$SQUALL" check s --baseline b --junit j.xml --json j.json --markdown m.md --github "$@" >text 2>err
    "$SQUALL" check s --baseline b --tap "$@" >tap 2>>err
}
sed -i 's|arrivals: 20/s|arrivals: 60/s|' s/one.yaml
mkdir there "$work/elsewhere"
cp -r s b "$work/elsewhere"
reports --threads 1
mv j.xml j.json m.md text tap err there
cd "$work/elsewhere" || exit 1
(
    LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo
    export LC_ALL TZ
    reports --threads 2
)
mkdir here
mv j.xml j.json m.md text tap err here
same 'reports are the same in another folder, locale and time zone and on two threads' here "$work/ci/there"
check 'they say something' grep -q 'metrics shifted' here/text
rm -r b
LC_ALL=de_DE.UTF-8 "$SQUALL" check s --baseline b --update-baseline --threads 2 >/dev/null 2>&1
cd "$work/ci" || exit 1
"$SQUALL" check s --baseline b --update-baseline --threads 1 >/dev/null 2>&1
same 'so are baselines' b "$work/elsewhere/b"
if command -v hostname >/dev/null && [ -n "$(hostname)" ]; then
    check 'no report has the name of the machine' sh -c '! grep -r -q -w -e "$1" b there' sh "$(hostname)"
fi
check 'no report has a time stamp' sh -c '! grep -r -q -E "timestamp|20[0-9][0-9]-[01][0-9]-[0-3][0-9]|[0-9]:[0-9][0-9]:[0-9][0-9]" b there'
cd "$root" || exit 1
finish
