/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_folder.c - charts first, then the other files. */
#include "plots/plt_folder.h"

#include "plots/plt_timeline.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_save.h"

/* A chart beside the other files. */
static enum sq_status write_chart(const struct sq_result *r, const char *path,
                                  enum plt_format format, struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    enum sq_status status = plt_timeline(r, format, &b);
    if (status == SQ_OK) {
        status = sq_file_write(path, b.text, b.len, diag);
    } else if (status == SQ_IO) {
        sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                      "install a font, for example the package fonts-dejavu-core",
                      "the chart cannot be drawn: there is no font");
    }
    sq_buf_fini(&b);
    return status;
}

enum sq_status plt_folder_write(struct sq_result *r, const char *folder,
                                const char *paths[PLT_FOLDER_FILES], struct sq_diag *diag)
{
    static const char *const names[PLT_FOLDER_FILES] = { "timeline.svg", "timeline.png",
                                                         "timeline.csv", "runs.csv",
                                                         "summary.json", "scenario.yaml" };
    for (size_t i = 0; i < PLT_FOLDER_FILES; i++) {
        paths[i] = sq_arena_printf(&r->arena, "%s/%s", folder, names[i]);
        if (paths[i] == NULL) {
            return SQ_NOMEM;
        }
    }
    enum sq_status status = sq_file_folder(folder, diag);
    if (status == SQ_OK) {
        status = write_chart(r, paths[0], PLT_SVG, diag);
    }
    if (status == SQ_OK) {
        status = write_chart(r, paths[1], PLT_PNG, diag);
    }
    return status == SQ_OK ? sq_save_all(r, folder, diag) : status;
}
