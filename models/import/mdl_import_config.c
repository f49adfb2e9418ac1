/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_config.c - see mdl_import_config.h. */
#include "models/import/mdl_import_config.h"

#include "models/import/mdl_import_wants.h"
#include "models/import/mdl_source.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"

#include <string.h>

/* A document and what it is; NULL: some object of Kubernetes that no row knows. */
struct document {
    const struct sq_node *root;
    const struct mdl_source *source;
};

struct documents {
    struct document *items;
    size_t count;
};

/* ---- which documents ---- */

static enum sq_status note_unknown(struct mdl_importing *m, const struct sq_node *doc)
{
    struct sq_buf b = { 0 };
    for (size_t i = 0; i < mdl_source_count; i++) {
        sq_buf_printf(&b, "%s%s", i > 0 ? ", " : "known are ", mdl_sources[i]->name);
    }
    enum sq_status status = sq_diag_error(m->diag, doc->where, NULL, b.text,
                                          "this is no configuration that squall knows");
    m->failed |= b.failed;
    sq_buf_fini(&b);
    return status;
}

/* `kubectl get -o yaml` wraps several objects into one of kind List. */
static const struct sq_node *items_of(const struct sq_node *doc)
{
    const char *kind = doc->kind == SQ_NODE_MAP ? mdl_source_text(doc, "kind") : NULL;
    const struct sq_node *items = mdl_source_node(doc, "items");
    bool list =
        kind != NULL && strcmp(kind, "List") == 0 && items != NULL && items->kind == SQ_NODE_LIST;
    return list ? items : NULL;
}

static enum sq_status add(struct mdl_importing *m, struct documents *docs,
                          const struct sq_node *doc)
{
    const struct mdl_source *source = doc->kind == SQ_NODE_MAP ? mdl_source_of(doc) : NULL;
    bool object = doc->kind == SQ_NODE_MAP && mdl_source_text(doc, "apiVersion") != NULL &&
                  mdl_source_text(doc, "kind") != NULL;
    if (source == NULL && !object) {
        return note_unknown(m, doc);
    }
    bool folded = source != NULL && source->unfold != NULL;
    docs->items[docs->count++] = (struct document){ folded ? source->unfold(m, doc) : doc, source };
    return SQ_OK;
}

static enum sq_status gather(struct mdl_importing *m, const struct sq_node *list,
                             struct documents *docs)
{
    size_t most = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct sq_node *items = items_of(list->items[i]);
        most += items != NULL ? items->count : 1;
    }
    docs->items = sq_arena_alloc(m->arena, most + 1, sizeof(*docs->items));
    enum sq_status status = docs->items != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < list->count && status != SQ_NOMEM; i++) {
        const struct sq_node *items = items_of(list->items[i]);
        for (size_t k = 0; k < (items != NULL ? items->count : 1); k++) {
            enum sq_status s = add(m, docs, items != NULL ? items->items[k] : list->items[i]);
            status = s != SQ_OK ? s : status;
        }
    }
    return status;
}

/* ---- translation ---- */

static void enter(struct mdl_importing *m, const struct document *d)
{
    const char *name = sq_file_name(d->root->where.file);
    m->stem = mdl_source_name(m, mdl_source_format(m, "%.*s", (int)strcspn(name, "."), name));
    m->source = d->source;
    m->doc = d->root;
    m->scope = (struct mdl_scope){ 0 };
    m->called = (struct mdl_names){ 0 };
    m->depth = 0;
}

static void translate(struct mdl_importing *m, const struct document *d)
{
    enter(m, d);
    if (d->source == NULL) {
        mdl_source_lose(
            m, d->root,
            mdl_source_format(m, "kind %s is not read", mdl_source_text(d->root, "kind")));
        return;
    }
    if (d->source->begin != NULL) {
        d->source->begin(m, d->root);
    }
    mdl_source_walk(m, d->root);
    if (d->source->end != NULL) {
        d->source->end(m, d->root);
    }
}

static enum sq_status translate_all(struct mdl_importing *m, const struct documents *docs)
{
    bool known = false;
    for (size_t i = 0; i < docs->count; i++) {
        enter(m, &docs->items[i]);
        known |= m->source != NULL;
        if (m->source != NULL && m->source->scan != NULL) {
            m->source->scan(m, m->doc);
        }
    }
    if (!known) {
        return note_unknown(m, docs->items[0].root);
    }
    for (size_t i = 0; i < m->workloads.count; i++) {
        if (!mdl_names_have(&m->dependencies, m->workloads.items[i])) {
            mdl_names_add(m, &m->pools, m->workloads.items[i]);
        }
    }
    size_t named = m->pools.count;
    for (size_t i = 0; i < docs->count; i++) {
        enter(m, &docs->items[i]);
        if (m->source != NULL && m->source->about_pool && named != 1) {
            mdl_names_add(m, &m->pools, m->stem);
        }
    }
    for (size_t i = 0; i < docs->count; i++) {
        translate(m, &docs->items[i]);
    }
    mdl_import_wants(m);
    return m->diag->errors > 0 ? SQ_USER : SQ_OK;
}

/* ---- the page ---- */

static void put_place(struct sq_where where, struct sq_buf *out)
{
    sq_buf_puts(out, "#   ");
    mdl_draft_comment(out, sq_file_name(where.file));
    sq_buf_printf(out, ":%u: ", where.line);
}

static void put_losses(const struct mdl_importing *m, bool lost, const char *title,
                       struct sq_buf *out)
{
    size_t count = lost ? m->lost : m->idle;
    if (count == 0) {
        return;
    }
    sq_buf_printf(out, "#\n# %s (%zu key%s):\n", title, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < m->loss_count; i++) {
        const struct mdl_loss *l = &m->losses[i];
        if (l->lost != lost) {
            continue;
        }
        put_place(l->where, out);
        mdl_draft_comment(out, l->path[0] != '\0' ? l->path : "all of it");
        if (l->keys > 1) {
            sq_buf_printf(out, " (%zu keys)", l->keys);
        }
        sq_buf_puts(out, ": ");
        mdl_draft_comment(out, l->why);
        sq_buf_putc(out, '\n');
    }
}

static void put_page(const struct mdl_importing *m, const struct documents *docs,
                     struct sq_buf *out)
{
    sq_buf_puts(out, "# Made by `squall import config` of version " SQ_VERSION " from\n");
    for (size_t i = 0; i < docs->count; i++) {
        const struct document *d = &docs->items[i];
        put_place(d->root->where, out);
        mdl_draft_comment(out,
                          d->source != NULL ? d->source->name : mdl_source_text(d->root, "kind"));
        sq_buf_putc(out, '\n');
    }
    sq_buf_puts(out,
                "# Lines that start with `#+ ` are to be filled in: the files do not tell them, "
                "and the\n# values are examples. Without those three characters the file "
                "runs.\n\nsquall: 1\n");
    mdl_draft_print(&m->draft, out);
    sq_buf_printf(out,
                  "\n# Of %zu keys %zu are translated, %zu not, and %zu have no effect here.\n",
                  m->translated + m->lost + m->idle, m->translated, m->lost, m->idle);
    put_losses(m, true, "Not translated", out);
    put_losses(m, false, "Without effect on what is simulated", out);
}

static enum sq_status parse_all(struct mdl_importing *m, const struct mdl_import_file *files,
                                size_t count, struct sq_node *list)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status != SQ_NOMEM; i++) {
        enum sq_status s =
            sq_doc_parse_all(files[i].path, files[i].text, files[i].len, m->arena, m->diag, list);
        status = s != SQ_OK ? s : status;
    }
    return status;
}

enum sq_status mdl_import_config(const struct mdl_import_file *files, size_t count,
                                 struct sq_buf *out, struct sq_diag *diag)
{
    struct sq_arena arena = { 0 };
    struct mdl_importing m = { .arena = &arena, .diag = diag, .draft = { .arena = &arena } };
    struct documents docs = { 0 };
    struct sq_node *list = sq_node_new(&arena, SQ_NODE_LIST, (struct sq_where){ 0 });
    enum sq_status status = list != NULL ? parse_all(&m, files, count, list) : SQ_NOMEM;
    status = status == SQ_OK ? gather(&m, list, &docs) : status;
    status = status == SQ_OK ? translate_all(&m, &docs) : status;
    if (status == SQ_OK) {
        put_page(&m, &docs, out);
    }
    if (m.failed || m.draft.failed || out->failed || diag->failed) {
        status = SQ_NOMEM;
    }
    sq_arena_fini(&arena);
    return status;
}

enum sq_status mdl_import_config_page(const struct sq_args *args, struct sq_buf *out,
                                      struct sq_diag *diag)
{
    size_t count = args->word_count;
    struct mdl_import_file *files = sq_mem_alloc(count + 1, sizeof(*files));
    struct sq_buf *texts = sq_mem_alloc(count + 1, sizeof(*texts));
    enum sq_status status = files != NULL && texts != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < count && status != SQ_NOMEM; i++) {
        enum sq_status s = sq_file_read(args->words[i], SQ_MAX_SCENARIO_BYTES, &texts[i], diag);
        files[i] = (struct mdl_import_file){ args->words[i], texts[i].len > 0 ? texts[i].text : "",
                                             texts[i].len };
        status = s != SQ_OK ? s : status;
    }
    status = status == SQ_OK ? mdl_import_config(files, count, out, diag) : status;
    for (size_t i = 0; i < count && texts != NULL; i++) {
        sq_buf_fini(&texts[i]);
    }
    sq_mem_free(texts);
    sq_mem_free(files);
    return status;
}
