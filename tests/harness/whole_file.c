#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The place itself when it is no regular file, or a new file beside it. */
static FILE *open_beside(assay_whole_file *w, const char *path) {
    struct stat info;
    if (!*path) {
        errno = ENOENT;
        return NULL;
    }
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) return fopen(path, "w");

    char *target = exists ? realpath(path, NULL) : NULL; /* keep a symbolic link a link */
    int n = snprintf(w->path, sizeof w->path, "%s", target ? target : path);
    int m = snprintf(w->temporary, sizeof w->temporary, "%s.%ld.tmp", target ? target : path,
                     (long)getpid());
    free(target);
    if (n < 0 || n >= ASSAY_PATH || m < 0 || m >= ASSAY_PATH) {
        errno = ENAMETOOLONG;
        w->temporary[0] = '\0';
        return NULL;
    }
    if (exists && access(w->path, W_OK)) { /* a rename would replace what may not be written */
        w->temporary[0] = '\0';
        return NULL;
    }
    int fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) w->temporary[0] = '\0';
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file) close(fd);
    return file;
}

assay_status assay_whole_file_open(const char *path, FILE *shared, assay_whole_file *w) {
    memset(w, 0, sizeof *w);
    w->shared = strcmp(path, "-") == 0;
    w->file = w->shared ? shared : open_beside(w, path);
    if (w->file) return ASSAY_OK;
    const int error = errno;
    assay_whole_file_drop(w);
    return assay_fail(ASSAY_ERR_IO, "cannot write the report %s: %s", path, strerror(error));
}

assay_status assay_whole_file_keep(assay_whole_file *w, int error) {
    errno = 0;
    const bool flushed = fflush(w->file) == 0 && !ferror(w->file);
    if (!flushed && !error) error = errno ? errno : EIO;
    errno = 0;
    if (!w->shared && fclose(w->file) && !error) error = errno ? errno : EIO;
    w->file = NULL;
    errno = 0;
    if (!error && w->path[0] && rename(w->temporary, w->path)) error = errno ? errno : EIO;
    if (!error) w->temporary[0] = '\0';
    const assay_status status = error
                                    ? assay_fail(ASSAY_ERR_IO, "cannot write the report %s: %s",
                                                 w->path[0] ? w->path : "in place", strerror(error))
                                    : ASSAY_OK;
    assay_whole_file_drop(w);
    return status;
}

void assay_whole_file_drop(assay_whole_file *w) {
    if (w->file && !w->shared) fclose(w->file);
    w->file = NULL;
    if (w->temporary[0]) unlink(w->temporary);
    w->temporary[0] = '\0';
}
