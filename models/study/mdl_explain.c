/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_explain.c - the effective scenario as text. */
#include "models/study/mdl_explain.h"

#include "models/advice/mdl_paths.h"
#include "models/study/mdl_args.h"
#include "models/study/mdl_expect.h"

enum sq_status mdl_explain(const struct mdl_ask *ask, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_scenario s = { 0 };
    struct mdl_expects x = { 0 };
    enum sq_status status = mdl_scenario_load(&s, ask, diag);
    if (status == SQ_OK) {
        status = mdl_expects_open(&x, &s, ask, diag);
    }
    if (status == SQ_OK) {
        sq_buf_printf(out, "# %s, variant %s\n", s.file, s.variant);
        sq_buf_puts(out, "# other variants:");
        for (size_t i = 0; i < s.variant_count; i++) {
            sq_buf_printf(out, "%s %s", i == 0 ? "" : ",", s.variants[i]);
        }
        sq_buf_printf(out, "%s\n", s.variant_count == 0 ? " none" : "");
        status = mdl_paths_write(&s, out);
        sq_buf_puts(out, s.echo);
    }
    mdl_expects_fini(&x);
    mdl_scenario_fini(&s);
    return status;
}

enum sq_status mdl_explain_page(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag)
{
    struct mdl_args a;
    enum sq_status status = mdl_args_read(&a, args, diag);
    return status == SQ_OK ? mdl_explain(&a.ask, out, diag) : status;
}
