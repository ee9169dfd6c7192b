/* What is being written has a name of its own until it is whole: "NAME.part-PID-N" beside NAME, or
 * ".part-PID-N" in a folder. Its writer holds a lock on it until the end, so that others can tell
 * one that is being written from one that a killed process left behind. */
#ifndef CORE_PART_H
#define CORE_PART_H

#include <stdbool.h>
#include <stddef.h>

#define PART_BYTES 48 /* bytes that a name grows by */

/* The name of the `attempt`-th part of `whole`, at most `size` bytes; "" gives ".part-PID-N". */
void part_name(char *name, size_t size, const char *whole, int attempt);
/* How many letters of a part's name are those of the whole; -1 where it is no part. */
int part_whole(const char *name);

/* For who has just made the part at `path` and opened it: false where someone who swept has removed
 * it already, and another has to be made. */
bool part_lock(int descriptor, const char *path);
/* A part in the open folder `at` whose writer has ended, locked; -1 where it is being written, or
 * not a file or folder. Remove it, then close the descriptor. */
int part_seize(int at, const char *name);
/* Whether a process holds the lock on that part; false where the file system knows no locks. */
bool part_is_held(int at, const char *name);

/* Removes what killed writers of the file `path` left beside it. */
void part_sweep_file(const char *path);

#endif
