#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs test programs and scripts, JOBS at a time, and counts their `ok` and `not ok` lines.
#
#   run.sh TEST...     from the root of the tree; a TEST is a cmocka program or a .sh file
#
# What failed is shown in full. A test that dies, prints no result, or prints fewer
# results than it announced counts as one failure more. The last line is `N passed, N failed`.
set -u
: "${OUT:=build/release}"
: "${JOBS:=2}"
logs=$OUT/test-logs

log_of() { # TEST: the path of its log
    echo "$logs/$(echo "${1#"$OUT"/}" | tr / _).log"
}

run_one() { # TEST: output into its log, exit status beside it
    log=$(log_of "$1")
    case $1 in
    *.sh) sh "$1" >"$log" 2>&1 </dev/null ;;
    /*) "$1" >"$log" 2>&1 </dev/null ;;
    *) "./$1" >"$log" 2>&1 </dev/null ;;
    esac
    echo $? >"$log.status"
}

if [ "${1:-}" = --one ]; then
    run_one "$2"
    exit 0
fi

rm -rf "$logs"
mkdir -p "$logs"
export BUILD OUT MODE CC MAKE JOBS
export CMOCKA_MESSAGE_OUTPUT=TAP UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=tests/lsan.supp:print_suppressions=0
# A locale with a decimal comma, for the tests that no number depends on it: made here where none
# is installed. Without the sources of one those tests are skipped.
if ! locale -a 2>/dev/null | grep -q -i '^de_DE\.utf-*8$'; then
    LOCPATH=$(cd "$OUT" && pwd)/locale
    if [ ! -d "$LOCPATH/de_DE.UTF-8" ] && command -v localedef >/dev/null 2>&1; then
        mkdir -p "$LOCPATH"
        localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" >/dev/null 2>&1
    fi
    export LOCPATH
fi
if [ "${MODE:-release}" != release ]; then
    export SQUALL="$OUT/squall"
fi
[ $# = 0 ] || printf '%s\n' "$@" | xargs -P "$JOBS" -n 1 sh tests/run.sh --one

# Results of one log as "passed failed skipped".
count='
/^1\.\.[0-9]+/ { planned += substr($1, 4); next }
/^(not )?ok .*# SKIP/ { skipped++; next }
/^ok / { passed++ }
/^not ok / { failed++ }
END {
    seen = passed + failed + skipped
    if (seen == 0 || seen < planned || (status != 0 && failed == 0))
        failed++
    print passed + 0, failed + 0, skipped + 0
}'
passed=0 failed=0 skipped=0
for t in "$@"; do
    log=$(log_of "$t")
    status=$(cat "$log.status" 2>/dev/null || echo 1)
    # shellcheck disable=SC2046
    set -- $(awk -v "status=$status" "$count" "$log")
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    if [ "$2" != 0 ]; then
        echo "---- ${t#"$OUT"/}: $2 failed, exit status $status"
        grep -v "^ok " "$log"
        echo "----"
    else
        printf '%5d  %s\n' "$1" "${t#"$OUT"/}"
        [ "$3" = 0 ] || sed -n 's/^.*ok .*# SKIP */       skipped: /p' "$log"
    fi
done
[ "$skipped" = 0 ] || echo "($skipped skipped)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
