# SPDX-License-Identifier: GPL-3.0-or-later
# What shells complete: commands, options, values, files - asked of the shells themselves.
. tests/lib.sh

for shell in bash zsh fish; do
    run "$SQUALL" completion $shell
    check "completion for $shell is printed" [ "$status" = 0 ]
    cp "$work/stdout" "$work/squall.$shell"
done
run "$SQUALL" completion ksh
check 'another shell is refused by name' grep -q 'no completion for ksh' "$work/stderr"

# ask_bash WORD...: completions of the last word, one per line.
cat >"$work/ask.bash" <<'END'
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_squall
printf '%s\n' "${COMPREPLY[@]}"
END

ask_fish() { # WORD...
    fish --no-config -c "source '$work/squall.fish'; complete -C '$*'" | cut -f 1
}

ask_zsh() { # WORD...: _arguments and the like say what they were asked
    zsh -f -c '
        _arguments() { print -l -- "$@" } ; _describe() { print -l -- ${(P)2} }
        compdef() { : } ; _files() { print files "$@" } ; compadd() { print -l -- "$@" }
        source "$1"; shift
        words=("$@") CURRENT=$#; _squall' zsh "$work/squall.zsh" "$@" </dev/null
}

# offers SHELL WORD LINE...: WORD is among what the shell completes behind LINE.
offers() {
    offers_shell=$1 offers_word=$2
    shift 2
    case $offers_shell in
    bash) bash "$work/ask.bash" "$work/squall.bash" "$@" ;;
    fish) ask_fish "$@" ;;
    esac >"$work/offered" 2>"$work/offered.err"
    [ ! -s "$work/offered.err" ] && grep -qxF -e "$offers_word" "$work/offered"
}

for shell in bash fish; do
    command -v $shell >/dev/null || { skip "$shell completes" "there is no $shell"; continue; }
    check "$shell: a command" offers $shell compare squall com
    check "$shell: the first word of two" offers $shell import squall imp
    check "$shell: the second word of two" offers $shell config squall import co
    check "$shell: an option" offers $shell --variant squall run --va
    check "$shell: an option of a command of two words" offers $shell --delimiter squall import trace --de
    check "$shell: a value" offers $shell github squall lint --format g
    check "$shell: a preset" offers $shell keda-rabbitmq squall presets keda-r
    check "$shell: a retry preset" offers $shell bullmq-jitter squall delays bullmq-j
    check "$shell: a breaker to replay" offers $shell resilience4j squall replay resil
    check "$shell: a command to explain" offers $shell sweep squall help sw
    slash=; [ $shell = fish ] && slash=/ # bash adds it itself, by compopt -o filenames
    check "$shell: a folder" offers $shell scenarios/presets$slash squall run --out scenarios/pre
    check "$shell: a scenario" offers $shell scenarios/first.yaml squall run scenarios/fir
    check "$shell: not a file of another kind" sh -c \
        "! grep -q KEYS.md '$work/offered'"
done

if command -v zsh >/dev/null; then
    run ask_zsh squall com
    check 'zsh: commands' grep -q '^compare:' "$work/stdout"
    run ask_zsh squall import ''
    check 'zsh: the second word of two' grep -qx config "$work/stdout"
    run ask_zsh squall lint ''
    check 'zsh: options and values' grep -q -e '^--format=.*(text json github)$' "$work/stdout"
    run ask_zsh squall run ''
    check 'zsh: scenarios' grep -q -e '^\*:SCENARIO:_files -g "\*.yaml"$' "$work/stdout"
    check 'zsh: nothing is said on stderr' [ ! -s "$work/stderr" ]
else
    skip 'zsh completes' 'there is no zsh'
fi
finish
