/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_snapshot.c - the metrics of a variant out into a file, and back. */
#include "sim/conf/sq_snapshot.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/base/sq_limits.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1 };
static const char KIND[] = "baseline";

/* ---- out ---- */

static void write_head(struct sq_json_writer *w, const struct sq_snapshot *s)
{
    struct sq_buf seed = { 0 };
    sq_buf_printf(&seed, "%llu", (unsigned long long)s->seed);
    w->failed = w->failed || seed.failed;
    sq_json_open_object(w, "squall");
    sq_json_put_text(w, "version", s->version);
    sq_json_put_integer(w, "format", FORMAT);
    sq_json_put_text(w, "kind", KIND);
    sq_json_close(w);
    sq_json_open_object(w, "scenario");
    sq_json_put_text(w, "file", s->file);
    sq_json_put_text(w, "title", s->title);
    sq_json_put_text(w, "variant", s->variant);
    sq_json_put_text(w, "hash", s->hash);
    sq_json_put_text(w, "seed", seed.text); /* a number would keep 53 bits */
    sq_json_put_integer(w, "runs", (int64_t)s->run_count);
    sq_json_close(w);
    sq_buf_fini(&seed);
}

static void write_metric(struct sq_json_writer *w, const char *name, const struct sq_cell *cell)
{
    if (cell->word_count > 0) {
        sq_json_open_object(w, name);
        for (size_t i = 0; i < cell->word_count; i++) {
            sq_json_put_integer(w, cell->words[i].word, cell->words[i].runs);
        }
        sq_json_close(w);
        return;
    }
    const struct sq_spread *p = &cell->spread;
    sq_json_open_array(w, name);
    sq_json_put_integer(w, NULL, p->n);
    sq_json_put_number(w, NULL, p->mean);
    sq_json_put_number(w, NULL, p->p50);
    sq_json_put_number(w, NULL, p->lo);
    sq_json_put_number(w, NULL, p->hi);
    sq_json_close(w);
}

/* One text per line. */
static void write_effective(struct sq_json_writer *w, const char *echo)
{
    sq_json_open_array(w, "effective");
    while (*echo != '\0') {
        size_t len = strcspn(echo, "\n");
        struct sq_buf line = { 0 };
        sq_buf_add(&line, echo, len);
        sq_json_put_text(w, NULL, line.text != NULL ? line.text : "");
        w->failed = w->failed || line.failed;
        sq_buf_fini(&line);
        echo += len + (echo[len] == '\n');
    }
    sq_json_close(w);
}

enum sq_status sq_snapshot_write(const struct sq_snapshot *s, struct sq_buf *out)
{
    struct sq_json_writer w = { 0 };
    sq_json_open_object(&w, NULL);
    write_head(&w, s);
    sq_json_open_object(&w, "metrics");
    for (size_t i = 0; i < s->metric_count; i++) {
        write_metric(&w, s->names[i], &s->cells[i]);
    }
    sq_json_close(&w);
    write_effective(&w, s->echo);
    sq_json_close(&w);
    enum sq_status status = sq_json_dump(&w, out);
    sq_json_writer_fini(&w);
    return status;
}

/* ---- back ---- */

struct reader {
    struct sq_snapshot *s;
    struct sq_arena *arena;
    struct sq_diag *diag;
    const char *path;
    bool failed; /* out of memory */
};

static enum sq_status wrong(struct reader *r, const char *key, const char *what)
{
    return sq_diag_error(r->diag, (struct sq_where){ .file = r->path }, key,
                         "squall check --baseline DIR --update-baseline writes it anew", "%s",
                         what);
}

static const char *keep(struct reader *r, const char *text)
{
    char *copy = text == NULL ? NULL : sq_arena_text(r->arena, text, strlen(text));
    r->failed = r->failed || (text != NULL && copy == NULL);
    return copy;
}

/* A whole number from 0 to `most`, or -1. */
static int64_t whole(const struct sq_json *v, int64_t most)
{
    double number = sq_json_number(v);
    bool fine = number >= 0 && number <= (double)most && floor(number) == number;
    return fine ? (int64_t)number : -1;
}

static enum sq_status read_head(struct reader *r, const struct sq_json *root)
{
    const struct sq_json *squall = sq_json_get(root, "squall"), *of = sq_json_get(root, "scenario");
    struct sq_snapshot *s = r->s;
    const char *kind = sq_json_text(sq_json_get(squall, "kind"));
    double format = sq_json_number(sq_json_get(squall, "format"));
    if (kind == NULL || strcmp(kind, KIND) != 0 || !(format >= FORMAT)) {
        return wrong(r, NULL, "this is no baseline of squall");
    }
    if (format > FORMAT) {
        return sq_diag_error(r->diag, (struct sq_where){ .file = r->path }, "squall.format",
                             "use the squall that wrote it, or a newer one",
                             "this baseline is of a newer format");
    }
    int64_t runs = whole(sq_json_get(of, "runs"), SQ_MAX_RUNS);
    s->version = keep(r, sq_json_text(sq_json_get(squall, "version")));
    s->file = keep(r, sq_json_text(sq_json_get(of, "file")));
    s->title = keep(r, sq_json_text(sq_json_get(of, "title")));
    s->variant = keep(r, sq_json_text(sq_json_get(of, "variant")));
    s->hash = keep(r, sq_json_text(sq_json_get(of, "hash")));
    bool seeded = sq_json_seed(sq_json_get(of, "seed"), &s->seed);
    if (r->failed) {
        return SQ_NOMEM;
    }
    if (s->version == NULL || s->file == NULL || s->variant == NULL || s->hash == NULL || !seeded ||
        runs < 1) {
        return wrong(r, "scenario", "it is not complete");
    }
    s->run_count = (size_t)runs;
    return SQ_OK;
}

static bool read_words(struct reader *r, struct sq_json *from, struct sq_cell *cell)
{
    int64_t left = (int64_t)r->s->run_count;
    cell->words = sq_arena_alloc(r->arena, sq_json_count(from) + 1, sizeof(*cell->words));
    r->failed = r->failed || cell->words == NULL;
    for (const char *word = NULL; !r->failed && (word = sq_json_next_key(from, word)) != NULL;) {
        int64_t runs = whole(sq_json_get(from, word), left);
        if (runs < 1) {
            return false;
        }
        left -= runs;
        cell->words[cell->word_count++] = (struct sq_word_count){ keep(r, word), runs };
    }
    return cell->word_count > 0;
}

static bool read_numbers(const struct sq_snapshot *s, const struct sq_json *from,
                         struct sq_cell *cell)
{
    struct sq_spread *p = &cell->spread;
    p->n = whole(sq_json_at(from, 0), (int64_t)s->run_count);
    p->mean = sq_json_number(sq_json_at(from, 1));
    p->p50 = sq_json_number(sq_json_at(from, 2));
    p->lo = sq_json_number(sq_json_at(from, 3));
    p->hi = sq_json_number(sq_json_at(from, 4));
    bool numbers = p->n == 0 ? isnan(p->mean) : !isnan(p->mean) && !isnan(p->p50);
    bool interval = p->n < 2 ? isnan(p->lo) && isnan(p->hi) : p->lo <= p->mean && p->mean <= p->hi;
    return sq_json_count(from) == 5 && p->n >= 0 && numbers && interval;
}

static enum sq_status read_metrics(struct reader *r, struct sq_json *from)
{
    struct sq_snapshot *s = r->s;
    size_t count = sq_json_count(from);
    if (count == 0 || sq_json_kind(from) != SQ_JSON_OBJECT) {
        return wrong(r, "metrics", "it is not complete");
    }
    s->names = sq_arena_alloc(r->arena, count, sizeof(*s->names));
    s->cells = sq_arena_alloc(r->arena, count, sizeof(*s->cells));
    r->failed = r->failed || s->names == NULL || s->cells == NULL;
    for (const char *key = NULL; !r->failed && (key = sq_json_next_key(from, key)) != NULL;) {
        struct sq_json *of = sq_json_get(from, key);
        struct sq_cell *cell = &s->cells[s->metric_count];
        s->names[s->metric_count++] = keep(r, key);
        cell->known = true;
        bool fine = sq_json_kind(of) == SQ_JSON_OBJECT ? read_words(r, of, cell)
                                                       : read_numbers(s, of, cell);
        if (!fine && !r->failed) {
            return wrong(r, key, "these are no figures of a metric");
        }
    }
    return r->failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status read_effective(struct reader *r, const struct sq_json *from)
{
    struct sq_buf text = { 0 };
    bool fine = sq_json_count(from) > 0;
    for (size_t i = 0; i < sq_json_count(from); i++) {
        const char *line = sq_json_text(sq_json_at(from, i));
        fine = fine && line != NULL;
        sq_buf_puts(&text, line != NULL ? line : "");
        sq_buf_putc(&text, '\n');
    }
    r->failed = r->failed || text.failed;
    r->s->echo = text.text != NULL && fine ? keep(r, text.text) : NULL;
    sq_buf_fini(&text);
    if (r->failed) {
        return SQ_NOMEM;
    }
    return fine ? SQ_OK : wrong(r, "effective", "it is not complete");
}

enum sq_status sq_snapshot_read(const char *path, struct sq_arena *arena, struct sq_snapshot *out,
                                struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    struct sq_json *root = NULL;
    *out = (struct sq_snapshot){ 0 };
    struct reader r = { .s = out, .arena = arena, .diag = diag, .path = path };
    enum sq_status status = sq_file_read(path, SQ_MAX_CSV_BYTES, &text, diag);
    if (status == SQ_OK) {
        status = sq_json_parse(path, text.text != NULL ? text.text : "", text.len, diag, &root);
    }
    sq_buf_fini(&text);
    status = status == SQ_OK ? read_head(&r, root) : status;
    status = status == SQ_OK ? read_metrics(&r, sq_json_get(root, "metrics")) : status;
    status = status == SQ_OK ? read_effective(&r, sq_json_get(root, "effective")) : status;
    sq_json_free(root);
    return status;
}
