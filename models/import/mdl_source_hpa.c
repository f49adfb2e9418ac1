/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_hpa.c - Kubernetes HorizontalPodAutoscaler, autoscaling/v2 and v1.
 *
 * With a `behavior` field the API server fills in the rest of it, and those are squall's defaults.
 * Without one the controller goes another way: at most max(2 * current, 4) per look, and a window
 * of five minutes that still holds an entry exactly that old
 * (kubernetes/pkg/controller/podautoscaler/ horizontal.go). From 1 that is 4, which is 3 more; from
 * 2 squall may go to 5 and not 4. */
#include "models/import/mdl_sources.h"
#include "models/import/mdl_turn.h"

#include <string.h>

void mdl_scan_target(struct mdl_importing *m, const struct sq_node *doc, const char *path)
{
    const char *name = mdl_source_text(doc, path);
    if (name != NULL) {
        mdl_names_add(m, &m->workloads, mdl_source_name(m, name));
    }
}

enum mdl_turned mdl_turn_select(struct mdl_importing *m, const struct sq_node *n,
                                struct sq_buf *out)
{
    static const struct mdl_word words[] = { { "Max", "max" },
                                             { "Min", "min" },
                                             { "Disabled", "disabled" } };
    const char *word =
        n->kind == SQ_NODE_SCALAR ? mdl_word_find(words, SQ_COUNT(words), n->text) : NULL;
    if (word == NULL) {
        m->why = "selectPolicy is Max, Min or Disabled";
        return MDL_WRONG;
    }
    sq_buf_puts(out, word);
    return MDL_TURNED;
}

enum mdl_turned mdl_turn_policies(struct mdl_importing *m, const struct sq_node *n,
                                  struct sq_buf *out)
{
    sq_buf_putc(out, '[');
    for (size_t i = 0; n->kind == SQ_NODE_LIST && i < n->count; i++) {
        const char *type = mdl_source_text(n->items[i], "type");
        const char *value = mdl_source_text(n->items[i], "value");
        const char *every = mdl_source_text(n->items[i], "periodSeconds");
        int64_t number, seconds;
        bool pods = type != NULL && strcmp(type, "Pods") == 0;
        if (type == NULL || (!pods && strcmp(type, "Percent") != 0) || value == NULL ||
            !mdl_turn_is_whole(value, &number) || every == NULL ||
            !mdl_turn_is_whole(every, &seconds) || seconds == 0) {
            mdl_source_wrong(m, n->items[i],
                             "a policy has type Pods or Percent, value and periodSeconds");
            return MDL_TURNED;
        }
        sq_buf_printf(out, "%s{%s: %s%s, every: %ss}", i > 0 ? ", " : "", pods ? "pods" : "percent",
                      value, pods ? "" : "%", every);
    }
    sq_buf_putc(out, ']');
    if (n->kind != SQ_NODE_LIST || n->count == 0) {
        m->why = "policies are a list with at least one";
        return MDL_WRONG;
    }
    return MDL_TURNED;
}

void mdl_hpa_without_behavior(struct mdl_importing *m, const char *who)
{
    const char *from =
        mdl_source_format(m, "%s without behavior: at most max(2 x, 4) per look", who);
    mdl_source_default(m, "{scaler}.up.policies",
                       "[{pods: 3, every: 15s}, {percent: 100%, every: 15s}]", from);
    mdl_source_default(m, "{scaler}.down.stabilise", "5m1s",
                       "its window holds an entry exactly 5m old");
}

static void scan(struct mdl_importing *m, const struct sq_node *doc)
{
    mdl_scan_target(m, doc, "spec.scaleTargetRef.name");
}

static void begin(struct mdl_importing *m, const struct sq_node *doc)
{
    const char *name = mdl_source_text(doc, "spec.scaleTargetRef.name");
    m->scope.entity = mdl_source_entity(m, mdl_source_name(m, name != NULL ? name : m->stem));
    mdl_source_default(m, "{scaler}.kind", "hpa", "what this file is");
}

static void end(struct mdl_importing *m, const struct sq_node *doc)
{
    if (mdl_source_node(doc, "spec.behavior") == NULL) {
        mdl_hpa_without_behavior(m, "an HPA");
    }
    const struct sq_node *metrics = mdl_source_node(doc, "spec.metrics");
    if ((metrics == NULL || metrics->count == 0) &&
        mdl_source_node(doc, "spec.targetCPUUtilizationPercentage") == NULL) {
        mdl_source_default(m, "{scaler}.metric", "utilisation", "an HPA without metrics: CPU");
        mdl_source_default(m, "{scaler}.target", "80%", "an HPA without metrics: CPU at 80 %");
    }
}

static const char cpu[] = "CPU of what is requested, here the share of busy slots";

static void take_cpu(struct mdl_importing *m, const struct sq_node *n)
{
    struct sq_buf b = { 0 };
    enum mdl_turned t = mdl_turn_percent(m, n, &b);
    if (t == MDL_TURNED) {
        mdl_source_put(m, n, "{scaler}.metric", "utilisation", cpu);
        mdl_source_put(m, n, "{scaler}.target", mdl_turn_text(&b), NULL);
    } else if (t == MDL_LOST) {
        mdl_source_lose(m, n, m->why);
    } else {
        mdl_source_wrong(m, n, m->why);
    }
    mdl_turn_done(m, &b);
}

/* One metric of the list; the first is the scaler's. */
static void put_external(struct mdl_importing *m, const struct sq_node *metric,
                         const struct sq_node *block)
{
    const char *name = mdl_source_text(block, "metric.name");
    const struct sq_node *average = mdl_source_node(block, "target.averageValue");
    const struct sq_node *value = mdl_source_node(block, "target.value");
    const struct sq_node *target = average != NULL ? average : value;
    struct sq_buf b = { 0 };
    if (target == NULL || mdl_turn_quantity(m, target, &b) != MDL_TURNED) {
        mdl_source_wrong(m, metric, "target needs an averageValue or a value");
        mdl_turn_done(m, &b);
        return;
    }
    bool age = name != NULL && (strstr(name, "Age") != NULL || strstr(name, "_age") != NULL ||
                                strstr(name, "ldest") != NULL);
    if (age) {
        mdl_source_put(m, metric, "{scaler}.metric", "oldest",
                       mdl_source_format(m, "by its name %s", name));
        sq_buf_putc(&b, 's');
    }
    mdl_source_put(m, target, "{scaler}.target", mdl_turn_text(&b),
                   mdl_source_format(m, "%s%s", name != NULL ? name : "unnamed",
                                     age ? "" : ", taken for the jobs that wait in the queue"));
    if (average == NULL) {
        mdl_source_put(m, target, "{scaler}.target_type", "value", "a value, not per pod");
    }
    mdl_turn_done(m, &b);
}

static void take_metrics(struct mdl_importing *m, const struct sq_node *n)
{
    for (size_t i = 1; i < n->count; i++) {
        mdl_source_lose(m, n->items[i],
                        "squall's scaler looks at one metric; here it is the first");
    }
    const struct sq_node *first = n->kind == SQ_NODE_LIST && n->count > 0 ? n->items[0] : NULL;
    const char *type = first != NULL ? mdl_source_text(first, "type") : NULL;
    if (type == NULL) {
        mdl_source_wrong(m, n, "metrics are a list of blocks with a type");
        return;
    }
    bool external = strcmp(type, "External") == 0;
    bool resource = strcmp(type, "Resource") == 0 || strcmp(type, "ContainerResource") == 0;
    const struct sq_node *block =
        mdl_source_node(first, external                        ? "external"
                               : strcmp(type, "Resource") == 0 ? "resource"
                                                               : "containerResource");
    const char *name = block != NULL ? mdl_source_text(block, "name") : NULL;
    const char *percent =
        block != NULL ? mdl_source_text(block, "target.averageUtilization") : NULL;
    int64_t whole;
    if (external && block != NULL) {
        put_external(m, first, block);
    } else if (resource && name != NULL && strcmp(name, "cpu") == 0 && percent != NULL &&
               mdl_turn_is_whole(percent, &whole)) {
        take_cpu(m, mdl_source_node(block, "target.averageUtilization"));
    } else {
        mdl_source_lose(m, first,
                        "of metrics only External ones and the utilisation of CPU are "
                        "known: see metric and target");
    }
}

static const struct mdl_source_row rows[] = {
    MDL_OBJECT_ROWS,
    MDL_USED("spec.scaleTargetRef.**"),
    MDL_TURN("spec.minReplicas", "{scaler}.min", mdl_turn_count, NULL),
    MDL_TURN("spec.maxReplicas", "{scaler}.max", mdl_turn_at_least_1, NULL),
    MDL_TAKE("spec.metrics", take_metrics),
    MDL_BEHAVIOR_ROWS("spec.behavior"),
};

const struct mdl_source mdl_source_hpa = {
    .name = "Kubernetes HorizontalPodAutoscaler v2",
    .api = "autoscaling/v2",
    .object = "HorizontalPodAutoscaler",
    .scan = scan,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows),
};

static const struct mdl_source_row rows_v1[] = {
    MDL_OBJECT_ROWS,
    MDL_USED("spec.scaleTargetRef.**"),
    MDL_TURN("spec.minReplicas", "{scaler}.min", mdl_turn_count, NULL),
    MDL_TURN("spec.maxReplicas", "{scaler}.max", mdl_turn_at_least_1, NULL),
    MDL_TAKE("spec.targetCPUUtilizationPercentage", take_cpu),
};

const struct mdl_source mdl_source_hpa_v1 = {
    .name = "Kubernetes HorizontalPodAutoscaler v1",
    .api = "autoscaling/v1",
    .object = "HorizontalPodAutoscaler",
    .scan = scan,
    .begin = begin,
    .end = end,
    MDL_SOURCE_ROWS(rows_v1),
};
