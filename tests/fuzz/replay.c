/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - a fuzz target as an ordinary test: every file of its corpus, one after the other.
 *
 *   scenario-replay [FILE...]      from the root of the tree; without files: the whole corpus */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned count;

static void replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("not ok %u - %s cannot be read\n", ++count, path);
        return;
    }
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof(data), f);
    (void)fclose(f);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a byte too far shows */
    if (exact == NULL) {
        exit(3);
    }
    memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    printf("ok %u - %s\n", ++count, path);
    (void)fflush(stdout);
}

static int is_file(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void replay_folder(const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, is_file, alphasort);
    if (n <= 0) {
        printf("not ok %u - %s has no inputs\n", ++count, path);
    }
    for (int i = 0; i < n; i++) {
        char file[512];
        (void)snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
        replay(file);
        free(names[i]);
    }
    free(n >= 0 ? names : NULL);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    if (argc == 1) {
        char corpus[80];
        (void)snprintf(corpus, sizeof(corpus), "tests/fuzz/corpus/%s", fuzz_name);
        replay_folder(corpus);
        for (size_t i = 0; fuzz_seeds[i] != NULL; i++) {
            replay_folder(fuzz_seeds[i]);
        }
    }
    printf("1..%u\n", count);
    return 0;
}
