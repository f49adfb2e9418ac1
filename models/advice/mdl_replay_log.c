/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay_log.c - a log of calls out of a CSV file. */
#include "models/advice/mdl_replay_in.h"

#include "sim/base/sq_file.h"
#include "sim/conf/sq_csv.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 30 };
enum column { TIME, EVENT, ID, DURATION, KIND, COLUMNS };
static const char *const column_names[] = { "time_s", "event", "id", "duration_s", "kind" };
enum word { WORD_CALL, WORD_START, WORD_END, WORD_RETRY, WORDS };
static const char *const words[] = { "call", "start", "end", "retry" };

/* The calls that have a name: which the present one of it is. A hash by name. */
struct names {
    struct named {
        const char *id;
        uint32_t call;
    } * slots;
    size_t size; /* a power of two */
};

struct reader {
    struct sq_csv csv;
    const char *file;
    struct sq_diag *diag;
    int at[COLUMNS]; /* column in the file, or -1 */
    struct names names;
    sq_time_t *started; /* by call */
    struct replay_log *log;
};

/* ---- cells ---- */

static const char *cell(const struct reader *r, const struct sq_csv_row *row, enum column c)
{
    return r->at[c] >= 0 ? row->cells[r->at[c]] : "";
}

static enum sq_status wrong(struct reader *r, const struct sq_csv_row *row, enum column c,
                            const char *hint, const char *what)
{
    struct sq_where where = { .file = r->file, .line = row->line };
    return sq_diag_error(r->diag, where, column_names[c], hint, "`%s` is %s", cell(r, row, c),
                         what);
}

/* Seconds, to the nanosecond: digits, perhaps a point and more. */
static bool read_time(const char *text, sq_time_t *out)
{
    int64_t ns = 0;
    size_t whole = strspn(text, "0123456789");
    if (whole == 0 || whole > 9 + 1) {
        return false;
    }
    for (size_t i = 0; i < whole; i++) {
        ns = ns * 10 + (text[i] - '0');
    }
    if (ns > SQ_NEVER / SQ_NS_PER_S - 1) {
        return false;
    }
    const char *rest = text + whole;
    size_t digits = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    for (size_t i = 0; i < 9; i++) {
        ns = ns * 10 + (i < digits ? rest[1 + i] - '0' : 0);
    }
    *out = ns;
    return rest[digits + (*rest == '.' ? 1 : 0)] == '\0';
}

static enum sq_status read_kind(struct reader *r, const struct sq_csv_row *row, enum mdl_error *out)
{
    const char *text = cell(r, row, KIND);
    *out = text[0] == '\0' ? MDL_ERR_OK : mdl_error_find(text);
    if (*out == MDL_ERR_OK || (*out < MDL_ERROR_COUNT && mdl_error_is_answer(*out)) ||
        *out == MDL_ERR_TIMEOUT) {
        return SQ_OK;
    }
    return wrong(r, row, KIND,
                 "ok, refused, rate-limited, unavailable, reset, timeout, error, conflict or "
                 "permanent",
                 "no way in which a call that left can end");
}

/* ---- names ---- */

static struct named *find(const struct names *n, const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = id; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    }
    size_t i = (size_t)(hash ^ hash >> 32) & (n->size - 1);
    while (n->slots[i].id != NULL && strcmp(n->slots[i].id, id) != 0) {
        i = (i + 1) & (n->size - 1);
    }
    return &n->slots[i];
}

/* ---- rows ---- */

static struct replay_event *add(struct reader *r, sq_time_t at, enum replay_what what,
                                uint32_t call)
{
    struct replay_event *e = &r->log->events[r->log->count];
    *e = (struct replay_event){ .at = at, .what = what, .call = call };
    e->order = (uint32_t)r->log->count++;
    return e;
}

static enum sq_status read_duration(struct reader *r, const struct sq_csv_row *row, sq_time_t *out)
{
    if (!read_time(cell(r, row, DURATION), out)) {
        return wrong(r, row, DURATION, "for example 0.120", "no number of seconds");
    }
    return SQ_OK;
}

static enum sq_status read_call(struct reader *r, const struct sq_csv_row *row, sq_time_t at,
                                enum mdl_error kind)
{
    sq_time_t took;
    enum sq_status status = read_duration(r, row, &took);
    if (status != SQ_OK) {
        return status;
    }
    uint32_t call = r->log->calls++;
    add(r, at, REPLAY_START, call)->id = cell(r, row, ID);
    struct replay_event *end = add(r, sq_time_add(at, took), REPLAY_END, call);
    end->id = cell(r, row, ID);
    end->took = took;
    end->kind = kind;
    return SQ_OK;
}

static enum sq_status read_part(struct reader *r, const struct sq_csv_row *row,
                                const struct replay_event *part)
{
    const char *id = cell(r, row, ID);
    if (id[0] == '\0') {
        return wrong(r, row, ID, "start, end and retry tell by it which call they belong to",
                     "no name of a call");
    }
    struct named *n = find(&r->names, id);
    sq_time_t took = 0;
    if (part->what == REPLAY_END) {
        if (n->id == NULL || r->started[n->call] > part->at) {
            return wrong(r, row, ID, "a call starts before it ends", "a call that has not started");
        }
        took = part->at - r->started[n->call];
    } else {
        n->id = id;
        n->call = r->log->calls++;
        r->started[n->call] = part->at;
    }
    if (part->what == REPLAY_END && cell(r, row, DURATION)[0] != '\0' &&
        read_duration(r, row, &took) != SQ_OK) {
        return SQ_USER;
    }
    struct replay_event *e = add(r, part->at, part->what, n->call);
    e->id = id;
    e->kind = part->kind;
    e->took = took;
    return SQ_OK;
}

static enum sq_status read_row(struct reader *r, const struct sq_csv_row *row)
{
    struct replay_event part = { 0 };
    if (!read_time(cell(r, row, TIME), &part.at)) {
        return wrong(r, row, TIME, "for example 12.5, or 1732968000.125",
                     "no time: a number of seconds");
    }
    int word = WORD_CALL;
    while (r->at[EVENT] >= 0 && word < WORDS && strcmp(words[word], cell(r, row, EVENT)) != 0) {
        word++;
    }
    if (word == WORDS) {
        return wrong(r, row, EVENT, "call, start, end or retry", "no event");
    }
    if (read_kind(r, row, &part.kind) != SQ_OK) {
        return SQ_USER;
    }
    if (word == WORD_CALL) {
        return read_call(r, row, part.at, part.kind);
    }
    part.what = word == WORD_START ? REPLAY_START : word == WORD_END ? REPLAY_END : REPLAY_RETRY;
    return read_part(r, row, &part);
}

/* ---- the file ---- */

static enum sq_status find_columns(struct reader *r)
{
    for (int c = 0; c < COLUMNS; c++) {
        r->at[c] = sq_csv_column(&r->csv, column_names[c]);
    }
    struct sq_where where = { .file = r->file, .line = r->csv.header.line };
    if (r->at[TIME] < 0) {
        return sq_diag_error(r->diag, where, NULL,
                             "columns: time_s, event, id, duration_s, kind; in the header",
                             "there is no column time_s");
    }
    if (r->at[EVENT] < 0 && r->at[DURATION] < 0) {
        return sq_diag_error(r->diag, where, NULL,
                             "add duration_s, or event and id for starts and ends",
                             "there is neither a column duration_s nor a column event");
    }
    return SQ_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct replay_event *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    bool x_ends = x->what == REPLAY_END, y_ends = y->what == REPLAY_END;
    if (x_ends != y_ends && x->call != y->call) {
        return x_ends ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static enum sq_status make_room(struct reader *r, struct sq_arena *arena)
{
    size_t rows = r->csv.count;
    r->names.size = 16;
    while (r->names.size < 2 * rows) {
        r->names.size *= 2;
    }
    r->names.slots = sq_arena_alloc(arena, r->names.size, sizeof(struct named));
    r->started = sq_arena_alloc(arena, rows + 1, sizeof(sq_time_t));
    r->log->events = sq_arena_alloc(arena, 2 * rows + 1, sizeof(struct replay_event));
    bool whole = r->names.slots != NULL && r->started != NULL && r->log->events != NULL;
    return whole ? SQ_OK : SQ_NOMEM;
}

enum sq_status replay_read(struct replay_log *log, const char *file, struct sq_arena *arena,
                           struct sq_diag *diag)
{
    *log = (struct replay_log){ 0 };
    struct reader r = { .file = file, .diag = diag, .log = log };
    struct sq_buf text = { 0 };
    enum sq_status status = sq_file_read(file, MAX_BYTES, &text, diag);
    if (status == SQ_OK) {
        status = sq_csv_parse(file, &text, arena, diag, &r.csv);
    }
    sq_buf_fini(&text);
    if (status == SQ_OK) {
        status = find_columns(&r);
    }
    if (status == SQ_OK) {
        status = make_room(&r, arena);
    }
    if (status != SQ_OK) {
        return status;
    }
    for (size_t i = 0; i < r.csv.count; i++) {
        status = read_row(&r, &r.csv.rows[i]) == SQ_OK ? status : SQ_USER;
    }
    if (status == SQ_OK) {
        qsort(log->events, log->count, sizeof(*log->events), by_time);
    }
    return status;
}
