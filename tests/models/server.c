/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server.c - see server.h. */
#include "tests/models/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void see(void *probe, const struct mdl_rec *r)
{
    /* The probe is told by the world's own observer; this one stands before it. */
    struct server *t = *(struct server **)probe;
    if (r->kind == MDL_REC_CALL_ENDED || r->kind == MDL_REC_OUTAGE ||
        r->kind == MDL_REC_OUTAGE_OVER) {
        if (t->count < KEPT) {
            t->kept[t->count] =
                (struct seen){ r->kind, r->outcome, mdl_now(&t->w.ctx), r->value, r->ordinal };
        }
        t->count++;
    }
    if (r->kind == MDL_REC_CALL_ENDED) {
        t->outcomes[r->outcome]++;
        if (r->outcome == MDL_ERR_OK) {
            double x = sq_time_to_s(r->value);
            t->n[r->producer]++;
            t->sum[r->producer] += x;
            t->squares[r->producer] += x * x;
        }
    }
    t->wasted += r->kind == MDL_REC_CALL_WASTED ? 1 : 0;
    t->observe(((void **)probe)[1], r);
}

enum sq_status server_load(struct server *t, const char *text)
{
    *t = (struct server){ .count = 0 };
    char path[] = "/tmp/squall-server-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    struct mdl_ask ask = { .file = path, .runs = -1 };
    enum sq_status status = mdl_scenario_load(&t->s, &ask, &t->diag);
    (void)unlink(path);
    return status;
}

void server_close(struct server *t)
{
    mdl_world_fini(&t->w);
    mdl_scenario_fini(&t->s);
    sq_diag_fini(&t->diag);
}

void server_run(struct server *t, const char *top, const char *clients, const char *d)
{
    char text[2000];
    (void)snprintf(text, sizeof(text), "squall: 1\n%s\nclients:\n%s\ndependencies:\n  d: %s\n", top,
                   clients, d);
    if (server_load(t, text) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&t->diag, &b);
        fail_msg("%s", b.text);
    }
    assert_int_equal(mdl_world_init(&t->w, &t->s, 1), SQ_OK);
    void *chain[2] = { t, t->w.ctx.probe };
    t->observe = t->w.ctx.observe;
    t->w.ctx.observe = see;
    t->w.ctx.probe = chain;
    enum sq_status status =
        mdl_world_run(&t->w, t->s.cfg.duration > 100 * SQ_NS_PER_S ? 1024 : 1, NULL, &t->diag);
    t->w.ctx.probe = chain[1];
    if (status != SQ_OK) {
        fail_msg("status %d: %s", status, t->w.broken != NULL ? t->w.broken : "-");
    }
}
