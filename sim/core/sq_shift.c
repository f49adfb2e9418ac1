/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_shift.c - two figures of one metric, and whether more than chance lies between them. */
#include "sim/core/sq_shift.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

static const double LEVEL = 1e-4;  /* two-sided */
static const double DIGITS = 1e-8; /* files keep nine digits */

static bool ends_in(const char *name, const char *tail)
{
    size_t len = strlen(name), n = strlen(tail);
    return len >= n && strcmp(name + len - n, tail) == 0;
}

/* ---- shares of runs ---- */

struct share {
    int64_t hits, n;
};

static double value_of(const struct share *s)
{
    return s->n > 0 ? (double)s->hits / (double)s->n : (double)NAN;
}

/* All of one side and none of the other: with the same luck this needs no more runs. */
static bool is_flip(const struct share *a, const struct share *b)
{
    return (a->hits == 0 && b->hits == b->n) || (b->hits == 0 && a->hits == a->n);
}

static bool part(const struct share *was, const struct share *is, bool same_luck)
{
    double lo[2], hi[2];
    if (was->n == 0 || is->n == 0) {
        return false;
    }
    sq_infer_wilson(was->hits, was->n, &lo[0], &hi[0]);
    sq_infer_wilson(is->hits, is->n, &lo[1], &hi[1]);
    return lo[0] > hi[1] || lo[1] > hi[0] || (same_luck && is_flip(was, is));
}

/* ---- numbers ---- */

/* Squared standard error of the mean, from its 95 % interval; NaN for one run. */
static double variance_of(const struct sq_spread *s)
{
    if (s->n < 2 || isnan(s->lo)) {
        return (double)NAN;
    }
    double error = (s->hi - s->lo) / 2 / sq_infer_student_quantile(0.975, (double)(s->n - 1));
    return error * error;
}

/* How far chance moves the difference of two means. A single run is taken to vary as the runs of
 * the other side do. */
static double reach_of_chance(const struct sq_spread *was, const struct sq_spread *is)
{
    double a = variance_of(was), b = variance_of(is);
    if (isnan(a) && isnan(b)) {
        return 0;
    }
    double na = (double)was->n, nb = (double)is->n, df = 1;
    if (isnan(a)) {
        a = b * nb / na;
        df = nb - 1;
    } else if (isnan(b)) {
        b = a * na / nb;
        df = na - 1;
    } else if (a + b > 0) { /* Welch and Satterthwaite */
        df = (a + b) * (a + b) / (a * a / (na - 1) + b * b / (nb - 1));
    }
    return sq_infer_student_quantile(1 - LEVEL / 2, df) * sqrt(a + b);
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void find_move(const struct sq_shift_ask *ask, struct sq_shift *s)
{
    const struct sq_spread *was = &ask->was->spread, *is = &ask->is->spread;
    double way = fabs(is->mean - was->mean);
    double rounding = DIGITS * most(fabs(was->mean), fabs(is->mean));
    s->was = was->mean;
    s->is = is->mean;
    double share = ask->tolerance.relative * fabs(was->mean);
    s->allowed = most(share, ask->tolerance.absolute);
    s->share = share >= ask->tolerance.absolute ? ask->tolerance.relative : 0;
    if (way <= s->allowed + rounding || way <= reach_of_chance(was, is) + rounding) {
        return;
    }
    bool single = was->n < 2 && is->n < 2;
    s->kind = single && !ask->same_luck ? SQ_SHIFT_OPEN : SQ_SHIFT_MOVED;
}

static void find_number(const struct sq_shift_ask *ask, struct sq_shift *s)
{
    const struct sq_spread *was = &ask->was->spread, *is = &ask->is->spread;
    struct share there[2] = { { was->n, (int64_t)ask->was_runs },
                              { is->n, (int64_t)ask->is_runs } };
    if (part(&there[0], &there[1], ask->same_luck)) {
        *s = (struct sq_shift){ .kind = SQ_SHIFT_NULL,
                                .metric = ask->metric,
                                .was = value_of(&there[0]),
                                .is = value_of(&there[1]),
                                .was_mean = was->mean,
                                .is_mean = is->mean };
    } else if (was->n > 0 && is->n > 0) {
        find_move(ask, s);
    }
}

/* outcome.p_...: the mean of zeros and ones. */
static void find_share(const struct sq_shift_ask *ask, struct sq_shift *s)
{
    const struct sq_spread *was = &ask->was->spread, *is = &ask->is->spread;
    struct share hits[2] = { { llround(was->mean * (double)was->n), was->n },
                             { llround(is->mean * (double)is->n), is->n } };
    s->was = value_of(&hits[0]);
    s->is = value_of(&hits[1]);
    s->allowed = ask->tolerance.absolute;
    if (part(&hits[0], &hits[1], ask->same_luck) && fabs(s->is - s->was) > s->allowed) {
        s->kind = SQ_SHIFT_SHARE;
    }
}

/* ---- words ---- */

static int64_t runs_with(const struct sq_cell *cell, const char *word)
{
    for (size_t i = 0; i < cell->word_count; i++) {
        if (strcmp(cell->words[i].word, word) == 0) {
            return cell->words[i].runs;
        }
    }
    return 0;
}

/* The first word of `of` that is more or less frequent than it was. */
static void find_word(const struct sq_shift_ask *ask, const struct sq_cell *of, struct sq_shift *s)
{
    for (size_t i = 0; i < of->word_count && s->kind == SQ_SHIFT_NONE; i++) {
        const char *word = of->words[i].word;
        struct share runs[2] = { { runs_with(ask->was, word), (int64_t)ask->was_runs },
                                 { runs_with(ask->is, word), (int64_t)ask->is_runs } };
        s->was = value_of(&runs[0]);
        s->is = value_of(&runs[1]);
        s->word = word;
        if (part(&runs[0], &runs[1], ask->same_luck)) {
            s->kind = SQ_SHIFT_WORD;
        }
    }
}

struct sq_shift sq_shift_find(const struct sq_shift_ask *ask)
{
    static const char share[] = "outcome.p_";
    struct sq_shift s = { .metric = ask->metric };
    if (ask->tolerance.off) {
        return s;
    }
    if (ask->was->word_count > 0 || ask->is->word_count > 0) {
        find_word(ask, ask->is, &s);
        find_word(ask, ask->was, &s);
    } else if (strncmp(ask->metric, share, sizeof share - 1) == 0) {
        find_share(ask, &s);
    } else {
        find_number(ask, &s);
    }
    return s;
}

/* ---- in words ---- */

static void put_value(const struct sq_shift *s, double value, struct sq_buf *out)
{
    if (ends_in(s->metric, "_s") && !ends_in(s->metric, "_per_s")) {
        sq_buf_puts(out, value < 0 ? "-" : "");
        sq_unit_put_span(out, fabs(value));
    } else {
        sq_buf_number(out, value, 5);
    }
}

static void put_percent(double share, struct sq_buf *out)
{
    sq_buf_number(out, 100 * share, 3);
    sq_buf_puts(out, " %");
}

static void put_move(const struct sq_shift *s, struct sq_buf *out)
{
    put_value(s, s->was, out);
    sq_buf_puts(out, " -> ");
    put_value(s, s->is, out);
    if (s->was != 0) {
        sq_buf_puts(out, s->is > s->was ? " (+" : " (");
        put_percent((s->is - s->was) / fabs(s->was), out);
        sq_buf_puts(out, s->allowed > 0 ? "; " : ")");
    } else if (s->allowed > 0) {
        sq_buf_puts(out, " (");
    }
    if (s->allowed > 0) {
        if (s->share > 0) {
            put_percent(s->share, out);
        } else {
            put_value(s, s->allowed, out);
        }
        sq_buf_puts(out, " allowed)");
    }
}

static void put_null(const struct sq_shift *s, struct sq_buf *out)
{
    const double shares[] = { s->was, s->is }, means[] = { s->was_mean, s->is_mean };
    for (size_t i = 0; i < 2; i++) {
        sq_buf_puts(out, i == 0 ? "" : " -> ");
        if (shares[i] > 0) {
            put_value(s, means[i], out);
        } else {
            sq_buf_puts(out, "null");
        }
        if (shares[i] > 0 && shares[i] < 1) {
            sq_buf_puts(out, " in ");
            put_percent(shares[i], out);
            sq_buf_puts(out, " of the runs");
        }
    }
}

void sq_shift_put(const struct sq_shift *s, struct sq_buf *out)
{
    sq_buf_printf(out, "%s ", s->metric);
    if (s->kind == SQ_SHIFT_WORD) {
        sq_buf_printf(out, "%s in ", s->word);
    }
    if (s->kind == SQ_SHIFT_WORD || s->kind == SQ_SHIFT_SHARE) {
        put_percent(s->was, out);
        sq_buf_puts(out, " -> ");
        put_percent(s->is, out);
        sq_buf_puts(out, " of the runs");
    } else if (s->kind == SQ_SHIFT_NULL) {
        put_null(s, out);
    } else {
        put_move(s, out);
    }
}
