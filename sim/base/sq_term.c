/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_term.c - standard output. */
#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "sim/base/sq_term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The locale that rules characters: the first of these that is set and not empty. */
static const char *locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return value;
        }
    }
    return "";
}

struct sq_term sq_term_out(void)
{
    struct sq_term t = { .width = 80, .utf8 = true };
    if (!isatty(STDOUT_FILENO)) {
        return t;
    }
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        t.width = size.ws_col;
    }
    const char *no_colour = getenv("NO_COLOR");
    t.colour = no_colour == NULL || no_colour[0] == '\0';
    t.utf8 = strstr(locale(), "UTF-8") != NULL || strstr(locale(), "utf8") != NULL;
    return t;
}

enum sq_status sq_term_print(const struct sq_buf *b)
{
    if (b->failed) {
        return SQ_NOMEM;
    }
    if (b->len > 0 && (fwrite(b->text, 1, b->len, stdout) != b->len || fflush(stdout) != 0)) {
        return errno == EPIPE ? SQ_OK : SQ_IO;
    }
    return SQ_OK;
}
