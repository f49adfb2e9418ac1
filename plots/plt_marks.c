/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_marks.c - the lane of labels and the strip of bars above a timeline. */
#include "plots/plt_marks.h"

#include <math.h>
#include <string.h>

#include "plots/plt_words.h"

enum { ROW = 17, STRIP = 17, GAP = 4 };

static struct plt_type label_type(const struct plt_frame *f)
{
    return (struct plt_type){ .size = 11, .ink = f->theme->text, .halo = true };
}

static const char *fixed_text(enum sq_moment_kind kind)
{
    switch (kind) {
    case SQ_MOMENT_T1:
        return "T1: back up";
    case SQ_MOMENT_T2:
        return "T2: healthy for good";
    case SQ_MOMENT_QUEUE_CLEAR:
        return "queue clear";
    case SQ_MOMENT_LAST_JOB:
        return "last affected job";
    case SQ_MOMENT_OUTAGE:
    case SQ_MOMENT_COLLAPSE:
    case SQ_MOMENT_ACTION:
    case SQ_MOMENT_SCALING:
    case SQ_MOMENT_RAMP:
    case SQ_MOMENT_BREAKER:
    case SQ_MOMENT_PEAK:
    case SQ_MOMENT_BROKER:
        return NULL;
    }
    return NULL;
}

static bool has_line(const struct sq_moment *m)
{
    return m->kind == SQ_MOMENT_ACTION || fixed_text(m->kind) != NULL;
}

/* The first `chars` characters of a UTF-8 text, with an ellipsis if something was cut. */
static void copy_cut(char *to, const char *text, size_t chars)
{
    size_t at = 0, seen = 0;
    for (; at < 4 * (size_t)PLT_LABEL_CHARS && text[at] != '\0'; at++) {
        bool starts = ((unsigned char)text[at] & 0xC0) != 0x80;
        if (starts && seen++ == chars) {
            break;
        }
        to[at] = text[at];
    }
    to[at] = '\0';
    if (text[at] != '\0') {
        memcpy(to + at, "…", sizeof "…");
    }
}

static double measured(const struct plt_frame *f, const char *text)
{
    const struct plt_type type = label_type(f);
    return plt_canvas_measure(f->canvas, text, &type).x;
}

static void set_text(struct plt_label *label, const struct plt_frame *f, double room)
{
    const char *text = fixed_text(label->moment->kind);
    text = text != NULL ? text : label->moment->text;
    for (size_t chars = PLT_LABEL_CHARS;; chars -= 2) {
        copy_cut(label->text, text, chars);
        label->width = measured(f, label->text);
        if (label->width <= room || chars <= 2) {
            return;
        }
    }
}

/* Labels stand right of their lines. From right to left each goes one row above everything that
 * begins within its width: so no line of a later label runs through it. */
static void set_rows(struct plt_marks *m)
{
    for (size_t i = m->count; i-- > 0;) {
        struct plt_label *label = &m->labels[i];
        label->row = 0;
        for (size_t k = i + 1; k < m->count; k++) {
            const struct plt_label *later = &m->labels[k];
            bool meets = later->x < label->x + label->width + 10;
            if (meets && later->row < PLT_LABEL_ROWS && later->row + 1 > label->row) {
                label->row = later->row + 1;
            }
        }
        if (label->row >= PLT_LABEL_ROWS) {
            label->row = PLT_LABEL_ROWS;
            m->hidden++;
        } else if (label->row + 1 > m->rows) {
            m->rows = label->row + 1;
        }
    }
}

static size_t strip_of(const struct plt_marks *m, const struct sq_moment *moment)
{
    for (size_t i = 0; i < m->dependencies->count && i < 3; i++) {
        if (plt_entity_is(&m->dependencies->list[i], moment->entity)) {
            return i;
        }
    }
    return 0;
}

static bool is_span(const struct sq_moment *m)
{
    return m->kind == SQ_MOMENT_OUTAGE || m->kind == SQ_MOMENT_COLLAPSE;
}

void plt_marks_plan(struct plt_marks *m, const struct plt_frame *f, double paper_right)
{
    for (size_t i = 0; i < f->result->moment_count; i++) {
        const struct sq_moment *moment = &f->result->moments[i];
        if (is_span(moment)) {
            m->strips = (size_t)sq_max_i64((int64_t)m->strips, (int64_t)strip_of(m, moment) + 1);
        }
        if (!has_line(moment)) {
            continue;
        }
        if (m->count == PLT_LABELS_MAX) {
            m->hidden++;
            continue;
        }
        struct plt_label *label = &m->labels[m->count++];
        label->moment = moment;
        label->x = plt_scale_at(&f->x, sq_time_to_s(moment->at_ns)) + 4;
        set_text(label, f, paper_right - label->x);
    }
    set_rows(m);
}

double plt_marks_height(const struct plt_marks *m)
{
    return (double)(m->rows * ROW + m->strips * STRIP + GAP);
}

void plt_marks_lines(const struct plt_marks *m, const struct plt_frame *f, struct plt_span_y span,
                     double alpha)
{
    double floor_y = span.top + (double)(m->rows * ROW);
    struct plt_ink ink = f->theme->mark;
    ink.a = alpha;
    for (size_t i = 0; i < f->result->moment_count; i++) {
        const struct sq_moment *moment = &f->result->moments[i];
        if (!has_line(moment)) {
            continue;
        }
        double top = floor_y;
        for (size_t k = 0; k < m->count; k++) {
            if (m->labels[k].moment == moment && m->labels[k].row < PLT_LABEL_ROWS) {
                top = floor_y - (double)((m->labels[k].row + 1) * ROW) + 2;
            }
        }
        double x = plt_scale_at(&f->x, sq_time_to_s(moment->at_ns));
        bool marks = moment->kind == SQ_MOMENT_T1 || moment->kind == SQ_MOMENT_T2;
        plt_canvas_line(f->canvas, (struct plt_point){ x, top },
                        (struct plt_point){ x, span.bottom },
                        (struct plt_pen){ ink, 1.2, marks ? PLT_SOLID : PLT_DASHED });
    }
}

void plt_marks_take(const struct plt_frame *f, struct plt_span_y span)
{
    for (size_t i = 0; i < f->result->moment_count; i++) {
        const struct sq_moment *moment = &f->result->moments[i];
        if (has_line(moment)) {
            double x = plt_scale_at(&f->x, sq_time_to_s(moment->at_ns));
            plt_taken_add(f->taken, (struct plt_box){ x - 2, span.top, 4, span.bottom - span.top });
        }
    }
}

/* A span in words, from everything (3) down to its number (0). */
static void put_bar_text(struct sq_buf *b, const struct sq_result *r,
                         const struct sq_moment *moment, unsigned number, int detail)
{
    sq_time_t end = sq_min_i64(moment->until_ns, r->series.end_ns);
    if (detail == 3 && moment->entity != NULL) {
        sq_buf_printf(b, "%s: ", moment->entity);
    }
    if (detail >= 1) {
        sq_buf_puts(b, moment->kind == SQ_MOMENT_OUTAGE ? "outage" : "collapse");
    }
    if (number > 0) {
        sq_buf_printf(b, detail > 0 ? " %u" : "%u", number);
    }
    if (detail >= 2) {
        sq_buf_puts(b, ", ");
        plt_put_span(b, sq_time_to_s(end - moment->at_ns));
    }
}

/* The longest wording that fits into the bar, or into the free room right of it. */
static void draw_bar_text(const struct plt_frame *f, const struct sq_moment *moment,
                          unsigned number, struct plt_box bar, double free_to)
{
    struct plt_type type = { .size = 10, .align = PLT_CENTRE, .ink = f->theme->paper };
    if (fmax(bar.w, free_to - bar.x - bar.w) < 6) {
        return; /* no room for a letter: not worth measuring, of which there may be many */
    }
    for (int k = 0; k < 8; k++) {
        bool beside = k >= 4;
        struct sq_buf text = { 0 };
        put_bar_text(&text, f->result, moment, number, 3 - k % 4);
        double width = text.failed || text.len == 0
                           ? HUGE_VAL
                           : plt_canvas_measure(f->canvas, text.text, &type).x + 6;
        bool fits = width <= (beside ? free_to - bar.x - bar.w : bar.w);
        if (fits) {
            type.halo = beside;
            type.align = beside ? PLT_LEFT : PLT_CENTRE;
            type.ink = beside ? f->theme->text : f->theme->paper;
            double x = beside ? bar.x + bar.w + 3 : bar.x + bar.w / 2;
            plt_canvas_text(f->canvas, (struct plt_point){ x, bar.y + 1 }, text.text, &type);
        }
        sq_buf_fini(&text);
        if (fits) {
            return;
        }
    }
}

/* Where the next bar of the same strip begins, or the plot ends. Moments are in order of time. */
static double next_bar(const struct plt_marks *m, const struct plt_frame *f, size_t i)
{
    const struct sq_moment *moments = f->result->moments;
    for (size_t k = i + 1; k < f->result->moment_count; k++) {
        if (is_span(&moments[k]) && strip_of(m, &moments[k]) == strip_of(m, &moments[i])) {
            return plt_scale_at(&f->x, sq_time_to_s(moments[k].at_ns));
        }
    }
    return f->x.to;
}

/* at.x: where the free room right of the bar ends. */
static void draw_bar(const struct plt_frame *f, const struct sq_moment *moment, unsigned number,
                     struct plt_point at)
{
    double from = plt_scale_at(&f->x, sq_time_to_s(moment->at_ns));
    double to = plt_scale_at(&f->x, sq_time_to_s(moment->until_ns));
    struct plt_box bar = { from, at.y, to - from < 2 ? 2 : to - from, STRIP - 2 };
    struct plt_ink ink = f->theme->mark;
    if (moment->kind == SQ_MOMENT_COLLAPSE) {
        ink = f->theme->collapse;
        ink.a = 1;
    }
    plt_canvas_box(f->canvas, bar, ink);
    draw_bar_text(f, moment, number, bar, at.x);
}

void plt_marks_draw(const struct plt_marks *m, const struct plt_frame *f, double y)
{
    double floor_y = y + (double)(m->rows * ROW);
    const struct plt_type type = label_type(f);
    for (size_t i = 0; i < m->count; i++) {
        const struct plt_label *label = &m->labels[i];
        if (label->row < PLT_LABEL_ROWS) {
            double top = floor_y - (double)((label->row + 1) * ROW);
            plt_canvas_text(f->canvas, (struct plt_point){ label->x, top + 1 }, label->text, &type);
        }
    }
    unsigned collapses[3] = { 0 };
    for (size_t i = 0; i < f->result->moment_count; i++) {
        const struct sq_moment *moment = &f->result->moments[i];
        if (is_span(moment)) {
            size_t strip = strip_of(m, moment);
            unsigned number = moment->kind == SQ_MOMENT_COLLAPSE ? ++collapses[strip] : 0;
            draw_bar(f, moment, number,
                     (struct plt_point){ next_bar(m, f, i), floor_y + (double)(strip * STRIP) });
        }
    }
}
