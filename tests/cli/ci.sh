# SPDX-License-Identifier: GPL-3.0-or-later
# The examples for CI: the files parse, the steps in them that are squall's do what they say in a
# repository as they expect it, and the hook stops a commit that breaks a promise.
. tests/lib.sh
root=$(pwd)
case $SQUALL in /*) ;; *) SQUALL=$root/$SQUALL ;; esac
ci=$root/scenarios/ci

if python3 -c 'import yaml' 2>/dev/null; then
    for file in github gitlab; do
        run python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$ci/$file.yml"
        check "$file.yml is YAML" [ "$status" = 0 ]
    done
else
    skip 'the files are YAML' 'python3 has no yaml'
fi
check 'the README shows the hook and both files' \
    [ "$(grep -c -o -E 'scenarios/ci/(github.yml|gitlab.yml|pre-commit)' README.md)" -ge 2 ]

mkdir -p "$work/repo/tools/squall/build" "$work/repo/scenarios"
cd "$work/repo" || exit 1
ln -s "$SQUALL" tools/squall/build/squall
{ cat "$root/tests/cli/small.yaml"; printf 'expect:\n  - {that: jobs.completed > 1000}\n'; } >scenarios/a.yaml

# Lines of a file that call squall, a folded one put together; the part from the program on.
commands() { # FILE
    sed -e ':a' -e '/>-$/{N;s/>-\n *//;ba' -e '}' -e '/squall check/{N;s/\n *--/ --/' -e '}' "$1" |
        sed -n 's|^ *- \(run: \)*\(tools/squall/build/squall .*\)|\2|p'
}
# steps NAME FILE: runs them as the server does, with a file for the summary.
steps() {
    : >summary.md
    commands "$2" >script
    check "$1: two steps" [ "$(wc -l <script)" = 2 ]
    run env GITHUB_STEP_SUMMARY="$work/repo/summary.md" sh -e script
}

for server in github gitlab; do
    rm -rf baselines squall.xml
    steps "$server, without baselines" "$ci/$server.yml"
    check "$server: baselines that were never written fail" [ "$status" = 2 ]
    "$SQUALL" check scenarios --baseline baselines --update-baseline >/dev/null
    steps "$server, as before" "$ci/$server.yml"
    check "$server: all is well" [ "$status" = 0 ]
    sed -i 's/servers: 8/servers: 2/' scenarios/a.yaml
    steps "$server, worse" "$ci/$server.yml"
    check "$server: it fails" [ "$status" = 1 ]
    check "$server: JUnit says why" grep -q 'type="baseline"' squall.xml
    [ $server = gitlab ] || check 'the summary says why' grep -q 'FAILED' summary.md
    [ $server = gitlab ] || check 'so do annotations' grep -q '^::error file=scenarios/a.yaml' "$work/stdout"
    sed -i 's/servers: 2/servers: 8/' scenarios/a.yaml
done

if command -v git >/dev/null; then
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 HOME=$work
    export SQUALL GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM HOME
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
    commit() {
        git add scenarios other
        run git -c user.name=somebody -c user.email=somebody@example.org commit -q -m change
    }
    git init -q . && cp "$ci/pre-commit" .git/hooks/pre-commit
    echo 1 >other
    commit
    check 'the hook lets a good scenario pass' [ "$status" = 0 ]
    sed 's/1000}/2000}/' scenarios/a.yaml >"scenarios/b c.yaml"
    commit
    check 'a promise that does not hold stops a commit' [ "$status" != 0 ]
    check 'it is named' grep -q 'FAILED .*b c.yaml' "$work/stdout" "$work/stderr"
    sed 's/jobs: {/jbs: {/' scenarios/a.yaml >"scenarios/b c.yaml"
    commit
    check 'a mistake stops a commit' [ "$status" != 0 ]
    rm "scenarios/b c.yaml"
    git reset -q
    echo 2 >other
    commit
    check 'a commit without scenarios is not held up' [ "$status" = 0 ]
else
    skip 'the hook' 'git is not installed'
fi
cd "$root" || exit 1
finish
