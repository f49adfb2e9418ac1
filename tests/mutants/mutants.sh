#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do the tests notice? Applies the deliberate faults of tests/mutants/faults one at a time to a copy
# of the tree and builds it. A fault is caught when one of the tests named beside it fails; if none
# does, all unit tests are tried; a fault that no test notices is a gap.
#
#   mutants.sh [NAME...]     from the root of the tree; all faults, or the named ones
#   mutants.sh --places      builds nothing: every fault still finds its place
. tests/lib.sh
: "${JOBS:=2}"
copy=$BUILD/mutants/tree
out=build/release

command -v perl >/dev/null || { skip 'deliberate faults' 'perl is missing'; finish; }

# apply FILE PATTERN FAULT [TO]: exactly one place must change; without TO nothing is written.
apply() {
    FILE=$1 PATTERN=$2 FAULT=$3 TO=${4:-} perl -e '
        local $/; open my $f, "<", $ENV{FILE} or die; my $t = <$f>; close $f;
        my ($p, $r) = ($ENV{PATTERN}, $ENV{FAULT});
        $r =~ s/\\n/\n/g; $r =~ s/\\\|/|/g;
        my $n = () = $t =~ /$p/gs;
        exit 1 if $n != 1;
        $t =~ s{$p}{ my $c = defined $1 ? $1 : ""; my $x = $r; $x =~ s/%1/$c/g; $x }es;
        exit 0 if $ENV{TO} eq "";
        open my $o, ">", $ENV{TO} or die; print $o $t;'
}

build() { # TARGET...
    make -s -C "$copy" BUILD=build -j"$JOBS" WERROR= "$@" >"$work/build.log" 2>&1
}

# first_to_notice TEST...: prints the first program that fails; fails when none does.
first_to_notice() {
    for t in "$@"; do
        if ! (cd "$copy" && timeout 300 "$out/tests/$t" >/dev/null 2>&1); then
            echo "tests/$t"
            return 0
        fi
    done
    return 1
}

programs_of() { # TEST...: what make has to build
    for t in "$@"; do
        echo "$out/tests/$t"
    done
}

all_tests() {
    (cd "$copy"/tests && find . -name 'test_*.c') | sed 's/^\.\///; s/\.c$//' | sort
}

judge() { # NAME TESTS
    if ! build $(programs_of $2); then
        fail "$1 builds" "$work/build.log"
    elif found=$(first_to_notice $2); then
        pass "$1 - caught by $found"
    elif build all unit-programs && found=$(first_to_notice $(all_tests)); then
        pass "$1 - caught by $found, not by $2"
    else
        fail "$1 - no test notices"
    fi
}

places=
if [ "${1:-}" = --places ]; then
    places=yes
    shift
else
    rm -rf "$copy"
    mkdir -p "$copy"
    cp -R .ci Makefile squall.c sim models plots scenarios tests "$copy"/
    named=$(grep '^[a-z]' tests/mutants/faults | cut -d'|' -f2 | tr ' ' '\n' | sort -u)
    if ! build $(programs_of $named); then
        fail 'the copy builds' "$work/build.log"
        finish
    fi
    if found=$(first_to_notice $named); then
        fail "$found passes without a fault"
        finish
    fi
fi

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    name=$(printf '%s\n' "$line" | cut -d'|' -f1)
    tests=$(printf '%s\n' "$line" | cut -d'|' -f2)
    file=$(printf '%s\n' "$line" | cut -d'|' -f3)
    pattern=$(printf '%s\n' "$line" | cut -d'|' -f4)
    fault=$(printf '%s\n' "$line" | cut -d'|' -f5-)
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    if [ -n "$places" ]; then
        check "$name finds its place in $file" apply "$file" "$pattern" "$fault"
        continue
    fi
    if ! apply "$file" "$pattern" "$fault" "$copy/$file"; then
        fail "$name finds its place in $file"
        continue
    fi
    judge "$name" "$tests"
    cp "$file" "$copy/$file"
done <tests/mutants/faults
finish
