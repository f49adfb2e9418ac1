/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_export.c - options of an export, and what is said of it. */
#include "models/study/mdl_export.h"

#include "sim/base/sq_file.h"
#include "sim/conf/sq_when.h"

enum sq_status mdl_export_read(const struct sq_args *args, struct sq_openmetrics_ask *ask,
                               struct sq_diag *diag)
{
    const char *start = sq_args_get(args, "start");
    struct sq_when when = { .ns = (__int128)MDL_EXPORT_START_S * SQ_NS_PER_S };
    struct sq_openmetrics_ask read = { .path = sq_args_get(args, "openmetrics") };
    struct sq_where where = { .file = "squall" };
    if (start != NULL && read.path == NULL) {
        return sq_diag_error(diag, where, NULL, NULL, "--start says nothing without --openmetrics");
    }
    const char *wrong = start != NULL ? sq_when_date(start, SQ_WHEN_YMD, &when) : NULL;
    if (wrong == NULL && when.ns < 0) {
        wrong = "is before 1970";
    }
    if (wrong != NULL) {
        return sq_diag_error(diag, where, NULL, "for example --start '2024-05-01 10:00:00'",
                             "--start: `%s` %s", start, wrong);
    }
    read.start_s = (int64_t)(when.ns / SQ_NS_PER_S);
    *ask = read;
    return sq_file_ready(read.path, diag);
}

enum sq_status mdl_export_write(const struct sq_result *r, const struct sq_openmetrics_ask *ask,
                                struct sq_diag *diag)
{
    if (ask->path == NULL) {
        return SQ_OK;
    }
    enum sq_status status = sq_save_openmetrics(r, ask, diag);
    if (status == SQ_OK) {
        struct sq_buf b = { 0 };
        sq_when_put(&b, (__int128)ask->start_s * SQ_NS_PER_S);
        sq_diag_note(diag, ask->path,
                     "written, time 0 is %s UTC; for Prometheus: promtool tsdb create-blocks-from "
                     "openmetrics %s DATA",
                     b.failed ? "" : b.text, ask->path);
        sq_buf_fini(&b);
    }
    return status;
}
