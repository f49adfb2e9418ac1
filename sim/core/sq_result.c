/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_result.c - finding metrics and columns by name. */
#include "sim/core/sq_result.h"

#include <string.h>

long sq_result_metric(const struct sq_result *r, const char *name)
{
    for (size_t i = 0; i < r->metric_count; i++) {
        if (strcmp(r->metric_names[i], name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

long sq_series_column(const struct sq_series *s, const char *name)
{
    for (size_t i = 0; i < s->column_count; i++) {
        if (strcmp(s->columns[i].name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}
