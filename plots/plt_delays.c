/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_delays.c - see plt_delays.h. */
#include "plots/plt_delays.h"

#include "plots/plt_text.h"
#include "sim/base/sq_unit.h"

#include <math.h>
#include <stdio.h>

enum { CHART_ROWS = 30, COLUMN = 6, FIRST = 2 };

/* ---- texts ---- */

static void put_time(struct sq_buf *b, double s)
{
    static const struct {
        double below, unit;
        const char *name;
    } units[] = { { 0.0009995, 1e-6, "us" }, { 0.9995, 1e-3, "ms" }, { 119.5, 1, "s" },
                  { 7170, 60, "m" },         { 172000, 3600, "h" },  { 1e300, 86400, "d" } };
    if (!(s < 8.64e12)) {
        sq_buf_puts(b, "never"); /* beyond all time */
        return;
    }
    size_t i = s == 0 ? 2 : 0;
    while (s >= units[i].below) {
        i++;
    }
    double x = s / units[i].unit;
    x = i < 2 && x >= 10 ? floor(x + 0.5) : x;
    sq_buf_number(b, x, i < 2 && x < 10 ? 2 : 3);
    sq_buf_puts(b, units[i].name);
}

static void put_right(struct plt_text *t, double s, unsigned end)
{
    struct sq_buf b = { 0 };
    put_time(&b, s);
    plt_text_right(t, b.len > 0 ? b.text : "", end);
    t->out->failed |= b.failed;
    sq_buf_fini(&b);
}

static void put_line(struct plt_text *t, struct sq_buf *line)
{
    plt_text_wrap(t, line->len > 0 ? line->text : "", 2);
    plt_text_end(t);
    t->out->failed |= line->failed;
    sq_buf_fini(line);
}

static bool all_exact(const struct sq_delays *d)
{
    return d->samples == 0;
}

static void put_head(struct plt_text *t, const struct sq_delays *d, const char *title)
{
    struct sq_buf b = { 0 };
    plt_text_colour(t, PLT_BOLD);
    plt_text_put(t, title);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
    if (d->limit == SQ_UNLIMITED) {
        sq_buf_puts(&b, "Retries without a limit of their number");
    } else {
        sq_buf_printf(&b, "At most %lld %s, %lld runs in all", (long long)d->limit,
                      d->limit == 1 ? "retry" : "retries", (long long)d->limit + 1);
    }
    if (isfinite(d->gives_up_s)) {
        sq_buf_puts(&b, "; none later than ");
        sq_unit_put_span(&b, d->gives_up_s);
        sq_buf_puts(&b, " after the first try began");
    }
    sq_buf_puts(&b, ".");
    if (d->limit != SQ_UNLIMITED && d->limit < (int64_t)d->count) {
        sq_buf_printf(&b, " Lines beyond retry %lld: if that limit were raised.",
                      (long long)d->limit);
    }
    put_line(t, &b);
    if (all_exact(d)) {
        sq_buf_puts(&b, "There is no luck in these delays: each is exact.");
    } else {
        sq_buf_printf(&b, "%zu draws, seed %llu.", d->samples, (unsigned long long)d->seed);
    }
    put_line(t, &b);
    plt_text_end(t);
}

/* ---- the table ---- */

static void put_table_head(struct plt_text *t)
{
    static const char *const names[] = { "min", "10%", "20%", "30%", "40%",  "50%",  "60%",
                                         "70%", "80%", "90%", "max", "mean", "until" };
    plt_text_colour(t, PLT_FAINT);
    plt_text_right(t, "n", FIRST);
    for (unsigned i = 0; i < SQ_COUNT(names); i++) {
        plt_text_right(t, names[i], FIRST + (i + 1) * COLUMN);
    }
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
}

static void put_number(struct plt_text *t, size_t n)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%*zu", FIRST, n);
    plt_text_put(t, text);
}

static void put_table(struct plt_text *t, const struct sq_delays *d)
{
    put_table_head(t);
    for (size_t i = 0; i < d->count; i++) {
        const struct sq_delay_row *r = &d->rows[i];
        put_number(t, i + 1);
        unsigned end = FIRST + COLUMN;
        put_right(t, r->min, end);
        for (size_t q = 0; q < SQ_DELAY_DECILES; q++) {
            put_right(t, r->decile[q], end += COLUMN);
        }
        put_right(t, r->max, end += COLUMN);
        put_right(t, r->mean, end += COLUMN);
        put_right(t, r->until_mean, end + COLUMN);
        plt_text_end(t);
    }
}

/* Every delay whole: "1.6875s". */
static void put_exact_table(struct plt_text *t, const struct sq_delays *d)
{
    plt_text_colour(t, PLT_FAINT);
    plt_text_right(t, "n", FIRST);
    plt_text_right(t, "delay", FIRST + 20);
    plt_text_right(t, "until", FIRST + 40);
    plt_text_colour(t, PLT_PLAIN);
    plt_text_end(t);
    for (size_t i = 0; i < d->count; i++) {
        const struct sq_delay_row *r = &d->rows[i];
        struct sq_buf delay = { 0 }, until = { 0 };
        sq_unit_put_duration(&delay, sq_time_from_s(r->min));
        sq_unit_put_duration(&until, sq_time_from_s(r->until_mean));
        put_number(t, i + 1);
        plt_text_right(t, delay.len > 0 ? delay.text : "", FIRST + 20);
        plt_text_right(t, until.len > 0 ? until.text : "", FIRST + 40);
        plt_text_end(t);
        t->out->failed |= delay.failed || until.failed;
        sq_buf_fini(&delay);
        sq_buf_fini(&until);
    }
}

/* ---- the chart ---- */

struct axis {
    double low, high; /* s, above 0 */
    unsigned columns;
};

/* From the smallest to the largest delay above 0, at most six decades. */
static struct axis axis_of(const struct sq_delays *d, size_t rows, unsigned columns)
{
    struct axis a = { .columns = columns };
    for (size_t i = 0; i < rows; i++) {
        const struct sq_delay_row *r = &d->rows[i];
        double least = r->min > 0 ? r->min : r->decile[0] > 0 ? r->decile[0] / 3 : 0;
        if (r->max > 0 && r->max < 8.64e12) {
            a.high = r->max > a.high ? r->max : a.high;
        }
        if (least > 0 && (a.low == 0 || least < a.low)) {
            a.low = least;
        }
    }
    a.low = a.low > 0 ? a.low : a.high;
    a.low = a.low < a.high * 1e-6 ? a.high * 1e-6 : a.low;
    a.low = a.low >= a.high ? a.high / 10 : a.low;
    return a;
}

static unsigned place(const struct axis *a, double s)
{
    if (!(s > a->low)) {
        return 0;
    }
    double x = log(s / a->low) / log(a->high / a->low) * (a->columns - 1);
    return x >= a->columns - 1 ? a->columns - 1 : (unsigned)(x + 0.5);
}

static const char *mark(const struct plt_text *t, const struct axis *a,
                        const struct sq_delay_row *r, unsigned column)
{
    if (column == place(a, r->decile[SQ_DELAY_DECILES / 2])) {
        return t->utf8 ? "█" : "#";
    }
    if (column >= place(a, r->decile[0]) && column <= place(a, r->decile[SQ_DELAY_DECILES - 1])) {
        return t->utf8 ? "▒" : "=";
    }
    if (column >= place(a, r->min) && column <= place(a, r->max)) {
        return t->utf8 ? "─" : "-";
    }
    return " ";
}

static void put_axis(struct plt_text *t, const struct axis *a)
{
    struct sq_buf low = { 0 }, high = { 0 };
    put_time(&low, a->low);
    put_time(&high, a->high);
    plt_text_to(t, FIRST + 2);
    plt_text_put(t, low.len > 0 ? low.text : "");
    plt_text_right(t, high.len > 0 ? high.text : "", FIRST + 2 + a->columns);
    plt_text_end(t);
    t->out->failed |= low.failed || high.failed;
    sq_buf_fini(&low);
    sq_buf_fini(&high);
}

static void put_chart(struct plt_text *t, const struct sq_delays *d)
{
    size_t rows = d->count < CHART_ROWS ? d->count : CHART_ROWS;
    struct axis a = axis_of(d, rows, (t->width > 100 ? 100 : t->width) - FIRST - 2);
    if (!(a.high > 0)) {
        return; /* every delay is 0 */
    }
    struct sq_buf b = { 0 };
    plt_text_end(t);
    sq_buf_puts(&b, all_exact(d) ? "Where the delays lie, on a logarithmic scale:"
                                 : "Where the delays lie, on a logarithmic scale: from min to max, "
                                   "thick from 10% to 90%, full at 50%:");
    put_line(t, &b);
    for (size_t i = 0; i < rows; i++) {
        put_number(t, i + 1);
        plt_text_to(t, FIRST + 2);
        for (unsigned c = 0; c < a.columns; c++) {
            plt_text_put(t, mark(t, &a, &d->rows[i], c));
        }
        plt_text_end(t);
    }
    put_axis(t, &a);
}

enum sq_status plt_delays(const struct sq_delays *d, const char *title, const struct plt_term *term,
                          struct sq_buf *out)
{
    unsigned width = term->width == 0 ? 80 : term->width < 60 ? 60 : term->width;
    struct plt_text t = { out, width > 200 ? 200 : width, term->colour, term->utf8, 0 };
    put_head(&t, d, title);
    if (all_exact(d)) {
        put_exact_table(&t, d);
    } else {
        put_table(&t, d);
        struct sq_buf b = { 0 };
        sq_buf_puts(&b, d->ends_drawn ? "min and max: of what was drawn"
                                      : "min and max: the ends of what can be drawn");
        sq_buf_puts(&b, "; until: all delays so far together, on average.");
        put_line(&t, &b);
    }
    put_chart(&t, d);
    return out->failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status plt_delays_csv(const struct sq_delays *d, struct sq_buf *out)
{
    sq_buf_puts(out, "retry,exact,min_s,mean_s,p10_s,p20_s,p30_s,p40_s,p50_s,p60_s,p70_s,p80_s,"
                     "p90_s,max_s,until_min_s,until_mean_s,until_max_s\n");
    for (size_t i = 0; i < d->count; i++) {
        const struct sq_delay_row *r = &d->rows[i];
        const double cells[] = { r->min,       r->mean,       r->decile[0], r->decile[1],
                                 r->decile[2], r->decile[3],  r->decile[4], r->decile[5],
                                 r->decile[6], r->decile[7],  r->decile[8], r->max,
                                 r->until_min, r->until_mean, r->until_max };
        sq_buf_printf(out, "%zu,%s", i + 1, r->exact ? "true" : "false");
        for (size_t k = 0; k < SQ_COUNT(cells); k++) {
            sq_buf_putc(out, ',');
            sq_buf_number(out, cells[k], 9);
        }
        sq_buf_putc(out, '\n');
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}
