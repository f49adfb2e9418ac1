/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_line.h - first-in first-out lines of pool records, linked through their next and prev.
 * A record stands in at most one line. All O(1). Slot 0 means none. */
#ifndef MDL_LINE_H
#define MDL_LINE_H

#include "sim/base/sq_mem.h"

struct mdl_line {
    uint32_t head, tail;
    int64_t count;
};

/* Where the links stand in a record of the pool. */
struct mdl_links {
    const struct sq_pool *pool;
    size_t off; /* of uint32_t next, directly followed by uint32_t prev */
};

static inline uint32_t *mdl_line_links(struct mdl_links l, uint32_t slot)
{
    return (uint32_t *)(void *)((char *)sq_pool_at(l.pool, slot) + l.off);
}

static inline void mdl_line_push(struct mdl_line *line, struct mdl_links l, uint32_t slot)
{
    uint32_t *own = mdl_line_links(l, slot);
    own[0] = 0;
    own[1] = line->tail;
    if (line->tail != 0) {
        mdl_line_links(l, line->tail)[0] = slot;
    } else {
        line->head = slot;
    }
    line->tail = slot;
    line->count++;
}

static inline void mdl_line_push_front(struct mdl_line *line, struct mdl_links l, uint32_t slot)
{
    uint32_t *own = mdl_line_links(l, slot);
    own[0] = line->head;
    own[1] = 0;
    if (line->head != 0) {
        mdl_line_links(l, line->head)[1] = slot;
    } else {
        line->tail = slot;
    }
    line->head = slot;
    line->count++;
}

static inline void mdl_line_remove(struct mdl_line *line, struct mdl_links l, uint32_t slot)
{
    uint32_t *own = mdl_line_links(l, slot);
    SQ_DEBUG_ASSERT(line->count > 0);
    if (own[1] != 0) {
        mdl_line_links(l, own[1])[0] = own[0];
    } else {
        line->head = own[0];
    }
    if (own[0] != 0) {
        mdl_line_links(l, own[0])[1] = own[1];
    } else {
        line->tail = own[1];
    }
    own[0] = own[1] = 0;
    line->count--;
}

/* Slot of the first, taken out; 0 when the line is empty. */
static inline uint32_t mdl_line_pop(struct mdl_line *line, struct mdl_links l)
{
    uint32_t slot = line->head;
    if (slot != 0) {
        mdl_line_remove(line, l, slot);
    }
    return slot;
}

#endif
