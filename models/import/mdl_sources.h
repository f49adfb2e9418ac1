/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sources.h - every kind of configuration that is read, each from the file of its system. */
#ifndef MDL_SOURCES_H
#define MDL_SOURCES_H

#include "models/import/mdl_source.h"

extern const struct mdl_source mdl_source_deployment, mdl_source_stateful_set;
extern const struct mdl_source mdl_source_hpa, mdl_source_hpa_v1;
extern const struct mdl_source mdl_source_scaled_object, mdl_source_scaled_job;
extern const struct mdl_source mdl_source_virtual_service, mdl_source_destination_rule;
extern const struct mdl_source mdl_source_grpc;
extern const struct mdl_source mdl_source_sqs_policy, mdl_source_sqs_queue;
extern const struct mdl_source mdl_source_resilience4j, mdl_source_bullmq, mdl_source_envoy;
extern const struct mdl_source mdl_source_temporal, mdl_source_celery;

/* Rows that all objects of Kubernetes have. */
#define MDL_OBJECT_ROWS                                                  \
    MDL_USED("apiVersion"), MDL_USED("kind"), MDL_USED("metadata.name"), \
        MDL_IDLE_ROW("metadata.**", "names, labels and annotations"),    \
        MDL_IDLE_ROW("status.**", "what the cluster saw when it was asked")

/* behavior of an HPA, which KEDA hands on: `path` is where it stands. */
#define MDL_BEHAVIOR_ROWS(path)                                                                  \
    MDL_TURN(path ".scaleUp.stabilizationWindowSeconds", "{scaler}.up.stabilise",                \
             mdl_turn_seconds, NULL),                                                            \
        MDL_TURN(path ".scaleUp.selectPolicy", "{scaler}.up.select", mdl_turn_select, NULL),     \
        MDL_TURN(path ".scaleUp.policies", "{scaler}.up.policies", mdl_turn_policies, NULL),     \
        MDL_LOSE(path ".scaleUp.tolerance", "squall has one tolerance for both directions"),     \
        MDL_TURN(path ".scaleDown.stabilizationWindowSeconds", "{scaler}.down.stabilise",        \
                 mdl_turn_seconds, NULL),                                                        \
        MDL_TURN(path ".scaleDown.selectPolicy", "{scaler}.down.select", mdl_turn_select, NULL), \
        MDL_TURN(path ".scaleDown.policies", "{scaler}.down.policies", mdl_turn_policies, NULL), \
        MDL_LOSE(path ".scaleDown.tolerance", "squall has one tolerance for both directions")

mdl_turn mdl_turn_select;
mdl_turn mdl_turn_policies;

/* Limits of an HPA that has no behavior field, with `at` as what says so. */
void mdl_hpa_without_behavior(struct mdl_importing *m, const char *who);

/* Registers what a scaler scales: the name at `path`. */
void mdl_scan_target(struct mdl_importing *m, const struct sq_node *doc, const char *path);

#endif
