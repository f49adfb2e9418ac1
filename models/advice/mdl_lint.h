/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_lint.h - what is wrong with a scenario's policies before anything is simulated: findings,
 * each with its place, the number that makes it one, and the fix.
 *
 * A rule is one row in one file of this folder (mdl_rule.h); name, severity, manual paragraph and
 * the check stand together. Findings come in the order of the rules, then of the file. What a file
 * accepts with `allow: {RULE: reason}` is kept and marked; an allowance that nothing needs is a
 * finding itself. Pure: reads the effective scenario and nothing else. */
#ifndef MDL_LINT_H
#define MDL_LINT_H

#include "models/mdl_scenario.h"

struct mdl_lint;
struct mdl_rule {
    const char *name;                 /* "no-jitter": as in `allow` */
    enum sq_severity severity;        /* SQ_NOTE is advice */
    const char *title;                /* one line */
    const char *why;                  /* a paragraph for the manual */
    const char *fix;                  /* what to do, one line */
    void (*look)(struct mdl_lint *l); /* NULL: found by the frame */
};

struct mdl_finding {
    const struct mdl_rule *rule;
    struct sq_where where;
    const char *path, *text; /* text: a sentence with the number */
    const char *reason;      /* of the allowance, NULL: not accepted */
    const char *variant;     /* NULL: in base too */
};

struct mdl_route;
struct mdl_lint {
    struct sq_arena arena;
    const struct mdl_scenario *s;
    const struct mdl_route *routes; /* mdl_routes.h */
    size_t route_count;
    const struct mdl_rule *rule; /* at work */
    struct mdl_finding *findings;
    size_t count, size;
    bool failed; /* out of memory */
};

/* All rules, in order. */
size_t mdl_rule_count(void);
const struct mdl_rule *mdl_rule_at(size_t i);

/* The findings of one effective scenario, in the arena of `l` until mdl_lint_fini. SQ_NOMEM. */
enum sq_status mdl_lint_open(struct mdl_lint *l, const struct mdl_scenario *s) SQ_MUST_USE;
void mdl_lint_fini(struct mdl_lint *l);

/* Whether there is a finding of a rule; and reporting that no variant of the file has any, so that
 * its allowance is unused: for whoever has looked at all variants. */
bool mdl_lint_needs(const struct mdl_lint *l, const char *rule);
void mdl_lint_unused(struct mdl_lint *l, const char *rule);

#endif
