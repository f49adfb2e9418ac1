/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_stuff.c - reads what charts are made of. */
#include "plots/plt_stuff.h"

#include <string.h>

#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_grid_files.h"
#include "sim/conf/sq_histogram_file.h"
#include "sim/conf/sq_load_limits.h"
#include "sim/conf/sq_load_timeline.h"

static enum sq_status read_timelines(const char *folder, struct sq_loaded *l, struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    struct sq_buf path = { 0 };
    for (size_t v = 0; v < l->result_count && status == SQ_OK; v++) {
        path.len = 0;
        sq_buf_puts(&path, folder);
        if (l->result_count > 1) {
            sq_buf_printf(&path, "/%s", l->comparison.variants[v].name);
        }
        status = path.failed ? SQ_NOMEM : sq_load_timeline(path.text, &l->results[v], diag);
        status = status == SQ_OK ? sq_load_histograms(path.text, &l->results[v], diag) : status;
    }
    sq_buf_fini(&path);
    return status;
}

static enum sq_status read_results(struct plt_stuff *s, const char *folder, struct sq_diag *diag)
{
    struct sq_loaded *l = &s->loaded[s->loaded_count++];
    enum sq_status status = sq_load_folder(folder, l, diag);
    return status == SQ_OK ? read_timelines(folder, l, diag) : status;
}

static enum sq_status read_grid(struct plt_stuff *s, const char *folder, struct sq_diag *diag)
{
    s->kind = PLT_OF_SWEEP;
    enum sq_status status = sq_grid_read(folder, &s->grid, diag);
    for (size_t i = 0; i < s->grid.cell_count && status == SQ_OK; i++) {
        status = sq_grid_read_cell(&s->grid, folder, i, diag);
    }
    return status;
}

/* Lists what is wanted of the results that were read. */
static enum sq_status pick(struct plt_stuff *s, const char *variant, struct sq_diag *diag)
{
    size_t all = 0;
    for (size_t i = 0; i < s->loaded_count; i++) {
        all += s->loaded[i].result_count;
    }
    s->results = sq_arena_alloc(&s->arena, all + 1, sizeof *s->results);
    s->verdicts = sq_arena_alloc(&s->arena, all + 1, sizeof *s->verdicts);
    if (s->results == NULL || s->verdicts == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < s->loaded_count; i++) {
        const struct sq_loaded *l = &s->loaded[i];
        for (size_t v = 0; v < l->result_count; v++) {
            if (variant == NULL || strcmp(l->results[v].variant, variant) == 0) {
                s->verdicts[s->count] = l->comparison.variants[v].verdict;
                s->results[s->count++] = &l->results[v];
            }
        }
    }
    s->kind = s->count > 1 ? PLT_OF_COMPARISON : PLT_OF_RUN;
    if (s->count > 0) {
        return SQ_OK;
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--variant", NULL,
                         "there is no variant %s in it", variant);
}

enum sq_status plt_stuff_read(struct plt_stuff *s, const char *const *folders, size_t count,
                              const char *variant, struct sq_diag *diag)
{
    if (count == 1 && sq_folder_holds(folders[0], SQ_FOLDER_SWEEP)) {
        return read_grid(s, folders[0], diag);
    }
    if (count == 1 && sq_folder_holds(folders[0], SQ_FOLDER_LIMITS)) {
        s->kind = PLT_OF_LIMITS;
        return sq_load_limits(folders[0], &s->limits, diag);
    }
    s->loaded = sq_mem_alloc(count, sizeof *s->loaded);
    enum sq_status status = s->loaded != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        status = read_results(s, folders[i], diag);
    }
    return status == SQ_OK ? pick(s, variant, diag) : status;
}

void plt_stuff_fini(struct plt_stuff *s)
{
    for (size_t i = 0; i < s->loaded_count; i++) {
        sq_loaded_fini(&s->loaded[i]);
    }
    sq_mem_free(s->loaded);
    sq_arena_fini(&s->grid.arena);
    sq_arena_fini(&s->limits.arena);
    sq_arena_fini(&s->arena);
    *s = (struct plt_stuff){ 0 };
}
