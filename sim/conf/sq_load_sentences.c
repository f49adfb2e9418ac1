/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_sentences.c - the words of a comparison. */
#include "sim/conf/sq_load_sentences.h"

#include <string.h>

/* The text in the arena; "" where there is none. */
static const char *keep(struct sq_comparison *c, const struct sq_json *text, bool *failed)
{
    const char *plain = sq_json_text(text);
    plain = plain != NULL ? plain : "";
    const char *copy = sq_arena_text(&c->arena, plain, strlen(plain));
    *failed = *failed || copy == NULL;
    return copy;
}

static void take_margins(struct sq_comparison *c, const struct sq_json *list,
                         struct sq_compared *out, bool *failed)
{
    size_t count = sq_json_count(list);
    out->margins = sq_arena_alloc(&c->arena, count + 1, sizeof(*out->margins));
    *failed = *failed || out->margins == NULL;
    for (size_t i = 0; out->margins != NULL && i < count; i++) {
        out->margins[out->margin_count++] = keep(c, sq_json_at(list, i), failed);
    }
}

static double count_of(const struct sq_json *v)
{
    double number = sq_json_number(v);
    return number >= 0 && number < 1e15 ? number : 0; /* NaN too */
}

static void take_modes(struct sq_comparison *c, const struct sq_json *list, struct sq_compared *out,
                       bool *failed)
{
    size_t count = sq_json_count(list);
    out->modes = sq_arena_alloc(&c->arena, count + 1, sizeof(*out->modes));
    *failed = *failed || out->modes == NULL;
    for (size_t i = 0; out->modes != NULL && i < count; i++) {
        const struct sq_json *one = sq_json_at(list, i);
        out->modes[out->mode_count++] =
            (struct sq_mode){ .text = keep(c, sq_json_get(one, "text"), failed),
                              .runs = (int64_t)count_of(sq_json_get(one, "runs")),
                              .example = (uint64_t)count_of(sq_json_get(one, "replication")),
                              .collapsed = sq_json_true(sq_json_get(one, "collapsed")) };
    }
}

enum sq_status sq_load_sentences(struct sq_comparison *c, const struct sq_json *root)
{
    bool failed = false;
    const struct sq_json *title = sq_json_get(sq_json_get(root, "comparison"), "title");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_json *one = sq_json_at(sq_json_get(root, "variants"), v);
        c->variants[v].verdict = keep(c, sq_json_get(one, "verdict"), &failed);
        take_margins(c, sq_json_get(one, "margins"), &c->variants[v], &failed);
        take_modes(c, sq_json_get(one, "modes"), &c->variants[v], &failed);
    }
    c->title = sq_json_text(title) != NULL ? keep(c, title, &failed) : c->title;
    c->proof = keep(c, sq_json_get(root, "proof"), &failed);
    return failed ? SQ_NOMEM : SQ_OK;
}
