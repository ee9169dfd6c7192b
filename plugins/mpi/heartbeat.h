/* A process that is stopped or hangs as a whole sends nothing any more, and those that wait for it
 * would wait for ever. So a thread of each sends a byte every second to the next rank, and looks
 * for the one of the rank before: after some seconds without it ends them all, with a message. A
 * process that computes for long is none of these: its thread goes on. */
#ifndef MPI_HEARTBEAT_H
#define MPI_HEARTBEAT_H

#include <mpi.h>
#include <stdbool.h>

typedef struct heartbeat heartbeat;

/* NULL where it cannot be: then nobody watches. */
heartbeat *heartbeat_begin(MPI_Comm world);
/* By all ranks, when nothing is to be sent any more. */
void heartbeat_end(heartbeat *h);

#endif
