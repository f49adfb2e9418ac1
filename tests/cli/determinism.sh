# SPDX-License-Identifier: GPL-3.0-or-later
# Same scenario and seed, same bytes: with one and two threads, -O0 and -O2, gcc and clang, in two
# folders and two locales. The folder of results and the page on the terminal are compared whole;
# so are those of a comparison, and its report.
. tests/lib.sh
: "${CC:=cc}" "${MAKE:=make}" "${JOBS:=2}"
root=$PWD
case $BUILD in
/*) ;;
*) BUILD=$root/$BUILD ;;
esac

# results FOLDER PROGRAM [OPTION...]: runs every case in work/FOLDER, in a copy of the scenarios.
results() {
    where=$work/$1 program=$2
    shift 2
    mkdir -p "$where"
    cp -R scenarios "$where/scenarios"
    for pair in $cases; do
        (cd "$where" && "$program" run "scenarios/${pair%%:*}.yaml" --variant "${pair#*:}" \
            --seed 7 --runs 2 --out "out/$pair" "$@" >"page-$pair" 2>"stderr-$pair" </dev/null) ||
            { fail "run of $pair in $where" "$where/stderr-$pair"; return 1; }
    done
    cp tests/cli/variants.yaml "$where/variants.yaml"
    (cd "$where" && "$program" compare variants.yaml --out out/compare "$@" >page-compare \
        2>stderr-compare </dev/null && "$program" report out/compare -o out/report.html) ||
        { fail "comparison in $where" "$where/stderr-compare"; return 1; }
    rm -r "$where/scenarios" "$where/variants.yaml"
}

real() { # COMPILER: the program behind its name; cc is often gcc
    readlink -f "$(command -v "$1")"
}

# built NAME MODE COMPILER: the program made by another compiler or with other flags.
built() {
    if [ "$2" = release ] && [ "$(real "$3")" = "$(real "$CC")" ]; then
        echo "$BUILD/release/squall"
        return
    fi
    "$MAKE" --no-print-directory -j"$JOBS" CC="$3" MODE="$2" BUILD="$BUILD/determinism/$1" \
        "$BUILD/determinism/$1/$2/squall" >"$work/make-$1.log" 2>&1 || return 1
    echo "$BUILD/determinism/$1/$2/squall"
}

# compared NAME MODE COMPILER: builds, runs, compares with the first results.
compared() {
    if ! command -v "$3" >/dev/null 2>&1; then
        skip "same bytes: $1" "there is no $3 here"
    elif ! other=$(built "$1" "$2" "$3"); then
        fail "build: $1" "$work/make-$1.log"
    elif results "$1" "$other"; then
        same "same bytes: $1" "$work/one" "$work/$1"
    fi
}

cases='template-api-outage:as-it-was template-api-outage:shed four-times:base'
program=$BUILD/release/squall
results one "$program" --threads 1 || finish
for pair in $cases; do
    check "$pair wrote results" [ -s "$work/one/out/$pair/summary.json" ]
done
results threads "$program" --threads 2 && same 'same bytes: two threads' "$work/one" "$work/threads"
mkdir -p "$work/another folder/of a longer name"
results 'another folder/of a longer name/x' "$program" &&
    same 'same bytes: another folder' "$work/one" "$work/another folder/of a longer name/x"
# tests/run.sh makes this locale where the system has none.
if [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ]; then
    LC_ALL=de_DE.UTF-8
    export LC_ALL
    results comma "$program" && same 'same bytes: a locale with comma' "$work/one" "$work/comma"
    unset LC_ALL
else
    skip 'same bytes: a locale with comma' 'none is here, nor can be made'
fi
compared gcc-O2 release gcc
compared gcc-O0 debug gcc
compared clang-O2 release clang
finish
