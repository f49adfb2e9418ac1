#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles every header by itself, and twice in one file, with gcc and clang where they are.
#
#   headers-alone.sh HEADER...      CFLAGS from the Makefile
set -u
checked=0 broken=0
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        echo "ok headers alone with $compiler # SKIP there is no $compiler here"
        continue
    fi
    for h in "$@"; do
        checked=$((checked + 1))
        # shellcheck disable=SC2086
        if ! printf '#include "%s"\n#include "%s"\n' "$h" "$h" |
            eval "$compiler $CFLAGS -x c -fsyntax-only -"; then
            echo "not ok $h with $compiler"
            broken=$((broken + 1))
        fi
    done
    echo "ok headers were compiled alone with $compiler"
done
echo "headers-alone: $checked checked, $broken broken"
[ "$broken" = 0 ]
