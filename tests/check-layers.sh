#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Enforces the floors of the house: who may include whom, one door per library, banned functions,
# no writable variables of file scope, sizes of files, and texts that stand alone.
#
#   check-layers.sh      from the root of the tree; BUILD/release/libsquall.a if it was built
#
# One `ok`/`not ok` line per rule, offenders before it, and a closing line that counts.
set -u
: "${BUILD:=build}"
tab=$(mktemp -d) || exit 1
trap 'rm -rf "$tab"' EXIT
rules=0 broken=0

# Files longer than 500 lines and headers longer than 200, with a reason each: "path lines".
# mdl_core.h: the records that all entities share, in one place.
longer='
models/part/mdl_core.h 300
'
# Objects that may hold writable variables, and how many bytes of them: the signal flag, which only
# a handler sets; and of memory the limit, what is in use, and the count down to a refused
# allocation, which only tests set.
stateful='sq_signal.o 4 sq_mem.o 40'

verdict() { # NAME FILE: the rule holds when the file of offenders is empty
    rules=$((rules + 1))
    if [ -s "$2" ]; then
        sed 's/^/# /' "$2"
        echo "not ok $1"
        broken=$((broken + 1))
    else
        echo "ok $1"
    fi
}

files() { # PATTERN: product files under the floors, sorted
    find squall.c sim models plots -name "$1" 2>/dev/null | LC_ALL=C sort
}

sources=$(files '*.c')
everything="$sources $(files '*.h')"

# Every include line as "file line quote-or-angle target".
# shellcheck disable=SC2086
awk '
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    match($0, /[<"].*[>"]/)
    print FILENAME, FNR, substr($0, RSTART, 1), substr($0, RSTART + 1, RLENGTH - 2)
}' $everything /dev/null >"$tab/includes"

# --- floors ---------------------------------------------------------------------------------
awk '
function floor_of(p) {
    if (p ~ /^sim\/base\//) return 1
    if (p ~ /^sim\/core\//) return 2
    if (p ~ /^sim\/conf\//) return 3
    if (p ~ /^models\/import\//) return 10
    if (p ~ /^models\/policy\//) return 11
    if (p ~ /^models\/part\//) return 12
    if (p ~ /^models\/entity\//) return 13
    if (p ~ /^models\/[^\/]*$/) return 14
    if (p ~ /^models\/forecast\//) return 15
    if (p ~ /^models\/(study|advice)\//) return 16
    if (p ~ /^plots\//) return 21
    if (p == "squall.c") return 99
    return 0
}
function stem(p) { sub(/\.[ch]$/, "", p); return p }
$3 == "<" { next }
{
    from = floor_of($1); to = floor_of($4)
    if (!to) { print $1 ":" $2 ": \"" $4 "\" is not written from the root, or on no floor"; next }
    if (to > from) print $1 ":" $2 ": reaches up to " $4
    if (from == 21 && to > 3 && to != 21) print $1 ":" $2 ": plots/ must not see " $4
}' "$tab/includes" >"$tab/floors"
verdict 'nothing points up, plots and models do not see each other' "$tab/floors"

# A policy or entity may use a header that has no .c file of its own (a contract) and the other
# files of its own name (mdl_workers.c, mdl_workers_fleet.c), but no sibling.
awk -v "sources=$sources" '
BEGIN { n = split(sources, list, /[ \n]+/); for (i = 1; i <= n; i++) has[list[i]] = 1 }
function stem(p) { sub(/\.[ch]$/, "", p); return p }
function same_name(a, b) { return a == b || index(a, b "_") == 1 || index(b, a "_") == 1 }
function room(p) { sub(/\/[^\/]*$/, "", p); return p }
$3 == "\"" && room($1) ~ /^models\/(policy|entity)$/ && room($1) == room($4) &&
!same_name(stem($1), stem($4)) && (stem($4) ".c") in has { print $1 ":" $2 ": includes its sibling " $4 }
' "$tab/includes" >"$tab/siblings"
verdict 'policies and entities do not include each other' "$tab/siblings"

# --- doors ----------------------------------------------------------------------------------
awk '
BEGIN {
    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
              "signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn " \
              "string tgmath time uchar wchar wctype aio dirent dlfcn fcntl fnmatch glob grp " \
              "langinfo libgen poll pthread pwd regex sched semaphore spawn strings termios " \
              "unistd sys/ioctl sys/mman sys/resource sys/select sys/stat sys/time sys/types " \
              "sys/uio sys/wait sanitizer/asan_interface", name, " ")
    for (i = 1; i <= n; i++) standard[name[i] ".h"] = 1
    door["gsl"] = "sim/core/sq_math.c"
    door["Random123"] = "sim/core/sq_luck.c"
    door["yaml.h"] = "sim/conf/sq_doc.c"
    door["jansson.h"] = "sim/base/sq_json.c"
    door["csv.h"] = "sim/conf/sq_csv.c"
    door["cairo"] = door["pango"] = "plots/plt_canvas.c"
}
$3 == "<" && !($4 in standard) {
    library = $4
    sub(/\/.*/, "", library)
    if (library ~ /^cairo/) library = "cairo"
    if (!(library in door)) print $1 ":" $2 ": <" $4 "> belongs to no library of ours"
    else if (door[library] != $1) print $1 ":" $2 ": <" $4 "> belongs to " door[library]
}' "$tab/includes" >"$tab/doors"
verdict 'each library has one door' "$tab/doors"

# --- functions ------------------------------------------------------------------------------
# The code without comments, strings and characters, lines kept.
# shellcheck disable=SC2086
awk '
    FNR == 1 { inside = 0 }
    {
        line = $0; out = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (!end) { line = ""; break }
                line = substr(line, end + 2); inside = 0
            } else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
                mark = substr(line, RSTART, 2)
                out = out substr(line, 1, RSTART - 1) " "
                if (mark == "//") { line = ""; break }
                if (mark == "/*") { inside = 1; line = substr(line, RSTART + 2) }
                else line = substr(line, RSTART + RLENGTH)
            } else { out = out line; line = "" }
        }
        print FILENAME ":" FNR ":" out
    }' $everything /dev/null >"$tab/code"

calls() { # WORDS: lines of the code that call one of them
    grep -E "(^|[^A-Za-z0-9_])($(echo "$1" | tr ' ' '|'))[[:space:]]*\(" "$tab/code"
}
calls 'strcpy strcat sprintf vsprintf strtok gets atoi atol atof rand srand random srandom drand48 time gettimeofday localtime gmtime setlocale setjmp longjmp alloca system' \
    >"$tab/banned"
verdict 'no banned function is called' "$tab/banned"

calls 'malloc calloc realloc free strdup strndup aligned_alloc posix_memalign getline asprintf' |
    grep -v '^sim/base/' >"$tab/memory"
verdict 'memory is taken and given back in sim/base only' "$tab/memory"

calls 'printf fprintf vprintf vfprintf puts fputs putchar fputc putc perror' |
    grep -v -e '^sim/base/' -e '^squall\.c:' >"$tab/printing"
verdict 'only sim/base and squall.c print' "$tab/printing"

# --- objects --------------------------------------------------------------------------------
library=$BUILD/release/libsquall.a
if [ -f "$library" ] && size -A "$library" >"$tab/sizes" 2>/dev/null; then
    # A line "NAME.o (ex LIB):" and then the sections with their sizes.
    awk -v "stateful=$stateful" 'BEGIN { n = split(stateful, w, " "); for (i = 1; i < n; i += 2) may[w[i]] = w[i + 1] }
    /\(ex / { object = $1 }
    $1 ~ /^\.(data|bss|tdata|tbss)(\.[a-z]|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 {
        sum[object] += $2
        if (sum[object] > may[object]) print object ": " sum[object] " bytes, lately in " $1
    }
    /COMMON/ && $2 > 0 { print object ": " $2 " bytes in common" }' "$tab/sizes" >"$tab/writable"
    verdict 'no writable variable of file scope (but the two listed)' "$tab/writable"

    # libm's results depend on the processor; what is simulated must not.
    nm -A "$library" 2>/dev/null | awk '
    $(NF-1) == "U" && $NF ~ /^(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot|erf|erfc|lgamma|tgamma)(@.*)?$/ {
        split($1, part, ":"); print part[2] ": " $NF }' |
        grep -v -e '^sq_math\.o' -e '^plt_' >"$tab/libm"
    verdict 'no logarithm, power or sine of libm outside sq_math.c and plots' "$tab/libm"
else
    echo "ok writable variables and libm # SKIP $library is not built, or there is no size(1)"
fi

# --- sizes and texts ------------------------------------------------------------------------
# shellcheck disable=SC2086
wc -l $everything $(find tests -name '*.c') /dev/null | awk -v "longer=$longer" '
BEGIN { n = split(longer, w, /[ \n]+/); for (i = 1; i < n; i++) if (w[i] ~ /\.[ch]$/) may[w[i]] = w[i + 1] }
$2 == "total" || $2 == "/dev/null" { next }
{ limit = $2 in may ? may[$2] : $2 ~ /\.h$/ ? 200 : 500 }
$1 > limit { print $2 ": " $1 " lines, at most " limit }' >"$tab/lines"
verdict 'files have at most 500 lines, those of tests too, headers 200' "$tab/lines"

# shellcheck disable=SC2086
awk 'FNR == 1 && !/SPDX-License-Identifier: GPL-3.0-or-later/ { print FILENAME ": no SPDX line" }' \
    $everything /dev/null >"$tab/spdx"
verdict 'every file names its licence first' "$tab/spdx"

# Paths of the machine a text was written on. Put together, so that this file is no offender.
foreign="/wo""rk/|/tmp/bash""_job|\.\./sha""red|/ro""ot/"
{ git ls-files 2>/dev/null || find . -type f -not -path './build/*' -not -path './.git/*'; } |
    grep -v -e '^LICENSE$' | tr '\n' '\0' |
    xargs -0 grep -I -n -E "(^|[^A-Za-z0-9_.])($foreign)" >"$tab/texts" 2>/dev/null
verdict 'no text names a path of another place' "$tab/texts"

echo "check-layers: $rules rules over $(echo "$everything" | wc -w | tr -d ' ') files, $broken broken"
[ "$broken" = 0 ]
