/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - see generate.h. Blocks are expansions of a small grammar (generate_rules.c); the
 * sections around them, whose names refer to each other, are written by hand. */
#include "tests/models/generate.h"

#include "sim/core/sq_luck.h"

#include <stdlib.h>
#include <string.h>

enum { PRODUCER, CLIENT, QUEUE, WORKERS, DEPENDENCY, SECTION_COUNT };
static const char letters[] = "pcqwd";

struct gen {
    struct sq_luck luck;
    uint64_t index;
    uint32_t draws;
    unsigned counts[SECTION_COUNT];
    bool keyed[2], leased[2]; /* by queue: jobs have keys, deliveries a lease */
    unsigned entry;           /* of its section, that is being written */
    struct sq_buf *out;
};

static unsigned below(struct gen *g, unsigned n)
{
    return (unsigned)(sq_luck_bits(&g->luck, 0x67656e00, g->index, g->draws++, 0) >> 32) % n;
}

static const struct generate_rule *find_rule(const char *name, size_t len)
{
    for (size_t i = 0; i < generate_rule_count; i++) {
        if (strncmp(generate_rules[i].name, name, len) == 0 &&
            generate_rules[i].name[len] == '\0') {
            return &generate_rules[i];
        }
    }
    SQ_UNREACHABLE("a rule names only rules");
}

/* The section of a letter between < and >, or -1. */
static int section_of(const char *name)
{
    const char *at = name[0] != '\0' && name[1] == '>' ? strchr(letters, name[0]) : NULL;
    return at != NULL ? (int)(at - letters) : -1;
}

static bool is_possible(const struct gen *g, const char *alternative)
{
    for (const char *at = strchr(alternative, '<'); at != NULL; at = strchr(at + 1, '<')) {
        int section = section_of(at + 1);
        if (section >= 0 && g->counts[section] == 0) {
            return false;
        }
    }
    return true;
}

static void put(struct gen *g, const char *text);
static void put_calls(struct gen *g, unsigned from);

static void put_name(struct gen *g, const char *name, size_t len)
{
    int section = section_of(name);
    if (section >= 0) {
        sq_buf_printf(g->out, "%c%u", name[0], below(g, g->counts[section]));
        return;
    }
    if (strncmp(name, "inner", len) == 0) {
        if (g->entry + 1 < g->counts[DEPENDENCY] && below(g, 3) == 0) {
            put_calls(g, g->entry + 1);
        }
        return;
    }
    if (name[0] >= '0' && name[0] <= '9') {
        char *dash;
        unsigned low = (unsigned)strtoul(name, &dash, 10);
        unsigned high = (unsigned)strtoul(dash + 1, NULL, 10);
        sq_buf_printf(g->out, "%u", low + below(g, high - low + 1));
        return;
    }
    const struct generate_rule *rule = find_rule(name, len);
    const char *possible[SQ_COUNT(rule->alternatives)];
    unsigned count = 0;
    for (size_t i = 0; i < SQ_COUNT(possible) && rule->alternatives[i] != NULL; i++) {
        if (is_possible(g, rule->alternatives[i])) {
            possible[count++] = rule->alternatives[i];
        }
    }
    put(g, possible[below(g, count)]);
}

/* Adds a text with its rules expanded. */
static void put(struct gen *g, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "<");
        sq_buf_add(g->out, at, len);
        at += len;
        if (*at == '<') {
            len = strcspn(at, ">");
            put_name(g, at + 1, len - 1);
            at += len + 1;
        }
    }
}

/* A caller's map `calls`: some dependencies of those from `from` on, at least one. */
static void put_calls(struct gen *g, unsigned from)
{
    unsigned must = from + below(g, g->counts[DEPENDENCY] - from);
    const char *before = "";
    put(g, ", calls: {");
    for (unsigned i = from; i < g->counts[DEPENDENCY]; i++) {
        if (i == must || below(g, 3) == 0) {
            sq_buf_printf(g->out, "%sd%u: ", before, i);
            put(g, "<call>");
            before = ", ";
        }
    }
    put(g, "}");
}

static void put_section(struct gen *g, int section, const char *title)
{
    if (g->counts[section] == 0) {
        return;
    }
    sq_buf_printf(g->out, "%s:\n", title);
    for (unsigned i = 0; i < g->counts[section]; i++) {
        g->entry = i;
        sq_buf_printf(g->out, "  %c%u: ", letters[section], i);
        if (section == PRODUCER) {
            /* A closed population whose jobs supersede each other goes round in no time. */
            unsigned queue = below(g, g->counts[QUEUE]);
            bool closed = below(g, 4) == 0, keyed = !closed && below(g, 2) == 0;
            sq_buf_printf(g->out, "{queue: q%u, arrivals: ", queue);
            put(g, closed ? "<closed><maker>" : "<open><maker>");
            put(g, keyed ? "<supersede>" : "");
            g->keyed[queue] = g->keyed[queue] || keyed;
            put(g, "<deadline check>}\n");
        } else if (section == CLIENT) {
            put(g, "{arrivals: <arrivals><maker><processes><after success><retry>");
            put_calls(g, 0);
            put(g, "}\n");
        } else if (section == QUEUE) {
            g->leased[i] = below(g, 2) == 0;
            put(g, "{discipline: <discipline><receives><capacity><due>");
            put(g, g->leased[i] ? "<lease>" : "");
            put(g, g->keyed[i] && below(g, 2) == 0 ? ", dedup_window: <0-20>s}\n" : "}\n");
        } else if (section == WORKERS) { /* every queue has a pool */
            unsigned first = i % g->counts[QUEUE];
            bool both = g->counts[QUEUE] > 1 && below(g, 4) == 0;
            sq_buf_printf(g->out, both ? "{queue: [q%u, q%u]" : "{queue: q%u", first, 1 - first);
            put(g, ", replicas: <0-4>, slots: <1-6>, start_up: <long>, grace: <0-9>s");
            bool leased = g->leased[first] && (!both || g->leased[1 - first]) && below(g, 3) == 0;
            put(g, below(g, 6) == 0 ? "<sleeping><acknowledge>"
                   : leased         ? "<replica><lease retry>"
                                    : "<replica><pool retry><acknowledge>");
            put(g, "<after success><scaler>");
            if (below(g, 12) != 0) {
                put_calls(g, 0);
            }
            put(g, "}\n");
        } else {
            put(g, "<dependency>\n");
        }
    }
}

static void put_controls(struct gen *g)
{
    const char *title = "controls:\n";
    for (unsigned i = 0; i < g->counts[DEPENDENCY]; i++) {
        if (below(g, 3) != 0) {
            sq_buf_printf(g->out, "%s  d%u: ", title, i);
            put(g, "<control>\n");
            title = "";
        }
    }
}

void generate_scenario(uint64_t index, struct sq_buf *out)
{
    struct gen g = { .luck = sq_luck_init(1, 1), .index = index, .out = out };
    g.counts[QUEUE] = below(&g, 4) == 0 ? 0 : 1 + below(&g, 2);
    if (g.counts[QUEUE] > 0) {
        g.counts[PRODUCER] = 1 + below(&g, 3);
        g.counts[WORKERS] = g.counts[QUEUE] + below(&g, 2);
    }
    g.counts[CLIENT] = g.counts[QUEUE] == 0 ? 1 + below(&g, 2) : below(&g, 2);
    g.counts[DEPENDENCY] = 1 + below(&g, 4);
    sq_buf_printf(out, "squall: 1\nseed: %u\n", 1 + below(&g, 1000));
    put(&g, "duration: <10-40>s\n<top>");
    put_section(&g, PRODUCER, "producers");
    put_section(&g, CLIENT, "clients");
    put_section(&g, QUEUE, "queues");
    put_section(&g, WORKERS, "workers");
    put_section(&g, DEPENDENCY, "dependencies");
    put_controls(&g);
    put(&g, "actions: <actions>\n");
}

const char generate_samples[] = "at,n,gap\n"
                                "0,3,0.001\n0.5,12,0.004\n1,0,0.002\n2,7,0.03\n2.25,1,0.005\n"
                                "4,25,0.0125\n4.5,9,0.001\n7,4,0.04\n9,18,0.002\n12,2,0.09\n";
