/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_each.h - every block of one family inside bound structs, wherever the rows say it may stand:
 * for whatever must be made from a block before it can be used. */
#ifndef SQ_EACH_H
#define SQ_EACH_H

#include "sim/conf/sq_field.h"

/* What is done with a block; anything but SQ_OK ends the walk. */
typedef enum sq_status sq_each_fn(void *ctx, const struct sq_block *block);

/* Calls `fn` for every block of the family that is present, in the order of rows, lists and maps; a
 * block comes before those inside it. `cfg` is a struct that `table` filled. */
enum sq_status sq_each_block(const struct sq_table *table, const void *cfg,
                             const struct sq_family *family, sq_each_fn *fn, void *ctx) SQ_MUST_USE;

#endif
