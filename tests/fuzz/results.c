/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.c - a folder of results in which one file has been replaced: by the first byte the
 * summary, the rows of the runs, the effective scenario, or a comparison that was not there. It is
 * refused with a complaint, or read; what is read can be written, and what was written is read
 * again, also as a baseline. */
#include "tests/fuzz/fuzz.h"

#include "models/study/mdl_diff.h"
#include "models/study/mdl_replicate.h"
#include "sim/conf/sq_load.h"
#include "sim/conf/sq_save.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fuzz_name[] = "results";
const char *const fuzz_seeds[] = { NULL };

static const char *const files[] = { "summary.json", "runs.csv", "scenario.yaml",
                                     "comparison.json" };
enum { FILES = 4, KEPT = 3 };

static void path_of(char out[128], const char *folder, const char *file)
{
    (void)snprintf(out, 128, "/tmp/squall-fuzz-%ld-%s%s%s", (long)getpid(), folder,
                   file != NULL ? "/" : "", file != NULL ? file : "");
}

static void write_file(const char *folder, const char *file, const void *bytes, size_t size)
{
    char path[128];
    path_of(path, folder, NULL);
    (void)mkdir(path, 0700);
    path_of(path, folder, file);
    FILE *f = fopen(path, "wb");
    FUZZ_PROMISE(f != NULL);
    FUZZ_PROMISE(fwrite(bytes, 1, size, f) == size);
    FUZZ_PROMISE(fclose(f) == 0);
}

/* The results of a small run, made once a process. */
static void make(struct sq_buf good[KEPT])
{
    static const char yaml[] = "squall: 1\ntitle: Fuzz\nduration: 4s\nruns: 2\n"
                               "clients: {a: {arrivals: 2/s, calls: {d: {timeout: 1s}}}}\n"
                               "dependencies: {d: {servers: 1, service: 300ms}}\n";
    char path[128];
    struct mdl_scenario s = { 0 };
    struct sq_result r = { 0 };
    struct sq_diag diag = { 0 };
    write_file("made", "scenario.yaml", yaml, sizeof(yaml) - 1);
    path_of(path, "made", "scenario.yaml");
    struct mdl_ask ask = { .file = path, .runs = -1 };
    struct mdl_replicate_ask runs = { .first = 1, .count = 2, .threads = 1, .check_every = 1 };
    FUZZ_PROMISE(mdl_scenario_load(&s, &ask, &diag) == SQ_OK);
    FUZZ_PROMISE(mdl_replicate(&s, &runs, &r, &diag) == SQ_OK);
    FUZZ_PROMISE(sq_save_summary(&r, &good[0]) == SQ_OK);
    FUZZ_PROMISE(sq_save_runs(&r, &good[1]) == SQ_OK);
    sq_buf_puts(&good[2], s.echo);
    sq_arena_fini(&r.arena);
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    (void)unlink(path);
}

/* Of what was read: written, it is read again. */
static void check_again(const struct sq_result *r)
{
    struct sq_buf summary = { 0 }, rows = { 0 };
    struct sq_result again = { 0 };
    struct sq_diag diag = { 0 };
    char folder[128];
    FUZZ_PROMISE(sq_save_summary(r, &summary) == SQ_OK);
    FUZZ_PROMISE(sq_save_runs(r, &rows) == SQ_OK);
    write_file("again", files[0], summary.text, summary.len);
    write_file("again", files[1], rows.text, rows.len);
    write_file("again", files[2], r->echo != NULL ? r->echo : "",
               r->echo != NULL ? strlen(r->echo) : 0);
    path_of(folder, "again", NULL);
    FUZZ_PROMISE(sq_load_result(folder, &again, &diag) == SQ_OK);
    FUZZ_PROMISE(again.run_count == r->run_count);
    sq_arena_fini(&again.arena);
    sq_diag_fini(&diag);
    sq_buf_fini(&summary);
    sq_buf_fini(&rows);
}

static void read_folder(const char *folder)
{
    struct sq_diag diag = { 0 }, loaded_diag = { 0 }, diff_diag = { 0 };
    struct sq_result r = { 0 };
    struct sq_loaded l = { 0 };
    struct mdl_diff d = { 0 };
    enum sq_status status = sq_load_result(folder, &r, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    if (status == SQ_OK) {
        check_again(&r);
    }
    status = sq_load_folder(folder, &l, &loaded_diag);
    FUZZ_PROMISE((status == SQ_OK) == (loaded_diag.errors == 0));
    status = mdl_diff_open(&d, folder, folder, &diff_diag);
    FUZZ_PROMISE((status == SQ_OK) == (diff_diag.errors == 0));
    mdl_diff_fini(&d);
    sq_loaded_fini(&l);
    sq_arena_fini(&r.arena);
    sq_diag_fini(&diag);
    sq_diag_fini(&loaded_diag);
    sq_diag_fini(&diff_diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sq_buf good[KEPT];
    char path[128];
    if (size == 0) {
        return 0;
    }
    if (good[0].len == 0) {
        make(good);
    }
    size_t which = data[0] % FILES;
    for (size_t i = 0; i < KEPT; i++) {
        write_file("one", files[i], good[i].text, good[i].len);
    }
    write_file("one", files[which], data + 1, size - 1);
    path_of(path, "one", NULL);
    read_folder(path);
    for (size_t i = 0; i < FILES; i++) {
        path_of(path, "one", files[i]);
        (void)unlink(path);
        path_of(path, "again", files[i]);
        (void)unlink(path);
    }
    static const char *const folders[] = { "one", "again", "made" };
    for (size_t i = 0; i < SQ_COUNT(folders); i++) {
        path_of(path, folders[i], NULL);
        (void)rmdir(path);
    }
    return 0;
}
