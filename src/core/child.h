/* A child process that reads a file which nobody vouches for, with a library that damaged files can
 * break. It is forked, confined (core/confine.h) and asked for what the file holds; its answers
 * come back as a stream of bytes through shared memory. Whatever happens to it, this process gets
 * an error.
 *
 * The child sees all memory as it was at the fork: its server works on a copy of what `user` points
 * to. An answer is to be checked as the file itself would have to be. */
#ifndef CORE_CHILD_H
#define CORE_CHILD_H

#include "core/context.h"

typedef struct child child;

/* What is asked for, in the server's own numbers. */
typedef struct child_request {
    int32_t what, index;
    int64_t first, count;
} child_request;

/* In the child: sends the answer by child_send or child_slot and child_post. Its status and the
 * context's message go to the parent. */
typedef orthant_status (*child_server)(child *link, const child_request *request, void *user);

typedef struct child_options {
    const char *path;    /* of the file, for messages */
    const char *library; /* "the HDF5 library", for messages */
    int64_t bytes;       /* of memory that the child may take */
    child_server serve;
    void *user;
} child_options;

orthant_status child_start(orthant_context *ctx, const child_options *options, child **link);
/* Ends the child, whatever it does. NULL is fine. */
void child_close(child *link);

/* ---- the parent's side ------------------------------------------------------------------------
 */

/* Asks; `bytes` are expected and give the child more time. Then child_take until all is there and
 * child_end. After a failure nothing more can be asked. */
orthant_status child_ask(child *link, const child_request *request, int64_t bytes);
/* The next `count` bytes of the answer. Where the server failed, its status and message. */
orthant_status child_take(child *link, void *bytes, int64_t count);
/* The answer's end: the server's status; refuses bytes that were not taken. */
orthant_status child_end(child *link);

/* ---- the child's side -------------------------------------------------------------------------
 */

#define CHILD_SLOT_BYTES (INT64_C(2) << 20)

/* Adds to the answer. */
void child_send(child *link, const void *bytes, int64_t count);
/* Shared memory of CHILD_SLOT_BYTES that child_post sends without a further copy. */
void *child_slot(child *link);
void child_post(child *link, int64_t bytes);

#endif
