#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do the tests notice? Applies one deliberate fault at a time to a copy of the tree, builds it, and
# runs the unit tests (with the fast queueing oracles); a fault that no test notices is a gap.
#
#   mutants.sh [NAME...]     from the root of the tree; all faults, or the named ones
#
# One `ok NAME - caught by TEST...` or `not ok NAME` line per fault, and a closing line.
set -u
. tests/lib.sh
: "${BUILD:=build}"
copy=$BUILD/mutants/tree
out=build/release

# NAME | FILE | what stands there (a Perl pattern that matches once) | the fault
faults='
service-2-percent|models/part/mdl_room.c|(sq_time_t time = mdl_draw\([^;]*;)|%1 time += time / 50;
retry-counted-twice|models/mdl_probe.c|d->measured\.retry \+= first \? 0 : 1;|d->measured.retry += first ? 0 : 2;
jitter-halved|models/policy/mdl_jitter.c|(full_range\(const void \*cfg[^}]*?\.high = )d\b|%1d / 2
trouble-window-ignored|models/policy/mdl_ramp.h|\(10 \* SQ_NS_PER_S\)|(1000 * SQ_NS_PER_S)
fifo-made-lifo|models/part/mdl_line.h|(mdl_line_push\(struct mdl_line \*line, struct mdl_links l, uint32_t slot\)\n\{)|%1 if (line->head != 0) { uint32_t *o = mdl_line_links(l, slot); o[0] = line->head; o[1] = 0; mdl_line_links(l, line->head)[1] = slot; line->head = slot; line->count++; return; }
timeout-frees-the-server|models/entity/mdl_dependency_rows.c|"abandoned", "finish"|"abandoned", "cancel"
timeout-before-answer|models/part/mdl_event.h|MDL_RANK_ANSWER,\n    MDL_RANK_TIMEOUT,|MDL_RANK_TIMEOUT,\n    MDL_RANK_ANSWER,
deadline-inclusive|models/part/mdl_core.h|mdl_now\(c\) > mdl_job_deadline\(c, job\)|mdl_now(c) >= mdl_job_deadline(c, job)
one-stream-for-all|sim/core/sq_luck.c|(uint32_t sq_luck_stream\([^{]*\{)|%1 entity = "x"; purpose = "x";
warm-up-skipped|models/part/mdl_room.c|(static double share\(const struct mdl_room \*r\)\n\{)|%1 if (r != NULL) { return 1; }
stale-timer-accepted|models/part/mdl_caller.c|if \(call->timeout_seq != seq\) \{|if (call->timeout_seq != seq && false) {
ramp-never-restarts|models/part/mdl_gate.c|g->ramp_start = mdl_now\(g->ctx\);|g->ramp_start = g->ramp_start == SQ_NEVER ? mdl_now(g->ctx) : g->ramp_start;
t1-late-by-a-bin|models/mdl_scenario.c|(s->t1 = s->cfg\.health->t1 != SQ_NEVER \? s->cfg\.health->t1 : )last;|%1sq_time_add(last, s->cfg.timeline);
percentile-off-by-one|sim/core/sq_stat.c|int64_t rank = sq_stat_rank\(q, s->count\);|int64_t rank = sq_min_i64(sq_stat_rank(q, s->count) + 1, s->count);
attempts-count-retries|models/part/mdl_retry.c|\(int64_t\)used >= mdl_retry_limit\(layer\)|(int64_t)used > mdl_retry_limit(layer)
tolerance-ignored|models/policy/mdl_scaler.c|(double ratio = v->metric / \(h->common\.target \* \(double\)v->current\);\n    *    if \(fabs\(1 - ratio\) <= )h->tolerance|%10
arrivals-2-percent|models/part/mdl_arrivals.c|double gap = -sq_fn_log|double gap = -0.98 * sq_fn_log
overload-at-once|models/entity/mdl_dependency_down.c|sq_time_add\(mdl_now\(d->ctx\), o->hold\)|sq_time_add(mdl_now(d->ctx), 0)
permit-kept-on-timeout|models/part/mdl_gate.c|(sq_level_move\(&g->in_use, mdl_now\(g->ctx\), )-1\);|if (outcome != MDL_ERR_TIMEOUT) { %1-1); }
receive-kept-on-deferral|models/entity/mdl_queue.c|why != MDL_DELAY_RETRY &&|why != MDL_DELAY_RETRY && false &&
outage-ends-late|models/entity/mdl_dependency_down.c|s->until = mdl_outage_over\(o\);|s->until = mdl_outage_over(o) + 1;
hang-forgets-progress|models/part/mdl_room.c|call->room_ns -= now;|call->room_ns -= call->left_ns;
no-way-back|models/entity/mdl_dependency.c|trip\(d, call, 1\)|0
sharing-by-entry|models/part/mdl_sharing.c|a->end != b->end \? a->end < b->end : a->order < b->order|a->order < b->order
codel-without-root|models/policy/mdl_discipline.c| / sqrt\(\(double\)count\)| + 0.0 * sqrt((double)count)
token-too-soon|models/policy/mdl_limiter.c|ceil\(tokens \* 1e9 / rate\)|floor(tokens * 1e9 / rate)
'

prepare() {
    mkdir -p "$copy" && cp -R .ci Makefile squall.c sim models plots scenarios tests "$copy"/ &&
        make -s -C "$copy" BUILD=build -j2 all unit-programs >"$copy"/build.log 2>&1
}

apply() { # FILE PATTERN REPLACEMENT: exactly one place must change; %1 stands for the
                                    # first group of the pattern
    FILE=$copy/$1 PATTERN=$2 REPLACEMENT=$3 perl -e '
        local $/; open my $f, "<", $ENV{FILE} or die; my $t = <$f>; close $f;
        my ($p, $r) = ($ENV{PATTERN}, $ENV{REPLACEMENT});
        $r =~ s/\\n/\n/g;
        my $n = () = $t =~ /$p/gs;
        exit 1 if $n != 1;
        $t =~ s{$p}{ my $c = defined $1 ? $1 : ""; my $x = $r; $x =~ s/%1/$c/g; $x }es;
        open my $o, ">", $ENV{FILE} or die; print $o $t;'
}

caught_by() { # names of the test programs that fail
    for t in "$copy"/$out/tests/*/test_*; do
        [ -x "$t" ] && [ ! -d "$t" ] || continue
        case $t in *.d | *.o | *.log) continue ;; esac
        (cd "$copy" && timeout 120 "$out/${t#"$copy"/"$out"/}" >/dev/null 2>&1) ||
            echo "${t#"$copy"/"$out"/tests/}"
    done
}

mutant() { # NAME FILE PATTERN REPLACEMENT
    if ! apply "$2" "$3" "$4"; then
        fail "$1 - the place in $2 is gone: mend the list"
        return
    fi
    if make -s -C "$copy" BUILD=build -j2 WERROR= all unit-programs >"$copy"/build.log 2>&1; then
        names=$(caught_by | tr '\n' ' ')
        if [ -n "$names" ]; then
            pass "$1 - caught by $names"
        else
            fail "$1 - no test notices"
        fi
    else
        fail "$1 - does not build: $(grep -m1 error "$copy"/build.log)"
    fi
    cp "$2" "$copy/$2"
}

command -v perl >/dev/null || { skip 'mutants' 'perl is missing'; exit 0; }
prepare || { cat "$copy"/build.log; fail 'the copy does not build'; exit 1; }
printf '%s\n' "$faults" | while IFS='|' read -r name file pattern replacement; do
    [ -n "$name" ] || continue
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    mutant "$name" "$file" "$pattern" "$replacement"
done
