/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_layers.h - the tree of a scenario's layers of retries, and its chart. */
#ifndef PLT_LAYERS_H
#define PLT_LAYERS_H

#include "plots/plt_canvas.h"
#include "sim/core/sq_result.h"

enum { PLT_TREE_MAX = 32, PLT_TREE_DEPTH = 6 };

/* A caller, or a dependency below the one that calls it. `product`: the calls of it that one job
 * can cause on this way, of a caller its attempts; infinity without bound. */
struct plt_tree_node {
    const char *name;
    size_t parent, depth;         /* parent: PLT_TREE_MAX for a caller that nobody calls */
    const struct sq_layer *layer; /* by which it is called; of a caller its first */
    double product, row;          /* row: from above, a half where it stands between two */
};

/* A parent comes before its children. What found no place is counted in `left_out`, without what
 * is below it. */
struct plt_tree {
    size_t count, depth, rows, left_out; /* depth: columns */
    struct plt_tree_node nodes[PLT_TREE_MAX];
};

/* Everything points into `r`. */
void plt_tree_make(struct plt_tree *t, const struct sq_result *r);

/* Who calls whom, how often each tries, and what one job can cause; beside it what was measured.
 * As plt_charts.h. Needs a layer. */
enum sq_status plt_chart_layers(const struct sq_result *r, struct plt_look look,
                                struct sq_buf *out) SQ_MUST_USE;

#endif
