/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario.c - any bytes as a scenario file: it is refused with complaints whose places lie in the
 * file, or accepted; then its echo, read as a file, is accepted too and echoes itself, and the
 * first events of a run keep all laws. */
#include "tests/fuzz/fuzz.h"

#include "models/mdl_world.h"
#include "models/study/mdl_estimate.h"

#include <string.h>
#include <unistd.h>

const char fuzz_name[] = "scenario";
const char *const fuzz_seeds[] = { "tests/bad", NULL };

enum { RUN_EVENTS = 4000, RUN_BYTES = 64 << 20 };

static void check_echo(const struct mdl_scenario *s, const char *path)
{
    struct mdl_scenario again = { 0 };
    struct mdl_ask ask = { .file = path, .runs = -1 };
    struct sq_diag diag = { 0 };
    fuzz_write(path, s->echo, strlen(s->echo));
    FUZZ_PROMISE(mdl_scenario_load(&again, &ask, &diag) == SQ_OK);
    FUZZ_PROMISE(strcmp(again.echo, s->echo) == 0);
    mdl_scenario_fini(&again);
    sq_diag_fini(&diag);
}

/* The laws after every one of some thousand events, in little memory. */
static void check_run(const struct mdl_scenario *s)
{
    struct mdl_world w;
    struct sq_diag diag = { 0 };
    struct mdl_replicate_ask ask = { .first = 1, .count = 1, .threads = 1 };
    sq_mem_set_limit(sq_mem_used() + RUN_BYTES);
    enum sq_status status = mdl_estimate_check(&s, 1, &ask, &diag);
    FUZZ_PROMISE(status == SQ_OK || diag.errors > 0);
    if (status == SQ_OK) {
        status = mdl_world_init(&w, s, 1);
        if (status == SQ_OK) {
            w.ctx.sim.most_events = RUN_EVENTS;
            status = mdl_world_run(&w, 1, NULL, &diag);
        }
        FUZZ_PROMISE(status == SQ_OK || status == SQ_LIMIT || status == SQ_NOMEM);
        mdl_world_fini(&w);
    }
    sq_mem_set_limit(SIZE_MAX);
    sq_diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    fuzz_write(fuzz_path(path, "it.yaml"), data, size);
    struct mdl_scenario s = { 0 };
    struct mdl_ask ask = { .file = path, .runs = -1 };
    struct sq_diag diag = { 0 };
    enum sq_status status = mdl_scenario_load(&s, &ask, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    fuzz_check_marks(&diag, path, data, size);
    if (status == SQ_OK) {
        check_echo(&s, path);
        check_run(&s);
    }
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    (void)unlink(path);
    return 0;
}
