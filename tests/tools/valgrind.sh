# SPDX-License-Identifier: GPL-3.0-or-later
# Small work under valgrind: no use of memory that is not ours or not set, and none is lost.
. tests/lib.sh
if ! command -v valgrind >/dev/null 2>&1; then
    skip 'valgrind' 'there is none here'
    finish
fi

clean() { # NAME STATUS ARGUMENT...
    clean_name=$1 clean_status=$2
    shift 2
    run valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
        --suppressions=tests/tools/valgrind.supp --log-file="$work/log" "$SQUALL" "$@"
    if [ "$status" = 99 ]; then
        fail "$clean_name" "$work/log"
    else
        check "$clean_name" [ "$status" = "$clean_status" ]
    fi
}

short='--set duration=20s --set tail=20s --set timeline=1s --set dependencies.db.outages=[]'
# shellcheck disable=SC2086
clean 'run' 0 run tests/cli/small.yaml --runs 2 --threads 2 $short
# shellcheck disable=SC2086
clean 'run with files' 0 run tests/cli/small.yaml --runs 1 $short --out "$work/out"
clean 'explain' 0 explain scenarios/template-api-outage.yaml
clean 'lint' 0 lint tests/cli/small.yaml
clean 'a mistake' 2 run tests/bad/several.yaml
clean 'presets' 0 presets
clean 'delays' 0 delays celery
finish
