# SPDX-License-Identifier: GPL-3.0-or-later
# Helpers of the shell tests; to be sourced from the root of the tree.
#
# A test prints `ok NAME`, `not ok NAME` (with the reason in `# ` lines before it) or
# `ok NAME # SKIP why`, one line each, and sources this file first:
#
#     . tests/lib.sh
#     run squall explain scenarios/x.yaml
#     check 'explain accepts x' [ "$status" = 0 ]
#     finish
set -u
: "${BUILD:=build}"
: "${SQUALL:=$BUILD/squall}"
test_failed=0 test_shown=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

note() { # TEXT...: an indented remark in the log
    printf '%s\n' "$*" | sed 's/^/# /'
}

pass() {
    echo "ok $1"
}

fail() { # NAME [FILE...]: the files are shown
    fail_name=$1
    shift
    for fail_file in "$@"; do
        sed 's/^/# /' "$fail_file" | head -40
    done
    echo "not ok $fail_name"
    test_failed=1
}

skip() { # NAME WHY
    echo "ok $1 # SKIP $2"
}

# run COMMAND...: its exit status in $status, its output in $work/stdout and $work/stderr.
run() {
    "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$? test_shown=0
}

# check NAME COMMAND...: passes when the command does; shows the last run's output otherwise (once).
check() {
    check_name=$1
    shift
    if "$@" >"$work/check" 2>&1; then
        pass "$check_name"
    else
        note "failed: $*"
        sed 's/^/# /' "$work/check"
        if [ $test_shown = 0 ] && [ -e "$work/stderr" ]; then
            note "the last run ended with ${status:-nothing}; its stderr and stdout:"
            fail "$check_name" "$work/stderr" "$work/stdout"
        else
            fail "$check_name"
        fi
        test_shown=1
    fi
}

# same NAME FILE FILE: passes when the two files, or all files of the two folders, are equal.
same() {
    if diff -r "$2" "$3" >"$work/diff" 2>&1; then
        pass "$1"
    else
        fail "$1" "$work/diff"
    fi
}

finish() {
    exit $test_failed
}
