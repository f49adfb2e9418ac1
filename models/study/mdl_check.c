/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check.c - reading, running and judging scenario files. */
#include "models/study/mdl_check.h"

#include "models/study/mdl_check_line.h"

#include <string.h>

/* ---- reading ---- */

/* Which expectations the filter takes. A file without any is taken by its path. */
static enum sq_status choose(struct mdl_check *c, struct mdl_check_file *f, const char *filter)
{
    f->runs_bare = f->expects.count == 0 && (filter == NULL || strstr(f->path, filter) != NULL);
    f->chosen = sq_arena_alloc(&c->arena, f->expects.count + 1, sizeof(*f->chosen));
    f->verdicts = sq_arena_alloc(&c->arena, f->expects.count + 1, sizeof(*f->verdicts));
    if (f->chosen == NULL || f->verdicts == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < f->expects.count; i++) {
        struct sq_buf line = { 0 };
        mdl_check_line(f, i, &line);
        bool failed = line.failed;
        f->chosen[i] = !failed && (filter == NULL || strstr(line.text, filter) != NULL);
        f->chosen_count += f->chosen[i];
        sq_buf_fini(&line);
        if (failed) {
            return SQ_NOMEM;
        }
    }
    return SQ_OK;
}

static enum sq_status read_file(struct mdl_check *c, struct mdl_check_file *f,
                                const struct mdl_check_ask *ask, struct sq_diag *diag)
{
    struct mdl_ask load = { .file = f->path, .runs = ask->runs };
    enum sq_status status = mdl_scenario_load(&f->scenario, &load, diag);
    if (status == SQ_OK) {
        status = mdl_expects_open(&f->expects, &f->scenario, &load, diag);
    }
    if (status == SQ_OK && ask->baseline.folder != NULL && ask->filter == NULL) {
        status = mdl_expects_need_all(&f->expects, &f->scenario, &load, diag);
    }
    return status == SQ_OK ? choose(c, f, ask->filter) : status;
}

static bool fits_any(const struct mdl_tolerance *t, const struct mdl_names *names)
{
    bool fits = false;
    for (size_t n = 0; n < names->count && !fits; n++) {
        fits = mdl_tolerance_fits(t, names->items[n]);
    }
    return fits;
}

/* Whether a variant of any file has a metric that a tolerance is about. */
static bool is_needed(const struct mdl_check *c, const struct mdl_tolerance *t)
{
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_expects *x = &c->files[i].expects;
        for (size_t v = 0; v < x->variant_count; v++) {
            if (fits_any(t, &x->variants[v].metrics)) {
                return true;
            }
        }
    }
    return false;
}

/* A tolerance that fits nothing is a slip. */
static enum sq_status check_tolerances(const struct mdl_check *c, const struct mdl_tolerances *t,
                                       struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < t->count; i++) {
        if (!is_needed(c, &t->items[i])) {
            status = sq_diag_error(
                diag, (struct sq_where){ 0 }, "--tolerance",
                "the metrics stand in the first line of runs.csv (squall run --out DIR)",
                "`%s`: no scenario of this check has such a metric", t->items[i].text);
        }
    }
    return status;
}

enum sq_status mdl_check_open(struct mdl_check *c, const struct mdl_check_ask *ask,
                              struct sq_diag *diag)
{
    *c = (struct mdl_check){ 0 };
    struct sq_paths paths = { 0 };
    struct sq_find_ask find = { .suffix = ".yaml", .skip = "presets", .arena = &c->arena };
    enum sq_status worst = SQ_OK;
    bool chosen = false;
    for (size_t i = 0; i < ask->path_count && (worst == SQ_OK || worst == SQ_USER); i++) {
        enum sq_status status = sq_find(&find, ask->paths[i], &paths, diag);
        worst = status != SQ_OK ? status : worst;
    }
    c->files = sq_arena_alloc(&c->arena, paths.count + 1, sizeof(*c->files));
    if (c->files == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < paths.count && (worst == SQ_OK || worst == SQ_USER); i++) {
        c->files[i].path = paths.items[i];
        c->file_count = i + 1;
        enum sq_status status = read_file(c, &c->files[i], ask, diag);
        worst = status != SQ_OK ? status : worst;
        chosen = chosen || c->files[i].chosen_count > 0 || c->files[i].runs_bare;
    }
    if (worst == SQ_OK) {
        worst = mdl_baseline_check(&ask->baseline, paths.items, paths.count, diag);
    }
    if (worst == SQ_OK) {
        worst = check_tolerances(c, &ask->baseline.tolerances, diag);
    }
    if (worst == SQ_OK && !chosen) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--filter",
                             "--list shows the lines it looks at", "`%s` is in no line",
                             ask->filter);
    }
    return worst;
}

void mdl_check_fini(struct mdl_check *c)
{
    for (size_t i = 0; i < c->file_count; i++) {
        mdl_expects_fini(&c->files[i].expects);
        mdl_scenario_fini(&c->files[i].scenario);
    }
    sq_arena_fini(&c->arena);
}
