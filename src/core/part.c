/* Names, locks and the removal of parts. */
#include "core/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".part-"

void part_name(char *name, size_t size, const char *whole, int attempt)
{
    snprintf(name, size, "%s" MARK "%ld-%d", whole, (long)getpid(), attempt);
}

int part_whole(const char *name)
{
    const char *mark = NULL;
    for (const char *at = strstr(name, MARK); at; at = strstr(at + 1, MARK))
        mark = at;
    if (!mark)
        return -1;
    const char *process = mark + strlen(MARK);
    const size_t digits = strspn(process, "0123456789");
    const char *number = process + digits + 1;
    const bool is_part =
        digits && process[digits] == '-' && *number && !number[strspn(number, "0123456789")];
    return is_part ? (int)(mark - name) : -1;
}

/* Where a file system knows no locks nobody sweeps, and nothing is locked. */
bool part_lock(int descriptor, const char *path)
{
    struct stat ours, there;
    if (flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return false;
    /* Where the system does not say, a part that is gone is noticed when it is renamed. */
    if (fstat(descriptor, &ours))
        return true;
    if (lstat(path, &there))
        return errno != ENOENT;
    return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

int part_seize(int at, const char *name)
{
    struct stat about;
    const int opened = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0)
        return -1;
    if (!fstat(opened, &about) && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) &&
        !flock(opened, LOCK_EX | LOCK_NB))
        return opened;
    close(opened);
    return -1;
}

bool part_is_held(int at, const char *name)
{
    const int opened = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    const bool held = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (opened >= 0)
        close(opened);
    return held;
}

void part_sweep_file(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int length = slash ? (int)(slash - path) + 1 : 2;
    if ((size_t)snprintf(folder, sizeof folder, "%.*s", length, slash ? path : "./") >=
        sizeof folder)
        return;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        const int whole = part_whole(entry->d_name);
        if (whole <= 0 || (size_t)whole != strlen(name) ||
            strncmp(entry->d_name, name, (size_t)whole))
            continue;
        const int part = part_seize(dirfd(open), entry->d_name);
        if (part < 0)
            continue;
        unlinkat(dirfd(open), entry->d_name, 0);
        close(part);
    }
    if (open)
        closedir(open);
}
