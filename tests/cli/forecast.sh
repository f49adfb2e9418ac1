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
says 'timers spread over years' 'clears in 8s' --backlog 100 --cap 10/s --timers 50@1m..9000d

# A timeline: the backlog falls by 2 a second while 10 arrive, so 12 are done; 400 left are 200 s.
{
    echo 'time_s,queue.q.ready,queue.q.delayed,producer.p.arrivals_per_s'
    awk 'BEGIN { for (t = 0; t <= 600; t++) print t "," 1500 - 2 * t "," 100 ",10" }'
} >"$work/timeline.csv"
says 'measured in a timeline' 'backlog 400, arrivals 10/s, capacity 12/s' --from "$work/timeline.csv"
says 'its velocity' '400 jobs / (12/s capacity - 10/s arrivals) = 3m20s' --from "$work/timeline.csv"
says 'at an earlier instant' 'backlog 1402' --from "$work/timeline.csv" --at 100s
says 'with a capacity given' '(22/s capacity - 10/s arrivals)' --from "$work/timeline.csv" --cap 22/s

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
echo 'a,b' >"$work/other.csv"
echo '1,2' >>"$work/other.csv"
refused 'a table that is no timeline' 'no column `time_s`' --from "$work/other.csv"
refused 'a missing file' 'none.csv' --from "$work/none.csv"
finish
