# SPDX-License-Identifier: GPL-3.0-or-later
# squall replay from the outside: logs whose every decision is known by hand, the four kinds of
# control, how the kind is told, and what is wrong with a log said with its line.
. tests/lib.sh

# replays NAME CONTROL: what it prints for work/calls.csv is work/wanted.
replays() {
    run "$SQUALL" replay "$2" "$work/calls.csv"
    check "$1: status" [ "$status" = 0 ]
    same "$1" "$work/wanted" "$work/stdout"
}
# sums NAME CONTROL: the same with --summary.
sums() {
    run "$SQUALL" replay "$2" "$work/calls.csv" --summary
    check "$1: status" [ "$status" = 0 ]
    same "$1" "$work/wanted" "$work/stdout"
}
# refused NAME STDERR: the last run ended with 2, printed nothing and said this.
refused() {
    printf '%s\n' "$2" >"$work/wanted"
    check "$1: status" [ "$status" = 2 ]
    check "$1: nothing printed" [ ! -s "$work/stdout" ]
    same "$1: what it says" "$work/wanted" "$work/stderr"
}

# Two failures in a row open it for 10 s. The call at 11.9 s never left, so its success is nothing;
# the one at 12.1 s is the probe (2.1 s + 10 s, a nanosecond before which it would be refused).
cat >"$work/calls.csv" <<'CSV'
time_s,duration_s,kind
1,0.1,ok
2,0.05,error
2,0.1,timeout
11.9,0.1,ok
12.099999999,0.1,ok
12.1,0.2,ok
CSV
breaker='{window: {kind: consecutive, size: 2}, open_for: 10s, half_open: {calls: 1}}'
cat >"$work/wanted" <<'CSV'
time_s,event,id,kind,decision,state,calls,failures
1,start,,,pass,closed,0,0
1.1,end,,ok,,closed,0,0
2,start,,,pass,closed,0,0
2,start,,,pass,closed,0,0
2.05,end,,error,,closed,0,0
2.1,end,,timeout,,open,0,0
11.9,start,,,refuse,open,0,0
12,end,,ok,left-out,open,0,0
12.099999999,start,,,refuse,open,0,0
12.1,start,,,pass,half-open,0,0
12.199999999,end,,ok,left-out,half-open,0,0
12.3,end,,ok,,closed,0,0
CSV
replays 'a breaker' "$breaker"
cat >"$work/wanted" <<'TEXT'
6 calls: 2 would have been turned away, first at 11.9 s.
2 of them had succeeded.
The breaker would have opened 1 time, first at 2.1 s; not closed for 10.2s in all.
TEXT
sums 'its summary' "$breaker"
sums 'its type may be said' "{breaker: $breaker}"

# A retry asks the budget, and what it holds is told. Half of gRPC's ten tokens must be left: four
# failures leave six, the fifth leaves five.
cat >"$work/calls.csv" <<'CSV'
time_s,event,id,duration_s,kind
0,start,a,,
1,end,a,,unavailable
1,retry,a,,unavailable
2,end,a,,unavailable
3,call,,1,error
4,call,,1,error
5,call,"b,c",1,error
6,retry,"b,c",,error
7,call,,0.5,permanent
8,call,,0.5,ok
9,retry,"b,c",,error
CSV
cat >"$work/wanted" <<'CSV'
time_s,event,id,kind,decision,left
0,start,a,,pass,10
1,end,a,unavailable,,9
1,retry,a,unavailable,pass,9
2,end,a,unavailable,,8
3,start,,,pass,8
4,end,,error,,7
4,start,,,pass,7
5,end,,error,,6
5,start,"b,c",,pass,6
6,end,"b,c",error,,5
6,retry,"b,c",error,refuse,5
7,start,,,pass,5
7.5,end,,permanent,,5
8,start,,,pass,5
8.5,end,,ok,,5.1
9,retry,"b,c",error,pass,5.1
CSV
replays 'a budget' grpc
cat >"$work/wanted" <<'TEXT'
6 calls: 0 would have been turned away, first at 6 s.
3 retries: 1 refused.
TEXT
sums 'its summary' '{budget: grpc}'

# Two tokens, one more each second.
printf 'time_s,duration_s\n0,1\n0,1\n0,1\n0.5,1\n1,1\n' >"$work/calls.csv"
cat >"$work/wanted" <<'CSV'
time_s,event,id,kind,decision,next_in_s
0,start,,,pass,0
0,start,,,pass,1
0,start,,,refuse,1
0.5,start,,,refuse,0.5
1,end,,ok,,0
1,end,,ok,,0
1,end,,ok,left-out,0
1,start,,,pass,1
1.5,end,,ok,left-out,0.5
2,end,,ok,,0
CSV
replays 'a rate limit' '{rate: 1/s, burst: 2}'
cat >"$work/wanted" <<'TEXT'
5 calls: 1 would have been turned away, first at 0.5 s; 3 would have waited.
1 of them had succeeded.
TEXT
sums 'calls wait in a leaky bucket' '{kind: leaky-bucket, rate: 1/s, queue: 2}'

# Trouble with the third of five, over with five successes; then 1, 2 and 3 at a time.
{
    echo time_s,duration_s,kind
    for i in 1 2; do echo "$i,0.1,ok"; done
    for i in 3 4 5; do echo "$i,0.1,reset"; done
    for i in 6 7 8 9 10; do echo "$i,0.1,ok"; done
    printf '11,0.5,ok\n11,0.5,ok\n20.1,0.5,ok\n20.1,0.5,ok\n20.1,0.5,ok\n31,0.1,ok\n'
} >"$work/calls.csv"
run "$SQUALL" replay '{steps: [1, 2, 3], every: 10s}' "$work/calls.csv"
check 'a ramp: status' [ "$status" = 0 ]
cut -d, -f1,2,5- "$work/stdout" | grep -E '^(2.1|5.1|6|10.1|11|20.1|31),' >"$work/seen"
cat >"$work/wanted" <<'CSV'
2.1,end,,calm,,0
5.1,end,,trouble,1,0
6,start,pass,trouble,1,1
10.1,end,,rising,1,0
11,start,pass,rising,1,1
11,start,refuse,rising,1,1
20.1,start,pass,rising,2,1
20.1,start,pass,rising,2,2
20.1,start,refuse,rising,2,2
31,start,pass,full,3,1
CSV
same 'a ramp' "$work/wanted" "$work/seen"
cat >"$work/wanted" <<'TEXT'
16 calls: 2 would have been turned away, first at 11 s.
2 of them had succeeded.
Trouble would have begun 1 time, first at 5.1 s; below its top for 25.9s in all.
TEXT
sums 'its summary' '{steps: [1, 2, 3], every: 10s}'

# The same bytes again, and epoch times to the nanosecond.
printf 'time_s,duration_s\n1732968000.123456789,0.5\n' >"$work/calls.csv"
run "$SQUALL" replay sre "$work/calls.csv"
check 'epoch times' grep -q '^1732968000.623456789,end' "$work/stdout"
cp "$work/stdout" "$work/wanted"
replays 'the same log, the same bytes' sre

# What is wrong with the control.
run "$SQUALL" replay hysterix "$work/calls.csv"
refused 'a name that nothing has' "CONTROL:1:1: \`hysterix\` is no breaker, budget, rate_limit or ramp
    hint: say which: '{budget: envoy}', '{breaker: {open_for: 5s}}'; \`squall presets\` lists the names"
run "$SQUALL" replay '{open_for: 5}' "$work/calls.csv"
refused 'a value of the control' 'CONTROL:1:12: breaker.open_for: `5` needs a unit, for example 5s or 200ms'
run "$SQUALL" replay '{steps: [1, 2], starts: breaker-close}' "$work/calls.csv"
refused 'a ramp without its breaker' 'CONTROL: a ramp that starts when a breaker closes says nothing without it
    hint: use starts: errors-stop'
run "$SQUALL" replay '' "$work/calls.csv"
check 'an empty control' grep -q 'the control is empty' "$work/stderr"

# What is wrong with the log.
printf 'time_s,event,id,kind\n1,start,a,\n2,end,b,ok\nx,start,c,\n3,end,a,breaker-open\n4,stop,a,\n' \
    >"$work/bad.csv"
run "$SQUALL" replay sre "$work/bad.csv"
refused 'four mistakes at once' "$work/bad.csv:3: id: \`b\` is a call that has not started
    hint: a call starts before it ends
$work/bad.csv:4: time_s: \`x\` is no time: a number of seconds
    hint: for example 12.5, or 1732968000.125
$work/bad.csv:5: kind: \`breaker-open\` is no way in which a call that left can end
    hint: ok, refused, rate-limited, unavailable, reset, timeout, error, conflict or permanent
$work/bad.csv:6: event: \`stop\` is no event
    hint: call, start, end or retry"
printf 'time,duration_s\n1,1\n' >"$work/bad.csv"
run "$SQUALL" replay sre "$work/bad.csv"
check 'no column of times' grep -q 'there is no column time_s' "$work/stderr"
printf 'time_s,kind\n1,ok\n' >"$work/bad.csv"
run "$SQUALL" replay sre "$work/bad.csv"
check 'neither durations nor events' grep -q 'neither a column duration_s nor' "$work/stderr"
run "$SQUALL" replay sre "$work/none.csv"
check 'no such file' [ "$status" = 2 ]
finish
