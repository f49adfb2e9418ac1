/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.h - small worlds for tests: a scenario as text, run to its end under the laws after every
 * event, with its metrics and its semantic records; and single blocks as text, bound by their rows.
 */
#ifndef TESTS_MODELS_WORLD_H
#define TESTS_MODELS_WORLD_H

#include "models/mdl_world.h"

struct wld_metric {
    const char *name, *word;
    double number;
};

struct wld_rec {
    sq_time_t at;
    struct mdl_rec r;
};

struct wld {
    char path[64]; /* the scenario's file, gone after loading */
    struct sq_diag diag;
    struct mdl_scenario s;
    struct mdl_world w;
    struct sq_arena arena;
    size_t metric_count, rec_count, rec_size;
    struct wld_metric *metrics;
    struct wld_rec *recs;
    void (*observe)(void *probe, const struct mdl_rec *r); /* the probe's own */
};

/* Loads and runs replication 1 of the base (or of `variant`); fails the test with the complaint
 * when something is wrong. Free with wld_fini. */
void wld_run(struct wld *t, const char *yaml);
void wld_run_variant(struct wld *t, const char *yaml, const char *variant);
/* The same with --set assignments. */
void wld_run_set(struct wld *t, const char *yaml, const char *const *sets, size_t count);

/* The parts of wld_run, for tests that look at what happens in between. */
enum sq_status wld_load(struct wld *t, const char *yaml, const struct mdl_ask *ask) SQ_MUST_USE;
void wld_build(struct wld *t, uint64_t replication);
void wld_finish(struct wld *t);
void wld_fini(struct wld *t);

/* A metric by name; the test fails when there is none. NaN is null. */
double wld_get(const struct wld *t, const char *metric);
const char *wld_word(const struct wld *t, const char *metric);
uint64_t wld_hash(const struct wld *t);

/* Records of a kind, in order of time; outcome -1: any. Returns how many there are, and writes the
 * instants of the first `size`. */
size_t wld_times(const struct wld *t, enum mdl_record kind, int outcome, sq_time_t *at,
                 size_t size);
/* The n-th (from 0) record of a kind; NULL: there are not so many. */
const struct wld_rec *wld_rec_at(const struct wld *t, enum mdl_record kind, size_t n);

/* The complaints as they are printed; valid until wld_fini. */
const char *wld_complaints(struct wld *t);

/* Compares every metric of `a` whose name does not start with one of the prefixes (a list that ends
 * with NULL) with the one of the same name in `b`. Numbers must be equal, NaN equals NaN. Names
 * that `b` has not fail. */
void wld_same_metrics(const struct wld *a, const struct wld *b, const char *const *except);

/* One block or group as a user writes it. */
struct wld_piece {
    struct sq_arena arena;
    struct sq_diag diag;
    struct sq_block block;
    void *group;
};
enum sq_status wld_block(struct wld_piece *p, const struct sq_family *family,
                         const char *yaml) SQ_MUST_USE;
enum sq_status wld_group(struct wld_piece *p, const struct sq_table *table,
                         const char *yaml) SQ_MUST_USE;
void wld_piece_fini(struct wld_piece *p);

/* Every kind that is not for later: its defaults parse, docs are one sentence with a full stop,
 * keys are unique. Returns how many kinds there are. */
size_t wld_conforms(const struct sq_family *family);

#define WLD_S(x) ((sq_time_t)((x)*1000000000.0 + 0.5))

#endif
