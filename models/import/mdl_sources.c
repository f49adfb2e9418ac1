/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sources.c - the kinds of configuration, and which of them a document is. */
#include "models/import/mdl_sources.h"

#include <string.h>

const struct mdl_source *const mdl_sources[] = {
    &mdl_source_deployment,      &mdl_source_stateful_set,     &mdl_source_hpa,
    &mdl_source_hpa_v1,          &mdl_source_scaled_object,    &mdl_source_scaled_job,
    &mdl_source_virtual_service, &mdl_source_destination_rule, &mdl_source_grpc,
    &mdl_source_sqs_policy,      &mdl_source_sqs_queue,        &mdl_source_resilience4j,
    &mdl_source_envoy,           &mdl_source_temporal,         &mdl_source_celery,
    &mdl_source_bullmq,
};
const size_t mdl_source_count = SQ_COUNT(mdl_sources);

const struct mdl_source *mdl_source_of(const struct sq_node *doc)
{
    const char *api = mdl_source_text(doc, "apiVersion"), *object = mdl_source_text(doc, "kind");
    for (size_t i = 0; i < mdl_source_count; i++) {
        const struct mdl_source *s = mdl_sources[i];
        if (s->is != NULL && (api == NULL || object == NULL) && s->is(doc)) {
            return s;
        }
        if (s->api != NULL && api != NULL && object != NULL && strcmp(object, s->object) == 0 &&
            strncmp(api, s->api, strlen(s->api)) == 0) {
            return s;
        }
    }
    return NULL;
}
