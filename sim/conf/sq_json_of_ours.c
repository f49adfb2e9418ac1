/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_json_of_ours.c - reads a JSON file and looks at its format. */
#include "sim/conf/sq_json_of_ours.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"

enum { FORMAT = 1 };

enum sq_status sq_json_of_ours(const char *path, struct sq_diag *diag, struct sq_json **out)
{
    struct sq_buf text = { 0 };
    struct sq_json *root = NULL;
    struct sq_where where = { .file = path };
    enum sq_status status = sq_file_read(path, SQ_MAX_CSV_BYTES, &text, diag);
    if (status == SQ_OK) {
        status = sq_json_parse(path, text.text != NULL ? text.text : "", text.len, diag, &root);
    }
    sq_buf_fini(&text);
    if (status != SQ_OK) {
        return status;
    }
    double format = sq_json_number(sq_json_get(sq_json_get(root, "squall"), "format"));
    if (format == FORMAT) {
        *out = root;
        return SQ_OK;
    }
    sq_json_free(root);
    if (format > FORMAT) {
        return sq_diag_error(diag, where, NULL, "use the squall that wrote it, or a newer one",
                             "this file is of a newer format");
    }
    return sq_diag_error(diag, where, NULL, NULL, "this is no result of squall");
}
