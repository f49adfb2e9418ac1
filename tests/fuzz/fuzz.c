/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.c - see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include "sim/base/sq_diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void fuzz_broken(const char *file, int line, const char *promise)
{
    (void)fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort(); /* a signal, which libFuzzer takes for a find */
}

/* In place of the library's, which ends the program without a signal. */
_Noreturn void sq_panic(const char *file, int line, const char *text)
{
    fuzz_broken(file, line, text);
}

const char *fuzz_path(char out[FUZZ_PATH], const char *name)
{
    const char *folder = getenv("TMPDIR");
    folder = folder != NULL && folder[0] != '\0' ? folder : "/tmp";
    int len = snprintf(out, FUZZ_PATH, "%s/squall-fuzz-%ld-%s", folder, (long)getpid(), name);
    FUZZ_PROMISE(len > 0 && len < FUZZ_PATH);
    return out;
}

void fuzz_write(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    FUZZ_PROMISE(f != NULL);
    FUZZ_PROMISE(fwrite(bytes, 1, size, f) == size);
    FUZZ_PROMISE(fclose(f) == 0);
}

/* The first end of a line from `at` on: LF, CR or CR LF; `end` if there is none. */
static const uint8_t *line_end(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at != '\n' && *at != '\r') {
        at++;
    }
    return at;
}

/* Bytes of a line without its end; -1 when there are not so many lines. */
static long line_length(const uint8_t *text, size_t size, uint32_t line)
{
    const uint8_t *at = text, *end = text + size, *stop = line_end(at, end);
    for (; line > 1; line--) {
        if (stop == end) {
            return -1;
        }
        at = stop + (end - stop > 1 && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
        stop = line_end(at, end);
    }
    return (long)(stop - at);
}

void fuzz_check_marks(const struct sq_diag *diag, const char *file, const uint8_t *text,
                      size_t size)
{
    for (size_t i = 0; i < diag->count; i++) {
        const struct sq_complaint *c = &diag->items[i];
        FUZZ_PROMISE(c->text != NULL && c->text[0] != '\0');
        if (c->where.line == 0 || c->file == NULL || strcmp(c->file, file) != 0) {
            continue;
        }
        long length = line_length(text, size, c->where.line);
        if (length < 0 || c->where.col > (unsigned long)length + 1) {
            (void)fprintf(stderr, "%u:%u: %s\n", c->where.line, c->where.col, c->text);
        }
        FUZZ_PROMISE(length >= 0);
        FUZZ_PROMISE(c->where.col <= (unsigned long)length + 1);
    }
}
