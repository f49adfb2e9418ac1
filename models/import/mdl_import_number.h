/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_number.h - values of a trace as dashboards write them: 1,721,992.143, 1.50 K req/s,
 * '-0.065, 94,5, null. */
#ifndef MDL_IMPORT_NUMBER_H
#define MDL_IMPORT_NUMBER_H

#include "sim/base/sq_base.h"

enum mdl_import_per {
    MDL_IMPORT_PER_NOTHING,
    MDL_IMPORT_PER_S,
    MDL_IMPORT_PER_MIN,
    MDL_IMPORT_PER_H
};

struct mdl_import_number {
    double value;
    bool null;               /* empty, null, NaN, N/A, -, ...: no value */
    enum mdl_import_per per; /* by its unit */
    const char *unit;        /* within the text; "" without one */
};

/* `decimal` is '.' or ','; the other one and blanks may part groups of three digits. NULL, or a
 * sentence: "is no number". A negative number is none of a trace. */
const char *mdl_import_number(const char *text, char decimal,
                              struct mdl_import_number *out) SQ_MUST_USE;

/* What a text says about the decimal sign of its file. */
enum mdl_import_sign {
    MDL_IMPORT_SIGN_NONE,
    MDL_IMPORT_SIGN_POINT,
    MDL_IMPORT_SIGN_COMMA,
    MDL_IMPORT_SIGN_EITHER
};
enum mdl_import_sign mdl_import_sign(const char *text);

#endif
