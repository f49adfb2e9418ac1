/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_html.h - pieces of an HTML page. What is written is well-formed XML too: every element is
 * closed, every attribute quoted. Texts go through plt_html_text, whatever they hold. */
#ifndef PLT_HTML_H
#define PLT_HTML_H

#include "sim/base/sq_buf.h"

/* A text as content or attribute: < > & and quotes escaped, control characters other than line ends
 * left out. NULL is nothing. */
void plt_html_text(struct sq_buf *out, const char *text);

/* The same with the text taken out of `text`, which is emptied. */
void plt_html_take(struct sq_buf *out, struct sq_buf *text);

/* <tag>text</tag>. */
void plt_html_element(struct sq_buf *out, const char *tag, const char *text);

/* A picture inside the page: <img src="data:..."/>. As an image an SVG can neither run a script nor
 * load anything, and its ids stay its own. */
void plt_html_svg(struct sq_buf *out, const char *svg, size_t len, const char *alt);

/* Everything before and behind the content: doctype, title, style. */
void plt_html_open(struct sq_buf *out, const char *title);
void plt_html_close(struct sq_buf *out);

#endif
