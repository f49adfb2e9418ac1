/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_baseline.c - one variant against its baseline. */
#include "models/study/mdl_baseline.h"

#include "models/study/mdl_baseline_in.h"
#include "sim/conf/sq_changes.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_snapshot.h"

#include <string.h>
#include <sys/stat.h>

enum { SHIFTS_TOLD = 20, SHIFTS_IN_TEXT = 4, KEYS_IN_TEXT = 4 };
enum { RUNS_ENOUGH = 5 }; /* of 3 a mean has to move by 13 standard deviations, of 5 by 4.5 */

bool mdl_baseline_fails(const struct mdl_baseline_verdict *v)
{
    return v->state >= MDL_BASELINE_SHIFTED && v->state <= MDL_BASELINE_WRONG;
}

const char *mdl_baseline_word(enum mdl_baseline_state state)
{
    static const char *const words[] = {
        [MDL_BASELINE_NONE] = "none",       [MDL_BASELINE_HELD] = "held",
        [MDL_BASELINE_SHIFTED] = "shifted", [MDL_BASELINE_REMOVED] = "removed",
        [MDL_BASELINE_MISSING] = "missing", [MDL_BASELINE_WRONG] = "wrong",
        [MDL_BASELINE_WRITTEN] = "written", [MDL_BASELINE_DELETED] = "deleted",
    };
    return words[state];
}

/* ---- places ---- */

const char *mdl_baseline_name(struct sq_arena *arena, const char *path)
{
    struct sq_buf b = { 0 };
    while (*path != '\0') {
        size_t len = strcspn(path, "/");
        bool here = len == 0 || (len == 1 && path[0] == '.');
        if (!here) {
            sq_buf_puts(&b, b.len > 0 ? "/" : "");
            sq_buf_add(&b, path, len);
        }
        path += len + (path[len] == '/');
    }
    const char *name = b.failed || b.text == NULL ? NULL : sq_arena_text(arena, b.text, b.len);
    sq_buf_fini(&b);
    return name;
}

const char *mdl_baseline_folder(struct sq_arena *arena, const struct mdl_baseline_ask *ask)
{
    size_t len = strlen(ask->folder);
    while (len > 1 && ask->folder[len - 1] == '/') {
        len--;
    }
    return sq_arena_text(arena, ask->folder, len);
}

const char *mdl_baseline_path(struct sq_arena *arena, const struct mdl_baseline_ask *ask,
                              const char *name, const char *variant)
{
    const char *folder = mdl_baseline_folder(arena, ask);
    size_t stem = strlen(name);
    stem -= stem > 5 && strcmp(name + stem - 5, ".yaml") == 0 ? 5 : 0;
    return folder == NULL
               ? NULL
               : sq_arena_printf(arena, "%s/%.*s/%s.json", folder, (int)stem, name, variant);
}

static bool leads_up(const char *path)
{
    for (const char *at = strstr(path, ".."); at != NULL; at = strstr(at + 1, "..")) {
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0')) {
            return true;
        }
    }
    return false;
}

enum sq_status mdl_baseline_check(const struct mdl_baseline_ask *ask, const char *const *scenarios,
                                  size_t count, struct sq_diag *diag)
{
    struct stat st;
    struct sq_where where = { .file = ask->folder };
    enum sq_status status = SQ_OK;
    if (ask->folder == NULL) {
        return SQ_OK;
    }
    bool exists = stat(ask->folder, &st) == 0;
    if (exists && !S_ISDIR(st.st_mode)) {
        return sq_diag_error(diag, where, "--baseline",
                             "baselines are a folder, a file per scenario", "this is a file");
    }
    if (!ask->update && !exists) {
        return sq_diag_error(diag, where, "--baseline", "--update-baseline makes it",
                             "there is no such folder");
    }
    for (size_t i = 0; i < count; i++) {
        if (leads_up(scenarios[i])) {
            status = sq_diag_error(diag, (struct sq_where){ .file = scenarios[i] }, "--baseline",
                                   "run the check from a folder above all scenarios",
                                   "baselines are known by the path from here, and `..` leads out");
        }
    }
    return status;
}

/* ---- comparing ---- */

struct judge {
    const struct mdl_baseline_ask *ask;
    const struct mdl_baseline_at *at;
    const char *path; /* of the baseline */
    struct sq_snapshot was, is;
    struct mdl_baseline_verdict *out;
    struct sq_buf text;
    size_t gone, fresh, open;
};

static long find_name(const struct sq_snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->metric_count; i++) {
        if (strcmp(s->names[i], name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

/* A sentence about a metric. */
static enum sq_status tell_shift(struct judge *j, const struct sq_buf *text)
{
    struct mdl_baseline_verdict *v = j->out;
    v->shift_count++;
    if (v->told == SHIFTS_TOLD) {
        return SQ_OK;
    }
    const char *copy = text->failed ? NULL : sq_arena_text(j->at->arena, text->text, text->len);
    v->shifts[v->told++] = copy;
    return copy != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status compare_metric(struct judge *j, size_t i)
{
    struct sq_buf text = { 0 };
    const char *name = j->was.names[i];
    long now = find_name(&j->is, name);
    struct sq_shift_ask ask = { .metric = name,
                                .was = &j->was.cells[i],
                                .is = now >= 0 ? &j->is.cells[now] : NULL,
                                .was_runs = j->was.run_count,
                                .is_runs = j->is.run_count,
                                .same_luck = j->was.seed == j->is.seed,
                                .tolerance = mdl_tolerance_of(&j->ask->tolerances, name) };
    if (ask.tolerance.off) {
        return SQ_OK;
    }
    j->out->metrics++;
    struct sq_shift shift = { .kind = SQ_SHIFT_NONE };
    if (now < 0) {
        sq_buf_printf(&text, "%s is no metric any more", name);
        j->gone++;
    } else {
        shift = sq_shift_find(&ask);
    }
    j->open += shift.kind == SQ_SHIFT_OPEN;
    if (shift.kind > SQ_SHIFT_OPEN) {
        sq_shift_put(&shift, &text);
    }
    enum sq_status status = text.len > 0 || text.failed ? tell_shift(j, &text) : SQ_OK;
    sq_buf_fini(&text);
    return status;
}

static enum sq_status compare_all(struct judge *j)
{
    enum sq_status status = SQ_OK;
    j->out->shifts = sq_arena_alloc(j->at->arena, SHIFTS_TOLD, sizeof(*j->out->shifts));
    if (j->out->shifts == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < j->was.metric_count && status == SQ_OK; i++) {
        status = compare_metric(j, i);
    }
    for (size_t i = 0; i < j->is.metric_count; i++) {
        j->fresh += find_name(&j->was, j->is.names[i]) < 0;
    }
    return status;
}

/* ---- in words ---- */

static void put_count(struct sq_buf *b, size_t count, const char *what)
{
    sq_buf_printf(b, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

static void put_shifts(struct judge *j)
{
    const struct mdl_baseline_verdict *v = j->out;
    size_t shown = v->told < SHIFTS_IN_TEXT ? v->told : SHIFTS_IN_TEXT;
    for (size_t i = 0; i < shown; i++) {
        sq_buf_printf(&j->text, "%s%s", i == 0 ? ": " : "; ", v->shifts[i]);
    }
    if (v->shift_count > shown) {
        sq_buf_printf(&j->text, "; and %zu more", v->shift_count - shown);
    }
}

/* "; 2 keys changed: workers.pool.slots: 2 -> 3, ...". */
static void put_keys(struct judge *j)
{
    struct sq_buf keys = { 0 };
    size_t count = sq_changes(j->was.echo, j->is.echo, NULL, &keys), shown = 0;
    if (count > 0) {
        sq_buf_puts(&j->text, "; ");
        put_count(&j->text, count, "key");
        sq_buf_puts(&j->text, " changed");
    }
    for (const char *key = keys.text; count > 0 && *key != '\0' && shown < KEYS_IN_TEXT; shown++) {
        size_t len = strcspn(key, "\n");
        sq_buf_puts(&j->text, shown == 0 ? ": " : ", ");
        sq_buf_add(&j->text, key, len);
        key += len + (key[len] == '\n');
    }
    if (count > shown) {
        sq_buf_printf(&j->text, ", and %zu more", count - shown);
    }
    j->text.failed = j->text.failed || keys.failed;
    sq_buf_fini(&keys);
}

/* What else is good to know when the two are compared. */
static void put_notes(struct judge *j)
{
    if (j->fresh > 0) {
        sq_buf_puts(&j->text, "; ");
        put_count(&j->text, j->fresh, "metric");
        sq_buf_puts(&j->text, j->fresh == 1 ? " is new" : " are new");
    }
    if (j->open > 0) {
        sq_buf_printf(&j->text,
                      "; %zu cannot be told: one run of seed %llu against one of seed %llu",
                      j->open, (unsigned long long)j->was.seed, (unsigned long long)j->is.seed);
    }
    size_t runs = j->was.run_count < j->is.run_count ? j->was.run_count : j->is.run_count;
    if (runs > 1 && runs < RUNS_ENOUGH) {
        sq_buf_printf(&j->text, "; %zu runs show large shifts only", runs);
    }
    if (strcmp(j->was.version, j->is.version) != 0) {
        sq_buf_printf(&j->text, "; the baseline is of squall %s, this is %s", j->was.version,
                      j->is.version);
    }
    if (strcmp(j->was.hash, j->is.hash) != 0) {
        put_keys(j);
    }
}

static void put_comparison(struct judge *j)
{
    const struct mdl_baseline_verdict *v = j->out;
    if (v->shift_count == 0) {
        put_count(&j->text, v->metrics, "metric");
        sq_buf_puts(&j->text, " as before");
    } else {
        sq_buf_printf(&j->text, "%zu of ", v->shift_count);
        put_count(&j->text, v->metrics, "metric");
        sq_buf_puts(&j->text, " shifted");
        put_shifts(j);
    }
    put_notes(j);
}

/* ---- one variant ---- */

static enum sq_status wrong(struct judge *j, const char *text)
{
    j->out->state = MDL_BASELINE_WRONG;
    sq_buf_puts(&j->text, text);
    return SQ_OK;
}

/* The baseline as it is, into `was`; otherwise the verdict says what is wrong with it. */
static enum sq_status read_old(struct judge *j, struct sq_diag *diag)
{
    struct stat st;
    struct sq_where where = { .file = j->path };
    if (stat(j->path, &st) != 0) {
        (void)sq_diag_error(diag, where, NULL, "--update-baseline writes it",
                            "is missing: %s, variant %s, has no baseline", j->at->scenario,
                            j->is.variant);
        j->out->state = MDL_BASELINE_MISSING;
        sq_buf_puts(&j->text, "new: it has no baseline; --update-baseline writes it");
        return SQ_OK;
    }
    enum sq_status status = sq_snapshot_read(j->path, j->at->arena, &j->was, diag);
    if (status != SQ_OK) {
        return status == SQ_USER ? wrong(j, "its baseline cannot be read") : status;
    }
    if (strcmp(j->was.file, j->is.file) != 0 || strcmp(j->was.variant, j->is.variant) != 0) {
        (void)sq_diag_error(diag, where, "scenario", "--update-baseline writes it anew",
                            "is of %s, variant %s, and not of %s, variant %s", j->was.file,
                            j->was.variant, j->is.file, j->is.variant);
        return wrong(j, "its baseline is of another scenario");
    }
    return SQ_OK;
}

static enum sq_status write_new(struct judge *j, struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    struct sq_buf old = { 0 };
    struct sq_diag none = { 0 };
    enum sq_status status = sq_snapshot_write(&j->is, &text);
    bool there = sq_file_read(j->path, SIZE_MAX, &old, &none) == SQ_OK;
    bool same = status == SQ_OK && there && old.len == text.len &&
                memcmp(old.text, text.text, text.len) == 0;
    if (status == SQ_OK && !same) {
        const char *name = sq_file_name(j->path);
        const char *folder = sq_arena_text(j->at->arena, j->path, (size_t)(name - j->path) - 1);
        status = folder != NULL ? sq_file_folder(folder, diag) : SQ_NOMEM;
        status = status == SQ_OK ? sq_file_write(j->path, text.text, text.len, diag) : status;
    }
    sq_diag_fini(&none);
    sq_buf_fini(&old);
    sq_buf_fini(&text);
    return status;
}

/* Compares, so that it is told what was accepted, and writes. */
static enum sq_status update(struct judge *j, struct sq_diag *diag)
{
    struct sq_diag none = { 0 };
    enum sq_status status = read_old(j, &none);
    enum mdl_baseline_state before = j->out->state;
    sq_diag_fini(&none);
    if (before == MDL_BASELINE_NONE && status == SQ_OK) {
        status = compare_all(j);
        sq_buf_puts(&j->text, "written: ");
        put_comparison(j);
    } else {
        j->text.len = 0;
        sq_buf_puts(&j->text, before == MDL_BASELINE_MISSING
                                  ? "written: it had none"
                                  : "written in place of one that could not be read");
    }
    j->out->state = MDL_BASELINE_WRITTEN;
    return status == SQ_OK ? write_new(j, diag) : status;
}

static enum sq_status compare(struct judge *j, struct sq_diag *diag)
{
    enum sq_status status = read_old(j, diag);
    if (status != SQ_OK || j->out->state != MDL_BASELINE_NONE) {
        return status;
    }
    status = compare_all(j);
    j->out->state = j->out->shift_count > 0 ? MDL_BASELINE_SHIFTED : MDL_BASELINE_HELD;
    put_comparison(j);
    return status;
}

static enum sq_status judge(struct judge *j, struct sq_diag *diag)
{
    struct sq_arena *arena = j->at->arena;
    j->path = mdl_baseline_path(arena, j->ask, j->is.file, j->is.variant);
    enum sq_status status = j->path != NULL ? sq_paths_add(j->at->paths, arena, j->path) : SQ_NOMEM;
    status = status == SQ_OK ? (j->ask->update ? update(j, diag) : compare(j, diag)) : status;
    if (status == SQ_OK) {
        j->out->text = j->text.failed ? NULL : sq_arena_text(arena, j->text.text, j->text.len);
        status = j->out->text != NULL ? SQ_OK : SQ_NOMEM;
    }
    sq_buf_fini(&j->text);
    return status;
}

enum sq_status mdl_baseline_judge(const struct mdl_baseline_ask *ask, const struct sq_result *r,
                                  const struct mdl_baseline_at *at,
                                  struct mdl_baseline_verdict *out, struct sq_diag *diag)
{
    struct sq_comparison c = { 0 };
    *out = (struct mdl_baseline_verdict){ .scenario = at->scenario };
    struct judge j = { .ask = ask, .at = at, .out = out };
    const char *name = mdl_baseline_name(at->arena, at->scenario);
    out->variant = sq_arena_text(at->arena, r->variant, strlen(r->variant));
    enum sq_status status =
        name != NULL && out->variant != NULL ? sq_comparison_make(r, 1, &c) : SQ_NOMEM;
    if (status == SQ_OK) {
        j.is = (struct sq_snapshot){ .version = r->version,
                                     .file = name,
                                     .title = r->title,
                                     .variant = out->variant,
                                     .hash = r->scenario_hash,
                                     .echo = r->echo,
                                     .seed = r->seed,
                                     .run_count = r->run_count,
                                     .metric_count = c.metric_count,
                                     .names = c.metric_names,
                                     .cells = c.variants[0].cells };
        status = judge(&j, diag);
    }
    sq_arena_fini(&c.arena);
    return status;
}
