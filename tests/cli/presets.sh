# SPDX-License-Identifier: GPL-3.0-or-later
# The shipped presets from the outside: the list, the page about each, and that a scenario takes
# them in a job layer, a client and a call.
. tests/lib.sh

says() { # NAME TEXT: stdout contains the text
    check "$1" grep -q -F -e "$2" "$work/stdout"
}

run "$SQUALL" presets
check 'the list' [ "$status" = 0 ]
cp "$work/stdout" "$work/list"
says 'it has the types' 'retry'
says 'and systems' '  Celery 5.6'
says 'and first delays' '    bullmq                         1s, 2s, 4s'
check 'no line is longer than 80 columns' \
    [ "$(awk 'length($0) > 80' "$work/list" | wc -l)" = 0 ]

# Every file and every name in it stands in the list, and every name has its page.
awk '/^    / { print $1 } /^  [a-z]/ && !retry { print $1 } /^[a-z_]+$/ { retry = $0 == "retry" }' \
    "$work/list" | sort -u >"$work/names"
check 'there are a hundred and more' [ "$(wc -l <"$work/names")" -gt 100 ]
silent=0 wide=0
while read -r name; do
    "$SQUALL" presets "$name" >"$work/page" 2>&1 || silent=$((silent + 1))
    grep -q '^Facts$' "$work/page" || silent=$((silent + 1))
    grep -q '^As it is shipped$' "$work/page" || silent=$((silent + 1))
    wide=$((wide + $(sed '/^As it is shipped$/,$d' "$work/page" | awk 'length($0) > 80' | wc -l)))
done <"$work/names"
check 'each has a page with facts and its YAML' [ "$silent" = 0 ]
check 'in lines of 80 columns' [ "$wide" = 0 ]
for file in scenarios/presets/*.yaml; do
    title=$(sed -n 's/^title: *//p' "$file" | tr -d '"')
    grep -q -F -e "$title" "$work/list" || fail "$file is listed"
done
pass 'every file is listed'

run "$SQUALL" presets sidekiq
says 'the formula' 'polynomial: offset + scale * (n-1+start)^power, where power is 4,'
says 'the limit' '25 retries, 26 runs in all.'
says 'the first delays' 'First delays  15s to 24s, 16s to 35s, 31s to 1m,'
says 'the whole window' '25 delays take 20d12h'
says 'who holds the delay' 'Delay held    in a sorted set in Redis.'
says 'what is retried' 'Retried       every exception, poison included.'
says 'the warning' 'Beware: jobs come back in batches'
says 'the YAML with every default' '      max_elapsed: none'

run "$SQUALL" presets celry
check 'an unknown name is refused' [ "$status" = 2 ]
check 'with the closest' grep -q 'did you mean `celery`?' "$work/stderr"

# In all three places; the call layer has no give_up, and the echo reads back.
cat >"$work/three.yaml" <<'YAML'
squall: 1
duration: 1m
presets: {retry: {house: {preset: celery, max_retries: 4}}}
producers: {orders: {queue: jobs, arrivals: 5/s}}
clients: {web: {arrivals: 1/s, calls: {db: {timeout: 1s}}, retry: stripe}}
queues: {jobs: {}}
workers:
  pool: {queue: jobs, slots: 2, calls: {db: {timeout: 1s, retry: celery}}, retry: house}
dependencies: {db: {servers: 2, service: 100ms}}
YAML
run "$SQUALL" explain "$work/three.yaml"
check 'a scenario takes presets' [ "$status" = 0 ]
check 'one place drops the job, two do' [ "$(grep -c 'give_up' "$work/stdout")" = 2 ]
cp "$work/stdout" "$work/echo.yaml"
run "$SQUALL" explain "$work/echo.yaml"
grep -v '^#' "$work/echo.yaml" >"$work/a"
grep -v '^#' "$work/stdout" >"$work/b"
same 'what explain prints reads back' "$work/a" "$work/b"
run "$SQUALL" run "$work/three.yaml"
check 'and runs' [ "$status" = 0 ]
finish
