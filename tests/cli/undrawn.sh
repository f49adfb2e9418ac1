# SPDX-License-Identifier: GPL-3.0-or-later
# What draws is opened when something is drawn: a run without pictures needs none of it, and where
# pango is missing, drawing says so.
. tests/lib.sh

if [ "$(uname -s)" != Linux ]; then
    skip 'undrawn' 'the libraries of this system are loaded in another way'
    finish
fi
mkdir "$work/broken"
echo 'no library' >"$work/broken/libpangocairo-1.0.so.0"
undrawn() { LD_LIBRARY_PATH="$work/broken" "$SQUALL" "$@"; }

run undrawn run tests/cli/small.yaml
check 'a run without a folder needs no pango' [ "$status" = 0 ]
run "$SQUALL" run tests/cli/small.yaml --out "$work/out"
check 'with pango there is a picture' [ -s "$work/out/timeline.svg" ]
run undrawn run tests/cli/small.yaml --seed 2 --out "$work/out"
check 'without it there is none: status 3' [ "$status" = 3 ]
check 'the picture of another run does not stay' [ ! -e "$work/out/timeline.svg" ]
check 'the numbers are there' grep -q '"seed": 2' "$work/out/summary.json"
check 'the message names what is missing' grep -q 'pango, which sets the text, is missing' "$work/stderr"
check 'the hint names packages' grep -q 'libpangocairo-1.0-0' "$work/stderr"
run undrawn plot "$work/out" -o "$work/chart.svg"
check 'nor can a chart be drawn: status 3' [ "$status" = 3 ]
check 'no half of one is left' [ ! -e "$work/chart.svg" ]
if command -v ldd >/dev/null 2>&1 && ldd "$SQUALL" >"$work/needs" 2>/dev/null; then
    check 'the program itself needs neither pango nor fontconfig' \
        [ "$(grep -c -E 'pango|cairo|fontconfig|glib' "$work/needs")" = 0 ]
fi
finish
