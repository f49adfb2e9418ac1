/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.h - what every fuzz target offers: the entry point of libFuzzer, and its name.
 *
 * With libFuzzer (make fuzz) inputs are made up; with replay.c the stored ones are read, which is
 * an ordinary test. A broken promise aborts. A target is trusted when it has run for 30 minutes of
 * a processor under both sanitizers since its last finding. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char fuzz_name[];         /* of the folder below tests/fuzz/corpus */
extern const char *const fuzz_seeds[]; /* further folders to replay; NULL ends the list */

_Noreturn void fuzz_broken(const char *file, int line, const char *promise);
#define FUZZ_PROMISE(cond) ((cond) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #cond))

/* A path of this process in TMPDIR, or in /tmp: "NAME" or "NAME/FILE". Returns `out`. */
enum { FUZZ_PATH = 512 };
const char *fuzz_path(char out[FUZZ_PATH], const char *name);
void fuzz_write(const char *path, const void *bytes, size_t size);

struct sq_diag;

/* Every complaint about `file` stands on a line of the text, in a column that the line has or at
 * its end; or at no place at all. */
void fuzz_check_marks(const struct sq_diag *diag, const char *file, const uint8_t *text,
                      size_t size);

#endif
