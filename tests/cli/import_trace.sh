# SPDX-License-Identifier: GPL-3.0-or-later
# squall import trace from the outside: samples of how people's tools write arrivals, each with the
# normalised trace that it is worked out to by hand; files that could be read in two ways, refused
# with the choices named; and the page.
. tests/lib.sh
d=tests/import

# becomes FILE [OPTION...]: the sample as it is in FILE.want.
becomes() {
    sample=$1
    shift
    run "$SQUALL" import trace "$d/$sample" "$@"
    check "$sample $*: status" [ "$status" = 0 ]
    same "$sample $*" "$d/${sample%.*}.want" "$work/stdout"
}
# says TEXT: the report of the last run.
says() {
    check "$sample: says $1" grep -qF -e "$1" "$work/stderr"
}
# refused FILE TEXT [OPTION...]: status 2, nothing printed, and a complaint with this text.
refused() {
    sample=$1 text=$2
    shift 2
    run "$SQUALL" import trace "$d/$sample" "$@"
    check "$sample $*: status" [ "$status" = 2 ]
    check "$sample $*: nothing printed" [ ! -s "$work/stdout" ]
    check "$sample $*: $text" grep -qF -e "$text" "$work/stderr"
}

becomes plain.csv --reads counts
says '1 gap of 1 row filled with zero'
refused plain.csv 'is it a rate, a count per row or a counter?'
becomes grafana-rows.csv --where Series=api --reads rate
says '`;`, CR LF'
says 'dropped 1 without a value, 1 filtered out'
refused grafana-rows.csv 'choose one with --where Series=TEXT: `api`, `web`'
becomes grafana-columns.csv --value api --reads rate
says 'byte-order mark, sep= line'
refused grafana-columns.csv '`api`, `worker`'
becomes grafana-no-title.csv --value worker --reads rate
becomes grafana-odd.csv
says 'dates y-d-m'
becomes grafana-comma.csv
says 'decimal comma'
becomes grafana-raw.csv --value '#3' --reads rate
says 'epoch ms'
refused grafana-raw.csv 'there is more than one series'
becomes grafana-labels.csv --reads rate
becomes grafana-formatted.csv
says '(by the unit) in req/s'
becomes per-minute.csv
becomes prometheus-rate.csv --reads rate
becomes prometheus-counter.csv
says '1 reset'
becomes logs-insights.csv
becomes logs-insights-bin.csv
becomes gcp-metrics.csv --value a --reads rate
says '3 header rows'
says 'zone +02:00'
becomes influx.csv --where host=a --reads rate
becomes telegraf.csv --value n_requests
becomes telegraf-bare.csv --value '#4' --reads rate
says 'no header'
becomes k6.csv
says 'counted per 1s, where metric_name=http_reqs'
becomes vegeta.csv
says 'not in order: 1 step back'
becomes hey.csv
becomes locust.csv
says 'CR CR LF'
becomes jmeter.csv
becomes gatling.log
becomes azure-2019.csv
becomes azure-2021.csv
becomes azure-llm.csv
becomes burstgpt.csv
becomes alibaba-ms.csv --where msinstanceid=i1
says 'rates are normalised'
becomes alibaba-genai.csv
becomes access.log
says 'dropped 1 without a time'
becomes cloudwatch.txt --reads counts
becomes azure-logs.csv
becomes splunk.csv
becomes kibana.csv
becomes days.csv --reads counts
becomes utf16.csv
says 'UTF-16'
becomes daylight.csv
says 'zone +02:00 and +01:00'

refused jmeter.xml 'is a JMeter result file in XML'
refused refused-xml.xml 'is XML'
refused refused-json.json 'is JSON'
refused refused-series.csv 'choose one with --value, or say --reads times (each row is an arrival): `api`, `worker`'
refused refused-labels.csv 'choose one with --where service=TEXT: `api`, `web`'
refused refused-zones.csv 'refused-zones.csv:3: time: `2024-05-01T12:01:00+02:00` has another time zone than rows before it (mixed zones)'
refused refused-some-zones.csv '(mixed zones)'
refused refused-times.csv 'choose one with --time: `start`, `end`'
refused refused-days.csv 'say it: --time-format dmy or mdy'
refused refused-unit.csv 'has a unit that is none of arrivals'
refused refused-values.csv 'say it: --reads rate (per second), --reads counts (per row of 1m), --reads total'
refused refused-unit-of-time.csv 'say it: --time-format s, or ms'
refused refused-comma.csv 'say it: --decimal comma or point'
refused refused-broker.txt 'it has no times'
refused refused-empty.csv 'the file is empty'
refused plain.csv 'the columns are `timestamp`, `value`' --value vlaue
refused plain.csv '1 row is missing before this one' --reads counts --gaps error
refused plain.csv 'there is no format' --format nothing
refused plain.csv 'is none of the choices' --reads nothing

# What is wrong inside a file is told with its line.
printf 'ts,requests\n2024-05-01 10:00:00,7\nnonsense,8\n2024-05-01 10:02:00,-3\n2024-05-01 10:03:00,x\n' \
    >"$work/bad.csv"
run "$SQUALL" import trace "$work/bad.csv"
printf '%s\n' "$work/bad.csv:3: ts: \`nonsense\` is no date" \
    "$work/bad.csv:4: requests: \`-3\` is negative: arrivals never are" \
    "$work/bad.csv:5: requests: \`x\` is no number" >"$work/wanted"
same 'three mistakes with their lines' "$work/wanted" "$work/stderr"

# A row that would begin centuries before it ends.
printf 'app,func,end_timestamp,duration\na,f,5160,0.5\na,f,5161,9.3e9\n' >"$work/long.csv"
run "$SQUALL" import trace "$work/long.csv"
check 'a length of centuries' grep -qF "long.csv:3: duration: \`9.3e9\` is too long" "$work/stderr"
check 'a length of centuries: status' [ "$status" = 2 ]

# What is asked for in vain is refused.
refused plain.csv '--bin counts single arrivals, and these are values' --bin 1m --reads counts
refused access.log 'there are no values to read as a rate: each row is an arrival' --reads rate
printf 'time\n2024-05-01 10:00:00\n2024-05-01 10:00:01\n' >"$work/times.csv"
run "$SQUALL" import trace "$work/times.csv" --reads total
check 'times are no counter' grep -qF 'there are no values to read as a total' "$work/stderr"
check 'times are no counter: status' [ "$status" = 2 ]

# 1.234 counts are rather 1,234 counts, where columns are parted by `;`. Rates have fractions.
printf 'time;requests\n2024-05-01 10:00:00;1.234\n2024-05-01 10:01:00;2.345\n' >"$work/points.csv"
run "$SQUALL" import trace "$work/points.csv"
check 'points that may part thousands: status' [ "$status" = 2 ]
check 'and what to say' grep -qF 'say it: --decimal comma or point' "$work/stderr"
run "$SQUALL" import trace "$work/points.csv" --decimal comma
check 'thousands, when said' grep -qx '0,1234' "$work/stdout"
run "$SQUALL" import trace "$work/points.csv" --reads rate
check 'a rate may have fractions' grep -qx '0,1.234' "$work/stdout"

# A rate is told as it is written, and given per second.
printf 'time,requests/min\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,120\n' >"$work/per.csv"
run "$SQUALL" import trace "$work/per.csv"
check 'per minute' grep -qx '60,2' "$work/stdout"
check 'and says so' grep -qF 'rate per minute (by the name)' "$work/stderr"
sed 's/min/hour/' "$work/per.csv" >"$work/hour.csv"
run "$SQUALL" import trace "$work/hour.csv"
check 'per hour' grep -qx '60,0.0333333333333333' "$work/stdout"
check 'and says that' grep -qF 'rate per hour (by the name)' "$work/stderr"

# Minute 1 is time 0, whether anything came in it or not.
sed 's/http,2,/http,0,/' "$d/azure-2019.csv" >"$work/minutes.csv"
run "$SQUALL" import trace "$work/minutes.csv"
check 'a day begins with its first minute' [ "$(sed -n '2p;4p' "$work/stdout" | tr '\n' ' ')" = '0,0 120,6 ' ]

# A log that runs backwards loses nothing.
{
    echo time
    i=59
    while [ $i -ge 10 ]; do
        echo "2024-05-01 10:00:$i"
        i=$((i - 1))
    done
} >"$work/back.csv"
run "$SQUALL" import trace "$work/back.csv"
check 'a log that runs backwards' [ "$(sed -n '2p;51p' "$work/stdout" | tr '\n' ' ')" = '0,1 49,1 ' ]

# A night without arrivals takes two rows.
printf 'time\n2024-05-01 10:00:00\n2024-05-01 10:00:00\n2024-05-01 18:00:05\n' >"$work/night.csv"
run "$SQUALL" import trace "$work/night.csv"
printf 'time_s,count\n0,2\n1,0\n28804,0\n28805,1\n' >"$work/wanted"
same 'a long silence' "$work/wanted" "$work/stdout"

# What was refused is taken with the choice made.
run "$SQUALL" import trace "$d/refused-zones.csv" --zone any
check 'each row by its own zone' grep -qx '60,2' "$work/stdout"
run "$SQUALL" import trace "$d/refused-some-zones.csv" --zone UTC
check 'a zone for times without one' grep -qx '60,2' "$work/stdout"
run "$SQUALL" import trace "$d/refused-labels.csv" --sum
check 'values of one time added up' grep -qx '0,3' "$work/stdout"
run "$SQUALL" import trace "$d/refused-comma.csv" --decimal comma
check 'a decimal comma that is said' grep -qx '0,1.234' "$work/stdout"
run "$SQUALL" import trace "$d/refused-unit-of-time.csv" --time-format ms
check 'a unit of time that is said' grep -qx '60,2' "$work/stdout"
run "$SQUALL" import trace "$d/vegeta.csv" --bin 1s
check 'arrivals counted on demand' [ "$(tail -1 "$work/stdout")" = 0,3 ]
printf 'time,requests\n0,10\n10,10\n40,40\n50,10\n' >"$work/holes.csv"
for gaps in zero,0,10,0 hold,10,10,10 interpolate,20,,30; do
    run "$SQUALL" import trace "$work/holes.csv" --time-format s --gaps "${gaps%%,*}"
    seen=$(sed -n 's/^\(20\|30\),//p' "$work/stdout" | tr '\n' ' ')
    case $gaps in
    zero*) check 'holes are zero' [ "$seen" = '0 0 ' ] ;;
    hold*) check 'holes are held' [ "$seen" = '10 10 ' ] ;;
    *) check 'holes are interpolated' [ "$seen" = '20 30 ' ] ;;
    esac
done

# The page of a file that is written, and the scenario that it is for.
run "$SQUALL" import trace "$d/plain.csv" --reads counts -o "$work/out.csv"
cat >"$work/wanted" <<TEXT
columns: \`,\`, LF, 1 header row; times \`timestamp\` dates y-m-d, zone not said; values \`value\` counts per row (as asked); 3 rows every 5m, none dropped; in order, 1 gap of 1 row filled with zero
  from 2014-04-10 00:04:00 to 2014-04-10 00:19:00
  in all 180 arrivals, mean 0.15/s, peak 0.3133/s
  values as written: mean 60, smallest 30, largest 94
arrivals:
  kind: trace
  file: $work/out.csv
  time: time_s
  value: count
  reads: counts
TEXT
same 'the page' "$work/wanted" "$work/stdout"
same 'the file' "$d/plain.want" "$work/out.csv"
run "$SQUALL" import trace "$work/none.csv" -o "$work/kept.csv"
check 'a missing file: status' [ "$status" = 2 ]
check 'nothing is left behind' [ -z "$(ls "$work" | grep kept)" ]

# A scenario may name the file as it is: the same run as with its columns named.
mkdir "$work/traces"
cp scenarios/traces/mail-requests-5min.csv "$work/traces"
cp "$d/plain.csv" "$work/traces/plain.csv"
sed -e '/^ *time: timestamp/d' -e '/^ *value: value/d' -e '/^ *reads: counts/d' \
    scenarios/cloudwatch-arrivals.yaml >"$work/named.yaml"
hash_of() { # SCENARIO: the hash of its first run
    "$SQUALL" run "$1" --replication 1 --out "$work/run" >"$work/stdout" 2>"$work/stderr" </dev/null
    grep -A1 '"run.hash"' "$work/run/summary.json" | tail -1
}
hash_of scenarios/cloudwatch-arrivals.yaml >"$work/wanted"
hash_of "$work/named.yaml" >"$work/seen"
same 'a file recognised is the run of its columns named' "$work/wanted" "$work/seen"
check 'and it has a hash' grep -q '[0-9a-f]' "$work/seen"
sed -e 's/mail-requests-5min/plain/' "$work/named.yaml" >"$work/open.yaml"
run "$SQUALL" run "$work/open.yaml" --replication 1
check 'what is open is refused in a scenario too' [ "$status" = 2 ]
check 'with the keys that settle it' grep -q 'in a scenario, name the columns' "$work/stderr"
check 'at its line of the scenario' grep -Eq \
    'open.yaml:[0-9]+:[0-9]+: producers.letters.arrivals.file: names a trace' "$work/stderr"
sed -e 's/mail-requests-5min/absent/' "$work/named.yaml" >"$work/absent.yaml"
run "$SQUALL" run "$work/absent.yaml" --replication 1
check 'a file that is not there has no columns to name' \
    sh -c "grep -q 'does not exist' '$work/stderr' && ! grep -q 'name the columns' '$work/stderr'"
sed -e 's/mail-requests-5min.csv/plain.csv, reads: counts/; s/file: \(.*\), reads: counts/file: \1\n      reads: counts/' \
    "$work/named.yaml" >"$work/said.yaml"
run "$SQUALL" run "$work/said.yaml" --replication 1
check 'and taken when it is said' grep -q '180' "$work/stdout"
cp "$d/vegeta.csv" "$work/traces/mail-requests-5min.csv"
run "$SQUALL" run "$work/named.yaml" --variant busier --replication 1
check 'single arrivals take no scale' grep -q 'holds single arrivals, which take no scale' "$work/stderr"

run "$SQUALL" import
check 'the families of import' grep -q 'squall import trace' "$work/stderr"
for asked in 'import --help' 'import -h' 'help import'; do
    run "$SQUALL" $asked
    check "$asked: status" [ "$status" = 0 ]
    check "$asked: both commands" [ "$(grep -c '^usage: squall import' "$work/stdout")" = 2 ]
done
run "$SQUALL" import trcae x
check 'a word that is none of them' grep -qF '`import` has no `trcae`' "$work/stderr"
check 'is a mistake' [ "$status" = 2 ]
finish
