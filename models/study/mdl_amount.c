/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_amount.c - amounts as one number, and back. */
#include "models/study/mdl_amount.h"

#include "sim/base/sq_unit.h"

bool mdl_amount_is_whole(enum sq_ftype type)
{
    return type == SQ_TIME || type == SQ_AMOUNT || type == SQ_SIZE;
}

const char *mdl_amount_read(enum sq_ftype type, const char *text, double *out)
{
    int64_t whole = 0;
    const char *wrong;
    switch ((int)type) {
    case SQ_TIME:
        wrong = sq_unit_duration(text, &whole);
        break;
    case SQ_AMOUNT:
        wrong = sq_unit_count(text, &whole);
        break;
    case SQ_SIZE:
        wrong = sq_unit_size(text, &whole);
        break;
    case SQ_RATE:
        return sq_unit_rate(text, out);
    case SQ_RATIO:
        return sq_unit_ratio(text, out);
    default:
        return sq_unit_number(text, out);
    }
    *out = wrong == NULL ? (double)whole : *out;
    return wrong;
}

void mdl_amount_put(enum sq_ftype type, double value, struct sq_buf *out)
{
    switch ((int)type) {
    case SQ_TIME:
        sq_unit_put_duration(out, (sq_time_t)value);
        return;
    case SQ_AMOUNT:
        sq_unit_put_count(out, (int64_t)value);
        return;
    case SQ_SIZE:
        sq_unit_put_size(out, (int64_t)value);
        return;
    case SQ_RATE:
        sq_unit_put_rate(out, value);
        return;
    case SQ_RATIO:
        sq_unit_put_ratio(out, value);
        return;
    default:
        sq_buf_number(out, value, 17);
    }
}

const char *mdl_amount_wanted(enum sq_ftype type)
{
    static const char *const wanted[] = {
        [SQ_TIME] = "a duration such as 5s", [SQ_RATE] = "a rate such as 24/s",
        [SQ_RATIO] = "a ratio such as 20%",  [SQ_AMOUNT] = "a whole number such as 40 or 60k",
        [SQ_SIZE] = "a size such as 512MB",  [SQ_NUMBER] = "a number such as 1.5",
    };
    SQ_ASSERT(type < SQ_COUNT(wanted));
    return wanted[type];
}
