/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - any text as an amount of every unit. What is accepted lies in its range and, written
 * again, reads back to the same value. */
#include "tests/fuzz/fuzz.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

const char fuzz_name[] = "units";
const char *const fuzz_seeds[] = { NULL };

static void durations(const char *text)
{
    sq_time_t t = -1, again = -1;
    if (sq_unit_duration(text, &t) == NULL) {
        FUZZ_PROMISE(t >= 0 && t <= 10000 * 86400 * SQ_NS_PER_S);
        struct sq_buf b = { 0 };
        sq_unit_put_duration(&b, t);
        FUZZ_PROMISE(sq_unit_duration(b.text, &again) == NULL && again == t);
        sq_buf_fini(&b);
        sq_unit_put_span(&b, sq_time_to_s(t));
        FUZZ_PROMISE(b.len > 0);
        sq_buf_fini(&b);
    }
}

static void fractions(const char *text)
{
    double value = NAN, again = NAN;
    struct sq_buf b = { 0 };
    if (sq_unit_rate(text, &value) == NULL) {
        FUZZ_PROMISE(value >= 0 && isfinite(value));
        sq_unit_put_rate(&b, value);
        FUZZ_PROMISE(sq_unit_rate(b.text, &again) == NULL && again == value);
        sq_buf_fini(&b);
    }
    if (sq_unit_ratio(text, &value) == NULL) {
        FUZZ_PROMISE(value >= 0 && value <= 1);
        sq_unit_put_ratio(&b, value);
        FUZZ_PROMISE(sq_unit_ratio(b.text, &again) == NULL && again == value);
        sq_buf_fini(&b);
    }
    if (sq_unit_number(text, &value) == NULL) {
        FUZZ_PROMISE(value >= 0 && isfinite(value));
        sq_buf_number(&b, value, 17);
        FUZZ_PROMISE(sq_unit_number(b.text, &again) == NULL && again == value);
        sq_buf_fini(&b);
    }
}

static void wholes(const char *text)
{
    int64_t value = -1, again = -1;
    struct sq_buf b = { 0 };
    if (sq_unit_count(text, &value) == NULL) {
        FUZZ_PROMISE(value >= 0 && value < (int64_t)1 << 40);
        sq_unit_put_count(&b, value);
        FUZZ_PROMISE(sq_unit_count(b.text, &again) == NULL && again == value);
        sq_buf_fini(&b);
    }
    if (sq_unit_size(text, &value) == NULL) {
        FUZZ_PROMISE(value >= 0 && value <= (int64_t)1 << 60);
        sq_unit_put_size(&b, value);
        FUZZ_PROMISE(sq_unit_size(b.text, &again) == NULL && again == value);
        sq_buf_fini(&b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, ""); /* a text even if the input is empty */
    sq_buf_add(&text, (const char *)data, strnlen((const char *)data, size));
    durations(text.text);
    fractions(text.text);
    wholes(text.text);
    sq_buf_fini(&text);
    return 0;
}
