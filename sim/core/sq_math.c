/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_math.c - the one door to GSL. */
#include "sim/core/sq_math.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

void sq_math_init(void)
{
    gsl_set_error_handler_off();
}

double sq_math_student_quantile(double p, double df)
{
    return p > 0 && p < 1 && df > 0 ? gsl_cdf_tdist_Pinv(p, df) : NAN;
}

double sq_math_normal_quantile(double p)
{
    return p > 0 && p < 1 ? gsl_cdf_ugaussian_Pinv(p) : NAN;
}

/* gsl_cdf_beta_P goes by continued fractions on whichever side is smaller: tails keep their
 * relative precision, and there is no error code but NaN. */
double sq_math_beta(double x, double a, double b)
{
    return x >= 0 && x <= 1 && a > 0 && b > 0 ? gsl_cdf_beta_P(x, a, b) : NAN;
}
