/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_unit_put.c - amounts on their way back into text. What is not written exactly by construction
 * is read back with the parser before it is used. */
#include "sim/base/sq_unit.h"

#include <string.h>

enum { DIGITS_EXACT = 17, DIGITS_WRITTEN = 15, COUNT_SHORT_FROM = 10000 };

/* "1.5" for amount 1500 and unit 1000; unit is a power of ten. Exact. */
static void put_decimal(struct sq_buf *b, int64_t amount, int64_t unit)
{
    sq_buf_printf(b, "%lld", (long long)(amount / unit));
    int64_t rest = amount % unit;
    if (rest > 0) {
        sq_buf_putc(b, '.');
    }
    while (rest > 0) {
        unit /= 10;
        sq_buf_putc(b, (char)('0' + rest / unit));
        rest %= unit;
    }
}

void sq_unit_put_duration(struct sq_buf *b, sq_time_t t)
{
    static const struct {
        char name;
        int64_t ns;
    } units[] = { { 'd', 86400 * SQ_NS_PER_S },
                  { 'h', 3600 * SQ_NS_PER_S },
                  { 'm', 60 * SQ_NS_PER_S } };
    SQ_ASSERT(t >= 0);
    if (t == SQ_NEVER) {
        sq_buf_puts(b, "none");
        return;
    }
    if (t > 0 && t < SQ_NS_PER_S) {
        bool ms = t >= 1000000;
        put_decimal(b, t, ms ? 1000000 : 1000);
        sq_buf_puts(b, ms ? "ms" : "us");
        return;
    }
    bool empty = true;
    for (size_t i = 0; i < SQ_COUNT(units); i++) {
        if (t >= units[i].ns) {
            sq_buf_printf(b, "%lld%c", (long long)(t / units[i].ns), units[i].name);
            t %= units[i].ns;
            empty = false;
        }
    }
    if (t > 0 || empty) {
        put_decimal(b, t, SQ_NS_PER_S);
        sq_buf_putc(b, 's');
    }
}

/* Per second, unless another unit is shorter by more than two characters: 0.5/s, but 10/m rather
 * than 0.16666666666666666/s. */
void sq_unit_put_rate(struct sq_buf *b, double per_s)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "/m", 60 }, { "/h", 3600 } };
    SQ_ASSERT(per_s >= 0);
    struct sq_buf best = { 0 };
    sq_buf_number(&best, per_s, DIGITS_EXACT);
    size_t most = best.len > 3 ? best.len - 3 : 0;
    sq_buf_puts(&best, "/s");
    for (size_t i = 0; i < SQ_COUNT(units); i++) {
        struct sq_buf text = { 0 };
        double back = -1;
        sq_buf_number(&text, per_s * units[i].seconds, DIGITS_WRITTEN);
        size_t len = text.len;
        sq_buf_puts(&text, units[i].name);
        if (len <= most && !text.failed && sq_unit_rate(text.text, &back) == NULL &&
            back == per_s) {
            most = len - 1;
            sq_buf_fini(&best);
            best = text;
        } else {
            sq_buf_fini(&text);
        }
    }
    b->failed = b->failed || best.failed;
    sq_buf_add(b, best.text != NULL ? best.text : "", best.len);
    sq_buf_fini(&best);
}

void sq_unit_put_ratio(struct sq_buf *b, double ratio)
{
    SQ_ASSERT(ratio >= 0 && ratio <= 1);
    struct sq_buf text = { 0 };
    double back = -1;
    sq_buf_number(&text, ratio * 100, DIGITS_WRITTEN);
    sq_buf_putc(&text, '%');
    b->failed = b->failed || text.failed;
    if (!text.failed && sq_unit_ratio(text.text, &back) == NULL && back == ratio) {
        sq_buf_add(b, text.text, text.len);
    } else {
        sq_buf_number(b, ratio, DIGITS_EXACT);
    }
    sq_buf_fini(&text);
}

void sq_unit_put_count(struct sq_buf *b, int64_t count)
{
    SQ_ASSERT(count >= 0);
    if (count == SQ_UNLIMITED) {
        sq_buf_puts(b, "unlimited");
        return;
    }
    const char *letters = count >= COUNT_SHORT_FROM ? "kMG" : "";
    size_t used = 0;
    while (used < strlen(letters) && count % 1000 == 0) {
        count /= 1000;
        used++;
    }
    sq_buf_printf(b, "%lld", (long long)count);
    sq_buf_add(b, letters + used - (used > 0), used > 0);
}

void sq_unit_put_size(struct sq_buf *b, int64_t bytes)
{
    static const struct {
        const char *names[5];
        int64_t step;
    } kinds[] = { { { "B", "kB", "MB", "GB", "TB" }, 1000 },
                  { { "B", "KiB", "MiB", "GiB", "TiB" }, 1024 } };
    SQ_ASSERT(bytes >= 0);
    if (bytes == SQ_UNLIMITED) {
        sq_buf_puts(b, "unlimited");
        return;
    }
    int64_t best = bytes;
    const char *unit = "B";
    for (size_t k = 0; k < SQ_COUNT(kinds); k++) {
        int64_t amount = bytes;
        size_t used = 0;
        while (bytes > 0 && used + 1 < SQ_COUNT(kinds[k].names) && amount % kinds[k].step == 0) {
            amount /= kinds[k].step;
            used++;
        }
        if (amount < best) {
            best = amount;
            unit = kinds[k].names[used];
        }
    }
    sq_buf_printf(b, "%lld%s", (long long)best, unit);
}

/* "2d5h", "1h30m", "6m30s": the unit and the next smaller one where it is not zero. */
static void put_pair(struct sq_buf *b, int64_t total, int64_t unit, int64_t next,
                     const char *letters)
{
    int64_t left = total % unit / next;
    sq_buf_printf(b, "%lld%c", (long long)(total / unit), letters[0]);
    if (left > 0) {
        sq_buf_printf(b, "%lld%c", (long long)left, letters[1]);
    }
}

void sq_unit_put_span(struct sq_buf *b, double seconds)
{
    /* From a minute on: rounded to `step` below `below`, so that about three digits remain. */
    static const struct {
        double below;
        int64_t step;
    } steps[] = { { 600, 1 },       { 3600, 10 },          { 36000, 60 },  { 172800, 600 },
                  { 864000, 3600 }, { 8640000, 6 * 3600 }, { 1e15, 86400 } };
    if (!__builtin_isfinite(seconds) || seconds >= 1e15 || seconds <= -1e15) {
        sq_buf_puts(b, "none");
        return;
    }
    if (seconds < 0) {
        sq_buf_putc(b, '-');
        seconds = -seconds;
    }
    if (seconds == 0 || (seconds >= 0.9995 && seconds < 59.95)) {
        sq_buf_number(b, seconds, 3);
        sq_buf_putc(b, 's');
        return;
    }
    if (seconds < 0.9995) {
        bool ms = seconds >= 0.0009995;
        sq_buf_number(b, seconds * (ms ? 1e3 : 1e6), 3);
        sq_buf_puts(b, ms ? "ms" : "us");
        return;
    }
    size_t i = 0;
    while (seconds >= steps[i].below) {
        i++;
    }
    int64_t step = steps[i].step, total = (int64_t)(seconds / (double)step + 0.5) * step;
    if (total < 3600) {
        put_pair(b, total, 60, 1, "ms");
    } else if (total < 172800) {
        put_pair(b, total, 3600, 60, "hm");
    } else {
        put_pair(b, total, 86400, 3600, "dh");
    }
}
