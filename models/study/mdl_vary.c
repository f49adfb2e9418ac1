/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_vary.c - keys with values, and the scenarios they make. */
#include "models/study/mdl_vary.h"

#include "models/study/mdl_args.h"
#include "models/study/mdl_runs.h"

#include <string.h>

static enum sq_status refuse(struct sq_diag *diag, const char *hint, const char *what,
                             const char *name)
{
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--vary", hint, "%s%s", what, name);
}

/* The end of the value that starts at `at`: the next comma outside of brackets and quotes. */
static size_t value_end(const char *text, size_t at)
{
    int depth = 0;
    char quote = '\0';
    for (; text[at] != '\0'; at++) {
        char c = text[at];
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            depth--;
        } else if (c == ',' && depth <= 0) {
            return at;
        }
    }
    return at;
}

static enum sq_status add_value(struct sq_grid *g, struct sq_grid_key *key, const char *text,
                                size_t len, struct sq_diag *diag)
{
    while (len > 0 && text[0] == ' ') {
        text++;
        len--;
    }
    while (len > 0 && text[len - 1] == ' ') {
        len--;
    }
    char *value = sq_arena_text(&g->arena, text, len);
    if (value == NULL) {
        return SQ_NOMEM;
    }
    if (len == 0) {
        return refuse(diag, "values stand between commas", "a value is missing of ", key->name);
    }
    for (size_t i = 0; i < key->count; i++) {
        if (strcmp(key->values[i], value) == 0) {
            return refuse(diag, "leave one out", "a value stands there twice: ", value);
        }
    }
    key->values[key->count++] = value;
    return SQ_OK;
}

static enum sq_status read_key(struct sq_grid *g, const char *text, struct sq_diag *diag)
{
    const char *equals = strchr(text, '=');
    struct sq_grid_key *key = &g->keys[g->key_count];
    if (equals == NULL || equals == text) {
        return refuse(diag, "write KEY=V1,V2, for example workers.pool.slots=2,4,8",
                      "a key and its values are needed, not ", text);
    }
    key->name = sq_arena_text(&g->arena, text, (size_t)(equals - text));
    key->values = sq_arena_alloc(&g->arena, strlen(text), sizeof(*key->values));
    if (key->name == NULL || key->values == NULL) {
        return SQ_NOMEM;
    }
    for (size_t k = 0; k < g->key_count; k++) {
        if (strcmp(g->keys[k].name, key->name) == 0) {
            return refuse(diag, "give all values at once", "a key is varied twice: ", key->name);
        }
    }
    g->key_count++;
    enum sq_status status = SQ_OK;
    const char *values = equals + 1;
    for (size_t at = 0, end; status == SQ_OK; at = end + 1) {
        end = value_end(values, at);
        status = add_value(g, key, values + at, end - at, diag);
        if (values[end] == '\0') {
            break;
        }
    }
    return status;
}

enum sq_status mdl_vary_read(const char *const *texts, size_t count, struct sq_grid *g,
                             struct sq_diag *diag)
{
    g->keys = sq_arena_alloc(&g->arena, count + 1, sizeof(*g->keys));
    if (g->keys == NULL) {
        return SQ_NOMEM;
    }
    if (count == 0) {
        return refuse(diag, "for example --vary workers.pool.slots=2,4,8",
                      "say which key has which values", "");
    }
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        status = read_key(g, texts[i], diag);
    }
    return status;
}

/* ---- a cell ---- */

/* Notes what is wrong with a cell under its name. */
static enum sq_status blame(const struct sq_grid *g, size_t cell, const struct sq_diag *own,
                            struct sq_diag *diag)
{
    struct sq_buf name = { 0 };
    sq_buf_puts(&name, "--vary, ");
    sq_grid_put_cell(g, cell, &name);
    struct sq_where where = { .file = name.text };
    if (!name.failed) {
        mdl_runs_pass_on(own, &where, NULL, diag);
    }
    enum sq_status status = name.failed ? SQ_NOMEM : SQ_USER;
    sq_buf_fini(&name);
    return status;
}

enum sq_status mdl_vary_load(const struct sq_grid *g, size_t cell, const struct mdl_ask *ask,
                             struct mdl_scenario *out, struct sq_diag *diag)
{
    struct sq_arena arena = { 0 };
    struct sq_diag own = { 0 };
    struct mdl_ask with = *ask;
    size_t count = ask->set_count;
    const char **sets = sq_arena_alloc(&arena, count + g->key_count + 1, sizeof(*sets));
    bool failed = sets == NULL;
    for (size_t i = 0; i < count && !failed; i++) {
        sets[i] = ask->sets[i];
    }
    for (size_t k = 0; k < g->key_count && !failed; k++) {
        const char *value = sq_grid_value(g, cell, k);
        if (strcmp(g->keys[k].name, "variant") == 0) {
            with.variant = value;
            continue;
        }
        sets[count] = sq_arena_printf(&arena, "%s=%s", g->keys[k].name, value);
        failed = sets[count++] == NULL;
    }
    with.sets = sets;
    with.set_count = count;
    enum sq_status status = failed ? SQ_NOMEM : mdl_scenario_load(out, &with, &own);
    status = status == SQ_USER ? blame(g, cell, &own, diag) : status;
    sq_diag_fini(&own);
    sq_arena_fini(&arena);
    return status;
}
