# SPDX-License-Identifier: GPL-3.0-or-later
# The README keeps its word: its first scenario gives the lines shown, the files it names exist,
# and the chart is of the run that the program makes today.
. tests/lib.sh

block() { # WORD N: the N-th fenced block of that language, without the fences
    awk -v open='```'"$1" -v n="$2" '
        inside && /^```/ { exit }
        inside { print }
        $0 == open && ++seen == n { inside = 1 }' README.md
}

# Every line of a README block stands in the output, in that order; "..." skips lines.
shows() { # BLOCK OUTPUT
    awk 'NR == FNR { if ($0 !~ /^ *\.\.\.$/ && $0 != "") want[++n] = $0; next }
        at < n && $0 == want[at + 1] { at++ }
        END { if (at < n) { print "missing: " want[at + 1]; exit 1 } }' "$1" "$2"
}

block yaml 1 >"$work/first.yaml"
block text 1 >"$work/want1"
block text 2 >"$work/want2"
block text 3 >"$work/want3"
for n in 1 2 3; do
    check "README has its block of output $n" [ -s "$work/want$n" ]
done

same "the first scenario is the shipped one" scenarios/first.yaml "$work/first.yaml"
run "$SQUALL" run "$work/first.yaml"
cp "$work/stdout" "$work/page1"
check "the first scenario runs" [ "$status" = 0 ]
check "its page has the lines of the README" shows "$work/want1" "$work/page1"
run "$SQUALL" run "$work/first.yaml" --variant cap --out "$work/cap"
cp "$work/stdout" "$work/page2"
check "its variant runs" [ "$status" = 0 ]
check "the page of the variant has the lines of the README" shows "$work/want2" "$work/page2"

sed 's/slots: 4/slot: 4/' "$work/first.yaml" >"$work/wrong.yaml"
run "$SQUALL" run "$work/wrong.yaml"
sed "s|^$work/wrong|first|" "$work/stderr" >"$work/said"
check "a mistake is refused" [ "$status" = 2 ]
check "in the words of the README" shows "$work/want3" "$work/said"

for file in $(grep -o -E '(scenarios|models|sim|plots|tests)/[a-zA-Z0-9_./-]+\.(yaml|csv|svg|h|c)' \
    README.md | sort -u); do
    check "README names $file, which exists" [ -f "$file" ]
done

run "$SQUALL" delays '{preset: grpc, max_attempts: 6}' --retries 5
sed -n '/^     n   min/,/^$/s/^    //p' README.md >"$work/delays"
check "the README shows delays" [ "$(wc -l <"$work/delays")" = 6 ]
check "they are those that the program draws" shows "$work/delays" "$work/stdout"
# Each preset that the README names has a page.
for name in $(sed -n '/^| preset | |$/,/^$/s/^| \(`[^|]*`\) |.*/\1/p' README.md | tr -d '`,'); do
    run "$SQUALL" presets "$name"
    check "README names the preset $name, which exists" [ "$status" = 0 ]
done

run "$SQUALL" run scenarios/template-api-outage.yaml --variant as-it-was --runs 1 --out "$work/out"
hash=$(sed -n '/"run.hash"/,/}/s/.*"value": "\([0-9a-f]*\)".*/\1/p' "$work/out/summary.json")
note "the run's hash is $hash"
check "the chart is of today's run" grep -q "run hash ${hash:-none}" scenarios/template-api-outage.svg
scenario=$(sed -n 's/^ *"hash": "\([0-9a-f]\{8\}\).*/\1/p' "$work/out/summary.json" | head -1)
for kind in variants herd delays ends attempts; do
    file=scenarios/template-api-$kind.svg
    check "$file is of today's scenario" grep -q "scenarios ${scenario:-none}" $file
done
finish
