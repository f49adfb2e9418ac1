/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_wants.c - see mdl_import_wants.h. */
#include "models/import/mdl_import_wants.h"

#include <string.h>

static void want(struct mdl_importing *m, const char *path, const char *example, const char *why)
{
    mdl_draft_want(&m->draft, path, example, why);
}

static const struct mdl_draft_key *find(struct mdl_importing *m, const char *path)
{
    return mdl_draft_find(&m->draft, path);
}

/* The value of a key; NULL: there is none. */
static const char *value(struct mdl_importing *m, const char *path)
{
    const struct mdl_draft_key *k = find(m, path);
    return k != NULL ? k->value : NULL;
}

/* A scaler that came from a kind or preset without its numbers. */
static void want_scaler(struct mdl_importing *m, const char *entity)
{
    const char *base = mdl_source_format(m, "%s.autoscaler", entity);
    if (value(m, mdl_source_format(m, "%s.kind", base)) == NULL) {
        return;
    }
    want(m, mdl_source_format(m, "%s.target", base), "100",
         "of the metric, per replica: the file does not tell it in a way that squall knows");
    want(m, mdl_source_format(m, "%s.max", base), "10", "most replicas");
}

static void want_pool(struct mdl_importing *m, const char *name)
{
    const char *base = mdl_source_format(m, "workers.%s", name);
    const char *queue = m->queues.count == 1 ? m->queues.items[0] : "jobs";
    const char *own = value(m, mdl_source_format(m, "%s.queue", base));
    want(m, mdl_source_format(m, "%s.queue", base), queue, "where its jobs wait");
    if (own == NULL) {
        mdl_names_add(m, &m->queues, queue);
    } else {
        queue = own;
    }
    want(m, mdl_source_format(m, "%s.slots", base), "1", "jobs that one replica runs at a time");
    const char *preset = value(m, mdl_source_format(m, "queues.%s.preset", queue));
    if (preset != NULL && strcmp(preset, "sqs") == 0) {
        want(m, mdl_source_format(m, "%s.retry", base), "sqs",
             "a failed message comes back when its visibility timeout ends");
    }
    want_scaler(m, base);
}

static void want_queue(struct mdl_importing *m, const char *name)
{
    want(m, mdl_source_format(m, "queues.%s", name), "{}", "a broker without leases or limits");
    const char *base = mdl_source_format(m, "producers.to-%.36s", name);
    want(m, mdl_source_format(m, "%s.queue", base), name, "whoever puts jobs there");
    want(m, mdl_source_format(m, "%s.arrivals", base), "10/s", "how many jobs come");
}

static void want_dependency(struct mdl_importing *m, const char *name)
{
    const char *base = mdl_source_format(m, "dependencies.%s", name);
    want(m, mdl_source_format(m, "%s.service", base), "{kind: lognormal, mean: 100ms, cv: 0.5}",
         "how long a call takes when it is alone");
    want(m, mdl_source_format(m, "%s.servers", base), "50",
         "calls that it serves at a time, per node");
    want(m, mdl_source_format(m, "%s.outages", base), "[{at: 10m, for: 5m}]",
         "what goes wrong: the reason for simulating");
    want_scaler(m, base);
    bool called = false;
    for (size_t i = 0; i < m->pools.count; i++) {
        called |=
            find(m, mdl_source_format(m, "workers.%s.calls.%s", m->pools.items[i], name)) != NULL;
    }
    called |= find(m, mdl_source_format(m, "clients.callers.calls.%s", name)) != NULL;
    if (!called && m->pools.count > 0) {
        want(m, mdl_source_format(m, "workers.%s.calls.%s.timeout", m->pools.items[0], name), "5s",
             "how long it waits for one call");
    } else if (!called) {
        want(m, mdl_source_format(m, "clients.callers.calls.%s.timeout", name), "5s",
             "how long it waits for one call");
    }
}

void mdl_import_wants(struct mdl_importing *m)
{
    want(m, "duration", "1h", "how long work comes");
    if (m->dependencies.count == 0) {
        mdl_names_add(m, &m->dependencies, "backend");
    }
    for (size_t i = 0; i < m->pools.count; i++) {
        want_pool(m, m->pools.items[i]);
    }
    for (size_t i = 0; i < m->queues.count; i++) {
        want_queue(m, m->queues.items[i]);
    }
    for (size_t i = 0; i < m->dependencies.count; i++) {
        want_dependency(m, m->dependencies.items[i]);
    }
    if (find(m, "clients.callers") != NULL) {
        want(m, "clients.callers.arrivals", "10/s", "how many calls come");
    }
}
