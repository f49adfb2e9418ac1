# SPDX-License-Identifier: GPL-3.0-or-later
# Drain forecasts from flags and from a timeline, against sums done by hand.
. tests/lib.sh

# says NAME TEXT OPTION...
says() {
    name=$1 text=$2
    shift 2
    run "$SQUALL" forecast "$@"
    check "$name" grep -q -F -e "$text" "$work/stdout"
}
# 84,210 / (125 - 85) = 2,105 s
says 'a backlog that shrinks by 40 a second' 'clears in 35m' --backlog 84210 --cap 125/s --arrivals 85/s
says 'the naive division' '= 35m10s' --backlog 84210 --cap 125/s --arrivals 85/s
says 'capacity as calls at a time: 40 / 0.32 s' '125/s capacity' --backlog 84210 --cap 40 --service 320ms
says 'a backlog that stands still' 'stalled' --backlog 1000 --cap 100/s --arrivals 100/s
says 'a backlog that grows' 'will not drain: arrivals exceed capacity by 12/s' \
    --backlog 1000 --cap 100/s --arrivals 112/s
# 1,233 / (26 / 60 s) = 2,845 s; the queue counts as clear when 20 are left
says 'per minute' '= 47m30s' --backlog 1233 --cap 26/m
# After 3 minutes of 15.6, 31.25 and 62.5 a second 38,000 have become 40,438; 7 minutes at 75 net
# leave 8,938, and with the timers (4.17 a second from 10m on) those take 126 s more.
says 'ramp, stale jobs and timers' 'queue clear in 12m10s, the last of these jobs done in 30m' \
    --backlog 60000 --stale 22k --cap 40 --service 320ms --arrivals 50/s --ramp 5,10,20,40 \
    --timers 5k@10m..30m
# 60 s at 25 do 1,500 of 10,000; 20 are a clear queue: (8,500 - 20) / 100 = 85 s more
says 'a ramp of rates' 'clears in 2m25s' --backlog 10000 --cap 100/s --ramp 25/s,100/s
# A hundredth of what was asked about counts as clear, at most 20 jobs: 99 jobs at 10/s
says 'timers spread over years' 'clears in 9.9s' --backlog 100 --cap 10/s --timers 50@1m..9000d

# H22: 1,233 pending at 26 a minute, pauses included, are 47 minutes, 47 +- 3 by the bridge's owner.
# (the last 12.33 jobs count as clear: 46.95 minutes)
says 'H22: 1,233 at 26 a minute' 'clears in 47m' --backlog 1233 --cap 26/m
# 0.99 * 15 h = 14h51m, and twice as fast as half of it comes: 14.85 / 0.5 = 29.7 s
says 'few jobs are jobs too' 'clears in 14h50m' --backlog 15 --cap 1/h
says 'and while others come' 'clears in 29.7s' --backlog 15 --cap 1/s --arrivals 0.5/s
# CircleCI 2015: 20/s / (1 + (18,000/500)^2) = 0.0154 dequeued a second while 5 arrive.
says 'CircleCI 2015: the queue contends' 'will not drain: arrivals exceed capacity by 4.98/s' \
    --backlog 18000 --cap 0.0154/s --arrivals 5/s
# The drain oracles: 30,000 jobs, 50/s, 40 permits of 0.5 s; the ramp 5, 10, 20, 40 costs 5,100 jobs.
# 1,340 and 1,000 s, less the time of the last 20 jobs at 30/s.
says 'the drain oracle of the ramp' 'clears in 22m20s' --backlog 30000 --cap 40 --service 500ms \
    --arrivals 50/s --ramp 5,10,20,40
says 'and flat' '= 16m40s' --backlog 30000 --cap 40 --service 500ms --arrivals 50/s

# Odd figures. 9.99 of 10/s: 100 / 0.01 = 10,000 s, but what shrinks by less than 1 % stands still.
says 'no capacity' 'stalled: there is no capacity' --backlog 100 --cap 0/s
says 'no calls at a time' 'will not drain: arrivals exceed capacity by 5/s' \
    --backlog 100 --cap 0 --arrivals 5/s
says 'all of it used' 'stalled: arrivals use up the capacity' --backlog 1000 --cap 10/s --arrivals 10/s
says 'hardly any left' 'stalled: arrivals leave 0.01/s of the capacity' \
    --backlog 100 --cap 10/s --arrivals 9.99/s
says 'and the jobs that wait' '; those that wait now are done in 9.93s' \
    --backlog 100 --cap 10/s --arrivals 9.99/s
says 'rates that only differ far behind the point' '(10/s capacity - 9.9999999/s arrivals) = longer' \
    --backlog 100 --cap 10/s --arrivals 9.9999999/s
says 'no absurd date' '= longer than 30 days' --backlog 1000000000000 --cap 1/s
says 'nor in the plan' 'stalled: it would take longer than 30 days' --backlog 1000000000000 --cap 1/s
says 'nothing waits' 'arrivals) = at once' --backlog 0 --cap 10/s --arrivals 10/s
says 'nothing waits yet' 'will not drain: arrivals exceed capacity by 2/s' \
    --backlog 0 --cap 10/s --arrivals 12/s
says 'clear, but not over' 'clears at once; 5000 retries are still to come, the last in 5m' \
    --backlog 0 --cap 10/s --timers 5000@5m
says 'timers count in the division' 'naive      5000 jobs / ' --backlog 0 --cap 10/s --timers 5000@5m
says 'a ramp below the capacity' 'the ramp ends below --cap' --backlog 100 --cap 10/s --ramp 5/s

# A timeline: the backlog falls by 2 a second while 10 arrive, so 12 are done; 400 left are 200 s.
{
    echo 'time_s,queue.q.ready,queue.q.delayed,producer.p.arrivals_per_s'
    awk 'BEGIN { for (t = 0; t <= 600; t++) print t "," 1500 - 2 * t "," 100 ",10" }'
} >"$work/timeline.csv"
says 'measured in a timeline' 'backlog 400, arrivals 10/s, capacity 12/s' --from "$work/timeline.csv"
says 'its velocity' '400 jobs / (12/s capacity - 10/s arrivals) = 3m20s' --from "$work/timeline.csv"
says 'at an earlier instant' 'backlog 1402' --from "$work/timeline.csv" --at 100s
says 'with a capacity given' '(22/s capacity - 10/s arrivals)' --from "$work/timeline.csv" --cap 22/s

# A ramp inside the window: 10/s, then 40/s are done while 10 arrive; the mean of 5 minutes is neither.
awk 'BEGIN { print "time_s,queue.q.ready,producer.p.arrivals_per_s"
    for (t = 0; t <= 600; t++) print t "," (t < 450 ? 9000 : 9000 - 30 * (t - 450)) ",10" }' \
    >"$work/ramp.csv"
says 'a ramp within the window is said' 'moved within these 5m, from 10/s to 40/s: a shorter' \
    --from "$work/ramp.csv"
says 'and a shorter one is right' '(40/s capacity - 10/s arrivals)' --from "$work/ramp.csv" --window 1m
check 'then nothing is said' [ "$(grep -c 'moved within' "$work/stdout")" = 0 ]
says 'nothing moved' 'capacity 12/s' --from "$work/timeline.csv"
check 'and nothing is said' [ "$(grep -c 'moved within' "$work/stdout")" = 0 ]

# Two queues, 2/s less and 1/s more: together they shrink, but one of them does not.
awk 'BEGIN { print "time_s,queue.a.ready,queue.a.delayed,queue.b.ready,producer.p.arrivals_per_s"
    for (t = 0; t <= 600; t++) print t "," 1500 - 2 * t ",100," 500 + t ",15" }' >"$work/two.csv"
says 'the slowest queue is the answer' 'will not drain: grows by 1/s (queue b)' --from "$work/two.csv"
says 'the other one: (400 - 20) / 2 s' 'a: 400 jobs, -2/s: clears in 3m10s' --from "$work/two.csv"
says 'both as one' '1500 jobs / (16/s capacity - 15/s arrivals) = 25m' --from "$work/two.csv"
says 'with a backlog given too' 'clears in 1h23m' --from "$work/two.csv" --backlog 5000
says 'with a capacity given they are one' '1500 jobs / (40/s capacity' --from "$work/two.csv" --cap 40/s
check 'that clears' grep -q '^clears in 59' "$work/stdout"
awk 'BEGIN { print "time_s,queue.a.ready"; for (t = 0; t <= 600; t++) print t ",1500" }' >"$work/still.csv"
says 'nothing moves' 'stalled: nothing was done in 5m' --from "$work/still.csv"
says 'nothing is known of arrivals' 'the file has no arrivals' --from "$work/still.csv"

# A run makes it again and again: at T1, then once a minute at the most, 0 when the queue is clear.
mkdir "$work/run"
run "$SQUALL" run scenarios/first.yaml --variant cap --out "$work/run"
check 'how far it was off' grep -q 'the forecast at T1 missed the queue clear by' "$work/stdout"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "forecast.drain_s") at = i; next }
    at && $at != "" { n++; wrong += $1 - last < 58 && n > 1; last = $1; if (n == 1) first = $at; end = $at }
    END { exit !(n > 3 && !wrong && first > 190 && first < 212 && end == 0) }' "$work/run/timeline.csv"
check 'a column of forecasts' [ $? = 0 ]

# refused NAME TEXT OPTION...
refused() {
    name=$1 text=$2
    shift 2
    run "$SQUALL" forecast "$@"
    check "$name" [ "$status" = 2 ]
    check "$name: $text" grep -q -F -e "$text" "$work/stderr"
}
refused 'no backlog' '--backlog: how many jobs wait is missing'
refused 'no capacity' '--cap: the capacity is missing' --backlog 5
refused 'calls at a time alone' 'need the time that a call takes' --backlog 5 --cap 40
refused 'steps in another unit' 'has another unit than --cap' --backlog 5 --cap 40/s --ramp 5,10
refused 'more stale jobs than jobs' 'more jobs are stale' --backlog 5 --stale 6 --cap 1/s
refused 'timers without a time' '--timers: ' --backlog 5 --cap 1/s --timers 5
refused 'an instant without a timeline' '--at: goes with --from' --backlog 5 --cap 1/s --at 5m
refused 'a service time that says nothing' '--service: goes with --cap as a number' --backlog 5 --cap 1/s --service 1s
refused 'a step that says nothing' '--every: goes with --ramp' --backlog 5 --cap 1/s --every 1m
refused 'an instant beyond the end' 'no row at this instant' --from "$work/timeline.csv" --at 2h
refused 'what there is' 'it goes from 0s to 10m' --from "$work/timeline.csv" --at 2h
refused 'an instant before the first row' 'it goes from 0s to 10m' --from "$work/timeline.csv" --at 0s
printf 'time_s,queue.a.ready\n10,5\n9,5\n' >"$work/back.csv"
refused 'time that goes back' 'back.csv:3: time_s: time does not go on here' --from "$work/back.csv"
refused 'a rate without its unit' 'or is it a rate, --cap 40/s?' --backlog 5 --cap 40
echo 'a,b' >"$work/other.csv"
echo '1,2' >>"$work/other.csv"
refused 'a table that is no timeline' 'no column `time_s`' --from "$work/other.csv"
refused 'a missing file' 'none.csv' --from "$work/none.csv"
finish
