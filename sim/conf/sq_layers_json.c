/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_layers_json.c - layers of retries to JSON and back. */
#include "sim/conf/sq_layers_json.h"

#include <math.h>
#include <string.h>

static const char unlimited[] = "unlimited";

/* ---- writing ---- */

static void put(struct sq_json_writer *w, const char *key, double number)
{
    if (isinf(number)) {
        sq_json_put_text(w, key, unlimited);
    } else {
        sq_json_put_number(w, key, number);
    }
}

void sq_layers_write(struct sq_json_writer *w, const struct sq_result *r)
{
    if (r->layer_count == 0) {
        return;
    }
    sq_json_open_array(w, "layers");
    for (size_t i = 0; i < r->layer_count; i++) {
        const struct sq_layer *y = &r->layers[i];
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "section", y->section);
        sq_json_put_text(w, "caller", y->caller);
        sq_json_put_text(w, "dependency", y->dependency);
        put(w, "attempts", y->attempts);
        put(w, "tries", y->tries);
        put(w, "times", y->times);
        put(w, "calls_per_job", y->calls_per_job);
        sq_json_close(w);
    }
    sq_json_close(w);
}

/* ---- reading ---- */

static const char *keep(struct sq_result *r, const struct sq_json *from, const char *key)
{
    const char *text = sq_json_text(sq_json_get(from, key));
    return text != NULL ? sq_arena_text(&r->arena, text, strlen(text)) : NULL;
}

static double number(const struct sq_json *from, const char *key)
{
    const struct sq_json *v = sq_json_get(from, key);
    const char *word = sq_json_text(v);
    return word != NULL && strcmp(word, unlimited) == 0 ? (double)INFINITY : sq_json_number(v);
}

static bool take(struct sq_result *r, const struct sq_json *from, struct sq_layer *to)
{
    to->section = keep(r, from, "section");
    to->caller = keep(r, from, "caller");
    to->dependency = keep(r, from, "dependency");
    to->attempts = number(from, "attempts");
    to->tries = number(from, "tries");
    to->times = number(from, "times");
    to->calls_per_job = number(from, "calls_per_job");
    return to->section != NULL && to->caller != NULL && to->dependency != NULL &&
           to->attempts >= 1 && to->tries >= 1 && to->times >= 0 && to->calls_per_job >= 0;
}

enum sq_status sq_layers_read(struct sq_result *r, const struct sq_json *root)
{
    const struct sq_json *list = sq_json_get(root, "layers");
    size_t count = sq_json_count(list);
    r->layers = sq_arena_alloc(&r->arena, count + 1, sizeof *r->layers);
    for (size_t i = 0; r->layers != NULL && i < count; i++) {
        if (!take(r, sq_json_at(list, i), &r->layers[i])) {
            return SQ_USER;
        }
        r->layer_count = i + 1;
    }
    return r->layers == NULL ? SQ_NOMEM : SQ_OK;
}
