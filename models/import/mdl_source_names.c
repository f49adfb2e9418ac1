/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source_names.c - names of other systems as names of ours, and texts that last. */
#include "models/import/mdl_source.h"

#include "sim/base/sq_limits.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *mdl_source_format(struct mdl_importing *m, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = len >= 0 ? sq_arena_alloc(m->arena, (size_t)len + 1, 1) : NULL;
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    m->failed |= text == NULL;
    return text != NULL ? text : "";
}

bool mdl_source_alike(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
            return false;
        }
        if (*a == '\0') {
            return true;
        }
        a++;
        b++;
    }
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

const char *mdl_source_name(struct mdl_importing *m, const char *theirs)
{
    char name[SQ_MAX_NAME + 1];
    size_t len = 0;
    for (const char *c = theirs; *c != '\0' && len < SQ_MAX_NAME; c++) {
        char low = (char)tolower((unsigned char)*c);
        bool kept = is_letter(low) || (low >= '0' && low <= '9' && len > 0);
        if (kept) {
            name[len++] = low;
        } else if (len > 0 && name[len - 1] != '-') {
            name[len++] = '-';
        }
    }
    while (len > 0 && name[len - 1] == '-') {
        len--;
    }
    name[len] = '\0';
    static const char *const taken[] = { "none", "null", "true", "false", "unlimited" };
    for (size_t i = 0; i < SQ_COUNT(taken); i++) {
        if (strcmp(name, taken[i]) == 0) {
            return mdl_source_format(m, "%s-1", name);
        }
    }
    return mdl_source_format(m, "%s", len > 0 ? name : "unnamed");
}

const char *mdl_source_host(struct mdl_importing *m, const char *host)
{
    const char *svc = strstr(host, ".svc");
    size_t len =
        svc != NULL && (svc[4] == '\0' || svc[4] == '.') ? strcspn(host, ".") : strlen(host);
    return mdl_source_name(m, mdl_source_format(m, "%.*s", (int)len, host));
}

bool mdl_names_have(const struct mdl_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void mdl_names_add(struct mdl_importing *m, struct mdl_names *names, const char *name)
{
    if (mdl_names_have(names, name)) {
        return;
    }
    if (names->count == names->size) {
        size_t size = names->size * 2 + 8;
        const char **grown = sq_arena_alloc(m->arena, size, sizeof(*grown));
        if (grown == NULL) {
            m->failed = true;
            return;
        }
        for (size_t i = 0; i < names->count; i++) {
            grown[i] = names->items[i];
        }
        names->items = grown;
        names->size = size;
    }
    names->items[names->count++] = name;
}

const char *mdl_source_pool(struct mdl_importing *m)
{
    return m->pools.count == 1 ? m->pools.items[0] : m->stem;
}

const char *mdl_source_queue(struct mdl_importing *m)
{
    return m->queues.count == 1 ? m->queues.items[0] : m->stem;
}

const char *mdl_source_entity(struct mdl_importing *m, const char *name)
{
    const char *section = mdl_names_have(&m->dependencies, name) ? "dependencies" : "workers";
    return mdl_source_format(m, "%s.%s", section, name);
}
