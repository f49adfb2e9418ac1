/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_lint.c - the frame of the rules: their order, places, figures as text, allowances. */
#include "models/advice/mdl_lint.h"

#include "models/advice/mdl_rule.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- rules ---- */

static const struct mdl_rule frame_rules[] = {
    { .name = "unused-allowance",
      .severity = SQ_WARNING,
      .title = "An allowance that nothing needs.",
      .why =
          "`allow` accepts the findings of one rule for a file. When the file changes so that the "
          "finding is gone, the allowance would silently accept the next one: so it is a "
          "finding itself.",
      .fix = "remove the line" },
    { .name = "unknown-rule",
      .severity = SQ_ERROR,
      .title = "An allowance for a rule that does not exist.",
      .why =
          "A name under `allow` that is no rule accepts nothing. `squall lint --rules` lists the "
          "names.",
      .fix = "write the name of a rule" },
};

struct part {
    const struct mdl_rule *rules;
    const size_t *count;
};
static const size_t frame_count = SQ_COUNT(frame_rules);
static const struct part parts[] = {
    { mdl_rules_delays, &mdl_rules_delays_count },
    { mdl_rules_limits, &mdl_rules_limits_count },
    { mdl_rules_capacity, &mdl_rules_capacity_count },
    { mdl_rules_brokers, &mdl_rules_brokers_count },
    { mdl_rules_controls, &mdl_rules_controls_count },
    { mdl_rules_worlds, &mdl_rules_worlds_count },
    { frame_rules, &frame_count },
};

size_t mdl_rule_count(void)
{
    size_t n = 0;
    for (size_t i = 0; i < SQ_COUNT(parts); i++) {
        n += *parts[i].count;
    }
    return n;
}

const struct mdl_rule *mdl_rule_at(size_t i)
{
    size_t part = 0;
    while (i >= *parts[part].count) {
        i -= *parts[part].count;
        part++;
        SQ_ASSERT(part < SQ_COUNT(parts));
    }
    return &parts[part].rules[i];
}

/* ---- texts ---- */

SQ_PRINTF(2, 0) static const char *say_list(struct mdl_lint *l, const char *fmt, va_list args)
{
    char text[512];
    int len = vsnprintf(text, sizeof(text), fmt, args);
    SQ_ASSERT(len >= 0);
    const char *copy = sq_arena_text(&l->arena, text, strlen(text));
    l->failed = l->failed || copy == NULL;
    return copy != NULL ? copy : "";
}

const char *mdl_say(struct mdl_lint *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = say_list(l, fmt, args);
    va_end(args);
    return text;
}

const char *mdl_say_span(struct mdl_lint *l, double seconds)
{
    struct sq_buf b = { 0 };
    sq_unit_put_span(&b, seconds);
    const char *text = mdl_say(l, "%s", b.text != NULL ? b.text : "");
    l->failed = l->failed || b.failed;
    sq_buf_fini(&b);
    return text;
}

const char *mdl_say_number(struct mdl_lint *l, double number)
{
    struct sq_buf b = { 0 };
    sq_buf_number(&b, number, 3);
    const char *text = mdl_say(l, "%s", b.text != NULL ? b.text : "");
    l->failed = l->failed || b.failed;
    sq_buf_fini(&b);
    return text;
}

/* ---- the tree by path ---- */

/* The deepest node of a path that exists; *whole: all of it does. With `written`, only nodes that
 * the user wrote count. */
static const struct sq_node *walk(const struct mdl_lint *l, const char *path, bool written,
                                  bool *whole)
{
    const struct sq_node *node = l->s->tree;
    char key[SQ_MAX_NAME * 2];
    *whole = false;
    while (*path != '\0') {
        size_t len = strcspn(path, ".");
        SQ_ASSERT(len < sizeof(key));
        memcpy(key, path, len);
        key[len] = '\0';
        const struct sq_node *next = node->kind == SQ_NODE_MAP ? sq_node_get(node, key) : NULL;
        if (next == NULL || (written && next->filled)) {
            return node;
        }
        node = next;
        path += len + (path[len] == '.');
    }
    *whole = true;
    return node;
}

static const struct sq_node *scalar(const struct mdl_lint *l, const char *path)
{
    bool whole;
    const struct sq_node *n = walk(l, path, false, &whole);
    return whole && n->kind == SQ_NODE_SCALAR ? n : NULL;
}

bool mdl_read_has(const struct mdl_lint *l, const char *path)
{
    bool whole;
    const struct sq_node *n = walk(l, path, false, &whole);
    return whole && !(n->kind == SQ_NODE_SCALAR && strcmp(n->text, "none") == 0);
}

const char *mdl_read_word(const struct mdl_lint *l, const char *path)
{
    const struct sq_node *n = scalar(l, path);
    return n != NULL ? n->text : "";
}

double mdl_read_s(const struct mdl_lint *l, const char *path)
{
    const char *text = mdl_read_word(l, path);
    sq_time_t t;
    if (strcmp(text, "unlimited") == 0) {
        return INFINITY;
    }
    return sq_unit_duration(text, &t) == NULL ? sq_time_to_s(t) : NAN;
}

double mdl_read_number(const struct mdl_lint *l, const char *path)
{
    const char *text = mdl_read_word(l, path);
    double number;
    int64_t count;
    if (strcmp(text, "unlimited") == 0) {
        return INFINITY;
    }
    if (sq_unit_count(text, &count) == NULL) {
        return (double)count;
    }
    if (sq_unit_rate(text, &number) == NULL || sq_unit_ratio(text, &number) == NULL ||
        sq_unit_number(text, &number) == NULL) {
        return number;
    }
    return NAN;
}

double mdl_read_mean_s(struct mdl_lint *l, const char *path)
{
    static const char *const keys[] = { "value", "mean" };
    double low = mdl_read_s(l, mdl_say(l, "%s.min", path));
    double high = mdl_read_s(l, mdl_say(l, "%s.max", path));
    for (size_t i = 0; i < SQ_COUNT(keys); i++) {
        double mean = mdl_read_s(l, mdl_say(l, "%s.%s", path, keys[i]));
        if (!isnan(mean)) {
            return mean;
        }
    }
    return (low + high) / 2;
}

/* ---- findings ---- */

static bool is_known(const struct mdl_lint *l, const struct mdl_finding *f)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct mdl_finding *g = &l->findings[i];
        if (g->rule == f->rule && strcmp(g->path, f->path) == 0) {
            return true;
        }
    }
    return false;
}

static void keep(struct mdl_lint *l, const struct mdl_finding *f)
{
    if (is_known(l, f)) {
        return;
    }
    if (l->count == l->size) {
        size_t size = l->size > 0 ? 2 * l->size : 16;
        struct mdl_finding *more = sq_arena_alloc(&l->arena, size, sizeof(*more));
        if (more == NULL) {
            l->failed = true;
            return;
        }
        if (l->count > 0) {
            memcpy(more, l->findings, l->count * sizeof(*more));
        }
        l->findings = more;
        l->size = size;
    }
    l->findings[l->count++] = *f;
}

void mdl_find(struct mdl_lint *l, const char *path, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = say_list(l, fmt, args);
    va_end(args);
    bool whole;
    struct mdl_finding f = { .rule = l->rule,
                             .where = walk(l, path, true, &whole)->where,
                             .path = mdl_say(l, "%s", path),
                             .text = text };
    if (f.where.line == 0) { /* made up by the program: the file as such */
        f.where = (struct sq_where){ .file = l->s->file };
    }
    keep(l, &f);
}

/* ---- allowances ---- */

static void accept(struct mdl_lint *l)
{
    const struct sq_map *allow = &l->s->cfg.allow;
    for (size_t i = 0; i < l->count; i++) {
        int at = sq_map_find(allow, l->findings[i].rule->name);
        l->findings[i].reason = at >= 0 ? *(const char *const *)sq_map_at(allow, (size_t)at) : NULL;
    }
}

static const struct mdl_rule *rule_of(const char *name)
{
    for (size_t i = 0; i < mdl_rule_count(); i++) {
        if (strcmp(mdl_rule_at(i)->name, name) == 0) {
            return mdl_rule_at(i);
        }
    }
    return NULL;
}

static const char *closest_rule(const char *name)
{
    const char *names[128];
    size_t count = mdl_rule_count();
    SQ_ASSERT(count <= SQ_COUNT(names));
    for (size_t i = 0; i < count; i++) {
        names[i] = mdl_rule_at(i)->name;
    }
    return sq_diag_closest(name, names, count);
}

static void look_at_allowances(struct mdl_lint *l)
{
    const struct sq_map *allow = &l->s->cfg.allow;
    for (size_t i = 0; i < allow->count; i++) {
        const char *name = allow->names[i];
        if (rule_of(name) == NULL) {
            const char *close = closest_rule(name);
            l->rule = &frame_rules[1];
            mdl_find(l, mdl_say(l, "allow.%s", name), "there is no rule `%s`%s%s%s", name,
                     close != NULL ? ": did you mean `" : "", close != NULL ? close : "",
                     close != NULL ? "`?" : "");
        }
    }
}

bool mdl_lint_needs(const struct mdl_lint *l, const char *rule)
{
    for (size_t k = 0; k < l->count; k++) {
        if (strcmp(l->findings[k].rule->name, rule) == 0) {
            return true;
        }
    }
    return false;
}

void mdl_lint_unused(struct mdl_lint *l, const char *name)
{
    if (rule_of(name) != NULL) {
        l->rule = &frame_rules[0];
        mdl_find(l, mdl_say(l, "allow.%s", name),
                 "0 findings of `%s` in the file and its variants: the allowance is not needed",
                 name);
    }
}

enum sq_status mdl_lint_open(struct mdl_lint *l, const struct mdl_scenario *s)
{
    *l = (struct mdl_lint){ .s = s };
    enum sq_status status = mdl_routes_open(l);
    for (size_t i = 0; i < mdl_rule_count() && status == SQ_OK; i++) {
        l->rule = mdl_rule_at(i);
        if (l->rule->look != NULL) {
            l->rule->look(l);
        }
    }
    accept(l);
    look_at_allowances(l);
    return l->failed ? SQ_NOMEM : status;
}

void mdl_lint_fini(struct mdl_lint *l)
{
    sq_arena_fini(&l->arena);
}
