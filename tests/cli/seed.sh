# SPDX-License-Identifier: GPL-3.0-or-later
# Seeds of all 64 bits, from the option or the file to every result and back: none loses a bit on
# its way through JSON, whose readers keep 53 of them.
. tests/lib.sh
most=18446744073709551615
odd=9007199254740993 # 2^53 + 1: as a double it is 2^53
small=tests/cli/small.yaml
quick='--set duration=20s --set tail=10s --set dependencies.db.outages=[]'
{ sed "s/^runs: .*/runs: 1/" $small; echo "seed: $most"; } >"$work/most.yaml"

seeded() { # NAME COMMAND...: ends with 0
    seeded_name=$1
    shift
    run "$SQUALL" "$@"
    check "$seeded_name" [ "$status" = 0 ]
}

# shellcheck disable=SC2086
seeded 'the largest seed in a file' run "$work/most.yaml" $quick --out "$work/file"
# shellcheck disable=SC2086
seeded 'the largest seed as an option' run $small --runs 1 $quick --seed $most --out "$work/option"
check 'the page says it' grep -q "seed $most" "$work/stdout"
same 'both are the same luck' "$work/file/runs.csv" "$work/option/runs.csv"
check 'the summary has it in full' grep -q -x "    \"seed\": \"$most\"," "$work/option/summary.json"
check 'the echo of the file has it in full' grep -q "^seed: $most\$" "$work/file/scenario.yaml"
seeded 'the echo runs' run "$work/file/scenario.yaml" --out "$work/again"
same 'and gives the same runs' "$work/file/runs.csv" "$work/again/runs.csv"
seeded 'the report says it' report "$work/option" -o "$work/report.html"
check 'and how to make it again' grep -q -e "--seed $most" "$work/report.html"

for seed in 0 $odd $((odd - 1)); do
    # shellcheck disable=SC2086
    seeded "seed $seed" run $small --runs 1 $quick --seed $seed --out "$work/seed-$seed"
done
check 'a seed of up to 2^53 is a number' \
    grep -q -x "    \"seed\": $((odd - 1))," "$work/seed-$((odd - 1))/summary.json"
check '2^53 + 1 is not 2^53' [ "$(cmp -s "$work/seed-$odd/runs.csv" "$work/seed-$((odd - 1))/runs.csv"
    echo $?)" = 1 ]
run "$SQUALL" diff "$work/seed-$odd" "$work/seed-$((odd - 1))"
check 'and does not pair with it' grep -q "seed $((odd - 1)), the other one $odd" "$work/stderr"

# shellcheck disable=SC2086
seeded 'compare' compare tests/cli/variants.yaml --variants plain,cap --runs 1 --seed $most \
    --set duration=5m --out "$work/compare"
check 'comparison.json has it in full' grep -q "\"seed\": \"$most\"" "$work/compare/comparison.json"
for shard in 1 2; do
    # shellcheck disable=SC2086
    seeded "shard $shard of a sweep" sweep $small --runs 1 --seed $odd $quick \
        --vary workers.pool.slots=1,2 --shard $shard/2 --out "$work/shard-$shard"
done
seeded 'shards of one odd seed are merged' merge "$work/shard-1" "$work/shard-2" --out "$work/merged"
check 'sweep.json has it in full' grep -q "\"seed\": \"$odd\"" "$work/merged/sweep.json"
# shellcheck disable=SC2086
run "$SQUALL" sweep $small --runs 1 --seed $((odd - 1)) $quick --vary workers.pool.slots=1,2 \
    --shard 2/2 --out "$work/shard-3"
run "$SQUALL" merge "$work/shard-1" "$work/shard-3" --out "$work/unlike"
check 'those of another are not' grep -q "its seed is $((odd - 1)), not $odd" "$work/stderr"

seeded 'a baseline' check "$work/most.yaml" --baseline "$work/base" --update-baseline
seeded 'is met' check "$work/most.yaml" --baseline "$work/base"
seeded 'delays' delays '{backoff: 3s, jitter: full}' --samples 100 --seed $most
check 'delays say it' grep -q "seed $most" "$work/stdout"
seeded 'variants of seeds' sweep $small --runs 1 $quick --vary seed=0,$most --out "$work/vary"
run "$SQUALL" limits $small --find seed=0..9 --until 'jobs.completed > 0'
check 'a seed is nothing to search along' grep -q 'is no amount' "$work/stderr"
run "$SQUALL" run $small --seed 18446744073709551616
check 'one more is refused' [ "$status" = 2 ]
check 'with the maximum' grep -q "above the maximum $most" "$work/stderr"
finish
