/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_panic.c - the end of a program that found a bug in itself. Uses nothing that may be broken by
 * then: no heap, no stdio, no atexit handlers. */
#include "sim/base/sq_base.h"

#include <string.h>
#include <unistd.h>

enum { PANIC_TEXT = 512, PANIC_STATUS = 4 };

static size_t panic_add(char *line, size_t len, const char *text)
{
    size_t room = PANIC_TEXT - len, n = strnlen(text, room);
    memcpy(line + len, text, n);
    return len + n;
}

_Noreturn void sq_panic(const char *file, int line, const char *text)
{
    char out[PANIC_TEXT + 1], digits[12] = { 0 };
    size_t at = sizeof digits - 1, len = 0;
    unsigned left = line > 0 ? (unsigned)line : 0;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    len = panic_add(out, len, file);
    len = panic_add(out, len, ":");
    len = panic_add(out, len, digits + at);
    len = panic_add(out, len, ": assertion failed: ");
    len = panic_add(out, len, text);
    out[len++] = '\n';
    for (size_t done = 0; done < len;) {
        ssize_t n = write(STDERR_FILENO, out + done, len - done);
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    _exit(PANIC_STATUS);
}
