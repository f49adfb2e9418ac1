/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_gamma.h - the gamma function and the quantiles of the gamma distribution, from sq_fn.h alone:
 * the same bits on every machine. Pure.
 *
 * Quantiles cost microseconds, so sampling reads a table. It holds log(x / mean) over the logit of
 * the uniform, w = log(u / (1 - u)), on an even grid over every uniform that sq_luck draws: in w
 * both tails are smooth for every shape (towards 0 log x is a line, towards infinity it is like
 * log w), so a cubic between two knots is right to 1e-8 in x and no tail is cut off. The table
 * depends on cv only, not on the mean. */
#ifndef SQ_GAMMA_H
#define SQ_GAMMA_H

#include "sim/base/sq_base.h"

/* log Gamma(x), x > 0: absolute error <= 1e-14 (1 + |x log x|). */
double sq_gamma_log(double x);

/* log(1 + x), x > -1/2, relative error some 1e-16, also when 1 + x rounds. */
double sq_gamma_log_1_plus(double x);

/* log(x / mean) of the gamma distribution with this cv > 0 where its distribution function is
 * 1 / (1 + exp(-logit)), |logit| <= 38. Relative error of x below 1e-9. */
double sq_gamma_quantile(double cv, double logit);

/* The knots: from -SQ_GAMMA_REACH to SQ_GAMMA_REACH, SQ_GAMMA_KNOTS_PER_UNIT in each unit. */
enum { SQ_GAMMA_REACH = 37, SQ_GAMMA_KNOTS_PER_UNIT = 32 };
enum { SQ_GAMMA_KNOTS = 2 * SQ_GAMMA_REACH * SQ_GAMMA_KNOTS_PER_UNIT + 1 };
enum { SQ_GAMMA_TABLE = 2 * SQ_GAMMA_KNOTS }; /* doubles: value and slope times the gap, by knot */

/* Fills a table of SQ_GAMMA_TABLE doubles; about a millisecond. cv > 0. */
void sq_gamma_fill(double cv, double *table);

/* log(x / mean) at the uniform 0 < u < 1, from a table. */
double sq_gamma_at(const double *table, double u);

#endif
