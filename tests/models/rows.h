/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.h - small worlds in a table: a scenario, when and how each of its jobs ends, and some
 * figures, all worked out by hand. */
#ifndef TESTS_MODELS_ROWS_H
#define TESTS_MODELS_ROWS_H

#include "tests/models/world.h"

enum {
    DONE = MDL_END_COMPLETED,
    STALE = MDL_END_STALE,
    OLD = MDL_END_SUPERSEDED,
    DEAD = MDL_END_DEAD_LETTERED,
    DROP = MDL_END_DROPPED,
    LOST = MDL_END_LOST
};

struct end {
    double at; /* 0 ends the list */
    int how;   /* enum mdl_end */
    int job;   /* ordinal; -1: of whichever */
};
struct figure {
    const char *metric; /* NULL ends the list */
    double value;
};
struct row {
    const char *what, *yaml;
    struct end ends[12];
    struct figure figures[8];
};

/* Runs each; fails the test at the first difference. */
void check_rows(const struct row *rows, size_t count);

#endif
