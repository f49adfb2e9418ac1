/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rule.h - what the checks of lint rules use: the rows, reporting a finding, and figures as
 * text. For the files of this folder only. */
#ifndef MDL_RULE_H
#define MDL_RULE_H

#include "models/advice/mdl_lint.h"
#include "models/advice/mdl_routes.h"

/* One table of rows per file of rules. */
extern const struct mdl_rule mdl_rules_delays[], mdl_rules_limits[], mdl_rules_capacity[],
    mdl_rules_brokers[], mdl_rules_controls[], mdl_rules_worlds[];
extern const size_t mdl_rules_delays_count, mdl_rules_limits_count, mdl_rules_capacity_count,
    mdl_rules_brokers_count, mdl_rules_controls_count, mdl_rules_worlds_count;

/* Reports a finding of the rule at work at a path such as "workers.pool.retry.backoff". The place
 * is that of the deepest part of the path that the user wrote. One finding per rule and path. */
void mdl_find(struct mdl_lint *l, const char *path, const char *fmt, ...) SQ_PRINTF(3, 4);

/* Texts in the arena: "6m30s", "32", "24.4/s", "95%"; and of a format. Never NULL. */
const char *mdl_say_span(struct mdl_lint *l, double seconds);
const char *mdl_say_number(struct mdl_lint *l, double number);
const char *mdl_say(struct mdl_lint *l, const char *fmt, ...) SQ_PRINTF(2, 3);

/* Values of the effective scenario by path; NaN: absent or `none`; infinity: `unlimited`. */
double mdl_read_s(const struct mdl_lint *l, const char *path);      /* a duration, in seconds */
double mdl_read_number(const struct mdl_lint *l, const char *path); /* count, number, rate, ratio */
/* Mean of a distribution that is constant, uniform or written with its mean; else NaN. */
double mdl_read_mean_s(struct mdl_lint *l, const char *path);
/* A word; "" when there is none. */
const char *mdl_read_word(const struct mdl_lint *l, const char *path);
bool mdl_read_has(const struct mdl_lint *l, const char *path);

#endif
