# SPDX-License-Identifier: GPL-3.0-or-later
# Charts from folders: every kind that the help names, in every format and theme, the same bytes
# each time; and what cannot be drawn is refused in words.
. tests/lib.sh
storm=tests/cli/variants.yaml

run "$SQUALL" compare $storm --runs 3 --out "$work/compare"
run "$SQUALL" plot "$work/compare" --variant plain -o "$work/plain.svg"
check 'a chart is made' [ "$status" = 0 ]
check 'nothing is said' [ ! -s "$work/stdout" ]
run "$SQUALL" plot "$work/compare/plain"
same 'without -o it goes to standard output' "$work/plain.svg" "$work/stdout"
well_formed() { # NAME FILE
    if command -v xmllint >/dev/null 2>&1; then
        check "$1 is well-formed" xmllint --noout "$2"
    fi
}
draw() { # FOLDER KIND [OPTION...]
    folder=$1 kind=$2
    shift 2
    run "$SQUALL" plot "$folder" --kind "$kind" "$@" -o "$work/$kind.svg"
    check "$kind is drawn" [ "$status" = 0 ]
    well_formed "$kind" "$work/$kind.svg"
    check "$kind has texts" grep -q '<text ' "$work/$kind.svg"
    check "$kind has no ids" [ "$(grep -c -E ' id="|<style|<script|href=' "$work/$kind.svg")" = 0 ]
    check "$kind fits a page" [ "$(wc -c <"$work/$kind.svg")" -lt 200000 ]
    run "$SQUALL" plot "$folder" --kind "$kind" "$@"
    same "$kind is the same again" "$work/$kind.svg" "$work/stdout"
    run "$SQUALL" plot "$folder" --kind "$kind" "$@" --theme dark
    check "$kind has a dark theme" [ "$status" = 0 ]
    check "$kind is another in the dark" [ "$(cmp "$work/$kind.svg" "$work/stdout" | wc -l)" = 1 ]
    for format in png pdf; do
        run "$SQUALL" plot "$folder" --kind "$kind" "$@" -o "$work/$kind.$format"
        check "$kind is drawn as $format" [ "$status" = 0 ]
        cp "$work/$kind.$format" "$work/before"
        run "$SQUALL" plot "$folder" --kind "$kind" "$@" -o "$work/$kind.$format"
        same "the $format is the same again" "$work/before" "$work/$kind.$format"
    done
}
kinds="timeline variants drain ends delays attempts herd load layers"
for kind in $kinds; do
    draw "$work/compare" "$kind"
done

run "$SQUALL" sweep $storm --variant overload --runs 2 --vary workers.pool.slots=2,5 \
    --vary producers.orders.arrivals=4/s,16/s --out "$work/sweep"
draw "$work/sweep" heat
cp "$work/heat.svg" "$work/heat-usual.svg"
draw "$work/sweep" heat --metric dependency.db.amplification
run "$SQUALL" limits $storm --variant overload --runs 3 --find workers.pool.slots=1..8 \
    --until 'dependency.db.secondary_outages == 0' --out "$work/limits"
draw "$work/limits" limits
run "$SQUALL" plot "$work/sweep"
same 'of a sweep the heat map is the usual one' "$work/stdout" "$work/heat-usual.svg"

"$SQUALL" plot --help >"$work/help"
for kind in $kinds heat limits; do
    check "the help names $kind" grep -q -w -e "$kind" "$work/help"
done

# What is not there is not spoken of: no outage, no queue, no second attempt.
titled() { # NAME FOLDER KIND TEXT
    run "$SQUALL" plot "$work/$2" --kind "$3"
    check "$1" grep -q -F -e "$4" "$work/stdout"
}
cat >"$work/calm.yaml" <<'END'
squall: 1
duration: 10s
runs: 1
producers: {p: {queue: q, arrivals: 20/s}}
queues: {q: {}}
workers: {w: {queue: q, replicas: 2, slots: 4, calls: {db: {}}}}
dependencies: {db: {servers: 10, service: 10ms}}
END
run "$SQUALL" run "$work/calm.yaml" --out "$work/calm"
titled 'drain without an outage' calm drain 'base: there was no outage to recover from'
titled 'herd without an outage' calm herd 'base: there was no outage to return from'
titled 'one attempt is one' calm attempts 'Attempts per job: up to 1<'
check 'attempts are whole' [ "$(grep -c '>0\.5<' "$work/stdout")" = 0 ]
cp "$work/calm.yaml" "$work/other.yaml"
run "$SQUALL" compare "$work/calm.yaml" "$work/other.yaml" --out "$work/twice"
run "$SQUALL" run scenarios/problems/retries-at-every-hop.yaml --runs 1 --out "$work/hops"
titled 'three layers of three tries are 27' hops layers 'base: one job can call stock 27 times, 3 × 3 × 3; measured '
for text in 'up to 3 calls by one job' 'up to 9 calls by one job' 'up to 27 calls by one job'; do
    check "a layer says: $text" grep -q -F -e "$text" "$work/stdout"
done
titled 'one try is one' calm layers 'base: nobody tries twice'
titled 'equal variants are not set against each other' twice ends 'All 2 variants complete 100 % of their'
cat >"$work/clients.yaml" <<'END'
squall: 1
duration: 3m
runs: 1
clients: {front: {arrivals: 20/s, calls: {db: {timeout: 500ms}}}}
dependencies: {db: {servers: 10, service: 100ms, outages: [{at: 1m, for: 30s}]}}
END
run "$SQUALL" run "$work/clients.yaml" --out "$work/clients"
cp "$work/stdout" "$work/page"
# T1 may be the beginning: 2,000 jobs wait there, 10/s are served and 5/s come: 400 s.
cat >"$work/first.yaml" <<'END'
squall: 1
duration: 20m
health: {t1: 0s}
producers: {a: {queue: q, arrivals: 5/s, backlog: 2000}}
queues: {q: {}}
workers: {w: {queue: q, slots: 20, calls: {d: {timeout: 5s}}}}
dependencies: {d: {servers: 10, service: 1s}}
END
run "$SQUALL" run "$work/first.yaml" --out "$work/first"
titled 'drain from the beginning' first drain 'base: backlog clears, queue clear 6m'
titled 'drain without a queue' clients drain 'base: there is no queue, so there is no backlog'
run "$SQUALL" plot "$work/clients"
check 'a timeline without a queue has no forecast' [ "$(grep -c 'Queue clear' "$work/stdout")" = 0 ]
check 'nor has the page of the run' [ "$(grep -c 'queue clear' "$work/page")" = 0 ]
check 'whose other marks are there' grep -q 'last affected job  *-  *-  *[0-9]' "$work/page"
cat >"$work/stale.yaml" <<'END'
squall: 1
duration: 60s
runs: 1
producers: {p: {queue: q, arrivals: 20/s, deadline: 2s}}
queues: {q: {}}
workers: {w: {queue: q, replicas: 4, slots: 4, calls: {db: {}}, retry: {max_attempts: 9, backoff: 1s, jitter: none}}}
dependencies: {db: {servers: 10, service: 10ms, outages: [{at: 20s, for: 20s}]}}
END
run "$SQUALL" run "$work/stale.yaml" --out "$work/stale"
stale=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    NR == 2 { printf "%.0f", 100 - 100 * $column["jobs.completed"] / $column["jobs.arrived"] }' \
    "$work/stale/runs.csv")
titled 'the missing top of a curve is named' stale delays ">$stale %<"
check 'as what it is' grep -q '>never done<' "$work/stdout"
{
    printf 'squall: 1\nduration: 2m\nruns: 1\nproducers:\n'
    for i in 1 2 3 4 5 6 7 8 9; do echo "  p$i: {queue: q$i, arrivals: $i/s}"; done
    echo queues:
    for i in 1 2 3 4 5 6 7 8 9; do echo "  q$i: {}"; done
    echo workers:
    for i in 1 2 3 4 5 6 7 8 9; do echo "  w$i: {queue: q$i, slots: 4, calls: {d$i: {}}}"; done
    echo dependencies:
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "  d$i: {servers: 10, service: 10ms, outages: [{at: 30s, for: ${i}s}]}"
    done
} >"$work/nine.yaml"
run "$SQUALL" run "$work/nine.yaml" --out "$work/nine"
titled 'the herd is of a dependency whose calls were counted' nine herd ' at d8 in the two minutes'
# From 10 % of 2,000 servers of 100 s to all of them in 60 s: every second another capacity; without a
# warm-up it is one line, as long as the run goes on: half of the two minutes.
for warm in '' ', warm_up: {from: 10%, over: 60s}'; do
    cat >"$work/warm.yaml" <<END
squall: 1
duration: 3m
clients: {c: {arrivals: 5/s, calls: {d: {timeout: 5s}}}}
dependencies: {d: {servers: 2000, service: 100s, outages: [{at: 1m, for: 1m}]$warm}}
END
    run "$SQUALL" run "$work/warm.yaml" --out "$work/warm"
    run "$SQUALL" plot "$work/warm" --kind herd
    [ -n "$warm" ] || grep 'stroke="#69696e"' "$work/stdout" >"$work/line"
    grep -o 'stroke="#69696e"' "$work/stdout" | wc -l
done | tr -d ' ' | tr '\n' ' ' >"$work/steps"
read -r flat steps <"$work/steps"
check 'the herd is compared with what can be done then' [ "$flat" -ge 1 ]
check 'as long as the run goes on' grep -q 'd="M84 [0-9.]*h544"' "$work/line"
check 'second by second while it warms up' [ "$steps" -ge $((flat + 100)) ]
check 'and there are calls' [ "$(grep -c '>0 calls in 2m' "$work/stdout")" = 0 ]

refused() { # NAME TEXT OPTION...
    name=$1 text=$2
    shift 2
    run "$SQUALL" plot "$@"
    check "$name: refused" [ "$status" = 2 ]
    check "$name: in words" grep -q -F -e "$text" "$work/stderr"
    check "$name: nothing is printed" [ ! -s "$work/stdout" ]
}
refused 'another kind' 'there is no chart pie' "$work/compare" --kind pie
refused 'another format' 'x.jpg: a chart is SVG, PNG or PDF' "$work/compare" -o x.jpg
refused 'another theme' 'themes are light and dark' "$work/compare" --theme pink
refused 'another variant' 'there is no variant nobody in it' "$work/compare" --variant nobody
refused 'a metric nobody has' 'no cell of the sweep has pie' "$work/sweep" --metric pie
refused 'a metric of a run' 'only a sweep is drawn by a metric' "$work/compare" --metric pie
cp -R "$work/calm" "$work/old"
sed '/^  "layers": \[/,/^  \],/d' "$work/calm/summary.json" >"$work/old/summary.json"
refused 'a folder without layers' 'says of nobody whom it calls' "$work/old" --kind layers
printf 'squall: 1\nduration: 10s\nproducers: {p: {queue: q, arrivals: 1/s}}\nqueues: {q: {}}\nworkers: {w: {queue: q}}\n' >"$work/alone.yaml"
run "$SQUALL" run "$work/alone.yaml" --out "$work/alone"
refused 'a world without calls' 'give the workers or clients `calls`' "$work/alone" --kind layers
refused 'a sweep has no course' 'this chart is not made of a sweep' "$work/sweep" --kind timeline
refused 'no result' 'there is no result in this folder' "$work"
finish
