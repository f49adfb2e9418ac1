# SPDX-License-Identifier: GPL-3.0-or-later
# Luck is shared: the difference in calls between two variants of the incident is known much better
# from pairs of runs than from runs apart. How much better depends on what the variants share:
#
#   full-jitter against as-it-was  the same jobs, delayed otherwise
#   shed against cap-ramp          shed drops some 40,000 of 270,000 jobs, and how many varies like
#                                  chance itself; sqrt(270 + 230) / sqrt(40) = 3.5 is all there is
#
# Intervals of runs apart are those of Welch; the t of the most degrees of freedom makes them
# rather too narrow, which is against the claim.
. tests/lib.sh
incident=scenarios/template-api-outage.yaml

# narrower FIRST SECOND RUNS T: prints how many times; T is t(0.975, 2 RUNS - 2) / t(0.975, RUNS - 1).
narrower() {
    "$SQUALL" compare $incident --variants "$1,$2" --runs "$3" --out "$work/$2" >"$work/stdout" \
        2>"$work/stderr" </dev/null || return 1
    awk -F, -v t="$4" '$1 == "dependency.template-api.calls" {
        half[++n] = ($11 - $10) / 2
        paired = ($16 - $15) / 2
    }
    END { printf "%.2f\n", sqrt(half[1] ^ 2 + half[2] ^ 2) * t / paired }' \
        "$work/$2/comparison.csv"
}

at_least() { # NAME LEAST GOT
    note "$1: $3 times narrower"
    check "$1: at least $2 times narrower in pairs" awk -v got="$3" -v least="$2" \
        'BEGIN { exit !(got + 0 >= least) }'
}

at_least 'full-jitter against as-it-was' 5 "$(narrower as-it-was full-jitter 20 0.96721)"
at_least 'shed against cap-ramp' 3 "$(narrower cap-ramp shed 60 0.98963)"
finish
