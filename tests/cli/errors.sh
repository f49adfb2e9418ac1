# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong with a scenario is said with file, line and column, ends with status 2, and leaves
# nothing behind. Each tests/bad/NAME.yaml goes with NAME.err, all that must stand on stderr.
#
#   errors.sh --update     rewrites the .err files; read the difference before you commit it
. tests/lib.sh

# refused NAME STATUS: the last run ended so, said something, printed and left nothing.
refused() {
    if [ "$status" != "$2" ]; then
        note "exit status $status instead of $2"
    elif [ ! -s "$work/stderr" ]; then
        note 'nothing on stderr'
    elif [ -s "$work/stdout" ]; then
        note 'something on stdout'
    elif [ -n "$(ls -A "$work/results" 2>/dev/null)" ] || [ -e "$work/results" ]; then
        note "left behind: $(find "$work/results")"
    else
        pass "$1"
        return
    fi
    rm -rf "$work/results"
    fail "$1" "$work/stderr" "$work/stdout"
}

# says NAME TEXT: the last run's stderr contains the text.
says() {
    check "$1" grep -F -q -e "$2" "$work/stderr"
}

for yaml in tests/bad/*.yaml; do
    err=${yaml%.yaml}.err
    run "$SQUALL" run "$yaml" --out "$work/results"
    if [ "${1:-}" = --update ]; then
        cp "$work/stderr" "$err"
    fi
    refused "$yaml is refused" 2
    same "$yaml: what it says" "$err" "$work/stderr"
done
for err in tests/bad/*.err; do
    [ -f "${err%.err}.yaml" ] || fail "$err has no scenario"
done

good=scenarios/template-api-outage.yaml

run "$SQUALL" run "$work/absent.yaml" --out "$work/results"
refused 'a missing file is refused' 2
says 'a missing file is named' "$work/absent.yaml"

run "$SQUALL" run tests --out "$work/results"
refused 'a folder as scenario is refused' 2

{ cat "$good"; head -c 50000000 /dev/zero | tr '\0' '#'; } >"$work/huge.yaml"
run "$SQUALL" run "$work/huge.yaml" --out "$work/results"
refused 'a file of 50 MB is refused' 2
says 'a file of 50 MB is named' "$work/huge.yaml"
rm "$work/huge.yaml"

awk 'BEGIN { for (i = 0; i < 200; i++) printf "%*sa%d:\n", i, "", i }' >"$work/deep.yaml"
run "$SQUALL" run "$work/deep.yaml" --out "$work/results"
refused 'indentation of 200 levels is refused' 2
says 'the place of the level too many is named' "$work/deep.yaml:6"

printf 'squall: 1\000\n' >"$work/nul.yaml"
run "$SQUALL" run "$work/nul.yaml" --out "$work/results"
refused 'a NUL byte is refused' 2

head -c 100000 "$SQUALL" >"$work/binary.yaml"
run "$SQUALL" run "$work/binary.yaml" --out "$work/results"
refused 'a binary file is refused' 2

# Output paths that cannot be: below a file, and where not even root may make a folder.
run "$SQUALL" run "$good" --out "$good"
refused 'an output path that is a file is refused' 2
says 'an output path that is a file is named' "$good"
run "$SQUALL" run "$good" --out "$good/results"
refused 'an output path below a file is refused' 2
if [ -d /proc/self ]; then
    run "$SQUALL" run "$good" --out /proc/squall-results
    refused 'an unwritable output folder is refused' 2
    says 'an unwritable output folder is named' /proc/squall-results
else
    skip 'an unwritable output folder is refused' 'no /proc here'
fi
if [ "$(id -u)" != 0 ]; then
    mkdir "$work/closed"
    chmod 555 "$work/closed"
    run "$SQUALL" run "$good" --out "$work/closed/results"
    refused 'an output folder without permission is refused' 2
fi

# Usage.
usage() { # NAME ARGUMENT...
    usage_name=$1
    shift
    run "$SQUALL" "$@"
    refused "$usage_name" 2
}
usage 'no such command' frobnicate
usage 'no such option' run "$good" --frobnicate --out "$work/results"
usage 'an option without its value' run "$good" --out
usage 'a run without scenario' run
usage 'no such variant' run "$good" --variant frobnicate --out "$work/results"
usage 'runs that are no number' run "$good" --runs many --out "$work/results"
usage 'no runs at all' run "$good" --runs 0 --out "$work/results"
usage 'a negative seed' run "$good" --seed -1 --out "$work/results"
usage 'a seed of 65 bits' run "$good" --seed 18446744073709551616 --out "$work/results"
usage 'no threads' run "$good" --threads 0 --out "$work/results"
usage '--set without a value' run "$good" --set duration --out "$work/results"
usage '--set of an unknown key' run "$good" --set dependencies.db.colour=red --out "$work/results"
finish
