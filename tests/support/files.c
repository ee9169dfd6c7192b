/* The folder is removed when the test's process ends. */
#include "files.h"

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static void remove_folder(const char *path)
{
    char inside[PATH_MAX];
    struct stat about;
    DIR *entries = opendir(path);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (lstat(inside, &about) == 0 && S_ISDIR(about.st_mode))
            remove_folder(inside);
        else
            unlink(inside);
    }
    if (entries)
        closedir(entries);
    rmdir(path);
}

static void remove_all(void)
{
    remove_folder(folder);
}

const char *files_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/orthant-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
        atexit(remove_all);
    }
    return folder;
}

const char *files_path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", files_folder(), name);
    return path;
}

const char *files_write(const char *name, const void *bytes, size_t size)
{
    const char *path = files_path(name);
    unlink(path); /* some file systems wait for the disk when a file is written over */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *files_write_text(const char *name, const char *text)
{
    return files_write(name, text, strlen(text));
}

unsigned char *files_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t capacity = 1 << 16, got;
    unsigned char *bytes = malloc(capacity);
    *size = 0;
    while (bytes && (got = fread(bytes + *size, 1, capacity - *size, file)) > 0) {
        *size += got;
        if (*size == capacity)
            bytes = realloc(bytes, capacity *= 2);
    }
    assert_non_null(bytes);
    fclose(file);
    return bytes;
}

int files_count(const char *path)
{
    int count = -2; /* "." and ".." */
    DIR *entries = opendir(path);
    assert_non_null(entries);
    while (readdir(entries))
        count++;
    closedir(entries);
    return count;
}
