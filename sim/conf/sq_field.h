/* SPDX-License-Identifier: GPL-3.0-or-later */
// clang-format off
/* sq_field.h - field rows: one row per key a user may write. Parsing, defaults, checks, schema,
 * manual, "did you mean" and the echo of the effective scenario derive from these tables.
 *
 * A row says where the value lands (`off` in the struct that the table fills):
 *
 *   type    C member                written                                     absent, `none`
 *   TIME    sq_time_t               20ms; `unlimited` is SQ_NEVER               SQ_NEVER
 *   RATE    double                  24/s; `unlimited` is infinity               NaN
 *   RATIO   double                  20%                                         NaN
 *   AMOUNT  int64_t                 60k; `unlimited` is SQ_UNLIMITED            -1
 *   SIZE    int64_t                 512MB; `unlimited` is SQ_UNLIMITED          -1
 *   SEED    uint64_t                7, up to 2^64 - 1                           0
 *   NUMBER  double                  1.5; `unlimited` is infinity                NaN
 *   QUANTITY struct sq_quantity     750, 30s, 10/s or 70%: what it measures     value NaN
 *                                   decides, which its owner checks
 *   BOOL    bool                    true, false                                 false
 *   TEXT    const char *            any scalar                                  NULL
 *   CHOICE  int (index into more)   a word; more: NULL-terminated               -1
 *                                   const char *const[]
 *   REF     struct sq_ref           a name in section `more` (const char *)     name NULL, id -1
 *   GROUP   struct X *              a map; more: const struct sq_table          NULL
 *   BLOCK   struct sq_block         a map with `kind`; more: const struct       kind NULL
 *                                   sq_family
 *   LIST    struct sq_list          a list; more: const struct sq_field, the    count 0
 *                                   row of its elements (its off is 0)
 *   MAP     struct sq_map           a map from names; more as for LIST          count 0
 *   RAW     const struct sq_node *  anything; read by its owner. more: its      NULL
 *                                   JSON Schema as text (const char *), or NULL
 *
 * Elements of LIST and MAP stand one beside the other in `items`, as the member type says, with
 * one exception: elements of type GROUP are the structs themselves, not pointers to them.
 *
 * `dflt` is spelled as a user would and goes through the same parser ("{}" for a GROUP that is
 * always there, "[ready]" for a list). NULL without SQ_F_OPTIONAL means required; rows with the
 * same `alt` are required together: one of them. A key `none` is allowed with SQ_F_NONE, for GROUP
 * and BLOCK also with SQ_F_OPTIONAL.
 *
 * Range: `min` and `max` both 0 means the type's own range, `max` < `min` no upper bound.
 *
 * A key is live when its own row is SQ_F_LIVE and so is the row of every BLOCK it stands in:
 * families are shared, so the place decides. GROUP, LIST and MAP rows have no say. `kind` and
 * `preset` are never live. */
// clang-format on
#ifndef SQ_FIELD_H
#define SQ_FIELD_H

#include "sim/conf/sq_doc.h"

enum sq_ftype {
    SQ_TIME,
    SQ_RATE,
    SQ_RATIO,
    SQ_AMOUNT,
    SQ_SIZE,
    SQ_SEED,
    SQ_NUMBER,
    SQ_QUANTITY,
    SQ_BOOL,
    SQ_TEXT,
    SQ_CHOICE,
    SQ_REF,
    SQ_GROUP,
    SQ_BLOCK,
    SQ_LIST,
    SQ_MAP,
    SQ_RAW,
};

enum sq_fflag {
    SQ_F_OPTIONAL = 1 << 0,  /* may be absent: NULL, kind NULL, NaN, SQ_NEVER, -1, by type */
    SQ_F_NONE = 1 << 1,      /* `none` is a value: SQ_NEVER, NULL, no block; NaN for numbers */
    SQ_F_UNLIMITED = 1 << 2, /* `unlimited` is a value: SQ_UNLIMITED, SQ_NEVER, infinity */
    SQ_F_STAR = 1 << 3,      /* a bare scalar or list for the block fills this key (SCENARIO 1) */
    SQ_F_LIVE = 1 << 4,      /* a `set` action may change it while the world runs */
    SQ_F_LATER = 1 << 5,     /* in the language, not in this version: an error that says so */
    SQ_F_TUPLE = 1 << 6,     /* GROUP as list element: written as a list in row order */
    SQ_F_ONE = 1 << 7,       /* LIST: a single scalar is a list of one */
    SQ_F_ABOVE_MIN = 1 << 8, /* min is exclusive */
    SQ_F_ANY_KEY = 1 << 9,   /* MAP: keys are not names of the file (paths, error kinds, rules) */
    SQ_F_UNSET = 1 << 10,    /* not overlayable (squall title variants presets expect) */
    SQ_F_SIGNED = 1 << 11,   /* AMOUNT: a change such as +5 or -2 */
};

/* A value whose unit depends on what it is compared with; in seconds, per second, or as it is. */
struct sq_quantity {
    double value;
    enum sq_ftype unit; /* as written: SQ_NUMBER (no unit), SQ_TIME, SQ_RATE, SQ_RATIO (with %) */
};

struct sq_field {
    const char *key;
    enum sq_ftype type;
    size_t off;
    const char *dflt;
    const char *(*dflt_by)(const struct sq_node *map); /* depends on keys above; `dflt`: usually */
    double min, max; /* inclusive, base unit (ns for TIME); both 0: the type's own range */
    const void *more;
    unsigned flags;
    unsigned alt; /* rows of one table with the same alt > 0 displace each other: `a | b` */
    const char *const *preset_without; /* keys of presets that mean nothing at this place */
    const char *doc;                   /* one sentence with full stop */
    const char *below;                 /* what to do instead of a value that is too low, or NULL */
};

/* A table of rows that fills a struct of `size` bytes. */
struct sq_table {
    const char *type; /* "retry": the block type presets are kept under, or NULL */
    const struct sq_field *rows;
    size_t row_count, size;
    /* What a row cannot say: called after binding with the struct and the node. May be NULL. */
    void (*check)(const void *cfg, const struct sq_node *node, const char *path,
                  struct sq_diag *diag);
    bool has_preset; /* takes the key `preset` */
};

/* One kind of a block. A policy row starts with this. */
struct sq_kind {
    const char *name;
    const char *doc;
    struct sq_table table;
    bool later; /* in the language, not in this version */
};

/* All kinds of a block type: an array of structs that start with struct sq_kind. */
struct sq_family {
    const char *type; /* "backoff", "distribution": for messages and presets */
    const void *kinds;
    size_t kind_count, stride;
    const char *dflt_kind; /* when `kind` is absent; NULL: required */
    bool has_preset;
    bool ranges; /* `a..b` means kind uniform with min and max */
};

/* The value of a BLOCK. `kind` NULL: absent or `none`. */
struct sq_block {
    const struct sq_kind *kind;
    void *cfg; /* struct of kind->table.size bytes */
    const struct sq_node *node;
};

struct sq_ref {
    const char *name; /* NULL when absent */
    struct sq_where where;
    int id; /* filled by the owner when it resolves the name; -1 before */
};

struct sq_list {
    size_t count;
    void *items; /* array of the element type, `stride` bytes each */
    size_t stride;
};

struct sq_map {
    size_t count;
    const char **names;
    struct sq_where *where;
    void *items;
    size_t stride;
};

static inline void *sq_list_at(const struct sq_list *l, size_t i)
{
    SQ_ASSERT(i < l->count);
    return (char *)l->items + i * l->stride;
}

static inline void *sq_map_at(const struct sq_map *m, size_t i)
{
    SQ_ASSERT(i < m->count);
    return (char *)m->items + i * m->stride;
}

/* Index of a name in a map, or -1. */
int sq_map_find(const struct sq_map *m, const char *name);

/* The row of a key, or NULL. */
const struct sq_field *sq_table_find(const struct sq_table *t, const char *key);

/* The kind of a name, or NULL. */
const struct sq_kind *sq_family_find(const struct sq_family *f, const char *name);

/* Bytes of one value of this row inside a LIST or MAP. */
size_t sq_field_size(const struct sq_field *row);

static inline const struct sq_kind *sq_family_kind(const struct sq_family *f, size_t i)
{
    SQ_ASSERT(i < f->kind_count);
    return (const struct sq_kind *)(const void *)((const char *)f->kinds + i * f->stride);
}

/* offsetof that does not compile unless the member has the type. */
#define SQ_AT(T, m, want) (offsetof(T, m) + 0 * sizeof(char[_Generic(((T *)0)->m, want : 1)]))

#define SQ_ROWS(arr)      (arr), SQ_COUNT(arr)

#endif
