/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_rows.h - one macro per field type, so that a row is one line and does not compile when the
 * member has another type. `T` struct, `m` member, `k` key, `d` default (NULL: required unless
 * SQ_F_OPTIONAL), `f` flags, `doc` one sentence. Ranges are set with the _IN forms. */
#ifndef SQ_ROWS_H
#define SQ_ROWS_H

#include "sim/conf/sq_field.h"

#define SQ_ROW_TIME(T, m, k, d, f, doc_)                                                   \
    {                                                                                      \
        .key = k, .type = SQ_TIME, .off = SQ_AT(T, m, sq_time_t), .dflt = d, .flags = (f), \
        .doc = doc_                                                                        \
    }
/* In place of `doc_`: with what to do instead of a value that is too low. */
#define SQ_BELOW(doc_, hint) doc_, .below = (hint)

#define SQ_ROW_RATE(T, m, k, d, f, doc_)                                                \
    {                                                                                   \
        .key = k, .type = SQ_RATE, .off = SQ_AT(T, m, double), .dflt = d, .flags = (f), \
        .doc = doc_                                                                     \
    }
#define SQ_ROW_RATIO(T, m, k, d, f, doc_)                                                          \
    {                                                                                              \
        .key = k, .type = SQ_RATIO, .off = SQ_AT(T, m, double), .dflt = d, .max = 1, .flags = (f), \
        .doc = doc_                                                                                \
    }
#define SQ_ROW_AMOUNT(T, m, k, d, lo, f, doc_)                                            \
    {                                                                                     \
        .key = k, .type = SQ_AMOUNT, .off = SQ_AT(T, m, int64_t), .dflt = d, .min = (lo), \
        .max = 1099511627775.0, .flags = (f), .doc = doc_                                 \
    }
#define SQ_ROW_AMOUNT_IN(T, m, k, d, lo, hi, f, doc_)                                     \
    {                                                                                     \
        .key = k, .type = SQ_AMOUNT, .off = SQ_AT(T, m, int64_t), .dflt = d, .min = (lo), \
        .max = (hi), .flags = (f), .doc = doc_                                            \
    }
#define SQ_ROW_SEED(T, m, k, d, f, doc_)                                                  \
    {                                                                                     \
        .key = k, .type = SQ_SEED, .off = SQ_AT(T, m, uint64_t), .dflt = d, .flags = (f), \
        .doc = doc_                                                                       \
    }
#define SQ_ROW_NUMBER(T, m, k, d, lo, hi, f, doc_)                                       \
    {                                                                                    \
        .key = k, .type = SQ_NUMBER, .off = SQ_AT(T, m, double), .dflt = d, .min = (lo), \
        .max = (hi), .flags = (f), .doc = doc_                                           \
    }
#define SQ_ROW_QUANTITY(T, m, k, d, f, doc_)                                              \
    {                                                                                     \
        .key = k, .type = SQ_QUANTITY, .off = SQ_AT(T, m, struct sq_quantity), .dflt = d, \
        .flags = (f), .doc = doc_                                                         \
    }
#define SQ_ROW_BOOL(T, m, k, d, f, doc_)                                                          \
    {                                                                                             \
        .key = k, .type = SQ_BOOL, .off = SQ_AT(T, m, bool), .dflt = d, .flags = (f), .doc = doc_ \
    }
#define SQ_ROW_TEXT(T, m, k, d, f, doc_)                                                      \
    {                                                                                         \
        .key = k, .type = SQ_TEXT, .off = SQ_AT(T, m, const char *), .dflt = d, .flags = (f), \
        .doc = doc_                                                                           \
    }
#define SQ_ROW_CHOICE(T, m, k, d, words, f, doc_)                                         \
    {                                                                                     \
        .key = k, .type = SQ_CHOICE, .off = SQ_AT(T, m, int), .dflt = d, .more = (words), \
        .flags = (f), .doc = doc_                                                         \
    }
#define SQ_ROW_REF(T, m, k, section, f, doc_)                                           \
    {                                                                                   \
        .key = k, .type = SQ_REF, .off = SQ_AT(T, m, struct sq_ref), .more = (section), \
        .flags = (f), .doc = doc_                                                       \
    }
#define SQ_ROW_GROUP(T, m, k, d, table_, f, doc_)                                       \
    {                                                                                   \
        .key = k, .type = SQ_GROUP, .off = offsetof(T, m), .dflt = d, .more = (table_), \
        .flags = (f), .doc = doc_                                                       \
    }
#define SQ_ROW_BLOCK(T, m, k, d, family, f, doc_)                                   \
    {                                                                               \
        .key = k, .type = SQ_BLOCK, .off = SQ_AT(T, m, struct sq_block), .dflt = d, \
        .more = (family), .flags = (f), .doc = doc_                                 \
    }
#define SQ_ROW_LIST(T, m, k, d, element, f, doc_)                                 \
    {                                                                             \
        .key = k, .type = SQ_LIST, .off = SQ_AT(T, m, struct sq_list), .dflt = d, \
        .more = (element), .flags = (f), .doc = doc_                              \
    }
#define SQ_ROW_MAP(T, m, k, element, f, doc_)                                           \
    {                                                                                   \
        .key = k, .type = SQ_MAP, .off = SQ_AT(T, m, struct sq_map), .more = (element), \
        .flags = (f), .doc = doc_                                                       \
    }
#define SQ_ROW_RAW(T, m, k, f, doc_)                                                        \
    {                                                                                       \
        .key = k, .type = SQ_RAW, .off = SQ_AT(T, m, const struct sq_node *), .flags = (f), \
        .doc = doc_                                                                         \
    }
/* The same with its JSON Schema. */
#define SQ_ROW_RAW_AS(T, m, k, schema, f, doc_)                                                 \
    {                                                                                           \
        .key = k, .type = SQ_RAW, .off = SQ_AT(T, m, const struct sq_node *), .more = (schema), \
        .flags = (f), .doc = doc_                                                               \
    }
/* In the language, not in this version: no member needed. `type` for the schema. */
#define SQ_ROW_LATER(k, doc_)                                                      \
    {                                                                              \
        .key = k, .type = SQ_RAW, .flags = SQ_F_LATER | SQ_F_OPTIONAL, .doc = doc_ \
    }

#endif
