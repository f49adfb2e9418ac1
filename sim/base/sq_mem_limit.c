/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mem_limit.c - how much memory a program takes unless told otherwise. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#define _DARWIN_C_SOURCE
#include "sim/base/sq_mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define USUAL ((size_t)8 << 30)

/* The limit of a container under Linux; SIZE_MAX: none. */
static size_t container(void)
{
    char text[32] = { 0 };
    int fd = open("/sys/fs/cgroup/memory.max", O_RDONLY);
    if (fd < 0) {
        return SIZE_MAX;
    }
    ssize_t n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    char *end = text;
    unsigned long long bytes = n > 0 ? strtoull(text, &end, 10) : 0;
    return end != text && bytes > 0 && bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX; /* "max" */
}

static size_t machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
}

size_t sq_mem_default_limit(void)
{
    size_t all = container() < machine() ? container() : machine();
    return all / 4 * 3 < USUAL ? all / 4 * 3 : USUAL;
}
