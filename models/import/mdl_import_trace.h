/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_trace.h - the command `squall import trace`, and how it says what it found. */
#ifndef MDL_IMPORT_TRACE_H
#define MDL_IMPORT_TRACE_H

#include "models/import/mdl_import.h"
#include "sim/base/sq_opt.h"

/* Reads a trace and writes it normalised: a file and what is to be known of it on the page, or the
 * CSV to standard output and the rest as notes. */
enum sq_status mdl_import_trace(const struct sq_args *args, struct sq_buf *page,
                                struct sq_diag *diag) SQ_MUST_USE;

/* "locust: `,`, CR CR LF, 1 header row; times ..." in one line, without its end. */
void mdl_import_say(const struct mdl_import_found *f, struct sq_buf *out);
/* Where it begins and ends, and its figures; lines that begin with two blanks. */
void mdl_import_figures(const struct mdl_import_found *f, struct sq_buf *out);
/* The `arrivals:` of a scenario that reads the normalised file. */
void mdl_import_fragment(const struct mdl_import_found *f, const char *file, struct sq_buf *out);

#endif
