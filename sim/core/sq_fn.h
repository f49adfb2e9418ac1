/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_fn.h - elementary functions for sampling that give the same bits on every machine.
 *
 * libm picks fused-multiply variants of log and exp by processor, so sampling must not use it.
 * These use only + - * / sqrt on IEEE doubles (built with -ffp-contract=off). Error <= 2 ulp
 * against correctly rounded results, tested. Pure, allocation-free, no global state. */
#ifndef SQ_FN_H
#define SQ_FN_H

double sq_fn_log(double x); /* x > 0, finite; -inf for 0, NaN below */
double sq_fn_exp(double x); /* 0 below -745.2, +inf above 709.8 */

/* x to the power y for x > 0, as exp(y log x) with an error-compensated product: <= 4 ulp for
 * |y log x| < 700. sq_fn_pow(x, 0) == 1, and whole y up to 64 multiply exactly as long as the
 * result is exact in a double. x = 0 gives 0 (y > 0) or 1 (y == 0). */
double sq_fn_pow(double x, double y);

/* Inverse of the standard normal distribution function, 0 < p < 1: Wichura, AS 241 (PPND16),
 * Applied Statistics 37 (1988) 477-484; relative error about 1e-16. Odd: f(1-p) = -f(p) exactly
 * for every p whose 1-p is exact. */
double sq_fn_normal_quantile(double p);

double sq_fn_cos_turn(double turns); /* cos(2 pi turns), for daily rates; <= 4 ulp of 1 */

#endif
