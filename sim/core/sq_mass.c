/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mass.c - shares of delays, put into bins. */
#include "sim/core/sq_mass.h"

#include <math.h>
#include <string.h>

void sq_mass_init(struct sq_mass *m, double bin_s, bool anywhere, size_t limit)
{
    SQ_ASSERT(bin_s > 0 && limit > 0);
    *m = (struct sq_mass){ .bin_s = bin_s, .anywhere = anywhere, .limit = limit };
}

void sq_mass_fini(struct sq_mass *m)
{
    sq_mem_free(m->bins);
    m->bins = NULL;
    m->count = m->size = 0;
}

static bool room(struct sq_mass *m, size_t count)
{
    if (count > m->size) {
        size_t size = count > 2 * m->size ? count : 2 * m->size;
        double *more = sq_mem_resize(m->bins, size, sizeof(*more));
        if (more == NULL) {
            m->failed = true;
            return false;
        }
        memset(more + m->size, 0, (size - m->size) * sizeof(*more));
        m->bins = more;
        m->size = size;
    }
    m->count = count > m->count ? count : m->count;
    return true;
}

static void put(struct sq_mass *m, double bin, double share)
{
    double last = (double)(m->limit - 1);
    size_t at = bin < last ? (size_t)bin : m->limit - 1;
    if (share > 0 && room(m, at + 1)) {
        m->bins[at] += share;
    }
}

/* All of it in one bin, on average `within` of a bin after its start: a failure that happens
 * anywhere in its bin carries that part over into the next one. */
static void put_within(struct sq_mass *m, double bin, double within, double share)
{
    double over = m->anywhere ? share * within : 0;
    put(m, bin, share - over);
    put(m, bin + 1, over);
}

void sq_mass_add(struct sq_mass *m, double from_s, double to_s, double share)
{
    double from = fmax(0, from_s) / m->bin_s, to = fmax(0, to_s) / m->bin_s;
    SQ_ASSERT(to >= from && share >= 0);
    double bin = floor(from), last = (double)m->limit;
    if (from >= last || !(to > from)) {
        put_within(m, bin, from - bin, share);
        return;
    }
    for (; bin < to && !m->failed; bin++) {
        double low = fmax(from, bin), high = bin >= last ? to : fmin(to, bin + 1);
        put_within(m, bin, bin >= last ? 0 : (low + high) / 2 - bin,
                   share * (high - low) / (to - from));
        if (bin >= last) {
            return;
        }
    }
}

double sq_mass_mean_s(const struct sq_mass *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        sum += m->bins[i] * ((double)i + (m->anywhere ? 0 : 0.5));
    }
    return sum * m->bin_s;
}
