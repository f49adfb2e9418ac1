/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_lint_files.c - lint of files with all their variants, and how findings are written. */
#include "models/study/mdl_lint_files.h"

#include "sim/base/sq_annotation.h"
#include "sim/base/sq_find.h"
#include "sim/base/sq_json.h"

#include <string.h>

static const char *const format_words[] = { "text", "json", "github" };
static const char *const severity_words[] = {
    [SQ_ERROR] = "error", [SQ_WARNING] = "warning", [SQ_NOTE] = "note"
};

/* A finding of a file, with the variants that have it. Texts live in the file's arena. */
struct found {
    struct mdl_finding f;
    struct sq_buf variants; /* "base, cap" */
    size_t variant_count;
};

struct file {
    const char *path;
    struct mdl_scenario base;
    struct mdl_scenario *variants; /* by index of base.variants */
    struct mdl_lint *lints;        /* base first */
    size_t lint_count;
    struct found *found;
    size_t found_count;
};

struct work {
    const struct mdl_lint_ask *ask;
    enum mdl_lint_format format;
    struct sq_arena arena;
    struct file *files;
    size_t file_count;
    size_t counts[3], accepted; /* counts by severity, without the accepted ones */
};

/* ---- one file ---- */

static enum sq_status look(struct file *f, const struct mdl_scenario *s)
{
    enum sq_status status = mdl_lint_open(&f->lints[f->lint_count], s);
    f->lint_count++;
    return status;
}

static enum sq_status look_at_variants(struct file *f, struct sq_diag *diag)
{
    enum sq_status status = look(f, &f->base);
    for (size_t i = 0; i < f->base.variant_count && status == SQ_OK; i++) {
        struct mdl_ask one = {
            .file = f->path, .variant = f->base.variants[i], .runs = -1, .like = &f->base
        };
        status = mdl_scenario_load(&f->variants[i], &one, diag);
        status = status == SQ_OK ? look(f, &f->variants[i]) : status;
    }
    return status;
}

static void note_unused(struct file *f)
{
    const struct sq_map *allow = &f->base.cfg.allow;
    for (size_t i = 0; i < allow->count; i++) {
        bool needed = false;
        for (size_t k = 0; k < f->lint_count; k++) {
            needed = needed || mdl_lint_needs(&f->lints[k], allow->names[i]);
        }
        if (!needed) {
            mdl_lint_unused(&f->lints[0], allow->names[i]);
        }
    }
}

static struct found *find_same(struct file *f, const struct mdl_finding *g)
{
    for (size_t i = 0; i < f->found_count; i++) {
        const struct mdl_finding *h = &f->found[i].f;
        if (h->rule == g->rule && strcmp(h->path, g->path) == 0 && strcmp(h->text, g->text) == 0) {
            return &f->found[i];
        }
    }
    return NULL;
}

/* In the order of places in the file, then of rules. */
static void insert(struct file *f, const struct mdl_finding *g)
{
    size_t at = f->found_count++;
    while (at > 0) {
        const struct sq_where *w = &f->found[at - 1].f.where;
        if (w->line < g->where.line || (w->line == g->where.line && w->col <= g->where.col)) {
            break;
        }
        f->found[at] = f->found[at - 1];
        at--;
    }
    f->found[at] = (struct found){ .f = *g };
}

static enum sq_status gather(struct work *w, struct file *f)
{
    size_t most = 0;
    for (size_t k = 0; k < f->lint_count; k++) {
        most += f->lints[k].count;
    }
    f->found = sq_arena_alloc(&w->arena, most + 1, sizeof(*f->found));
    if (f->found == NULL) {
        return SQ_NOMEM;
    }
    for (size_t k = 0; k < f->lint_count; k++) {
        for (size_t i = 0; i < f->lints[k].count; i++) {
            const struct mdl_finding *g = &f->lints[k].findings[i];
            if (find_same(f, g) == NULL) {
                insert(f, g);
            }
            struct found *same = find_same(f, g);
            sq_buf_printf(&same->variants, "%s%s", same->variant_count > 0 ? ", " : "",
                          k == 0 ? "base" : f->base.variants[k - 1]);
            same->variant_count++;
        }
    }
    return SQ_OK;
}

static enum sq_status read_file(struct work *w, struct file *f, struct sq_diag *diag)
{
    struct mdl_ask load = { .file = f->path, .runs = -1 };
    enum sq_status status = mdl_scenario_load(&f->base, &load, diag);
    if (status != SQ_OK) {
        return status;
    }
    size_t count = f->base.variant_count;
    f->variants = sq_arena_alloc(&w->arena, count + 1, sizeof(*f->variants));
    f->lints = sq_arena_alloc(&w->arena, count + 1, sizeof(*f->lints));
    if (f->variants == NULL || f->lints == NULL) {
        return SQ_NOMEM;
    }
    status = look_at_variants(f, diag);
    if (status == SQ_OK) {
        note_unused(f);
        status = gather(w, f);
    }
    return status;
}

static void file_fini(struct file *f)
{
    for (size_t i = 0; i < f->found_count; i++) {
        sq_buf_fini(&f->found[i].variants);
    }
    for (size_t i = 0; i < f->lint_count; i++) {
        mdl_lint_fini(&f->lints[i]);
    }
    for (size_t i = 0; f->variants != NULL && i < f->base.variant_count; i++) {
        mdl_scenario_fini(&f->variants[i]);
    }
    mdl_scenario_fini(&f->base);
}

/* ---- writing ---- */

/* The variants, where it is not simply all of them. */
static const char *only_in(const struct file *f, const struct found *g)
{
    return g->variant_count == f->lint_count || g->f.reason != NULL ? NULL : g->variants.text;
}

static void put_text(const struct file *f, const struct found *g, struct sq_buf *out)
{
    const struct mdl_finding *x = &g->f;
    sq_buf_printf(out, "%s", x->where.file != NULL ? x->where.file : f->path);
    if (x->where.line > 0) {
        sq_buf_printf(out, ":%u:%u", (unsigned)x->where.line, (unsigned)x->where.col);
    }
    sq_buf_printf(out, ": %s: %s: %s [%s]\n", severity_words[x->rule->severity], x->path, x->text,
                  x->rule->name);
    if (only_in(f, g) != NULL) {
        sq_buf_printf(out, "    in: %s\n", only_in(f, g));
    }
    sq_buf_printf(out, "    fix: %s\n", x->rule->fix);
}

static void put_github(const struct file *f, const struct found *g, struct sq_buf *out)
{
    const struct mdl_finding *x = &g->f;
    struct sq_where where = x->where;
    struct sq_buf text = { 0 };
    where.file = where.file != NULL ? where.file : f->path;
    sq_buf_printf(&text, "%s: %s\nfix: %s", x->path, x->text, x->rule->fix);
    sq_annotation_put(out, x->rule->severity, where, x->rule->name,
                      text.text != NULL ? text.text : "");
    sq_buf_fini(&text);
}

static void put_json(const struct file *f, const struct found *g, struct sq_json_writer *j)
{
    const struct mdl_finding *x = &g->f;
    sq_json_open_object(j, NULL);
    sq_json_put_text(j, "file", x->where.file != NULL ? x->where.file : f->path);
    sq_json_put_integer(j, "line", x->where.line);
    sq_json_put_integer(j, "col", x->where.col);
    sq_json_put_text(j, "rule", x->rule->name);
    sq_json_put_text(j, "severity", severity_words[x->rule->severity]);
    sq_json_put_text(j, "path", x->path);
    sq_json_put_text(j, "text", x->text);
    sq_json_put_text(j, "fix", x->rule->fix);
    sq_json_put_text(j, "variants", g->variants.text);
    sq_json_put_text(j, "allowed", x->reason);
    sq_json_close(j);
}

static void put_count(struct sq_buf *out, size_t n, const char *word)
{
    sq_buf_printf(out, "%zu %s%s", n, word, n == 1 ? "" : "s");
}

static void put_sum(const struct work *w, struct sq_buf *out)
{
    put_count(out, w->file_count, "file");
    sq_buf_puts(out, ": ");
    put_count(out, w->counts[SQ_ERROR], "error");
    sq_buf_puts(out, ", ");
    put_count(out, w->counts[SQ_WARNING], "warning");
    sq_buf_puts(out, ", ");
    put_count(out, w->counts[SQ_NOTE], "note");
    sq_buf_printf(out, ", %zu accepted by the files\n", w->accepted);
}

static void count(struct work *w)
{
    for (size_t i = 0; i < w->file_count; i++) {
        for (size_t k = 0; k < w->files[i].found_count; k++) {
            const struct mdl_finding *x = &w->files[i].found[k].f;
            w->accepted += x->reason != NULL;
            w->counts[x->rule->severity] += x->reason == NULL;
        }
    }
}

static enum sq_status write_json(const struct work *w, struct sq_buf *out)
{
    struct sq_json_writer j = { 0 };
    sq_json_open_object(&j, NULL);
    sq_json_put_integer(&j, "format", 1);
    sq_json_open_array(&j, "findings");
    for (size_t i = 0; i < w->file_count; i++) {
        for (size_t k = 0; k < w->files[i].found_count; k++) {
            put_json(&w->files[i], &w->files[i].found[k], &j);
        }
    }
    sq_json_close(&j);
    sq_json_close(&j);
    enum sq_status status = sq_json_dump(&j, out);
    sq_json_writer_fini(&j);
    return status;
}

static enum sq_status write_all(const struct work *w, struct sq_buf *out)
{
    if (w->format == MDL_LINT_JSON) {
        return write_json(w, out);
    }
    for (size_t i = 0; i < w->file_count; i++) {
        for (size_t k = 0; k < w->files[i].found_count; k++) {
            const struct found *g = &w->files[i].found[k];
            if (g->f.reason == NULL && w->format == MDL_LINT_GITHUB) {
                put_github(&w->files[i], g, out);
            } else if (g->f.reason == NULL) {
                put_text(&w->files[i], g, out);
            }
        }
    }
    put_sum(w, out);
    return SQ_OK;
}

/* ---- all files ---- */

static enum sq_status read_format(struct work *w, struct sq_diag *diag)
{
    for (size_t i = 0; i < SQ_COUNT(format_words); i++) {
        if (w->ask->format == NULL || strcmp(w->ask->format, format_words[i]) == 0) {
            w->format = (enum mdl_lint_format)i;
            return SQ_OK;
        }
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--format", "text, json or github",
                         "there is no format `%s`", w->ask->format);
}

static enum sq_status read_files(struct work *w, struct sq_diag *diag)
{
    struct sq_paths paths = { 0 };
    struct sq_find_ask find = { .suffix = ".yaml", .skip = "presets", .arena = &w->arena };
    if (w->ask->path_count == 0) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, NULL, "squall lint PATH...",
                             "lint needs a scenario file or a folder of them");
    }
    enum sq_status worst = SQ_OK;
    for (size_t i = 0; i < w->ask->path_count && (worst == SQ_OK || worst == SQ_USER); i++) {
        enum sq_status status = sq_find(&find, w->ask->paths[i], &paths, diag);
        worst = status != SQ_OK ? status : worst;
    }
    w->files = sq_arena_alloc(&w->arena, paths.count + 1, sizeof(*w->files));
    if (w->files == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < paths.count && (worst == SQ_OK || worst == SQ_USER); i++) {
        w->files[i].path = paths.items[i];
        w->file_count = i + 1;
        enum sq_status status = read_file(w, &w->files[i], diag);
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}

enum sq_status mdl_lint_files(const struct mdl_lint_ask *ask, struct sq_buf *out,
                              struct sq_diag *diag)
{
    struct work w = { .ask = ask };
    enum sq_status status = read_format(&w, diag);
    status = status == SQ_OK ? read_files(&w, diag) : status;
    if (status == SQ_OK || (status == SQ_USER && w.file_count > 0)) {
        count(&w);
        enum sq_status written = write_all(&w, out);
        bool fails = w.counts[SQ_ERROR] > 0 || (ask->strict && w.counts[SQ_WARNING] > 0);
        status = written != SQ_OK ? written : status;
        status = status == SQ_OK && fails ? SQ_FAILED : status;
    }
    for (size_t i = 0; i < w.file_count; i++) {
        file_fini(&w.files[i]);
    }
    sq_arena_fini(&w.arena);
    return status;
}

void mdl_lint_rules(struct sq_buf *out)
{
    for (size_t i = 0; i < mdl_rule_count(); i++) {
        const struct mdl_rule *r = mdl_rule_at(i);
        sq_buf_printf(out, "%s%s (%s)\n    %s\n    %s\n    Fix: %s.\n", i > 0 ? "\n" : "", r->name,
                      severity_words[r->severity], r->title, r->why, r->fix);
    }
}
