/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_draft.c - see mdl_draft.h. */
#include "models/import/mdl_draft.h"

#include <string.h>

enum { COMMENT_COLUMN = 46 };

/* The sections of a scenario in the order in which people read them. */
static const char *const order[] = { "squall", "title",   "duration",     "producers", "clients",
                                     "queues", "workers", "dependencies", "controls" };

static struct mdl_draft_key *child(const struct mdl_draft_key *k, const char *name, size_t len)
{
    for (struct mdl_draft_key *c = k->first; c != NULL; c = c->next) {
        if (strncmp(c->name, name, len) == 0 && c->name[len] == '\0') {
            return c;
        }
    }
    return NULL;
}

static struct mdl_draft_key *add(struct mdl_draft *d, struct mdl_draft_key *k, const char *name,
                                 size_t len)
{
    struct mdl_draft_key *c = sq_arena_alloc(d->arena, 1, sizeof(*c));
    const char *copy = c != NULL ? sq_arena_text(d->arena, name, len) : NULL;
    if (copy == NULL) {
        d->failed = true;
        return NULL;
    }
    c->name = copy;
    *(k->last != NULL ? &k->last->next : &k->first) = c;
    k->last = c;
    return c;
}

/* The key at the end of the path, made if need be; NULL when the path leads through a value. */
static struct mdl_draft_key *reach(struct mdl_draft *d, const char *path)
{
    struct mdl_draft_key *k = &d->root;
    while (k != NULL && k->value == NULL && *path != '\0') {
        size_t len = strcspn(path, ".");
        struct mdl_draft_key *c = child(k, path, len);
        k = c != NULL ? c : add(d, k, path, len);
        path += len + (path[len] == '.');
    }
    return *path == '\0' ? k : NULL;
}

bool mdl_draft_put(struct mdl_draft *d, const char *path, const char *value, const char *from)
{
    struct mdl_draft_key *k = reach(d, path);
    if (k == NULL) {
        return d->failed;
    }
    if (k->first != NULL || (k->value != NULL && !k->wanted)) {
        return k->value != NULL && strcmp(k->value, value) == 0;
    }
    k->value = value;
    k->from = from;
    k->wanted = false;
    return true;
}

void mdl_draft_want(struct mdl_draft *d, const char *path, const char *example, const char *why)
{
    struct mdl_draft_key *k = mdl_draft_find(d, path) == NULL ? reach(d, path) : NULL;
    if (k != NULL) {
        k->value = example;
        k->from = why;
        k->wanted = true;
    }
}

const struct mdl_draft_key *mdl_draft_find(const struct mdl_draft *d, const char *path)
{
    const struct mdl_draft_key *k = &d->root;
    while (k != NULL && *path != '\0') {
        size_t len = strcspn(path, ".");
        k = child(k, path, len);
        path += len + (path[len] == '.');
    }
    return k;
}

static bool is_wanted(const struct mdl_draft_key *k)
{
    if (k->value != NULL) {
        return k->wanted;
    }
    for (const struct mdl_draft_key *c = k->first; c != NULL; c = c->next) {
        if (!is_wanted(c)) {
            return false;
        }
    }
    return true;
}

/* Characters, not bytes. */
static size_t width(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return n;
}

void mdl_draft_comment(struct sq_buf *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        bool next_line = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F; /* U+0080 to U+009F */
        bool separator = c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9);
        bool control = *c < 0x20 || *c == 0x7F;
        sq_buf_putc(out, next_line || separator || control ? '?' : (char)*c);
        c += separator ? 2 : next_line;
    }
}

static void print_key(const struct mdl_draft_key *k, unsigned depth, struct sq_buf *out)
{
    size_t start = out->len;
    sq_buf_puts(out, is_wanted(k) ? "#+ " : "");
    for (unsigned i = 0; i < depth; i++) {
        sq_buf_puts(out, "  ");
    }
    sq_buf_printf(out, "%s:", k->name);
    if (k->value != NULL) {
        sq_buf_printf(out, " %s", k->value);
    }
    if (k->value != NULL && k->from != NULL && !out->failed) {
        size_t column = width(out->text + start, out->len - start);
        do {
            sq_buf_putc(out, ' ');
        } while (++column < COMMENT_COLUMN);
        sq_buf_puts(out, "# ");
        mdl_draft_comment(out, k->from);
    }
    sq_buf_putc(out, '\n');
    for (const struct mdl_draft_key *c = k->first; c != NULL; c = c->next) {
        print_key(c, depth + 1, out);
    }
}

void mdl_draft_print(const struct mdl_draft *d, struct sq_buf *out)
{
    for (size_t i = 0; i < SQ_COUNT(order); i++) {
        const struct mdl_draft_key *k = child(&d->root, order[i], strlen(order[i]));
        if (k != NULL) {
            print_key(k, 0, out);
        }
    }
}
