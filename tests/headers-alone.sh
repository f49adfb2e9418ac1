#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles every header by itself, and twice in one file, with gcc and clang where they are.
#
#   headers-alone.sh HEADER...      CFLAGS from the Makefile
set -u
: "${JOBS:=2}"
checked=0 broken=0
export compiler CFLAGS

# Run by xargs with some headers at a time.
# shellcheck disable=SC2016
each='for h in "$@"; do
    printf "#include \"%s\"\n#include \"%s\"\n" "$h" "$h" |
        eval "$compiler $CFLAGS -x c -fsyntax-only -" || echo "not ok $h alone with $compiler"
done'
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        echo "ok headers alone with $compiler # SKIP there is no $compiler here"
        continue
    fi
    said=$(printf '%s\n' "$@" | xargs -P "$JOBS" -n 8 sh -c "$each" sh 2>&1)
    checked=$((checked + $#))
    if [ -n "$said" ]; then
        echo "$said"
        broken=$((broken + $(echo "$said" | grep -c '^not ok')))
    else
        echo "ok $# headers alone with $compiler"
    fi
done
echo "headers-alone: $checked checked, $broken broken"
[ "$broken" = 0 ] && [ "$checked" != 0 ]
