/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_grid.c - which cell of a sweep is which. */
#include "sim/core/sq_grid.h"

#include <string.h>

size_t sq_grid_size(const struct sq_grid *g, size_t most)
{
    size_t size = 1;
    for (size_t k = 0; k < g->key_count; k++) {
        SQ_ASSERT(g->keys[k].count > 0);
        if (size > most / g->keys[k].count) {
            return most + 1;
        }
        size *= g->keys[k].count;
    }
    return size;
}

const char *sq_grid_value(const struct sq_grid *g, size_t cell, size_t key)
{
    SQ_ASSERT(key < g->key_count);
    for (size_t k = g->key_count - 1; k > key; k--) {
        cell /= g->keys[k].count;
    }
    return g->keys[key].values[cell % g->keys[key].count];
}

bool sq_grid_has(const struct sq_grid *g, size_t cell)
{
    return cell % g->shards == g->shard - 1;
}

size_t sq_grid_own(const struct sq_grid *g, size_t *done)
{
    size_t own = 0;
    *done = 0;
    for (size_t i = 0; i < g->cell_count; i++) {
        own += sq_grid_has(g, i);
        *done += sq_grid_has(g, i) && g->cells[i].done;
    }
    return own;
}

const struct sq_grid_row *sq_grid_find(const struct sq_grid_cell *c, const char *metric)
{
    for (size_t i = 0; i < c->row_count; i++) {
        if (strcmp(c->rows[i].metric, metric) == 0) {
            return &c->rows[i];
        }
    }
    return NULL;
}

void sq_grid_put_cell(const struct sq_grid *g, size_t cell, struct sq_buf *out)
{
    sq_buf_printf(out, "cell %zu (", cell + 1);
    for (size_t k = 0; k < g->key_count; k++) {
        sq_buf_printf(out, "%s%s=%s", k > 0 ? ", " : "", g->keys[k].name,
                      sq_grid_value(g, cell, k));
    }
    sq_buf_putc(out, ')');
}
