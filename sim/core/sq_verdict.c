/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_verdict.c - verdicts in words. */
#include "sim/core/sq_verdict.h"

#include "sim/base/sq_unit.h"

#include <math.h>

enum { DIGITS = 6, SHARE_DIGITS = 4 };

const char *sq_verdict_word(const struct sq_verdict *v)
{
    if (v->state == SQ_VERDICT_OPEN) {
        return "not judged";
    }
    return v->state == SQ_VERDICT_PASSED ? "passed" : v->warns ? "warned" : "FAILED";
}

void sq_verdict_put_title(const struct sq_verdict *v, struct sq_buf *out)
{
    sq_buf_puts(out, v->that);
    if (v->when != NULL) {
        sq_buf_printf(out, " (%s)", v->when);
    }
}

static void put_number(struct sq_buf *out, enum sq_verdict_unit unit, double x)
{
    if (isnan(x)) {
        sq_buf_puts(out, "null");
        return;
    }
    if (unit == SQ_VERDICT_SECONDS) {
        sq_buf_puts(out, x < 0 ? "-" : "");
        sq_unit_put_span(out, fabs(x));
    } else if (unit == SQ_VERDICT_SHARE) {
        sq_buf_number(out, 100 * x, SHARE_DIGITS);
        sq_buf_putc(out, '%');
    } else {
        sq_buf_number(out, x, DIGITS);
    }
}

static void put_side(struct sq_buf *out, const struct sq_verdict_side *s, size_t runs)
{
    if (s->word != NULL) {
        sq_buf_puts(out, s->word);
        if (s->word_kinds > 1 || s->nulls > 0) {
            sq_buf_printf(out, " in %zu of %zu runs", s->word_runs, runs);
        }
        return;
    }
    put_number(out, s->unit, s->median);
    if (!isnan(s->median) && s->min < s->max) {
        sq_buf_puts(out, " (");
        put_number(out, s->unit, s->min);
        sq_buf_puts(out, " to ");
        put_number(out, s->unit, s->max);
        sq_buf_putc(out, ')');
    }
    if (s->nulls > 0 && s->nulls < runs) {
        sq_buf_printf(out, ", null in %zu of %zu runs", s->nulls, runs);
    }
}

void sq_verdict_put_figures(const struct sq_verdict *v, struct sq_buf *out)
{
    if (v->state == SQ_VERDICT_OPEN) {
        sq_buf_puts(out, v->why);
        return;
    }
    sq_buf_puts(out, "observed ");
    put_side(out, &v->observed, v->runs);
    sq_buf_puts(out, ", limit ");
    put_side(out, &v->limit, v->runs);
    if (!isnan(v->margin)) {
        sq_buf_puts(out, ", margin ");
        put_number(out, v->observed.unit, v->margin);
        if (v->margin_worst < v->margin) {
            sq_buf_puts(out, " (worst ");
            put_number(out, v->observed.unit, v->margin_worst);
            sq_buf_putc(out, ')');
        }
    }
    if (!v->of_outcome) {
        sq_buf_printf(out, "; in %zu of %zu run%s", v->runs_passed, v->runs,
                      v->runs == 1 ? "" : "s");
        if (v->runs_needed < v->runs || v->state == SQ_VERDICT_FAILED) {
            sq_buf_printf(out, ", %zu needed", v->runs_needed);
        }
    }
}
