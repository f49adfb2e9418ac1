/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.c - see world.h. */
#include "tests/models/world.h"

#include "models/mdl_metrics.h"
#include "models/mdl_probe.h"
#include "sim/conf/sq_conf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- records ---- */

/* Keeps the record; forwards it to the probe. The world is the first member that the probe knows,
 * and the probe's world is inside the struct wld. */
static void keep(void *probe, const struct mdl_rec *r)
{
    struct mdl_probe *p = probe;
    struct wld *t = (struct wld *)(void *)((char *)p->world - offsetof(struct wld, w));
    if (t->rec_count == t->rec_size) {
        t->rec_size = t->rec_size == 0 ? 1024 : 2 * t->rec_size;
        t->recs = sq_mem_resize(t->recs, t->rec_size, sizeof(*t->recs));
        assert_non_null(t->recs);
    }
    t->recs[t->rec_count++] = (struct wld_rec){ mdl_now(&t->w.ctx), *r };
    t->observe(probe, r);
}

size_t wld_times(const struct wld *t, enum mdl_record kind, int outcome, sq_time_t *at, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rec_count; i++) {
        const struct wld_rec *r = &t->recs[i];
        if (r->r.kind == kind && (outcome < 0 || r->r.outcome == outcome)) {
            if (n < size) {
                at[n] = r->at;
            }
            n++;
        }
    }
    return n;
}

const struct wld_rec *wld_rec_at(const struct wld *t, enum mdl_record kind, size_t n)
{
    for (size_t i = 0; i < t->rec_count; i++) {
        if (t->recs[i].r.kind == kind && n-- == 0) {
            return &t->recs[i];
        }
    }
    return NULL;
}

/* ---- metrics ---- */

static void take_metric(void *ctx, const char *name, double number, const char *word)
{
    struct wld *t = ctx;
    struct wld_metric *m = &t->metrics[t->metric_count++];
    assert_true(t->metric_count <= 1000);
    m->name = sq_arena_text(&t->arena, name, strlen(name));
    m->word = word != NULL ? sq_arena_text(&t->arena, word, strlen(word)) : NULL;
    m->number = number;
}

static const struct wld_metric *find(const struct wld *t, const char *name)
{
    for (size_t i = 0; i < t->metric_count; i++) {
        if (strcmp(t->metrics[i].name, name) == 0) {
            return &t->metrics[i];
        }
    }
    fail_msg("there is no metric %s", name);
    return NULL;
}

double wld_get(const struct wld *t, const char *metric)
{
    return find(t, metric)->number;
}

const char *wld_word(const struct wld *t, const char *metric)
{
    return find(t, metric)->word;
}

uint64_t wld_hash(const struct wld *t)
{
    return t->w.ctx.sim.hash;
}

static bool is_excepted(const char *name, const char *const *except)
{
    for (; except != NULL && *except != NULL; except++) {
        if (strncmp(name, *except, strlen(*except)) == 0) {
            return true;
        }
    }
    return false;
}

void wld_same_metrics(const struct wld *a, const struct wld *b, const char *const *except)
{
    for (size_t i = 0; i < a->metric_count; i++) {
        const struct wld_metric *m = &a->metrics[i];
        if (is_excepted(m->name, except)) {
            continue;
        }
        const struct wld_metric *o = find(b, m->name);
        if (m->word != NULL) {
            if (o->word == NULL || strcmp(m->word, o->word) != 0) {
                fail_msg("%s: %s and %s", m->name, m->word, o->word);
            }
        } else if (!(m->number == o->number) && !(isnan(m->number) && isnan(o->number))) {
            fail_msg("%s: %.17g and %.17g", m->name, m->number, o->number);
        }
    }
}

/* ---- loading and running ---- */

const char *wld_complaints(struct wld *t)
{
    struct sq_buf b = { 0 };
    sq_diag_print(&t->diag, &b);
    const char *text = sq_arena_text(&t->arena, b.len > 0 ? b.text : "", b.len);
    sq_buf_fini(&b);
    return text;
}

enum sq_status wld_load(struct wld *t, const char *yaml, const struct mdl_ask *ask)
{
    *t = (struct wld){ 0 };
    (void)snprintf(t->path, sizeof(t->path), "/tmp/squall-test-XXXXXX");
    int fd = mkstemp(t->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
    (void)close(fd);
    struct mdl_ask base = { .runs = -1 };
    base = ask != NULL ? *ask : base;
    base.file = t->path;
    enum sq_status status = mdl_scenario_load(&t->s, &base, &t->diag);
    (void)unlink(t->path);
    return status;
}

void wld_build(struct wld *t, uint64_t replication)
{
    assert_int_equal(mdl_world_init(&t->w, &t->s, replication), SQ_OK);
    t->observe = t->w.ctx.observe;
    t->w.ctx.observe = keep;
}

void wld_finish(struct wld *t)
{
    enum sq_status status = mdl_world_run(&t->w, 1, NULL, &t->diag);
    if (status != SQ_OK) {
        fail_msg("status %d: %s\n%s", status, t->w.broken != NULL ? t->w.broken : "-",
                 wld_complaints(t));
    }
    t->metrics = sq_arena_alloc(&t->arena, 1000, sizeof(*t->metrics));
    mdl_metrics_each(&t->w, take_metric, t);
}

void wld_run_set(struct wld *t, const char *yaml, const char *const *sets, size_t count)
{
    struct mdl_ask ask = { .sets = sets, .set_count = count, .runs = -1 };
    if (wld_load(t, yaml, &ask) != SQ_OK) {
        fail_msg("%s", wld_complaints(t));
    }
    wld_build(t, 1);
    wld_finish(t);
}

void wld_run_variant(struct wld *t, const char *yaml, const char *variant)
{
    struct mdl_ask ask = { .variant = variant, .runs = -1 };
    if (wld_load(t, yaml, &ask) != SQ_OK) {
        fail_msg("%s", wld_complaints(t));
    }
    wld_build(t, 1);
    wld_finish(t);
}

void wld_run(struct wld *t, const char *yaml)
{
    wld_run_variant(t, yaml, NULL);
}

void wld_fini(struct wld *t)
{
    if (t->w.scenario != NULL) {
        mdl_world_fini(&t->w);
    }
    mdl_scenario_fini(&t->s);
    sq_diag_fini(&t->diag);
    sq_arena_fini(&t->arena);
    sq_mem_free(t->recs);
}

/* ---- pieces ---- */

static enum sq_status piece(struct wld_piece *p, const struct sq_field *row, const char *yaml,
                            void *out)
{
    struct sq_table table = { .rows = row, .row_count = 1, .size = sizeof(struct sq_block) };
    struct sq_conf conf = { .arena = &p->arena, .diag = &p->diag };
    struct sq_node *node = NULL;
    char text[2048];
    (void)snprintf(text, sizeof(text), "it: %s\n", yaml);
    enum sq_status status = sq_doc_parse("piece", text, strlen(text), &p->arena, &p->diag, &node);
    if (status == SQ_OK) {
        status = sq_conf_expand(&conf, node, &table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_fill(&conf, node, &table, "");
    }
    return status == SQ_OK ? sq_conf_bind(&conf, node, &table, "", out) : status;
}

enum sq_status wld_block(struct wld_piece *p, const struct sq_family *family, const char *yaml)
{
    *p = (struct wld_piece){ 0 };
    const struct sq_field row = {
        .key = "it", .type = SQ_BLOCK, .more = family, .flags = SQ_F_OPTIONAL, .doc = "It."
    };
    return piece(p, &row, yaml, &p->block);
}

enum sq_status wld_group(struct wld_piece *p, const struct sq_table *table, const char *yaml)
{
    *p = (struct wld_piece){ 0 };
    const struct sq_field row = {
        .key = "it", .type = SQ_GROUP, .more = table, .flags = SQ_F_OPTIONAL, .doc = "It."
    };
    void *out[4] = { NULL };
    enum sq_status status = piece(p, &row, yaml, (void *)out);
    p->group = out[0];
    return status;
}

void wld_piece_fini(struct wld_piece *p)
{
    sq_diag_fini(&p->diag);
    sq_arena_fini(&p->arena);
}

/* ---- conformance ---- */

static void check_sentence(const char *doc, const char *what)
{
    assert_non_null(doc);
    size_t len = strlen(doc);
    if (len < 3 || doc[len - 1] != '.' || strstr(doc, "\n") != NULL) {
        fail_msg("%s: \"%s\" is no sentence with a full stop", what, doc);
    }
}

static void check_rows(const struct sq_table *t, const char *what)
{
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_field *row = &t->rows[i];
        check_sentence(row->doc, row->key);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(t->rows[k].key, row->key) == 0) {
                fail_msg("%s: two rows have the key %s", what, row->key);
            }
        }
        if (row->dflt != NULL) { /* through the same parser as the user's text */
            struct wld_piece p = { 0 };
            struct sq_field alone = *row;
            alone.key = "it";
            alone.off = 0;
            long long room[64] = { 0 };
            if (piece(&p, &alone, row->dflt, room) != SQ_OK) {
                struct sq_buf b = { 0 };
                sq_diag_print(&p.diag, &b);
                fail_msg("%s.%s: the default \"%s\" does not parse: %s", what, row->key, row->dflt,
                         b.text);
            }
            wld_piece_fini(&p);
        }
        if (row->type == SQ_GROUP && row->more != NULL) {
            check_rows(row->more, row->key);
        }
    }
}

size_t wld_conforms(const struct sq_family *family)
{
    size_t now = 0;
    assert_non_null(family->type);
    for (size_t i = 0; i < family->kind_count; i++) {
        const struct sq_kind *k = sq_family_kind(family, i);
        check_sentence(k->doc, k->name);
        assert_ptr_equal(sq_family_find(family, k->name), k); /* names are unique */
        check_rows(&k->table, k->name);
        now += k->later ? 0 : 1;
    }
    if (family->dflt_kind != NULL) {
        const struct sq_kind *k = sq_family_find(family, family->dflt_kind);
        assert_non_null(k);
        assert_false(k->later);
    }
    assert_true(now > 0);
    return now;
}
