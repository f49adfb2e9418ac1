# SPDX-License-Identifier: GPL-3.0-or-later
# When the breaker of `everything` closes decides how long its queue takes. Independent models of the
# incident see two outcomes, at about 487 and 555 s: one open time of 60 s apart, by whether a try of
# the breaker falls before T1 or after it. With the assumptions of the file there is one outcome:
#
#   The breaker opens within the first second of the outage, at about 600.8 s. Half-open it lets ten
#   calls go: five at a time, the bottom step of the ramp, each refused after 100 ms. Then it is open
#   for 60 s again. So its tries are 60.2 s apart, and the 20th one is at 660.8 + 19 x 60.2 = 1,804.6
#   s, less than 5 s after T1 at 1,800 s, in every run.
#
# 4.5 s more of outage put T1 into the midst of that try, and there are two outcomes, 60 s and the
# first step of the ramp apart. The page and the summary say which it is.
. tests/lib.sh
incident=scenarios/template-api-outage.yaml

clear() { # FOLDER: the queue-clear times of all runs, in order
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "drain.queue_clear_s") c = i; next }
        { print $c }' "$work/$1/runs.csv" | sort -n
}
marked() { # FOLDER: yes when the metric is marked as of two groups
    awk '/"drain.queue_clear_s"/ { inside = 1 } inside && /"bimodal": true/ { print "yes" }
        inside && /}/ { exit }' "$work/$1/summary.json"
}

run "$SQUALL" run $incident --variant everything --runs 20 --out "$work/one"
check 'everything runs' [ "$status" = 0 ]
clear one >"$work/one.clear"
note "queue clear $(head -n 1 "$work/one.clear") to $(tail -n 1 "$work/one.clear") s"
check 'all twenty clear within 15 s of each other' awk 'NR == 1 { low = $1 } { high = $1 }
    END { exit !(NR == 20 && high - low < 15) }' "$work/one.clear"
check 'so nothing is marked' [ -z "$(marked one)" ]

run "$SQUALL" run $incident --variant everything --runs 20 --out "$work/two" \
    --set dependencies.template-api.outages.0.for=1204500ms
clear two >"$work/two.clear"
note "queue clear $(tr '\n' ' ' <"$work/two.clear")"
check 'T1 in the midst of a try: two groups of at least three runs, 50 to 90 s apart' awk '
    { at[NR] = $1 }
    END { for (i = 2; i <= NR; i++) if (at[i] - at[i - 1] > gap) { gap = at[i] - at[i - 1]; n = i - 1 }
          low = (at[1] + at[n]) / 2; high = (at[n + 1] + at[NR]) / 2
          exit !(NR == 20 && n >= 3 && NR - n >= 3 && high - low > 50 && high - low < 90) }' \
    "$work/two.clear"
check 'the summary marks them' [ "$(marked two)" = yes ]
check 'the page marks them' grep -q 'two groups' "$work/stdout"

# The plan is one line: it knows one of the two. So the line of the forecast names both, on the
# page, in the report, and on the chart.
lower=$(awk 'NR == 1 { last = $1; n = 1; next } $1 - last > 40 { print n; exit } { last = $1; n++ }' \
    "$work/two.clear")
both="[0-9ms]* in $lower of 20 runs, [0-9ms]* in $((20 - lower))"
tr '\n' ' ' <"$work/stdout" | tr -s ' ' >"$work/page"
check 'the forecast names both' grep -q "Forecast at T1 clears in [0-9ms]*; simulated $both" \
    "$work/page"
run "$SQUALL" report "$work/two" -o "$work/report.html"
check 'so does the report' grep -q "The forecast at T1: clears in [0-9ms]*; simulated $both\." \
    "$work/report.html"
run "$SQUALL" plot "$work/two" --kind drain -o "$work/drain.svg"
check 'and the drain chart' grep -q "queue clear after $both" "$work/drain.svg"
finish
