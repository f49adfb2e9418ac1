/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_layers.c - who calls whom, from the job on the left to the last dependency on the right: how
 * often each tries, and what comes of it when all that is below fails. A dependency that several
 * call stands once below each of them. */
#include "plots/plt_layers.h"

#include <math.h>
#include <string.h>

#include "plots/plt_runs.h"
#include "plots/plt_sheet.h"
#include "plots/plt_words.h"

enum { ROW = 76, BOX = 58, BOX_WIDTH = 250, GAP = 110, GAP_MAX = 260, PAD = 10 };

struct chart {
    const struct sq_result *r;
    struct plt_sheet sheet;
    struct plt_tree tree;
    double box, step; /* width of a box; from one column to the next */
    size_t worst;     /* the node with the largest product */
};

/* ---- the tree ---- */

/* The product of a node below `parent`. */
static double product_of(const struct plt_tree *t, size_t parent, const struct sq_layer *y)
{
    return t->nodes[parent].product * y->tries * ceil(y->times);
}

static size_t add_node(struct plt_tree *t, struct plt_tree_node node)
{
    if (t->count == PLT_TREE_MAX || node.depth == PLT_TREE_DEPTH) {
        t->left_out++;
        return PLT_TREE_MAX;
    }
    t->depth = node.depth + 1 > t->depth ? node.depth + 1 : t->depth;
    t->nodes[t->count] = node;
    return t->count++;
}

/* Nodes stand in the order in which they are drawn, a parent before its children; rows are counted
 * at those without children, the others stand in the middle of theirs. */
static void add_below(struct plt_tree *t, const struct sq_result *r, size_t at)
{
    const struct plt_tree_node own = t->nodes[at];
    size_t first = t->count;
    for (size_t i = 0; i < r->layer_count; i++) {
        const struct sq_layer *y = &r->layers[i];
        if (strcmp(y->caller, own.name) != 0) {
            continue;
        }
        size_t child = add_node(t, (struct plt_tree_node){ .name = y->dependency,
                                                           .parent = at,
                                                           .depth = own.depth + 1,
                                                           .layer = y,
                                                           .product = product_of(t, at, y) });
        if (child < PLT_TREE_MAX) {
            add_below(t, r, child);
        }
    }
    double upper = INFINITY, lower = -INFINITY;
    for (size_t i = first; i < t->count; i++) {
        if (t->nodes[i].parent == at) {
            upper = fmin(upper, t->nodes[i].row);
            lower = fmax(lower, t->nodes[i].row);
        }
    }
    t->nodes[at].row = t->count > first ? (upper + lower) / 2 : (double)t->rows++;
}

void plt_tree_make(struct plt_tree *t, const struct sq_result *r)
{
    *t = (struct plt_tree){ 0 };
    for (size_t i = 0; i < r->layer_count; i++) {
        const struct sq_layer *y = &r->layers[i];
        bool begun = strcmp(y->section, "dependencies") == 0;
        for (size_t k = 0; k < i && !begun; k++) {
            begun = strcmp(r->layers[k].caller, y->caller) == 0;
        }
        if (begun) {
            continue;
        }
        size_t root = add_node(
            t, (struct plt_tree_node){
                   .name = y->caller, .parent = PLT_TREE_MAX, .layer = y, .product = y->attempts });
        if (root < PLT_TREE_MAX) {
            add_below(t, r, root);
        }
    }
}

/* ---- words ---- */

static void put_times(struct sq_buf *b, double n, const char *what, const char *many)
{
    if (isinf(n)) {
        sq_buf_puts(b, "unlimited");
    } else {
        plt_put_count(b, n);
    }
    sq_buf_printf(b, " %s%s", what, n == 1 ? "" : many);
}

/* Calls per first call of a dependency, mean over the runs; NaN when there was none. */
static double measured(struct chart *c, const char *dependency)
{
    struct sq_buf name = { 0 };
    sq_buf_printf(&name, "dependency.%s.amplification", dependency);
    double mean =
        name.failed ? (double)NAN : plt_runs_spread(c->r, name.text, &c->sheet.failed).mean;
    sq_buf_fini(&name);
    return mean;
}

/* "3 x 3 x 4": the factors above 1 on the way to a node, from the job on; how many there are. */
static size_t put_factors(const struct plt_tree *t, size_t at, struct sq_buf *b)
{
    const struct plt_tree_node *n = &t->nodes[at];
    bool root = n->parent == PLT_TREE_MAX;
    size_t before = root ? 0 : put_factors(t, n->parent, b);
    double factor = root ? n->product : n->layer->tries * ceil(n->layer->times);
    if (factor == 1) {
        return before;
    }
    sq_buf_puts(b, before > 0 ? " × " : "");
    plt_put_count(b, factor);
    return before + 1;
}

static void put_title(struct chart *c, struct sq_buf *b)
{
    const struct plt_tree_node *worst = &c->tree.nodes[c->worst];
    struct sq_buf factors = { 0 };
    double calls = worst->layer != NULL ? measured(c, worst->name) : (double)NAN;
    sq_buf_printf(b, "%s: ", c->r->variant != NULL ? c->r->variant : "base");
    if (isinf(worst->product)) {
        sq_buf_printf(b, "one job can call %s without end", worst->name);
    } else if (worst->product <= 1) {
        sq_buf_puts(b, "nobody tries twice");
    } else {
        sq_buf_printf(b, "one job can call %s ", worst->name);
        plt_put_count(b, worst->product);
        sq_buf_puts(b, " times");
        if (put_factors(&c->tree, c->worst, &factors) > 1 && !factors.failed) {
            sq_buf_printf(b, ", %s", factors.text);
        }
    }
    if (isfinite(calls) && worst->product > 1) {
        sq_buf_puts(b, "; measured ");
        plt_put_ratio(b, calls);
        sq_buf_puts(b, " calls per first call");
    }
    sq_buf_fini(&factors);
}

static void set_texts(struct chart *c)
{
    struct sq_buf b = { 0 };
    put_title(c, &b);
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b,
                  "%s. What one job can cause while all that it calls is down; lines are as thick "
                  "as these calls are many. Budgets, breakers and deadlines may hold it lower: "
                  "measured are calls per first call, mean of the runs.",
                  c->r->title != NULL && c->r->title[0] != '\0' ? c->r->title
                                                                : "Untitled scenario");
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, &c->r, 1);
    if (c->tree.left_out > 0) {
        sq_buf_printf(&b, " · %zu more boxes not drawn", c->tree.left_out);
    }
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

/* ---- drawing ---- */

static struct plt_box box_of(const struct chart *c, const struct plt_tree_node *n)
{
    return (struct plt_box){ PLT_SHEET_MARGIN + (double)n->depth * c->step,
                             c->sheet.top + n->row * ROW + (ROW - BOX) / 2.0, c->box, BOX };
}

static double width_of(double product)
{
    return isinf(product) ? 14 : fmin(1.5 + 1.5 * log2(fmax(product, 1)), 14);
}

/* From the right edge of the parent to the left edge of the node; the words stand on the flat part
 * before it. */
static void draw_edge(struct chart *c, const struct plt_tree_node *n)
{
    const struct plt_theme *t = c->sheet.theme;
    struct plt_box from = box_of(c, &c->tree.nodes[n->parent]), to = box_of(c, n);
    double y = to.y + BOX / 2.0, bend = from.x + from.w + 14;
    const struct plt_point path[] = {
        { from.x + from.w, from.y + BOX / 2.0 },
        { bend, from.y + BOX / 2.0 },
        { bend, y },
        { to.x, y },
    };
    const struct plt_type type = { .size = 10.5, .align = PLT_RIGHT, .ink = t->text, .halo = true };
    double width = width_of(n->product);
    struct sq_buf b = { 0 };
    plt_canvas_path(c->sheet.canvas, path, SQ_COUNT(path),
                    (struct plt_pen){ n->product > 1 ? t->again : t->mark, width, PLT_SOLID });
    put_times(&b, n->layer->tries, n->layer->tries == 1 ? "try" : "tries", "");
    if (n->layer->times != 1) {
        sq_buf_puts(&b, " of ");
        put_times(&b, n->layer->times, "call", "s");
    }
    plt_sheet_text_within(&c->sheet, (struct plt_point){ to.x - 6, y - width / 2 - 16 },
                          to.x - bend - 8, plt_sheet_keep(&c->sheet, &b), &type);
}

static const char *below_name(struct chart *c, const struct plt_tree_node *n)
{
    struct sq_buf b = { 0 };
    if (n->parent == PLT_TREE_MAX) {
        put_times(&b, n->product, "attempt", "s");
        sq_buf_puts(&b, " at each job");
    } else {
        sq_buf_puts(&b, "up to ");
        put_times(&b, n->product, "call", "s");
        sq_buf_puts(&b, " by one job");
    }
    return plt_sheet_keep(&c->sheet, &b);
}

static const char *last_line(struct chart *c, const struct plt_tree_node *n)
{
    struct sq_buf b = { 0 };
    double calls = n->parent == PLT_TREE_MAX ? (double)NAN : measured(c, n->name);
    if (n->parent == PLT_TREE_MAX) {
        sq_buf_puts(&b, n->layer->section);
    } else if (isfinite(calls)) {
        sq_buf_puts(&b, "measured ");
        plt_put_ratio(&b, calls);
    } else {
        sq_buf_puts(&b, "never called");
    }
    return plt_sheet_keep(&c->sheet, &b);
}

static void draw_node(struct chart *c, size_t at)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_tree_node *n = &c->tree.nodes[at];
    struct plt_box box = box_of(c, n);
    bool worst = at == c->worst && n->product > 1;
    const struct plt_type name = { .size = 12, .bold = true, .ink = t->text };
    const struct plt_type calls = { .size = 11, .bold = worst, .ink = t->text };
    const struct plt_type rest = { .size = 10.5, .ink = worst ? t->text : t->faint };
    plt_canvas_box(c->sheet.canvas, box, worst ? t->band : t->good);
    plt_canvas_box(c->sheet.canvas, (struct plt_box){ box.x, box.y, 3, BOX },
                   n->product > 1 ? t->again : t->mark);
    double x = box.x + PAD + 2, room = box.w - 2 * PAD;
    plt_sheet_text_within(&c->sheet, (struct plt_point){ x, box.y + 5 }, room, n->name, &name);
    plt_sheet_text_within(&c->sheet, (struct plt_point){ x, box.y + 22 }, room, below_name(c, n),
                          &calls);
    plt_sheet_text_within(&c->sheet, (struct plt_point){ x, box.y + 38 }, room, last_line(c, n),
                          &rest);
}

static void set_places(struct chart *c)
{
    double columns = (double)c->tree.depth, room = PLT_SHEET_WIDTH - 2 * PLT_SHEET_MARGIN;
    c->box = fmin(BOX_WIDTH, (room - (columns - 1) * GAP) / columns);
    c->step = columns > 1 ? fmin((room - c->box) / (columns - 1), c->box + GAP_MAX) : 0;
    for (size_t i = 0; i < c->tree.count; i++) {
        c->worst = c->tree.nodes[i].product > c->tree.nodes[c->worst].product ? i : c->worst;
    }
    /* A job is not called: what its attempts call is. */
    if (c->tree.nodes[c->worst].parent == PLT_TREE_MAX && c->worst + 1 < c->tree.count) {
        c->worst++;
    }
}

enum sq_status plt_chart_layers(const struct sq_result *r, struct plt_look look, struct sq_buf *out)
{
    SQ_ASSERT(r->layer_count > 0);
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        c->r = r;
        plt_tree_make(&c->tree, r);
        set_places(c);
        set_texts(c);
        plt_sheet_begin(&c->sheet, (double)c->tree.rows * ROW);
        for (size_t i = 0; i < c->tree.count; i++) {
            if (c->tree.nodes[i].parent != PLT_TREE_MAX) {
                draw_edge(c, &c->tree.nodes[i]);
            }
        }
        for (size_t i = 0; i < c->tree.count; i++) {
            draw_node(c, i);
        }
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
