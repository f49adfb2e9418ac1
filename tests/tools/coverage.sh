# SPDX-License-Identifier: GPL-3.0-or-later
# How much of sim/ and models/ the tests reach: lines and branches, from what gcc counted in the
# programs that `make coverage` built and ran. OUT: where they are. Prints the files with the least,
# and fails under 90 % of the lines or 80 % of the branches.
#
# Nothing is left out of the count: not the branch of an assertion that fails, which no test can take
# and live (two branches each, one of them never taken), nor those of allocations that fail, which
# tests/oom takes where it comes by. A file that no program was made of would not be counted; there is
# none, since all of sim/ and models/ is in the library.
. tests/lib.sh
: "${OUT:=build/coverage}" "${GCOV:=gcov}"
if ! command -v "$GCOV" >/dev/null 2>&1; then
    skip 'coverage' "there is no $GCOV here"
    finish
fi
# Per file: "File 'x.c'", "Lines executed:90.00% of 120", "Taken at least once:80.00% of 40".
find sim models -name '*.c' | LC_ALL=C sort | while read -r source; do
    object=$OUT/${source%.c}.gcno
    [ ! -f "$object" ] || "$GCOV" -b -n -o "$object" "$source" 2>/dev/null |
        awk -v "source=$source" '
        /^File / { mine = index($0, "\047" source "\047") > 0 }
        mine && /^Lines executed:/ { split($0, w, /[:% ]+/); lines = w[5]; ran = w[3] * lines / 100 }
        mine && /^Taken at least once:/ { n = split($0, w, /[:% ]+/); branches = w[n]; took = w[n - 2] * branches / 100 }
        END { if (lines) printf "%s %d %d %d %d\n", source, lines, ran + 0.5, branches, took + 0.5 }'
done >"$work/files"
awk '{ printf "%5.1f %% of %4d lines, %5.1f %% of %4d branches  %s\n", 100 * $3 / $2, $2, $4 ? 100 * $5 / $4 : 100, $4, $1 }' \
    "$work/files" | sort -n | head -25 | sed 's/^/# /'
for room in sim models; do
    awk -v "room=$room/" 'index($1, room) == 1 { l += $2; r += $3; b += $4; t += $5 }
    END { printf "%d %.2f %d %.2f\n", l, 100 * r / (l ? l : 1), b, 100 * t / (b ? b : 1) }' "$work/files" >"$work/sum"
    read -r lines ran branches took <"$work/sum"
    note "$room/: $ran % of $lines lines, $took % of $branches branches"
    check "$room: at least 90 % of the lines" [ "${ran%.*}" -ge 90 ]
    check "$room: at least 80 % of the branches" [ "${took%.*}" -ge 80 ]
done
finish
