/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.c - a folder of results in which one file has been replaced; the first byte says which.
 * It is refused with a complaint, or read; what is read can be written, and what was written is
 * read again, also as a baseline. The folder stays from input to input, so that one file is
 * written for each: most of the time went into files that were the same as before. */
#include "tests/fuzz/fuzz.h"

#include "models/study/mdl_diff.h"
#include "models/study/mdl_replicate.h"
#include "sim/conf/sq_histogram_file.h"
#include "sim/conf/sq_load.h"
#include "sim/conf/sq_load_limits.h"
#include "sim/conf/sq_load_timeline.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_timeline_file.h"
#include "sim/conf/sq_save_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fuzz_name[] = "results";
const char *const fuzz_seeds[] = { NULL };

enum which { SUMMARY, RUNS, SCENARIO, COMPARISON, TIMELINE, HISTOGRAMS, LIMITS, TRIALS, FILES };
static const char *const files[FILES] = { "summary.json",    "runs.csv",     "scenario.yaml",
                                          "comparison.json", "timeline.csv", "histograms.csv",
                                          "limits.json",     "limits.csv" };
/* "one" gets the inputs, "again" what was read of them; the others are as a run left them, and two
 * of them are the variants of a comparison. */
static const char *const folders[] = { "one", "one/a", "one/b", "again", "good" };

struct good {
    struct sq_buf of[FILES]; /* empty: the file is not there */
};

static const char *path_of(char out[FUZZ_PATH], const char *folder, const char *file)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "%s%s%s", folder, file[0] != '\0' ? "/" : "", file);
    return fuzz_path(out, name);
}

static void put(const char *folder, enum which file, const struct sq_buf *text)
{
    char path[FUZZ_PATH];
    fuzz_write(path_of(path, folder, files[file]), text->text, text->len);
}

static void tidy(void)
{
    char path[FUZZ_PATH];
    for (size_t i = SQ_COUNT(folders); i > 0; i--) {
        for (size_t k = 0; k < FILES; k++) {
            (void)unlink(path_of(path, folders[i - 1], files[k]));
        }
    }
    for (size_t i = SQ_COUNT(folders); i > 0; i--) {
        (void)rmdir(path_of(path, folders[i - 1], ""));
    }
}

static const char limits_json[] =
    "{\"squall\": {\"version\": \"1\", \"format\": 1}, \"limits\": {\"title\": \"Fuzz\", "
    "\"file\": \"f.yaml\", \"variant\": \"base\", \"hash\": \"0\", \"seed\": 1, \"runs\": 2, "
    "\"key\": \"k\", \"unit\": \"s\", \"until\": \"a < 1\", \"in\": 1}}";
static const char limits_csv[] =
    "way,key,text,value,holds,runs,held,held_lo,held_hi,collapsed,collapsed_lo,collapsed_hi,"
    "observed,edge\n"
    "limit,k,1s,1,yes,2,2,0.3,1,0,0,0.7,0.5,holds\n"
    "limit,k,2s,2,no,2,0,0,0.7,2,0.3,1,3,fails\n";

/* The results of a small run, made once a process. */
static void make(struct good *g)
{
    static const char yaml[] = "squall: 1\ntitle: Fuzz\nduration: 4s\nruns: 2\n"
                               "clients: {a: {arrivals: 2/s, calls: {d: {timeout: 1s}}}}\n"
                               "dependencies: {d: {servers: 1, service: 300ms}}\n";
    char path[FUZZ_PATH];
    struct mdl_scenario s = { 0 };
    struct sq_result r = { 0 };
    struct sq_diag diag = { 0 };
    fuzz_write(fuzz_path(path, "made.yaml"), yaml, sizeof(yaml) - 1);
    struct mdl_ask ask = { .file = path, .runs = -1 };
    struct mdl_replicate_ask runs = { .first = 1, .count = 2, .threads = 1, .check_every = 1 };
    FUZZ_PROMISE(mdl_scenario_load(&s, &ask, &diag) == SQ_OK);
    FUZZ_PROMISE(mdl_replicate(&s, &runs, &r, &diag) == SQ_OK);
    FUZZ_PROMISE(sq_save_summary(&r, &g->of[SUMMARY]) == SQ_OK);
    FUZZ_PROMISE(sq_save_runs(&r, &g->of[RUNS]) == SQ_OK);
    sq_buf_puts(&g->of[SCENARIO], s.echo);
    sq_buf_puts(&g->of[LIMITS], limits_json);
    sq_buf_puts(&g->of[TRIALS], limits_csv);
    sq_arena_fini(&r.arena);
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    (void)unlink(path);
    (void)atexit(tidy);
    for (size_t i = 0; i < SQ_COUNT(folders); i++) {
        (void)mkdir(path_of(path, folders[i], ""), 0700);
        for (size_t k = 0; k < FILES; k++) {
            if (g->of[k].len > 0) {
                put(folders[i], (enum which)k, &g->of[k]);
            }
        }
    }
}

/* Of what was read: written, it is read again. */
static void check_again(const struct sq_result *r)
{
    struct sq_buf summary = { 0 }, rows = { 0 }, echo = { 0 };
    struct sq_result again = { 0 };
    struct sq_diag diag = { 0 };
    char folder[FUZZ_PATH];
    struct sq_result bare = *r; /* rows are written in our spelling: their seals are other ones */
    bare.seals = NULL;
    FUZZ_PROMISE(sq_save_summary(&bare, &summary) == SQ_OK);
    FUZZ_PROMISE(sq_save_runs(r, &rows) == SQ_OK);
    sq_buf_puts(&echo, r->echo != NULL ? r->echo : "");
    put("again", SUMMARY, &summary);
    put("again", RUNS, &rows);
    put("again", SCENARIO, &echo);
    FUZZ_PROMISE(sq_load_result(path_of(folder, "again", ""), &again, &diag) == SQ_OK);
    FUZZ_PROMISE(again.run_count == r->run_count && again.metric_count == r->metric_count);
    sq_arena_fini(&again.arena);
    sq_diag_fini(&diag);
    sq_buf_fini(&summary);
    sq_buf_fini(&rows);
    sq_buf_fini(&echo);
}

static void read_folder(const char *folder)
{
    struct sq_diag diag = { 0 }, diff_diag = { 0 };
    struct sq_loaded l = { 0 };
    struct mdl_diff d = { 0 };
    char good[FUZZ_PATH];
    enum sq_status status = sq_load_folder(folder, &l, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    if (status == SQ_OK) {
        for (size_t i = 0; i < l.result_count; i++) {
            check_again(&l.results[i]);
        }
        status = mdl_diff_open(&d, path_of(good, "good", ""), folder, &diff_diag);
        FUZZ_PROMISE((status == SQ_OK) == (diff_diag.errors == 0));
        mdl_diff_fini(&d);
    }
    sq_loaded_fini(&l);
    sq_diag_fini(&diag);
    sq_diag_fini(&diff_diag);
}

/* A result as far as a timeline or a histogram needs one. */
static struct sq_result empty_result(void)
{
    return (struct sq_result){ .duration_ns = 4 * SQ_NS_PER_S, .run_count = 2 };
}

static void read_series(const char *folder, enum which file)
{
    struct sq_diag diag = { 0 };
    struct sq_buf text = { 0 };
    struct sq_result r = empty_result(), again = empty_result();
    char other[FUZZ_PATH];
    bool bins = file == TIMELINE;
    enum sq_status status =
        bins ? sq_load_timeline(folder, &r, &diag) : sq_load_histograms(folder, &r, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    if (status == SQ_OK) {
        FUZZ_PROMISE((bins ? sq_save_timeline(&r, &text) : sq_save_histograms(&r, &text)) == SQ_OK);
        (void)path_of(other, "again", "");
    }
    if (status == SQ_OK && (bins ? r.series.bin_count > 0 : r.histogram_count > 0)) {
        put("again", file, &text);
        status = bins ? sq_load_timeline(other, &again, &diag)
                      : sq_load_histograms(other, &again, &diag);
        FUZZ_PROMISE(status == SQ_OK);
        FUZZ_PROMISE(again.histogram_count == r.histogram_count);
        FUZZ_PROMISE(again.series.column_count == r.series.column_count);
    }
    sq_buf_fini(&text);
    sq_arena_fini(&r.arena);
    sq_arena_fini(&again.arena);
    sq_diag_fini(&diag);
}

static void read_limits(const char *folder)
{
    struct sq_diag diag = { 0 };
    struct sq_buf head = { 0 }, rows = { 0 };
    struct sq_limits l = { 0 }, again = { 0 };
    char other[FUZZ_PATH];
    enum sq_status status = sq_load_limits(folder, &l, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    if (status == SQ_OK) {
        FUZZ_PROMISE(sq_save_limits_json(&l, &head) == SQ_OK);
        FUZZ_PROMISE(sq_save_limits_csv(&l, &rows) == SQ_OK);
        put("again", LIMITS, &head);
        put("again", TRIALS, &rows);
        FUZZ_PROMISE(sq_load_limits(path_of(other, "again", ""), &again, &diag) == SQ_OK);
        FUZZ_PROMISE(again.way_count == l.way_count && again.runs == l.runs);
    }
    sq_buf_fini(&head);
    sq_buf_fini(&rows);
    sq_arena_fini(&l.arena);
    sq_arena_fini(&again.arena);
    sq_diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct good good;
    char path[FUZZ_PATH], folder[FUZZ_PATH];
    if (size == 0) {
        return 0;
    }
    if (good.of[SUMMARY].len == 0) {
        make(&good);
    }
    enum which file = (enum which)(data[0] % FILES);
    fuzz_write(path_of(path, "one", files[file]), data + 1, size - 1);
    (void)path_of(folder, "one", "");
    if (file <= COMPARISON) {
        read_folder(folder);
    } else if (file <= HISTOGRAMS) {
        read_series(folder, file);
    } else {
        read_limits(folder);
    }
    if (good.of[file].len > 0) {
        put("one", file, &good.of[file]);
    } else {
        (void)unlink(path);
    }
    return 0;
}
