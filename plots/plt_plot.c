/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_plot.c - the kinds of charts, one row each, and which one fits what was read. */
#include "plots/plt_plot.h"

#include <string.h>

#include "plots/plt_stuff.h"
#include "plots/plt_charts.h"
#include "plots/plt_layers.h"
#include "plots/plt_rows.h"
#include "plots/plt_timeline.h"
#include "sim/base/sq_file.h"
#include "plots/plt_variants.h"

static enum sq_status draw_timeline(const struct plt_stuff *s, struct plt_look look,
                                    struct sq_buf *out)
{
    return plt_chart_timeline(s->results[0], look, out);
}

static enum sq_status draw_drain(const struct plt_stuff *s, struct plt_look look,
                                 struct sq_buf *out)
{
    return plt_chart_drain(s->results[0], look, out);
}

static enum sq_status draw_ends(const struct plt_stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_ends(s->results, s->count, look, out);
}

static enum sq_status draw_delays(const struct plt_stuff *s, struct plt_look look,
                                  struct sq_buf *out)
{
    return plt_chart_delays(s->results, s->count, look, out);
}

static enum sq_status draw_attempts(const struct plt_stuff *s, struct plt_look look,
                                    struct sq_buf *out)
{
    return plt_chart_attempts(s->results, s->count, look, out);
}

static enum sq_status draw_herd(const struct plt_stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_herd(s->results, s->count, look, out);
}

static enum sq_status draw_load(const struct plt_stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_load(s->results[0], look, out);
}

static enum sq_status draw_layers(const struct plt_stuff *s, struct plt_look look,
                                  struct sq_buf *out)
{
    return plt_chart_layers(s->results[0], look, out);
}

static enum sq_status draw_heat(const struct plt_stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_heat(&s->grid, s->metric, look, out);
}

static enum sq_status draw_limits(const struct plt_stuff *s, struct plt_look look,
                                  struct sq_buf *out)
{
    return plt_chart_limits(&s->limits, look, out);
}

/* What the comparison of one folder says; of several folders only how many there are. */
static enum sq_status draw_variants(const struct plt_stuff *s, struct plt_look look,
                                    struct sq_buf *out)
{
    struct sq_buf headline = { 0 };
    if (s->loaded_count == 1 && s->count == s->loaded[0].result_count) {
        plt_put_headline(&headline, &s->loaded[0].comparison);
    } else {
        sq_buf_printf(&headline, "%zu results side by side", s->count);
    }
    enum sq_status status =
        headline.failed ? SQ_NOMEM
                        : plt_chart_variants(s->results, s->count, headline.text, look, out);
    sq_buf_fini(&headline);
    return status;
}

/* `of` has a bit for every enum plt_stuff_kind that the chart is made of. */
#define OF(kind) (1u << (kind))
#define OF_RUNS  (OF(PLT_OF_RUN) | OF(PLT_OF_COMPARISON))

/* What a chart is drawn from, beside figures. */
enum needs { NEEDS_NOTHING, NEEDS_TIMELINE = 1, NEEDS_COUNTS = 2, NEEDS_LAYERS = 4 };

static const struct kind {
    const char *name;
    unsigned of, needs;
    enum sq_status (*draw)(const struct plt_stuff *s, struct plt_look look, struct sq_buf *out);
} kinds[] = {
    { "timeline", OF_RUNS, NEEDS_TIMELINE, draw_timeline },
    { "variants", OF_RUNS, NEEDS_TIMELINE, draw_variants },
    { "drain", OF_RUNS, NEEDS_TIMELINE, draw_drain },
    { "ends", OF_RUNS, NEEDS_NOTHING, draw_ends },
    { "delays", OF_RUNS, NEEDS_COUNTS, draw_delays },
    { "attempts", OF_RUNS, NEEDS_COUNTS, draw_attempts },
    { "herd", OF_RUNS, NEEDS_TIMELINE | NEEDS_COUNTS, draw_herd },
    { "load", OF_RUNS, NEEDS_TIMELINE, draw_load },
    { "layers", OF_RUNS, NEEDS_LAYERS, draw_layers },
    { "heat", OF(PLT_OF_SWEEP), NEEDS_NOTHING, draw_heat },
    { "limits", OF(PLT_OF_LIMITS), NEEDS_NOTHING, draw_limits },
};

static const char *const usual[] = {
    [PLT_OF_RUN] = "timeline",
    [PLT_OF_COMPARISON] = "variants",
    [PLT_OF_SWEEP] = "heat",
    [PLT_OF_LIMITS] = "limits",
};

static const char *const of_words[] = {
    [PLT_OF_RUN] = "a run",
    [PLT_OF_COMPARISON] = "a comparison",
    [PLT_OF_SWEEP] = "a sweep",
    [PLT_OF_LIMITS] = "a search for a limit",
};

const char *plt_plot_kind(size_t i)
{
    return i < SQ_COUNT(kinds) ? kinds[i].name : NULL;
}

static const struct kind *find(const char *name)
{
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* The names of all kinds, or of those that can be made of something. */
static void put_kinds(struct sq_buf *b, unsigned of)
{
    size_t count = 0;
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        if ((kinds[i].of & of) != 0) {
            sq_buf_printf(b, "%s%s", count++ > 0 ? ", " : "", kinds[i].name);
        }
    }
}

static enum sq_status refuse(struct sq_diag *diag, unsigned of, const char *what, const char *word)
{
    struct sq_buf hint = { 0 };
    sq_buf_puts(&hint, "kinds are ");
    put_kinds(&hint, of);
    enum sq_status status = sq_diag_error(diag, (struct sq_where){ 0 }, "--kind",
                                          hint.failed ? NULL : hint.text, "%s %s", what, word);
    sq_buf_fini(&hint);
    return status;
}

/* Only the heat map is of one metric. */
static enum sq_status check_metric(const struct plt_stuff *s, const char *metric,
                                   struct sq_diag *diag)
{
    if (metric == NULL) {
        return SQ_OK;
    }
    for (size_t i = 0; i < s->grid.cell_count; i++) {
        if (sq_grid_find(&s->grid.cells[i], metric) != NULL) {
            return SQ_OK;
        }
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--metric", NULL,
                         s->kind == PLT_OF_SWEEP ? "no cell of the sweep has %s"
                                                 : "only a sweep is drawn by a metric, here %s",
                         metric);
}

static bool has_counts(const struct plt_stuff *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->results[i]->histogram_count > 0) {
            return true;
        }
    }
    return false;
}

/* What of its needs is not there; 0 when everything is. */
static unsigned missing(const struct kind *k, const struct plt_stuff *s)
{
    unsigned none = s->results[0]->series.bin_count == 0 ? NEEDS_TIMELINE : 0u;
    none |= has_counts(s) ? 0u : NEEDS_COUNTS;
    none |= s->results[0]->layer_count == 0 ? NEEDS_LAYERS : 0u;
    return k->needs & none;
}

static enum sq_status pick_kind(const struct plt_stuff *s, const char *name,
                                const struct kind **out, struct sq_diag *diag)
{
    const struct kind *k = find(name != NULL ? name : usual[s->kind]);
    if (k == NULL || (k->of & OF(s->kind)) == 0) {
        return refuse(diag, OF(s->kind), "this chart is not made of", of_words[s->kind]);
    }
    unsigned none = k->needs != NEEDS_NOTHING ? missing(k, s) : 0;
    if ((none & NEEDS_TIMELINE) != 0) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--kind", NULL,
                             "the timeline is empty: there is nothing to draw");
    }
    if ((none & NEEDS_COUNTS) != 0) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--kind",
                             "the fluid model makes none: leave out --fluid",
                             "histograms.csv holds no counts: there is nothing to draw");
    }
    if ((none & NEEDS_LAYERS) != 0) {
        return sq_diag_error(
            diag, (struct sq_where){ 0 }, "--kind",
            "give the workers or clients `calls`; if they have some, run it again: "
            "a squall of an older version left this folder",
            "summary.json says of nobody whom it calls: there is nothing to draw");
    }
    *out = k;
    return SQ_OK;
}

bool plt_plot_has(const char *kind, const struct plt_stuff *s)
{
    const struct kind *k = find(kind);
    return k != NULL && (k->of & OF(s->kind)) != 0 &&
           (k->needs == NEEDS_NOTHING || missing(k, s) == 0);
}

enum sq_status plt_plot_draw(const char *kind, const struct plt_stuff *s, struct plt_look look,
                             struct sq_buf *out)
{
    SQ_ASSERT(plt_plot_has(kind, s));
    return find(kind)->draw(s, look, out);
}

/* The format by the end of the file's name. */
static enum sq_status pick_format(const char *file, enum plt_format *out, struct sq_diag *diag)
{
    static const char *const ends[] = {
        [PLT_SVG] = ".svg", [PLT_PNG] = ".png", [PLT_PDF] = ".pdf"
    };
    size_t len = file != NULL ? strlen(file) : 0;
    *out = PLT_SVG;
    for (size_t i = 0; i < SQ_COUNT(ends) && file != NULL; i++) {
        if (len > 4 && strcmp(file + len - 4, ends[i]) == 0) {
            *out = (enum plt_format)i;
            return SQ_OK;
        }
    }
    return file == NULL ? SQ_OK
                        : sq_diag_error(diag, (struct sq_where){ 0 }, "--out",
                                        "name it F.svg, F.png or F.pdf",
                                        "%s: a chart is SVG, PNG or PDF", file);
}

static enum sq_status pick_look(const struct plt_plot_ask *ask, struct plt_look *look,
                                struct sq_diag *diag)
{
    look->theme = ask->theme != NULL ? plt_theme_find(ask->theme) : &plt_theme_light;
    enum sq_status status = pick_format(ask->file, &look->format, diag);
    status = status == SQ_OK ? sq_file_ready(ask->file, diag) : status;
    if (look->theme == NULL) {
        status = sq_diag_error(diag, (struct sq_where){ 0 }, "--theme", "themes are light and dark",
                               "there is no theme %s", ask->theme);
    }
    if (ask->kind != NULL && find(ask->kind) == NULL) {
        status = refuse(diag, ~0u, "there is no chart", ask->kind);
    }
    return status;
}

enum sq_status plt_plot(const struct plt_plot_ask *ask, struct sq_buf *out, struct sq_diag *diag)
{
    struct plt_look look;
    struct plt_stuff stuff = { 0 };
    const struct kind *kind = NULL;
    enum sq_status status = pick_look(ask, &look, diag);
    if (status == SQ_OK) {
        status = plt_stuff_read(&stuff, ask->folders, ask->count, ask->variant, diag);
    }
    status = status == SQ_OK ? check_metric(&stuff, ask->metric, diag) : status;
    status = status == SQ_OK ? pick_kind(&stuff, ask->kind, &kind, diag) : status;
    if (status == SQ_OK) {
        stuff.metric = ask->metric;
        status = kind->draw(&stuff, look, out);
    }
    if (status == SQ_IO && kind != NULL) { /* all is read: it cannot be drawn */
        (void)sq_diag_error(diag, (struct sq_where){ 0 }, NULL, PLT_CANVAS_HINT,
                            "the chart cannot be drawn: %s", PLT_CANVAS_LACKS);
    }
    plt_stuff_fini(&stuff);
    return status;
}
