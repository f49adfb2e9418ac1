/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_math.h - special functions for the statistics of finished runs, by GSL.
 *
 * Never used while sampling (sq_fn.h). Everything here is pure after sq_math_init, and safe in
 * threads. Where GSL cannot give a number the answer is NaN. */
#ifndef SQ_MATH_H
#define SQ_MATH_H

/* Stops GSL from ending the program on a domain error or an underflow. To be called once, before
 * any other function here and before any thread starts. */
void sq_math_init(void);

/* The p-quantile of Student's distribution with df > 0 degrees of freedom, 0 < p < 1. */
double sq_math_student_quantile(double p, double df);

/* The p-quantile of the standard normal distribution, 0 < p < 1. */
double sq_math_normal_quantile(double p);

/* The regularised incomplete beta function I_x(a, b), 0 <= x <= 1, a > 0, b > 0. */
double sq_math_beta(double x, double a, double b);

#endif
