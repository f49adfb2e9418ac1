/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario_graph.c - dependencies that call dependencies do not come back to themselves. */
#include "models/mdl_scenario.h"
#include "sim/base/sq_buf.h"

enum colour { WHITE, GREY, BLACK }; /* not seen; on the way from the start; seen with all below */

struct walk {
    const struct mdl_root_cfg *cfg;
    const struct sq_conf *conf;
    enum colour *colours; /* by dependency */
    size_t *way;          /* dependencies from the start to here */
    size_t depth;
};

static const struct sq_map *calls_of(const struct walk *w, size_t i)
{
    return &((const struct mdl_dependency_cfg *)sq_map_at(&w->cfg->dependencies, i))->calls;
}

/* The way from `to` to the end of it comes back to `to`. */
static void report(const struct walk *w, size_t to, struct sq_where where)
{
    const char **names = w->cfg->dependencies.names;
    size_t first = 0;
    while (w->way[first] != to) {
        first++;
    }
    struct sq_buf text = { 0 };
    for (size_t i = first; i < w->depth; i++) {
        sq_buf_printf(&text, "%s -> ", names[w->way[i]]);
    }
    sq_buf_puts(&text, names[to]);
    sq_diag_error(w->conf->diag, where,
                  sq_arena_printf(w->conf->arena, "dependencies.%s.calls.%s",
                                  names[w->way[w->depth - 1]], names[to]),
                  "take one of these calls away, or split a dependency in two",
                  "dependencies call each other in a circle: %s", text.text);
    sq_buf_fini(&text);
}

/* As deep as the longest way without a circle. */
static void visit(struct walk *w, size_t i)
{
    const struct sq_map *calls = calls_of(w, i);
    w->colours[i] = GREY;
    w->way[w->depth++] = i;
    for (size_t k = 0; k < calls->count; k++) {
        int to = sq_map_find(&w->cfg->dependencies, calls->names[k]);
        if (to >= 0 && w->colours[to] == GREY) {
            report(w, (size_t)to, calls->where[k]);
        } else if (to >= 0 && w->colours[to] == WHITE) {
            visit(w, (size_t)to);
        }
    }
    w->depth--;
    w->colours[i] = BLACK;
}

void mdl_scenario_check_graph(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    size_t count = cfg->dependencies.count;
    struct walk w = { .cfg = cfg,
                      .conf = conf,
                      .colours = sq_arena_alloc(conf->arena, count + 1, sizeof(*w.colours)),
                      .way = sq_arena_alloc(conf->arena, count + 1, sizeof(*w.way)) };
    for (size_t i = 0; w.colours != NULL && w.way != NULL && i < count; i++) {
        if (w.colours[i] == WHITE) {
            visit(&w, i);
        }
    }
}
