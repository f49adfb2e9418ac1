/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario.c - the root rows and the way from a file to an effective scenario. */
#include "models/mdl_scenario.h"

#include "models/mdl_samples.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_hash.h"
#include "sim/base/sq_limits.h"
#include "sim/conf/sq_preset.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

/* ---- rows ---- */

static const struct sq_field health_rows[] = {
    SQ_ROW_TIME(struct mdl_health_cfg, t1, "t1", NULL, SQ_F_OPTIONAL,
                "T1, when the trigger is not an outage."),
    SQ_ROW_TIME(struct mdl_health_cfg, window, "window", "30s", SQ_F_ABOVE_MIN,
                "Length of the windows in which failures are counted."),
    SQ_ROW_RATIO(struct mdl_health_cfg, failure_share, "failure_share", NULL, SQ_F_OPTIONAL,
                 "A larger share of failed tries is unhealthy."),
    SQ_ROW_AMOUNT(struct mdl_health_cfg, backlog, "backlog", NULL, 0, SQ_F_OPTIONAL,
                  "A larger actionable backlog is unhealthy."),
    SQ_ROW_TIME(struct mdl_health_cfg, settle, "settle", "2m", 0, "How long it must stay well."),
};
static const struct sq_table health_table = { .rows = SQ_ROWS(health_rows),
                                              .size = sizeof(struct mdl_health_cfg) };

#define ELEMENT(name, table_, doc_)                                    \
    static const struct sq_field name = {                              \
        .key = "entry", .type = SQ_GROUP, .more = &table_, .doc = doc_ \
    }
ELEMENT(producer_element, mdl_producer_table, "A producer.");
ELEMENT(client_element, mdl_client_table, "A client.");
ELEMENT(queue_element, mdl_queue_table, "A queue.");
ELEMENT(workers_element, mdl_workers_table, "A worker pool.");
ELEMENT(dependency_element, mdl_dependency_table, "A dependency.");
ELEMENT(control_element, mdl_control_table, "What stands before a dependency.");
static const struct sq_field allow_element = { .key = "reason",
                                               .type = SQ_TEXT,
                                               .doc = "Why the finding is accepted." };

static const char presets_schema[] = "{\"$ref\": \"#/$defs/presets\"}";
static const char variants_schema[] =
    "{\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/scalar-name\","
    " \"not\": {\"enum\": [\"base\", \"all\"]}},"
    " \"additionalProperties\": {\"$ref\": \"#/$defs/variant\"}}";

static const struct sq_field root_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_root_cfg, squall, "squall", NULL, 1, 1, SQ_F_UNSET,
                     "Format version."),
    SQ_ROW_TEXT(struct mdl_root_cfg, title, "title", NULL, SQ_F_OPTIONAL | SQ_F_UNSET,
                "A line for charts."),
    SQ_ROW_TEXT(struct mdl_root_cfg, notes, "notes", NULL, SQ_F_OPTIONAL,
                "Sources and assumptions."),
    SQ_ROW_TIME(struct mdl_root_cfg, duration, "duration", NULL, 0,
                "Arrivals and planned events lie in [0, duration)."),
    SQ_ROW_TIME(struct mdl_root_cfg, tail, "tail", "0s", 0,
                "The run goes on for at most this long until every job has ended."),
    SQ_ROW_SEED(struct mdl_root_cfg, seed, "seed", "1", 0, "Root of all randomness."),
    SQ_ROW_AMOUNT_IN(struct mdl_root_cfg, runs, "runs", "1", 1, SQ_MAX_RUNS, 0, "Replications."),
    { .key = "timeline",
      .type = SQ_TIME,
      .off = SQ_AT(struct mdl_root_cfg, timeline, sq_time_t),
      .dflt = "1s",
      .min = 1e6,
      .max = 8.64e17,
      .doc = "Bin width of the timeline." },
    SQ_ROW_TIME(struct mdl_root_cfg, measure_from, "measure_from", "0s", 0,
                "What began earlier is left out of the metrics."),
    SQ_ROW_GROUP(struct mdl_root_cfg, health, "health", "{}", &health_table, 0,
                 "What counts as healthy."),
    SQ_ROW_MAP(struct mdl_root_cfg, producers, "producers", &producer_element, SQ_F_OPTIONAL,
               "Work that goes into a queue."),
    SQ_ROW_MAP(struct mdl_root_cfg, clients, "clients", &client_element, SQ_F_OPTIONAL,
               "Work that calls a dependency itself."),
    SQ_ROW_MAP(struct mdl_root_cfg, queues, "queues", &queue_element, SQ_F_OPTIONAL, "Brokers."),
    SQ_ROW_MAP(struct mdl_root_cfg, workers, "workers", &workers_element, SQ_F_OPTIONAL,
               "Pools that run jobs."),
    SQ_ROW_MAP(struct mdl_root_cfg, dependencies, "dependencies", &dependency_element,
               SQ_F_OPTIONAL, "What is called."),
    SQ_ROW_MAP(struct mdl_root_cfg, controls, "controls", &control_element, SQ_F_OPTIONAL,
               "What stands between all callers and a dependency."),
    SQ_ROW_LIST(struct mdl_root_cfg, actions, "actions", "[]", &mdl_action_element, 0,
                "What operators do and when."),
    SQ_ROW_LIST(struct mdl_root_cfg, expect, "expect", NULL, &mdl_expect_element,
                SQ_F_OPTIONAL | SQ_F_UNSET, "What must hold."),
    SQ_ROW_MAP(struct mdl_root_cfg, allow, "allow", &allow_element, SQ_F_OPTIONAL | SQ_F_ANY_KEY,
               "Accepted lint findings."),
    SQ_ROW_RAW_AS(struct mdl_root_cfg, presets, "presets", presets_schema,
                  SQ_F_OPTIONAL | SQ_F_UNSET, "Blocks to reuse in this file."),
    SQ_ROW_RAW_AS(struct mdl_root_cfg, variants, "variants", variants_schema,
                  SQ_F_OPTIONAL | SQ_F_UNSET, "Named changes to this file."),
};

const struct sq_table mdl_root_table = { .type = "scenario",
                                         .rows = SQ_ROWS(root_rows),
                                         .size = sizeof(struct mdl_root_cfg) };

/* ---- variants ---- */

struct loader {
    struct mdl_scenario *s;
    struct sq_conf conf;
    struct sq_presets presets;
    const struct sq_node *base;     /* expanded, without variants and presets */
    const struct sq_node *variants; /* NULL: none */
};

static enum sq_status apply_variant(struct loader *l, struct sq_node *tree, const char *name,
                                    int depth);

/* Merges the variant that this one extends, first. */
static enum sq_status apply_parent(struct loader *l, struct sq_node *tree,
                                   const struct sq_node *overlay, int depth)
{
    const struct sq_node *parent = sq_node_get(overlay, "extends");
    if (parent == NULL) {
        return SQ_OK;
    }
    if (parent->kind != SQ_NODE_SCALAR) {
        return sq_diag_error(l->conf.diag, parent->where, "extends", NULL,
                             "extends needs the name of a variant");
    }
    if (strcmp(parent->text, "base") == 0) {
        return SQ_OK;
    }
    if (sq_node_get(l->variants, parent->text) == NULL) {
        const char *close = sq_diag_closest(parent->text, l->variants->keys, l->variants->count);
        return sq_diag_error(
            l->conf.diag, parent->where, "extends",
            close != NULL ? sq_arena_printf(l->conf.arena, "did you mean `%s`?", close) : NULL,
            "there is no variant `%s`", parent->text);
    }
    if (depth > 32) {
        return sq_diag_error(l->conf.diag, parent->where, "extends", "break the circle",
                             "variants extend each other in a circle");
    }
    return apply_variant(l, tree, parent->text, depth + 1);
}

static enum sq_status apply_variant(struct loader *l, struct sq_node *tree, const char *name,
                                    int depth)
{
    const struct sq_node *written = sq_node_get(l->variants, name);
    if (written->kind != SQ_NODE_MAP) {
        return sq_diag_error(l->conf.diag, written->where, name, "for example {duration: 2h}",
                             "a variant needs a map of changes");
    }
    enum sq_status status = apply_parent(l, tree, written, depth);
    if (status != SQ_OK) {
        return status;
    }
    struct sq_node *overlay = sq_node_copy(l->conf.arena, written);
    if (overlay == NULL) {
        return SQ_NOMEM;
    }
    sq_node_drop(overlay, "extends");
    char *path = sq_arena_printf(l->conf.arena, "variants.%s", name);
    if (path == NULL) {
        return SQ_NOMEM;
    }
    status = sq_conf_expand(&l->conf, overlay, &mdl_root_table, path);
    return status == SQ_OK ? sq_conf_merge(&l->conf, tree, overlay, &mdl_root_table, path) : status;
}

/* ---- one effective scenario ---- */

static enum sq_status finish(struct loader *l, struct sq_node *tree, struct mdl_root_cfg *cfg)
{
    enum sq_status status = sq_conf_fill(&l->conf, tree, &mdl_root_table, "");
    if (status == SQ_OK) {
        status = sq_conf_bind(&l->conf, tree, &mdl_root_table, "", cfg);
    }
    if (status != SQ_OK) {
        return status;
    }
    mdl_scenario_set_leases(cfg);
    mdl_scenario_check(cfg, tree, &l->conf);
    return l->conf.diag->errors > 0 ? SQ_USER : SQ_OK;
}

/* Builds the effective tree of a variant (NULL: base) with the --set assignments. */
static enum sq_status build(struct loader *l, const char *variant, const struct mdl_ask *ask,
                            struct sq_node **tree, struct mdl_root_cfg *cfg)
{
    struct sq_node *t = sq_node_copy(l->conf.arena, l->base);
    if (t == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = variant != NULL ? apply_variant(l, t, variant, 0) : SQ_OK;
    for (size_t i = 0; ask != NULL && i < ask->set_count && status == SQ_OK; i++) {
        status = sq_conf_set(&l->conf, t, ask->sets[i], &mdl_root_table);
    }
    if (status == SQ_OK) {
        status = finish(l, t, cfg);
    }
    *tree = t;
    return status;
}

/* Every variant must be right, not only the one that is asked for. */
static enum sq_status check_variants(struct loader *l)
{
    struct mdl_scenario *s = l->s;
    for (size_t i = 0; i < s->variant_count; i++) {
        const char *name = s->variants[i];
        if (strcmp(name, "base") == 0 || strcmp(name, "all") == 0) {
            return sq_diag_error(l->conf.diag, l->variants->key_where[i], "variants",
                                 "choose another name", "`%s` is not a variant name", name);
        }
        if (!sq_is_name(name)) { /* names of folders too */
            return sq_diag_error(l->conf.diag, l->variants->key_where[i], "variants",
                                 "a name starts with a lower-case letter and goes on with these, "
                                 "digits and `-`; at most 40 characters",
                                 "`%s` is not a name", name);
        }
        struct mdl_root_cfg cfg = { 0 };
        struct sq_node *tree;
        enum sq_status status = build(l, name, NULL, &tree, &cfg);
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

/* ---- the whole ---- */

static void set_marks(struct mdl_scenario *s)
{
    sq_time_t first = SQ_NEVER, last = SQ_NEVER;
    for (size_t i = 0; i < s->cfg.dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&s->cfg.dependencies, i);
        for (size_t k = 0; k < d->outages.count; k++) {
            const struct mdl_outage_cfg *o = mdl_outage_at(&d->outages, k);
            if (!mdl_outage_is_planned(o)) {
                continue;
            }
            sq_time_t over = mdl_outage_over(o);
            first = sq_min_i64(first, o->at);
            last = last == SQ_NEVER ? over : sq_max_i64(last, over);
        }
    }
    s->t1 = s->cfg.health->t1 != SQ_NEVER ? s->cfg.health->t1 : last;
    s->t0 = first;
    if (s->t0 == SQ_NEVER) {
        for (size_t i = 0; i < s->cfg.actions.count; i++) {
            s->t0 = sq_min_i64(s->t0, mdl_action_at(&s->cfg.actions, i)->at);
        }
    }
    s->t0 = sq_min_i64(s->t0, s->t1); /* a T1 that is given may come before any event */
}

static enum sq_status print_tree(struct mdl_scenario *s, const struct sq_node *tree,
                                 const char **out)
{
    struct sq_buf b = { 0 };
    sq_node_print(tree, &b);
    *out = b.failed ? NULL : sq_arena_text(&s->arena, b.text, b.len);
    sq_buf_fini(&b);
    return *out != NULL ? SQ_OK : SQ_NOMEM;
}

/* --seed and --runs: what is echoed runs again to the same bytes. */
static enum sq_status put_options(struct mdl_scenario *s, struct sq_node *tree,
                                  const struct mdl_ask *ask)
{
    const struct {
        const char *key;
        bool asked;
        uint64_t value;
    } options[] = {
        { "seed", ask->has_seed, ask->seed },
        { "runs", ask->runs >= 0, (uint64_t)ask->runs },
    };
    for (size_t i = 0; i < SQ_COUNT(options); i++) {
        struct sq_node *node = sq_node_get(tree, options[i].key);
        SQ_ASSERT(node != NULL && node->kind == SQ_NODE_SCALAR);
        if (options[i].asked) {
            node->text = sq_arena_printf(&s->arena, "%llu", (unsigned long long)options[i].value);
            if (node->text == NULL) {
                return SQ_NOMEM;
            }
        }
    }
    return SQ_OK;
}

/* The hash is that of the scenario whatever the options: runs of another seed are still its. */
static enum sq_status set_echo(struct mdl_scenario *s, const struct mdl_ask *ask)
{
    struct sq_node *tree = sq_node_copy(&s->arena, s->tree);
    if (tree == NULL || mdl_expect_echo(tree, s->variant, &s->arena) != SQ_OK) {
        return SQ_NOMEM;
    }
    enum sq_status status = print_tree(s, tree, &s->echo);
    const char *hashed = s->echo;
    if (status == SQ_OK && (ask->has_seed || ask->runs >= 0)) {
        status = put_options(s, tree, ask);
        status = status == SQ_OK ? print_tree(s, tree, &s->echo) : status;
    }
    if (status != SQ_OK) {
        return status;
    }
    uint64_t h = sq_hash_text(SQ_HASH_BASIS, hashed);
    for (int i = 0; i < 16; i++) {
        s->hash[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
    }
    s->hash[16] = '\0';
    return SQ_OK;
}

static enum sq_status choose(struct loader *l, const struct mdl_ask *ask)
{
    struct mdl_scenario *s = l->s;
    bool base = ask->variant == NULL || strcmp(ask->variant, "base") == 0;
    if (!base && (l->variants == NULL || sq_node_get(l->variants, ask->variant) == NULL)) {
        const char *close = sq_diag_closest(ask->variant, s->variants, s->variant_count);
        return sq_diag_error(l->conf.diag, (struct sq_where){ .file = ask->file }, NULL,
                             close != NULL ? sq_arena_printf(&s->arena, "did you mean `%s`?", close)
                                           : "`squall explain` lists the variants",
                             "there is no variant `%s`", ask->variant);
    }
    s->variant = base ? "base" : sq_arena_text(&s->arena, ask->variant, strlen(ask->variant));
    enum sq_status status = build(l, base ? NULL : ask->variant, ask, &s->tree, &s->cfg);
    if (status != SQ_OK) {
        return status;
    }
    s->cfg.seed = ask->has_seed ? ask->seed : s->cfg.seed;
    s->cfg.runs = ask->runs >= 0 ? ask->runs : s->cfg.runs;
    set_marks(s);
    status = mdl_scenario_traces(s, ask->like, l->conf.diag);
    s->tables.arena = &s->arena;
    if (status == SQ_OK) {
        status = mdl_samples_read(&mdl_root_table, &s->cfg, s->file, &s->tables, l->conf.diag);
    }
    if (status == SQ_OK) {
        status = mdl_dist_prepare(&mdl_root_table, &s->cfg, &s->tables);
    }
    return status == SQ_OK ? set_echo(s, ask) : status;
}

/* Parses the file and takes variants and presets out of the tree. */
static enum sq_status read_file(struct loader *l, const struct mdl_ask *ask)
{
    struct mdl_scenario *s = l->s;
    struct sq_buf text = { 0 };
    struct sq_node *root = NULL;
    enum sq_status status = sq_file_read(ask->file, SQ_MAX_SCENARIO_BYTES, &text, l->conf.diag);
    if (status == SQ_OK) {
        status = sq_doc_parse(s->file, text.text != NULL ? text.text : "", text.len, &s->arena,
                              l->conf.diag, &root);
    }
    sq_buf_fini(&text);
    if (status != SQ_OK) {
        return status;
    }
    if (root->kind != SQ_NODE_MAP) {
        return sq_diag_error(l->conf.diag, root->where, NULL, "start with `squall: 1`",
                             "a scenario is a map of sections");
    }
    struct sq_node *variants = sq_node_get(root, "variants");
    if (variants != NULL && variants->kind != SQ_NODE_MAP) {
        return sq_diag_error(l->conf.diag, variants->where, "variants",
                             "for example variants: {longer: {duration: 2h}}",
                             "variants needs a map from names to changes");
    }
    l->variants = variants;
    s->variant_count = variants != NULL ? variants->count : 0;
    s->variants = s->variant_count > 0 ? variants->keys : NULL;
    status = sq_presets_open(&l->presets, &l->conf, &mdl_root_table, sq_node_get(root, "presets"));
    sq_node_drop(root, "variants");
    sq_node_drop(root, "presets");
    l->base = root;
    enum sq_status expanded = sq_conf_expand(&l->conf, root, &mdl_root_table, "");
    return status != SQ_OK ? status : expanded;
}

enum sq_status mdl_scenario_load(struct mdl_scenario *s, const struct mdl_ask *ask,
                                 struct sq_diag *diag)
{
    *s = (struct mdl_scenario){ 0 };
    s->file = sq_arena_text(&s->arena, ask->file, strlen(ask->file));
    if (s->file == NULL) {
        return SQ_NOMEM;
    }
    struct loader l = { .s = s, .conf = { .arena = &s->arena, .diag = diag } };
    enum sq_status status = read_file(&l, ask);
    if (status == SQ_OK && ask->like == NULL) {
        struct sq_node *tree;
        struct mdl_root_cfg cfg = { 0 };
        status = build(&l, NULL, NULL, &tree, &cfg);
    }
    if (status == SQ_OK && ask->like == NULL) {
        status = check_variants(&l);
    }
    if (status == SQ_OK) {
        status = choose(&l, ask);
    }
    return status == SQ_OK && diag->failed ? SQ_NOMEM : status;
}

void mdl_scenario_fini(struct mdl_scenario *s)
{
    sq_arena_fini(&s->arena);
}

enum sq_status mdl_scenario_bind(const struct mdl_scenario *s, struct sq_arena *arena,
                                 struct mdl_root_cfg *out)
{
    struct sq_diag diag = { 0 };
    struct sq_conf conf = { .arena = arena, .diag = &diag };
    *out = (struct mdl_root_cfg){ 0 };
    enum sq_status status = sq_conf_bind(&conf, s->tree, &mdl_root_table, "", out);
    SQ_ASSERT(status != SQ_USER);
    sq_diag_fini(&diag);
    if (status == SQ_OK) {
        mdl_scenario_set_leases(out);
    }
    out->seed = s->cfg.seed;
    out->runs = s->cfg.runs;
    out->timeline = s->cfg.timeline; /* mdl_estimate.c asks for a coarse one */
    return status;
}
