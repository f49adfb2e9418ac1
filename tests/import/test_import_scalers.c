/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_scalers.c - manifests as people have them, imported: the scaler that comes of each
 * decides as the recorded traces do, look by look; and the incident of the traces, run, changes its
 * fleet at those instants to those numbers. */
#include "tests/models/world.h"

#include "models/import/mdl_import_config.h"
#include "models/policy/mdl_scaler.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define KEDA(min, max, target)                                                                 \
    "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: it}\n"                 \
    "spec:\n  scaleTargetRef: {name: it}\n  minReplicaCount: " min "\n  maxReplicaCount: " max \
    "\n  triggers: [{type: aws-sqs-queue, metadata: {queueURL: q, scaleOnInFlight: 'false', "  \
    "queueLength: '" target "'}}]\n"
#define BEHAVIOR                                                          \
    "  advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: " \
    "{stabilizationWindowSeconds: 300}}}}\n"
#define HPA(max, target)                                                                         \
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: it}\n"          \
    "spec:\n  scaleTargetRef: {name: it}\n  maxReplicas: " max "\n  metrics: [{type: External, " \
    "external: {metric: {name: jobs}, target: {" target "}}}]\n"

/* A trace, and the manifest that describes its configuration. */
static const struct {
    const char *id, *manifest;
} cases[] = {
    { "keda-outage-80", KEDA("10", "80", "750") BEHAVIOR },
    { "keda-outage-20", KEDA("10", "20", "750") BEHAVIOR },
    { "keda-scaledobject", KEDA("0", "10", "5") },
    { "hpa-legacy-scaleup", HPA("100", "type: AverageValue, averageValue: '10'") },
    { "hpa-downscale-stabilization",
      HPA("100", "type: AverageValue, averageValue: '10'") "  behavior: {scaleUp: {selectPolicy: "
                                                           "Max}}\n" },
    { "hpa-downscale-stabilization-legacy", HPA("100", "type: AverageValue, averageValue: '10'") },
    { "hpa-downscale-policies",
      HPA("100", "type: AverageValue, averageValue: '10'") "  behavior: {scaleDown: "
                                                           "{stabilizationWindowSeconds: 0, "
                                                           "policies: [{type: Pods, value: "
                                                           "4, periodSeconds: 60}, {type: Percent, "
                                                           "value: 10, periodSeconds: 60}]}}\n" },
    { "hpa-scaleup-min-policy-stab",
      HPA("100",
          "type: AverageValue, averageValue: '10'") "  behavior: {scaleUp: "
                                                    "{stabilizationWindowSeconds: 60, "
                                                    "selectPolicy: Min, policies: "
                                                    "[{type: Pods, value: 2, periodSeconds: 30}, "
                                                    "{type: Percent, value: 50, periodSeconds: "
                                                    "30}]}}\n" },
    { "hpa-scaledown-disabled",
      HPA("100", "type: AverageValue, averageValue: '10'") "  behavior: {scaleDown: {selectPolicy: "
                                                           "Disabled}}\n" },
    { "hpa-value-metric-feedback",
      HPA("80", "type: Value, value: '5'") "  behavior: {scaleUp: {selectPolicy: Max}}\n" },
};

/* What comes of a manifest, its wanted lines included, as the text of a scenario. */
static void import(const char *manifest, struct sq_buf *out)
{
    struct mdl_import_file file = { "it.yaml", manifest, strlen(manifest) };
    struct sq_diag diag = { 0 };
    struct sq_buf page = { 0 };
    if (mdl_import_config(&file, 1, &page, &diag) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&diag, &b);
        fail_msg("%s", b.text);
    }
    for (const char *line = page.text; *line != '\0';) {
        size_t len = strcspn(line, "\n") + 1;
        size_t skip = strncmp(line, "#+ ", 3) == 0 ? 3 : 0;
        sq_buf_add(out, line + skip, len - skip);
        line += len;
    }
    sq_buf_fini(&page);
    sq_diag_fini(&diag);
}

static double number(const struct sq_json *object, const char *key)
{
    const struct sq_json *v = sq_json_get(object, key);
    assert_non_null(v);
    return sq_json_number(v);
}

static size_t replay(const struct sq_json *trace, const struct sq_block *block)
{
    const struct sq_json *steps = sq_json_get(trace, "steps");
    const struct mdl_scaler_row *row = mdl_scaler_row(block);
    void *state = sq_mem_alloc(1, row->state_size(block->cfg));
    assert_non_null(state);
    for (size_t i = 0; i < sq_json_count(steps); i++) {
        const struct sq_json *s = sq_json_at(steps, i), *what = sq_json_get(s, "do");
        struct mdl_scaler_view v = { .now = WLD_S(number(s, "t_s")),
                                     .metric = number(s, "metric"),
                                     .current = (int64_t)number(s, "current") };
        v.ready = v.current;
        bool poll = what != NULL && strcmp(sq_json_text(what), "poll") == 0;
        int64_t got =
            poll ? row->decide_poll(block->cfg, state, &v) : row->decide(block->cfg, state, &v);
        if (sq_json_get(s, "except") == NULL && got != (int64_t)number(s, "result")) {
            fail_msg("%s, t = %g s: %lld and not %g", sq_json_text(sq_json_get(trace, "id")),
                     number(s, "t_s"), (long long)got, number(s, "result"));
        }
    }
    sq_mem_free(state);
    return sq_json_count(steps);
}

static const struct sq_json *find(const struct sq_json *root, const char *id)
{
    const struct sq_json *list = sq_json_get(root, "traces");
    for (size_t i = 0; i < sq_json_count(list); i++) {
        if (strcmp(sq_json_text(sq_json_get(sq_json_at(list, i), "id")), id) == 0) {
            return sq_json_at(list, i);
        }
    }
    fail_msg("no trace %s", id);
    return NULL;
}

static struct sq_json *read_traces(void)
{
    struct sq_diag diag = { 0 };
    struct sq_buf text = { 0 };
    struct sq_json *root = NULL;
    const char *path = "tests/vectors/scaler-traces.json";
    assert_int_equal(sq_file_read(path, 1 << 20, &text, &diag), SQ_OK);
    assert_int_equal(sq_json_parse(path, text.text, text.len, &diag, &root), SQ_OK);
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
    return root;
}

static void decide_as_recorded(void **state)
{
    (void)state;
    struct sq_json *root = read_traces();
    size_t looks = 0;
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct wld t = { 0 };
        struct sq_buf yaml = { 0 };
        struct mdl_ask ask = { .runs = -1 };
        import(cases[i].manifest, &yaml);
        if (wld_load(&t, yaml.text, &ask) != SQ_OK) {
            fail_msg("%s", wld_complaints(&t));
        }
        const struct mdl_workers_cfg *w = sq_map_at(&t.s.cfg.workers, 0);
        looks += replay(find(root, cases[i].id), &w->autoscaler);
        wld_fini(&t);
        sq_buf_fini(&yaml);
    }
    print_message("%zu looks of %zu traces\n", looks, SQ_COUNT(cases));
    assert_int_equal(looks, 267);
    sq_json_free(root);
}

/* The incident of keda-outage-80, run: 50 jobs per second for 20 minutes, of which none is fetched
 * meanwhile. The fleet changes at the instants of the trace, to its numbers, and at no others. */
static void run_as_recorded(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "duration=1250s",
        "producers.to-q.arrivals={kind: regular, rate: {kind: steps, points: [[0s, 50/s], [20m, "
        "0/s]]}}",
        "workers.it.replicas=10",
        "actions=[{at: 0s, pause: [it]}]",
    };
    struct sq_json *root = read_traces();
    const struct sq_json *steps = sq_json_get(find(root, "keda-outage-80"), "steps");
    struct sq_buf yaml = { 0 };
    struct wld t;
    import(cases[0].manifest, &yaml);
    wld_run_set(&t, yaml.text, sets, SQ_COUNT(sets));
    size_t changes = 0;
    for (size_t i = 0; i < sq_json_count(steps); i++) {
        const struct sq_json *s = sq_json_at(steps, i);
        if (number(s, "result") == number(s, "current")) {
            continue;
        }
        const struct wld_rec *r = wld_rec_at(&t, MDL_REC_WANTED, changes++);
        assert_non_null(r);
        assert_int_equal(r->at, WLD_S(number(s, "t_s")));
        assert_int_equal(r->r.value, (int64_t)number(s, "result"));
    }
    assert_int_equal(changes, 18);
    assert_null(wld_rec_at(&t, MDL_REC_WANTED, changes));
    wld_fini(&t);
    sq_buf_fini(&yaml);
    sq_json_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decide_as_recorded),
                                        cmocka_unit_test(run_as_recorded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
