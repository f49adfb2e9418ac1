# SPDX-License-Identifier: GPL-3.0-or-later
# Same bytes for gcc and clang, -O0, -O2 and -O3, x86-64 and x86-64-v3 (fused multiply-add is there),
# one and two threads, two locales and two folders: every shipped scenario, two runs each.
#
# Scenarios that take more than LONG milliseconds (700) of a processor are run by the reference and
# by the build that differs most from it, the others by all; with MATRIX=all every build runs all.
# SCENARIOS and BUILDS ("gcc-O3 clang-O0") say which ones; without them it is all.
. tests/lib.sh
: "${CC:=cc}" "${MAKE:=make}" "${JOBS:=2}" "${LONG:=700}" "${MATRIX:=}"
root=$(pwd)
: "${SCENARIOS:=}" "${BUILDS:=gcc-O0 gcc-O2 gcc-O3 clang-O0 clang-O2 clang-O3}"
scenarios=${SCENARIOS:-$(find scenarios -name '*.yaml' -not -path 'scenarios/presets/*' | LC_ALL=C sort)}

# processor: milliseconds of processor time of all that ran so far, in $used. Not of the clock, since
# what is quick must not hang on what else this machine does.
processor() {
    times >"$work/times"
    used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } }
        END { printf "%d", 1000 * s }' "$work/times")
}

# results NAME PROGRAM LIST [OPTION...]: a folder per scenario in $work/NAME; failures are noted.
results() {
    results_to=$work/$1 results_by=$2 results_of=$3
    shift 3
    mkdir -p "$results_to"
    for scenario in $results_of; do
        results_name=$(echo "${scenario#scenarios/}" | tr / _)
        processor
        before=$used
        "$results_by" run "$root/$scenario" --runs 2 --out "$results_to/$results_name" "$@" \
            >"$results_to/$results_name.page" 2>"$work/stderr" </dev/null ||
            echo "status $? of $results_name" >>"$results_to/failed"
        processor
        echo "$((used - before)) $scenario" >>"$work/times-$(basename "$results_to")"
        # Charts are drawn by libraries that are built once: they say nothing about ours.
        rm -f "$results_to/$results_name"/*.svg "$results_to/$results_name.page"
    done
}

# agrees NAME WHAT: its results are those of the reference, as far as it has them.
agrees() {
    agrees_bad=
    for folder in "$work/$1"/*; do
        diff -r "$work/reference/$(basename "$folder")" "$folder" >>"$work/diff-$1" 2>&1 ||
            agrees_bad="$agrees_bad $(basename "$folder")"
    done
    if [ -z "$agrees_bad" ] && [ -n "$(ls "$work/$1")" ]; then
        pass "same bytes: $2 ($(find "$work/$1" -mindepth 1 -maxdepth 1 -type d | wc -l | tr -d ' ') scenarios)"
    else
        note "they differ:$agrees_bad"
        fail "same bytes: $2" "$work/diff-$1"
    fi
}

program=$BUILD/release/squall
[ -x "$program" ] || program=$SQUALL
program=$root/${program#"$root"/}
results reference "$program" "$scenarios" --threads 1
check 'every scenario runs' [ ! -e "$work/reference/failed" ]
quick=$(awk -v "most=$LONG" '$1 <= most { print $2 }' "$work/times-reference")
[ "$MATRIX" != all ] || quick=$scenarios
note "$(echo "$quick" | wc -l | tr -d ' ') of $(echo "$scenarios" | wc -l | tr -d ' ') are quick"

results threads "$program" "$quick" --threads 2
agrees threads 'two threads'
mkdir -p "$work/elsewhere"
cd "$work/elsewhere" || exit 1
results folder "$program" "$quick"
cd "$root" || exit 1
agrees folder 'another working folder'
if [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ]; then
    LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8
    export LC_ALL LANG
    results comma "$program" "$quick"
    unset LC_ALL LANG
    agrees comma 'a locale with a decimal comma'
else
    skip 'same bytes: a locale with a decimal comma' 'none is here, nor can be made'
fi

can_run_v3() {
    grep -q '^flags.* avx2 ' /proc/cpuinfo 2>/dev/null && grep -q '^flags.* fma ' /proc/cpuinfo
}

# build NAME COMPILER FLAGS...: the program, or the log of why not.
build() {
    build_name=$1 build_by=$2
    shift 2
    "$MAKE" --no-print-directory -j"$JOBS" CC="$build_by" MODE=release WERROR= CFLAGS="$*" \
        BUILD="$BUILD/matrix/$build_name" "$BUILD/matrix/$build_name/release/squall" \
        >"$work/make-$build_name.log" 2>&1
}

for which in $BUILDS; do
    compiler=${which%-*} level=${which##*-}
    if ! command -v "$compiler" >/dev/null 2>&1; then
        skip "same bytes: $which" "there is no $compiler here"
        continue
    fi
    for machine in x86-64 x86-64-v3; do
        name=$which-$machine
        if ! "$compiler" -march=$machine -E - </dev/null >/dev/null 2>&1; then
            skip "same bytes: $name" "$compiler knows no such processor"
        elif [ $machine = x86-64-v3 ] && ! can_run_v3; then
            skip "same bytes: $name" 'this processor is older'
        elif ! build "$name" "$compiler" -g0 "-$level" -march=$machine; then
            fail "build: $name" "$work/make-$name.log"
        else
            of=$quick
            [ "$name" != clang-O3-x86-64-v3 ] || of=$scenarios
            results "$name" "$root/$BUILD/matrix/$name/release/squall" "$of"
            agrees "$name" "$name"
        fi
    done
done
finish
