# SPDX-License-Identifier: GPL-3.0-or-later
# Limits from the outside: an edge that is known, both ways, the files, the same bytes for any
# number of threads, exit status, and what is refused.
. tests/lib.sh
storm=tests/cli/small.yaml
edge=scenarios/published/hotos-threshold.yaml
key=clients.front-end.arrivals

# 300 queries a second, two tries: 150 jobs a second. 30 minutes tell 148 from 152.
run "$SQUALL" limits $edge --find $key=148/s..152/s --to 50% --until 'drain.healthy_s != null' \
    --out "$work/edge"
check 'a limit that is there: status 0' [ "$status" = 0 ]
check 'stderr is silent' [ ! -s "$work/stderr" ]
check 'the margin of the file' grep -q "^Margin: the file's own 140/s lies . % inside" "$work/stdout"
check 'every value that was tried is in the file' grep -q '^limit,.*,148/s,148,yes,1,1,' \
    "$work/edge/limits.csv"
check 'its edge is marked' [ "$(grep -c -E ',(holds|fails)$' "$work/edge/limits.csv")" = 2 ]

# A closed herd of N leases, each void after a minute, at 50 a second: the edge is 2 x rate x
# validity = 6,000.
cat >"$work/herd.yaml" <<END
squall: 1
duration: 40m
health: {t1: 0s}
clients:
  leases:
    arrivals: {kind: closed, population: 5000, think: 0s, jobs_each: 1}
    calls: {manager: {timeout: 60s}}
    retry: {max_attempts: unlimited, backoff: none, jitter: none}
dependencies:
  manager: {servers: 1, service: 20ms}
END
run "$SQUALL" limits "$work/herd.yaml" --find clients.leases.arrivals.population=1000..12k \
    --until 'jobs.unfinished == 0' --out "$work/herd"
edges=$(sed -n -E 's/^limit,[^,]*,[^,]*,([0-9]*),.*,(holds|fails)$/\1/p' "$work/herd/limits.csv" | tr '\n' ' ')
note "the edge of the herd lies between $edges"
# shellcheck disable=SC2086
check 'the edge of a closed herd, within 2 %' sh -c '[ "$1" -ge 5880 ] && [ "$2" -le 6120 ]' - $edges

limit() { # ARGUMENT...
    run "$SQUALL" limits $storm --find dependencies.db.servers=1..8 \
        --until 'queue.jobs.ready_max < 100' "$@"
}
limit --runs 4 --threads 1 --out "$work/one"
check 'a limit from above' [ "$status" = 0 ]
check 'is said as such' grep -q '< 100 fails up to [0-9]* and holds from [0-9]* on\.$' "$work/stdout"
cp "$work/stdout" "$work/page"
limit --runs 4 --threads 2 --out "$work/two"
same 'the same file on two threads' "$work/one" "$work/two"
sed "s|$work/two|$work/one|" "$work/stdout" >"$work/page-two"
same 'the same page on two threads' "$work/page" "$work/page-two"
check 'no line is longer than 80 columns' [ "$(LC_ALL=C.UTF-8 awk '/^  \// { next }
    length($0) > 80' "$work/page" | wc -l)" = 0 ]

run "$SQUALL" limits $storm --find dependencies.db.outages.0.for=1s..5s --runs 1 \
    --until 'jobs.arrived > 0'
check 'no limit in the range: status 1' [ "$status" = 1 ]
check 'it is said' grep -q '^No limit from 1s to 5s: jobs.arrived > 0 holds at every value' "$work/stdout"
run "$SQUALL" limits $storm --find dependencies.db.outages.0.for=1s..5s --runs 1 \
    --until 'jobs.arrived < 0'
check 'nowhere: status 1 too' [ "$status" = 1 ]

# In mid-run: 8 servers of 10/s each manage 80/s at most.
run "$SQUALL" limits $storm --find producers.orders.arrivals=10/s..200/s --both-ways --runs 2 \
    --until 'queue.jobs.ready_max < 500' --set duration=2m --set tail=0s --set workers.pool.slots=8 \
    --set dependencies.db.outages=[] --set health.t1=5s --at 30s --out "$work/ways"
check 'both ways' [ "$status" -le 1 ]
check 'both searches are in the file' [ "$(cut -d, -f1 "$work/ways/limits.csv" | sort -u | tr '\n' ' ')" = \
    'falls returns way ' ]
check 'the page says how runs begin' grep -q 'A run begins well at 10/s, or fallen at' "$work/stdout"

refuse() { # NAME TEXT ARGUMENT...: status 2, the text on stderr, nothing on stdout, no folder
    refuse_name=$1 refuse_text=$2
    shift 2
    run "$SQUALL" limits $storm "$@" --out "$work/refused"
    check "$refuse_name is refused" [ "$status" = 2 ]
    check "$refuse_name is named" grep -q -F -e "$refuse_text" "$work/stderr"
    check "$refuse_name: nothing on stdout" [ ! -s "$work/stdout" ]
    check "$refuse_name: no folder" [ ! -e "$work/refused" ]
}
until='jobs.completed > 0'
refuse 'no key' 'write --find PATH=LO..HI' --until "$until"
refuse 'no range' 'a key and a range are needed' --find dependencies.db.servers=3 --until "$until"
refuse 'no expectation' 'say what must hold' --find dependencies.db.servers=1..3
refuse 'an unknown key' 'did you mean `servers`?' --find dependencies.db.server=1..3 --until "$until"
refuse 'a key that is a word' 'is no amount' --find queues.jobs.requeue=1..3 --until "$until"
refuse 'an end without unit' 'needs a unit' --find dependencies.db.outages.0.for=1..3m --until "$until"
refuse 'a range the wrong way round' 'smaller end first' --find dependencies.db.servers=5..3 --until "$until"
refuse 'an unknown metric' 'did you mean `jobs.completed`?' --find dependencies.db.servers=1..3 \
    --until 'jobs.complete > 0'
refuse 'another variant' 'which does not run here' --find dependencies.db.servers=1..3 \
    --until 'jobs.completed > jobs.completed@cap'
refuse 'a share of nothing' '--in' --find dependencies.db.servers=1..3 --until "$until" --in 0
refuse 'a switch without both ways' 'add --both-ways' --find dependencies.db.servers=1..3 \
    --until "$until" --at 10s
refuse 'a value that cannot be' 'below the minimum 1' --find dependencies.db.servers=0..3 --until "$until"
run "$SQUALL" limits $storm --find workers.pool.replicas=1..40 --until "$until" --out $storm
check 'an output path that is a file is refused' [ "$status" = 2 ]
run "$SQUALL" limits $storm --find dependencies.db.outages.0.for=0s..20s --both-ways \
    --until 'jobs.completed > 1150'
check 'a key that cannot change in mid-run is refused' [ "$status" = 2 ]
finish
