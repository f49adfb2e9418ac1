# SPDX-License-Identifier: GPL-3.0-or-later
# Configuration of other systems as the beginning of a scenario: tests/import/config holds files, or
# folders of files that belong together, and what comes of each. Whatever comes of them runs once the
# lines to be filled in are, and names every key of its files.
#
#   import_config.sh [--update]      --update rewrites the expected pages and complaints
. tests/lib.sh
cases=tests/import/config
update=${1:-}

expect() { # NAME EXPECTED OUTPUT
    if [ "$update" = --update ]; then
        cp "$3" "$2"
    fi
    same "$1" "$2" "$3"
}

for input in "$cases"/*; do
    name=$(basename "$input")
    case $name in
    *.expected | *.err) continue ;;
    esac
    if [ -d "$input" ]; then
        set -- "$input"/*
    else
        set -- "$input"
    fi
    run "$SQUALL" import config "$@"
    case $name in
    bad-*)
        check "$name is refused" [ "$status" = 2 ]
        check "$name: nothing is printed" [ ! -s "$work/stdout" ]
        expect "$name: the complaints are as expected" "$cases/$name.err" "$work/stderr"
        continue
        ;;
    esac
    check "$name is read" [ "$status" = 0 ]
    expect "$name: the page is as expected" "$cases/$name.expected" "$work/stdout"
    check "$name: the keys add up" awk '
        /^# Of [0-9]+ keys/ { all = $3; done = $5; lost = $8; idle = $11 }
        /^# (Not translated|Without effect)/ { part = $2 }
        /^#   [^ ]+:[0-9]+: / && part != "" {
            n = match($0, /\([0-9]+ keys\)/) ? substr($0, RSTART + 1) + 0 : 1
            listed[part] += n
        }
        END { exit !(all > 0 && all == done + lost + idle &&
                     listed["Not"] + 0 == lost && listed["Without"] + 0 == idle) }' \
        "$work/stdout"
    sed 's/^#+ //' "$work/stdout" >"$work/it.yaml"
    check "$name: nothing is left to fill in" sh -c "! grep -q '^#+' '$work/it.yaml'"
    run "$SQUALL" run "$work/it.yaml" --runs 1 --set duration=20m
    check "$name: it runs" [ "$status" = 0 ]
done

run "$SQUALL" import config
check 'files are needed' [ "$status" = 2 ]
run "$SQUALL" import config "$cases/none.yaml"
check 'a file that is missing is named' grep -q 'none.yaml' "$work/stderr"
finish
