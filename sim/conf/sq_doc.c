/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_doc.c - YAML text to a tree of nodes, through libyaml's event parser. */
#include "sim/conf/sq_doc.h"

#include "sim/base/sq_limits.h"
#include "sim/conf/sq_doc_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { KEY_BYTES_MAX = 256 }; /* a YAML key on one line may have 1024 characters */

struct reader {
    const char *file;
    struct sq_arena *arena;
    struct sq_diag *diag;
    enum sq_status status; /* why reading stopped early */
    size_t nodes;
    bool foreign; /* not one of our files: other hints */
    struct sq_doc_bytes bytes;
    yaml_parser_t parser;
};

static struct sq_where place(const struct reader *r, yaml_mark_t mark)
{
    if (mark.index >= r->bytes.chars) {
        return r->bytes.end; /* libyaml goes on to a line that does not exist */
    }
    return (struct sq_where){ r->file, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1 };
}

/* What libyaml says and what we say instead. */
struct wording {
    const char *theirs, *ours, *hint;
    enum { BROKE, BEGAN, BOTH } shown; /* the place where it broke or where the thing began */
};

static const struct wording wordings[] = {
    { "found character that cannot start any token", "a value cannot start with this character",
      "put the text in quotes; indent with spaces, not tabs", BROKE },
    { "could not find expected ':'", "this line is neither a key with `:` nor part of a value",
      "write `key: value`, and check the indentation", BEGAN },
    { "mapping values are not allowed in this context", "a `:` cannot stand here",
      "check the indentation of this line, or put a text that contains `: ` in quotes", BROKE },
    { "mapping keys are not allowed in this context", "a key cannot stand here",
      "check the indentation", BROKE },
    { "block sequence entries are not allowed in this context", "a `-` cannot stand here",
      "start the list on a line of its own, or write it as [a, b]", BROKE },
    { "did not find expected key", "a key was expected here",
      "check the indentation and that brackets and quotes are closed", BROKE },
    { "did not find expected '-' indicator", "another `-` was expected here",
      "check the indentation of the list", BROKE },
    { "did not find expected ',' or ']'", "a `,` or `]` was expected here",
      "close the list with `]`, and put a text that contains , [ ] { } in quotes", BOTH },
    { "did not find expected ',' or '}'", "a `,` or `}` was expected here",
      "close the map with `}`, and put a text that contains , [ ] { } in quotes", BOTH },
    { "did not find expected node content", "a value was expected here", NULL, BROKE },
    { "did not find expected <document start>", "this does not belong to the file's map",
      "check the indentation", BROKE },
    { "found unexpected end of stream", "the quotes that start here are never closed", NULL,
      BEGAN },
    { "found unexpected document indicator", "the quotes that start here are never closed", NULL,
      BEGAN },
    { "found unknown escape character", "this escape is unknown in double quotes",
      "write \\\\ for a backslash, or use single quotes", BROKE },
    { "found a tab character where an indentation space is expected",
      "tabs cannot be used to indent", "use spaces", BROKE },
    { "found a tab character that violates indentation", "tabs cannot be used to indent",
      "use spaces", BROKE },
};

static enum sq_status note_syntax(const struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem != NULL ? p->problem : "not valid YAML";
    for (size_t i = 0; i < SQ_COUNT(wordings); i++) {
        const struct wording *w = &wordings[i];
        if (strcmp(problem, w->theirs) == 0) {
            struct sq_where broke = place(r, p->problem_mark);
            struct sq_where began = p->context != NULL ? place(r, p->context_mark) : broke;
            if (w->shown == BOTH && p->problem_mark.index >= r->bytes.chars) {
                return sq_diag_error(r->diag, began, NULL, NULL,
                                     "the bracket that opens here is never closed");
            }
            if (w->shown == BOTH) {
                return sq_diag_error(r->diag, broke, NULL, w->hint, "%s; it began at %u:%u",
                                     w->ours, began.line, began.col);
            }
            return sq_diag_error(r->diag, w->shown == BEGAN ? began : broke, NULL, w->hint, "%s",
                                 w->ours);
        }
    }
    return sq_diag_error(r->diag, place(r, p->problem_mark), NULL, NULL, "not valid YAML: %s",
                         problem);
}

static bool next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event)) {
        return true;
    }
    r->status = r->parser.error == YAML_MEMORY_ERROR ? SQ_NOMEM : note_syntax(r);
    return false;
}

static struct sq_node *new_node(struct reader *r, enum sq_node_kind kind, yaml_mark_t mark)
{
    if (++r->nodes > SQ_MAX_YAML_NODES) {
        r->status = sq_diag_error(r->diag, place(r, mark), NULL, NULL,
                                  "the file has more than %d values", SQ_MAX_YAML_NODES);
        return NULL;
    }
    struct sq_node *node = sq_node_new(r->arena, kind, place(r, mark));
    if (node == NULL) {
        r->status = SQ_NOMEM;
    }
    return node;
}

/* What to do about something that is written once and used twice. */
static const char *repeated(const struct reader *r)
{
    return r->foreign ? "write it out, for example with yq 'explode(.)'"
                      : "use `presets` for what is repeated";
}

static const char *part(const struct reader *r)
{
    return r->foreign ? "read here" : "part of the language";
}

/* Complains about an anchor or tag; reading goes on to find more. */
static void refuse_marks(struct reader *r, const void *anchor, const void *tag, yaml_mark_t mark)
{
    if (anchor != NULL) {
        (void)sq_diag_error(r->diag, place(r, mark), NULL, repeated(r), "anchors (&%s) are not %s",
                            (const char *)anchor, part(r));
    }
    if (tag != NULL) {
        (void)sq_diag_error(r->diag, place(r, mark), NULL, NULL, "tags (%s) are not %s",
                            (const char *)tag, part(r));
    }
}

/* The text of a scalar in the arena, or NULL with r->status set. */
static const char *scalar_text(struct reader *r, const yaml_event_t *e)
{
    const char *value = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;
    if (memchr(value, '\0', len) != NULL) {
        (void)sq_diag_error(r->diag, place(r, e->start_mark), NULL, NULL,
                            "a text cannot contain the character \\0");
        len = strlen(value);
    }
    const char *text = sq_arena_text(r->arena, value, len);
    if (text == NULL) {
        r->status = SQ_NOMEM;
    }
    return text;
}

/* Whether the text stands in the file as it is: nothing folded, nothing escaped. */
static bool is_verbatim(const yaml_event_t *e)
{
    size_t width = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 2;
    for (size_t i = 0; i < e->data.scalar.length; i++) {
        width += (e->data.scalar.value[i] & 0xC0) != 0x80; /* marks count characters */
    }
    return e->start_mark.line == e->end_mark.line && e->end_mark.column >= e->start_mark.column &&
           e->end_mark.column - e->start_mark.column == width;
}

static struct sq_node *read_scalar(struct reader *r, const yaml_event_t *e)
{
    refuse_marks(r, e->data.scalar.anchor, e->data.scalar.tag, e->start_mark);
    struct sq_node *node = new_node(r, SQ_NODE_SCALAR, e->start_mark);
    if (node == NULL) {
        return NULL;
    }
    node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->verbatim = is_verbatim(e);
    bool empty = !node->quoted && e->data.scalar.length == 0;
    node->text = empty ? "null" : scalar_text(r, e);
    return node->text != NULL ? node : NULL;
}

static struct sq_node *read_node(struct reader *r, const yaml_event_t *e, unsigned depth);

static struct sq_node *read_value(struct reader *r, unsigned depth)
{
    yaml_event_t e;
    if (!next_event(r, &e)) {
        return NULL;
    }
    struct sq_node *node = read_node(r, &e, depth);
    yaml_event_delete(&e);
    return node;
}

static struct sq_node *read_list(struct reader *r, const yaml_event_t *start, unsigned depth)
{
    refuse_marks(r, start->data.sequence_start.anchor, start->data.sequence_start.tag,
                 start->start_mark);
    struct sq_node *list = new_node(r, SQ_NODE_LIST, start->start_mark);
    while (list != NULL) {
        yaml_event_t e;
        if (!next_event(r, &e)) {
            return NULL;
        }
        bool end = e.type == YAML_SEQUENCE_END_EVENT;
        struct sq_node *item = end ? NULL : read_node(r, &e, depth + 1);
        yaml_event_delete(&e);
        if (end) {
            break;
        }
        if (item == NULL) {
            return NULL;
        }
        if (sq_node_push(r->arena, list, item) != SQ_OK) {
            r->status = SQ_NOMEM;
            return NULL;
        }
    }
    return list;
}

/* Whether a scalar event may be a key; complains if not. */
static bool check_key(struct reader *r, const yaml_event_t *e)
{
    struct sq_where where = place(r, e->start_mark);
    if (e->type != YAML_SCALAR_EVENT) {
        (void)sq_diag_error(r->diag, where, NULL,
                            r->foreign ? "if this is a template, render it first" : NULL,
                            "a key must be a word");
        return false;
    }
    refuse_marks(r, e->data.scalar.anchor, e->data.scalar.tag, e->start_mark);
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && strcmp((const char *)e->data.scalar.value, "<<") == 0) {
        (void)sq_diag_error(r->diag, where, NULL, repeated(r), "merge keys (<<) are not %s",
                            part(r));
        return false;
    }
    if (e->data.scalar.length == 0) {
        (void)sq_diag_error(r->diag, where, NULL, NULL, "a key is missing before the `:`");
        return false;
    }
    if (e->data.scalar.length > KEY_BYTES_MAX) {
        (void)sq_diag_error(r->diag, where, NULL, NULL, "this key is longer than %d bytes",
                            KEY_BYTES_MAX);
        return false;
    }
    return true;
}

static bool read_pair(struct reader *r, struct sq_node *map, const yaml_event_t *key,
                      unsigned depth)
{
    const char *text = NULL;
    if (check_key(r, key)) {
        text = scalar_text(r, key);
        if (text == NULL) {
            return false;
        }
    } else if (read_node(r, key, depth + 1) == NULL) {
        return false;
    }
    struct sq_node *value = read_value(r, depth + 1);
    if (value == NULL) {
        return false;
    }
    /* Not sq_node_put: duplicates are looked for once, at the end of the map. */
    if (text != NULL &&
        sq_node_add(r->arena, map, text, place(r, key->start_mark), value) != SQ_OK) {
        r->status = SQ_NOMEM;
        return false;
    }
    return true;
}

struct numbered_key {
    const char *key;
    size_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct numbered_key *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static bool check_duplicates(struct reader *r, const struct sq_node *map)
{
    struct numbered_key *sorted = sq_mem_alloc(map->count + 1, sizeof(*sorted));
    if (sorted == NULL) {
        r->status = SQ_NOMEM;
        return false;
    }
    for (size_t i = 0; i < map->count; i++) {
        sorted[i] = (struct numbered_key){ map->keys[i], i };
    }
    qsort(sorted, map->count, sizeof(*sorted), compare_keys);
    for (size_t i = 1; i < map->count; i++) {
        if (strcmp(sorted[i - 1].key, sorted[i].key) == 0) {
            (void)sq_diag_error(r->diag, map->key_where[sorted[i].index], NULL, NULL,
                                "the key `%s` stands already in line %u", sorted[i].key,
                                map->key_where[sorted[i - 1].index].line);
        }
    }
    sq_mem_free(sorted);
    return true;
}

static struct sq_node *read_map(struct reader *r, const yaml_event_t *start, unsigned depth)
{
    refuse_marks(r, start->data.mapping_start.anchor, start->data.mapping_start.tag,
                 start->start_mark);
    struct sq_node *map = new_node(r, SQ_NODE_MAP, start->start_mark);
    while (map != NULL) {
        yaml_event_t e;
        if (!next_event(r, &e)) {
            return NULL;
        }
        bool end = e.type == YAML_MAPPING_END_EVENT;
        bool ok = end || read_pair(r, map, &e, depth);
        yaml_event_delete(&e);
        if (end) {
            return check_duplicates(r, map) ? map : NULL;
        }
        if (!ok) {
            return NULL;
        }
    }
    return NULL;
}

static struct sq_node *read_alias(struct reader *r, const yaml_event_t *e)
{
    (void)sq_diag_error(r->diag, place(r, e->start_mark), NULL, repeated(r),
                        "aliases (*%s) are not %s", (const char *)e->data.alias.anchor, part(r));
    struct sq_node *node = new_node(r, SQ_NODE_SCALAR, e->start_mark);
    if (node != NULL) {
        node->text = "null";
        node->bad = true;
    }
    return node;
}

/* The node that starts with this event. NULL: reading has stopped, r->status says why. */
static struct sq_node *read_node(struct reader *r, const yaml_event_t *e, unsigned depth)
{
    if (depth > SQ_MAX_YAML_DEPTH) {
        r->status = sq_diag_error(r->diag, place(r, e->start_mark), NULL, NULL,
                                  "nested more than %d levels deep", SQ_MAX_YAML_DEPTH);
        return NULL;
    }
    if (e->type == YAML_SCALAR_EVENT) {
        return read_scalar(r, e);
    }
    if (e->type == YAML_SEQUENCE_START_EVENT) {
        return read_list(r, e, depth);
    }
    if (e->type == YAML_MAPPING_START_EVENT) {
        return read_map(r, e, depth);
    }
    SQ_ASSERT(e->type == YAML_ALIAS_EVENT);
    return read_alias(r, e);
}

/* Reads on to the next document and gives its root; NULL at the end of the file, or with
 * r->status set. */
static struct sq_node *read_document(struct reader *r)
{
    yaml_event_t e;
    do { /* stream start or the end of a document, then the next one or the end of all */
        if (!next_event(r, &e)) {
            return NULL;
        }
        if (e.type == YAML_DOCUMENT_START_EVENT &&
            (e.data.document_start.version_directive != NULL ||
             e.data.document_start.tag_directives.start !=
                 e.data.document_start.tag_directives.end)) {
            r->status = sq_diag_error(r->diag, place(r, e.start_mark), NULL, NULL,
                                      "directives (%%) are not %s", part(r));
        }
        yaml_event_type_t type = e.type;
        yaml_event_delete(&e);
        if (type == YAML_STREAM_END_EVENT) {
            return NULL;
        }
        if (type == YAML_DOCUMENT_START_EVENT && r->status == SQ_OK) {
            return read_value(r, 1);
        }
    } while (r->status == SQ_OK);
    return NULL;
}

/* What may follow the first document: nothing. */
static void read_rest(struct reader *r)
{
    bool end = false;
    while (!end && r->status == SQ_OK) {
        yaml_event_t e;
        if (!next_event(r, &e)) {
            return;
        }
        if (e.type == YAML_DOCUMENT_START_EVENT) {
            r->status =
                sq_diag_error(r->diag, place(r, e.start_mark), NULL, "one file holds one scenario",
                              "a second document starts here");
        }
        end = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
}

static enum sq_status note_empty(const struct reader *r)
{
    return sq_diag_error(r->diag, (struct sq_where){ r->file, 1, 1 }, NULL, NULL,
                         "the file is empty");
}

static enum sq_status parser_open(struct reader *r, const char *text, size_t len)
{
    SQ_ASSERT(r->file != NULL);
    SQ_ASSERT(text != NULL);
    enum sq_status st = sq_doc_check_bytes(r->file, text, len, &r->bytes, r->diag);
    if (st != SQ_OK) {
        return r->diag->failed ? SQ_NOMEM : st;
    }
    if (!yaml_parser_initialize(&r->parser)) {
        return SQ_NOMEM;
    }
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, len);
    return SQ_OK;
}

/* Closes the parser; what came of it all. */
static enum sq_status parser_close(struct reader *r, size_t errors)
{
    yaml_parser_delete(&r->parser);
    if (r->status == SQ_NOMEM || r->diag->failed) {
        return SQ_NOMEM;
    }
    return r->diag->errors != errors ? SQ_USER : SQ_OK;
}

enum sq_status sq_doc_parse(const char *file, const char *text, size_t len, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_node **out)
{
    struct reader r = { .file = file, .arena = arena, .diag = diag };
    size_t errors = diag->errors;
    enum sq_status st = parser_open(&r, text, len);
    if (st != SQ_OK) {
        return st;
    }
    struct sq_node *root = read_document(&r);
    if (root != NULL) {
        read_rest(&r);
    } else if (r.status == SQ_OK) {
        r.status = note_empty(&r);
    }
    st = parser_close(&r, errors);
    *out = st == SQ_OK ? root : *out;
    return st;
}

enum sq_status sq_doc_parse_all(const char *file, const char *text, size_t len,
                                struct sq_arena *arena, struct sq_diag *diag, struct sq_node *list)
{
    struct reader r = { .file = file, .arena = arena, .diag = diag, .foreign = true };
    size_t errors = diag->errors, before = list->count;
    enum sq_status st = parser_open(&r, text, len);
    if (st != SQ_OK) {
        return st;
    }
    struct sq_node *root = read_document(&r);
    while (root != NULL && r.status == SQ_OK) {
        bool nothing = sq_node_is_null(root); /* a `---` with nothing behind it */
        r.status = nothing ? SQ_OK : sq_node_push(arena, list, root);
        root = r.status == SQ_OK ? read_document(&r) : NULL;
    }
    if (r.status == SQ_OK && list->count == before) {
        r.status = note_empty(&r);
    }
    return parser_close(&r, errors);
}
