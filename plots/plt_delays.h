/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_delays.h - the delays of a retry policy, as a table with a small chart below, or as CSV. */
#ifndef PLT_DELAYS_H
#define PLT_DELAYS_H

#include "plots/plt_page.h"
#include "sim/core/sq_delays.h"

/* Appends the page; `title` names the policy. SQ_NOMEM. */
enum sq_status plt_delays(const struct sq_delays *d, const char *title, const struct plt_term *term,
                          struct sq_buf *out) SQ_MUST_USE;

/* One line per retry, seconds with nine digits. SQ_NOMEM. */
enum sq_status plt_delays_csv(const struct sq_delays *d, struct sq_buf *out) SQ_MUST_USE;

#endif
