/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_load.h - a whole trace in memory, for arrivals that name a file and no column. */
#ifndef MDL_IMPORT_LOAD_H
#define MDL_IMPORT_LOAD_H

#include "models/import/mdl_import.h"
#include "sim/conf/sq_trace_csv.h"

/* The arrays live in the arena; `reads` of the trace says what they hold. SQ_USER as mdl_import.h
 * says; then a note tells how to make a file that can be read in one way only. */
enum sq_status mdl_import_load(const struct mdl_import_ask *ask, struct sq_arena *arena,
                               struct sq_diag *diag, struct sq_trace *out) SQ_MUST_USE;

#endif
