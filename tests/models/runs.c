/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.c - see runs.h. */
#include "tests/models/runs.h"

#include "models/mdl_metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void keep(void *probe, const struct mdl_rec *r)
{
    struct mdl_probe *p = probe;
    struct run *run = (struct run *)(void *)((char *)p->world - offsetof(struct run, w));
    if (run->count == run->size) {
        run->size = run->size > 0 ? 2 * run->size : 4096;
        run->seen = sq_mem_resize(run->seen, run->size, sizeof(*run->seen));
        assert_non_null(run->seen);
    }
    run->seen[run->count++] = (struct seen){ mdl_now(&run->w.ctx), *r };
    run->observe(probe, r);
}

static void put(void *ctx, const char *name, double number, const char *word)
{
    struct run *run = ctx;
    (void)word;
    assert_true(run->metric_count < SQ_COUNT(run->metrics));
    struct run_metric *m = &run->metrics[run->metric_count++];
    (void)snprintf(m->name, sizeof(m->name), "%s", name);
    m->value = number;
}

struct run *run_open(const char *yaml, const char *const *sets, size_t set_count)
{
    char path[] = "/tmp/squall-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
    (void)close(fd);
    struct run *run = sq_mem_alloc(1, sizeof(*run));
    assert_non_null(run);
    struct sq_diag diag = { 0 };
    struct mdl_ask ask = {
        .file = path, .sets = sets, .set_count = set_count, .seed = -1, .runs = -1
    };
    enum sq_status status = mdl_scenario_load(&run->s, &ask, &diag);
    (void)unlink(path);
    if (status != SQ_OK) {
        fail_msg("%s", diag.count > 0 ? diag.items[0].text : "no memory");
    }
    assert_int_equal(mdl_world_init(&run->w, &run->s, 1), SQ_OK);
    run->observe = run->w.ctx.observe;
    run->w.ctx.observe = keep;
    assert_int_equal(mdl_world_run(&run->w, 1, NULL, &diag), SQ_OK);
    mdl_metrics_each(&run->w, put, run);
    sq_diag_fini(&diag);
    return run;
}

void run_close(struct run *run)
{
    mdl_world_fini(&run->w);
    mdl_scenario_fini(&run->s);
    sq_mem_free(run->seen);
    sq_mem_free(run);
}

double run_get(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->metric_count; i++) {
        if (strcmp(run->metrics[i].name, name) == 0) {
            return run->metrics[i].value;
        }
    }
    fail_msg("no metric %s", name);
    return 0;
}
