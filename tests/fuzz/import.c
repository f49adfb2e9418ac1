/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import.c - any bytes as a trace that is to be recognised. The first byte says what is known of
 * it: what a value is, how gaps are filled, bins, sums, a zone; the second in what pieces it comes.
 */
#include "tests/fuzz/fuzz.h"

#include "models/import/mdl_import.h"

const char fuzz_name[] = "import";
const char *const fuzz_seeds[] = { NULL };

struct seen {
    const struct mdl_import_found *found;
    sq_time_t last;
    uint64_t count;
};

static enum sq_status begin(void *ctx, const struct mdl_import_found *found)
{
    struct seen *s = ctx;
    FUZZ_PROMISE(s->found == NULL && found->reads != MDL_IMPORT_AS_FOUND);
    s->found = found;
    return SQ_OK;
}

/* From 0 up; rows have a width, arrivals may share an instant. */
static enum sq_status put(void *ctx, sq_time_t at, double value)
{
    struct seen *s = ctx;
    FUZZ_PROMISE(s->found != NULL && value >= 0);
    FUZZ_PROMISE(s->count == 0 ? at == 0 : at >= s->last);
    FUZZ_PROMISE(s->count == 0 || at > s->last || s->found->reads == MDL_IMPORT_TIMES);
    s->last = at;
    s->count++;
    return SQ_OK;
}

static enum sq_status feed(struct mdl_import *im, const uint8_t *data, size_t size, size_t piece)
{
    enum sq_status status = SQ_OK;
    for (size_t at = 0; at < size && status == SQ_OK; at += piece) {
        size_t len = piece < size - at ? piece : size - at;
        status = mdl_import_feed(im, (const char *)data + at, len);
    }
    return status == SQ_OK ? mdl_import_end(im) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct mdl_import_ask ask = { .file = "trace",
                                  .reads = (enum mdl_import_reads)(data[0] % 5),
                                  .gaps = (enum mdl_import_gaps)(data[0] / 5 % 4),
                                  .sums = (data[0] & 0x40) != 0,
                                  .bin = (data[0] & 0x80) != 0 ? 10 * SQ_NS_PER_S : 0,
                                  .zone = (data[1] & 0x80) != 0 ? "any" : NULL };
    struct seen seen = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_import_sink sink = { begin, put, &seen };
    struct mdl_import *im = mdl_import_open(&ask, &sink, &diag);
    enum sq_status status = feed(im, data + 2, size - 2, 1 + (data[1] & 0x7f));
    FUZZ_PROMISE(status == SQ_OK || (status == SQ_USER && diag.errors > 0));
    if (status == SQ_OK) {
        const struct mdl_import_found *f = mdl_import_found(im);
        FUZZ_PROMISE(seen.count > 0 && f->put == seen.count);
        FUZZ_PROMISE(f->used + f->nulls + f->untimed + f->filtered == f->rows);
    }
    mdl_import_close(im);
    sq_diag_fini(&diag);
    return 0;
}
