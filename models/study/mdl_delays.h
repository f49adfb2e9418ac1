/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_delays.h - one retry policy by itself: read from the name of a preset or a block in YAML, and
 * drawn from by the code that decides in a run. */
#ifndef MDL_DELAYS_H
#define MDL_DELAYS_H

#include "models/part/mdl_retry.h"
#include "sim/base/sq_opt.h"
#include "sim/conf/sq_preset.h"
#include "sim/core/sq_delays.h"

struct mdl_policy {
    struct sq_arena arena;
    struct sq_presets presets;
    struct sq_node *tree; /* of the block, presets and defaults written out */
    const struct mdl_retry_cfg *cfg;
};

/* `text`: "celery", or a retry block, for example "{preset: celery, max_retries: 5}". Places are
 * given in the file "POLICY". */
enum sq_status mdl_policy_open(struct mdl_policy *p, const char *text,
                               struct sq_diag *diag) SQ_MUST_USE;
void mdl_policy_fini(struct mdl_policy *p); /* also after failure */

struct mdl_delays_ask {
    uint32_t retries; /* 0: as many as the policy allows, at most MDL_DELAYS_SHOWN */
    size_t samples;
    uint64_t seed;
    bool csv; /* not for mdl_delays */
};
enum { MDL_DELAYS_SHOWN = 10 };

/* From the options of `squall delays`. */
enum sq_status mdl_delays_read(struct mdl_delays_ask *ask, const struct sq_args *args,
                               struct sq_diag *diag) SQ_MUST_USE;

/* The delays before retries 1 to `retries`, as if nothing but their number ended the layer. A law
 * without luck is evaluated, not drawn. Free with sq_arena_fini(&out->arena). */
enum sq_status mdl_delays(const struct mdl_policy *p, const struct mdl_delays_ask *ask,
                          struct sq_delays *out) SQ_MUST_USE;

/* SQ_USER when the delays are not of the policy's own making: they are what is left of a lease. */
enum sq_status mdl_policy_check(const struct mdl_policy *p, struct sq_diag *diag) SQ_MUST_USE;

/* Whether the law has no luck: the n-th delay is always the same. */
bool mdl_policy_is_exact(const struct mdl_policy *p);

#endif
