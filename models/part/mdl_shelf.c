/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_shelf.c - taking out by a discipline. */
#include "models/part/mdl_shelf.h"

static sq_time_t since(const struct mdl_shelf *s, uint32_t slot)
{
    const char *record = sq_pool_at(s->links.pool, slot);
    return *(const sq_time_t *)(const void *)(record + s->since_off);
}

static uint32_t take_by_rule(struct mdl_shelf *s, sq_time_t now, bool *shed)
{
    int64_t counts[MDL_LEVELS];
    for (unsigned i = 0; i < MDL_LEVELS; i++) {
        counts[i] = s->lines[i].count;
    }
    struct mdl_line *line = &s->lines[mdl_discipline_level(s->discipline, &s->state, counts)];
    bool newest = mdl_discipline_newest(s->discipline, now - since(s, line->head));
    uint32_t slot = newest ? line->tail : line->head;
    mdl_line_remove(line, s->links, slot);
    s->count--;
    *shed = mdl_discipline_sheds(s->discipline, &s->state, now, now - since(s, slot), s->count);
    return slot;
}

uint32_t mdl_shelf_take(struct mdl_shelf *s, sq_time_t now, bool *shed)
{
    *shed = false;
    if (s->count == 0) {
        return 0;
    }
    if (!s->fifo) {
        return take_by_rule(s, now, shed);
    }
    s->count--;
    return mdl_line_pop(&s->lines[0], s->links);
}

uint32_t mdl_shelf_pop(struct mdl_shelf *s)
{
    for (unsigned i = 0; i < MDL_LEVELS && s->count > 0; i++) {
        if (s->lines[i].count > 0) {
            s->count--;
            return mdl_line_pop(&s->lines[i], s->links);
        }
    }
    return 0;
}

sq_time_t mdl_shelf_oldest(const struct mdl_shelf *s)
{
    sq_time_t oldest = SQ_NEVER;
    for (unsigned i = 0; i < MDL_LEVELS && s->count > 0; i++) {
        if (s->lines[i].count > 0) {
            oldest = sq_min_i64(oldest, since(s, s->lines[i].head));
        }
    }
    return oldest;
}
