#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Finds out which packages are missing and installs them.
#
#   deps.sh --install GROUP...   install what is missing: apt-get (sudo where not root), brew
#   deps.sh --check GROUP...     only say what is missing
#
# Groups: build (libraries, a font), test (cmocka), lint (clang and its tools, cppcheck),
# watch (Prometheus, for the test that watches a simulated recovery).
# Costs some 0.1 s when everything is there. Ends with 1, naming the packages, when it is not.
set -u
action=$1
shift
: "${CC:=cc}"

has() {
    command -v "$1" >/dev/null 2>&1
}

lacks_header() { # HEADER: the compiler does not find it
    brew_include=
    if has brew; then
        brew_include=-I$(brew --prefix)/include
    fi
    ! printf '#include <stdint.h>\n#include <%s>\n' "$1" |
        $CC -x c -E $brew_include - >/dev/null 2>&1
}

lacks_pc() { # NAME of a .pc file
    ! pkg-config --exists "$1" 2>/dev/null
}

need() { # DEBIAN BREW: one package by its names here and there
    debian="$debian $1"
    brew="$brew $2"
}

probe_build() {
    lacks_header stdio.h && need libc6-dev ''
    has pkg-config || need pkg-config pkgconf
    lacks_pc gsl && need libgsl-dev gsl
    lacks_pc cairo && need libcairo2-dev cairo
    lacks_pc pangocairo && need libpango1.0-dev pango
    lacks_pc yaml-0.1 && need libyaml-dev libyaml
    lacks_pc jansson && need libjansson-dev jansson
    lacks_header csv.h && need libcsv-dev libcsv
    lacks_header Random123/philox.h && need librandom123-dev random123
    has fc-list || need fontconfig fontconfig
    fc-list : family 2>/dev/null | grep -q . || need fonts-dejavu-core font-dejavu
}

probe_test() {
    lacks_header cmocka_version.h && lacks_pc cmocka && need libcmocka-dev cmocka
}

probe_lint() {
    has clang || need clang llvm
    has clang-format || need clang-format clang-format
    has clang-tidy || need clang-tidy llvm
    has cppcheck || need cppcheck cppcheck
    # The sources of a locale with a decimal comma, for the test of determinism.
    { has apt-get && [ ! -e /usr/share/i18n/locales/de_DE ]; } && need locales ''
}

probe_watch() {
    { has prometheus && has promtool; } || need prometheus prometheus
}

probe() { # GROUP...: fills $debian and $brew
    debian= brew=
    for group in "$@"; do
        "probe_$group"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif has sudo && [ -t 0 ]; then
        sudo "$@"
    elif has sudo; then
        sudo -n "$@"
    else
        echo 'deps.sh: not root, and there is no sudo' >&2
        return 1
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 "$@" >&2
}

install_missing() {
    if has apt-get; then
        echo "installing:$debian" >&2
        # The package lists may be absent or old: fetch them and try again.
        # shellcheck disable=SC2086
        apt install --no-install-recommends $debian ||
            { apt update && apt install --no-install-recommends $debian; }
    elif has brew; then
        echo "installing:$brew" >&2
        # shellcheck disable=SC2086
        brew install $brew >&2
    else
        echo 'deps.sh: neither apt-get nor brew is here' >&2
        return 1
    fi
}

if ! has "$CC"; then
    echo "squall needs a C compiler; there is no '$CC' (Debian: apt-get install gcc)" >&2
    exit 1
fi
probe "$@"
[ -z "$debian" ] && exit 0
if [ "$action" = --install ]; then
    install_missing
    probe "$@"
    [ -z "$debian" ] && exit 0
fi
if [ "$action" = --install ]; then
    echo 'squall needs these packages, and they could not be installed:'
else
    echo 'squall needs these packages (make deps installs them):'
fi >&2
{
    echo "    Debian, Ubuntu:  apt-get install$debian"
    echo "    macOS:           brew install$brew"
} >&2
exit 1
