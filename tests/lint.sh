#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Static analysis: clang-format, clang-tidy, cppcheck and gcc -fanalyzer (the latter on sim/).
# A tool that is not here is skipped with a line that says so. Called by `make lint`.
set -u
: "${MAKE:=make}" "${OUT:=build/release}" "${JOBS:=2}"
tried=0 broken=0
# A sub-make shares the jobs of a parent started with -j.
case ${MAKEFLAGS:-} in
*-j*) jobs= ;;
*) jobs=-j$JOBS ;;
esac

gate() { # NAME TOOL COMMAND...
    name=$1 tool=$2
    shift 2
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "ok $name # SKIP there is no $tool here"
        return
    fi
    tried=$((tried + 1))
    if "$@" >"$OUT/lint.log" 2>&1; then
        echo "ok $name"
    else
        sed 's/^/# /' "$OUT/lint.log" | grep -v -e ' TIDY ' -e ' ANALYZE '
        echo "not ok $name"
        broken=$((broken + 1))
    fi
}

formatted() {
    find squall.c sim models plots tests -name '*.[ch]' 2>/dev/null | LC_ALL=C sort |
        xargs clang-format --dry-run -Werror
}

mkdir -p "$OUT/cppcheck"
gate 'clang-format' clang-format formatted
gate 'cppcheck' cppcheck cppcheck --quiet --std=c11 -I. -j "$JOBS" --error-exitcode=1 \
    --enable=warning,portability,performance --inline-suppr \
    --suppressions-list=tests/cppcheck.supp --cppcheck-build-dir="$OUT/cppcheck" \
    $(find squall.c sim models plots -name '*.c' 2>/dev/null)
gate 'clang-tidy' clang-tidy "$MAKE" --no-print-directory -k $jobs tidy-all
gate 'gcc -fanalyzer on sim' gcc "$MAKE" --no-print-directory -k $jobs analyze-all
echo "lint: $tried tools, $broken with complaints"
[ "$broken" = 0 ]
