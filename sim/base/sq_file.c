/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_file.c - whole files in and out, every failure with its path and reason. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "sim/base/sq_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/sq_mem.h"

enum { READ_STEP = 1 << 16, WRITE_MOST = 1 << 30, NAME_TRIES = 100 };

/* The common reasons in our own words, because the C libraries' differ. */
static const char *file_why(int error)
{
    switch (error) {
    case ENOENT:
        return "it does not exist";
    case ENOTDIR:
    case EEXIST:
        return "a part of the path is not a folder";
    case EISDIR:
        return "it is a folder";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOSPC:
    case EDQUOT:
        return "the disk is full";
    case EFBIG:
        return "it would be larger than the system allows";
    default:
        return strerror(error);
    }
}

/* What is wrong with a path is the user's to mend; the rest is the machine. */
static enum sq_status file_status(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EEXIST:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
        return SQ_USER;
    case ENOMEM:
        return SQ_NOMEM;
    default:
        return SQ_IO;
    }
}

static enum sq_status file_fail(enum sq_status status, struct sq_diag *diag, const char *path,
                                const char *text, int error)
{
    struct sq_where where = { .file = path };
    if (error != 0) {
        (void)sq_diag_error(diag, where, NULL, NULL, "%s: %s", text, file_why(error));
    } else {
        (void)sq_diag_error(diag, where, NULL, NULL, "%s", text);
    }
    return diag->failed ? SQ_NOMEM : status;
}

/* Everything up to the end of the file; one byte more than the limit is enough to know. */
static enum sq_status read_all(int fd, const char *path, size_t limit, struct sq_buf *out,
                               struct sq_diag *diag)
{
    char *step = sq_mem_alloc(READ_STEP, 1);
    enum sq_status status = step != NULL ? SQ_OK : SQ_NOMEM;
    while (status == SQ_OK) {
        ssize_t n = read(fd, step, READ_STEP);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            status = file_fail(SQ_IO, diag, path, "cannot be read", errno);
            break;
        }
        sq_buf_add(out, step, (size_t)n);
        if (out->failed) {
            status = SQ_NOMEM;
        } else if (out->len > limit) {
            (void)sq_diag_error(diag, (struct sq_where){ .file = path }, NULL, NULL,
                                "is larger than the maximum of %zu bytes", limit);
            status = diag->failed ? SQ_NOMEM : SQ_USER;
        } else if (n == 0) {
            break;
        }
    }
    sq_mem_free(step);
    return status;
}

enum sq_status sq_file_read(const char *path, size_t limit, struct sq_buf *out,
                            struct sq_diag *diag)
{
    struct stat st;
    /* O_NONBLOCK: opening a pipe nobody writes to must not hang before fstat can refuse it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return file_fail(SQ_USER, diag, path, "cannot be read", errno);
    }
    enum sq_status status;
    struct sq_buf text = { 0 };
    if (fstat(fd, &st) != 0) {
        status = file_fail(SQ_IO, diag, path, "cannot be read", errno);
    } else if (S_ISDIR(st.st_mode)) {
        status = file_fail(SQ_USER, diag, path, "cannot be read", EISDIR);
    } else if (!S_ISREG(st.st_mode)) {
        status = file_fail(SQ_USER, diag, path, "is not a regular file", 0);
    } else {
        status = read_all(fd, path, limit, &text, diag);
    }
    close(fd);
    if (status == SQ_OK) {
        sq_buf_fini(out);
        *out = text;
    } else {
        sq_buf_fini(&text);
    }
    return status;
}

static enum sq_status read_pieces(int fd, const char *path, const struct sq_file_pieces *to,
                                  struct sq_diag *diag)
{
    char *step = sq_mem_alloc(READ_STEP, 1);
    enum sq_status status = step != NULL ? SQ_OK : SQ_NOMEM;
    ssize_t n = 1;
    while (status == SQ_OK && n != 0) {
        n = read(fd, step, READ_STEP);
        if (n > 0) {
            status = to->piece(to->ctx, step, (size_t)n);
        } else if (n < 0 && errno != EINTR) {
            status =
                file_fail(errno == EISDIR ? SQ_USER : SQ_IO, diag, path, "cannot be read", errno);
        }
    }
    sq_mem_free(step);
    return status;
}

enum sq_status sq_file_each(const char *path, const struct sq_file_pieces *to, struct sq_diag *diag)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return file_fail(SQ_USER, diag, path, "cannot be read", errno);
    }
    enum sq_status status = read_pieces(fd, path, to, diag);
    close(fd);
    return status;
}

/* One step of the way down. */
static enum sq_status folder_step(const char *part, const char *path, struct sq_diag *diag)
{
    struct stat st;
    if (stat(part, &st) != 0 && mkdir(part, 0777) != 0 && errno != EEXIST) {
        return file_fail(file_status(errno), diag, path, "cannot be made", errno);
    }
    if (stat(part, &st) != 0) { /* made by us or, meanwhile, by somebody else */
        return file_fail(SQ_USER, diag, path, "cannot be made", errno);
    }
    if (!S_ISDIR(st.st_mode)) {
        return strcmp(part, path) == 0
                   ? file_fail(SQ_USER, diag, path, "is a file, and no folder", 0)
                   : file_fail(SQ_USER, diag, path, "cannot be made", ENOTDIR);
    }
    return SQ_OK;
}

const char *sq_file_name(const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

enum sq_status sq_file_folder(const char *path, struct sq_diag *diag)
{
    size_t len = strlen(path);
    if (len == 0) {
        return file_fail(SQ_USER, diag, NULL, "the name of a folder is empty", 0);
    }
    char *part = sq_mem_alloc(len + 1, 1);
    if (part == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = SQ_OK;
    for (size_t i = 1; i <= len && status == SQ_OK; i++) {
        if ((path[i] == '/' || path[i] == '\0') && path[i - 1] != '/') {
            memcpy(part, path, i);
            status = folder_step(part, path, diag);
        }
    }
    sq_mem_free(part);
    if (status == SQ_OK && access(path, W_OK | X_OK) != 0) {
        status = file_fail(SQ_USER, diag, path, "cannot be written to", errno);
    }
    return status;
}

void sq_file_forget(const char *folder, const char *name)
{
    struct sq_buf path = { 0 };
    struct stat st;
    sq_buf_printf(&path, "%s/%s", folder, name);
    if (!path.failed && lstat(path.text, &st) == 0 && S_ISREG(st.st_mode)) {
        (void)unlink(path.text); /* what cannot be removed cannot be replaced either */
    }
    sq_buf_fini(&path);
}

/* 0 or the errno. */
static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len < WRITE_MOST ? len : WRITE_MOST);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* Opens a file of a name nobody uses, beside `target`; `name` gets it. -1 and errno on failure.
 * The process number keeps two programs apart, the counter what a killed one left behind. */
static int write_open(const char *target, struct sq_buf *name)
{
    int fd = -1;
    for (int i = 0; i < NAME_TRIES && fd < 0; i++) {
        name->len = 0;
        sq_buf_printf(name, "%s.tmp%ld-%d", target, (long)getpid(), i);
        if (name->failed) {
            errno = ENOMEM;
            return -1;
        }
        fd = open(name->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            return -1;
        }
    }
    return fd;
}

/* 0 or the errno. */
static int write_beside(const char *target, const void *bytes, size_t len)
{
    struct sq_buf name = { 0 };
    int fd = write_open(target, &name), error = fd < 0 ? errno : 0;
    if (error == 0) {
        error = write_all(fd, bytes, len);
        if (error == 0 && fsync(fd) != 0) {
            error = errno;
        }
        if (close(fd) != 0 && error == 0) {
            error = errno;
        }
        if (error == 0 && rename(name.text, target) != 0) {
            error = errno;
        }
        if (error != 0) {
            unlink(name.text);
        }
    }
    sq_buf_fini(&name);
    return error;
}

/* Devices and pipes (/dev/stdout) cannot be replaced; they are written to. 0 or the errno. */
static int write_through(const char *path, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return errno;
    }
    int error = write_all(fd, bytes, len);
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

enum sq_status sq_file_write(const char *path, const void *bytes, size_t len, struct sq_diag *diag)
{
    struct stat st;
    int error;
    if (stat(path, &st) != 0) {
        error = write_beside(path, bytes, len);
    } else if (S_ISDIR(st.st_mode)) {
        return file_fail(SQ_USER, diag, path, "cannot be written", EISDIR);
    } else if (!S_ISREG(st.st_mode)) {
        error = write_through(path, bytes, len);
    } else {
        char *target = realpath(path, NULL); /* replaces what a link leads to, not the link */
        error = target != NULL ? write_beside(target, bytes, len) : errno;
        free(target);
    }
    if (error == ENOMEM) {
        return SQ_NOMEM;
    }
    return error == 0 ? SQ_OK
                      : file_fail(file_status(error), diag, path, "cannot be written", error);
}

enum sq_status sq_file_ready(const char *path, struct sq_diag *diag)
{
    struct stat st;
    bool there = path != NULL && stat(path, &st) == 0;
    if (path == NULL) {
        return SQ_OK;
    }
    if (there && S_ISDIR(st.st_mode)) {
        return file_fail(SQ_USER, diag, path, "cannot be written", EISDIR);
    }
    char *target = there ? realpath(path, NULL) : strdup(path);
    if (target == NULL) {
        return errno == ENOMEM ? SQ_NOMEM
                               : file_fail(SQ_USER, diag, path, "cannot be written", errno);
    }
    char *slash = strrchr(target, '/');
    const char *folder = slash == NULL ? "." : slash == target ? "/" : target;
    if (slash != NULL && slash != target) {
        *slash = '\0';
    }
    /* A file is replaced, which its folder must allow; a device is written to. */
    bool whole = !there || S_ISREG(st.st_mode);
    int error = access(whole ? folder : path, whole ? W_OK | X_OK : W_OK) == 0 ? 0 : errno;
    if (whole && stat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
        error = ENOTDIR;
    }
    free(target);
    return error == 0 ? SQ_OK
                      : file_fail(file_status(error), diag, path, "cannot be written", error);
}

enum sq_status sq_file_begin(struct sq_file_out *f, const char *path, struct sq_diag *diag)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    *f = (struct sq_file_out){ .path = path, .fd = -1 };
    if (there && S_ISDIR(st.st_mode)) {
        return file_fail(SQ_USER, diag, path, "cannot be written", EISDIR);
    }
    if (there && !S_ISREG(st.st_mode)) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return f->fd < 0 ? file_fail(file_status(errno), diag, path, "cannot be written", errno)
                         : SQ_OK;
    }
    f->target = there ? realpath(path, NULL) : strdup(path);
    if (f->target == NULL) {
        return errno == ENOMEM
                   ? SQ_NOMEM
                   : file_fail(file_status(errno), diag, path, "cannot be written", errno);
    }
    f->fd = write_open(f->target, &f->name);
    if (f->fd >= 0) {
        return SQ_OK;
    }
    enum sq_status status =
        errno == ENOMEM ? SQ_NOMEM
                        : file_fail(file_status(errno), diag, path, "cannot be written", errno);
    f->name.len = 0;
    return sq_file_end(f, status, diag);
}

enum sq_status sq_file_add(struct sq_file_out *f, const void *bytes, size_t len,
                           struct sq_diag *diag)
{
    int error = write_all(f->fd, bytes, len);
    return error == 0 ? SQ_OK : file_fail(SQ_IO, diag, f->path, "cannot be written", error);
}

enum sq_status sq_file_end(struct sq_file_out *f, enum sq_status status, struct sq_diag *diag)
{
    int error = 0;
    if (f->fd >= 0) {
        error = f->target != NULL && status == SQ_OK && fsync(f->fd) != 0 ? errno : 0;
        error = close(f->fd) != 0 && error == 0 ? errno : error;
    }
    if (f->name.len > 0 && status == SQ_OK && error == 0 && rename(f->name.text, f->target) != 0) {
        error = errno;
    }
    if (f->name.len > 0 && (status != SQ_OK || error != 0)) {
        unlink(f->name.text);
    }
    sq_buf_fini(&f->name);
    free(f->target);
    *f = (struct sq_file_out){ .fd = -1 };
    return status == SQ_OK && error != 0
               ? file_fail(SQ_IO, diag, NULL, "the file cannot be written", error)
               : status;
}
