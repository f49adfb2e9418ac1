# SPDX-License-Identifier: GPL-3.0-or-later
# Two threads at work under ThreadSanitizer: no race is reported, and the results are those of one.
# The program is the one that `make tsan` builds.
. tests/lib.sh
TSAN_OPTIONS="exitcode=66 halt_on_error=0 suppressions=$(pwd)/tests/tools/tsan.supp"
export TSAN_OPTIONS
whole='setarch -R' # its shadow must find its place in the address space
$whole true 2>/dev/null || whole=
if ! $whole "$SQUALL" version >/dev/null 2>&1; then
    skip 'races' 'the thread sanitizer does not start here'
    finish
fi

clean() { # NAME ARGUMENT...
    clean_name=$1
    shift
    # shellcheck disable=SC2086
    run $whole "$SQUALL" "$@"
    if grep -q 'ThreadSanitizer' "$work/stderr"; then
        fail "$clean_name: no race" "$work/stderr"
    else
        check "$clean_name: no race" [ "$status" = 0 ]
    fi
}

clean 'run' run tests/cli/small.yaml --runs 4 --threads 2 --out "$work/two"
clean 'run on one thread' run tests/cli/small.yaml --runs 4 --threads 1 --out "$work/one"
same 'the same bytes' "$work/one" "$work/two"
clean 'compare' compare tests/cli/variants.yaml --runs 4 --threads 2
clean 'sweep' sweep tests/cli/small.yaml --vary dependencies.db.servers=2,4,8 --runs 2 --threads 2 \
    --out "$work/sweep"
clean 'limits' limits tests/cli/small.yaml --find dependencies.db.servers=1..8 \
    --until 'jobs.completed > 900' --runs 2 --threads 2
finish
