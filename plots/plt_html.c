/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_html.c - escaping, pictures, and the frame of a page. */
#include "plots/plt_html.h"

#include <string.h>

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
void plt_html_picture(struct sq_buf *out, const struct sq_buf *svg, const char *theme)
{
    static const char begin[] = "<title>", end[] = "</title>";
    SQ_ASSERT(svg->text != NULL); /* our own pictures have all that is looked for */
    const char *text = strstr(svg->text, "<svg");
    SQ_ASSERT(text != NULL);
    const char *title = strstr(text, begin);
    SQ_ASSERT(title != NULL);
    const char *rest = strstr(title, end);
    SQ_ASSERT(rest != NULL);
    const char *name = title + strlen(begin);
    sq_buf_printf(out, "<svg class=\"%s\" aria-label=\"", theme);
    sq_buf_add(out, name, (size_t)(rest - name)); /* escaped already */
    sq_buf_putc(out, '"');
    text += strlen("<svg");
    sq_buf_add(out, text, (size_t)(title - text));
    sq_buf_puts(out, rest + strlen(end));
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
    sq_buf_puts(out, "</style>\n</head>\n<body>\n");
}

void plt_html_close(struct sq_buf *out)
{
    sq_buf_puts(out, "<script>\n");
    sq_buf_puts(out, plt_html_script);
    sq_buf_puts(out, "</script>\n</body>\n</html>\n");
}
