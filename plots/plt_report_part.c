/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_part.c - one comparison, or one run, in a report: its sections in their order. */
#include "plots/plt_report_part.h"

#include "plots/plt_html.h"
#include "plots/plt_words.h"

void plt_part_make(struct plt_part *p, size_t number, const struct plt_stuff *stuff)
{
    const struct sq_loaded *l = &stuff->loaded[0];
    *p = (struct plt_part){
        .number = number, .comparison = &l->comparison, .results = l->results, .stuff = stuff
    };
    plt_finding_make(&p->finding, p->comparison);
    plt_rows_pick(&p->rows, p->comparison);
}

void plt_part_title(struct sq_buf *out, const struct plt_part *p)
{
    const char *title = p->comparison->title;
    if (plt_part_is_run(p)) {
        plt_put_title(out, &p->results[0], "—");
    } else {
        sq_buf_puts(out, title != NULL && title[0] != '\0' ? title : "Untitled scenario");
    }
}

void plt_part_heading(struct sq_buf *out, const struct plt_part *p, const char *anchor,
                      const char *text)
{
    sq_buf_printf(out, "<h2 id=\"p%zu-%s\">", p->number, anchor);
    plt_html_text(out, text);
    sq_buf_puts(out, "</h2>\n");
}

void plt_part_open_caption(struct sq_buf *out)
{
    sq_buf_puts(out, "<p class=\"caption\">");
}

void plt_part_close_caption(struct sq_buf *out)
{
    sq_buf_puts(out, "</p>\n");
}

void plt_part_open_wide(struct sq_buf *out, const char *label)
{
    sq_buf_puts(out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    plt_html_text(out, label);
    sq_buf_puts(out, "\">\n");
}

void plt_part_close_wide(struct sq_buf *out)
{
    sq_buf_puts(out, "</div>\n");
}

/* ---- where things are ---- */

static bool has_expectations(const struct plt_part *p)
{
    size_t count = 0;
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        count += p->comparison->variants[v].judged_count;
    }
    return count > 0;
}

static bool has_notes(const struct plt_part *p)
{
    return p->comparison->notes != NULL;
}

static void put_places(struct sq_buf *out, const struct plt_part *p)
{
    const struct {
        const char *anchor, *text;
        bool there;
    } places[] = {
        { "charts", "Charts", true },
        { "outlook", "When the backlog is gone", plt_part_has_outlook(p) },
        { "numbers", "Numbers", true },
        { "story", "What happened", true },
        { "job", "The life of one job", plt_part_has_job(p) },
        { "expect", "Expectations", has_expectations(p) },
        { "notes", "Notes and assumptions", has_notes(p) },
        { "again", "How to reproduce", true },
    };
    sq_buf_puts(out, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < SQ_COUNT(places); i++) {
        if (places[i].there) {
            sq_buf_printf(out, "<li><a href=\"#p%zu-%s\">%s</a></li>\n", p->number,
                          places[i].anchor, places[i].text);
        }
    }
    sq_buf_puts(out, "</ul></nav>\n");
}

enum sq_status plt_part_write(const struct plt_part *p, struct sq_buf *out)
{
    struct sq_buf title = { 0 };
    plt_part_title(&title, p);
    sq_buf_puts(out, "<article>\n<header>\n<h1 dir=\"auto\">");
    plt_html_take(out, &title);
    sq_buf_puts(out, "</h1>\n");
    plt_part_answer(out, p);
    put_places(out, p);
    sq_buf_puts(out, "</header>\n");
    enum sq_status status = plt_part_pictures(out, p);
    plt_part_outlook(out, p);
    plt_part_numbers(out, p);
    plt_part_story(out, p);
    plt_part_job(out, p);
    plt_part_expectations(out, p);
    plt_part_notes(out, p);
    plt_part_again(out, p);
    plt_part_metrics(out, p);
    plt_part_scenarios(out, p);
    sq_buf_puts(out, "</article>\n");
    return status == SQ_OK && out->failed ? SQ_NOMEM : status;
}
