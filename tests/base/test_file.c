/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_file.c - reading, replacing, and the folders that must be there. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_mem.h"

static int enter(void **state)
{
    char *folder = strdup("/tmp/squall-file-XXXXXX");
    *state = folder;
    return folder == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") != 0 || system(command) != 0;
}

static size_t entries(void)
{
    DIR *dir = opendir(".");
    assert_non_null(dir);
    size_t n = 0;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        n += e->d_name[0] != '.';
    }
    closedir(dir);
    return n;
}

static void check_complaint(struct sq_diag *diag, const char *want)
{
    struct sq_buf text = { 0 };
    sq_diag_print(diag, &text);
    assert_int_equal(diag->errors, 1);
    assert_string_equal(text.text, want);
    sq_buf_fini(&text);
    sq_diag_fini(diag);
}

static void check_content(const char *path, const char *want)
{
    struct sq_buf got = { 0 };
    struct sq_diag diag = { 0 };
    assert_int_equal(sq_file_read(path, 1 << 20, &got, &diag), SQ_OK);
    assert_string_equal(got.text, want);
    assert_int_equal(got.len, strlen(want));
    sq_buf_fini(&got);
}

static void replace(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct stat st;
    assert_int_equal(sq_file_write("a.csv", "old", 3, &diag), SQ_OK);
    check_content("a.csv", "old");
    int fd = open("a.csv", O_RDONLY); /* a reader of the old file keeps it */
    assert_int_equal(sq_file_write("a.csv", "newer", 5, &diag), SQ_OK);
    char text[8] = { 0 };
    assert_int_equal(read(fd, text, sizeof text), 3);
    assert_string_equal(text, "old");
    close(fd);
    check_content("a.csv", "newer");
    assert_int_equal(sq_file_write("a.csv", "", 0, &diag), SQ_OK);
    check_content("a.csv", "");
    assert_int_equal(entries(), 1); /* nothing is left beside it */
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat("a.csv", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static void links_and_devices(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct stat st;
    assert_int_equal(sq_file_write("real", "1", 1, &diag), SQ_OK);
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(sq_file_write("link", "2", 1, &diag), SQ_OK);
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    check_content("real", "2");
    assert_int_equal(sq_file_write("/dev/null", "x", 1, &diag), SQ_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void read_refused(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct sq_buf out = { 0 };
    sq_buf_puts(&out, "kept");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(sq_file_write("ten", "0123456789", 10, &diag), SQ_OK);
    assert_int_equal(sq_file_read("gone", 99, &out, &diag), SQ_USER);
    check_complaint(&diag, "gone: cannot be read: it does not exist\n");
    assert_int_equal(sq_file_read("folder", 99, &out, &diag), SQ_USER);
    check_complaint(&diag, "folder: cannot be read: it is a folder\n");
    assert_int_equal(sq_file_read("pipe", 99, &out, &diag), SQ_USER);
    check_complaint(&diag, "pipe: is not a regular file\n");
    assert_int_equal(sq_file_read("ten/x", 99, &out, &diag), SQ_USER);
    check_complaint(&diag, "ten/x: cannot be read: a part of the path is not a folder\n");
    assert_int_equal(sq_file_read("ten", 9, &out, &diag), SQ_USER);
    check_complaint(&diag, "ten: is larger than the maximum of 9 bytes\n");
    assert_string_equal(out.text, "kept");
    assert_int_equal(sq_file_read("ten", 10, &out, &diag), SQ_OK);
    assert_string_equal(out.text, "0123456789");
    sq_buf_fini(&out);
}

/* More than one step of reading, zero bytes included. */
static void large(void **state)
{
    (void)state;
    enum { LEN = 200003 };
    struct sq_diag diag = { 0 };
    struct sq_buf out = { 0 };
    char *bytes = malloc(LEN);
    assert_non_null(bytes);
    for (size_t i = 0; i < LEN; i++) {
        bytes[i] = (char)(i * i % 251);
    }
    assert_int_equal(sq_file_write("big", bytes, LEN, &diag), SQ_OK);
    assert_int_equal(sq_file_read("big", LEN, &out, &diag), SQ_OK);
    assert_int_equal(out.len, LEN);
    assert_memory_equal(out.text, bytes, LEN);
    sq_buf_fini(&out);
    free(bytes);
}

static void folder(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct stat st;
    assert_int_equal(sq_file_folder("a/b//c/", &diag), SQ_OK);
    assert_int_equal(stat("a/b/c", &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(sq_file_folder("a/b", &diag), SQ_OK); /* stands already */
    assert_int_equal(sq_file_folder(".", &diag), SQ_OK);
    assert_int_equal(sq_file_write("file", "x", 1, &diag), SQ_OK);
    assert_int_equal(sq_file_folder("file", &diag), SQ_USER);
    check_complaint(&diag, "file: is a file, and no folder\n");
    assert_int_equal(sq_file_folder("file/below", &diag), SQ_USER);
    check_complaint(&diag, "file/below: cannot be made: a part of the path is not a folder\n");
    assert_int_equal(sq_file_folder("", &diag), SQ_USER);
    check_complaint(&diag, "the name of a folder is empty\n");
    check_content("file", "x");
}

static void write_refused(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    assert_int_equal(sq_file_write("gone/x", "x", 1, &diag), SQ_USER);
    check_complaint(&diag, "gone/x: cannot be written: it does not exist\n");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(sq_file_write("folder", "x", 1, &diag), SQ_USER);
    check_complaint(&diag, "folder: cannot be written: it is a folder\n");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sq_file_write("/dev/full", "x", 1, &diag), SQ_IO);
        check_complaint(&diag, "/dev/full: cannot be written: the disk is full\n");
    }
}

/* What writing would say of a path, before there is anything to write. */
static void ready(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    assert_int_equal(sq_file_write("there", "old", 3, &diag), SQ_OK);
    assert_int_equal(symlink("there", "link"), 0);
    assert_int_equal(sq_file_ready(NULL, &diag), SQ_OK);
    assert_int_equal(sq_file_ready("new", &diag), SQ_OK);
    assert_int_equal(sq_file_ready("there", &diag), SQ_OK);
    assert_int_equal(sq_file_ready("link", &diag), SQ_OK);
    assert_int_equal(sq_file_ready("/dev/null", &diag), SQ_OK);
    check_content("there", "old"); /* untouched, and nothing new */
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(sq_file_ready("gone/x", &diag), SQ_USER);
    check_complaint(&diag, "gone/x: cannot be written: it does not exist\n");
    assert_int_equal(sq_file_ready("there/x", &diag), SQ_USER);
    check_complaint(&diag, "there/x: cannot be written: a part of the path is not a folder\n");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(sq_file_ready("folder", &diag), SQ_USER);
    check_complaint(&diag, "folder: cannot be written: it is a folder\n");
}

/* The system's limit on the size of a file stands in for a disk that becomes full midway. */
static void write_cut_short(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct rlimit old, small;
    assert_int_equal(sq_file_write("a", "old", 3, &diag), SQ_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum sq_status status = sq_file_write("a", "0123456789", 10, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, SQ_IO);
    check_complaint(&diag, "a: cannot be written: it would be larger than the system allows\n");
    check_content("a", "old");
    assert_int_equal(entries(), 1);
}

/* What a killed program of the same number left behind is in nobody's way. */
static void leftover(void **state)
{
    (void)state;
    char name[64];
    struct sq_diag diag = { 0 };
    snprintf(name, sizeof name, "a.tmp%ld-0", (long)getpid());
    assert_int_equal(sq_file_write(name, "left", 4, &diag), SQ_OK);
    assert_int_equal(sq_file_write("a", "x", 1, &diag), SQ_OK);
    check_content("a", "x");
    check_content(name, "left");
}

static void no_memory(void **state)
{
    (void)state;
    struct sq_diag diag = { 0 };
    struct sq_buf out = { 0 };
    enum sq_status status = SQ_NOMEM;
    long n = 0;
    for (; status != SQ_OK; n++) {
        assert_true(n < 20);
        sq_mem_fail_after(n);
        status = sq_file_folder("deep/er", &diag);
        status = status != SQ_OK ? status : sq_file_write("deep/er/a", "xyz", 3, &diag);
        status = status != SQ_OK ? status : sq_file_read("deep/er/a", 3, &out, &diag);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || status == SQ_NOMEM);
    }
    assert_true(n > 3);
    assert_string_equal(out.text, "xyz");
    sq_mem_fail_after(0);
    status = sq_file_read("gone", 3, &out, &diag); /* the complaint itself finds no room */
    sq_mem_fail_after(-1);
    assert_int_equal(status, SQ_NOMEM);
    sq_diag_fini(&diag);
    sq_buf_fini(&out);
}

static void name_of_a_path(void **state)
{
    (void)state;
    assert_string_equal(sq_file_name("/home/a/b.yaml"), "b.yaml");
    assert_string_equal(sq_file_name("b.yaml"), "b.yaml");
    assert_string_equal(sq_file_name("a/"), "");
    assert_null(sq_file_name(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_of_a_path),
        cmocka_unit_test_setup_teardown(replace, enter, leave),
        cmocka_unit_test_setup_teardown(links_and_devices, enter, leave),
        cmocka_unit_test_setup_teardown(read_refused, enter, leave),
        cmocka_unit_test_setup_teardown(large, enter, leave),
        cmocka_unit_test_setup_teardown(folder, enter, leave),
        cmocka_unit_test_setup_teardown(write_refused, enter, leave),
        cmocka_unit_test_setup_teardown(ready, enter, leave),
        cmocka_unit_test_setup_teardown(write_cut_short, enter, leave),
        cmocka_unit_test_setup_teardown(leftover, enter, leave),
        cmocka_unit_test_setup_teardown(no_memory, enter, leave),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
