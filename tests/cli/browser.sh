# SPDX-License-Identifier: GPL-3.0-or-later
# The HTML report in a real browser: as wide as a screen and as a phone, light and dark, printed.
# What it looks at is in browser.html. Without a browser everything is skipped.
. tests/lib.sh
storm=tests/cli/variants.yaml

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
if [ -z "$browser" ]; then
    skip 'the report in a browser' 'there is no chromium here (Debian: apt-get install chromium)'
    finish
fi

chrome() { # ARGUMENT...: without a profile, without calls of its own
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$work/profile" --enable-logging=stderr --window-size=1600,1000 "$@" \
        2>"$work/log"
}

# look PAGE WIDTH [ARGUMENT]: what browser.html finds, one thing a line, in $work/found.
look() {
    look_page=$1 look_width=$2
    shift 2
    chrome --allow-file-access-from-files --virtual-time-budget=10000 --dump-dom "$@" \
        "file://$PWD/tests/cli/browser.html?page=$look_page&width=$look_width" >"$work/dom"
    sed -n '/id="found"/,/<\/pre>/p' "$work/dom" | sed -e 's/.*id="found">//' -e 's/<.*//' >"$work/found"
    if ! grep -q '^done yes$' "$work/found"; then
        fail "$look_width px: the page was looked at" "$work/found" "$work/log"
        finish
    fi
}

# fits NAME: what must hold of every page, at every width, in both themes.
fits() {
    check "$1: no errors" [ -z "$(grep CONSOLE "$work/log")" ]
    for fact in 'requests 0' 'scripts 1' 'alerts 0' 'overflow 0' 'outside 0' 'cut 0' 'strays 0' \
        'forms 0' 'uses 0' 'twice 0' 'letters many' 'headings true' 'scopes true' 'names true' \
        'anchors true'; do
        if grep -q "^$fact\$" "$work/found"; then
            pass "$1: $fact"
        else
            fail "$1: $fact" "$work/found"
        fi
    done
    check "$1: contrast of at least 4.5" awk '$1 == "contrast" { exit !($2 >= 4.5) }' "$work/found"
}

run "$SQUALL" compare $storm --runs 3 --out "$work/compare"
run "$SQUALL" report "$work/compare" -o "$work/report.html"
check 'there is a report' [ "$status" = 0 ]
dark='--blink-settings=preferredColorScheme=0'
look "$work/report.html" 1440
fits 1440
check 'light paper' grep -q '^paper rgb(255, 255, 255)$' "$work/found"
check 'pictures of all variants and one of each' grep -q '^pictures 12$' "$work/found"
cp "$work/found" "$work/wide"
look "$work/report.html" 390
fits 390
check 'the answer stands on the first screen of a phone' grep -q '^first true$' "$work/found"
look "$work/report.html" 1440 --force-dark-mode $dark
fits '1440, dark'
check 'dark paper' grep -q '^paper rgb(22, 25, 30)$' "$work/found"
look "$work/report.html" 390 --force-dark-mode $dark
fits '390, dark'

# The values under the pointer are those of timeline.csv: a short run has a column per bin.
values() { # WORD: the time and the retries that were shown
    sed -n "s/^$1 \\([0-9]*\\)m\\([0-9]*\\)s .* first calls \\([0-9,]*\\)\\/s .* retries \\([0-9,]*\\)\\/s .*/\\1 \\2 \\3 \\4/p" \
        "$work/wide" | tr -d , | awk '{ print $1 * 60 + $2, $3, $4 }'
}
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /calls_first_per_s$/) f = i
                                               if ($i ~ /calls_retry_per_s$/) r = i } }
         NR > 1 { print $1, $f, $r }' "$work/compare/plain/timeline.csv" >"$work/bins"
check 'a pointer shows values' [ -n "$(values pointed)" ]
check 'they are those of the file' grep -q -x -e "$(values pointed)" "$work/bins"
check 'an arrow key shows those of the next bin' \
    [ "$(grep -x -A1 -e "$(values pointed)" "$work/bins" | tail -1)" = "$(values walked)" ]

# Printed, with everything that is folded for the screen but all metrics and scenarios.
chrome --no-pdf-header-footer --print-to-pdf="$work/report.pdf" "file://$work/report.html"
check 'it prints' [ "$(head -c 5 "$work/report.pdf")" = '%PDF-' ]
check 'without errors' [ -z "$(grep CONSOLE "$work/log")" ]
if command -v pdftotext >/dev/null 2>&1; then
    pdftotext -layout "$work/report.pdf" "$work/printed"
    check 'the answer is printed' grep -q 'collapse in none of 3 runs' "$work/printed"
    check 'the words of the pictures are' grep -q 'Calls per second to db' "$work/printed"
    check 'so is what happened' grep -q 'db goes down, as planned' "$work/printed"
    check 'and how to make it again' grep -q 'squall compare variants.yaml' "$work/printed"
else
    skip 'the words on paper' 'there is no pdftotext here'
fi

# Texts that would do something, or would not fit.
long=$(printf 'long%.0s' $(seq 125))
cat >"$work/hostile.yaml" <<END
squall: 1
title: '<script>window.alerted=1</script> "quoted" ''and'' שלום עולם 🔥 $long'
notes: '<img src="x" onerror="window.alerted=1"> </p></pre><style>*{color:red}</style> مرحبا $long'
duration: 1m
producers: {$(printf 'p%.0s' $(seq 40)): {queue: $(printf 'q%.0s' $(seq 40)), arrivals: 20/s}}
queues: {$(printf 'q%.0s' $(seq 40)): {}}
workers:
  w: {queue: $(printf 'q%.0s' $(seq 40)), slots: 9, calls: {$(printf 'd%.0s' $(seq 40)): {timeout: 1s}}}
dependencies: {$(printf 'd%.0s' $(seq 40)): {service: 100ms, servers: 9, outages: [{at: 20s, for: 10s}]}}
actions: [{at: 30s, set: {workers.w.slots: 5}, note: '"><script>window.alerted=1</script>🧯 שלום $long'}]
variants: {$(printf 'v%.0s' $(seq 40)): {workers: {w: {slots: 2}}}}
END
cp "$work/hostile.yaml" "$work/<b onclick=alert(1)>&\"x'.yaml"
hostile() { # NAME FOLDER
    run "$SQUALL" report "$2" -o "$work/hostile.html"
    check "$1: there is a report" [ "$status" = 0 ]
    look "$work/hostile.html" 1440
    fits "$1, 1440"
    look "$work/hostile.html" 390
    fits "$1, 390"
}
run "$SQUALL" compare "$work/hostile.yaml" --runs 2 --out "$work/hostile"
check 'hostile texts are compared' [ "$status" = 0 ]
hostile 'hostile texts' "$work/hostile"
run "$SQUALL" compare "$work/hostile.yaml" "$work/<b onclick=alert(1)>&\"x'.yaml" --runs 2 \
    --out "$work/files"
check 'hostile files are compared' [ "$status" = 0 ]
hostile 'hostile names of files' "$work/files"
finish
