/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_presets.h - what there is of shipped presets, and what one of them does. */
#ifndef MDL_PRESETS_H
#define MDL_PRESETS_H

#include "sim/base/sq_opt.h"

/* One line per preset, by type: its name and system, for retries the first delays. SQ_NOMEM. */
enum sq_status mdl_presets_list(struct sq_buf *out) SQ_MUST_USE;

/* Their names, of one type or (NULL) of all, each once, with blanks between; appended. SQ_NOMEM. */
enum sq_status mdl_presets_names(const char *type, struct sq_buf *out) SQ_MUST_USE;

/* Every preset of this name: what it does in words, facts, warning, the block as it is shipped and
 * with all presets and defaults written out; for retries the delays besides. SQ_USER: none. */
enum sq_status mdl_presets_show(const char *name, struct sq_buf *out,
                                struct sq_diag *diag) SQ_MUST_USE;

/* The page of `squall presets`. */
enum sq_status mdl_presets_page(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
