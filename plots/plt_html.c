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

void plt_html_element(struct sq_buf *out, const char *tag, const char *text)
{
    sq_buf_printf(out, "<%s>", tag);
    plt_html_text(out, text);
    sq_buf_printf(out, "</%s>\n", tag);
}

/* RFC 4648. */
static void put_base64(struct sq_buf *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= left > 2 ? bytes[i + 2] : 0;
        char four[4] = { digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63],
                         digits[three & 63] };
        for (size_t k = left + 1; k < 4; k++) {
            four[k] = '=';
        }
        sq_buf_add(out, four, 4);
    }
}

void plt_html_svg(struct sq_buf *out, const char *svg, size_t len, const char *alt)
{
    sq_buf_puts(out, "<img alt=\"");
    plt_html_text(out, alt);
    sq_buf_puts(out, "\" src=\"data:image/svg+xml;base64,");
    put_base64(out, (const unsigned char *)svg, len);
    sq_buf_puts(out, "\"/>\n");
}

static const char style[] =
    "body{margin:0 auto;max-width:60rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;"
    "color:#222;background:#fff}\n"
    "h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2rem}"
    "h3{font-size:1rem;margin-top:1.5rem}\n"
    ".answer{font-size:1.15rem;font-weight:600}.warn{background:#fff3cd;padding:.5rem;"
    "border-left:.3rem solid #b58900}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .6rem;text-align:right;vertical-align:top;"
    "border-bottom:1px solid #ddd;white-space:nowrap}\n"
    "th:first-child,td:first-child,.left th,.left td{text-align:left}"
    ".left td{white-space:normal}\n"
    "small{display:block;color:#555}small.chance{color:#999}.good{color:#0b5d1e}"
    ".bad{color:#a40000}\n"
    "figure{margin:1.5rem 0}figcaption{color:#444}img{max-width:100%;height:auto}\n"
    "pre{overflow-x:auto;font-size:.8rem;background:#f6f6f6;padding:.5rem}"
    ".notes{white-space:pre-line}\n"
    "footer{margin-top:3rem;border-top:1px solid #ddd;color:#555;font-size:.85rem;"
    "overflow-wrap:anywhere}\n";

void plt_html_open(struct sq_buf *out, const char *title)
{
    sq_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    plt_html_element(out, "title", title);
    sq_buf_puts(out, "<style>\n");
    sq_buf_puts(out, style);
    sq_buf_puts(out, "</style>\n</head>\n<body>\n");
}

void plt_html_close(struct sq_buf *out)
{
    sq_buf_puts(out, "</body>\n</html>\n");
}
