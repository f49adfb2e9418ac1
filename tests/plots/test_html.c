/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_html.c - pieces of a page: escaping, pictures, the frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "plots/plt_html.h"

static void escaping(void **state)
{
    (void)state;
    static const struct {
        const char *text, *html;
    } rows[] = {
        { "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d" },
        { "</script><img src=x onerror='f()'>",
          "&lt;/script&gt;&lt;img src=x onerror=&#39;f()&#39;&gt;" },
        { "say \"x\"", "say &#34;x&#34;" },
        { "bell\a esc\x1b del\x7f line\nend", "bell esc del line\nend" },
        { "Grüße ± 1", "Grüße ± 1" },
        { "", "" },
        { NULL, "" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 }, text = { 0 };
        plt_html_text(&b, rows[i].text);
        assert_string_equal(b.text != NULL ? b.text : "", rows[i].html);
        sq_buf_puts(&text, rows[i].text != NULL ? rows[i].text : "");
        b.len = 0;
        plt_html_take(&b, &text);
        assert_int_equal(b.len, strlen(rows[i].html));
        assert_null(text.text);
        sq_buf_fini(&b);
    }
}

/* A picture becomes an element: without XML's head, its title as a label. */
static void picture(void **state)
{
    (void)state;
    struct sq_buf b = { 0 }, svg = { 0 };
    sq_buf_puts(&svg, "<?xml version=\"1.0\"?>\n<svg width=\"9\">\n<title>a &lt; b</title>\n"
                      "<desc>words</desc>\n<rect/>\n</svg>\n");
    plt_html_picture(&b, &svg, "dark");
    assert_string_equal(
        b.text, "<svg class=\"dark\" aria-label=\"a &lt; b\" width=\"9\">\n\n<desc>words</desc>\n"
                "<rect/>\n</svg>\n");
    sq_buf_fini(&b);
    sq_buf_fini(&svg);
}

static void sentences(void **state)
{
    (void)state;
    struct sq_buf b = { 0 }, text = { 0 };
    sq_buf_puts(&text, "0 % < 5 %");
    plt_html_sentence(&b, &text);
    assert_string_equal(b.text, "0\u00a0% &lt; 5\u00a0%");
    assert_null(text.text);
    b.len = 0;
    plt_html_name(&b, "<a>");
    assert_string_equal(b.text, "<bdi>&lt;a&gt;</bdi>");
    sq_buf_fini(&b);
}

static void frame(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    plt_html_open(&b, "a & b");
    plt_html_element(&b, "p", "<hello>");
    plt_html_close(&b);
    assert_non_null(strstr(b.text, "<title>a &amp; b</title>"));
    assert_non_null(strstr(b.text, "<body>\n<p>&lt;hello&gt;</p>\n<script>\n"));
    assert_non_null(strstr(b.text, "</script>\n</body>\n</html>\n"));
    assert_null(strpbrk(plt_html_script, "<&")); /* well-formed as XML, too */
    assert_null(strpbrk(plt_html_style, "<&"));
    assert_memory_equal(b.text, "<!DOCTYPE html>\n", 16);
    sq_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escaping),
        cmocka_unit_test(picture),
        cmocka_unit_test(sentences),
        cmocka_unit_test(frame),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
