/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mem_limit.c - how much memory a program takes unless told otherwise. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#define _DARWIN_C_SOURCE
#include "sim/base/sq_mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define USUAL ((size_t)8 << 30)

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The beginning of a file as text; false when it cannot be read. */
static bool head_of(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number in a file; SIZE_MAX without one ("max"). */
static size_t number_in(const char *path)
{
    char text[32], *end = text;
    unsigned long long bytes = head_of(path, text, sizeof(text)) ? strtoull(text, &end, 10) : 0;
    return end != text && bytes > 0 && bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* The limit of a container or a service under Linux: that of the control group of this process or
 * of one around it (version 2), or of the root that a container sees (both versions). */
static size_t container(void)
{
    char groups[2048], path[2200];
    size_t least = less(number_in("/sys/fs/cgroup/memory.max"),
                        number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    char *own =
        head_of("/proc/self/cgroup", groups, sizeof(groups)) ? strstr(groups, "0::/") : NULL;
    if (own == NULL) {
        return least;
    }
    own += strlen("0::");
    own[strcspn(own, "\n")] = '\0';
    for (char *last = strrchr(own, '/'); last != NULL; last = strrchr(own, '/')) {
        (void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", own);
        least = less(least, number_in(path));
        *last = '\0';
    }
    return least;
}

/* What `ulimit -v` leaves a process. */
static size_t process(void)
{
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur < SIZE_MAX ? (size_t)limit.rlim_cur : SIZE_MAX;
}

static size_t machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
}

size_t sq_mem_default_limit(void)
{
    size_t all = less(less(container(), process()), machine());
    return less(all / 4 * 3, USUAL);
}
