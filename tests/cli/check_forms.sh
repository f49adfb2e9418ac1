# SPDX-License-Identifier: GPL-3.0-or-later
# The report of `check` for machines: JUnit, TAP, JSON, Markdown, annotations; read by other people's
# programs where they are installed. tests/cli/junit.xsd is the common form of JUnit XML.
. tests/lib.sh

cat >"$work/some.yaml" <<'END'
squall: 1
title: "<script> & | `x`"
duration: 1m
clients:
  web: {arrivals: {kind: regular, rate: 10/s}, calls: {db: {timeout: 1s}}}
dependencies:
  db: {servers: 10, service: 10ms}
expect:
  - {that: jobs.arrived == 600}
  - {that: dependency.db.calls < 100}
  - {that: dependency.db.calls < 50, severity: warn}
END
run "$SQUALL" check "$work/some.yaml" --junit "$work/j.xml" --markdown "$work/m.md" --json "$work/c.json"
check 'the status says that one failed' [ "$status" = 1 ]
check 'the report is printed all the same' grep -q '^1 passed, 1 failed, 1 warned' "$work/stdout"
cp "$work/stdout" "$work/text"

check 'JUnit counts' grep -q '<testsuites name="squall check" tests="3" failures="1" errors="0">' "$work/j.xml"
check 'JUnit escapes' grep -q 'dependency.db.calls &lt; 100 \[line 10\]' "$work/j.xml"
check 'JUnit: a warning is no failure' grep -q '<system-out>warned: observed 600' "$work/j.xml"
if command -v xmllint >/dev/null; then
    run xmllint --noout --schema tests/cli/junit.xsd "$work/j.xml"
    check 'xmllint takes it' [ "$status" = 0 ]
    sed 's/classname=/klass=/' "$work/j.xml" >"$work/bad.xml"
    run xmllint --noout --schema tests/cli/junit.xsd "$work/bad.xml"
    check 'it would not take everything' [ "$status" != 0 ]
else
    skip 'xmllint takes it' 'xmllint is not installed'
fi

run "$SQUALL" check "$work/some.yaml" --tap
cp "$work/stdout" "$work/tap"
check 'TAP has a version and a plan' [ "$(head -2 "$work/tap" | tr '\n' ' ')" = 'TAP version 14 1..3 ' ]
check 'TAP: a warning is to do' grep -q '^not ok 3 - .* # TODO severity warn$' "$work/tap"
if command -v prove >/dev/null; then
    run prove -e cat "$work/tap"
    check 'prove reads it and sees one failure' grep -q 'Failed test:  2' "$work/stdout"
    check 'prove: failed' [ "$status" != 0 ]
else
    skip 'prove reads it' 'prove is not installed'
fi

check 'JSON counts' grep -q '"failed": 1,' "$work/c.json"
check 'JSON has the figures' grep -q '"margin": -500' "$work/c.json"
check 'Markdown: failures first' [ "$(grep -n FAILED "$work/m.md" | cut -d: -f1)" -lt \
    "$(grep -n 'passed |' "$work/m.md" | head -1 | cut -d: -f1)" ]
run "$SQUALL" check "$work/some.yaml" --github
check 'annotations at the line of the expectation' grep -q -E \
    '^::error file=.*some.yaml,line=10,title=squall check::base: dependency.db.calls < 100: observed 600' "$work/stdout"
check 'a warning is a warning' grep -q '^::warning file=.*line=11' "$work/stdout"

for form in junit markdown json; do
    run "$SQUALL" check "$work/some.yaml" --$form "$work/absent/file"
    check "$form that cannot be written is said" [ "$status" != 0 ]
    check "$form: with its name" grep -q 'absent/file' "$work/stderr"
done

run "$SQUALL" check "$work/some.yaml" --threads 2 --junit "$work/j2.xml" --markdown "$work/m2.md" --json "$work/c2.json"
same 'JUnit: the same on two threads' "$work/j.xml" "$work/j2.xml"
same 'JSON: the same on two threads' "$work/c.json" "$work/c2.json"
same 'Markdown: the same on two threads' "$work/m.md" "$work/m2.md"

mkdir "$work/many"
i=0
while [ $i -lt 500 ]; do
    cp "$work/some.yaml" "$work/many/scenario-with-a-name-that-is-rather-long-for-a-file-$i.yaml"
    i=$((i + 1))
done
run "$SQUALL" check "$work/many" --markdown "$work/many.md" --junit "$work/many.xml" --tap
cp "$work/stdout" "$work/many.tap"
check '500 scenarios fit a job summary' [ "$(wc -c <"$work/many.md")" -lt 1048576 ]
check 'their failures come first' [ "$(grep -n '\*\*FAILED' "$work/many.md" | tail -1 | cut -d: -f1)" -lt \
    "$(grep -n '^| passed |' "$work/many.md" | head -1 | cut -d: -f1)" ]
check 'none of the failures is left off' [ "$(grep -c '\*\*FAILED' "$work/many.md")" = 500 ]
check 'timelines are in it' grep -q 'calls/s at db | `' "$work/many.md"
if command -v xmllint >/dev/null; then
    run xmllint --noout --schema tests/cli/junit.xsd "$work/many.xml"
    check 'xmllint takes 500 scenarios' [ "$status" = 0 ]
fi
if command -v prove >/dev/null; then
    run prove -e cat "$work/many.tap"
    check 'prove reads 500 scenarios' grep -q 'Failed 500/1500 subtests' "$work/stdout"
fi
finish
