/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario.c - any bytes as a scenario file: it is refused with complaints whose places lie in the
 * file, or accepted; then its echo, read as a file, is accepted too and echoes itself. */
#include "tests/fuzz/fuzz.h"

#include "models/mdl_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char fuzz_name[] = "scenario";
const char *const fuzz_seeds[] = { "tests/bad", NULL };

/* A file of this process. */
static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    FUZZ_PROMISE(f != NULL);
    FUZZ_PROMISE(fwrite(bytes, 1, size, f) == size);
    FUZZ_PROMISE(fclose(f) == 0);
}

static void check_echo(const struct mdl_scenario *s, const char *path)
{
    struct mdl_scenario again = { 0 };
    struct mdl_ask ask = { .file = path, .seed = -1, .runs = -1 };
    struct sq_diag diag = { 0 };
    write_file(path, s->echo, strlen(s->echo));
    FUZZ_PROMISE(mdl_scenario_load(&again, &ask, &diag) == SQ_OK);
    FUZZ_PROMISE(strcmp(again.echo, s->echo) == 0);
    mdl_scenario_fini(&again);
    sq_diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/tmp/squall-fuzz-%ld.yaml", (long)getpid());
    write_file(path, data, size);
    struct mdl_scenario s = { 0 };
    struct mdl_ask ask = { .file = path, .seed = -1, .runs = -1 };
    struct sq_diag diag = { 0 };
    enum sq_status status = mdl_scenario_load(&s, &ask, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    fuzz_check_marks(&diag, path, data, size);
    if (status == SQ_OK) {
        check_echo(&s, path);
    }
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    (void)unlink(path);
    return 0;
}
