# SPDX-License-Identifier: GPL-3.0-or-later
# What is too much is refused: before the run where it can be foreseen, else in the run, with what
# fills it up. Status 3, nothing on stdout, no file. Maxima that a file breaks by itself (nesting,
# names, bins, size) are in tests/bad and errors.sh.
. tests/lib.sh

# excess NAME STATUS TEXT COMMAND...: ends so and says so.
excess() {
    excess_name=$1 excess_status=$2 excess_text=$3
    shift 3
    run "$SQUALL" "$@"
    if [ "$status" != "$excess_status" ]; then
        note "exit status $status instead of $excess_status"
    elif [ -s "$work/stdout" ]; then
        note 'something on stdout'
    elif [ -n "$(ls -A "$work/results" 2>/dev/null)" ]; then
        note "left behind: $(find "$work/results")"
    elif ! grep -F -q -e "$excess_text" "$work/stderr"; then
        note "it does not say: $excess_text"
    else
        pass "$excess_name"
        return
    fi
    fail "$excess_name" "$work/stderr" "$work/stdout"
}

cat >"$work/pile.yaml" <<'END'
squall: 1
title: Jobs pile up
duration: 4h
producers:
  orders: {queue: jobs, arrivals: 60k/s}
queues:
  jobs: {}
workers:
  pool:
    queue: jobs
    replicas: 1
    slots: 2
    calls: {db: {timeout: 1s}}
    retry: {max_attempts: unlimited, backoff: 1s}
dependencies:
  db:
    servers: 8
    service: 100ms
    outages: [{at: 20s, for: 3h}]
END
pile=$work/pile.yaml
rate=producers.orders.arrivals.rate

# Foreseen. 60,000/s x 3 h x 64 bytes = 38.6 GiB.
excess 'a pile of jobs' 3 \
    'would need about 38.6GiB, for jobs that pile up while `db` is down; limit 8GiB' \
    run "$pile" --memory 8GiB --out "$work/results"
excess 'what helps is said' 3 'hint: raise it with --memory' run "$pile" --memory 8GiB
excess 'a limit may be bounded elsewhere: no pile' 3 'billion jobs would arrive' \
    run "$pile" --set queues.jobs.capacity=1000 --set $rate=1G/s
excess 'a pile, in a sweep' 3 'would need about 38.6GiB' \
    sweep "$pile" --vary $rate=60k/s --memory 8GiB --out "$work/sweep"
excess 'a pile, in a search' 3 'would need about 38.6GiB' \
    limits "$pile" --find $rate=60k/s..70k/s --until 'drain.state == clears' --memory 8GiB
run "$SQUALL" check "$pile" --memory 8GiB
check 'a pile, in a check: 3' [ "$status" = 3 ]
check 'a pile, in a check: said' grep -q 'would need about 38.6GiB' "$work/stderr"
# 46 days of seconds x 21 columns x 4 bytes, marks of 2 x 8 bytes a bin; two runs at a time.
excess 'timelines, of all threads' 3 'for timelines, which wider bins make smaller; limit 100MiB' \
    run "$pile" --set $rate=1/h --set duration=46d --set runs=4 --threads 2 --memory 100MiB
excess 'fewer threads need less' 3 'or make fewer than 2 runs at a time with --threads' \
    run "$pile" --set $rate=1/h --set duration=46d --set runs=4 --threads 2 --memory 100MiB

# Jobs that come at one instant are foreseen too, and slots beyond all jobs.
excess 'a backlog that does not fit' 3 ', 413MiB of it for jobs that are there at one instant; limit 200MiB' \
    run "$pile" --set producers.orders.backlog=4M --set dependencies.db.outages=[] --memory 200MiB
excess 'a cohort that does not fit' 3 '244MiB of it for jobs that are there at one instant; limit 200MiB' run "$pile" \
    --set 'producers.orders.arrivals={kind: cohort, count: 4M}' --memory 200MiB
excess 'more jobs at one instant than it may have events' 3 \
    '6 million jobs would come at one instant, each with 2 events or more, and an instant may have 10' \
    run "$pile" --set producers.orders.backlog=6M --set queues.jobs.capacity=100
excess 'more slots than jobs' 2 'more than 1000000000 slots, and than jobs there can be' \
    run "$pile" --set workers.pool.replicas=1M --set workers.pool.slots=1M

# What is accepted fits, with the files: the least that is not refused is enough, for timelines of
# long runs, of many runs at a time, of several variants. (A storm may still need more.)
cat >"$work/quiet.yaml" <<'END'
squall: 1
title: Quiet for days
duration: 1d
producers: {orders: {queue: jobs, arrivals: 6/h}}
queues: {jobs: {}}
workers: {pool: {queue: jobs, calls: {db: {}}}}
dependencies: {db: {service: 100ms}}
variants: {quick: {dependencies: {db: {service: 10ms}}}}
END
least() { # NAME COMMAND...: told in MiB, refused with that, done with a little more
    least_name=$1
    shift
    run "$SQUALL" "$@" --memory 16MiB
    told=$(sed -n 's/.*would need about \([0-9]*\)[.0-9]*MiB.*/\1/p' "$work/stderr")
    check "$least_name: told" [ "${told:-0}" -gt 18 ]
    told=$((${told:-18} - 2)) # three digits are told, rounded
    run "$SQUALL" "$@" --memory "${told}MiB"
    check "$least_name: refused with less" [ "$status" = 3 ]
    while [ "$status" = 3 ] && grep -q 'would need' "$work/stderr"; do
        told=$((told + 1))
        run "$SQUALL" "$@" --memory "${told}MiB" --out "$work/least"
    done
    check "$least_name: the least that is accepted is enough" [ "$status" = 0 ]
    rm -rf "$work/least"
}
crowd='duration=1m --set dependencies.db.outages=[]'
# shellcheck disable=SC2086
{
    least 'a backlog' run "$pile" --set $crowd --set $rate=1/s --set producers.orders.backlog=1M
    least 'a population' run "$pile" --set $crowd \
        --set 'producers.orders.arrivals={kind: closed, population: 500k, think: 1h}'
    least 'calls at one instant' run tests/cli/small.yaml --runs 1 --set duration=1m \
        --set 'clients.herd={arrivals: 100k, calls: {db: {timeout: 2s}}}'
}
least 'one run' run "$work/quiet.yaml" --threads 1
least 'bands of runs' run "$work/quiet.yaml" --runs 9 --threads 2 --set timeline=2s
least 'narrow bins' run "$work/quiet.yaml" --set duration=1h --set timeline=20ms --threads 1
least 'variants' compare "$work/quiet.yaml" --runs 2 --threads 2 --set timeline=2s

# Noticed in the run.
excess 'a queue without bound' 3 'of them in the queue `jobs`' \
    run "$pile" --set dependencies.db.outages=[] --memory 32MiB --out "$work/results"
excess 'what helps against it' 3 'jobs reach `jobs` faster than they end: give it a capacity' \
    run "$pile" --set dependencies.db.outages=[] --memory 32MiB
cat >"$work/crowd.yaml" <<'END'
squall: 1
title: Calls pile up
duration: 10m
clients:
  app: {arrivals: 20k/s, calls: {db: {timeout: 1h}}}
dependencies:
  db: {servers: 8, service: 100ms, waiting_room: unlimited}
END
excess 'calls without bound' 3 'the storm is unbounded: calls reach `db` faster than it serves' \
    run "$work/crowd.yaml" --memory 32MiB --out "$work/results"
excess 'calls without bound: how many' 3 'of them inside `db`' \
    run "$work/crowd.yaml" --memory 32MiB
cat >"$work/loop.yaml" <<'END'
squall: 1
title: Time stands still
duration: 1m
producers:
  orders: {queue: jobs, arrivals: 20/s}
queues:
  jobs: {}
workers:
  pool:
    queue: jobs
    replicas: 1
    slots: 1
    calls: {db: {timeout: 1s, retry: {max_attempts: unlimited, backoff: none, jitter: none}}}
dependencies:
  db: {servers: 8, service: 100ms, outages: [{at: 1s, for: 10s, answer_in: 0s}]}
END
excess 'a crowd is no loop' 3 'unfinished jobs move at one instant' \
    run "$work/loop.yaml" --set producers.orders.arrivals=4M --set 'producers.more={queue: jobs, arrivals: 4M}' \
    --out "$work/results"
check 'and what spreads it' grep -q 'with `over: 10s`' "$work/stderr"
excess 'a loop' 3 'more than 10000000 events at t = 1s: time stands still' \
    run "$work/loop.yaml" --out "$work/results"
check 'the loop is named: who waits' grep -q 'workers `pool`: a caller.s delay in place is over' \
    "$work/stderr"
check 'the loop is named: what is called' grep -q 'dependency `db`: a caller asks to call' \
    "$work/stderr"

# Of the command line.
excess 'an amount of memory without unit' 2 '`5` needs a unit' run "$pile" --memory 5
excess 'too little memory for anything' 2 'is less than 16MiB' run "$pile" --memory 1MiB
excess 'too many runs' 2 'is above the maximum 100k' run "$pile" --runs 100001
values=$(awk 'BEGIN { for (i = 1; i < 400; i++) printf "%s%d/s", (i > 1 ? "," : ""), i }')
excess 'too many cells of a sweep' 2 'there are more than 100000 combinations' \
    sweep "$pile" --vary "$rate=$values" --vary "workers.pool.slots=$(echo "$values" | tr -d /s)" \
    --out "$work/results"

# Of files: their size, and what a trace may be.
{ cat tests/cli/small.yaml; awk 'BEGIN { for (i = 0; i < 131072; i++) printf "# %061d\n", i }'; } \
    >"$work/large.yaml"
excess 'a scenario of more than 8 MiB' 2 'is larger than the maximum of 8388608 bytes' \
    run "$work/large.yaml"
cat >"$work/traced.yaml" <<'END'
squall: 1
duration: 1m
clients:
  app: {arrivals: {kind: trace, file: trace.csv, time: t, reads: times}, calls: {db: {}}}
dependencies:
  db: {service: 1ms}
END
truncate -s 536870913 "$work/trace.csv" # has holes: it takes no room
excess 'a trace of more than 512 MiB' 2 'is larger than the maximum of 536870912 bytes' \
    run "$work/traced.yaml"
rm "$work/trace.csv"
awk 'BEGIN { print "t"; for (i = 0; i < 262200; i++) printf "%.3f\n", 1000 + i / 1000; print 999.5 }' \
    >"$work/late.csv"
excess 'a row that comes too late, told from the others' 2 \
    'is earlier than rows more than 262144 before it' import trace "$work/late.csv" --time t \
    --time-format s --reads times --out "$work/out.csv"
printf 't\n0\n16777217\n' >"$work/long.csv"
excess 'a trace of too many bins' 2 'span more than the maximum of 16777216 bins' \
    import trace "$work/long.csv" --time t --time-format s --reads times --bin 1s \
    --out "$work/out.csv"
check 'neither leaves a file' [ ! -e "$work/out.csv" ]
run "$SQUALL" import trace "$work/long.csv" --time t --time-format s --reads times --bin 1m
check 'wider bins, as the hint says, will do' [ "$status" = 0 ]
run "$SQUALL" run tests/cli/small.yaml --memory 16MiB
check 'a small run needs no more than the least' [ "$status" = 0 ]
# What the shell allows a process counts as what the machine has: 600 MB of addresses, three quarters.
if [ "${MODE:-release}" = release ] && (ulimit -v 600000) 2>/dev/null; then
    (ulimit -v 600000 && "$SQUALL" run "$work/pile.yaml" --threads 1) >"$work/stdout" 2>"$work/stderr"
    check 'ulimit -v: status 3' [ $? = 3 ]
    check 'ulimit -v: it is said' grep -q 'limit 439MiB' "$work/stderr"
    (ulimit -v 300000 && "$SQUALL" run "$pile" --set dependencies.db.outages=[] --memory 1GiB \
        --threads 1) >"$work/stdout" 2>"$work/stderr"
    check 'the machine has less than --memory: 3' [ $? = 3 ]
    check 'and of what there is too much' grep -q \
        'the run needs more memory than this machine gives: .*MiB are in use at t = .*in the queue `jobs`' \
        "$work/stderr"
else
    skip 'ulimit -v' 'no such limit here, or under sanitizers'
fi
finish
