/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_changes.c - two trees walked side by side. */
#include "sim/conf/sq_changes.h"

#include "sim/conf/sq_doc.h"

#include <string.h>

enum { VALUE_MOST = 160 }; /* bytes of a block or list in one line */

struct walk {
    struct sq_arena *arena;
    struct sq_buf *out;
    const char *skip;
    size_t count;
};

/* As flow YAML. */
static void put_flow(struct sq_buf *out, const struct sq_node *n)
{
    if (n->kind == SQ_NODE_SCALAR) {
        sq_buf_puts(out, n->text);
        return;
    }
    bool map = n->kind == SQ_NODE_MAP;
    sq_buf_putc(out, map ? '{' : '[');
    for (size_t i = 0; i < n->count && out->len <= VALUE_MOST; i++) {
        sq_buf_puts(out, i > 0 ? ", " : "");
        if (map) {
            sq_buf_printf(out, "%s: ", n->keys[i]);
        }
        put_flow(out, n->items[i]);
    }
    sq_buf_putc(out, map ? '}' : ']');
}

/* Not in the middle of a character. */
static void put_value(struct sq_buf *out, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    if (n == NULL) {
        sq_buf_puts(out, "absent");
        return;
    }
    put_flow(&b, n);
    size_t len = b.len;
    if (len > VALUE_MOST) {
        len = VALUE_MOST;
        while (len > 0 && ((unsigned char)b.text[len] & 0xc0) == 0x80) {
            len--;
        }
    }
    sq_buf_add(out, b.failed ? "" : b.text, b.failed ? 0 : len);
    sq_buf_puts(out, len < b.len ? " ..." : "");
    out->failed = out->failed || b.failed;
    sq_buf_fini(&b);
}

static void differ(struct walk *w, const char *path, const struct sq_node *was,
                   const struct sq_node *is)
{
    w->count++;
    sq_buf_printf(w->out, "%s: ", path);
    put_value(w->out, was);
    sq_buf_puts(w->out, " -> ");
    put_value(w->out, is);
    sq_buf_putc(w->out, '\n');
}

static void compare(struct walk *w, const char *path, const struct sq_node *was,
                    const struct sq_node *is);

static const char *below(struct walk *w, const char *path, const char *key)
{
    const char *text = sq_arena_printf(w->arena, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
    return text != NULL ? text : "";
}

static void compare_maps(struct walk *w, const char *path, const struct sq_node *was,
                         const struct sq_node *is)
{
    for (size_t i = 0; i < was->count; i++) {
        if (path[0] == '\0' && w->skip != NULL && strcmp(was->keys[i], w->skip) == 0) {
            continue;
        }
        compare(w, below(w, path, was->keys[i]), was->items[i], sq_node_get(is, was->keys[i]));
    }
    for (size_t i = 0; i < is->count; i++) {
        bool skip = path[0] == '\0' && w->skip != NULL && strcmp(is->keys[i], w->skip) == 0;
        if (!skip && sq_node_get(was, is->keys[i]) == NULL) {
            compare(w, below(w, path, is->keys[i]), NULL, is->items[i]);
        }
    }
}

static void compare_lists(struct walk *w, const char *path, const struct sq_node *was,
                          const struct sq_node *is)
{
    size_t count = was->count > is->count ? was->count : is->count;
    for (size_t i = 0; i < count; i++) {
        const char *at = sq_arena_printf(w->arena, "%zu", i);
        compare(w, below(w, path, at != NULL ? at : ""), i < was->count ? was->items[i] : NULL,
                i < is->count ? is->items[i] : NULL);
    }
}

static void compare(struct walk *w, const char *path, const struct sq_node *was,
                    const struct sq_node *is)
{
    if (was == NULL || is == NULL || was->kind != is->kind) {
        differ(w, path, was, is);
    } else if (was->kind == SQ_NODE_MAP) {
        compare_maps(w, path, was, is);
    } else if (was->kind == SQ_NODE_LIST) {
        compare_lists(w, path, was, is);
    } else if (strcmp(was->text, is->text) != 0) {
        differ(w, path, was, is);
    }
}

size_t sq_changes(const char *was, const char *is, const char *skip, struct sq_buf *out)
{
    struct sq_diag diag = { 0 };
    struct sq_arena arena = { 0 };
    struct sq_node *trees[2] = { NULL, NULL };
    const char *texts[2] = { was, is };
    bool fine = true;
    for (size_t i = 0; i < 2; i++) {
        fine = fine && texts[i] != NULL &&
               sq_doc_parse("scenario.yaml", texts[i], strlen(texts[i]), &arena, &diag,
                            &trees[i]) == SQ_OK;
    }
    struct walk w = { .arena = &arena, .out = out, .skip = skip };
    if (fine) {
        compare(&w, "", trees[0], trees[1]);
    }
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
    return w.count;
}
