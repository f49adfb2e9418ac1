# SPDX-License-Identifier: GPL-3.0-or-later
# What the world around the program may do to it: full disks, folders and pipes that are shut, signals
# at any moment, links in paths, results that are cut or of others. The right status, no half file,
# and never the files of two runs as one result.
. tests/lib.sh
small=tests/cli/small.yaml
quick='--set duration=20s --set tail=10s --set timeline=1s --set dependencies.db.outages=[]'

# whole FOLDER: it has no summary, or everything that goes with it, and nothing half-written.
whole() {
    [ -e "$1/summary.json" ] || return 0
    tail -c 3 "$1/summary.json" | grep -q '}' || return 1
    [ -s "$1/runs.csv" ] && [ -s "$1/timeline.csv" ] && [ -s "$1/scenario.yaml" ]
}
quiet() { # ends so, without a word of a crash
    ! grep -E -q 'assertion|Sanitizer|runtime error|core dumped' "$work/stderr"
}

# A full device, for pages and for files.
if [ -c /dev/full ]; then
    "$SQUALL" run $small --runs 1 >/dev/full 2>"$work/stderr" </dev/null
    status=$?
    check 'stdout is full: 3' [ "$status" = 3 ]
    check 'stdout is full: said' grep -q 'cannot be written' "$work/stderr"
    # shellcheck disable=SC2086
    run "$SQUALL" run $small --runs 1 $quick --out "$work/full"
    run "$SQUALL" report "$work/full" -o /dev/full
    check 'a report into a full device: 3' [ "$status" = 3 ]
else
    skip 'full devices' 'there is no /dev/full'
fi

# A disk that gets full in the middle: no file may grow beyond so many blocks of 512 bytes.
for blocks in 0 1 8 64; do
    # shellcheck disable=SC2086
    (ulimit -f $blocks && exec "$SQUALL" run $small --runs 1 $quick --out "$work/disk-$blocks") \
        >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$?
    check "files of at most $blocks blocks: 3" [ "$status" = 3 ]
    check "files of at most $blocks blocks: a summary only with all numbers" whole "$work/disk-$blocks"
    check "files of at most $blocks blocks: nothing half-written" \
        [ -z "$(find "$work/disk-$blocks" -name '*.tmp*')" ]
done

# A disk that is full for good: file systems in memory, each larger than the last, until the results
# fit. They exist in a name space of their own, so that nothing stays mounted however this ends.
disk=$work/disk
mkdir "$disk"
if unshare -rm mount -t tmpfs -o size=4k none "$disk" 2>/dev/null; then
    # shellcheck disable=SC2086
    run "$SQUALL" run $small --runs 1 $quick --out "$work/plenty"
    cat >"$work/fill" <<END
run() {
    '$SQUALL' run $small --runs 1 $quick "\$@" --out '$disk/out' >'$work/stdout' 2>'$work/stderr' </dev/null
    status=\$?
}
shut() { # and said so, nothing half-written; a summary is there only with all numbers
    [ "\$status" = 3 ] && [ "\$(wc -l <'$work/stderr')" = 1 ] && grep -q 'the disk is full' '$work/stderr' &&
        [ -z "\$(find '$disk' -name '*.tmp*')" ] || return 1
    [ -e '$disk/out/summary.json' ] || return 0
    [ -s '$disk/out/timeline.csv' ] && [ -s '$disk/out/histograms.csv' ] && [ -s '$disk/out/runs.csv' ] &&
        [ -s '$disk/out/scenario.yaml' ]
}
size=4 status=3
while [ \$size -le 1024 ] && [ \$status != 0 ]; do
    mount -t tmpfs -o size=\${size}k none '$disk' || exit 1
    run
    if [ \$status = 0 ]; then
        diff -r '$disk/out' '$work/plenty' && echo fits >>'$work/ends'
    elif shut; then
        for file in '$disk'/out/*; do
            [ ! -e "\$file" ] || cmp "\$file" "$work/plenty/\${file##*/}" || echo "half \$file" >>'$work/ends'
        done
        echo shut >>'$work/ends'
    else
        echo "size \$size: status \$status" >>'$work/ends'
    fi
    umount '$disk'
    size=\$((size + 12))
done
mount -t tmpfs -o size=1m none '$disk' || exit 1
run && dd if=/dev/zero of='$disk/filler' bs=4k 2>/dev/null
run --seed 2 --set timeline=20ms
shut && ! grep -q -e '"seed": 1,' -e ' seed 1 ' '$disk/out/summary.json' '$disk/out/timeline.svg' 2>/dev/null &&
    echo 'no older summary is left beside new files' >>'$work/ends'
rm '$disk/filler'
run
[ \$status = 0 ] && diff -r '$disk/out' '$work/plenty' && echo 'room again' >>'$work/ends'
mount -o remount,ro '$disk' || exit 1
run --seed 2
[ \$status = 2 ] && grep -q 'read-only' '$work/stderr' && diff -r '$disk/out' '$work/plenty' &&
    echo 'read-only: as it was' >>'$work/ends'
END
    unshare -rm sh "$work/fill" >"$work/filled" 2>&1
    sort "$work/ends" | uniq -c | sed 's/^/# /'
    check 'a full file system: 3, said, no file but whole ones' \
        [ -z "$(grep -v -x -e shut -e fits -e 'no older summary.*' -e 'room again' -e 'read-only.*' "$work/ends")" ]
    check 'at several moments' [ "$(grep -c -x shut "$work/ends")" -gt 4 ]
    check 'one that is large enough: the results' [ "$(grep -c -x fits "$work/ends")" = 1 ]
    check 'full when results are replaced: no older summary beside new files' \
        grep -q 'no older summary' "$work/ends"
    check 'and when there is room again, all is well' grep -q -x 'room again' "$work/ends"
    check 'a file system that is read-only: 2, said, older results as they were' \
        grep -q 'read-only' "$work/ends"
else
    skip 'full file systems' 'none can be mounted here'
fi

# A write that fails in an older folder: its summary is not left beside the files of another run.
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 1 $quick --seed 1 --out "$work/older"
rm "$work/older/runs.csv"
mkdir "$work/older/runs.csv"
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 1 $quick --seed 2 --out "$work/older"
check 'a folder in place of a file: refused' [ "$status" = 2 ]
check 'it is named' grep -q 'runs.csv' "$work/stderr"
check 'two runs are not mixed' [ ! -e "$work/older/summary.json" ]
run "$SQUALL" report "$work/older" -o "$work/mixed.html"
check 'what is left is no result' [ "$status" = 2 ]

# Links in paths: what they lead to is written; one that leads nowhere, or in a circle, is an error.
mkdir "$work/real"
ln -s "$work/real" "$work/link"
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 1 $quick --out "$work/link/deep"
check 'a link to a folder' [ -s "$work/real/deep/summary.json" ]
ln -s "$work/circle" "$work/circle"
run "$SQUALL" run $small --runs 1 --out "$work/circle"
check 'a link to itself: 2' [ "$status" = 2 ]
ln -s "$work/nowhere/at/all" "$work/dangling"
run "$SQUALL" run $small --runs 1 --out "$work/dangling"
check 'a link to nowhere: 2' [ "$status" = 2 ]
: >"$work/target"
ln -s "$work/target" "$work/real/timeline.csv"
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 1 $quick --out "$work/real"
check 'a link to a file stays one' [ -L "$work/real/timeline.csv" ]
check 'and its target is written' [ -s "$work/target" ]

# A pipe that nobody reads any more ends quietly.
"$SQUALL" help scenario 2>"$work/stderr" | head -1 >/dev/null
check 'a closed pipe is no error' [ ! -s "$work/stderr" ]

# Results that are cut, of somebody else, or none.
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 2 $quick --out "$work/good"
size=$(wc -c <"$work/good/summary.json")
for cut in 0 1 100 $((size / 2)) $((size - 3)); do
    rm -rf "$work/cut"
    cp -R "$work/good" "$work/cut"
    head -c "$cut" "$work/good/summary.json" >"$work/cut/summary.json"
    run "$SQUALL" report "$work/cut" -o "$work/cut.html"
    check "a summary cut after $cut bytes: 2" [ "$status" = 2 ]
    check "a summary cut after $cut bytes: named, no page" \
        [ -n "$(grep summary.json "$work/stderr")" -a ! -e "$work/cut.html" ]
done
cp "$work/good/summary.json" "$work/cut/summary.json"
head -c 20 "$work/good/runs.csv" >"$work/cut/runs.csv"
run "$SQUALL" report "$work/cut" -o "$work/cut.html"
check 'rows that are cut: 2' [ "$status" = 2 ]
echo '{"name": "left-pad", "version": "1.3.0"}' >"$work/cut/summary.json"
run "$SQUALL" diff "$work/cut" "$work/good"
check 'a file of another program: 2' [ "$status" = 2 ]
head -c 3000 "$SQUALL" >"$work/cut/summary.json"
run "$SQUALL" report "$work/cut" -o "$work/cut.html"
check 'a binary file: 2' [ "$status" = 2 ]
check 'without a crash' quiet

# Every file that is read belongs to this result: none that was cut or is another's is drawn.
foreign() { # NAME FILE TEXT COMMAND...: the folder "cut" is refused, the file named
    foreign_name=$1 foreign_file=$2 foreign_text=$3
    shift 3
    run "$@"
    check "$foreign_name: 2" [ "$status" = 2 ]
    check "$foreign_name: named" grep -q "$foreign_file: $foreign_text" "$work/stderr"
}
mine='this is not the file that was written with this result'
renew() {
    rm -rf "$work/cut"
    cp -R "$work/good" "$work/cut"
}
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 2 $quick --seed 77 --out "$work/other"
for file in timeline.csv histograms.csv runs.csv scenario.yaml; do
    renew
    cp "$work/other/$file" "$work/cut/$file"
    foreign "$file of another run" "$file" "$mine" "$SQUALL" plot "$work/cut" -o "$work/cut.svg"
done
for file in timeline.csv histograms.csv; do
    renew
    head -n 12 "$work/good/$file" >"$work/cut/$file"
    foreign "$file cut at a row" "$file" "$mine: it is cut" "$SQUALL" plot "$work/cut" -o "$work/cut.svg"
done
renew
rm "$work/cut/histograms.csv"
foreign 'no histograms' histograms.csv 'cannot be read' "$SQUALL" plot "$work/cut" --kind delays \
    -o "$work/cut.svg"
renew
sed 's/$/\r/' "$work/good/timeline.csv" >"$work/cut/timeline.csv"
run "$SQUALL" plot "$work/cut" -o "$work/cut.svg"
check 'line ends that version control changed are no harm' [ "$status" = 0 ]

run "$SQUALL" compare tests/cli/variants.yaml --runs 2 --out "$work/pair"
check 'a comparison' [ "$status" = 0 ]
run "$SQUALL" run tests/cli/variants.yaml --runs 2 --out "$work/pair"
check 'a run does not go into the folder of a comparison' [ "$status" = 2 ]
check 'and says what is there' grep -q 'this folder holds a comparison' "$work/stderr"
run "$SQUALL" run tests/cli/variants.yaml --variant jitter --runs 2 --seed 2 --out "$work/pair/jitter"
foreign "a variant that was run anew" pair/jitter 'this is not the run that was compared: its seed is 2' \
    "$SQUALL" report "$work/pair" -o "$work/cut.html"
(ulimit -f 8 && exec "$SQUALL" compare tests/cli/variants.yaml --runs 2 --out "$work/full-pair") \
    >"$work/stdout" 2>"$work/stderr" </dev/null
status=$?
check 'a comparison whose variants do not fit: 3' [ "$status" = 3 ]
check 'is none' [ -d "$work/full-pair" -a ! -e "$work/full-pair/comparison.json" ]
run "$SQUALL" limits $small --find dependencies.db.servers=1..8 --until "dependency.db.waiting_mean < 0.5" \
    --runs 1 $quick --out "$work/search"
head -n 2 "$work/search/limits.csv" >"$work/rows"
cp "$work/rows" "$work/search/limits.csv"
foreign 'rows of a search that are cut' limits.csv "$mine: it is cut" \
    "$SQUALL" plot "$work/search" -o "$work/cut.svg"

# One folder, one kind of result.
# shellcheck disable=SC2086
{
    run "$SQUALL" limits $small --find workers.pool.slots=1..3 --until 'jobs.completed < 0' --runs 1 \
        $quick --out "$work/good"
    check 'a search does not go into the folder of a run' [ "$status" = 2 ]
    check 'and says what is there' grep -q 'this folder holds a run' "$work/stderr"
    run "$SQUALL" sweep $small --vary workers.pool.slots=1,2 --runs 1 $quick --out "$work/good"
    check 'nor does a sweep' grep -q 'this folder holds a run: a sweep cannot' "$work/stderr"
    check 'which leaves it as it was' [ ! -e "$work/good/cells" ]
    run "$SQUALL" run $small --runs 1 $quick --out "$work/search"
    check 'nor a run into that of a search' [ "$status" = 2 ]
    run "$SQUALL" run $small --runs 2 $quick --out "$work/good"
    check 'a run replaces a run' [ "$status" = 0 ]
}

# What --out echoes is what was run: its own seed and number of runs, and the same bytes again.
# shellcheck disable=SC2086
run "$SQUALL" run $small --runs 3 --seed 18446744073709551615 $quick --out "$work/seeded"
run "$SQUALL" run "$work/seeded/scenario.yaml" --out "$work/again"
for file in scenario.yaml timeline.csv runs.csv; do
    same "the echo run again: $file" "$work/seeded/$file" "$work/again/$file"
done
check 'the seed is echoed' grep -q -x 'seed: 18446744073709551615' "$work/again/scenario.yaml"
check 'the hash is that of the scenario, whatever the seed' \
    [ "$(sed -n 's/^ *"hash": "\(.*\)",/\1/p' "$work/seeded/summary.json" | head -1)" = \
    "$(sed -n 's/^ *"hash": "\(.*\)",/\1/p' "$work/other/summary.json" | head -1)" ]

# Paths that cannot be written are the user's to mend (2), and told before anything is run.
early() { # NAME COMMAND...
    early_name=$1
    shift
    run "$@"
    check "$early_name: 2" [ "$status" = 2 ]
    check "$early_name: said, and nothing was run" \
        [ "$(grep -c 'cannot be written' "$work/stderr")" = 1 -a ! -s "$work/stdout" ]
}
early 'an export into a folder that is not there' \
    "$SQUALL" run $small --runs 1 --openmetrics "$work/nowhere/x.txt"
early 'JUnit into a folder' "$SQUALL" check $small --junit "$work/good"
early 'Markdown into a folder that is not there' "$SQUALL" check $small --markdown "$work/nowhere/x"
early 'JSON below a file' "$SQUALL" check $small --json "$work/rows/x"
early 'a chart into a folder that is not there' "$SQUALL" plot "$work/good" -o "$work/nowhere/x.svg"
early 'a report into a folder that is not there' "$SQUALL" report "$work/good" -o "$work/nowhere/x.html"
early 'a first scenario into a folder that is not there' "$SQUALL" init "$work/nowhere/x.yaml"

# Signals at any moment: 130 or 137 if it was not done before; what is there is whole.
if timeout --preserve-status 5 true 2>/dev/null; then
    for signal in INT TERM HUP KILL; do
        for delay in 0.01 0.03 0.07 0.15 0.3 0.6; do
            folder=$work/signal-$signal-$delay
            # shellcheck disable=SC2086
            run timeout --preserve-status -s $signal $delay \
                "$SQUALL" run $small --runs 20 $quick --out "$folder"
            case $signal:$status in
            *:0 | INT:130 | TERM:130 | TERM:143 | HUP:130 | HUP:129 | KILL:137) ended=yes ;;
            *) ended="status $status" ;;
            esac
            check "$signal after $delay s: how it ends" [ "$ended" = yes ]
            check "$signal after $delay s: what it leaves is whole" whole "$folder"
        done
    done
else
    skip 'signals' 'there is no timeout(1) of the kind that keeps the status'
fi
finish
