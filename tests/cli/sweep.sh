# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps from the outside: the table, kill -9 in the middle and on from there, shards and merging,
# array jobs, and everything that is refused.
. tests/lib.sh
storm=tests/cli/small.yaml
servers=dependencies.db.servers=1,2,4,8
rate=producers.orders.arrivals=10/s,40/s

sweep() { # ARGUMENT...: eight cells
    run "$SQUALL" sweep $storm --vary $servers --vary $rate "$@"
}
sweep --runs 8 --threads 1 --out "$work/whole"
check 'a sweep succeeds' [ "$status" = 0 ]
check 'stderr is silent' [ ! -s "$work/stderr" ]
check 'the page has a map' grep -q '^P(collapse) by dependencies.db.servers (down)' "$work/stdout"
check 'no line is longer than 80 columns' [ "$(LC_ALL=C.UTF-8 awk '/^  \// { next }
    length($0) > 80' "$work/stdout" | wc -l)" = 0 ]
csv=$work/whole/sweep.csv
check 'the table has its head' [ "$(head -1 "$csv")" = "cell,hash,dependencies.db.servers,\
producers.orders.arrivals,metric,n,mean,lo,hi,p10,p50,p90" ]
check 'every cell has its share of collapses' [ "$(grep -c ',outcome.p_collapse,8,' "$csv")" = 8 ]
check 'nothing half-written' [ "$(ls -A "$work/whole" "$work/whole/cells" | grep -c -v \
    -e '^[0-9]*\.csv$' -e '^sweep' -e '^cells$' -e ':$' -e '^$')" = 0 ]
check 'no file names a folder' [ -z "$(grep -l -r -e "$work" -e tests/cli "$work/whole")" ]

# A cell is what `run` gives with those values.
run "$SQUALL" run $storm --set dependencies.db.servers=2 --set producers.orders.arrivals=40/s \
    --runs 8 --out "$work/run"
mean=$(sed -n '/"jobs.completed": {/,/}/s/^ *"mean": \(.*\),$/\1/p' "$work/run/summary.json")
check 'a cell is the run with those values' grep -q "^4,.*,2,40/s,jobs.completed,8,$mean," "$csv"

sweep --runs 8 --threads 3 --out "$work/three"
same 'the same bytes on three threads' "$work/whole" "$work/three"
LC_ALL=de_DE.UTF-8 sweep --runs 8 --out "$work/comma"
same 'the same bytes in a locale with comma' "$work/whole" "$work/comma"

# ---- going on ----
touch -d '2001-01-01' "$work/three/cells/"*.csv
rm "$work/three/cells/00003.csv" "$work/three/sweep.csv"
sweep --runs 8 --out "$work/three"
same 'a missing cell is run again' "$work/whole" "$work/three"
check 'and no other' [ "$(find "$work/three/cells" -newermt 2002-01-01 -type f | wc -l)" = 1 ]

# Kills a sweep of so many runs when three cells are finished; `left` are those finished then. On a
# busy machine all may be: then it was too short, and a longer one is tried.
kill_in_the_middle() { # RUNS
    rm -rf "$work/killed"
    "$SQUALL" sweep $storm --vary $servers --vary $rate --runs "$1" --out "$work/killed" \
        >/dev/null 2>&1 &
    pid=$!
    tries=0
    while [ ! -e "$work/killed/cells/00002.csv" ] && [ $tries -lt 600 ]; do
        sleep 0.05 2>/dev/null || sleep 1
        tries=$((tries + 1))
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    left=$(find "$work/killed/cells" -name '*.csv' | wc -l)
    note "killed with $left of 8 cells of $1 runs finished"
}
for runs in 200 1000 5000; do
    kill_in_the_middle $runs
    [ "$left" = 8 ] || break
done
check 'kill -9 came in the middle' [ "$left" -ge 1 -a "$left" -lt 8 ]
check 'a killed sweep has no table' [ ! -e "$work/killed/sweep.csv" ]
touch -d '2001-01-01' "$work/killed/cells/"*.csv
sweep --runs $runs --out "$work/killed"
check 'started again it ends well' [ "$status" = 0 ]
check 'finished cells were not run again' \
    [ "$(find "$work/killed/cells" ! -newermt 2002-01-01 -type f -name '0*.csv' | wc -l)" = "$left" ]
sweep --runs $runs --out "$work/calm"
find "$work/killed" -name '*.tmp*' -type f -exec rm {} + # what the kill left of a file in hand
same 'the same bytes as an uninterrupted one' "$work/calm" "$work/killed"

if timeout --preserve-status 5 true 2>/dev/null; then
    run timeout --preserve-status -s INT 1 "$SQUALL" sweep $storm --vary $servers --vary $rate \
        --runs 2000 --out "$work/stopped"
    check 'INT: status 130' [ "$status" = 130 ]
    check 'INT: how to go on' grep -q 'the same command goes on from there' "$work/stderr"
    check 'INT: the page says so' grep -q '^INTERRUPTED: [0-7] of 8 cells are finished' "$work/stdout"
else
    skip 'INT' 'there is no timeout(1) of the kind that keeps the status'
fi

# ---- shards ----
for k in 1 2 3; do
    sweep --runs 8 --shard $k/3 --out "$work/shards"
    check "shard $k of 3" [ "$status" = 0 ]
done
check 'a shard has no table' [ ! -e "$work/shards/shard-2-of-3/sweep.csv" ]
check 'a shard has its cells' [ "$(ls "$work/shards/shard-2-of-3/cells" | tr '\n' ' ')" = \
    '00002.csv 00005.csv 00008.csv ' ]
run "$SQUALL" merge "$work/shards/shard-3-of-3" "$work/shards/shard-1-of-3" \
    "$work/shards/shard-2-of-3" --out "$work/merged"
check 'merging succeeds' [ "$status" = 0 ]
same 'shards merged are the whole, byte for byte' "$work/whole" "$work/merged"
run "$SQUALL" merge "$work/shards" --out "$work/merged2"
same 'the folder of all shards will do' "$work/whole" "$work/merged2"

refuse_merge() { # NAME TEXT FOLDER...: status 2, the text on stderr, nothing written
    refuse_name=$1 refuse_text=$2
    shift 2
    run "$SQUALL" merge "$@" --out "$work/refused"
    check "$refuse_name is refused" [ "$status" = 2 ]
    check "$refuse_name is named" grep -q -F -e "$refuse_text" "$work/stderr"
    check "$refuse_name: nothing is written" [ ! -e "$work/refused" ]
}
one=$work/shards/shard-1-of-3 two=$work/shards/shard-2-of-3 three=$work/shards/shard-3-of-3
refuse_merge 'a missing shard' \
    'cell 2 (dependencies.db.servers=1, producers.orders.arrivals=40/s) is missing: shard 2 of 3' \
    "$one" "$three"
refuse_merge 'a doubled cell' "is there twice: in $one too; both are shard 1 of 3" "$one" "$two" \
    "$three" "$one"
copy() { # NAME FILE SED: all shards, with a file changed
    rm -rf "$work/$1"
    cp -r "$work/shards" "$work/$1"
    sed "$3" "$work/$1/$2" >"$work/changed"
    cp "$work/changed" "$work/$1/$2"
}
copy version shard-2-of-3/sweep.json 's/"version": ".*"/"version": "0.0.7"/'
refuse_merge 'another version' 'it was made by squall 0.0.7, not' "$work/version"
sweep --runs 8 --set workers.pool.slots=3 --shard 2/3 --out "$work/other"
refuse_merge 'another scenario hash' 'its scenario hash is ' "$one" "$work/other" "$three"
sweep --runs 9 --shard 2/3 --out "$work/nine"
refuse_merge 'another number of runs' 'it has 9 runs per cell, not 8' "$one" "$work/nine" "$three"
sweep --runs 8 --seed 7 --shard 2/3 --out "$work/seven"
refuse_merge 'another seed' 'its seed is 7, not 1' "$one" "$work/seven" "$three"
sweep --runs 8 --shard 2/4 --out "$work/four"
refuse_merge 'another cut' 'it is cut into 4 shards, not 3' "$one" "$work/four" "$three"
copy swapped shard-2-of-3/cells/00005.csv 's/^5,/6,/'
refuse_merge 'a cell of another number' 'this is not cell 5 ' "$work/swapped"
rm -rf "$work/swapped"
copy short shard-2-of-3/cells/00005.csv '$d'
refuse_merge 'a cell that is cut at a row' \
    'cells/00005.csv: this file is cut: its last row, which counts the others, is missing' "$work/short"
copy gap shard-2-of-3/cells/00005.csv '5d'
refuse_merge 'a cell that lacks a row' 'cells/00005.csv: this file is cut' "$work/gap"
copy unfinished shard-2-of-3/cells/00005.csv ''
rm "$work/unfinished/shard-2-of-3/cells/00005.csv"
refuse_merge 'an unfinished cell' 'cell 5 (dependencies.db.servers=4' "$work/unfinished"
copy broken shard-2-of-3/sweep.json 's/"hash"/"hush"/'
refuse_merge 'an unreadable shard' 'this describes no sweep' "$work/broken"
mkdir "$work/empty"
refuse_merge 'a folder of something else' 'there is no sweep here' "$work/empty"
refuse_merge 'a folder that is not there' 'there is no sweep here' "$work/nowhere"
run "$SQUALL" merge "$work/shards"
check 'merging needs a folder' [ "$status" = 2 ]

# ---- array jobs ----
auto() { # NAME WANT VARIABLE=VALUE...: the shard that is taken
    auto_name=$1 auto_want=$2
    shift 2
    rm -rf "$work/auto"
    run env "$@" "$SQUALL" sweep $storm --vary $servers --runs 1 --shard "${shard:-auto}" --out "$work/auto"
    check "$auto_name" [ "$(ls "$work/auto" 2>/dev/null)" = "$auto_want" ]
}
auto 'Slurm' shard-2-of-3 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3
auto 'Slurm in steps' shard-3-of-3 SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=0 \
    SLURM_ARRAY_TASK_STEP=4 SLURM_ARRAY_TASK_COUNT=3
auto 'AWS Batch' shard-1-of-2 AWS_BATCH_JOB_ARRAY_INDEX=0 AWS_BATCH_JOB_ARRAY_SIZE=2
shard=auto/2
auto 'Kubernetes' shard-2-of-2 JOB_COMPLETION_INDEX=1
auto 'Kubernetes, a task too many' '' JOB_COMPLETION_INDEX=2
shard=auto
auto 'Kubernetes does not say of how many' '' JOB_COMPLETION_INDEX=1
check 'it is said' grep -q -F -e '--shard auto/N' "$work/stderr"
auto 'gaps in an array' '' SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3
auto 'no array job' '' NOTHING=1

# ---- refusals ----
refuse() { # NAME TEXT ARGUMENT...: status 2, the text on stderr, nothing on stdout, no folder
    refuse_name=$1 refuse_text=$2
    shift 2
    run "$SQUALL" sweep $storm "$@" --out "$work/refused"
    check "$refuse_name is refused" [ "$status" = 2 ]
    check "$refuse_name is named" grep -q -F -e "$refuse_text" "$work/stderr"
    check "$refuse_name: no folder" [ ! -e "$work/refused" ]
}
refuse 'no key' 'say which key has which values'
refuse 'a key without values' 'a key and its values are needed' --vary seed
refuse 'an empty value' 'a value is missing of seed' --vary seed=1,,2
refuse 'a value twice' 'stands there twice: 2' --vary seed=2,1,2
refuse 'a key twice' 'is varied twice: seed' --vary seed=1,2 --vary seed=3,4
refuse 'an unknown key' 'did you mean `servers`?' --vary dependencies.db.server=1,2
refuse 'a value that cannot be' 'cell 2 (dependencies.db.servers=0)' --vary dependencies.db.servers=1,0
refuse 'an unknown variant' 'there is no variant' --vary variant=base,cap
refuse 'an unknown metric' 'did you mean `jobs.completed`?' --vary seed=1,2 --metrics jobs.complete
refuse 'shard 0' 'this is no shard: 0/3' --vary seed=1,2 --shard 0/3
refuse 'shard 4 of 3' 'this is no shard: 4/3' --vary seed=1,2 --shard 4/3
run "$SQUALL" sweep $storm --vary seed=1,2
check 'a sweep needs a folder' [ "$status" = 2 ]
sweep --runs 9 --out "$work/whole"
check 'the folder of another sweep is refused' [ "$status" = 2 ]
check 'what differs is named' grep -q 'it has 8 runs per cell, not 9' "$work/stderr"

# ---- values, variants, one key ----
run "$SQUALL" sweep tests/cli/variants.yaml --vary variant=plain,cap --runs 2 --metrics jobs.completed \
    --out "$work/variants"
check 'variants as a key' [ "$status" = 0 ]
check 'only the metrics that were asked for' \
    [ "$(cut -d, -f4 "$work/variants/sweep.csv" | sort -u | tr '\n' ' ')" = \
    'jobs.completed metric outcome.p_collapse ' ]
run "$SQUALL" sweep $storm --vary 'workers.pool.retry.backoff={kind: fixed, base: 1s},{kind: none}' \
    --runs 1 --out "$work/maps"
check 'commas in braces belong to the value' [ "$(ls "$work/maps/cells" | wc -l)" = 2 ]
check 'the page lists the cells' grep -q '^  backoff={kind: none} ' "$work/stdout"
finish
