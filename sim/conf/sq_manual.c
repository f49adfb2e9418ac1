/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_manual.c - the key reference. Tables and families are found on the way through the rows and
 * put into a list; each becomes a section. */
#include "sim/conf/sq_manual.h"

#include "sim/base/sq_mem.h"

#include <string.h>

enum { SECTIONS_MAX = 256 };

/* A table or a family behind a key. */
struct section {
    const void *more;
    const struct sq_table *table; /* one of the two */
    const struct sq_family *family;
    const char *name; /* heading, unique */
};

struct manual {
    struct sq_arena arena;
    struct sq_buf *out;
    struct section sections[SECTIONS_MAX];
    size_t count;
    bool failed;
};

/* ---- sections ---- */

static bool is_taken(const struct manual *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->sections[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *heading(struct manual *m, const char *type, const char *key)
{
    const char *base = type != NULL ? type : key, *name = base;
    for (int i = 2; name != NULL && is_taken(m, name); i++) {
        name = sq_arena_printf(&m->arena, "%s-%d", base, i);
    }
    m->failed = m->failed || name == NULL;
    return name != NULL ? name : "";
}

/* The heading of what stands behind a GROUP or BLOCK row; a new section if there is none yet. */
static const char *section_of(struct manual *m, const struct sq_field *row, const char *key)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->sections[i].more == row->more) {
            return m->sections[i].name;
        }
    }
    SQ_ASSERT(m->count < SECTIONS_MAX);
    struct section s = { .more = row->more };
    if (row->type == SQ_BLOCK) {
        s.family = row->more;
        s.name = heading(m, s.family->type, key);
    } else {
        s.table = row->more;
        s.name = heading(m, s.table->type, key);
    }
    m->sections[m->count++] = s;
    return s.name;
}

/* ---- cells ---- */

/* Text of a table cell: bars are escaped. */
static void put_cell(struct manual *m, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            sq_buf_putc(m->out, '\\');
        }
        sq_buf_putc(m->out, *text);
    }
}

static void put_words(struct manual *m, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        sq_buf_printf(m->out, "%s`%s`", i > 0 ? " " : "", words[i]);
    }
}

static void put_tuple(struct manual *m, const struct sq_table *t)
{
    sq_buf_puts(m->out, "`[");
    for (size_t i = 0; i < t->row_count; i++) {
        sq_buf_printf(m->out, "%s%s", i > 0 ? ", " : "", t->rows[i].key);
    }
    sq_buf_puts(m->out, "]`");
}

static void put_value(struct manual *m, const struct sq_field *row, const char *key);

static void put_element(struct manual *m, const struct sq_field *row, const char *key)
{
    const struct sq_field *item = row->more;
    sq_buf_puts(m->out, row->type == SQ_LIST ? "list of " : "map from names to ");
    put_value(m, item, key);
}

static void put_value(struct manual *m, const struct sq_field *row, const char *key)
{
    static const char *const plain[] = {
        [SQ_TIME] = "duration", [SQ_RATE] = "rate",
        [SQ_RATIO] = "ratio",   [SQ_AMOUNT] = "count",
        [SQ_SIZE] = "size",     [SQ_SEED] = "seed",
        [SQ_NUMBER] = "number", [SQ_BOOL] = "`true` `false`",
        [SQ_TEXT] = "text",     [SQ_QUANTITY] = "number, duration, rate or ratio"
    };
    switch (row->type) {
    case SQ_TIME:
    case SQ_RATE:
    case SQ_RATIO:
    case SQ_AMOUNT:
    case SQ_SIZE:
    case SQ_SEED:
    case SQ_NUMBER:
    case SQ_QUANTITY:
    case SQ_BOOL:
    case SQ_TEXT:
        sq_buf_puts(m->out, plain[row->type]);
        break;
    case SQ_CHOICE:
        put_words(m, row->more);
        break;
    case SQ_REF:
        sq_buf_printf(m->out, "name in `%s`", (const char *)row->more);
        break;
    case SQ_GROUP:
        if ((row->flags & SQ_F_TUPLE) != 0) {
            put_tuple(m, row->more);
            break;
        }
        sq_buf_printf(m->out, "[%s]", section_of(m, row, key));
        break;
    case SQ_BLOCK:
        sq_buf_printf(m->out, "[%s]", section_of(m, row, key));
        break;
    case SQ_LIST:
    case SQ_MAP:
        put_element(m, row, key);
        break;
    case SQ_RAW:
        sq_buf_puts(m->out, "map");
        break;
    }
}

static void put_default(struct manual *m, const struct sq_field *row)
{
    bool optional = (row->flags & SQ_F_OPTIONAL) != 0;
    if (row->dflt != NULL && row->dflt[0] != '{' && row->dflt[0] != '[') {
        sq_buf_putc(m->out, '`');
        put_cell(m, row->dflt);
        sq_buf_putc(m->out, '`');
    } else if (row->dflt != NULL || optional) {
        sq_buf_puts(m->out, "-");
    } else {
        sq_buf_puts(m->out, "required");
    }
}

static void put_row(struct manual *m, const struct sq_field *row)
{
    sq_buf_printf(m->out, "| `%s`%s | ", row->key, (row->flags & SQ_F_STAR) != 0 ? " ★" : "");
    put_value(m, row, row->key);
    if ((row->flags & SQ_F_NONE) != 0) {
        sq_buf_puts(m->out, ", `none`");
    }
    if ((row->flags & SQ_F_UNLIMITED) != 0) {
        sq_buf_puts(m->out, ", `unlimited`");
    }
    sq_buf_puts(m->out, " | ");
    put_default(m, row);
    sq_buf_puts(m->out, " | ");
    put_cell(m, row->doc);
    sq_buf_puts(m->out, (row->flags & SQ_F_LIVE) != 0 ? " *Settable.* |\n" : " |\n");
}

static void put_table(struct manual *m, const struct sq_table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_field *row = &t->rows[i];
        if ((row->flags & SQ_F_LATER) != 0) {
            continue;
        }
        if (!any) {
            sq_buf_puts(m->out, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
        }
        any = true;
        put_row(m, row);
    }
}

static void put_family(struct manual *m, const struct sq_family *f)
{
    for (size_t i = 0; i < f->kind_count; i++) {
        const struct sq_kind *kind = sq_family_kind(f, i);
        if (kind->later) {
            continue;
        }
        bool usual = f->dflt_kind != NULL && strcmp(f->dflt_kind, kind->name) == 0;
        sq_buf_printf(m->out, "\n**kind: %s**%s - %s\n", kind->name, usual ? " (the default)" : "",
                      kind->doc);
        put_table(m, &kind->table);
    }
}

static void put_section(struct manual *m, const struct section *s)
{
    bool preset = s->family != NULL ? s->family->has_preset : s->table->has_preset;
    sq_buf_printf(m->out, "\n## %s\n", s->name);
    if (preset) {
        sq_buf_printf(m->out, "\nTakes `preset: NAME`; `squall presets` lists them.\n");
    }
    if (s->family != NULL) {
        put_family(m, s->family);
    } else {
        put_table(m, s->table);
    }
}

enum sq_status sq_manual_write(const struct sq_table *table, const char *title, struct sq_buf *out)
{
    struct manual *m = sq_mem_alloc(1, sizeof(*m));
    if (m == NULL) {
        return SQ_NOMEM;
    }
    m->out = out;
    m->sections[m->count++] = (struct section){ .more = table, .table = table, .name = "file" };
    sq_buf_printf(
        out,
        "# %s\n\nMade from the rows that read a file. ★: a bare value for the block fills "
        "this key.\n*Settable*: a `set` action may change it while the world runs.\n",
        title);
    for (size_t i = 0; i < m->count; i++) { /* sections are added on the way */
        struct section s = m->sections[i];
        put_section(m, &s);
    }
    sq_buf_putc(out, '\n');
    for (size_t i = 1; i < m->count; i++) {
        sq_buf_printf(out, "[%s]: #%s\n", m->sections[i].name, m->sections[i].name);
    }
    enum sq_status status = m->failed || out->failed ? SQ_NOMEM : SQ_OK;
    sq_arena_fini(&m->arena);
    sq_mem_free(m);
    return status;
}
