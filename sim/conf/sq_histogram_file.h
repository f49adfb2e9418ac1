/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_histogram_file.h - the histograms of a result as histograms.csv, and back.
 *
 *     name, limit   of the histogram, on each of its rows; limit is empty where there is none
 *     upto, count   so many values above the row before (0 for the first one) and up to this one;
 *                   a histogram of nothing has one row without them
 * An empty bin is left out where the next one is empty too. */
#ifndef SQ_HISTOGRAM_FILE_H
#define SQ_HISTOGRAM_FILE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

enum sq_status sq_save_histograms(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;

/* Fills r->histograms from folder/histograms.csv, in the result's arena; without the file there are
 * none. SQ_USER when it is none of these. */
enum sq_status sq_load_histograms(const char *folder, struct sq_result *r,
                                  struct sq_diag *diag) SQ_MUST_USE;

#endif
