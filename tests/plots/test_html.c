/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_html.c - pieces of a page: escaping, and pictures as RFC 4648 writes them (its own examples,
 * section 10). */
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

static void base64(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *digits;
    } rows[] = {
        { "f", "Zg==" },
        { "fo", "Zm8=" },
        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" },
        { "\xff\xfe\xfd", "//79" },
        { "\xfb\xef\xbe", "++++" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 }, want = { 0 };
        plt_html_svg(&b, rows[i].bytes, strlen(rows[i].bytes), "a \"chart\"");
        sq_buf_printf(&want,
                      "<img alt=\"a &#34;chart&#34;\" src=\"data:image/svg+xml;base64,%s\"/>\n",
                      rows[i].digits);
        assert_string_equal(b.text, want.text);
        sq_buf_fini(&b);
        sq_buf_fini(&want);
    }
}

static void frame(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    plt_html_open(&b, "a & b");
    plt_html_element(&b, "p", "<hello>");
    plt_html_close(&b);
    assert_non_null(strstr(b.text, "<title>a &amp; b</title>"));
    assert_non_null(strstr(b.text, "<body>\n<p>&lt;hello&gt;</p>\n</body>\n</html>\n"));
    assert_memory_equal(b.text, "<!DOCTYPE html>\n", 16);
    sq_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escaping),
        cmocka_unit_test(base64),
        cmocka_unit_test(frame),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
