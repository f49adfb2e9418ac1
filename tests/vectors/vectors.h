/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vectors.h - retry-vectors.csv, delays of real systems, row by row; and which policy of ours each
 * row is judged by. */
#ifndef TESTS_VECTORS_VECTORS_H
#define TESTS_VECTORS_VECTORS_H

#include "sim/base/sq_base.h"

/* Rows whose system contains `system`, version `version` and parameters `parameters` (NULL: any)
 * are judged by the retry block `policy`. The first law that fits counts. */
struct vec_law {
    const char *system, *version, *parameters, *policy;
    double step;     /* of the real system's lattice, s; 0: none */
    const char *why; /* policy NULL: why the row is no delay of a policy */
    double hint;     /* Retry-After in every answer, s; 0: none */
};

extern const struct vec_law vec_laws[];
extern const size_t vec_law_count;

#endif
