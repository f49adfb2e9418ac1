/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_limits.c - a search for a limit as CSV. */
#include "sim/conf/sq_save_limits.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/conf/sq_csv.h"
#include "sim/core/sq_seal.h"

#include <math.h>

enum { DIGITS = 9 };

static void put_number(struct sq_buf *out, double value)
{
    sq_buf_putc(out, ',');
    if (!isnan(value)) {
        sq_buf_number(out, value, DIGITS);
    }
}

static void put_share(struct sq_buf *out, size_t hits, double lo, double hi)
{
    put_number(out, (double)hits);
    put_number(out, lo);
    put_number(out, hi);
}

static void put_trial(const struct sq_limits *l, const struct sq_way *way, const struct sq_trial *r,
                      struct sq_buf *out)
{
    const struct sq_tipping *t = &way->tipping;
    bool found = t->state == SQ_TIPPING_FOUND;
    bool edge = found && (r == sq_tipping_holds(t) || r == sq_tipping_fails(t));
    sq_csv_put(out, true, sq_way_word(way->kind));
    sq_csv_put(out, false, l->key);
    sq_csv_put(out, false, r->text);
    put_number(out, r->value / l->unit_value);
    sq_csv_put(out, false, r->holds ? "yes" : "no");
    put_number(out, (double)r->runs);
    put_share(out, r->held, r->held_lo, r->held_hi);
    put_share(out, r->collapsed, r->collapsed_lo, r->collapsed_hi);
    put_number(out, r->observed);
    sq_csv_put(out, false, !edge ? "" : r->holds ? "holds" : "fails");
    sq_buf_putc(out, '\n');
}

enum sq_status sq_save_limits_csv(const struct sq_limits *l, struct sq_buf *out)
{
    sq_buf_puts(out, "way,key,text,value,holds,runs,held,held_lo,held_hi,collapsed,collapsed_lo,"
                     "collapsed_hi,observed,edge\n");
    for (size_t i = 0; i < l->way_count; i++) {
        for (size_t k = 0; k < l->ways[i].tipping.count; k++) {
            put_trial(l, &l->ways[i], &l->ways[i].tipping.trials[k], out);
        }
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status seal_csv(const struct sq_limits *l, struct sq_seals *seals)
{
    struct sq_buf csv = { 0 };
    enum sq_status status = sq_save_limits_csv(l, &csv);
    if (status == SQ_OK) {
        sq_seal_add(sq_seals_begin(seals, "limits.csv"), csv.text, csv.len);
    }
    sq_buf_fini(&csv);
    return status;
}

enum sq_status sq_save_limits_json(const struct sq_limits *l, struct sq_buf *out)
{
    struct sq_json_writer w = { 0 };
    struct sq_seals seals = { 0 };
    enum sq_status status = seal_csv(l, &seals);
    if (status != SQ_OK) {
        return status;
    }
    sq_json_open_object(&w, NULL);
    sq_json_open_object(&w, "squall");
    sq_json_put_text(&w, "version", l->version);
    sq_json_put_integer(&w, "format", 1);
    sq_json_close(&w);
    sq_json_open_object(&w, "limits");
    sq_json_put_text(&w, "title", l->title);
    sq_json_put_text(&w, "file", sq_file_name(l->file));
    sq_json_put_text(&w, "variant", l->variant);
    sq_json_put_text(&w, "hash", l->scenario_hash);
    sq_json_put_seed(&w, "seed", l->seed);
    sq_json_put_integer(&w, "runs", (int64_t)l->runs);
    sq_json_put_text(&w, "key", l->key);
    sq_json_put_text(&w, "unit", l->unit);
    sq_json_put_text(&w, "until", l->until);
    sq_json_put_number(&w, "in", l->in);
    sq_json_close(&w);
    sq_seals_write(&seals, &w);
    sq_json_close(&w);
    status = sq_json_dump(&w, out);
    sq_json_writer_fini(&w);
    return status;
}
