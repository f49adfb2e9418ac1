/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_spark.c - timelines as text. */
#include "models/study/mdl_spark.h"

#include <math.h>
#include <string.h>

enum { HEIGHTS = 8, LINES_MAX = 6 };

/* One line or the sum of two columns; `second` -1: one. */
struct source {
    long first, second;
};

static double value_at(const struct sq_series *s, const struct source *of, size_t bin)
{
    double sum = 0;
    const long columns[] = { of->first, of->second };
    for (size_t i = 0; i < 2; i++) {
        double v = columns[i] < 0 ? 0 : (double)s->columns[columns[i]].bins[bin];
        sum += isnan(v) ? 0 : v;
    }
    return sum;
}

/* The highest bin of each cell: what lasts a bin is to be seen. */
static double fill_cells(const struct sq_series *s, const struct source *of, double *cells,
                         size_t count)
{
    double most = 0;
    for (size_t c = 0; c < count; c++) {
        size_t end = (c + 1) * s->bin_count / count;
        cells[c] = 0;
        for (size_t bin = c * s->bin_count / count; bin < end; bin++) {
            double v = value_at(s, of, bin);
            cells[c] = v > cells[c] ? v : cells[c];
        }
        most = cells[c] > most ? cells[c] : most;
    }
    return most;
}

static enum sq_status draw(const struct sq_series *s, const struct source *of,
                           struct sq_arena *arena, struct mdl_spark *out)
{
    static const char *const blocks[] = { "·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    double cells[MDL_SPARK_CELLS];
    struct sq_buf line = { 0 };
    size_t count = s->bin_count < MDL_SPARK_CELLS ? s->bin_count : MDL_SPARK_CELLS;
    out->most = fill_cells(s, of, cells, count);
    for (size_t c = 0; c < count; c++) {
        double height = out->most > 0 ? ceil(HEIGHTS * cells[c] / out->most) : 0;
        sq_buf_puts(&line, blocks[(size_t)(height < HEIGHTS ? height : HEIGHTS)]);
    }
    out->line = line.failed ? NULL : sq_arena_text(arena, line.text, line.len);
    sq_buf_fini(&line);
    return out->line != NULL && out->what != NULL ? SQ_OK : SQ_NOMEM;
}

/* The length of the name between prefix and suffix, 0 when the column is another one. */
static size_t name_between(const char *column, const char *prefix, const char *suffix)
{
    size_t len = strlen(column), before = strlen(prefix), after = strlen(suffix);
    bool fits = len > before + after && strncmp(column, prefix, before) == 0 &&
                strcmp(column + len - after, suffix) == 0;
    return fits ? len - before - after : 0;
}

static bool find_source(const struct sq_series *s, size_t column, struct sq_arena *arena,
                        struct source *of, const char **what)
{
    static const char at[] = "dependency.", first[] = ".calls_first_per_s";
    static const char in[] = "queue.", ready[] = ".ready";
    const char *name = s->columns[column].name;
    size_t len = name_between(name, at, first);
    *of = (struct source){ (long)column, -1 };
    if (len > 0) {
        const char *entity = name + sizeof at - 1;
        const char *retry =
            sq_arena_printf(arena, "%s%.*s.calls_retry_per_s", at, (int)len, entity);
        of->second = retry != NULL ? sq_series_column(s, retry) : -1;
        *what = sq_arena_printf(arena, "calls/s at %.*s", (int)len, entity);
        return true;
    }
    len = name_between(name, in, ready);
    if (len > 0) {
        *what = sq_arena_printf(arena, "waiting in %.*s", (int)len, name + sizeof in - 1);
    }
    return len > 0;
}

enum sq_status mdl_sparks_make(const struct sq_series *s, struct sq_arena *arena,
                               struct mdl_sparks *out)
{
    enum sq_status status = SQ_OK;
    *out = (struct mdl_sparks){ .items = sq_arena_alloc(arena, LINES_MAX, sizeof(*out->items)) };
    if (out->items == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < s->column_count && out->count < LINES_MAX && status == SQ_OK; i++) {
        struct source of;
        struct mdl_spark *spark = &out->items[out->count];
        if (s->bin_count > 0 && find_source(s, i, arena, &of, &spark->what)) {
            status = draw(s, &of, arena, spark);
            out->count++;
        }
    }
    return status;
}
