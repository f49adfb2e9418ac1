/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_kubernetes.c - Deployment and StatefulSet: a pool of workers, or, if a route or rule
 * of the same files leads to it, a dependency. Defaults of Kubernetes 1.3x that squall has as well:
 * a grace period of 30 s; of a probe every 10 s, timeout 1 s, fall 3, rise 1. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_scan_target(m, doc, "metadata.name");
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *name = mdl_source_text(doc, "metadata.name");
    m->scope.entity = mdl_source_entity(m, mdl_source_name(m, name != NULL ? name : m->stem));
}

static bool is_dependency(const struct mdl_importing *m)
{
    return m->scope.entity != NULL && strncmp(m->scope.entity, "dependencies.", 13) == 0;
}

/* A dependency has at least one node. */
static enum mdl_turned turn_replicas(struct mdl_importing *m, const struct sq_node *n,
                                     struct sq_buf *out)
{
    return is_dependency(m) ? mdl_turn_at_least_1(m, n, out) : mdl_turn_count(m, n, out);
}

static void enter_container(struct mdl_importing *m, const struct sq_node *n)
{
    (void)n;
    if (m->index[m->depth - 1] > 0) {
        m->scope.entity = NULL;
    }
}

#define POD       "spec.template.spec."
#define CONTAINER POD "containers[]."

static const char program[] = "may hold limits, timeouts and retries of the program: look there";
static const char first[] = "only the first container counts, and the memory of workers";
static const char placing[] = "where pods run does not matter here";
static const char rollout[] = "a rollout is an action: actions: [{at: 10m, deploy: ...}]";

static const struct mdl_source_row rows[] = {
    MDL_OBJECT_ROWS,
    MDL_TURN("spec.replicas", "{size}", turn_replicas, NULL),
    MDL_IDLE_ROW("spec.selector.**", "which pods are its own"),
    MDL_USED("spec.serviceName"),
    MDL_IDLE_ROW("spec.revisionHistoryLimit", "no part of what runs"),
    MDL_IDLE_ROW("spec.progressDeadlineSeconds", "only reported"),
    MDL_LOSE("spec.strategy.**", rollout),
    MDL_LOSE("spec.updateStrategy.**", rollout),
    MDL_LOSE("spec.minReadySeconds", rollout),
    MDL_LOSE("spec.podManagementPolicy", "squall starts replicas at once"),
    MDL_IDLE_ROW("spec.template.metadata.**", "names, labels and annotations"),
    MDL_TURN(POD "terminationGracePeriodSeconds", "{pool}.grace", mdl_turn_seconds, NULL),
    MDL_ENTER(POD "containers[]", enter_container),
    MDL_TURN_OR(CONTAINER "resources.limits.memory", "{pool}.memory", mdl_turn_size,
                "counts with job_memory; the program's own part is in it", first),
    MDL_IDLE_ROW(CONTAINER "resources.**", "service times are those on this hardware"),
    MDL_TURN_OR(CONTAINER "readinessProbe.initialDelaySeconds", "{entity}.start_up",
                mdl_turn_seconds, "at least: image and boot come on top", first),
    MDL_IDLE_ROW(CONTAINER "readinessProbe.httpGet.**", "how it is asked does not matter"),
    MDL_IDLE_ROW(CONTAINER "readinessProbe.tcpSocket.**", "how it is asked does not matter"),
    MDL_IDLE_ROW(CONTAINER "readinessProbe.exec.**", "how it is asked does not matter"),
    MDL_IDLE_ROW(CONTAINER "readinessProbe.grpc.**", "how it is asked does not matter"),
    MDL_TURN_OR(CONTAINER "readinessProbe.periodSeconds", "{node}.probe.every", mdl_turn_seconds,
                NULL, "a pool of workers takes jobs, not traffic"),
    MDL_TURN_OR(CONTAINER "readinessProbe.timeoutSeconds", "{node}.probe.timeout", mdl_turn_seconds,
                NULL, "a pool of workers takes jobs, not traffic"),
    MDL_TURN_OR(CONTAINER "readinessProbe.failureThreshold", "{node}.probe.fall",
                mdl_turn_at_least_1, NULL, "a pool of workers takes jobs, not traffic"),
    MDL_TURN_OR(CONTAINER "readinessProbe.successThreshold", "{node}.probe.rise",
                mdl_turn_at_least_1, NULL, "a pool of workers takes jobs, not traffic"),
    MDL_LOSE(CONTAINER "livenessProbe.**", "squall restarts replicas by `crashes`, at random"),
    MDL_LOSE(CONTAINER "startupProbe.**", "start_up is how long a start takes: measure it"),
    MDL_LOSE(CONTAINER "lifecycle.**", "a stop hook is part of the grace period"),
    MDL_LOSE(CONTAINER "command.**", program),
    MDL_LOSE(CONTAINER "args.**", program),
    MDL_LOSE(CONTAINER "env.**", program),
    MDL_LOSE(CONTAINER "envFrom.**", program),
    MDL_USED(CONTAINER "name"),
    MDL_IDLE_ROW(CONTAINER "image", "which program it is"),
    MDL_IDLE_ROW(CONTAINER "imagePullPolicy", "part of start_up"),
    MDL_IDLE_ROW(CONTAINER "ports.**", "addresses"),
    MDL_IDLE_ROW(CONTAINER "volumeMounts.**", "files"),
    MDL_IDLE_ROW(CONTAINER "securityContext.**", "rights"),
    MDL_IDLE_ROW(CONTAINER "workingDir", "files"),
    MDL_IDLE_ROW(CONTAINER "terminationMessagePath", "only reported"),
    MDL_IDLE_ROW(CONTAINER "terminationMessagePolicy", "only reported"),
    MDL_LOSE(POD "initContainers.**", "their time is part of start_up"),
    MDL_IDLE_ROW(POD "volumes.**", "files"),
    MDL_IDLE_ROW("spec.volumeClaimTemplates.**", "files"),
    MDL_IDLE_ROW(POD "securityContext.**", "rights"),
    MDL_IDLE_ROW(POD "serviceAccountName", "rights"),
    MDL_IDLE_ROW(POD "serviceAccount", "rights"),
    MDL_IDLE_ROW(POD "imagePullSecrets.**", "rights"),
    MDL_IDLE_ROW(POD "nodeSelector.**", placing),
    MDL_IDLE_ROW(POD "affinity.**", placing),
    MDL_IDLE_ROW(POD "tolerations.**", placing),
    MDL_IDLE_ROW(POD "topologySpreadConstraints.**", placing),
    MDL_IDLE_ROW(POD "priorityClassName", placing),
    MDL_IDLE_ROW(POD "schedulerName", placing),
    MDL_IDLE_ROW(POD "dnsPolicy", "addresses"),
    MDL_IDLE_ROW(POD "restartPolicy", "always, for such pods"),
};

const struct mdl_source mdl_source_deployment = {
    .name = "Kubernetes Deployment",
    .api = "apps/",
    .object = "Deployment",
    .scan = scan,
    .begin = begin,
    MDL_SOURCE_ROWS(rows),
};

const struct mdl_source mdl_source_stateful_set = {
    .name = "Kubernetes StatefulSet",
    .api = "apps/",
    .object = "StatefulSet",
    .scan = scan,
    .begin = begin,
    MDL_SOURCE_ROWS(rows),
};
