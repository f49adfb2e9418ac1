/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_load.c - goodput against offered load: where more calls bring more, and where they bring
 * less. */
#include "plots/plt_charts.h"

#include <math.h>

#include "plots/plt_axes.h"
#include "plots/plt_pick.h"
#include "plots/plt_words.h"

enum { LEFT = 84, RIGHT = 150, HEIGHT = 420, DOTS_MAX = 2000, STEP_S = 10 };

enum state { STATE_BEFORE, STATE_OUTAGE, STATE_COLLAPSE, STATE_AFTER, STATES };

struct dot {
    double offered, good;
    enum state state;
};

struct chart {
    const struct sq_result *r;
    struct plt_sheet sheet;
    struct plt_axes axes;
    const struct plt_entity *e;
    const float *first, *retry, *good, *capacity;
    double limit, most_offered, most_good, normal;
    size_t count;
    struct dot dots[DOTS_MAX];
};

static enum state state_at(const struct chart *c, sq_time_t at)
{
    const struct sq_moment *t1 = plt_moment(c->r, SQ_MOMENT_T1);
    enum state state = t1 == NULL || at < t1->at_ns ? STATE_BEFORE : STATE_AFTER;
    for (size_t i = 0; i < c->r->moment_count; i++) {
        const struct sq_moment *m = &c->r->moments[i];
        bool in = m->at_ns <= at && at < m->until_ns && plt_entity_is(c->e, m->entity);
        if (in && m->kind == SQ_MOMENT_COLLAPSE) {
            return STATE_COLLAPSE;
        }
        state = in && m->kind == SQ_MOMENT_OUTAGE ? STATE_OUTAGE : state;
    }
    return state;
}

static double bin_of(const float *bins, size_t i)
{
    return bins != NULL && isfinite(bins[i]) ? (double)bins[i] : 0;
}

/* Means over steps of ten seconds, longer ones in very long runs. */
static void take_dots(struct chart *c)
{
    const struct sq_series *s = &c->r->series;
    size_t step = (size_t)(STEP_S * SQ_NS_PER_S / s->bin_ns);
    step = step > 0 ? step : 1;
    step = s->bin_count / step >= DOTS_MAX ? s->bin_count / DOTS_MAX + 1 : step;
    for (size_t i = 0; i + step <= s->bin_count && c->count < DOTS_MAX; i += step) {
        struct dot d = { 0, 0, state_at(c, (sq_time_t)(i + step / 2) * s->bin_ns) };
        for (size_t k = i; k < i + step; k++) {
            d.offered += (bin_of(c->first, k) + bin_of(c->retry, k)) / (double)step;
            d.good += bin_of(c->good, k) / (double)step;
            c->limit = fmax(c->limit, bin_of(c->capacity, k));
        }
        c->most_offered = fmax(c->most_offered, d.offered);
        c->most_good = fmax(c->most_good, d.good);
        c->dots[c->count++] = d;
    }
}

static void draw_lines(const struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_type type = { .size = 11, .ink = t->faint };
    const struct plt_axes *a = &c->axes;
    struct plt_sheet *s = a->sheet;
    double end = fmin(a->y.hi, a->x.hi);
    struct plt_point points[41];
    for (size_t i = 0; i < SQ_COUNT(points); i++) { /* straight, or bent by a logarithmic axis */
        double v = a->x.log ? a->x.lo * pow(end / a->x.lo, (double)i / 40) : end * (double)i / 40;
        points[i] = (struct plt_point){ plt_axes_x(a, v), plt_axes_y(a, v) };
    }
    plt_canvas_path(s->canvas, points, SQ_COUNT(points), (struct plt_pen){ t->grid, 2, PLT_SOLID });
    if (c->limit > 0) {
        struct sq_buf b = { 0 };
        plt_axes_line(a, (struct plt_point){ a->x.lo, c->limit },
                      (struct plt_point){ a->x.hi, c->limit },
                      (struct plt_pen){ t->capacity, 2, PLT_SOLID });
        sq_buf_puts(&b, "capacity ");
        plt_put_rate(&b, c->limit);
        plt_sheet_text(s,
                       (struct plt_point){ a->box.x + a->box.w + 6, plt_axes_y(a, c->limit) - 7 },
                       plt_sheet_keep(s, &b), &type);
    }
}

/* What the colours mean, each in its colour, in the heading. */
static void draw_keys(struct chart *c, const struct plt_ink *inks)
{
    static const char *const names[] = { "before", "in the outage", "collapsed", "after T1" };
    const struct plt_type type = { .size = 11, .ink = c->sheet.theme->text };
    bool seen[STATES] = { false };
    for (size_t i = 0; i < c->count; i++) {
        seen[c->dots[i].state] = true;
    }
    double x = c->axes.box.x + c->axes.box.w;
    for (size_t k = STATES; k-- > 0;) {
        if (seen[k]) {
            x -= plt_sheet_measure(&c->sheet, names[k], &type).x;
            plt_sheet_text(&c->sheet, (struct plt_point){ x, c->axes.box.y - 20 }, names[k], &type);
            plt_canvas_disc(c->sheet.canvas, (struct plt_point){ x - 10, c->axes.box.y - 13 }, 4.5,
                            inks[k]);
            x -= 34;
        }
    }
}

static void set_texts(struct chart *c)
{
    const struct sq_result *r = c->r;
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s: offered up to ", r->variant != NULL ? r->variant : "base");
    plt_put_rate(&b, c->most_offered);
    sq_buf_printf(&b, ", %.*s does at most ", (int)c->e->len, c->e->name);
    plt_put_rate(&b, c->most_good);
    sq_buf_puts(&b, " of use");
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b,
                  "%s. A dot is %d s of run 1; on the pale line every call succeeds, what falls "
                  "below it is refused, late or in vain.",
                  r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario", STEP_S);
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, &r, 1);
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

static void draw(struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_ink inks[STATES] = { t->first, t->wanted, t->bad, t->again };
    double low = 1e300;
    for (size_t i = 0; i < c->count; i++) {
        low = c->dots[i].offered > 0 ? fmin(low, c->dots[i].offered) : low;
    }
    double top = fmax(c->most_good, c->limit);
    bool wide = c->most_offered > 8 * top && low < c->most_offered;
    plt_sheet_begin(&c->sheet, 24 + HEIGHT + 40);
    c->axes = (struct plt_axes){
        &c->sheet,
        { LEFT, c->sheet.top + 24, PLT_SHEET_WIDTH - LEFT - RIGHT, HEIGHT },
        { wide ? low : 0, c->most_offered > 0 ? c->most_offered * 1.04 : 1, wide, PLT_RATE,
          "offered: calls per second, retries included" },
        { 0, top > 0 ? top * 1.12 : 1, false, PLT_RATE, "Goodput: calls of use per second" },
        false,
    };
    plt_axes_draw(&c->axes);
    draw_lines(c);
    for (size_t i = 0; i < c->count; i++) {
        struct plt_ink ink = inks[c->dots[i].state];
        ink.a = 0.7;
        plt_canvas_disc(c->sheet.canvas,
                        (struct plt_point){ plt_axes_x(&c->axes, c->dots[i].offered),
                                            plt_axes_y(&c->axes, c->dots[i].good) },
                        3.5, ink);
    }
    draw_keys(c, inks);
}

enum sq_status plt_chart_load(const struct sq_result *r, struct plt_look look, struct sq_buf *out)
{
    const struct sq_series *s = &r->series;
    struct plt_entities d;
    plt_pick_columns(&d, s, "dependency", "calls_first_per_s");
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    const struct plt_entity none = { .name = "nothing", .len = 7 };
    if (status == SQ_OK) {
        c->r = r;
        c->e = d.count > 0 ? &d.list[0] : &none;
        c->first = plt_column(s, "dependency", c->e, "calls_first_per_s");
        c->retry = plt_column(s, "dependency", c->e, "calls_retry_per_s");
        c->good = plt_column(s, "dependency", c->e, "goodput_per_s");
        c->capacity = plt_column(s, "dependency", c->e, "capacity_per_s");
        take_dots(c);
        set_texts(c);
        draw(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
