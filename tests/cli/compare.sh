# SPDX-License-Identifier: GPL-3.0-or-later
# A comparison from the outside: the page, the files, the same bytes for any number of threads, the
# same runs as `run` gives, and what is refused.
. tests/lib.sh
storm=tests/cli/variants.yaml

run "$SQUALL" compare $storm --out "$work/one" --threads 1
check 'a comparison succeeds, whatever the expectations say' [ "$status" = 0 ]
check 'stderr is silent' [ ! -s "$work/stderr" ]
cp "$work/stdout" "$work/page"
page() { # NAME TEXT: the page contains the text
    check "$1" grep -q -F -e "$2" "$work/page"
}
page 'the page names the study' 'A small storm: 4 variants on the same luck, 8 runs each, seed 1'
page 'the page says how little eight runs prove' '0 of 8 is [0 %, 32 %]'
page 'the page has differences' 'Difference to plain on the same luck: mean of the pairs of runs'
page 'the page counts expectations' 'Expectations: 1 of 2 hold'
page 'the page shows a failed one' 'FAILED'
check 'no line is longer than 80 columns' [ "$(LC_ALL=C.UTF-8 awk '/^  \// { next }
    length($0) > 80' "$work/page" | wc -l)" = 0 ]
for variant in plain jitter cap overload; do
    page "a verdict on $variant" "  $variant: "
    check "files of $variant" [ "$(ls "$work/one/$variant" | wc -l)" -eq 7 ]
done
ls -p "$work/one" | grep -v / >"$work/files"
printf '%s\n' comparison.csv comparison.json comparison.md >"$work/wanted"
same 'three files and the folders of the variants, nothing else' "$work/wanted" "$work/files"
check 'the Markdown has the table' grep -q '^| median, and paired difference | plain | jitter |' \
    "$work/one/comparison.md"
check 'no file names a folder' [ -z "$(grep -l -r -e "$work" -e tests/cli "$work/one")" ]

run "$SQUALL" compare $storm --out "$work/two" --threads 2
same 'the same files on two threads' "$work/one" "$work/two"
sed "s|$work/two|$work/one|" "$work/stdout" >"$work/page-two"
same 'the same page on two threads' "$work/page" "$work/page-two"
# tests/run.sh makes this locale where the system has none.
LC_ALL=de_DE.UTF-8 run "$SQUALL" compare $storm --out "$work/comma"
same 'the same files in a locale with comma' "$work/one" "$work/comma"

run "$SQUALL" run $storm --variant jitter --out "$work/alone"
grep -v '"expect"' "$work/alone/summary.json" >/dev/null
same 'a variant has the files that run gives it' "$work/alone" "$work/one/jitter"

# Arrivals are keyed by producer and number: every variant meets the same ones.
cut -d, -f1-3 "$work/one/comparison.csv" >"$work/head"
grep '^jobs.arrived,' "$work/one/comparison.csv" | cut -d, -f3-11 | sort -u >"$work/arrived"
check 'all variants have the same arrivals' [ "$(wc -l <"$work/arrived")" -eq 1 ]
check 'a difference of nothing is exactly 0' grep -q '^jobs.arrived,cap,.*,8,0,0,0,' \
    "$work/one/comparison.csv"

run "$SQUALL" compare $storm --variants cap,base --runs 1 --seed 5 --set duration=3m
check 'chosen variants, runs, seed and values' [ "$status" = 0 ]
check 'the first is what the other is compared with' grep -q '^Difference to cap ' "$work/stdout"
check 'one run says so' grep -q '^One run of each variant says nothing about chance' "$work/stdout"

refuse() { # NAME TEXT ARGUMENT...: status 2, the text on stderr, nothing on stdout, no folder
    refuse_name=$1 refuse_text=$2
    shift 2
    run "$SQUALL" compare "$@" --out "$work/refused"
    check "$refuse_name is refused" [ "$status" = 2 ]
    check "$refuse_name is named" grep -q -F -e "$refuse_text" "$work/stderr"
    check "$refuse_name: nothing on stdout" [ ! -s "$work/stdout" ]
    check "$refuse_name: no folder" [ ! -e "$work/refused" ]
}
refuse 'an unknown variant' 'did you mean `jitter`?' $storm --variants plain,jiter
refuse 'a variant named twice' 'a variant is named twice: cap' $storm --variants cap,cap
refuse 'one variant' 'nothing to compare' $storm --variants cap
refuse 'a file without variants' 'the file has no variants' tests/cli/small.yaml
refuse 'a wrong value' 'duration' $storm --set duration=soon
sed 's/  plain: {}/  "..\/plain": {}/' $storm >"$work/name.yaml"
refuse 'a variant that would leave the folder' 'is not a name' "$work/name.yaml"
run "$SQUALL" compare $storm --runs 1 --out $storm
check 'an output path that is a file is refused' [ "$status" = 2 ]
run "$SQUALL" compare $storm --variants plain,cap --runs auto
check 'the number of runs may be left open' [ "$status" = 0 ]
check 'it is said, and why' grep -q -E '^tests/cli/variants.yaml: note: [0-9]+ runs' "$work/stderr"
made=$(sed -n -E 's/.*note: ([0-9]+) runs.*/\1/p' "$work/stderr")
check 'so many runs are made' grep -q "$made runs each" "$work/stdout"
run "$SQUALL" run $storm --runs auto --replication 2
check 'auto and one replication exclude each other' [ "$status" = 2 ]

# ---- several files, chosen metrics ----
cp tests/cli/small.yaml "$work/calm.yaml"
run "$SQUALL" compare tests/cli/small.yaml "$work/calm.yaml" $storm --runs 4 \
    --metrics jobs.completed,drain.state --out "$work/across"
check 'several files' [ "$status" = 0 ]
check 'their names are the title' grep -q '^small.yaml, calm.yaml, variants.yaml: 3 variants' \
    "$work/stdout"
check 'the rows are those that were asked for' [ "$(sed -n '/^Medians/,/^$/p' "$work/stdout" |
    grep -c -e '^  jobs.completed ' -e '^  drain.state ' -e '^  P(coll' -e '95 %' -e '^Med' -e small \
    -e '^$')" = "$(sed -n '/^Medians/,/^$/p' "$work/stdout" | wc -l)" ]
check 'the same scenario in another file has the same luck' grep -q '^  jobs.completed  *0 ' \
    "$work/stdout"
check 'each has a folder by its name' [ "$(ls -p "$work/across" | grep / | tr '\n' ' ')" = \
    'calm/ small/ variants/ ' ]
run "$SQUALL" report "$work/across" -o "$work/across.html"
check 'a report of several files' [ "$status" = 0 ]
check 'it names them' grep -q 'small.yaml, calm.yaml, variants.yaml' "$work/across.html"
mkdir "$work/two-storms"
cp $storm "$work/two-storms/variants.yaml"
run "$SQUALL" compare $storm "$work/two-storms/variants.yaml" tests/cli/small.yaml --variants base,cap \
    --runs 1 --out "$work/names"
check 'variants of several files, and two files of one name' \
    [ "$(ls -p "$work/names" | grep / | tr '\n' ' ')" = \
    'small/ variants/ variants-2/ variants-cap/ variants-cap-2/ ' ]
sed 's/^duration:/seed: 5\nduration:/' $storm >"$work/seed.yaml"
refuse 'a variant that no file has' 'there is no variant caps' $storm tests/cli/small.yaml --variants caps
refuse 'an unknown metric' 'did you mean `jobs.completed`?' $storm --metrics jobs.complete
refuse 'a second file that is not there' 'does not exist' $storm "$work/absent.yaml"
refuse 'files of different seeds' 'different seeds' $storm "$work/seed.yaml"

finish
