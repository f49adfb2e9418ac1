/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conf_lang_run.c - see conf_lang_run.h. */
#include "tests/conf/conf_lang_run.h"

#include <string.h>

/* The shipped presets: type, name, text. */
static const char *const presets[][3] = {
    { "retry", "house", "{max_attempts: 5, backoff: 2s}" },
    { "retry", "mild", "{preset: house, retry_on: [timeout, error], max_retries: 9}" },
    { "retry", "ring", "{preset: ring}" },
    { "budget", "pool", "{kind: tokens, max: 20}" },
    { "budget", "tenth", "10%" },
    { "workers", "celery", "{retry: house, slots: 8, acknowledge: before}" },
};

static const struct sq_node *find_preset(void *ctx, const char *type, const char *name)
{
    struct lang_result *r = ctx;
    for (size_t i = 0; i < SQ_COUNT(presets); i++) {
        if (strcmp(presets[i][0], type) == 0 && strcmp(presets[i][1], name) == 0) {
            struct sq_node *tree = NULL;
            const char *text = presets[i][2];
            enum sq_status st =
                sq_doc_parse("presets", text, strlen(text), &r->arena, &r->diag, &tree);
            return st == SQ_OK ? tree : NULL;
        }
    }
    return NULL;
}

static const char *const *preset_names(void *ctx, const char *type, size_t *count)
{
    static const char *const retries[] = { "house", "mild", "ring" };
    (void)ctx;
    *count = strcmp(type, "retry") == 0 ? SQ_COUNT(retries) : 0;
    return retries;
}

struct sq_conf lang_conf(struct lang_result *r)
{
    return (struct sq_conf){ .arena = &r->arena,
                             .diag = &r->diag,
                             .preset = find_preset,
                             .preset_ctx = r,
                             .preset_names = preset_names };
}

static void note(struct lang_result *r, enum sq_status st)
{
    r->status = st != SQ_OK && r->status != SQ_NOMEM ? st : r->status;
}

static void merge_over(const struct lang_run *run, struct lang_result *r, const struct sq_conf *c)
{
    struct sq_node *over = NULL;
    note(r, sq_doc_parse("over", run->over, strlen(run->over), &r->arena, &r->diag, &over));
    if (over != NULL) {
        note(r, sq_conf_expand(c, over, &lang_table, NULL));
        note(r, sq_conf_merge(c, r->tree, over, &lang_table, NULL));
    }
}

void lang_run(const struct lang_run *run, struct lang_result *out)
{
    *out = (struct lang_result){ 0 };
    struct sq_conf c = lang_conf(out);
    note(out, sq_doc_parse("f", run->base, strlen(run->base), &out->arena, &out->diag, &out->tree));
    if (out->tree == NULL) {
        return;
    }
    note(out, sq_conf_expand(&c, out->tree, &lang_table, NULL));
    if (run->last >= LANG_MERGE && run->over != NULL) {
        merge_over(run, out, &c);
    }
    if (run->last >= LANG_MERGE && run->set != NULL) {
        note(out, sq_conf_set(&c, out->tree, run->set, &lang_table));
    }
    if (run->last >= LANG_FILL) {
        note(out, sq_conf_fill(&c, out->tree, &lang_table, NULL));
    }
    if (run->last >= LANG_BIND) {
        note(out, sq_conf_bind(&c, out->tree, &lang_table, NULL, &out->root));
    }
}

void lang_fini(struct lang_result *r)
{
    sq_diag_fini(&r->diag);
    sq_arena_fini(&r->arena);
}

void lang_show(const struct lang_result *r, struct sq_buf *out)
{
    out->len = 0;
    if (r->diag.count > 0) {
        sq_diag_print(&r->diag, out);
    } else if (r->tree != NULL) {
        sq_node_print(r->tree, out);
    }
    sq_buf_puts(out, "");
}
