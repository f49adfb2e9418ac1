/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_gamma.c - log Gamma by Stirling's series; quantiles by Newton's method on the logarithm of the
 * regularised incomplete gamma function (power series below, continued fraction above: Abramowitz
 * and Stegun 6.5.29 and 6.5.31), and for large shapes by Temme's uniform
 * expansion. */
#include "sim/core/sq_gamma.h"

#include <math.h>

#include "sim/core/sq_fn.h"

enum { LARGE_SHAPE = 1000 };

/* The quotient corrects for the part of x that 1 + x lost. */
double sq_gamma_log_1_plus(double x)
{
    double y = 1 + x;
    return sq_fn_log(y) - ((y - 1) - x) / y;
}

/* Stirling's series from x = 12 up: its first left-out term is 3617/122400 x^-15 < 1e-17. Below,
 * Gamma(x + n) = x (x + 1) ... Gamma(x). */
double sq_gamma_log(double x)
{
    SQ_ASSERT(x > 0);
    const double half_log_two_pi = 0.91893853320467274178;
    double below = 1;
    while (x < 12) {
        below *= x;
        x += 1;
    }
    double z = 1 / (x * x);
    double tail = 1.0 / 156;
    tail = -691.0 / 360360 + z * tail;
    tail = 1.0 / 1188 + z * tail;
    tail = -1.0 / 1680 + z * tail;
    tail = 1.0 / 1260 + z * tail;
    tail = -1.0 / 360 + z * tail;
    tail = 1.0 / 12 + z * tail;
    return (x - 0.5) * sq_fn_log(x) - x + half_log_two_pi + tail / x - sq_fn_log(below);
}

/* ---- the incomplete gamma function ---- */

/* Where a Newton step stands: the logarithm of a tail, and its slope in y = log x. */
struct tail {
    double log, slope;
};

/* 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ... */
static double power_series(double a, double x)
{
    double term = 1, sum = 1;
    for (double n = 1; sum + term > sum; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Q(a, x) Gamma(a) e^x x^-a, x >= a + 1, by Lentz's method. */
static double fraction(double a, double x)
{
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d, change;
    int n = 1;
    do {
        double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = b + an / c;
        c = fabs(c) < tiny ? tiny : c;
        change = c * d;
        h *= change;
        n++;
    } while (fabs(change - 1) > 2e-16 && n < 10000);
    return h;
}

/* log of the lower (or upper) tail at x = e^y. x may be too small for a double: its logarithm is
 * not. */
static struct tail tail_at(double a, double log_gamma_a, double y, bool upper)
{
    double x = sq_fn_exp(y);
    double density = a * y - x - log_gamma_a; /* log of x times the density */
    if (x >= a + 1) {
        double q = fraction(a, x);
        double log_q = density + sq_fn_log(q);
        if (upper) {
            return (struct tail){ log_q, -1 / q };
        }
        double p = 1 - sq_fn_exp(log_q);
        return (struct tail){ sq_fn_log(p), sq_fn_exp(density) / p };
    }
    double sum = power_series(a, x) / a;
    double log_p = density + sq_fn_log(sum);
    if (!upper) {
        return (struct tail){ log_p, 1 / sum };
    }
    double q = 1 - sq_fn_exp(log_p);
    return (struct tail){ sq_fn_log(q), -sq_fn_exp(density) / q };
}

/* Solves log tail(e^y) = target from y. Both log tails are concave in y, so that Newton's method
 * leads to the root from everywhere. */
static double solve(double a, double target, bool upper, double y)
{
    double log_gamma_a = sq_gamma_log(a);
    for (int i = 0; i < 200; i++) {
        struct tail t = tail_at(a, log_gamma_a, y, upper);
        double step = (t.log - target) / t.slope;
        y -= step;
        if (fabs(step) <= 1e-9 * (1 + fabs(y))) { /* the next error is its square */
            break;
        }
    }
    return y;
}

/* ---- quantiles ---- */

/* log of the smaller tail at a logit: log(1 / (1 + e^|w|)). */
static double log_tail(double logit)
{
    double w = fabs(logit);
    return -w - sq_gamma_log_1_plus(sq_fn_exp(-w));
}

/* x / a = lambda, where lambda - 1 - log lambda = eta^2 / 2 and eta = z + e1(z) / a + e2(z) / a^2
 * with z the normal quantile divided by sqrt a; e1 = log(z / (lambda(z) - 1)) / z: N. M. Temme,
 * Mathematics of Computation 58 (1992) 755-764. The series of lambda - 1 follows from the
 * derivative of its definition; |eta| < 0.28 here. */
static double lambda_minus_1(double eta)
{
    static const double rest[] = {
        1.0 / 36,         -1.0 / 270,   1.0 / 4320,          1.0 / 17010,
        -139.0 / 5443200, 1.0 / 204120, -571.0 / 2351462400, -281.0 / 1515591000
    };
    double s = 0;
    for (size_t i = SQ_COUNT(rest); i > 0; i--) {
        s = rest[i - 1] + eta * s;
    }
    return eta * (1 + eta * (1.0 / 3 + eta * s));
}

static double large_shape(double cv, double logit)
{
    double tail = sq_fn_exp(log_tail(logit));
    double z = sq_fn_normal_quantile(tail) * (logit > 0 ? -cv : cv);
    double e1 = -1.0 / 3 + z / 36;
    if (fabs(z) > 1e-6) {
        e1 = -sq_gamma_log_1_plus(lambda_minus_1(z) / z - 1) / z;
    }
    double e2 = -7.0 / 405 - z * 7 / 2592 + z * z * 533 / 204120;
    double eta = z + cv * cv * (e1 + cv * cv * e2);
    return sq_gamma_log_1_plus(lambda_minus_1(eta));
}

static double small_shape(double a, double logit, double start)
{
    return solve(a, log_tail(logit), logit > 0, start) - sq_fn_log(a);
}

/* From beyond the root no step passes it. Below: x^a / Gamma(a + 1) is above the distribution
 * function. Above: P(X > a + sqrt(2 a t) + t) <= e^-t, S. Boucheron, G. Lugosi, P. Massart,
 * Concentration Inequalities (2013), section 2.4. */
static double first_guess(double a, double logit)
{
    double t = -log_tail(logit);
    return logit > 0 ? sq_fn_log(a + sqrt(2 * a * t) + t)
                     : (sq_gamma_log(a) + sq_fn_log(a) - t) / a;
}

double sq_gamma_quantile(double cv, double logit)
{
    SQ_ASSERT(cv > 0);
    double a = 1 / cv / cv;
    return a > LARGE_SHAPE ? large_shape(cv, logit) : small_shape(a, logit, first_guess(a, logit));
}

/* ---- tables ---- */

static double knot_logit(int i)
{
    return (double)i / SQ_GAMMA_KNOTS_PER_UNIT - SQ_GAMMA_REACH;
}

/* The slope at each knot is that of the quartic through it and its four neighbours; its error is
 * far below that of the cubic. The knots beyond the ends are needed for that only. */
void sq_gamma_fill(double cv, double *table)
{
    SQ_ASSERT(cv > 0);
    double a = 1 / cv / cv;
    double y[5] = { 0 };
    for (int i = -2; i < SQ_GAMMA_KNOTS + 2; i++) {
        double logit = knot_logit(i);
        double ahead = 2 * y[4] - y[3] + sq_fn_log(a); /* from where the two before lead */
        double start = i < 0 ? first_guess(a, logit) : ahead;
        for (int k = 0; k < 4; k++) {
            y[k] = y[k + 1];
        }
        y[4] = a > LARGE_SHAPE ? large_shape(cv, logit) : small_shape(a, logit, start);
        if (i >= 2) {
            table[2 * (i - 2)] = y[2];
            table[2 * (i - 2) + 1] = (y[0] - y[4] + 8 * (y[3] - y[1])) / 12;
        }
    }
}

/* The cubic with the values and slopes of both knots. */
double sq_gamma_at(const double *table, double u)
{
    double logit = sq_fn_log(u) - sq_fn_log(1 - u);
    double at = (logit + SQ_GAMMA_REACH) * SQ_GAMMA_KNOTS_PER_UNIT;
    int i = (int)at;
    i = i < 0 ? 0 : i > SQ_GAMMA_KNOTS - 2 ? SQ_GAMMA_KNOTS - 2 : i;
    const double *k = table + 2 * i;
    double t = at - i;
    double rise = k[2] - k[0];
    double bend = (1 - t) * (k[1] - rise) + t * (rise - k[3]);
    return k[0] + t * (rise + (1 - t) * bend);
}
