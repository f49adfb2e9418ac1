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

/* The same for a sentence of ours: its numbers stay with their "%". */
void plt_html_sentence(struct sq_buf *out, struct sq_buf *text);

/* <tag>text</tag>. */
void plt_html_element(struct sq_buf *out, const char *tag, const char *text);

/* A name that a user gave, inside a sentence: it may run from right to left without turning what
 * stands around it. */
void plt_html_name(struct sq_buf *out, const char *name);

/* A picture of ours (plt_canvas.h) inside the page, as an element of it: its texts stay texts, and
 * it has no ids that could meet those of another. For those who do not see it its title is its
 * name, and <desc> holds all its words. `theme` is "light" or "dark": a page has both, and shows
 * the one that the reader's screen asks for; paper is light. */
void plt_html_picture(struct sq_buf *out, const struct sq_buf *svg, const char *theme);

/* Everything before and behind the content: doctype, title, style; the script, without which the
 * page loses nothing but the values under the pointer. */
void plt_html_open(struct sq_buf *out, const char *title);
void plt_html_close(struct sq_buf *out);

/* plt_html_look.c: the style sheet, the script. */
extern const char plt_html_style[], plt_html_script[];

#endif
