/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_cache.c - calls that need no server. */
#include "models/entity/mdl_dependency_in.h"

bool mdl_cache_hits(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_cache_cfg *cache = d->cfg->cache;
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if (mdl_node_of(d, call)->hangs > 0 || call->poison) {
        return false;
    }
    double u = sq_luck_uniform(&d->ctx->luck, d->luck.cache[call->producer], call->ordinal,
                               call->attempt, call->draw);
    if (u >= cache->now) {
        call->fills = true;
        return false;
    }
    call->served = true;
    call->outcome = MDL_ERR_OK;
    sq_time_t at = sq_time_add(mdl_now(d->ctx),
                               sq_time_add(cache->answer_in, mdl_dependency_trip(d, call, 1)));
    (void)mdl_post(d->ctx, at, call->caller, MDL_EV_ANSWER, slot);
    return true;
}

void mdl_cache_fill(struct mdl_dependency *d)
{
    struct mdl_cache_cfg *cache = d->cfg->cache;
    cache->now += (cache->hit - cache->now) / cache->fill;
}
