# SPDX-License-Identifier: GPL-3.0-or-later
# Running systems against scenarios/real: in bins of 5 s, how far are simulated calls, goodput and
# delayed jobs from what was recorded? A distance is the sum of the differences over the sum
# recorded; of several runs the median counts, of distances and of totals. The bounds are in
# scenarios/real/recorded/bounds.csv: at least 5 % (10 % of goodput with jitter or collapse), 1 %
# of totals (3 %), and half as much again as repetitions of the recording are apart.
. tests/lib.sh
real=scenarios/real

# Recorded and simulated total and the distance of one column, from a file with what was recorded
# and timelines.
cat >"$work/judge.awk" <<'AWK'
FNR == 1 { file++; split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
file == 1 { recorded[FNR - 2] = $at[column]; sum += $at[column]; bins++; next }
{
    # Levels were sampled at the start of a second, timelines have them at its end. Calls that were
    # inside when it went down count as refused.
    v = $at[column == "delayed" ? "queue.q.delayed" : "dependency.dep." column "_per_s"]
    v += column == "refused" ? $at["dependency.dep.errors_per_s"] : 0
    total[file] += v
    sim[file, int((FNR - 2 + (column == "delayed")) / 5)] += v / 5
}
function median(of, n,    i, j, x) {
    for (i = 2; i <= n; i++) for (j = i + 1; j <= n; j++) if (of[j] < of[i]) {
        x = of[i]; of[i] = of[j]; of[j] = x
    }
    return of[int((n + 2) / 2)]
}
END {
    for (f = 2; f <= file; f++) {
        for (b = 0; b < bins; b++) { d = sim[f, b] - recorded[b]; far[f] += d < 0 ? -d : d }
        far[f] /= sum
    }
    printf "%.0f %.0f %.3f\n", sum * 5, median(total, file), median(far, file)
}
AWK

judge() { # NAME COLUMN APART BOUND TOTAL
    awk -F, -v column="$2" -f "$work/judge.awk" "$real/recorded/$1.csv" "$work/$1"-[0-9]*/timeline.csv \
        >"$work/judged"
    read -r recorded simulated far <"$work/judged"
    note "$1 $2: recorded $recorded, simulated $simulated; distance $far, of repetitions $3"
    check "$1: $2 within $4 in bins of 5 s" awk "BEGIN { exit !($far <= $4) }"
    [ "$5" = none ] || check "$1: $2 within $5 in all" awk \
        "BEGIN { d = $simulated / $recorded - 1; exit !(d <= $5 && -d <= $5) }"
}

# Of the runs of cockatiel one in four leaves the recordings after ten openings of its breakers.
for recorded in "$real"/recorded/*-*.csv; do
    name=$(basename "$recorded" .csv) runs=5 made=0
    [ "$name" = sidekiq-default-runs ] && continue
    [ "$name" = cockatiel-consecutive ] && runs=20
    while [ $made -lt $runs ]; do
        made=$((made + 1))
        run "$SQUALL" run "$real/$name.yaml" --replication $made --out "$work/$name-$made"
        [ "$status" = 0 ] || break
    done
    check "$name runs" [ "$status" = 0 ]
    grep "^$name," "$real/recorded/bounds.csv" >"$work/bounds"
    while IFS=, read -r _ column apart bound total; do
        judge "$name" "$column" "$apart" "$bound" "$total"
    done <"$work/bounds"
done

# Sidekiq's batches are others in each repetition: what both showed lies within 98 % of 200 runs.
cat >"$work/band.awk" <<'AWK'
NR == 1 { for (i = 1; i <= NF; i++) if ($i == metric) at = i; next }
{ v[n++] = $at }
END {
    for (i = 0; i < n; i++) for (j = i + 1; j < n; j++) if (v[j] < v[i]) {
        x = v[i]; v[i] = v[j]; v[j] = x
    }
    print v[int(0.01 * n)], v[int(n / 2)], v[int(0.99 * n)]
}
AWK
run "$SQUALL" run "$real/sidekiq-default.yaml" --runs 200 --out "$work/sidekiq"
check 'sidekiq-default runs' [ "$status" = 0 ]
sed 1d "$real/recorded/sidekiq-default-runs.csv" >"$work/metrics"
while IFS=, read -r metric first second; do
    awk -F, -v metric="$metric" -f "$work/band.awk" "$work/sidekiq/runs.csv" >"$work/judged"
    read -r low middle high <"$work/judged"
    note "sidekiq-default $metric: recorded $first and $second, simulated $low, $middle, $high"
    check "sidekiq-default: $metric as recorded" awk \
        "BEGIN { exit !($low <= $first && $first <= $high && $low <= $second && $second <= $high) }"
done <"$work/metrics"
finish
