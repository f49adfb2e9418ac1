/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_canvas.c - the one door to cairo and pango: surfaces, shapes, text. */
#include "plots/plt_canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "plots/plt_svg.h"
#include "sim/base/sq_mem.h"

/* Slides want a picture that survives a projector: two dots per pixel of the layout. */
enum { PNG_SCALE = 2 };

/* What is called of cairo and pango. They are opened with the first canvas, not with the program:
 * with the two come thirty libraries, and loading these takes longer than many a run. */
#define PLT_LIBRARY(X)                          \
    X(cairo_arc)                                \
    X(cairo_close_path)                         \
    X(cairo_create)                             \
    X(cairo_destroy)                            \
    X(cairo_fill)                               \
    X(cairo_font_options_create)                \
    X(cairo_font_options_destroy)               \
    X(cairo_font_options_set_antialias)         \
    X(cairo_font_options_set_hint_metrics)      \
    X(cairo_font_options_set_hint_style)        \
    X(cairo_image_surface_create)               \
    X(cairo_line_to)                            \
    X(cairo_move_to)                            \
    X(cairo_new_path)                           \
    X(cairo_pdf_surface_create_for_stream)      \
    X(cairo_pdf_surface_set_metadata)           \
    X(cairo_rectangle)                          \
    X(cairo_scale)                              \
    X(cairo_set_dash)                           \
    X(cairo_set_line_join)                      \
    X(cairo_set_line_width)                     \
    X(cairo_set_source_rgba)                    \
    X(cairo_status)                             \
    X(cairo_stroke)                             \
    X(cairo_surface_destroy)                    \
    X(cairo_surface_finish)                     \
    X(cairo_surface_status)                     \
    X(cairo_surface_write_to_png_stream)        \
    X(g_object_unref)                           \
    X(pango_cairo_context_set_font_options)     \
    X(pango_cairo_font_map_new)                 \
    X(pango_cairo_show_layout)                  \
    X(pango_context_set_round_glyph_positions)  \
    X(pango_font_description_free)              \
    X(pango_font_description_new)               \
    X(pango_font_description_set_absolute_size) \
    X(pango_font_description_set_family)        \
    X(pango_font_description_set_weight)        \
    X(pango_font_map_create_context)            \
    X(pango_layout_get_iter)                    \
    X(pango_layout_get_size)                    \
    X(pango_layout_get_text)                    \
    X(pango_layout_get_unknown_glyphs_count)    \
    X(pango_layout_iter_free)                   \
    X(pango_layout_iter_get_baseline)           \
    X(pango_layout_iter_get_line_extents)       \
    X(pango_layout_iter_get_line_readonly)      \
    X(pango_layout_iter_next_line)              \
    X(pango_layout_new)                         \
    X(pango_layout_set_auto_dir)                \
    X(pango_layout_set_font_description)        \
    X(pango_layout_set_single_paragraph_mode)   \
    X(pango_layout_set_text)                    \
    X(pango_layout_set_width)                   \
    X(pango_layout_set_wrap)

struct library {
#define LIBRARY_MEMBER(name) __typeof__(name) *(name);
    PLT_LIBRARY(LIBRARY_MEMBER)
#undef LIBRARY_MEMBER
};

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
#define LIBRARY_SYMBOL(name) { #name, offsetof(struct library, name) },
    PLT_LIBRARY(LIBRARY_SYMBOL)
#undef LIBRARY_SYMBOL
};

/* False when they are not there. What pango registers in glib cannot be taken back: they stay
 * open. Those that pangocairo needs are searched with it. */
static bool open_library(struct library *l)
{
    void *handle = dlopen(PLT_PANGOCAIRO, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool found = handle != NULL;
    for (size_t i = 0; found && i < SQ_COUNT(symbols); i++) {
        void *symbol = dlsym(handle, symbols[i].name);
        memcpy((char *)l + symbols[i].at, &symbol, sizeof(symbol)); /* POSIX: of one size */
        found = symbol != NULL;
    }
    return found;
}

struct plt_canvas {
    struct library lib;
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo; /* NULL for an SVG, and before begin */
    struct plt_look look;
    bool begun;
    struct plt_point size;
    struct sq_buf raw;   /* the file as cairo writes it; of an SVG what was drawn */
    struct sq_buf texts; /* every text drawn, one a line */
};

static cairo_status_t take_bytes(void *to, const unsigned char *data, unsigned length)
{
    struct sq_buf *raw = to;
    sq_buf_add(raw, (const char *)data, length);
    return raw->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* No hinting and no rounding of widths: a text is as wide at every scale and in every format. */
static void set_font_options(struct plt_canvas *c)
{
    cairo_font_options_t *options = c->lib.cairo_font_options_create();
    c->lib.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    c->lib.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    c->lib.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    c->lib.pango_cairo_context_set_font_options(c->context, options);
    c->lib.cairo_font_options_destroy(options);
    c->lib.pango_context_set_round_glyph_positions(c->context, FALSE);
}

static PangoLayout *make_layout(struct plt_canvas *c, const char *text, const struct plt_type *type)
{
    PangoLayout *layout = c->lib.pango_layout_new(c->context);
    PangoFontDescription *font = c->lib.pango_font_description_new();
    c->lib.pango_font_description_set_family(font, PLT_FONTS);
    c->lib.pango_font_description_set_absolute_size(font, type->size * PANGO_SCALE);
    if (type->bold) {
        c->lib.pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    }
    c->lib.pango_layout_set_font_description(layout, font);
    c->lib.pango_font_description_free(font);
    if (type->wrap > 0) {
        c->lib.pango_layout_set_width(layout, (int)(type->wrap * PANGO_SCALE));
        c->lib.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    } else {
        c->lib.pango_layout_set_single_paragraph_mode(layout, TRUE);
    }
    c->lib.pango_layout_set_auto_dir(layout,
                                     FALSE); /* as in an SVG: every line begins at the left */
    c->lib.pango_layout_set_text(layout, text, -1);
    return layout;
}

static struct plt_point layout_size(const struct plt_canvas *c, PangoLayout *layout)
{
    int width = 0, height = 0;
    c->lib.pango_layout_get_size(layout, &width, &height);
    return (struct plt_point){ (double)width / PANGO_SCALE, (double)height / PANGO_SCALE };
}

/* Without any font pango draws boxes or nothing: a chart nobody can read. */
static bool has_font(struct plt_canvas *c)
{
    const struct plt_type type = { .size = 12 };
    PangoLayout *layout = make_layout(c, "squall 0123", &type);
    bool found =
        layout_size(c, layout).x > 0 && c->lib.pango_layout_get_unknown_glyphs_count(layout) == 0;
    c->lib.g_object_unref(layout);
    return found;
}

enum sq_status plt_canvas_open(struct plt_look look, struct plt_canvas **out)
{
    SQ_ASSERT(look.theme != NULL);
    struct plt_canvas *c = sq_mem_alloc(1, sizeof *c);
    if (c == NULL) {
        return SQ_NOMEM;
    }
    if (!open_library(&c->lib)) {
        sq_mem_free(c);
        return SQ_IO;
    }
    c->look = look;
    c->fonts = c->lib.pango_cairo_font_map_new();
    c->context = c->lib.pango_font_map_create_context(c->fonts);
    set_font_options(c);
    if (!has_font(c)) {
        plt_canvas_close(c);
        return SQ_IO;
    }
    *out = c;
    return SQ_OK;
}

void plt_canvas_close(struct plt_canvas *c)
{
    if (c == NULL) {
        return;
    }
    if (c->cairo != NULL) {
        c->lib.cairo_destroy(c->cairo);
        c->lib.cairo_surface_destroy(c->surface);
    }
    c->lib.g_object_unref(c->context);
    c->lib.g_object_unref(c->fonts);
    sq_buf_fini(&c->raw);
    sq_buf_fini(&c->texts);
    sq_mem_free(c);
}

const struct plt_theme *plt_canvas_theme(const struct plt_canvas *c)
{
    return c->look.theme;
}

struct plt_point plt_canvas_measure(struct plt_canvas *c, const char *text,
                                    const struct plt_type *type)
{
    PangoLayout *layout = make_layout(c, text, type);
    struct plt_point size = layout_size(c, layout);
    c->lib.g_object_unref(layout);
    return size;
}

/* 96 pixels of the layout are an inch, 72 points; the date is fixed, not the clock's. */
static void open_pdf(struct plt_canvas *c)
{
    c->surface = c->lib.cairo_pdf_surface_create_for_stream(take_bytes, &c->raw, c->size.x * 0.75,
                                                            c->size.y * 0.75);
    c->lib.cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                          "2000-01-01T00:00:00Z");
    c->cairo = c->lib.cairo_create(c->surface);
    c->lib.cairo_scale(c->cairo, 0.75, 0.75);
}

static void open_png(struct plt_canvas *c)
{
    c->surface = c->lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)c->size.x * PNG_SCALE,
                                                   (int)c->size.y * PNG_SCALE);
    c->cairo = c->lib.cairo_create(c->surface);
    c->lib.cairo_scale(c->cairo, PNG_SCALE, PNG_SCALE);
}

void plt_canvas_begin(struct plt_canvas *c, double width, double height)
{
    SQ_ASSERT(!c->begun);
    SQ_ASSERT(width > 0 && width < 16000 && height > 0 && height < 16000);
    c->begun = true;
    c->size = (struct plt_point){ width, height };
    if (c->look.format == PLT_PDF) {
        open_pdf(c);
    } else if (c->look.format == PLT_PNG) {
        open_png(c);
    }
    plt_canvas_box(c, (struct plt_box){ 0, 0, width, height }, c->look.theme->paper);
}

static void set_ink(struct plt_canvas *c, struct plt_ink ink)
{
    c->lib.cairo_set_source_rgba(c->cairo, ink.r, ink.g, ink.b, ink.a);
}

static void set_pen(struct plt_canvas *c, struct plt_pen pen)
{
    const double *dashes;
    int count = (int)plt_dash_lengths(pen.dash, &dashes);
    set_ink(c, pen.ink);
    c->lib.cairo_set_line_width(c->cairo, pen.width);
    c->lib.cairo_set_dash(c->cairo, dashes, count, 0);
    c->lib.cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
}

void plt_canvas_box(struct plt_canvas *c, struct plt_box box, struct plt_ink ink)
{
    if (c->cairo == NULL) {
        plt_svg_box(&c->raw, box, ink);
        return;
    }
    set_ink(c, ink);
    c->lib.cairo_rectangle(c->cairo, box.x, box.y, box.w, box.h);
    c->lib.cairo_fill(c->cairo);
}

enum { HATCHES_MAX = 1024 };

/* Slanted lines cut to the box by arithmetic, not by a pattern: those have ids in an SVG. */
void plt_canvas_hatch(struct plt_canvas *c, struct plt_box box, struct plt_pen pen)
{
    const double gap = 7;
    struct plt_point ends[2 * HATCHES_MAX];
    size_t count = (size_t)((box.w + box.h) / gap);
    count = count < HATCHES_MAX ? count : HATCHES_MAX;
    for (size_t i = 0; i < count; i++) {
        double s = gap * (double)(i + 1);
        double x0 = s < box.h ? 0 : s - box.h; /* lower left end */
        double y0 = s < box.h ? s : box.h;
        double x1 = s < box.w ? s : box.w; /* upper right end */
        double y1 = s < box.w ? 0 : s - box.w;
        ends[2 * i] = (struct plt_point){ box.x + x0, box.y + y0 };
        ends[2 * i + 1] = (struct plt_point){ box.x + x1, box.y + y1 };
    }
    if (c->cairo == NULL) {
        plt_svg_lines(&c->raw, ends, count, pen);
        return;
    }
    set_pen(c, pen);
    c->lib.cairo_new_path(c->cairo);
    for (size_t i = 0; i < count; i++) {
        c->lib.cairo_move_to(c->cairo, ends[2 * i].x, ends[2 * i].y);
        c->lib.cairo_line_to(c->cairo, ends[2 * i + 1].x, ends[2 * i + 1].y);
    }
    c->lib.cairo_stroke(c->cairo);
}

void plt_canvas_line(struct plt_canvas *c, struct plt_point from, struct plt_point to,
                     struct plt_pen pen)
{
    struct plt_point both[] = { from, to };
    plt_canvas_path(c, both, 2, pen);
}

static void trace(struct plt_canvas *c, const struct plt_point *points, size_t count)
{
    c->lib.cairo_new_path(c->cairo); /* text leaves a current point behind */
    for (size_t i = 0; i < count; i++) {
        c->lib.cairo_line_to(c->cairo, points[i].x, points[i].y);
    }
}

void plt_canvas_path(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_pen pen)
{
    if (c->cairo == NULL) {
        plt_svg_path(&c->raw, points, count, pen);
        return;
    }
    set_pen(c, pen);
    trace(c, points, count);
    c->lib.cairo_stroke(c->cairo);
}

void plt_canvas_area(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_ink ink)
{
    if (c->cairo == NULL) {
        plt_svg_area(&c->raw, points, count, ink);
        return;
    }
    set_ink(c, ink);
    trace(c, points, count);
    c->lib.cairo_close_path(c->cairo);
    c->lib.cairo_fill(c->cairo);
}

void plt_canvas_disc(struct plt_canvas *c, struct plt_point at, double radius, struct plt_ink ink)
{
    if (c->cairo == NULL) {
        plt_svg_disc(&c->raw, at, radius, ink);
        return;
    }
    set_ink(c, ink);
    c->lib.cairo_new_path(c->cairo);
    c->lib.cairo_arc(c->cairo, at.x, at.y, radius, 0, 2 * G_PI);
    c->lib.cairo_fill(c->cairo);
}

/* Every line of a layout whose upper left corner is at `at`. */
static void put_lines(struct plt_canvas *c, PangoLayout *layout, struct plt_point at,
                      const struct plt_type *type)
{
    const char *text = c->lib.pango_layout_get_text(layout);
    PangoLayoutIter *iter = c->lib.pango_layout_get_iter(layout);
    do {
        PangoLayoutLine *line = c->lib.pango_layout_iter_get_line_readonly(iter);
        PangoRectangle box;
        c->lib.pango_layout_iter_get_line_extents(iter, NULL, &box);
        size_t len = (size_t)line->length;
        while (len > 0 && text[line->start_index + (int)len - 1] == ' ') {
            len--; /* where it was broken; a blank at the end is nothing to see anyway */
        }
        double base = (double)c->lib.pango_layout_iter_get_baseline(iter) / PANGO_SCALE;
        struct plt_svg_line out = { { at.x + (double)box.x / PANGO_SCALE, at.y + base },
                                    (double)box.width / PANGO_SCALE,
                                    text + line->start_index,
                                    len };
        if (len > 0) {
            plt_svg_text(&c->raw, &out, type);
        }
    } while (c->lib.pango_layout_iter_next_line(iter));
    c->lib.pango_layout_iter_free(iter);
}

void plt_canvas_text(struct plt_canvas *c, struct plt_point at, const char *text,
                     const struct plt_type *type)
{
    PangoLayout *layout = make_layout(c, text, type);
    struct plt_point size = layout_size(c, layout);
    double x = at.x;
    if (type->align == PLT_CENTRE) {
        x -= size.x / 2;
    } else if (type->align == PLT_RIGHT) {
        x -= size.x;
    }
    if (type->halo) {
        struct plt_ink ground = c->look.theme->paper;
        ground.a = 0.88;
        plt_canvas_box(c, (struct plt_box){ x - 2, at.y, size.x + 4, size.y }, ground);
    }
    if (c->cairo == NULL) {
        put_lines(c, layout, (struct plt_point){ x, at.y }, type);
    } else {
        set_ink(c, type->ink);
        c->lib.cairo_move_to(c->cairo, x, at.y);
        c->lib.pango_cairo_show_layout(c->cairo, layout);
    }
    c->lib.g_object_unref(layout);
    sq_buf_puts(&c->texts, text);
    sq_buf_putc(&c->texts, '\n');
}

/* Ends what cairo draws. */
static cairo_status_t end_surface(struct plt_canvas *c, const char *title)
{
    cairo_status_t status = c->lib.cairo_status(c->cairo);
    if (c->look.format == PLT_PDF) {
        c->lib.cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, title);
    }
    if (c->look.format == PLT_PNG && status == CAIRO_STATUS_SUCCESS) {
        status = c->lib.cairo_surface_write_to_png_stream(c->surface, take_bytes, &c->raw);
    }
    c->lib.cairo_surface_finish(c->surface);
    return status == CAIRO_STATUS_SUCCESS ? c->lib.cairo_surface_status(c->surface) : status;
}

enum sq_status plt_canvas_finish(struct plt_canvas *c, const char *title, struct sq_buf *out)
{
    SQ_ASSERT(c->begun);
    cairo_status_t status =
        c->cairo != NULL ? end_surface(c, title) : (cairo_status_t)CAIRO_STATUS_SUCCESS;
    if (status == CAIRO_STATUS_NO_MEMORY || c->raw.failed || c->texts.failed) {
        return SQ_NOMEM;
    }
    if (status != CAIRO_STATUS_SUCCESS) {
        return SQ_IO;
    }
    struct sq_buf file = { 0 };
    if (c->look.format == PLT_SVG) {
        plt_svg_file(&file, c->size, title, c->texts.text, &c->raw);
    } else {
        sq_buf_add(&file, c->raw.text, c->raw.len);
    }
    if (!file.failed) {
        sq_buf_add(out, file.text, file.len);
    }
    bool failed = file.failed || out->failed;
    sq_buf_fini(&file);
    return failed ? SQ_NOMEM : SQ_OK;
}
