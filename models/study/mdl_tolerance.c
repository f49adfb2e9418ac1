/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_tolerance.c - reading tolerances, and finding that of a metric. */
#include "models/study/mdl_tolerance.h"

#include "sim/base/sq_unit.h"

#include <string.h>

static const double USUAL = 0.05;

/* Whether the pattern with its stars fits the whole name. */
static bool fits(const char *pattern, size_t len, const char *name)
{
    size_t star = SIZE_MAX, p = 0;
    const char *again = NULL;
    while (*name != '\0') {
        if (p < len && pattern[p] == '*') {
            star = p++;
            again = name;
        } else if (p < len && pattern[p] == *name) {
            p++;
            name++;
        } else if (star != SIZE_MAX) { /* the last star takes one more */
            p = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (p < len && pattern[p] == '*') {
        p++;
    }
    return p == len;
}

bool mdl_tolerance_fits(const struct mdl_tolerance *t, const char *metric)
{
    return fits(t->text, t->len, metric);
}

struct sq_tolerance mdl_tolerance_of(const struct mdl_tolerances *t, const char *metric)
{
    struct sq_tolerance of = { .off = fits("run.*", 5, metric), .relative = USUAL };
    for (size_t i = 0; i < t->count; i++) {
        of = mdl_tolerance_fits(&t->items[i], metric) ? t->items[i].is : of;
    }
    return of;
}

/* ---- reading ---- */

/* 5 % may also be written 0.05; it may be more than all. */
static const char *read_share(const char *text, double *out)
{
    char digits[32];
    size_t len = strlen(text);
    bool percent = len > 0 && text[len - 1] == '%';
    len -= percent;
    if (len >= sizeof digits) {
        return "is too long";
    }
    memcpy(digits, text, len);
    digits[len] = '\0';
    const char *wrong = sq_unit_number(digits, out);
    *out /= percent ? 100 : 1;
    return wrong;
}

/* In the unit of the metric: seconds, per second, a count. */
static const char *read_amount(const char *text, double *out)
{
    sq_time_t time;
    int64_t count;
    if (sq_unit_number(text, out) == NULL || sq_unit_rate(text, out) == NULL) {
        return NULL;
    }
    if (sq_unit_duration(text, &time) == NULL) {
        *out = sq_time_to_s(time);
        return NULL;
    }
    if (sq_unit_count(text, &count) == NULL) {
        *out = (double)count;
        return NULL;
    }
    return "is no number, duration, rate or count";
}

static enum sq_status complain(struct sq_diag *diag, const char *text, const char *part,
                               const char *wrong)
{
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--tolerance",
                         "write METRIC=SHARE, METRIC=SHARE,AMOUNT or METRIC=off: "
                         "drain.queue_clear_s=10%,30s",
                         "`%s`: %s%s%s", text, part, part[0] != '\0' ? " " : "", wrong);
}

static enum sq_status read_values(const char *text, const char *values, struct sq_tolerance *out,
                                  struct sq_diag *diag)
{
    char share[48];
    size_t len = strcspn(values, ",");
    const char *amount = values[len] == ',' ? values + len + 1 : NULL;
    if (len >= sizeof share) {
        return complain(diag, text, "", "the share is too long");
    }
    memcpy(share, values, len);
    share[len] = '\0';
    const char *wrong = read_share(share, &out->relative);
    if (wrong != NULL) {
        return complain(diag, text, "the share", wrong);
    }
    wrong = amount != NULL ? read_amount(amount, &out->absolute) : NULL;
    return wrong != NULL ? complain(diag, text, "the amount", wrong) : SQ_OK;
}

enum sq_status mdl_tolerance_add(struct mdl_tolerances *t, const char *text, struct sq_diag *diag)
{
    struct mdl_tolerance one = { .text = text, .len = strcspn(text, "=") };
    if (one.len == 0 || text[one.len] == '\0') {
        return complain(diag, text, "", one.len == 0 ? "the metric is missing" : "has no `=`");
    }
    if (t->count == MDL_MAX_TOLERANCES) {
        return complain(diag, text, "", "there are too many; * in METRIC stands for any text");
    }
    const char *values = text + one.len + 1;
    enum sq_status status = SQ_OK;
    if (strcmp(values, "off") == 0) {
        one.is.off = true;
    } else {
        status = read_values(text, values, &one.is, diag);
    }
    if (status == SQ_OK) {
        t->items[t->count++] = one;
    }
    return status;
}
