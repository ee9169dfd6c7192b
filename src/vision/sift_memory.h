/* What VLFeat allocates for one filter. It goes on with NULL where an allocation fails; here a
 * failed one leaves VLFeat by a jump instead, and all that the filter had is freed.
 *
 *     sift_memory_enter(m);
 *     if (setjmp(m->out)) { out of memory: m is empty again }
 *     ... VLFeat ...
 *     sift_memory_leave();
 */
#ifndef VISION_SIFT_MEMORY_H
#define VISION_SIFT_MEMORY_H

#include <setjmp.h>

#define SIFT_MEMORY_BLOCKS 16 /* a filter has seven */

typedef struct sift_memory {
    jmp_buf out;
    void *block[SIFT_MEMORY_BLOCKS]; /* NULL: free */
} sift_memory;

/* What this thread's VLFeat allocates from now on belongs to `memory`. */
void sift_memory_enter(sift_memory *memory);
void sift_memory_leave(void);
/* Frees the filter. */
void sift_memory_free(sift_memory *memory);

#endif
