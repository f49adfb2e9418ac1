/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_path.c - the trees of paths. */
#include "models/part/mdl_path.h"

#include "sim/base/sq_limits.h"

void mdl_paths_init(struct mdl_paths *p)
{
    *p = (struct mdl_paths){ 0 };
    sq_pool_init(&p->pool, sizeof(struct mdl_path), SQ_MAX_CALLS);
}

void mdl_paths_fini(struct mdl_paths *p)
{
    sq_pool_fini(&p->pool);
    sq_mem_free(p->roots);
}

static uint32_t make(struct mdl_paths *p, uint32_t parent, uint32_t position)
{
    uint32_t slot = sq_pool_take(&p->pool);
    if (slot != 0) {
        *mdl_path_at(p, slot) = (struct mdl_path){ .parent = parent, .position = position };
    }
    return slot;
}

uint32_t mdl_path_root(struct mdl_paths *p, uint32_t job)
{
    if (job >= p->size) {
        uint32_t size = job < 1024 ? 2048 : 2 * job;
        uint32_t *grown = sq_mem_resize(p->roots, size, sizeof(*grown));
        if (grown == NULL) {
            return 0;
        }
        for (uint32_t i = p->size; i < size; i++) {
            grown[i] = 0;
        }
        p->roots = grown;
        p->size = size;
    }
    p->roots[job] = mdl_path_own_root(p, p->roots[job]);
    return p->roots[job];
}

uint32_t mdl_path_own_root(struct mdl_paths *p, uint32_t root)
{
    if (root == 0) {
        root = make(p, 0, 0);
        if (root != 0) {
            mdl_path_at(p, root)->holds = 1;
        }
    }
    return root;
}

uint32_t mdl_path_take_root(struct mdl_paths *p, uint32_t job)
{
    uint32_t root = job < p->size ? p->roots[job] : 0;
    if (root != 0) {
        p->roots[job] = 0;
    }
    return root;
}

uint32_t mdl_path_take(struct mdl_paths *p, uint32_t parent, uint32_t position)
{
    uint32_t slot = mdl_path_at(p, parent)->child;
    while (slot != 0 && mdl_path_at(p, slot)->position != position) {
        slot = mdl_path_at(p, slot)->next;
    }
    if (slot == 0) {
        slot = make(p, parent, position);
        if (slot == 0) {
            return 0;
        }
        struct mdl_path *above = mdl_path_at(p, parent);
        mdl_path_at(p, slot)->next = above->child;
        above->child = slot;
    }
    mdl_path_at(p, slot)->holds++;
    return slot;
}

static bool is_needed(const struct mdl_path *path)
{
    return path->holds > 0 || path->child != 0;
}

static void unlink_from(struct mdl_paths *p, uint32_t parent, uint32_t slot)
{
    uint32_t *link = &mdl_path_at(p, parent)->child;
    while (*link != slot) {
        link = &mdl_path_at(p, *link)->next;
    }
    *link = mdl_path_at(p, slot)->next;
}

/* Frees a path that nobody needs, then its parents as far as nobody needs them either. */
static void free_upwards(struct mdl_paths *p, uint32_t slot)
{
    while (slot != 0 && !is_needed(mdl_path_at(p, slot))) {
        uint32_t parent = mdl_path_at(p, slot)->parent;
        if (parent != 0) {
            unlink_from(p, parent, slot);
        }
        sq_pool_give(&p->pool, slot);
        slot = parent;
    }
}

static bool job_lives(const struct mdl_paths *p, uint32_t slot)
{
    while (mdl_path_at(p, slot)->parent != 0) {
        slot = mdl_path_at(p, slot)->parent;
    }
    return mdl_path_at(p, slot)->holds > 0;
}

void mdl_path_drop(struct mdl_paths *p, uint32_t slot)
{
    SQ_DEBUG_ASSERT(mdl_path_at(p, slot)->holds > 0);
    mdl_path_at(p, slot)->holds--;
    if (!is_needed(mdl_path_at(p, slot)) && !job_lives(p, slot)) {
        free_upwards(p, slot);
    }
}

/* Frees what nobody needs below a path; as deep as the graph of services. */
static void free_below(struct mdl_paths *p, uint32_t slot)
{
    uint32_t *link = &mdl_path_at(p, slot)->child;
    while (*link != 0) {
        uint32_t child = *link;
        free_below(p, child);
        if (is_needed(mdl_path_at(p, child))) {
            link = &mdl_path_at(p, child)->next;
        } else {
            *link = mdl_path_at(p, child)->next;
            sq_pool_give(&p->pool, child);
        }
    }
}

void mdl_path_over(struct mdl_paths *p, uint32_t root)
{
    if (root != 0) {
        mdl_path_at(p, root)->holds--;
        free_below(p, root);
        free_upwards(p, root);
    }
}

void mdl_path_job_over(struct mdl_paths *p, uint32_t job)
{
    mdl_path_over(p, mdl_path_take_root(p, job));
}
