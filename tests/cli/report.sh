# SPDX-License-Identifier: GPL-3.0-or-later
# The HTML report: everything in one file, nothing from outside, nothing of a hostile scenario at
# work in it; and folders that hold no result.
. tests/lib.sh
storm=tests/cli/variants.yaml

run "$SQUALL" compare $storm --runs 3 --out "$work/compare"
run "$SQUALL" report "$work/compare" -o "$work/report.html"
check 'a report is made' [ "$status" = 0 ]
check 'nothing is said' [ ! -s "$work/stdout" ]
page() { # NAME TEXT
    check "$1" grep -q -F -e "$2" "$work/report.html"
}
page 'the title' '<title>A small storm</title>'
page 'it can be read on a phone' '<meta name="viewport"'
page 'the question' '<p class="question"'
page 'the answer' '<p class="answer" dir="auto">plain and jitter collapse in none of 3 runs, overload in 1, cap in 2.'
page 'P(collapse)' '<th scope="col">P(collapse)</th>'
page 'how many expectations hold' '<li>Expectations of the scenario: 1 of 2 hold, 1 does not.'
page 'how little three runs prove' '0 of 3 is [0 %, 56 %]'
page 'the table' '<tr><th scope="row">amplification</th><td>'
page 'what a variant changes' 'workers.pool.retry.jitter.kind: none -&gt; full'
page 'the life of one job' '<h2 id="p1-job">The life of one job</h2>'
page 'what happened' 'db goes down, as planned (until 2m00s)'
page 'expectations' '<td><b class="bad">FAILED</b></td><td><bdi>cap</bdi></td>'
page 'the scenario in force' '<summary>Effective scenario of <bdi>overload</bdi></summary>'
page 'how to make it again' 'squall compare variants.yaml --variants plain,jitter,cap,overload --seed 1 --runs 3 --out out'
page 'what it was made from' '<footer><p>variants.yaml, seed 1, 3 runs of each variant; squall '
check 'the answer stands first' [ "$(grep -n -e 'class="answer"' -e '<h2' "$work/report.html" |
    head -1 | grep -c answer)" = 1 ]
check 'four timelines' [ "$(grep -c '<figure data-left=' "$work/report.html")" = 4 ]
check 'nothing from outside' [ -z "$(sed 's/xmlns="[^"]*"//' "$work/report.html" |
    grep -i -E '(src|href) *= *"[^d#]|url\(|@import|<iframe|https?:')" ]
check 'one script, ours' [ "$(grep -c -i '<script' "$work/report.html")" = 1 ]
check 'no id twice' [ -z "$(grep -o ' id="[^"]*"' "$work/report.html" | sort | uniq -d)" ]
check 'no folder of this machine' [ -z "$(grep -F "$work" "$work/report.html")" ]

# The picture is the chart itself: the same shapes and texts.
sed -n '/<desc>/,/<\/svg>/p' "$work/compare/plain/timeline.svg" >"$work/chart"
sed -n '/<figure data-left/,$p' "$work/report.html" | sed -n '/<desc>/,/<\/svg>/p;/<\/svg>/q' >"$work/picture"
same 'the first timeline is the chart of the first variant' "$work/chart" "$work/picture"
check 'its words are words' grep -q '>first calls</text>' "$work/picture"
well_formed() { # NAME FILE
    if command -v xmllint >/dev/null 2>&1; then
        check "$1" xmllint --noout --nonet "$2"
    else
        skip "$1" 'there is no xmllint here'
    fi
}
well_formed 'every element is closed' "$work/report.html"

run "$SQUALL" report "$work/compare"
same 'without -o the same page on stdout' "$work/report.html" "$work/stdout"
cp -R "$work/compare" "$work/moved"
run "$SQUALL" report "$work/moved"
same 'the same page from another folder' "$work/report.html" "$work/stdout"

# Two folders: a run of one replication, and a comparison.
run "$SQUALL" run tests/cli/small.yaml --runs 1 --out "$work/run"
run "$SQUALL" report "$work/run" "$work/compare" -o "$work/both.html"
check 'several folders make one page' [ "$(grep -c '<article>' "$work/both.html")" = 2 ]
check 'the first gives the title' grep -q '<title>Small</title>' "$work/both.html"
well_formed 'the page of two folders is well-formed' "$work/both.html"

# One run that never recovers: its picture is as wide as the page and has 1,500 bins.
run "$SQUALL" run scenarios/first.yaml --runs 1 --out "$work/wide"
run "$SQUALL" report "$work/wide" -o "$work/wide.html"
check 'a run with more bins than a chart has columns' [ "$status" = 0 ]

# A scenario whose texts would do something in a page.
sed -e 's/^title: .*/title: "<script>alert(1)<\/script> \& \\"quoted\\""/' \
    -e '/^duration/i notes: "<img src=x onerror=alert(2)>"' $storm >"$work/hostile.yaml"
run "$SQUALL" compare "$work/hostile.yaml" --runs 2 --out "$work/hostile"
run "$SQUALL" report "$work/hostile" -o "$work/hostile.html"
check 'a hostile scenario is reported' [ "$status" = 0 ]
check 'its texts do nothing' [ "$(grep -i -e '<script' -e '<img' "$work/hostile.html")" = '<script>' ]
check 'its texts are there' grep -q '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;quoted&#34;' \
    "$work/hostile.html"
check 'its notes are there' grep -q '<p class="notes" dir="auto">&lt;img src=x' "$work/hostile.html"
well_formed 'the page of a hostile scenario is well-formed' "$work/hostile.html"

# A part of a study says so.
if timeout --preserve-status 5 true 2>/dev/null; then
    timeout --preserve-status -s INT 2 "$SQUALL" compare $storm --runs 50000 --out "$work/part" \
        >"$work/stdout" 2>"$work/stderr"
    run "$SQUALL" report "$work/part" -o "$work/part.html"
    check 'a report of a part says so' \
        grep -q '<p class="warn">INTERRUPTED after [0-9]* of 50000 runs' "$work/part.html"
else
    skip 'a report of a part says so' 'there is no timeout(1) of the kind that keeps the status'
fi

refuse() { # NAME TEXT ARGUMENT...
    refuse_name=$1 refuse_text=$2
    shift 2
    run "$SQUALL" report "$@" -o "$work/refused.html"
    check "$refuse_name is refused" [ "$status" = 2 ]
    check "$refuse_name is named" grep -q -F -e "$refuse_text" "$work/stderr"
    check "$refuse_name: no page" [ ! -e "$work/refused.html" ]
}
mkdir "$work/empty"
refuse 'an empty folder' "$work/empty: there is no result in this folder" "$work/empty"
refuse 'a missing folder' "$work/absent" "$work/compare" "$work/absent"
rm -r "$work/moved/cap"
refuse 'a variant that is gone' "$work/moved/cap/summary.json" "$work/moved"
rm "$work/compare/cap/timeline.csv"
refuse 'a variant without its timeline' "$work/compare/cap/timeline.csv" "$work/compare"
finish
