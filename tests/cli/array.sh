# SPDX-License-Identifier: GPL-3.0-or-later
# The README's recipes for array jobs, tried for real: GNU parallel, and a Slurm of one node on this
# machine, started here and ended here. Each is skipped where it is not installed. Debian:
# apt-get install parallel slurmd slurmctld slurm-client
. tests/lib.sh
storm=$PWD/tests/cli/small.yaml
squall=$(cd "$(dirname "$SQUALL")" && pwd)/$(basename "$SQUALL")
vary='--vary dependencies.db.servers=1,2,4 --vary producers.orders.arrivals=10/s,40/s --runs 4'

# shellcheck disable=SC2086
run "$SQUALL" sweep "$storm" $vary --out "$work/whole"
check 'the whole' [ "$status" = 0 ]

merged() { # NAME FOLDER
    run "$SQUALL" merge "$2" --out "$2-merged"
    check "$1: merging succeeds" [ "$status" = 0 ]
    same "$1: the same bytes as the whole" "$work/whole" "$2-merged"
}

# ---- GNU parallel (moreutils has another program of that name) ----
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    echo '1 2 3 4' | tr ' ' '\n' | parallel -j 2 \
        "'$squall' sweep '$storm' $vary --shard {}/4 --out '$work/parallel' --threads 1" \
        >"$work/stdout" 2>"$work/stderr"
    status=$?
    check 'GNU parallel: four tasks' [ "$status" = 0 ]
    merged 'GNU parallel' "$work/parallel"
else
    skip 'GNU parallel' 'it is not installed'
fi

# ---- Slurm ----
for program in slurmctld slurmd sbatch scontrol sinfo; do
    if ! PATH=$PATH:/usr/sbin command -v $program >/dev/null 2>&1; then
        skip 'Slurm' "$program is not installed"
        finish
    fi
done
if [ "$(id -u)" != 0 ]; then
    skip 'Slurm' 'a node of its own needs root'
    finish
fi
PATH=$PATH:/usr/sbin
host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p "$work/slurm/state" "$work/slurm/spool" "$work/out"
cat >"$work/slurm/slurm.conf" <<END
ClusterName=squall
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$work/slurm/ctld.pid
SlurmdPidFile=$work/slurm/d.pid
SlurmctldLogFile=$work/slurm/ctld.log
SlurmdLogFile=$work/slurm/d.log
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
END
SLURM_CONF=$work/slurm/slurm.conf
export SLURM_CONF
slurmctld -D >"$work/slurm/ctld.out" 2>&1 &
ctld=$!
slurmd -D -N "$host" >"$work/slurm/d.out" 2>&1 &
node=$!
trap 'kill $ctld $node 2>/dev/null; wait $ctld $node 2>/dev/null; rm -rf "$work"' EXIT
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q '^idle$'; do
    tries=$((tries + 1))
    if [ $tries -gt 60 ] || ! kill -0 $ctld $node 2>/dev/null; then
        note "$(tail -5 "$work/slurm/ctld.log" "$work/slurm/d.log" 2>&1)"
        skip 'Slurm' 'its daemons do not run here'
        finish
    fi
    sleep 0.5 2>/dev/null || sleep 1
done
run sbatch --array=1-4 --wait -o "$work/out/%a" --chdir="$work" \
    --wrap "'$squall' sweep '$storm' $vary --shard auto --out '$work/array' --threads 1"
check 'Slurm: an array job of four tasks' [ "$status" = 0 ]
check 'Slurm: each did its part' [ "$(ls "$work/array" | tr '\n' ' ')" = \
    'shard-1-of-4 shard-2-of-4 shard-3-of-4 shard-4-of-4 ' ]
merged 'Slurm' "$work/array"
finish
