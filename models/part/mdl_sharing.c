/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sharing.c - the clock of attained service and the heap of ends. */
#include "models/part/mdl_sharing.h"

static const mdl_attained forgiven = (mdl_attained)1 << 32;

/* While no more are in service than there are servers each has a whole one. */
static uint64_t sharers(const struct mdl_sharing *s)
{
    return (int64_t)s->count <= s->among ? 1 : s->count;
}

static uint64_t servers(const struct mdl_sharing *s)
{
    return (int64_t)s->count <= s->among ? 1 : (uint64_t)s->among;
}

static void run_clock(struct mdl_sharing *s, sq_time_t now)
{
    mdl_attained worked = (mdl_attained)(uint64_t)(now - s->since) * servers(s);
    s->since = now;
    if (!s->frozen && s->count > 0) {
        uint64_t n = sharers(s);
        s->clock += ((worked / n) << 64) + ((worked % n) << 64) / n;
    }
}

/* ---- heap ---- */

static bool before(const struct mdl_sharer *a, const struct mdl_sharer *b)
{
    return a->end != b->end ? a->end < b->end : a->order < b->order;
}

static void put(struct mdl_sharing *s, uint32_t i, struct mdl_sharer x)
{
    s->heap[i] = x;
    mdl_line_links(s->links, x.slot)[0] = i;
}

static void sift_up(struct mdl_sharing *s, uint32_t i, struct mdl_sharer x)
{
    while (i > 0 && before(&x, &s->heap[(i - 1) / 2])) {
        put(s, i, s->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(s, i, x);
}

static void sift_down(struct mdl_sharing *s, uint32_t i, struct mdl_sharer x)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < s->count && before(&s->heap[child + 1], &s->heap[child])) {
            child++;
        }
        if (child >= s->count || !before(&s->heap[child], &x)) {
            break;
        }
        put(s, i, s->heap[child]);
        i = child;
    }
    put(s, i, x);
}

static bool grow(struct mdl_sharing *s)
{
    uint32_t size = s->size == 0 ? 64 : 2 * s->size;
    struct mdl_sharer *heap = sq_mem_resize(s->heap, size, sizeof(*heap));
    if (heap == NULL) {
        return false;
    }
    s->heap = heap;
    s->size = size;
    return true;
}

/* ---- the interface ---- */

void mdl_sharing_fini(struct mdl_sharing *s)
{
    sq_mem_free(s->heap);
}

bool mdl_sharing_add(struct mdl_sharing *s, sq_time_t now, uint32_t slot, sq_time_t need)
{
    if (s->count == s->size && !grow(s)) {
        return false;
    }
    run_clock(s, now);
    if (s->count == 0) {
        s->clock = 0; /* so that it never runs over */
    }
    struct mdl_sharer x = { s->clock + ((mdl_attained)(uint64_t)need << 64), ++s->entered, slot };
    sift_up(s, s->count++, x);
    return true;
}

void mdl_sharing_remove(struct mdl_sharing *s, sq_time_t now, uint32_t slot)
{
    run_clock(s, now);
    uint32_t i = mdl_line_links(s->links, slot)[0];
    SQ_ASSERT(i < s->count && s->heap[i].slot == slot);
    mdl_line_links(s->links, slot)[0] = 0;
    struct mdl_sharer last = s->heap[--s->count];
    if (i == s->count) {
        return;
    }
    if (i > 0 && before(&last, &s->heap[(i - 1) / 2])) {
        sift_up(s, i, last);
    } else {
        sift_down(s, i, last);
    }
}

uint32_t mdl_sharing_head(const struct mdl_sharing *s)
{
    return s->count > 0 ? s->heap[0].slot : 0;
}

sq_time_t mdl_sharing_due(struct mdl_sharing *s, sq_time_t now)
{
    if (s->count == 0 || s->frozen) {
        return SQ_NEVER;
    }
    run_clock(s, now);
    mdl_attained end = s->heap[0].end;
    if (end <= s->clock + forgiven) {
        return now;
    }
    /* ceil(left * sharers / servers), left in whole nanoseconds and a fraction of 2^64 */
    mdl_attained left = end - s->clock - forgiven, n = sharers(s);
    mdl_attained part = (uint64_t)left * n, work = (left >> 64) * n + (part >> 64);
    bool even = work % servers(s) == 0 && (uint64_t)part == 0;
    mdl_attained ns = work / servers(s) + (even ? 0 : 1);
    return ns < (mdl_attained)SQ_NEVER ? sq_time_add(now, (sq_time_t)ns) : SQ_NEVER;
}

void mdl_sharing_freeze(struct mdl_sharing *s, sq_time_t now, bool frozen)
{
    run_clock(s, now);
    s->frozen = frozen;
}
