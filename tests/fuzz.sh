#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every fuzz target that was built for some seconds, from the stored inputs on.
#
#   fuzz.sh SECONDS [TARGET...]    OUT: where the programs are
#
# Inputs that reach new code are kept in OUT/corpus, so that the next run goes on from there. What
# breaks a promise lies in OUT/finds: once mended, it belongs into tests/fuzz/corpus/TARGET.
set -u
: "${OUT:=build/fuzz}"
seconds=${1:-60}
[ $# = 0 ] || shift
if [ $# = 0 ]; then # all of them
    for program in "$OUT"/tests/fuzz/*; do
        case ${program##*/} in
        *.* | *-replay) ;;
        *) set -- "$@" "${program##*/}" ;;
        esac
    done
fi
passed=0 failed=0
# Files of an input are written, read and removed a thousand times a second: not on a disk.
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=tests/lsan.supp:print_suppressions=0
# figures LOG: how many inputs there were, and how many edges they reached.
figures() {
    awk '/ cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
        /number_of_executed_units/ { inputs = $2 }
        END { print inputs + 0, "inputs,", edges + 0, "edges" }' "$1"
}
for target in "$@"; do
    mkdir -p "$OUT/corpus/$target" "$OUT/finds"
    echo "== $target"
    more=
    [ "$target" != scenario ] || more='tests/bad scenarios'
    [ "$target" != config ] || more=tests/import/config
    dictionary=
    [ ! -f "tests/fuzz/$target.dict" ] || dictionary=-dict=tests/fuzz/$target.dict
    # shellcheck disable=SC2086
    if "$OUT/tests/fuzz/$target" -max_total_time="$seconds" -timeout=60 -max_len=8192 \
        -print_final_stats=1 \
        -artifact_prefix="$OUT/finds/$target-" $dictionary \
        "$OUT/corpus/$target" "tests/fuzz/corpus/$target" $more >"$OUT/$target.log" 2>&1; then
        passed=$((passed + 1))
        figures "$OUT/$target.log"
    else
        failed=$((failed + 1))
        tail -40 "$OUT/$target.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
