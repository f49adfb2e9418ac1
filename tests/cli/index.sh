# SPDX-License-Identifier: GPL-3.0-or-later
# scenarios/README.md is the index of the scenarios as they are: one row for each file.
#
#   index.sh              tests it
#   index.sh --update     writes it; runs what has no cost class yet, or all with --costs
#
# Title, first sentence of the notes and runs come from the files. The cost class comes from the
# events of one run of each variant with expectations, times the runs.
. tests/lib.sh
index=scenarios/README.md

folders='. Tutorials and the incident of the README
published Published results, with the figures of the papers and of closed forms
incidents Incidents that companies wrote about, scaled, and problems that users filed
problems Problems of people who run job queues, with a wrong and a right variant
seed-claims Claims about retries that have a number, and what is measured
real Recordings of running systems'

# field FILE KEY: a key of the top level that stands on one line.
field() {
    sed -n "s/^$2: *//p" "$1" | sed 's/  *#.*//' | head -1
}

# The first sentence of the notes, or its first 160 letters.
about() {
    LC_ALL=C awk '/^notes:/ { inside = 1; next }
        inside && (/^[^ ]/ || /^ *$/) { exit }
        inside { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
        END {
            if (match(text, /[^A-Z .][.] [A-Z0-9]/)) text = substr(text, 1, RSTART)
            sub(/[.:]$/, "", text)
            if (length(text) > 160) { text = substr(text, 1, 160); sub(/[ ,;:]+[^ ]*$/, " ...", text) }
            gsub(/\|/, "\\|", text)
            print text == "" ? "-" : text
        }' "$1"
}

# Thousands of events of all runs that `squall check` makes.
events() {
    sum=0 runs=$(field "$1" runs)
    for variant in $("$SQUALL" check --list "$1" | sed -n 's/^[^ ]*:[0-9]*: \([a-z0-9-]*\): .*/\1/p' | sort -u); do
        "$SQUALL" run "$1" --variant "$variant" --runs 1 --out "$work/run" >"$work/log" 2>&1 || exit 1
        one=$(sed -n '/"run.events"/,/}/s/.*"value": \([0-9]*\).*/\1/p' "$work/run/summary.json")
        sum=$((sum + one))
    done
    echo $((sum * ${runs:-1} / 1000))
}

class() { # FILE: that of its row, unless it has none or all are to be measured
    row=$(grep -F "](${1#scenarios/})" $index 2>/dev/null | sed -n -E 's/.*\| (small|medium|large) \|$/\1/p')
    if [ -n "$row" ] && [ "${costs:-}" != --costs ]; then
        echo "$row"
    elif [ "${update:-}" != --update ]; then
        echo unknown
    else
        thousands=$(events "$1")
        if [ "$thousands" -lt 1000 ]; then echo small
        elif [ "$thousands" -lt 10000 ]; then echo medium
        else echo large; fi
    fi
}

page() {
    cat <<'TEXT'
# The scenarios

Made by `sh tests/cli/index.sh --update` from the files: do not edit. `squall check FILE` runs a file and
says whether what it expects holds; `squall run FILE --variant NAME` shows one variant. The language:
[SCENARIO.md](SCENARIO.md), all keys: [KEYS.md](KEYS.md). *Cost* is of all runs that `squall check` makes: small is below
a million events (well below a second of one core), medium below ten million (a few seconds), large more.
TEXT
    echo "$folders" | while read -r folder title; do
        printf '\n## %s\n\n| file | what it shows | about | runs | cost |\n|---|---|---|---|---|\n' "$title"
        for file in "scenarios/$folder"/*.yaml; do
            file=$(echo "$file" | sed 's|/\./|/|')
            runs=$(field "$file" runs)
            printf '| [%s](%s) | %s | %s | %s | %s |\n' "$(basename "$file" .yaml)" "${file#scenarios/}" \
                "$(field "$file" title)" "$(about "$file")" "${runs:-1}" "$(class "$file")"
        done
    done
}

update=${1:-} costs=${2:-}
page >"$work/page"
if [ "$update" = --update ]; then
    cp "$work/page" $index
    exit 0
fi
same "$index is up to date (sh tests/cli/index.sh --update)" "$work/page" $index
find scenarios -name '*.yaml' ! -path 'scenarios/presets/*' | sed 's|^scenarios/||' | LC_ALL=C sort >"$work/files"
grep -o '](\([a-z0-9./-]*\.yaml\))' $index | tr -d ']()' | LC_ALL=C sort >"$work/named"
same 'every scenario stands in it once' "$work/files" "$work/named"
grep '^| \[' $index | grep -v -E '\| (small|medium|large) \|$' >"$work/odd"
check 'every row has a cost class' [ ! -s "$work/odd" ]
finish
