/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_shelf.h - those who wait, taken out by a discipline: records of a pool in one line per
 * priority (one line in all for the other disciplines). All O(1).
 *
 * Every record says since when it waits; a line is in order of that, oldest first. Slot 0 means
 * none. The shelf borrows pool and discipline. */
#ifndef MDL_SHELF_H
#define MDL_SHELF_H

#include "models/part/mdl_line.h"
#include "models/policy/mdl_discipline.h"

struct mdl_shelf {
    struct mdl_links links;
    size_t since_off; /* of sq_time_t: since when a record waits */
    const struct sq_block *discipline;
    bool fifo, leveled;
    int64_t count;
    struct mdl_line lines[MDL_LEVELS];
    struct mdl_discipline_state state;
};

static inline void mdl_shelf_init(struct mdl_shelf *s, struct mdl_links links, size_t since_off,
                                  const struct sq_block *discipline)
{
    *s = (struct mdl_shelf){ .links = links,
                             .since_off = since_off,
                             .discipline = discipline,
                             .fifo = mdl_discipline_is_fifo(discipline),
                             .leveled = mdl_discipline_has_levels(discipline) };
}

/* `priority` 0..7; only a discipline with levels looks at it. */
static inline void mdl_shelf_push(struct mdl_shelf *s, uint32_t slot, unsigned priority)
{
    mdl_line_push(&s->lines[s->leveled ? priority : 0], s->links, slot);
    s->count++;
}

/* As the next one out of its line. */
static inline void mdl_shelf_push_front(struct mdl_shelf *s, uint32_t slot, unsigned priority)
{
    mdl_line_push_front(&s->lines[s->leveled ? priority : 0], s->links, slot);
    s->count++;
}

static inline void mdl_shelf_remove(struct mdl_shelf *s, uint32_t slot, unsigned priority)
{
    mdl_line_remove(&s->lines[s->leveled ? priority : 0], s->links, slot);
    s->count--;
}

/* Takes one out, whoever's turn it is; 0 when nobody waits. `shed`: it is not to be served, and the
 * owner takes another one at this instant if it still wants one. */
uint32_t mdl_shelf_take(struct mdl_shelf *s, sq_time_t now, bool *shed);

/* Takes one out, no matter whose turn it is; for emptying. */
uint32_t mdl_shelf_pop(struct mdl_shelf *s);

/* Since when the one that waits longest has waited; SQ_NEVER when nobody does. */
sq_time_t mdl_shelf_oldest(const struct mdl_shelf *s);

#endif
