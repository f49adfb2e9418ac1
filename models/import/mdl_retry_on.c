/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_retry_on.c - see mdl_retry_on.h. Envoy: router/retry_state_impl.cc and the documentation of
 * x-envoy-retry-on. A connection that fails, one that breaks and a try that runs into its own
 * timeout are resets, which `reset`, `5xx` and `gateway-error` all retry. */
#include "models/import/mdl_retry_on.h"

#include <string.h>

/* In the order in which they are written. */
static const char *const kinds[] = { "refused", "rate-limited", "unavailable", "reset",
                                     "timeout", "error",        "conflict" };
enum {
    REFUSED = 1,
    LIMITED = 2,
    UNAVAILABLE = 4,
    RESET = 8,
    TIMEOUT = 16,
    ERROR = 32,
    CONFLICT = 64
};

static const struct {
    const char *word;
    unsigned kinds;
} words[] = {
    { "5xx", REFUSED | UNAVAILABLE | RESET | TIMEOUT | ERROR },
    { "gateway-error", REFUSED | UNAVAILABLE | RESET | TIMEOUT },
    { "reset", REFUSED | UNAVAILABLE | RESET | TIMEOUT },
    { "reset-before-request", REFUSED | UNAVAILABLE },
    { "connect-failure", REFUSED | UNAVAILABLE },
    { "refused-stream", REFUSED },
    { "retriable-4xx", CONFLICT },
    { "unavailable", UNAVAILABLE },
    { "cancelled", 0 },
    { "deadline-exceeded", TIMEOUT },
    { "internal", ERROR },
    { "resource-exhausted", LIMITED },
    { "aborted", CONFLICT },
    { "unknown", ERROR },
    { "retriable-status-codes", 0 },
    { "retriable-headers", 0 },
    { "envoy-ratelimited", LIMITED },
    { "http3-post-connect-failure", 0 },
    /* HTTP */
    { "408", TIMEOUT },
    { "409", CONFLICT },
    { "429", LIMITED },
    { "500", ERROR },
    { "502", UNAVAILABLE },
    { "503", UNAVAILABLE | REFUSED },
    { "504", TIMEOUT },
    /* gRPC, by number */
    { "1", 0 },
    { "2", ERROR },
    { "4", TIMEOUT },
    { "8", LIMITED },
    { "10", CONFLICT },
    { "13", ERROR },
    { "14", UNAVAILABLE },
};

/* What one list of words means; false when a word is none of them. */
static bool add_words(const char *text, unsigned *mask)
{
    while (*text != '\0') {
        size_t len = strcspn(text, ", "), i = 0;
        char word[32] = { 0 };
        if (len >= sizeof(word)) {
            return false;
        }
        memcpy(word, text, len);
        while (i < SQ_COUNT(words) && !mdl_source_alike(words[i].word, word)) {
            i++;
        }
        if (len > 0 && i == SQ_COUNT(words)) {
            return false;
        }
        *mask |= len > 0 ? words[i].kinds : 0;
        text += len + (text[len] != '\0');
    }
    return true;
}

enum mdl_turned mdl_turn_retry_on(struct mdl_importing *m, const struct sq_node *n,
                                  struct sq_buf *out)
{
    unsigned mask = 0;
    bool known = n->kind != SQ_NODE_MAP;
    if (n->kind == SQ_NODE_SCALAR) {
        known = add_words(n->text, &mask);
    }
    for (size_t i = 0; known && n->kind == SQ_NODE_LIST && i < n->count; i++) {
        known = n->items[i]->kind == SQ_NODE_SCALAR && add_words(n->items[i]->text, &mask);
    }
    if (!known || mask == 0) {
        m->why = known ? "none of it is a kind of error that squall has"
                       : "a word of it is not known: see retry_on";
        return MDL_LOST;
    }
    const char *before = "[";
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        if ((mask & 1U << i) != 0) {
            sq_buf_printf(out, "%s%s", before, kinds[i]);
            before = ", ";
        }
    }
    sq_buf_putc(out, ']');
    return MDL_TURNED;
}
