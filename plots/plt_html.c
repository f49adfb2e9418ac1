/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_html.c - escaping, pictures, and the frame of a page. */
#include "plots/plt_html.h"

#include <math.h>
#include <string.h>

#include "plots/plt_theme.h"
#include "sim/base/sq_markup.h"

void plt_html_text(struct sq_buf *out, const char *text)
{
    sq_markup_text(out, text);
}

void plt_html_take(struct sq_buf *out, struct sq_buf *text)
{
    plt_html_text(out, text->failed ? NULL : text->text);
    out->failed = out->failed || text->failed;
    sq_buf_fini(text);
}

void plt_html_sentence(struct sq_buf *out, struct sq_buf *text)
{
    struct sq_buf b = { 0 };
    const char *from = text->text != NULL ? text->text : "", *at;
    while ((at = strstr(from, " %")) != NULL) {
        sq_buf_add(&b, from, (size_t)(at - from));
        sq_buf_puts(&b, "\u00a0%");
        from = at + 2;
    }
    sq_buf_puts(&b, from);
    b.failed = b.failed || text->failed;
    sq_buf_fini(text);
    plt_html_take(out, &b);
}

void plt_html_element(struct sq_buf *out, const char *tag, const char *text)
{
    sq_buf_printf(out, "<%s>", tag);
    plt_html_text(out, text);
    sq_buf_printf(out, "</%s>\n", tag);
}

void plt_html_name(struct sq_buf *out, const char *name)
{
    sq_buf_puts(out, "<bdi>");
    plt_html_text(out, name);
    sq_buf_puts(out, "</bdi>");
}

/* ---- pictures ---- */

/* The head goes, and <title> becomes a label: browsers would show it under the pointer. */
void plt_html_picture(struct sq_buf *out, const struct sq_buf *svg)
{
    static const char begin[] = "<title>", end[] = "</title>";
    const char *text = svg->text != NULL ? strstr(svg->text, "<svg") : NULL;
    const char *title = text != NULL ? strstr(text, begin) : NULL;
    const char *rest = title != NULL ? strstr(title, end) : NULL;
    SQ_ASSERT(rest != NULL); /* our own pictures have one */
    const char *name = title + strlen(begin);
    sq_buf_puts(out, "<svg aria-label=\"");
    sq_buf_add(out, name, (size_t)(rest - name)); /* escaped already */
    sq_buf_putc(out, '"');
    text += strlen("<svg");
    sq_buf_add(out, text, (size_t)(title - text));
    sq_buf_puts(out, rest + strlen(end));
}

static void put_hex(struct sq_buf *out, struct plt_ink ink)
{
    const double parts[] = { ink.r, ink.g, ink.b };
    sq_buf_putc(out, '#');
    for (size_t i = 0; i < SQ_COUNT(parts); i++) {
        sq_buf_printf(out, "%02x", (unsigned)lround(parts[i] * 255));
    }
}

/* [fill="#3e6898"]{fill:#3c689c}. Inks that let the ground through are known by how much. */
static void put_dark_rule(struct sq_buf *out, const char *what, struct plt_ink light,
                          struct plt_ink dark)
{
    sq_buf_printf(out, "svg [%s=\"", what);
    put_hex(out, light);
    sq_buf_puts(out, "\"]");
    if (light.a < 1) {
        sq_buf_printf(out, "[%s-opacity=\"", what);
        sq_buf_number(out, light.a, 2);
        sq_buf_puts(out, "\"]");
    }
    sq_buf_printf(out, "{%s:", what);
    put_hex(out, dark);
    if (light.a < 1) {
        sq_buf_printf(out, ";%s-opacity:", what);
        sq_buf_number(out, dark.a, 2);
    }
    sq_buf_puts(out, "}\n");
}

void plt_html_dark_rules(struct sq_buf *out)
{
    /* all colours of a theme, in the order of the struct */
    enum { FIRST = offsetof(struct plt_theme, paper) };
    enum { COUNT = (sizeof(struct plt_theme) - FIRST) / sizeof(struct plt_ink) };
    struct plt_ink light[COUNT], dark[COUNT];
    memcpy(light, (const char *)&plt_theme_light + FIRST, sizeof light);
    memcpy(dark, (const char *)&plt_theme_dark + FIRST, sizeof dark);
    for (size_t i = 0; i < COUNT; i++) {
        put_dark_rule(out, "fill", light[i], dark[i]);
        put_dark_rule(out, "stroke", light[i], dark[i]);
    }
}

/* ---- the frame ---- */

/* The policy holds the page to its word: nothing is fetched. */
void plt_html_open(struct sq_buf *out, const char *title)
{
    sq_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                     "<link rel=\"icon\" href=\"data:,\"/>\n");
    plt_html_element(out, "title", title);
    sq_buf_puts(out, "<style>\n");
    sq_buf_puts(out, plt_html_style);
    sq_buf_puts(out, "@media screen and (prefers-color-scheme: dark){\n");
    plt_html_dark_rules(out);
    sq_buf_puts(out, "}\n</style>\n</head>\n<body>\n");
}

void plt_html_close(struct sq_buf *out)
{
    sq_buf_puts(out, "<script>\n");
    sq_buf_puts(out, plt_html_script);
    sq_buf_puts(out, "</script>\n</body>\n</html>\n");
}
