/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_canvas.c - the one door to cairo and pango: surfaces, shapes, text. */
#include "plots/plt_canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "sim/base/sq_mem.h"

#define RGB(r, g, b)                             \
    {                                            \
        (r) / 255.0, (g) / 255.0, (b) / 255.0, 1 \
    }
#define RGBA(r, g, b, a)                           \
    {                                              \
        (r) / 255.0, (g) / 255.0, (b) / 255.0, (a) \
    }

const struct plt_theme plt_theme = {
    .paper = RGB(255, 255, 255),
    .text = RGB(34, 34, 34),
    .faint = RGB(105, 105, 105),
    .grid = RGB(228, 228, 228),
    .first = RGB(86, 124, 163),
    .retry = RGB(240, 165, 65),
    .goodput = RGB(16, 38, 66),
    .capacity = RGB(120, 120, 120),
    .outage = RGBA(120, 120, 120, 0.20),
    .collapse = RGBA(120, 60, 90, 0.20),
    .hatch = RGBA(120, 60, 90, 0.30),
    .mark = RGB(80, 80, 80),
    .ready = RGB(70, 120, 120),
    .delayed = RGB(178, 210, 205),
    .replicas = RGB(160, 140, 185),
    .starting = RGB(90, 60, 130),
};

/* Slides want a picture that survives a projector: two dots per pixel of the layout. */
enum { PNG_SCALE = 2 };

struct plt_canvas {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo; /* NULL before begin */
    enum plt_format format;
    struct sq_buf raw;   /* the file as cairo writes it */
    struct sq_buf texts; /* every text drawn, one a line */
};

static cairo_status_t take_bytes(void *to, const unsigned char *data, unsigned length)
{
    struct sq_buf *raw = to;
    sq_buf_add(raw, (const char *)data, length);
    return raw->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* No hinting and no rounding of widths: a text is as wide at every scale and in every format. */
static void set_font_options(PangoContext *context)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context, FALSE);
}

static PangoLayout *make_layout(struct plt_canvas *c, const char *text, const struct plt_type *type)
{
    PangoLayout *layout = pango_layout_new(c->context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, "DejaVu Sans,Liberation Sans,Arial,sans-serif");
    pango_font_description_set_absolute_size(font, type->size * PANGO_SCALE);
    if (type->bold) {
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    }
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    if (type->wrap > 0) {
        pango_layout_set_width(layout, (int)(type->wrap * PANGO_SCALE));
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    } else {
        pango_layout_set_single_paragraph_mode(layout, TRUE);
    }
    pango_layout_set_text(layout, text, -1);
    return layout;
}

static struct plt_point layout_size(PangoLayout *layout)
{
    int width = 0, height = 0;
    pango_layout_get_size(layout, &width, &height);
    return (struct plt_point){ (double)width / PANGO_SCALE, (double)height / PANGO_SCALE };
}

/* Without any font pango draws boxes or nothing: a chart nobody can read. */
static bool has_font(struct plt_canvas *c)
{
    const struct plt_type type = { .size = 12 };
    PangoLayout *layout = make_layout(c, "squall 0123", &type);
    bool found = layout_size(layout).x > 0 && pango_layout_get_unknown_glyphs_count(layout) == 0;
    g_object_unref(layout);
    return found;
}

enum sq_status plt_canvas_open(struct plt_canvas **out)
{
    struct plt_canvas *c = sq_mem_alloc(1, sizeof *c);
    if (c == NULL) {
        return SQ_NOMEM;
    }
    c->fonts = pango_cairo_font_map_new();
    c->context = pango_font_map_create_context(c->fonts);
    set_font_options(c->context);
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
        cairo_destroy(c->cairo);
        cairo_surface_destroy(c->surface);
    }
    g_object_unref(c->context);
    g_object_unref(c->fonts);
    sq_buf_fini(&c->raw);
    sq_buf_fini(&c->texts);
    sq_mem_free(c);
}

struct plt_point plt_canvas_measure(struct plt_canvas *c, const char *text,
                                    const struct plt_type *type)
{
    PangoLayout *layout = make_layout(c, text, type);
    struct plt_point size = layout_size(layout);
    g_object_unref(layout);
    return size;
}

static void open_surface(struct plt_canvas *c, double width, double height)
{
    switch (c->format) {
    case PLT_SVG:
        c->surface = cairo_svg_surface_create_for_stream(take_bytes, &c->raw, width, height);
        cairo_svg_surface_set_document_unit(c->surface, CAIRO_SVG_UNIT_PX);
        break;
    case PLT_PDF:
        /* 96 pixels of the layout are an inch, 72 points; the date is fixed, not the clock's. */
        c->surface =
            cairo_pdf_surface_create_for_stream(take_bytes, &c->raw, width * 0.75, height * 0.75);
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2000-01-01T00:00:00Z");
        break;
    case PLT_PNG:
        c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width * PNG_SCALE,
                                                (int)height * PNG_SCALE);
        break;
    }
}

void plt_canvas_begin(struct plt_canvas *c, enum plt_format format, double width, double height)
{
    SQ_ASSERT(c->cairo == NULL);
    SQ_ASSERT(width > 0 && width < 16000 && height > 0 && height < 16000);
    c->format = format;
    open_surface(c, width, height);
    c->cairo = cairo_create(c->surface);
    if (format == PLT_PNG) {
        cairo_scale(c->cairo, PNG_SCALE, PNG_SCALE);
    } else if (format == PLT_PDF) {
        cairo_scale(c->cairo, 0.75, 0.75);
    }
    plt_canvas_box(c, (struct plt_box){ 0, 0, width, height }, plt_theme.paper);
}

static void set_ink(struct plt_canvas *c, struct plt_ink ink)
{
    cairo_set_source_rgba(c->cairo, ink.r, ink.g, ink.b, ink.a);
}

static void set_pen(struct plt_canvas *c, struct plt_pen pen)
{
    static const double dashes[] = { 6, 4 };
    set_ink(c, pen.ink);
    cairo_set_line_width(c->cairo, pen.width);
    cairo_set_dash(c->cairo, dashes, pen.dashed ? 2 : 0, 0);
    cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
}

void plt_canvas_box(struct plt_canvas *c, struct plt_box box, struct plt_ink ink)
{
    set_ink(c, ink);
    cairo_rectangle(c->cairo, box.x, box.y, box.w, box.h);
    cairo_fill(c->cairo);
}

/* Slanted lines cut to the box by arithmetic: clips and patterns would put numbered objects into
 * the SVG. */
void plt_canvas_hatch(struct plt_canvas *c, struct plt_box box, struct plt_pen pen)
{
    const double gap = 7;
    set_pen(c, pen);
    unsigned count = (unsigned)((box.w + box.h) / gap);
    for (unsigned i = 1; i <= count; i++) {
        double s = gap * i;
        double x0 = s < box.h ? 0 : s - box.h; /* lower left end */
        double y0 = s < box.h ? s : box.h;
        double x1 = s < box.w ? s : box.w; /* upper right end */
        double y1 = s < box.w ? 0 : s - box.w;
        cairo_move_to(c->cairo, box.x + x0, box.y + y0);
        cairo_line_to(c->cairo, box.x + x1, box.y + y1);
    }
    cairo_stroke(c->cairo);
}

void plt_canvas_line(struct plt_canvas *c, struct plt_point from, struct plt_point to,
                     struct plt_pen pen)
{
    struct plt_point both[] = { from, to };
    plt_canvas_path(c, both, 2, pen);
}

static void trace(struct plt_canvas *c, const struct plt_point *points, size_t count)
{
    cairo_new_path(c->cairo); /* text leaves a current point behind */
    for (size_t i = 0; i < count; i++) {
        cairo_line_to(c->cairo, points[i].x, points[i].y);
    }
}

void plt_canvas_path(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_pen pen)
{
    set_pen(c, pen);
    trace(c, points, count);
    cairo_stroke(c->cairo);
}

void plt_canvas_area(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_ink ink)
{
    set_ink(c, ink);
    trace(c, points, count);
    cairo_close_path(c->cairo);
    cairo_fill(c->cairo);
}

void plt_canvas_text(struct plt_canvas *c, struct plt_point at, const char *text,
                     const struct plt_type *type)
{
    PangoLayout *layout = make_layout(c, text, type);
    struct plt_point size = layout_size(layout);
    double x = at.x;
    if (type->align == PLT_CENTRE) {
        x -= size.x / 2;
    } else if (type->align == PLT_RIGHT) {
        x -= size.x;
    }
    if (type->halo) {
        struct plt_ink ground = plt_theme.paper;
        ground.a = 0.88;
        plt_canvas_box(c, (struct plt_box){ x - 2, at.y, size.x + 4, size.y }, ground);
    }
    set_ink(c, type->ink);
    cairo_move_to(c->cairo, x, at.y);
    pango_cairo_show_layout(c->cairo, layout);
    g_object_unref(layout);
    sq_buf_puts(&c->texts, text);
    sq_buf_putc(&c->texts, '\n');
}

static void put_escaped(struct sq_buf *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '<') {
            sq_buf_puts(out, "&lt;");
        } else if (*p == '&') {
            sq_buf_puts(out, "&amp;");
        } else if (*p == '>') {
            sq_buf_puts(out, "&gt;");
        } else if ((unsigned char)*p >= ' ' || *p == '\n') {
            sq_buf_putc(out, *p);
        }
    }
}

/* cairo numbers its surfaces through the life of the process and writes that number as the id of
 * the outermost group: it is given a fixed name. */
static void put_svg(const struct plt_canvas *c, const char *title, struct sq_buf *out)
{
    const char *text = c->raw.text, *svg = strstr(text, "<svg");
    SQ_ASSERT(svg != NULL);
    size_t head = (size_t)(svg - text) + strcspn(svg, ">") + 1;
    sq_buf_add(out, text, head);
    sq_buf_puts(out, "\n<title>");
    put_escaped(out, title);
    sq_buf_puts(out, "</title>\n<desc>");
    put_escaped(out, c->texts.text != NULL ? c->texts.text : "");
    sq_buf_puts(out, "</desc>");
    const char *rest = text + head, *id = strstr(rest, "id=\"surface");
    if (id != NULL) {
        sq_buf_add(out, rest, (size_t)(id - rest));
        sq_buf_puts(out, "id=\"chart");
        rest = id + strlen("id=\"surface");
        rest += strspn(rest, "0123456789");
    }
    sq_buf_puts(out, rest);
}

enum sq_status plt_canvas_finish(struct plt_canvas *c, const char *title, struct sq_buf *out)
{
    SQ_ASSERT(c->cairo != NULL);
    cairo_status_t status = cairo_status(c->cairo);
    if (c->format == PLT_PDF) {
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, title);
    }
    if (c->format == PLT_PNG && status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_write_to_png_stream(c->surface, take_bytes, &c->raw);
    }
    cairo_surface_finish(c->surface);
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_status(c->surface);
    }
    if (status == CAIRO_STATUS_NO_MEMORY || c->raw.failed || c->texts.failed) {
        return SQ_NOMEM;
    }
    if (status != CAIRO_STATUS_SUCCESS) {
        return SQ_IO;
    }
    struct sq_buf file = { 0 };
    if (c->format == PLT_SVG) {
        put_svg(c, title, &file);
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
