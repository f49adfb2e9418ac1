# SPDX-License-Identifier: GPL-3.0-or-later
# The delays of a policy from the outside: table, chart and CSV, exact where there is no luck, the
# same for the same seed, and what is wrong with a policy said with its place.
. tests/lib.sh

says() { # NAME TEXT: stdout contains the text
    check "$1" grep -q -F -e "$2" "$work/stdout"
}
narrow() { # NAME
    check "$1" [ "$(tr -d '\200-\277' <"$work/stdout" | awk 'length($0) > 80' | wc -l)" = 0 ]
}
# refused NAME TEXT: ended with 2, printed nothing, and stderr is the text.
refused() {
    printf '%s\n' "$2" >"$work/wanted"
    check "$1: status" [ "$status" = 2 ]
    check "$1: nothing printed" [ ! -s "$work/stdout" ]
    same "$1: what it says" "$work/wanted" "$work/stderr"
}

run "$SQUALL" delays celery
check 'the delays of a preset' [ "$status" = 0 ]
says 'it says how often it retries' 'At most 3 retries, 4 runs in all.'
says 'it says what was drawn' '100000 draws, seed 1.'
check 'whole seconds from 0 to 4 s' awk '$1 == 3 && NF == 14 { found = $2 == "0s" && $3 == "0s" &&
    $5 == "1s" && $7 == "2s" && $9 == "3s" && $11 == "4s" && $12 == "4s" } END { exit !found }' \
    "$work/stdout"
says 'a chart' '▒█▒'
narrow 'no line is longer than 80 columns'
check 'three retries, as the policy allows' [ "$(grep -c '^ 3 ' "$work/stdout")" = 2 ]
check 'and no fourth' [ "$(grep -c '^ 4 ' "$work/stdout")" = 0 ]

for policy in kafka-producer polly-exponential sidekiq river aws-go tenacity gax stripe finagle-exponential; do
    run "$SQUALL" delays $policy --retries 12 --samples 1000
    check "$policy: status" [ "$status" = 0 ]
    narrow "$policy: no line is longer than 80 columns"
done

run "$SQUALL" delays temporal --retries 8 --format csv
cat >"$work/wanted" <<'CSV'
retry,exact,min_s,mean_s,p10_s,p20_s,p30_s,p40_s,p50_s,p60_s,p70_s,p80_s,p90_s,max_s,until_min_s,until_mean_s,until_max_s
1,true,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
2,true,2,2,2,2,2,2,2,2,2,2,2,2,3,3,3
3,true,4,4,4,4,4,4,4,4,4,4,4,4,7,7,7
4,true,8,8,8,8,8,8,8,8,8,8,8,8,15,15,15
5,true,16,16,16,16,16,16,16,16,16,16,16,16,31,31,31
6,true,32,32,32,32,32,32,32,32,32,32,32,32,63,63,63
7,true,64,64,64,64,64,64,64,64,64,64,64,64,127,127,127
8,true,100,100,100,100,100,100,100,100,100,100,100,100,227,227,227
CSV
same 'a law without luck is exact' "$work/wanted" "$work/stdout"

run "$SQUALL" delays '{backoff: {kind: linear, base: 250ms, cap: 600ms}, jitter: none, max_attempts: 9}' --retries 3
says 'exact delays are whole' ' 2               500ms               750ms'
says 'and say so' 'There is no luck in these delays: each is exact.'

run "$SQUALL" delays '{preset: lambda-async, max_retries: 5}'
says 'a preset with a key beside it' 'At most 5 retries, 6 runs in all; none later than 6h after the first try'
run "$SQUALL" delays bullmq --retries 6
says 'retries beyond the limit are called so' 'Lines beyond retry 2: if that limit were'

run "$SQUALL" delays polly-exponential --format csv --seed 5
cp "$work/stdout" "$work/first"
run "$SQUALL" delays polly-exponential --format csv --seed 5
same 'the same seed gives the same numbers' "$work/first" "$work/stdout"
run "$SQUALL" delays polly-exponential --format csv --seed 6
check 'another seed gives others' [ "$(cmp -s "$work/first" "$work/stdout"; echo $?)" = 1 ]
LC_ALL=de_DE.UTF-8 run "$SQUALL" delays polly-exponential --format csv --seed 5
same 'the same in a locale with comma' "$work/first" "$work/stdout"
# Medians of the decorrelated curve at 2 s: 1.78, 2.28, 4.04 s; its first three delays together have
# the mean of 2 s * 2^t tanh sqrt(4 t) / 1.4 over t in [2, 3), 8.227 s.
check 'its medians and its sum are those of the curve' awk -F, '
    function near(x, y) { return x > y * 0.98 && x < y * 1.02 }
    NR == 2 && !near($9, 1.78) { exit 1 }
    NR == 3 && !near($9, 2.28) { exit 1 }
    NR == 4 && (!near($9, 4.04) || !near($16, 8.227)) { exit 1 }' "$work/first"

run "$SQUALL" delays celry
refused 'an unknown preset' "POLICY:1:1: retry.preset: there is no retry preset \`celry\`
    hint: did you mean \`celery\`?"
run "$SQUALL" delays '{backoff: {base: 5}}'
refused 'a duration without unit' \
    "POLICY:1:18: retry.backoff.base: \`5\` needs a unit, for example 5s or 200ms"
run "$SQUALL" delays '{backoff: {bse: 5s}}'
refused 'an unknown key' "POLICY:1:12: retry.backoff.bse: unknown key \`bse\`
    hint: did you mean \`base\`?"
run "$SQUALL" delays 'backoff: ['
refused 'half a list' 'POLICY:1:11: a value was expected here'
run "$SQUALL" delays ' '
refused 'an empty policy' "POLICY: the policy is empty
    hint: for example celery, or '{backoff: 5s, jitter: full}'"
run "$SQUALL" delays celery --format xml
refused 'an unknown format' "--format: there is no format \`xml\`
    hint: write table or csv"
run "$SQUALL" delays celery --retries 0
check 'no retries at all are refused' [ "$status" = 2 ]
run "$SQUALL" delays
check 'a policy is needed' [ "$status" = 2 ]
finish
