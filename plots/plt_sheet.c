/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_sheet.c - title, subtitle and footer around a picture. */
#include "plots/plt_sheet.h"

#include <math.h>
#include <string.h>

#include "sim/base/sq_file.h"

enum sq_status plt_sheet_open(struct plt_sheet *s, struct plt_look look)
{
    *s = (struct plt_sheet){ .theme = look.theme };
    return plt_canvas_open(look, &s->canvas);
}

const char *plt_sheet_keep(struct plt_sheet *s, struct sq_buf *b)
{
    const char *text =
        b->failed ? NULL : sq_arena_text(&s->arena, b->len > 0 ? b->text : "", b->len);
    sq_buf_fini(b);
    s->failed = s->failed || text == NULL;
    return text != NULL ? text : "";
}

/* The first bytes of a text, without a part of a character, and an ellipsis. */
static const char *cut(struct plt_sheet *s, const char *text, size_t len)
{
    while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80) {
        len--;
    }
    struct sq_buf b = { 0 };
    sq_buf_add(&b, text, len);
    sq_buf_puts(&b, "…");
    return plt_sheet_keep(s, &b);
}

/* A text that is no higher than `most` when it is set in the type. */
static const char *no_higher(struct plt_sheet *s, const char *text, const struct plt_type *type,
                             double most)
{
    const char *now = text;
    for (size_t len = strlen(text); len > 8 && !s->failed; len = len * 4 / 5) {
        if (plt_canvas_measure(s->canvas, now, type).y <= most) {
            return now;
        }
        now = cut(s, text, len * 4 / 5);
    }
    return now;
}

/* As large as fits into one line; a very long title is broken at the smallest size. */
static struct plt_type title_type(const struct plt_sheet *s)
{
    const double room = PLT_SHEET_WIDTH - 2 * PLT_SHEET_MARGIN;
    struct plt_type type = { .size = 20, .bold = true, .ink = s->theme->text };
    while (type.size > 16 && plt_canvas_measure(s->canvas, s->title, &type).x > room) {
        type.size -= 1;
    }
    type.wrap = room;
    return type;
}

static double height_of(struct plt_sheet *s, const char *text, const struct plt_type *type)
{
    return text[0] != '\0' ? plt_canvas_measure(s->canvas, text, type).y : 0;
}

void plt_sheet_begin(struct plt_sheet *s, double height)
{
    const double room = PLT_SHEET_WIDTH - 2 * PLT_SHEET_MARGIN;
    const struct plt_type sub = { .size = 13, .ink = s->theme->faint, .wrap = room };
    const struct plt_type foot = { .size = 10, .ink = s->theme->faint, .wrap = room };
    s->title = s->title != NULL ? s->title : "";
    const struct plt_type title = title_type(s);
    s->title = no_higher(s, s->title, &title, 64);
    s->subtitle = no_higher(s, s->subtitle != NULL ? s->subtitle : "", &sub, 50);
    s->footer = no_higher(s, s->footer != NULL ? s->footer : "", &foot, 40);
    double sub_y = 20 + height_of(s, s->title, &title) + 4;
    s->top = sub_y + height_of(s, s->subtitle, &sub) + 14;
    double foot_y = s->top + height + 14;
    double bottom = foot_y + height_of(s, s->footer, &foot) + 14;
    plt_canvas_begin(s->canvas, PLT_SHEET_WIDTH, ceil(bottom));
    plt_sheet_text(s, (struct plt_point){ PLT_SHEET_MARGIN, 20 }, s->title, &title);
    plt_sheet_text(s, (struct plt_point){ PLT_SHEET_MARGIN, sub_y }, s->subtitle, &sub);
    plt_sheet_text(s, (struct plt_point){ PLT_SHEET_MARGIN, foot_y }, s->footer, &foot);
}

void plt_sheet_text(struct plt_sheet *s, struct plt_point at, const char *text,
                    const struct plt_type *type)
{
    if (text[0] != '\0') {
        plt_canvas_text(s->canvas, at, text, type);
    }
}

void plt_sheet_text_within(struct plt_sheet *s, struct plt_point at, double room, const char *text,
                           const struct plt_type *type)
{
    const char *now = text;
    size_t len = strlen(text);
    while (len > 1 && !s->failed && plt_canvas_measure(s->canvas, now, type).x > room) {
        len = len > 60 ? len * 3 / 4 : len - 1;
        now = cut(s, text, len);
    }
    plt_sheet_text(s, at, now, type);
}

struct plt_point plt_sheet_measure(struct plt_sheet *s, const char *text,
                                   const struct plt_type *type)
{
    return plt_canvas_measure(s->canvas, text, type);
}

enum sq_status plt_sheet_close(struct plt_sheet *s, enum sq_status status, struct sq_buf *out)
{
    status = status == SQ_OK && s->failed ? SQ_NOMEM : status;
    if (status == SQ_OK) {
        status = plt_canvas_finish(s->canvas, s->title, out);
    }
    plt_canvas_close(s->canvas);
    sq_arena_fini(&s->arena);
    return status;
}

static void put_runs(struct sq_buf *b, const struct sq_result *r, size_t count)
{
    if (r->model != NULL) {
        sq_buf_printf(b, " · %s model", r->model);
        return;
    }
    sq_buf_printf(b, " · seed %llu · %zu", (unsigned long long)r->seed, r->run_count);
    if (r->interrupted) {
        sq_buf_printf(b, " of %zu", r->runs_wanted);
    }
    bool one = r->run_count == 1 && !r->interrupted;
    sq_buf_printf(b, " run%s%s%s", one ? "" : "s", count > 1 ? " each, on the same luck" : "",
                  r->interrupted ? ", INTERRUPTED" : "");
}

void plt_put_origin(struct sq_buf *b, const struct sq_result *const *results, size_t count)
{
    const struct sq_result *r = results[0];
    sq_buf_printf(b, "%s", r->file != NULL ? sq_file_name(r->file) : "-");
    if (count == 1) {
        sq_buf_printf(b, " · variant %s", r->variant != NULL ? r->variant : "base");
    }
    put_runs(b, r, count);
    for (size_t i = 0; i < count && results[i]->scenario_hash != NULL; i++) {
        sq_buf_printf(b, "%s%.*s",
                      i > 0       ? ", "
                      : count > 1 ? " · scenarios "
                                  : " · scenario ",
                      count > 1 ? 8 : 16, results[i]->scenario_hash);
    }
    sq_buf_printf(b, " · squall %s", r->version != NULL ? r->version : SQ_VERSION);
}
