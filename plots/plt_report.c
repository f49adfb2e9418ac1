/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report.c - folders read, and their parts on one page. */
#include "plots/plt_report.h"

#include "plots/plt_html.h"
#include "plots/plt_canvas.h"
#include "plots/plt_report_part.h"

/* A folder, read. */
struct folder {
    struct plt_stuff stuff;
    struct plt_part part;
};

static enum sq_status read_folder(struct folder *f, const char *path, struct sq_diag *diag)
{
    enum sq_status status = plt_stuff_read(&f->stuff, &path, 1, NULL, diag);
    if (status == SQ_OK && f->stuff.count == 0) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                             "for a chart of it: squall plot",
                             "a report is made of runs and comparisons, and this is neither");
    }
    return status;
}

static enum sq_status write_page(struct folder *list, size_t count, struct sq_buf *out)
{
    struct sq_buf title = { 0 };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        plt_part_make(&list[i].part, i + 1, &list[i].stuff);
        if (i == 0) {
            plt_part_title(&title, &list[i].part);
            plt_html_open(out, title.failed ? NULL : title.text);
        }
        status = plt_part_write(&list[i].part, out);
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
        if (worst == SQ_IO) {
            (void)sq_diag_error(diag, (struct sq_where){ 0 }, NULL, PLT_CANVAS_HINT,
                                "the charts cannot be drawn: %s", PLT_CANVAS_LACKS);
        }
    }
    for (size_t i = 0; list != NULL && i < count; i++) {
        plt_stuff_fini(&list[i].stuff);
    }
    sq_mem_free(list);
    return worst;
}
