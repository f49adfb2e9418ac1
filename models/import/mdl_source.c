/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source.c - the walk over a document, and where its keys go. */
#include "models/import/mdl_source.h"

#include "models/import/mdl_turn.h"
#include "sim/base/sq_file.h"

#include <ctype.h>
#include <string.h>

enum { PATH_SHOWN = 44 };

/* ---- which row ---- */

/* The next part of a pattern; moves on. */
static size_t part(const char **pattern, const char **start)
{
    const char *p = *pattern;
    p += *p == '.';
    size_t len = strncmp(p, "[]", 2) == 0 ? 2 : strcspn(p, ".[");
    *start = p;
    *pattern = p + len;
    return len;
}

static bool is_key(const struct mdl_importing *m, const char *want, size_t len, const char *key)
{
    if (m->source->relaxed) {
        size_t i = 0;
        for (; *key != '\0'; key++) {
            if (*key == '-' || *key == '_') {
                continue;
            }
            if (i == len || tolower((unsigned char)want[i]) != tolower((unsigned char)*key)) {
                return false;
            }
            i++;
        }
        return i == len;
    }
    return strncmp(want, key, len) == 0 && key[len] == '\0';
}

enum fit { NO, LEADS, FITS, COVERS };

/* LEADS: the pattern goes on below where the walk is. COVERS: by `**`. */
static enum fit fit_of(const struct mdl_importing *m, const char *pattern)
{
    for (size_t i = 0; i < m->depth; i++) {
        const char *want;
        size_t len = part(&pattern, &want);
        if (len == 2 && strncmp(want, "**", 2) == 0) {
            return COVERS;
        }
        bool item = len == 2 && strncmp(want, "[]", 2) == 0;
        bool any = len == 1 && *want == '*';
        if (len == 0 ||
            (!any && (m->path[i] == NULL ? !item : !is_key(m, want, len, m->path[i])))) {
            return NO;
        }
    }
    return *pattern == '\0' ? FITS : strcmp(pattern, ".**") == 0 ? COVERS : LEADS;
}

/* NULL: none, or the one that covers it yields to one for a part of it. */
static const struct mdl_source_row *row_of(const struct mdl_importing *m, const struct sq_node *n)
{
    bool deeper = false;
    bool nothing = n->kind == SQ_NODE_SCALAR ? sq_node_is_null(n) : n->count == 0;
    for (size_t i = 0; i < m->source->row_count && m->depth > 0; i++) {
        enum fit fit = fit_of(m, m->source->rows[i].path);
        if (fit == FITS || (fit == COVERS && !nothing && !(deeper && n->count > 0))) {
            return &m->source->rows[i];
        }
        if (fit == COVERS) {
            return NULL;
        }
        deeper |= fit == LEADS;
    }
    return NULL;
}

/* ---- reports ---- */

/* Values and empty blocks. */
static size_t keys_of(const struct sq_node *n)
{
    size_t keys = n->count == 0;
    for (size_t i = 0; i < n->count; i++) {
        keys += keys_of(n->items[i]);
    }
    return keys;
}

/* Where the walk is, as text: spec.http[0].timeout. */
static const char *path_text(struct mdl_importing *m)
{
    struct sq_buf b = { 0 };
    for (size_t i = 0; i < m->depth; i++) {
        if (m->path[i] == NULL) {
            sq_buf_printf(&b, "[%zu]", m->index[i]);
        } else {
            sq_buf_printf(&b, "%s%s", i > 0 ? "." : "", m->path[i]);
        }
    }
    const char *text = mdl_source_format(m, "%s", mdl_turn_text(&b));
    mdl_turn_done(m, &b);
    return text;
}

/* The end of a long path is what tells. */
static const char *short_path(struct mdl_importing *m)
{
    const char *text = path_text(m);
    size_t len = strlen(text);
    const char *cut = len > PATH_SHOWN ? strchr(text + len - PATH_SHOWN, '.') : NULL;
    return cut != NULL ? mdl_source_format(m, "..%s", cut) : text;
}

static void report(struct mdl_importing *m, const struct sq_node *n, const char *why, bool lost)
{
    if (m->muted) {
        return;
    }
    if (m->loss_count == m->loss_size) {
        size_t size = m->loss_size * 2 + 16;
        struct mdl_loss *grown = sq_arena_alloc(m->arena, size, sizeof(*grown));
        if (grown == NULL) {
            m->failed = true;
            return;
        }
        if (m->loss_count > 0) {
            memcpy(grown, m->losses, m->loss_count * sizeof(*grown));
        }
        m->losses = grown;
        m->loss_size = size;
    }
    size_t keys = keys_of(n);
    *(lost ? &m->lost : &m->idle) += keys;
    m->losses[m->loss_count++] = (struct mdl_loss){ n->where, short_path(m), why, keys, lost };
}

void mdl_source_lose(struct mdl_importing *m, const struct sq_node *n, const char *why)
{
    report(m, n, why, true);
}

void mdl_source_idle(struct mdl_importing *m, const struct sq_node *n, const char *why)
{
    report(m, n, why, false);
}

void mdl_source_wrong(struct mdl_importing *m, const struct sq_node *n, const char *why)
{
    (void)sq_diag_error(m->diag, n->where, path_text(m), NULL, "%s", why);
}

/* ---- where it goes ---- */

static const char *place_of(struct mdl_importing *m, const struct sq_node *n, const char *remark)
{
    return mdl_source_format(m, "%s:%u: %s%s%s", sq_file_name(n->where.file), n->where.line,
                             short_path(m), remark != NULL ? "; " : "",
                             remark != NULL ? remark : "");
}

/* What a template's first word stands for, `i` counting where it stands for several; NULL when it
 * stands for nothing (any more). */
static const char *base_of(struct mdl_importing *m, const char *word, size_t len, size_t i)
{
    const struct mdl_scope *s = &m->scope;
    bool worker = s->entity != NULL && strncmp(s->entity, "workers.", 8) == 0;
    const char *d = s->dependency;
#define IS(w) (len == sizeof(w) - 1 && strncmp(word, w, len) == 0)
    if (IS("{calls}")) {
        bool clients = m->pools.count == 0;
        if (d == NULL || i >= m->pools.count + clients) {
            return NULL;
        }
        return clients ? mdl_source_format(m, "clients.callers.calls.%s", d)
                       : mdl_source_format(m, "workers.%s.calls.%s", m->pools.items[i], d);
    }
    if (IS("{controls}")) {
        return i < m->called.count ? mdl_source_format(m, "controls.%s", m->called.items[i]) : NULL;
    }
    if (i > 0) {
        return NULL;
    }
    if (IS("{dependency}") || IS("{control}")) {
        const char *section = IS("{control}") ? "controls" : "dependencies";
        return d != NULL ? mdl_source_format(m, "%s.%s", section, d) : NULL;
    }
    if (IS("{queue}")) {
        return s->queue != NULL ? mdl_source_format(m, "queues.%s", s->queue) : NULL;
    }
    if (s->entity == NULL || (IS("{pool}") && !worker) || (IS("{node}") && worker)) {
        return NULL;
    }
    return IS("{size}") ? mdl_source_format(m, "%s.%s", s->entity, worker ? "replicas" : "nodes")
           : IS("{scaler}") ? mdl_source_format(m, "%s.autoscaler", s->entity)
                            : s->entity;
#undef IS
}

/* Puts it at every path that `to` stands for; how many there are, and whether all took it. */
static size_t put_all(struct mdl_importing *m, const char *to, const char *value, const char *from,
                      bool *took)
{
    size_t len = to[0] == '{' ? strcspn(to, "}") + 1 : 0, count = 0;
    *took = true;
    if (len == 0) {
        *took = mdl_draft_put(&m->draft, to, value, from);
        return 1;
    }
    const char *base = base_of(m, to, len, 0);
    while (base != NULL && !m->failed) {
        const char *path = mdl_source_format(m, "%s%s", base, to + len);
        *took = mdl_draft_put(&m->draft, path, value, from) && *took;
        base = base_of(m, to, len, ++count);
    }
    return count;
}

/* Whether it is a nought where the language wants more. */
static bool is_nought(const char *to, const char *value)
{
    static const char *const above[] = { "timeout", "total_timeout", "visibility_timeout", "poll",
                                         "every",   "target",        "open_for",           "window",
                                         "sweep",   "slow",          "max_elapsed" };
    const char *dot = strrchr(to, '.');
    bool nought = strcmp(value, "0") == 0 || strcmp(value, "0s") == 0 || strcmp(value, "0%") == 0;
    for (size_t i = 0; nought && dot != NULL && i < SQ_COUNT(above); i++) {
        if (strcmp(dot + 1, above[i]) == 0) {
            return true;
        }
    }
    return false;
}

void mdl_source_put(struct mdl_importing *m, const struct sq_node *n, const char *to,
                    const char *value, const char *remark)
{
    bool took;
    if (is_nought(to, value)) {
        mdl_source_lose(m, n, "0: squall has no counterpart");
        return;
    }
    value = mdl_source_format(m, "%s", value);
    if (put_all(m, to, value, place_of(m, n, remark), &took) == 0) {
        report(m, n,
               m->otherwise != NULL ? m->otherwise : "there is nothing here that it applies to",
               m->otherwise == NULL);
    } else if (!took && !m->gives_way) {
        mdl_source_lose(m, n, "another place says something else, and came first");
    }
}

void mdl_source_default(struct mdl_importing *m, const char *to, const char *value,
                        const char *from)
{
    bool took;
    (void)put_all(m, to, value, from, &took);
}

/* ---- the walk ---- */

static void turn(struct mdl_importing *m, const struct mdl_source_row *row, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    if (m->scope.aside != NULL) {
        mdl_source_lose(m, n, m->scope.aside);
        return;
    }
    if (n->kind == SQ_NODE_SCALAR && sq_node_is_null(n)) {
        mdl_source_idle(m, n, "empty");
        return;
    }
    if (n->kind == SQ_NODE_SCALAR && strstr(n->text, "${") != NULL) {
        mdl_source_lose(m, n, "a placeholder: put its value in, and import again");
        return;
    }
    m->why = NULL;
    m->otherwise = row->otherwise;
    enum mdl_turned t = row->turn(m, n, &b);
    if (t == MDL_TURNED && !b.failed) {
        mdl_source_put(m, n, row->to, mdl_turn_text(&b), row->why);
    } else if (t == MDL_WRONG) {
        mdl_source_wrong(m, n, m->why);
    } else if (t != MDL_TURNED) {
        report(m, n, m->why, t == MDL_LOST);
    }
    m->otherwise = NULL;
    mdl_turn_done(m, &b);
}

static void walk_below(struct mdl_importing *m, const struct sq_node *n)
{
    if (m->depth == MDL_SOURCE_DEPTH) {
        mdl_source_lose(m, n, "nested too deep");
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        m->path[m->depth] = n->kind == SQ_NODE_MAP ? n->keys[i] : NULL;
        m->index[m->depth++] = i;
        mdl_source_walk(m, n->items[i]);
        m->depth--;
    }
}

void mdl_source_walk_key(struct mdl_importing *m, const struct sq_node *n, size_t i)
{
    SQ_ASSERT(n->kind == SQ_NODE_MAP && i < n->count && m->depth < MDL_SOURCE_DEPTH);
    m->path[m->depth] = n->keys[i];
    m->index[m->depth++] = i;
    mdl_source_walk(m, n->items[i]);
    m->depth--;
}

void mdl_source_walk(struct mdl_importing *m, const struct sq_node *n)
{
    const struct mdl_source_row *row = row_of(m, n);
    struct mdl_scope scope = m->scope;
    size_t reported = m->lost + m->idle;
    if (row == NULL && n->count > 0) {
        walk_below(m, n);
    } else if (row == NULL) {
        bool empty = n->kind != SQ_NODE_SCALAR || sq_node_is_null(n);
        report(m, n, empty ? "empty" : "squall does not know this key", !empty);
    } else if (row->does == MDL_ROW_ENTER) {
        row->act(m, n);
        walk_below(m, n);
        if (n->count == 0) {
            mdl_source_idle(m, n, "empty");
        }
    } else if (row->does == MDL_ROW_LEAD && n->kind == SQ_NODE_MAP) {
        row->act(m, n);
    } else if (row->does == MDL_ROW_LEAD) {
        mdl_source_wrong(m, n, "a map is needed");
    } else if (row->does == MDL_ROW_LOSE || row->does == MDL_ROW_IDLE) {
        report(m, n, row->why, row->does == MDL_ROW_LOSE);
    } else {
        if (row->does == MDL_ROW_TURN) {
            turn(m, row, n);
        } else if (row->does == MDL_ROW_TAKE) {
            row->act(m, n);
        }
        m->translated += m->muted ? 0 : keys_of(n) - (m->lost + m->idle - reported);
    }
    m->scope = scope;
}

/* ---- what rows need ---- */

static const struct sq_node *step(const struct sq_node *n, const char *key, size_t len)
{
    size_t index = 0;
    if (n->kind == SQ_NODE_LIST) {
        for (size_t i = 0; i < len; i++) {
            index = index * 10 + (size_t)(key[i] - '0');
        }
        return index < n->count ? n->items[index] : NULL;
    }
    for (size_t i = 0; i < n->count; i++) {
        if (strncmp(n->keys[i], key, len) == 0 && n->keys[i][len] == '\0') {
            return n->items[i];
        }
    }
    return NULL;
}

const struct sq_node *mdl_source_node(const struct sq_node *n, const char *path)
{
    while (n != NULL && *path != '\0') {
        size_t len = strcspn(path, ".");
        n = step(n, path, len);
        path += len + (path[len] == '.');
    }
    return n;
}

const char *mdl_source_text(const struct sq_node *n, const char *path)
{
    n = mdl_source_node(n, path);
    return n != NULL && n->kind == SQ_NODE_SCALAR && !sq_node_is_null(n) ? n->text : NULL;
}

const struct sq_node *mdl_source_find(const struct sq_node *map, const char *key)
{
    for (size_t i = 0; map != NULL && map->kind == SQ_NODE_MAP && i < map->count; i++) {
        if (mdl_source_alike(map->keys[i], key)) {
            return map->items[i];
        }
    }
    return NULL;
}
