# SPDX-License-Identifier: GPL-3.0-or-later
# A staged install holds the program, its manual pages, completions and the samples, works from there,
# and goes away whole.
. tests/lib.sh
: "${MAKE:=make}"
stage="$work/stage"

make_quiet() {
    "$MAKE" --no-print-directory BUILD="$BUILD" MODE=release DESTDIR="$stage" PREFIX=/usr "$@"
}

run make_quiet install
check 'install succeeds' [ "$status" = 0 ]
check 'the program is executable' [ -x "$stage/usr/bin/squall" ]
check 'the samples are readable and not executable' \
    [ -z "$(find "$stage/usr/share/squall" -type f -perm -100)" ]
same 'all scenarios are there' scenarios "$stage/usr/share/squall/scenarios"
check 'nothing else is there' \
    [ "$(find "$stage" -type f | wc -l)" = $(($(find scenarios -type f | wc -l) + 6)) ]
for page in man1/squall.1 man5/squall-scenario.5; do
    check "$page is there" [ -s "$stage/usr/share/man/$page" ]
    if command -v mandoc >/dev/null; then
        check "$page is a sound manual page" mandoc -T lint -W warning "$stage/usr/share/man/$page"
    elif command -v man >/dev/null; then
        run man --warnings -l "$stage/usr/share/man/$page"
        check "$page is a sound manual page" [ ! -s "$work/stderr" ]
    else
        skip "$page is a sound manual page" 'there is neither mandoc nor man'
    fi
done
run "$stage/usr/bin/squall" explain "$stage/usr/share/squall/scenarios/template-api-outage.yaml"
check 'the installed program reads an installed sample' [ "$status" = 0 ]

echo keep >"$stage/usr/share/squall/scenarios/mine.yaml"
run make_quiet uninstall
check 'uninstall succeeds' [ "$status" = 0 ]
check 'uninstall leaves what it did not bring' [ -f "$stage/usr/share/squall/scenarios/mine.yaml" ]
rm "$stage/usr/share/squall/scenarios/mine.yaml"
run make_quiet uninstall
check 'a second uninstall is no error' [ "$status" = 0 ]
check 'nothing of ours is left' [ ! -e "$stage/usr/share/squall" ]
check 'no file at all is left' [ -z "$(find "$stage" -type f)" ]
run make_quiet install BINDIR=/opt/x/bin DATADIR=/opt/x/data
check 'BINDIR is honoured' [ -x "$stage/opt/x/bin/squall" ]
check 'DATADIR is honoured' [ -f "$stage/opt/x/data/scenarios/template-api-outage.yaml" ]
finish
