/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report.c - folders read, and their parts on one page. */
#include "plots/plt_report.h"

#include "plots/plt_html.h"
#include "plots/plt_report_part.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/conf/sq_load.h"

/* A folder, read. */
struct folder {
    struct sq_loaded loaded;
    struct sq_buf *pictures; /* by variant */
};

static void folder_fini(struct folder *f)
{
    for (size_t i = 0; f->pictures != NULL && i < f->loaded.result_count; i++) {
        sq_buf_fini(&f->pictures[i]);
    }
    sq_mem_free(f->pictures);
    sq_loaded_fini(&f->loaded);
}

/* The chart that the run left. Without one the report goes without. */
static enum sq_status read_picture(const char *folder, const char *variant, struct sq_buf *out,
                                   struct sq_diag *diag)
{
    struct sq_buf path = { 0 };
    struct sq_diag unheard = { 0 };
    sq_buf_printf(&path, "%s/%s%stimeline.svg", folder, variant != NULL ? variant : "",
                  variant != NULL ? "/" : "");
    enum sq_status status =
        path.failed ? SQ_NOMEM : sq_file_read(path.text, SQ_MAX_CSV_BYTES, out, &unheard);
    if (status == SQ_USER) {
        sq_diag_warn(diag, (struct sq_where){ .file = path.text }, NULL, NULL,
                     "there is no chart: the report goes without");
        status = SQ_OK;
    }
    sq_diag_fini(&unheard);
    sq_buf_fini(&path);
    return status;
}

static enum sq_status read_folder(struct folder *f, const char *path, struct sq_diag *diag)
{
    enum sq_status status = sq_load_folder(path, &f->loaded, diag);
    if (status != SQ_OK) {
        return status;
    }
    const struct sq_comparison *c = &f->loaded.comparison;
    f->pictures = sq_mem_alloc(c->variant_count, sizeof *f->pictures);
    status = f->pictures != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t v = 0; v < c->variant_count && status == SQ_OK; v++) {
        const char *inner = c->variant_count > 1 ? c->variants[v].name : NULL;
        status = read_picture(path, inner, &f->pictures[v], diag);
    }
    return status;
}

static enum sq_status write_page(const struct folder *list, size_t count, struct sq_buf *out)
{
    struct sq_buf title = { 0 };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        struct plt_report_part part = { &list[i].loaded.comparison, list[i].loaded.results,
                                        list[i].pictures };
        if (i == 0) {
            plt_report_title(&title, &part);
            plt_html_open(out, title.failed ? NULL : title.text);
        }
        status = plt_report_part(&part, out);
    }
    plt_html_close(out);
    bool failed = title.failed || out->failed;
    sq_buf_fini(&title);
    return status == SQ_OK && failed ? SQ_NOMEM : status;
}

enum sq_status plt_report(const char *const *folders, size_t count, struct sq_buf *out,
                          struct sq_diag *diag)
{
    SQ_ASSERT(count >= 1);
    struct folder *list = sq_mem_alloc(count, sizeof *list);
    enum sq_status worst = list != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; list != NULL && i < count; i++) { /* all, so that all mistakes are told */
        enum sq_status status = read_folder(&list[i], folders[i], diag);
        worst = worst == SQ_OK ? status : worst;
    }
    if (worst == SQ_OK) {
        worst = write_page(list, count, out);
    }
    for (size_t i = 0; list != NULL && i < count; i++) {
        folder_fini(&list[i]);
    }
    sq_mem_free(list);
    return worst;
}
