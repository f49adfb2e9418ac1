# SPDX-License-Identifier: GPL-3.0-or-later
# Shipped scenarios made worse on purpose, each in the variant in which the mechanism that is taken
# away is the only guard: a named expectation turns red and its figures say why; without the change it
# is green. An expectation that survives its worsening guards nothing.
#
#   worsen.sh          the quick ones
#   WORSEN=all ...     those of the incident that README.md tells, too
. tests/lib.sh
: "${WORSEN:=some}"

# worse NAME FILE EXPECTATION CHANGE WHY: CHANGE is a script of sed for the file of scenarios/;
# EXPECTATION is "VARIANT: THAT"; WHY stands in the figures of the failure.
worse() {
    worse_file=$work/$(basename "$2")
    sed "$4" "scenarios/$2" >"$worse_file"
    check "$1: the change is one" [ "$(diff "scenarios/$2" "$worse_file" | grep -c '^>')" -ge 1 ]
    run "$SQUALL" check "$worse_file" --runs 1 --filter ": $3"
    check "$1: $3 turns red" [ "$status" = 1 ]
    check "$1: it is the one" grep -q -F -e "FAILED   $worse_file:" "$work/stdout"
    check "$1: the figures say why" grep -q -e "$5" "$work/stdout"
    run "$SQUALL" check "scenarios/$2" --runs 1 --filter ": $3"
    check "$1: without the change it is green" [ "$status" = 0 ]
}

worse 'jitter off, for a cohort' problems/jitter-spreads-a-cohort.yaml \
    'base: dependency.hub.secondary_outages == 0' '/retry:/s/jitter: full/jitter: none/' \
    'observed 1, limit 0'
worse 'the budgets of retries off' problems/retries-at-every-hop.yaml \
    'budgets: dependency.stock.amplification < 1.2' '/{budget: {ratio: 20%, floor: 1}}/s/: {budget.*/: null/' \
    'limit 1.2, margin -'
worse 'the breaker off' problems/retries-at-every-hop.yaml \
    'breaker: dependency.stock.amplification < 1.1' 's/controls: {stock: {throttled: fail, breaker:.*/controls: {}/' \
    'limit 1.1, margin -'
worse 'three times as many retries in a layer' problems/retry-layers-multiply.yaml \
    'one-layer: dependency.model.amplification == 4' '/^    retry:/s/max_attempts: 4/max_attempts: 12/' \
    'observed 12, limit 4'
worse 'a second layer retries again' problems/retries-at-every-hop.yaml \
    'last-hop-only: dependency.stock.amplification < 1.5' '/^  last-hop-only/,/^  breaker/s/{users: {calls: {web: {retry: null}}}}/{}/' \
    'limit 1.5, margin -'
worse 'a lease below the time of the handler' problems/handler-outlives-its-lease.yaml \
    'six-times: dependency.ledger.calls == 1' '/six-times/s/90m/10m/' 'observed 2, limit 1'
worse 'a countdown beyond the visibility timeout' problems/countdown-outlives-the-lease.yaml \
    'long-lease: dependency.mail.goodput == 1000' '/long-lease/s/7h/3h/' 'observed [2-9]000, limit 1000'
worse 'four times the rate limit' incidents/aws-2025-lease-collapse.yaml \
    'admit-40: dependency.leases.wasted == 0' '/admit-40:/s|40/s|160/s|' 'limit 0, margin -'
worse 'pacing off' incidents/google-2025-restart-herd.yaml \
    'paced: attempts.max_per_job == 1' '/paced:/s|80/s|800/s|' 'limit 1, margin -'
worse 'the gate of the scaler off' problems/scaled-past-the-database.yaml \
    'gate: workers.consumer.replicas_max <= 11' '/gate:/s/utilisation: 90%/utilisation: 100%/' 'limit 11, margin -'
worse 'the editors in one second' incidents/canva-2024-synchronised-release.yaml \
    'spread: dependency.gateway.secondary_outages == 0' '/spread:/s/over: 5m/over: 1s/' 'limit 0, margin -'
worse 'all boots in one step' incidents/slack-2022-cache-refill.yaml \
    'cut-then-steps: dependency.channels.timeouts_per_s < 3' '/^  cut-then-steps/,$s|limit.rate: 60/s|limit.rate: 1000/s|' 'limit 3, margin -'
worse '500 retries instead of five' incidents/square-2017-500-retries.yaml \
    'five: dependency.redis.amplification <= 6' '/five:/s/max_retries: 5,/max_retries: 500,/' 'limit 6, margin -'
worse 'no bound on the whole call' problems/deadline-beats-the-budget.yaml \
    'bounded: dependency.api.calls == 5' '/bounded:/s/total_timeout: 5s/total_timeout: 5h/' 'limit 5, margin -'
worse 'a cap of the backoff at 100 ms' problems/retry-cap-times-shards.yaml \
    'cap-5s: dependency.backend.calls / 240 < 41' '/cap-5s:/s/cap: 5s/cap: 100ms/' 'limit 41, margin -'

if [ "$WORSEN" = all ]; then
    # In `everything` one guard covers for the next; these are the ones that nothing covers for.
    everything='s/^  everything: *{extends: shed, /&'
    worse 'the cap twice as high' removed-cap.yaml \
        'base: dependency.template-api.secondary_outages == 0' \
        '/^controls:/,/^variants:/s/concurrency: 40/concurrency: 80/' 'limit 0, margin -'
    worse 'the bound of the scaler at 80' removed-cap.yaml \
        'max-20: dependency.template-api.secondary_outages == 0' '/max-20:/s/max: 20/max: 80/' \
        'limit 0, margin -'
    worse 'the ramp off, with cold servers' template-api-cold.yaml \
        'cap-ramp: dependency.template-api.secondary_outages == 0' \
        '/cap-ramp:/s/ramp: {steps: [^}]*}/ramp: null/' 'limit 0, margin -'
    worse 'the deadline off' template-api-outage.yaml \
        'everything: producer.login-codes.delay_max_s < 5m' \
        "${everything}producers: {login-codes: {deadline: none}}, /" 'limit 5m2s, margin -2[0-9]m'
    worse 'superseding off' template-api-outage.yaml \
        'everything: recovery.superseded > 7000' \
        "${everything}producers: {price-updates: {supersede: null}}, /" 'observed 0, limit 7000'
    worse 'the timeout below the time of service' template-api-outage.yaml \
        'everything: drain.state == clears' \
        "${everything}workers: {renderers: {calls: {template-api: {timeout: 300ms}}}}, /" \
        'observed will not drain, limit clears'
fi
finish
