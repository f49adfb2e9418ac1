/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_node.c - trees of nodes: building, copying, and printing them as YAML. */
#include "sim/conf/sq_doc.h"

#include <string.h>

enum {
    LINE_WIDTH = 96, /* a flow map or list that ends beyond this column is written in block style */
    INDENT = 2,
    FLOW_HEIGHT = 2, /* levels of maps and lists in one flow map */
    SECTION_DEPTH = 1
};

struct sq_node *sq_node_new(struct sq_arena *arena, enum sq_node_kind kind, struct sq_where where)
{
    struct sq_node *node = sq_arena_alloc(arena, 1, sizeof(*node));
    if (node != NULL) {
        node->kind = kind;
        node->where = where;
    }
    return node;
}

struct sq_node *sq_node_scalar(struct sq_arena *arena, struct sq_where where, const char *text)
{
    struct sq_node *node = sq_node_new(arena, SQ_NODE_SCALAR, where);
    if (node != NULL) {
        node->text = text;
    }
    return node;
}

bool sq_node_is_null(const struct sq_node *n)
{
    return n->kind == SQ_NODE_SCALAR && !n->quoted &&
           (n->text[0] == '\0' || strcmp(n->text, "null") == 0 || strcmp(n->text, "~") == 0);
}

static ptrdiff_t find_key(const struct sq_node *map, const char *key)
{
    for (size_t i = 0; map->kind == SQ_NODE_MAP && i < map->count; i++) {
        if (strcmp(map->keys[i], key) == 0) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

struct sq_node *sq_node_get(const struct sq_node *map, const char *key)
{
    ptrdiff_t i = find_key(map, key);
    return i < 0 ? NULL : map->items[i];
}

/* Makes room for `size` children. */
static enum sq_status set_size(struct sq_arena *arena, struct sq_node *n, size_t size)
{
    bool map = n->kind == SQ_NODE_MAP;
    struct sq_node **items = sq_arena_alloc(arena, size, sizeof(struct sq_node *));
    const char **keys = map ? sq_arena_alloc(arena, size, sizeof(char *)) : NULL;
    struct sq_where *where = map ? sq_arena_alloc(arena, size, sizeof(*where)) : NULL;
    if (items == NULL || (map && (keys == NULL || where == NULL))) {
        return SQ_NOMEM;
    }
    if (n->count > 0) {
        memcpy(items, n->items, n->count * sizeof(struct sq_node *));
    }
    if (map && n->count > 0) {
        memcpy(keys, n->keys, n->count * sizeof(char *));
        memcpy(where, n->key_where, n->count * sizeof(*where));
    }
    n->items = items;
    n->keys = keys;
    n->key_where = where;
    n->size = size;
    return SQ_OK;
}

static enum sq_status make_room(struct sq_arena *arena, struct sq_node *n)
{
    return n->count < n->size ? SQ_OK : set_size(arena, n, n->size == 0 ? 4 : 2 * n->size);
}

enum sq_status sq_node_push(struct sq_arena *arena, struct sq_node *list, struct sq_node *item)
{
    SQ_ASSERT(list->kind == SQ_NODE_LIST);
    if (make_room(arena, list) != SQ_OK) {
        return SQ_NOMEM;
    }
    list->items[list->count++] = item;
    return SQ_OK;
}

enum sq_status sq_node_add(struct sq_arena *arena, struct sq_node *map, const char *key,
                           struct sq_where key_where, struct sq_node *value)
{
    SQ_ASSERT(map->kind == SQ_NODE_MAP);
    if (make_room(arena, map) != SQ_OK) {
        return SQ_NOMEM;
    }
    map->items[map->count] = value;
    map->keys[map->count] = key;
    map->key_where[map->count] = key_where;
    map->count++;
    return SQ_OK;
}

enum sq_status sq_node_put(struct sq_arena *arena, struct sq_node *map, const char *key,
                           struct sq_where key_where, struct sq_node *value)
{
    SQ_ASSERT(map->kind == SQ_NODE_MAP);
    ptrdiff_t i = find_key(map, key);
    if (i < 0) {
        return sq_node_add(arena, map, key, key_where, value);
    }
    map->items[i] = value;
    map->key_where[i] = key_where;
    return SQ_OK;
}

void sq_node_drop(struct sq_node *map, const char *key)
{
    ptrdiff_t at = find_key(map, key);
    if (at < 0) {
        return;
    }
    size_t i = (size_t)at, rest = map->count - i - 1;
    memmove(&map->items[i], &map->items[i + 1], rest * sizeof(struct sq_node *));
    memmove(&map->keys[i], &map->keys[i + 1], rest * sizeof(char *));
    memmove(&map->key_where[i], &map->key_where[i + 1], rest * sizeof(struct sq_where));
    map->count--;
}

struct sq_node *sq_node_copy(struct sq_arena *arena, const struct sq_node *n)
{
    struct sq_node *copy = sq_node_new(arena, n->kind, n->where);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *n;
    copy->items = NULL;
    copy->count = 0;
    if (n->count > 0 && set_size(arena, copy, n->count) != SQ_OK) {
        return NULL;
    }
    copy->count = n->count;
    for (size_t i = 0; i < n->count; i++) {
        copy->items[i] = sq_node_copy(arena, n->items[i]);
        if (copy->items[i] == NULL) {
            return NULL;
        }
    }
    if (n->count > 0 && copy->keys != NULL) {
        memcpy(copy->keys, n->keys, n->count * sizeof(char *));
        memcpy(copy->key_where, n->key_where, n->count * sizeof(struct sq_where));
    }
    if (n->count == 0) {
        copy->size = 0;
    }
    return copy;
}

/* What is escaped in double quotes: what means something there, what YAML takes for the end of a
 * line, and characters that may not stand in a YAML file as they are. */
static const struct escape {
    const char *bytes, *written;
} escapes[] = {
    { "\"", "\\\"" },
    { "\\", "\\\\" },
    { "\n", "\\n" },
    { "\t", "\\t" },
    { "\xE2\x80\xA8", "\\L" },
    { "\xE2\x80\xA9", "\\P" },
    { "\xEF\xBB\xBF", "\\uFEFF" },
    { "\xEF\xBF\xBE", "\\uFFFE" },
    { "\xEF\xBF\xBF", "\\uFFFF" },
};

static const struct escape *find_escape(const char *s)
{
    for (size_t i = 0; i < SQ_COUNT(escapes); i++) {
        if (strncmp(s, escapes[i].bytes, strlen(escapes[i].bytes)) == 0) {
            return &escapes[i];
        }
    }
    return NULL;
}

/* Bytes of the control character at s, or 0 when there is none. */
static size_t control_len(const char *s)
{
    unsigned char c = (unsigned char)s[0], next = c != 0 ? (unsigned char)s[1] : 0;
    if (c == 0xC2 && next < 0xA0) {
        return 2; /* U+0080 to U+009F */
    }
    return c < 0x20 || c == 0x7F ? 1 : 0;
}

/* Whether YAML reads the bare text back as this one scalar. Stricter than YAML where that is
 * simpler. */
static bool is_plain(const char *s, bool in_flow)
{
    size_t len = strlen(s);
    if (len == 0 || s[len - 1] == ' ' || s[len - 1] == ':' ||
        strchr(" ?:,[]{}#&*!|>'\"%@`", s[0]) != NULL || strncmp(s, "---", 3) == 0 ||
        strncmp(s, "...", 3) == 0 || (s[0] == '-' && (s[1] == ' ' || s[1] == '\0'))) {
        return false;
    }
    for (const char *p = s; *p != '\0'; p++) {
        const struct escape *e = find_escape(p);
        bool unreadable = control_len(p) > 0 || (e != NULL && *p != '"' && *p != '\\');
        if (unreadable || strncmp(p, ": ", 2) == 0 || strncmp(p, " #", 2) == 0 ||
            (in_flow && strchr(",[]{}?", *p) != NULL)) {
            return false;
        }
    }
    return true;
}

/* In double quotes, on one line. */
static void put_quoted(struct sq_buf *out, const char *s)
{
    static const char hex[] = "0123456789ABCDEF";
    sq_buf_putc(out, '"');
    while (*s != '\0') {
        const struct escape *e = find_escape(s);
        size_t control = control_len(s);
        if (e != NULL) {
            sq_buf_puts(out, e->written);
            s += strlen(e->bytes);
        } else if (control > 0) {
            unsigned char c = (unsigned char)s[control - 1];
            sq_buf_puts(out, "\\x");
            sq_buf_putc(out, hex[c >> 4]);
            sq_buf_putc(out, hex[c & 15]);
            s += control;
        } else {
            sq_buf_putc(out, *s++);
        }
    }
    sq_buf_putc(out, '"');
}

static void put_text(struct sq_buf *out, const char *text, bool quoted, bool in_flow)
{
    if (!quoted && is_plain(text, in_flow)) {
        sq_buf_puts(out, text);
    } else {
        put_quoted(out, text);
    }
}

static void put_key(struct sq_buf *out, const char *key, bool in_flow)
{
    put_text(out, key, strcmp(key, "<<") == 0, in_flow);
    sq_buf_putc(out, ':');
}

static bool is_empty(const struct sq_node *n)
{
    return n->text[0] == '\0' && !n->quoted;
}

static void put_scalar(const struct sq_node *n, struct sq_buf *out, bool in_flow)
{
    put_text(out, is_empty(n) ? "null" : n->text, n->quoted, in_flow);
}

static void put_flow(const struct sq_node *n, struct sq_buf *out)
{
    if (n->kind == SQ_NODE_SCALAR) {
        put_scalar(n, out, true);
        return;
    }
    bool map = n->kind == SQ_NODE_MAP;
    sq_buf_putc(out, map ? '{' : '[');
    for (size_t i = 0; i < n->count; i++) {
        sq_buf_puts(out, i > 0 ? ", " : "");
        if (map) {
            put_key(out, n->keys[i], true);
            sq_buf_putc(out, ' ');
        }
        put_flow(n->items[i], out);
    }
    sq_buf_putc(out, map ? '}' : ']');
}

/* How wide the node is in flow style, as written: what is written, read again, is as wide. Escapes
 * are not counted; stops counting beyond `most`. */
static size_t flow_width(const struct sq_node *n, size_t most)
{
    if (n->kind == SQ_NODE_SCALAR) {
        bool plain = !n->quoted && is_plain(n->text, true);
        return is_empty(n) ? strlen("null") : strlen(n->text) + (plain ? 0 : 2);
    }
    size_t width = n->count > 0 ? 2 * n->count : 2; /* brackets, and ", " between */
    for (size_t i = 0; i < n->count && width <= most; i++) {
        width += n->kind == SQ_NODE_MAP ? strlen(n->keys[i]) + 2 : 0;
        width += flow_width(n->items[i], most);
    }
    return width;
}

/* Levels of maps and lists in the node, at most `most`. An empty one counts as a scalar. */
static unsigned height_up_to(const struct sq_node *n, unsigned most)
{
    unsigned height = 0;
    for (size_t i = 0; i < n->count && height < most; i++) {
        unsigned h = 1 + height_up_to(n->items[i], most - 1);
        height = h > height ? h : height;
    }
    return height;
}

/* `depth` counts maps and lists around the node, `column` is where it would start. */
static bool fits_flow(const struct sq_node *n, unsigned depth, size_t column)
{
    if (n->count == 0) {
        return true;
    }
    unsigned most = depth <= SECTION_DEPTH ? 1 : FLOW_HEIGHT;
    return depth > 0 && height_up_to(n, most + 1) <= most &&
           column + flow_width(n, LINE_WIDTH) <= LINE_WIDTH;
}

static void put_spaces(struct sq_buf *out, size_t count)
{
    while (count-- > 0) {
        sq_buf_putc(out, ' ');
    }
}

/* The lines of a map or list. The first line is not indented: it goes on a line that stands. */
static void put_block(const struct sq_node *n, struct sq_buf *out, unsigned depth, size_t indent)
{
    bool map = n->kind == SQ_NODE_MAP;
    for (size_t i = 0; i < n->count; i++) {
        const struct sq_node *child = n->items[i];
        put_spaces(out, i > 0 ? indent : 0);
        if (map) {
            put_key(out, n->keys[i], false);
        } else {
            sq_buf_putc(out, '-');
        }
        size_t column = indent + INDENT + (map ? strlen(n->keys[i]) : 0);
        if (child->kind == SQ_NODE_SCALAR) {
            sq_buf_putc(out, ' ');
            put_scalar(child, out, false);
            sq_buf_putc(out, '\n');
        } else if (fits_flow(child, depth + 1, column)) {
            sq_buf_putc(out, ' ');
            put_flow(child, out);
            sq_buf_putc(out, '\n');
        } else {
            sq_buf_putc(out, map ? '\n' : ' ');
            put_spaces(out, map ? indent + INDENT : 0);
            put_block(child, out, depth + 1, indent + INDENT);
        }
    }
}

void sq_node_print(const struct sq_node *n, struct sq_buf *out)
{
    if (n->kind == SQ_NODE_SCALAR || n->count == 0) {
        put_flow(n, out);
        sq_buf_putc(out, '\n');
    } else {
        put_block(n, out, 0, 0);
    }
}
