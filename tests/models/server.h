/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server.h - a small world of clients and one dependency `d`, and what happened to its calls. */
#ifndef TESTS_MODELS_SERVER_H
#define TESTS_MODELS_SERVER_H

#include "models/mdl_world.h"

#define MS INT64_C(1000000)

enum { KEPT = 64, PRODUCERS = 4 };

struct seen {
    enum mdl_record kind;
    unsigned outcome;
    sq_time_t at, value;
    uint64_t ordinal;
};

struct server {
    struct mdl_scenario s;
    struct mdl_world w;
    struct sq_diag diag;
    void (*observe)(void *probe, const struct mdl_rec *r);
    struct seen kept[KEPT]; /* the first ends of calls, outages and wasted calls */
    size_t count;
    double n[PRODUCERS], sum[PRODUCERS], squares[PRODUCERS]; /* successful calls, s */
    int outcomes[MDL_ERROR_COUNT], wasted;
};

/* Loads the text of a scenario; what is wrong with it stands in t->diag. */
enum sq_status server_load(struct server *t, const char *text);

/* Runs a world of these clients and this dependency, checking the laws after every event when it is
 * short. */
void server_run(struct server *t, const char *top, const char *clients, const char *d);
void server_close(struct server *t);

#endif
