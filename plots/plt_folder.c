/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_folder.c - the numbers first, then the charts: those are there also where nothing can be
 * drawn, or memory is out. */
#include "plots/plt_folder.h"

#include "plots/plt_markdown.h"
#include "plots/plt_timeline.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_save_comparison.h"
#include "sim/conf/sq_save_limits.h"

static const char *const names[PLT_FOLDER_FILES] = {
    "timeline.svg", "timeline.png", "timeline.csv",  "histograms.csv",
    "runs.csv",     "summary.json", "scenario.yaml",
};

static const char more_memory[] = "raise --memory, or choose wider bins (`timeline`)";

/* A chart beside the other files. */
static enum sq_status write_chart(const struct sq_result *r, const char *path,
                                  enum plt_format format, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    struct sq_where where = { .file = path };
    enum sq_status status = plt_timeline(r, format, &b);
    if (status == SQ_OK) {
        status = sq_file_write(path, b.text, b.len, diag);
    } else if (status == SQ_IO) {
        (void)sq_diag_error(diag, where, NULL, PLT_CANVAS_HINT, "the chart cannot be drawn: %s",
                            PLT_CANVAS_LACKS);
    } else if (status == SQ_NOMEM) {
        (void)sq_diag_error(diag, where, NULL, more_memory,
                            "no memory is left to draw the chart; all numbers are written");
    }
    sq_buf_fini(&b);
    return status;
}

/* What replaces the files of an older run must not end with some of its charts beside them. */
static enum sq_status write_numbers(const struct sq_result *r, const char *folder,
                                    struct sq_diag *diag)
{
    enum sq_status status = sq_file_folder(folder, diag);
    if (status != SQ_OK) {
        return status;
    }
    sq_file_forget(folder, names[0]);
    sq_file_forget(folder, names[1]);
    status = sq_save_all(r, folder, diag);
    if (status == SQ_NOMEM) {
        (void)sq_diag_error(diag, (struct sq_where){ .file = folder }, NULL, more_memory,
                            "no memory is left to write the result");
    }
    return status;
}

enum sq_status plt_folder_write(struct sq_result *r, const char *folder,
                                const char *paths[PLT_FOLDER_FILES], struct sq_diag *diag)
{
    for (size_t i = 0; i < PLT_FOLDER_FILES; i++) {
        paths[i] = sq_arena_printf(&r->arena, "%s/%s", folder, names[i]);
        if (paths[i] == NULL) {
            return SQ_NOMEM;
        }
    }
    enum sq_status status = write_numbers(r, folder, diag);
    status = status == SQ_OK ? write_chart(r, paths[0], PLT_SVG, diag) : status;
    return status == SQ_OK ? write_chart(r, paths[1], PLT_PNG, diag) : status;
}

/* The tables of a comparison; what programs read is written last. */
static const struct {
    const char *name;
    enum sq_status (*make)(const struct sq_comparison *c, struct sq_buf *out);
} tables[] = {
    { "comparison.md", plt_markdown },
    { "comparison.csv", sq_save_comparison_csv },
    { "comparison.json", sq_save_comparison_json },
};

static enum sq_status write_tables(struct sq_comparison *c, const char *folder, const char **paths,
                                   struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < SQ_COUNT(tables) && status == SQ_OK; i++) {
        struct sq_buf b = { 0 };
        paths[i] = sq_arena_printf(&c->arena, "%s/%s", folder, tables[i].name);
        status = paths[i] != NULL ? tables[i].make(c, &b) : SQ_NOMEM;
        if (status == SQ_OK) {
            status = sq_file_write(paths[i], b.text, b.len, diag);
        }
        sq_buf_fini(&b);
    }
    return status;
}

/* The variants first: where comparison.json stands, they do. Where nothing can be drawn, numbers
 * are written all the same. */
enum sq_status plt_folder_compare(struct sq_comparison *c, struct sq_result *results,
                                  const char *folder, const char ***paths, size_t *count,
                                  struct sq_diag *diag)
{
    const char **all = sq_arena_alloc(&c->arena, SQ_COUNT(tables) + c->variant_count, sizeof(*all));
    if (all == NULL) {
        return SQ_NOMEM;
    }
    *paths = all;
    *count = SQ_COUNT(tables) + c->variant_count;
    enum sq_status worst = SQ_OK;
    sq_file_forget(folder, "comparison.json"); /* it is written last */
    for (size_t v = 0; v < c->variant_count; v++) {
        const char *inner[PLT_FOLDER_FILES];
        char *path = sq_arena_printf(&c->arena, "%s/%s", folder, c->variants[v].name);
        enum sq_status status =
            path != NULL ? plt_folder_write(&results[v], path, inner, diag) : SQ_NOMEM;
        if (status != SQ_OK && status != SQ_IO) {
            return status;
        }
        worst = status == SQ_OK ? worst : status;
        all[SQ_COUNT(tables) + v] = path;
    }
    for (size_t v = 0; v < c->variant_count; v++) {
        if (!sq_folder_holds(all[SQ_COUNT(tables) + v], SQ_FOLDER_RUN)) {
            return worst; /* the disk is full: a comparison without its variants is none */
        }
    }
    enum sq_status status = write_tables(c, folder, all, diag);
    return worst == SQ_OK ? status : worst;
}

/* One of the two files of a search for a limit. */
static enum sq_status write_limits(struct sq_limits *l, const char *path,
                                   enum sq_status (*make)(const struct sq_limits *l,
                                                          struct sq_buf *out),
                                   struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    enum sq_status status = path != NULL ? make(l, &b) : SQ_NOMEM;
    status = status == SQ_OK ? sq_file_write(path, b.text, b.len, diag) : status;
    sq_buf_fini(&b);
    return status;
}

enum sq_status plt_folder_limits(struct sq_limits *l, const char *folder, const char **path,
                                 struct sq_diag *diag)
{
    const char *head = sq_arena_printf(&l->arena, "%s/limits.json", folder);
    *path = sq_arena_printf(&l->arena, "%s/limits.csv", folder);
    enum sq_status status = sq_file_folder(folder, diag);
    sq_file_forget(folder, "limits.json"); /* it is written last */
    status = status == SQ_OK ? write_limits(l, *path, sq_save_limits_csv, diag) : status;
    return status == SQ_OK ? write_limits(l, head, sq_save_limits_json, diag) : status;
}
