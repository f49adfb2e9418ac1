/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_changes.h - the keys in which two effective scenarios differ. */
#ifndef SQ_CHANGES_H
#define SQ_CHANGES_H

#include "sim/base/sq_buf.h"

/* One line per key to `out`: "workers.pool.slots: 2 -> 3". A block or list that only one of them
 * has is one key, written in one line and cut when it is long. `skip` (may be NULL) is a key of the
 * root that is left out. Returns how many; 0, too, when one of the texts is no scenario. */
size_t sq_changes(const char *was, const char *is, const char *skip, struct sq_buf *out);

#endif
