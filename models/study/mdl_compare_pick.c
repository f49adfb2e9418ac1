/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare_pick.c - which variants of which files are compared, and how they are called. */
#include "models/study/mdl_compare_in.h"

#include "sim/base/sq_file.h"

#include <string.h>

static enum sq_status refuse(const struct mdl_compare_ask *ask, struct sq_diag *diag,
                             const char *hint, const char *what, const char *name)
{
    struct sq_where where = { .file = ask->file_count > 1 ? NULL : ask->scenario.file };
    return sq_diag_error(diag, where, ask->variants != NULL ? "--variants" : NULL, hint, "%s%s%s",
                         what, name != NULL ? " " : "", name != NULL ? name : "");
}

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_variant(const struct mdl_scenario *s, const char *name)
{
    return strcmp(name, "base") == 0 || has_name(s->variants, s->variant_count, name);
}

/* ---- names ---- */

/* The file's name without folder and ending, made of letters that a folder may have. */
static char *stem_of(struct sq_arena *arena, const char *path)
{
    const char *name = sq_file_name(path), *dot = strrchr(name, '.');
    size_t len = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    char *stem = sq_arena_text(arena, name, len);
    for (char *c = stem; stem != NULL && *c != '\0'; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '_' || (*c == '.' && c > stem);
        *c = fine ? *c : '-';
    }
    return stem;
}

/* A name that no other has: "calm", "calm-cap", and "calm-2" for another file of that name. */
static const char *label_of(struct mdl_compare *c, size_t file, const char *name)
{
    if (c->file_count == 1) {
        return name;
    }
    const char *stem = stem_of(&c->arena, c->files[file].path);
    bool base = strcmp(name, "base") == 0;
    const char *label =
        stem != NULL && !base ? sq_arena_printf(&c->arena, "%s-%s", stem, name) : stem;
    const char *plain = label;
    for (size_t n = 2; label != NULL && has_name(c->labels, c->count, label); n++) {
        label = sq_arena_printf(&c->arena, "%s-%zu", plain, n);
    }
    return label;
}

static enum sq_status add(struct mdl_compare *c, size_t file, const char *name)
{
    const char *label = label_of(c, file, name);
    if (label == NULL) {
        return SQ_NOMEM;
    }
    c->names[c->count] = name;
    c->labels[c->count] = label;
    c->of[c->count++] = file;
    return SQ_OK;
}

/* ---- --variants ---- */

/* In every file that has it; in one at least. */
static enum sq_status add_name(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               const char *name, struct sq_diag *diag)
{
    const struct mdl_scenario *first = &c->files[0].base;
    if (has_name(c->names, c->count, name)) {
        return refuse(ask, diag, NULL, "a variant is named twice:", name);
    }
    size_t before = c->count;
    enum sq_status status = SQ_OK;
    for (size_t f = 0; f < c->file_count && status == SQ_OK; f++) {
        status = has_variant(&c->files[f].base, name) ? add(c, f, name) : SQ_OK;
    }
    if (status == SQ_OK && c->count == before) {
        const char *close = sq_diag_closest(name, first->variants, first->variant_count);
        char *hint = close != NULL ? sq_arena_printf(&c->arena, "did you mean `%s`?", close) : NULL;
        return refuse(ask, diag, hint, "there is no variant", name[0] != '\0' ? name : "``");
    }
    return status;
}

/* The names of a list, spaces around them dropped. */
static enum sq_status split_names(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                  struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (const char *at = ask->variants;; at++) {
        at += strspn(at, " ");
        size_t len = strcspn(at, ","), used = len;
        while (used > 0 && at[used - 1] == ' ') {
            used--;
        }
        const char *name = sq_arena_text(&c->arena, at, used);
        if (name == NULL) {
            return SQ_NOMEM;
        }
        enum sq_status status = add_name(c, ask, name, diag);
        worst = status != SQ_OK ? status : worst;
        at += len;
        if (*at == '\0') {
            return worst;
        }
    }
}

static enum sq_status add_usual(struct mdl_compare *c)
{
    const struct mdl_scenario *s = &c->files[0].base;
    enum sq_status status = SQ_OK;
    if (c->file_count > 1) {
        for (size_t f = 0; f < c->file_count && status == SQ_OK; f++) {
            status = add(c, f, "base");
        }
        return status;
    }
    if (s->variant_count == 1) {
        status = add(c, 0, "base");
    }
    for (size_t i = 0; i < s->variant_count && status == SQ_OK; i++) {
        status = add(c, 0, s->variants[i]);
    }
    return status;
}

enum sq_status mdl_compare_pick(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag)
{
    size_t most = 1;
    for (size_t f = 0; f < c->file_count; f++) {
        most += c->files[f].base.variant_count + 2;
    }
    c->names = sq_arena_alloc(&c->arena, most, sizeof(*c->names));
    c->labels = sq_arena_alloc(&c->arena, most, sizeof(*c->labels));
    c->of = sq_arena_alloc(&c->arena, most, sizeof(*c->of));
    if (c->names == NULL || c->labels == NULL || c->of == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = ask->variants != NULL ? split_names(c, ask, diag) : add_usual(c);
    if (status == SQ_OK && c->count < 2) {
        return ask->variants != NULL
                   ? refuse(ask, diag, "name another one too, separated by a comma",
                            "one variant is nothing to compare:", c->names[0])
                   : refuse(
                         ask, diag,
                         "add changes with names, for example variants: {longer: {duration: 2h}}",
                         "the file has no variants to compare", NULL);
    }
    return status;
}

enum sq_status mdl_compare_load(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag)
{
    c->scenarios = sq_arena_alloc(&c->arena, c->count, sizeof(*c->scenarios));
    c->results = sq_arena_alloc(&c->arena, c->count, sizeof(*c->results));
    if (c->scenarios == NULL || c->results == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < c->count; i++) {
        struct mdl_ask one = ask->scenario;
        one.file = c->files[c->of[i]].path;
        one.variant = c->names[i];
        one.like = &c->files[c->of[i]].base;
        enum sq_status status = mdl_scenario_load(&c->scenarios[i], &one, diag);
        if (status != SQ_OK) {
            return status;
        }
        if (c->scenarios[i].cfg.seed != c->scenarios[0].cfg.seed) {
            return refuse(ask, diag, "--seed gives all of them the same",
                          "variants have different seeds, so they would not meet the same luck:",
                          c->labels[i]);
        }
    }
    return SQ_OK;
}

/* ---- --metrics ---- */

enum sq_status mdl_compare_metrics(struct mdl_compare *c, const char *list, struct sq_diag *diag)
{
    c->metrics =
        sq_arena_alloc(&c->arena, list != NULL ? strlen(list) + 1 : 1, sizeof(*c->metrics));
    enum sq_status status = c->metrics != NULL ? SQ_OK : SQ_NOMEM;
    while (list != NULL && status == SQ_OK) {
        size_t len = strcspn(list, ",");
        const char *name = sq_arena_text(&c->arena, list, len), *close = NULL;
        bool knows = false;
        status = name != NULL ? SQ_OK : SQ_NOMEM;
        for (size_t i = 0; i < c->count && status == SQ_OK && !knows; i++) {
            status = mdl_cell_knows(&c->scenarios[i], name, &c->arena, &close, &knows);
        }
        if (status == SQ_OK && !knows) {
            return sq_diag_error(
                diag, (struct sq_where){ 0 }, "--metrics",
                close != NULL ? sq_arena_printf(&c->arena, "did you mean `%s`?", close) : NULL,
                "there is no metric `%s`", name);
        }
        c->metrics[c->metric_count++] = name;
        list = list[len] == ',' ? list + len + 1 : NULL;
    }
    return status;
}
