/* Takes from a forked child what it does not need, before it looks at a file that may be hostile.
 *
 * Everywhere: limits on memory, no core file, no byte written to any file, no open files but the
 * link to its parent. On Linux also: it ends with its parent, and a filter of system calls leaves
 * it memory, reading, and its link; no network, no processes, no signals to others. */
#ifndef CORE_CONFINE_H
#define CORE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the descriptor that the link has from now on, -1 where it failed. `bytes`: of memory,
 * beyond what the process has. */
int confine_process(int link, int64_t bytes);
/* No further file can be opened. */
bool confine_files(void);

#endif
