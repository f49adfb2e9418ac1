/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_presets.c - the list of shipped presets, and the page about one. */
#include "models/study/mdl_presets.h"

#include "models/mdl_scenario.h"
#include "models/policy/mdl_backoff.h"
#include "models/study/mdl_delays.h"
#include "models/study/mdl_preset_words.h"
#include "sim/base/sq_unit.h"

#include <string.h>

enum { NAME_WIDTH = 35, DELAYS_WIDTH = 45 };

/* The types of the language in the order of its sections. */
static const char *const types[] = {
    "retry",    "queue",   "workers", "concurrency", "rate_limit",
    "adaptive", "breaker", "budget",  "ramp",        "autoscaler"
};

struct shelf {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_conf conf;
    struct sq_presets presets;
};

static enum sq_status open_shelf(struct shelf *s)
{
    *s = (struct shelf){ 0 };
    s->conf = (struct sq_conf){ .arena = &s->arena, .diag = &s->diag };
    enum sq_status status = sq_presets_open(&s->presets, &s->conf, &mdl_root_table, NULL);
    for (size_t i = 0; status == SQ_OK && i < sq_preset_text_count; i++) {
        status = sq_presets_tree(&s->presets, i) != NULL ? SQ_OK : SQ_NOMEM;
    }
    return status;
}

static void close_shelf(struct shelf *s)
{
    sq_diag_fini(&s->diag);
    sq_arena_fini(&s->arena);
}

static const struct sq_node *of_type(const struct shelf *s, size_t file, const char *type)
{
    return sq_node_get(sq_node_get(s->presets.trees[file], "presets"), type);
}

static const char *text_of(const struct shelf *s, size_t file, const char *key)
{
    const struct sq_node *n = sq_node_get(s->presets.trees[file], key);
    return n != NULL ? n->text : NULL;
}

/* ---- the list ---- */

static void pad(struct sq_buf *out, size_t from, size_t columns)
{
    do {
        sq_buf_putc(out, ' ');
    } while (out->len < from + columns);
}

/* "0s to 1s, 2s": the first delays, as far as there is room. */
static enum sq_status put_first_delays(const char *name, struct sq_buf *out)
{
    struct mdl_policy p;
    struct sq_delays d = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_delays_ask ask = { .retries = 3, .samples = 200, .seed = 1 };
    enum sq_status status = mdl_policy_open(&p, name, &diag);
    SQ_ASSERT(status != SQ_USER);
    bool leased = status == SQ_OK && mdl_backoff_is_lease(&p.cfg->backoff);
    status = status == SQ_OK && !leased ? mdl_delays(&p, &ask, &d) : status;
    sq_buf_puts(out, leased ? "the rest of the lease" : "");
    size_t start = out->len;
    for (size_t i = 0; status == SQ_OK && i < d.count; i++) {
        size_t before = out->len;
        sq_buf_puts(out, i > 0 ? ", " : "");
        if (d.ends_drawn) {
            sq_buf_puts(out, "about ");
            sq_unit_put_span(out, d.rows[i].mean);
        } else {
            mdl_put_span(out, &d.rows[i]);
        }
        if (out->len - start > DELAYS_WIDTH) {
            out->len = before;
            break;
        }
    }
    sq_arena_fini(&d.arena);
    mdl_policy_fini(&p);
    sq_diag_fini(&diag);
    return status;
}

/* A retry preset stands under its system, with its first delays; another one beside its system. */
static enum sq_status put_one(const struct shelf *s, size_t file, const char *name, bool retry,
                              struct sq_buf *out)
{
    size_t start = out->len;
    sq_buf_printf(out, retry ? "    %s" : "  %s", name);
    pad(out, start, NAME_WIDTH);
    enum sq_status status = SQ_OK;
    if (retry) {
        status = put_first_delays(name, out);
    } else {
        sq_buf_puts(out, text_of(s, file, "title"));
    }
    sq_buf_puts(out, "\n");
    return status;
}

static enum sq_status put_type(const struct shelf *s, const char *type, struct sq_buf *out)
{
    enum sq_status status = SQ_OK;
    bool any = false, retry = strcmp(type, "retry") == 0;
    for (size_t f = 0; f < sq_preset_text_count; f++) {
        const struct sq_node *map = of_type(s, f, type);
        if (map != NULL && !any) {
            sq_buf_printf(out, "%s%s\n", out->len > 0 ? "\n" : "", type);
            any = true;
        }
        if (map != NULL && retry) {
            sq_buf_printf(out, "  %s\n", text_of(s, f, "title"));
        }
        for (size_t i = 0; map != NULL && i < map->count && status == SQ_OK; i++) {
            status = put_one(s, f, map->keys[i], retry, out);
        }
    }
    return status;
}

enum sq_status mdl_presets_list(struct sq_buf *out)
{
    struct shelf s;
    enum sq_status status = open_shelf(&s);
    for (size_t t = 0; t < SQ_COUNT(types) && status == SQ_OK; t++) {
        status = put_type(&s, types[t], out);
    }
    sq_buf_puts(out, "\nWith a retry preset stand its first delays. `squall presets NAME` explains "
                     "one,\n`squall delays NAME` draws from it.\n");
    close_shelf(&s);
    return out->failed && status == SQ_OK ? SQ_NOMEM : status;
}

/* ---- one of them ---- */

/* The tree as YAML, moved to the right. */
static void put_yaml(const struct sq_node *tree, const char *type, const char *name,
                     struct sq_buf *out)
{
    struct sq_buf yaml = { 0 };
    sq_node_print(tree, &yaml);
    sq_buf_printf(out, "  %s:\n    %s:\n", type, name);
    const char *line = yaml.len > 0 ? yaml.text : "";
    while (*line != '\0') {
        size_t len = strcspn(line, "\n");
        sq_buf_puts(out, "      ");
        sq_buf_add(out, line, len);
        sq_buf_putc(out, '\n');
        line += len + (line[len] == '\n');
    }
    out->failed |= yaml.failed;
    sq_buf_fini(&yaml);
}

/* The block with its presets and defaults written out; NULL: the type has no place in a scenario
 * of this version. */
static enum sq_status write_out(struct shelf *s, const char *type, const char *name,
                                struct sq_node **tree)
{
    struct sq_preset_types known;
    *tree = NULL;
    sq_preset_types(&mdl_root_table, &known);
    for (size_t i = 0; i < known.count; i++) {
        if (strcmp(known.names[i], type) != 0) {
            continue;
        }
        struct sq_where here = { .file = "presets" };
        struct sq_table table = { .rows = known.rows[i], .row_count = 1 };
        struct sq_node *root = sq_node_new(&s->arena, SQ_NODE_MAP, here);
        struct sq_node *block = sq_node_new(&s->arena, SQ_NODE_MAP, here);
        struct sq_node *word = sq_node_scalar(&s->arena, here, name);
        if (root == NULL || block == NULL || word == NULL ||
            sq_node_add(&s->arena, block, "preset", here, word) != SQ_OK ||
            sq_node_add(&s->arena, root, known.rows[i]->key, here, block) != SQ_OK) {
            return SQ_NOMEM;
        }
        enum sq_status status = sq_conf_expand(&s->conf, root, &table, "");
        status = status == SQ_OK ? sq_conf_fill(&s->conf, root, &table, "") : status;
        SQ_ASSERT(status != SQ_USER);
        *tree = block;
        return status;
    }
    return SQ_OK;
}

static enum sq_status put_retry(const char *name, const char *notes, struct sq_buf *out)
{
    struct mdl_policy p;
    struct sq_delays d = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_delays_ask ask = { .retries = MDL_DELAYS_SHOWN, .samples = 20000, .seed = 1 };
    enum sq_status status = mdl_policy_open(&p, name, &diag);
    SQ_ASSERT(status != SQ_USER);
    int64_t limit = status == SQ_OK ? mdl_retry_limit(p.cfg) : 1;
    if (limit != SQ_UNLIMITED && limit > MDL_DELAYS_SHOWN && limit < 200) {
        ask.retries = (uint32_t)limit - 1; /* for the whole window */
    }
    status = status == SQ_OK ? mdl_delays(&p, &ask, &d) : status;
    if (status == SQ_OK) {
        mdl_put_retry_words(&p, &d, notes, out);
    }
    sq_arena_fini(&d.arena);
    mdl_policy_fini(&p);
    sq_diag_fini(&diag);
    return status;
}

static enum sq_status put_preset(struct shelf *s, size_t file, const char *type,
                                 const struct sq_node *shipped, const char *name,
                                 struct sq_buf *out)
{
    const char *warning = text_of(s, file, "warning"), *notes = text_of(s, file, "notes");
    struct sq_node *whole;
    sq_buf_printf(out, "%s%s, a %s preset: %s\n", out->len > 0 ? "\n" : "", name, type,
                  text_of(s, file, "title"));
    if (warning != NULL) {
        sq_buf_puts(out, "\n");
        mdl_put_wrapped(out, "Beware: ", warning, strlen(warning));
    }
    bool retry = strcmp(type, "retry") == 0;
    enum sq_status status = retry ? put_retry(name, notes, out) : SQ_OK;
    sq_buf_puts(out, "\nFacts\n");
    while (notes != NULL && *notes != '\0') {
        size_t len = strcspn(notes, "\n");
        if (!retry || !mdl_is_labelled_fact(notes)) {
            mdl_put_wrapped(out, "  - ", notes, len);
        }
        notes += len + (notes[len] == '\n');
    }
    sq_buf_puts(out, "\nAs it is shipped\n");
    put_yaml(shipped, type, name, out);
    status = status == SQ_OK ? write_out(s, type, name, &whole) : status;
    if (status == SQ_OK && whole != NULL) {
        sq_buf_puts(out, "\nWith every default\n");
        put_yaml(whole, type, name, out);
    }
    return status;
}

static enum sq_status no_such(struct shelf *s, const char *name, struct sq_diag *diag)
{
    const char *near = NULL;
    for (size_t t = 0; t < SQ_COUNT(types) && near == NULL; t++) {
        size_t count;
        const char *const *names = sq_presets_names(&s->presets, types[t], &count);
        near = names != NULL ? sq_diag_closest(name, names, count) : NULL;
    }
    return sq_diag_error(diag, (struct sq_where){ 0 }, NULL,
                         near != NULL ? sq_arena_printf(&s->arena, "did you mean `%s`?", near)
                                      : "`squall presets` lists them",
                         "there is no preset `%s`", name);
}

enum sq_status mdl_presets_show(const char *name, struct sq_buf *out, struct sq_diag *diag)
{
    struct shelf s;
    bool any = false;
    enum sq_status status = open_shelf(&s);
    for (size_t t = 0; t < SQ_COUNT(types); t++) {
        for (size_t f = 0; f < sq_preset_text_count && status == SQ_OK; f++) {
            const struct sq_node *map = of_type(&s, f, types[t]);
            const struct sq_node *shipped = map != NULL ? sq_node_get(map, name) : NULL;
            if (shipped != NULL) {
                any = true;
                status = put_preset(&s, f, types[t], shipped, name, out);
            }
        }
    }
    if (status == SQ_OK && !any) {
        status = no_such(&s, name, diag);
    }
    close_shelf(&s);
    return out->failed && status == SQ_OK ? SQ_NOMEM : status;
}

enum sq_status mdl_presets_page(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag)
{
    return args->word_count == 0 ? mdl_presets_list(out)
                                 : mdl_presets_show(args->words[0], out, diag);
}

/* Whether a word stands between blanks in the text from `start` on. */
static bool has_word(const struct sq_buf *b, size_t start, const char *word)
{
    size_t len = strlen(word);
    const char *at = b->len > start ? strstr(b->text + start, word) : NULL;
    while (at != NULL &&
           !((at == b->text + start || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))) {
        at = strstr(at + 1, word);
    }
    return at != NULL;
}

/* The names under a map that are not there yet. */
static void add_names(struct sq_buf *out, size_t start, const struct sq_node *map)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        if (!has_word(out, start, map->keys[i])) {
            sq_buf_printf(out, "%s%s", out->len > 0 ? " " : "", map->keys[i]);
        }
    }
}

enum sq_status mdl_presets_names(const char *type, struct sq_buf *out)
{
    struct shelf s;
    size_t start = out->len;
    enum sq_status status = open_shelf(&s);
    for (size_t t = 0; t < SQ_COUNT(types) && status == SQ_OK; t++) {
        for (size_t f = 0;
             f < sq_preset_text_count && (type == NULL || strcmp(type, types[t]) == 0); f++) {
            add_names(out, start, of_type(&s, f, types[t]));
        }
    }
    close_shelf(&s);
    return status == SQ_OK && out->failed ? SQ_NOMEM : status;
}
