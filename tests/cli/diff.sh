# SPDX-License-Identifier: GPL-3.0-or-later
# Two results side by side: the keys that changed, and the paired difference; what does not pair is
# refused.
. tests/lib.sh
storm=tests/cli/variants.yaml

for side in was is; do
    case $side in is) set -- --set workers.pool.slots=1 ;; *) set -- ;; esac
    run "$SQUALL" run $storm --variant cap --runs 4 --out "$work/$side" "$@"
    check "$side runs" [ "$status" = 0 ]
done
slots=$(sed -n -E 's/^    slots: //p' "$work/was/scenario.yaml")
run "$SQUALL" diff "$work/was" "$work/is"
check 'two results are compared' [ "$status" = 0 ]
check 'one key changed' grep -q -x '1 key changed' "$work/stdout"
check 'it is named with both values' grep -q -x "workers.pool.slots: $slots -> 1" "$work/stdout"
check 'the runs are paired' grep -q '^Difference to was on the same luck' "$work/stdout"
run "$SQUALL" diff "$work/was" "$work/was/"
check 'nothing changed' grep -q -x '0 keys changed' "$work/stdout"

# refused NAME TEXT OPTION...
refused() {
    name=$1 text=$2
    shift 2
    run "$SQUALL" run $storm --variant cap --out "$work/other" "$@"
    run "$SQUALL" diff "$work/was" "$work/other"
    check "$name: refused" [ "$status" = 2 ]
    check "$name: said" grep -q -F -e "$text" "$work/stderr"
}
refused 'another seed' 'has seed 7, the other one 1' --runs 4 --seed 7
refused 'fewer runs' 'has 3 runs, the other one 4' --runs 3
refused 'one replication' 'has 1 runs, the other one 4' --replication 2
run "$SQUALL" diff "$work/was" "$work/nowhere"
check 'a missing folder is refused' [ "$status" = 2 ]
run "$SQUALL" diff "$work/was"
check 'one folder is not enough' [ "$status" = 2 ]
finish
