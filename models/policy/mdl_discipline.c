/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_discipline.c - one row per discipline. */
#include "models/policy/mdl_discipline.h"

#include "sim/conf/sq_rows.h"

#include <math.h>

struct adaptive {
    sq_time_t after;
};
struct codel {
    sq_time_t target, interval;
};
enum { MODE_STRICT, MODE_WEIGHTED };
struct priority {
    int mode;
    struct sq_list weights; /* of int64_t, MDL_LEVELS of them */
};

struct discipline_row {
    struct sq_kind kind;
    unsigned (*level)(const void *cfg, struct mdl_discipline_state *s, const int64_t *counts);
    bool (*newest)(const void *cfg, sq_time_t oldest_waited);
    bool (*sheds)(const struct codel *c, struct mdl_discipline_state *s, sq_time_t now, bool above);
};

static const char *const mode_words[] = { "strict", "weighted", NULL };

static const struct sq_field adaptive_rows[] = {
    SQ_ROW_TIME(struct adaptive, after, "after", "100ms", 0,
                "Newest first while the oldest has waited longer than this."),
};
static const struct sq_field codel_rows[] = {
    SQ_ROW_TIME(struct codel, target, "target", "5ms", 0,
                "A wait this long or longer is too long."),
    SQ_ROW_TIME(struct codel, interval, "interval", "100ms", SQ_F_ABOVE_MIN,
                "How long waits must be too long before shedding begins."),
};
static const struct sq_field weight_element = {
    .key = "weight", .type = SQ_AMOUNT, .min = 1, .max = 1e6, .doc = "Turns of one priority."
};
static const struct sq_field priority_rows[] = {
    SQ_ROW_CHOICE(struct priority, mode, "mode", "strict", mode_words, 0,
                  "Whether the most important go first, or each has its share of turns."),
    SQ_ROW_LIST(struct priority, weights, "weights", "[8, 7, 6, 5, 4, 3, 2, 1]", &weight_element, 0,
                "Turns of priorities 0 to 7 under `weighted`."),
};

static void check_priority(const void *cfg, const struct sq_node *node, const char *path,
                           struct sq_diag *diag)
{
    const struct priority *p = cfg;
    if (p->weights.count != MDL_LEVELS) {
        sq_diag_error(diag, sq_node_get(node, "weights")->where, path,
                      "for example weights: [8, 7, 6, 5, 4, 3, 2, 1]",
                      "%zu weights for %d priorities", p->weights.count, MDL_LEVELS);
    }
}

/* ---- lifo ---- */

static bool always(const void *cfg, sq_time_t oldest_waited)
{
    (void)cfg;
    (void)oldest_waited;
    return true;
}

static bool when_late(const void *cfg, sq_time_t oldest_waited)
{
    return oldest_waited > ((const struct adaptive *)cfg)->after;
}

/* ---- priority ---- */

static unsigned level_weighted(const struct priority *p, struct mdl_discipline_state *s,
                               const int64_t *counts)
{
    int64_t total = 0;
    unsigned best = MDL_LEVELS;
    for (unsigned i = 0; i < MDL_LEVELS; i++) {
        if (counts[i] == 0) {
            s->gains[i] = 0;
            continue;
        }
        int64_t weight = *(const int64_t *)sq_list_at(&p->weights, i);
        s->gains[i] += weight;
        total += weight;
        if (best == MDL_LEVELS || s->gains[i] > s->gains[best]) {
            best = i;
        }
    }
    SQ_ASSERT(best < MDL_LEVELS);
    s->gains[best] -= total;
    return best;
}

static unsigned level_priority(const void *cfg, struct mdl_discipline_state *s,
                               const int64_t *counts)
{
    const struct priority *p = cfg;
    if (p->mode == MODE_WEIGHTED) {
        return level_weighted(p, s, counts);
    }
    unsigned i = 0;
    while (counts[i] == 0) {
        i++;
        SQ_ASSERT(i < MDL_LEVELS);
    }
    return i;
}

/* ---- codel ---- */

static sq_time_t control_law(const struct codel *c, sq_time_t t, uint32_t count)
{
    return sq_time_add(t, (sq_time_t)((double)c->interval / sqrt((double)count)));
}

/* RFC 8289, dodequeue: whether waits have been above the target for a whole interval. */
static bool ok_to_drop(const struct codel *c, struct mdl_discipline_state *s, sq_time_t now,
                       bool above)
{
    if (!above) {
        s->first_above = 0;
        return false;
    }
    if (s->first_above == 0) {
        s->first_above = sq_time_add(now, c->interval);
        return false;
    }
    return now >= s->first_above;
}

/* A spell of shedding begins with the one just let go; the one after it is served. */
static bool begin(const struct codel *c, struct mdl_discipline_state *s, sq_time_t now)
{
    uint32_t delta = s->count - s->last_count;
    bool soon = (now - s->drop_next) / 16 < c->interval;
    s->shedding = true;
    s->count = delta > 1 && soon ? delta : 1;
    s->last_count = s->count;
    s->drop_next = control_law(c, now, s->count);
    s->phase = MDL_CODEL_FIRST;
    return false;
}

/* RFC 8289, dequeue, unrolled: one judgement per one taken. */
static bool sheds_codel(const struct codel *c, struct mdl_discipline_state *s, sq_time_t now,
                        bool above)
{
    bool ok = ok_to_drop(c, s, now, above);
    if (s->phase == MDL_CODEL_BEGINS) {
        return begin(c, s, now);
    }
    if (!s->shedding) {
        s->phase = ok ? MDL_CODEL_BEGINS : MDL_CODEL_FIRST;
        return ok;
    }
    if (!ok) {
        s->shedding = false;
    } else if (s->phase == MDL_CODEL_GOES_ON) {
        s->drop_next = control_law(c, s->drop_next, s->count);
    }
    bool shed = s->shedding && now >= s->drop_next;
    s->count += shed ? 1 : 0;
    s->phase = shed ? MDL_CODEL_GOES_ON : MDL_CODEL_FIRST;
    return shed;
}

/* ---- the rows ---- */

static const struct discipline_row rows[] = {
    { .kind = { .name = "fifo", .doc = "First in, first out." } },
    { .kind = { .name = "lifo", .doc = "Last in, first out." }, .newest = always },
    { .kind = { .name = "adaptive-lifo",
                .doc = "Newest first while the oldest has waited long.",
                .table = { .rows = SQ_ROWS(adaptive_rows), .size = sizeof(struct adaptive) } },
      .newest = when_late },
    { .kind = { .name = "codel",
                .doc = "First in, first out; sheds when waits stay long.",
                .table = { .rows = SQ_ROWS(codel_rows), .size = sizeof(struct codel) } },
      .sheds = sheds_codel },
    { .kind = { .name = "priority",
                .doc = "By the priority of the producer; first in, first out within one.",
                .table = { .rows = SQ_ROWS(priority_rows),
                           .size = sizeof(struct priority),
                           .check = check_priority } },
      .level = level_priority },
};

const struct sq_family mdl_discipline_family = {
    .type = "discipline",
    .kinds = rows,
    .kind_count = SQ_COUNT(rows),
    .stride = sizeof(struct discipline_row),
    .dflt_kind = "fifo",
};

static const struct discipline_row *row_of(const struct sq_block *d)
{
    return (const struct discipline_row *)(const void *)d->kind;
}

bool mdl_discipline_is_fifo(const struct sq_block *d)
{
    return d->kind == NULL || d->kind == &rows[0].kind;
}

bool mdl_discipline_has_levels(const struct sq_block *d)
{
    return d->kind != NULL && row_of(d)->level != NULL;
}

unsigned mdl_discipline_level(const struct sq_block *d, struct mdl_discipline_state *s,
                              const int64_t counts[MDL_LEVELS])
{
    return mdl_discipline_has_levels(d) ? row_of(d)->level(d->cfg, s, counts) : 0;
}

bool mdl_discipline_newest(const struct sq_block *d, sq_time_t oldest_waited)
{
    const struct discipline_row *row = row_of(d);
    return row != NULL && row->newest != NULL && row->newest(d->cfg, oldest_waited);
}

bool mdl_discipline_sheds(const struct sq_block *d, struct mdl_discipline_state *s, sq_time_t now,
                          sq_time_t waited, int64_t left)
{
    const struct discipline_row *row = row_of(d);
    if (row == NULL || row->sheds == NULL) {
        return false;
    }
    const struct codel *c = d->cfg;
    return row->sheds(c, s, now, waited >= c->target && left > 0);
}
