/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_layers.c - routes as layers. */
#include "models/advice/mdl_layers.h"

#include "models/advice/mdl_routes.h"

#include <string.h>

static const char *copy(struct sq_result *r, const char *text, size_t len, bool *failed)
{
    const char *to = sq_arena_text(&r->arena, text, len);
    *failed = *failed || to == NULL;
    return to;
}

enum sq_status mdl_layers_tell(const struct mdl_scenario *s, struct sq_result *r)
{
    struct mdl_lint l = { .s = s };
    enum sq_status status = mdl_routes_open(&l);
    bool failed = false;
    r->layers = sq_arena_alloc(&r->arena, l.route_count + 1, sizeof(*r->layers));
    for (size_t i = 0; status == SQ_OK && r->layers != NULL && i < l.route_count; i++) {
        const struct mdl_route *from = &l.routes[i];
        size_t section = strcspn(from->owner_path, ".");
        r->layers[i] = (struct sq_layer){
            .section = copy(r, from->owner_path, section, &failed),
            .caller = copy(r, from->caller, strlen(from->caller), &failed),
            .dependency = copy(r, from->dependency_name, strlen(from->dependency_name), &failed),
            .attempts = mdl_tries_of(from->job_retry),
            .tries = mdl_tries_of(from->calls->retry),
            .times = from->calls->times,
            .calls_per_job = mdl_calls_per_job(&l, from),
        };
        r->layer_count = i + 1;
    }
    failed = failed || r->layers == NULL;
    mdl_lint_fini(&l);
    return status == SQ_OK && failed ? SQ_NOMEM : status;
}
