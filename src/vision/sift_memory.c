/* A list of VLFeat's blocks, and the jump out of it. */
#include "vision/sift_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <vl/generic.h>

/* VLFeat hands its allocator nothing of the caller's, so this is how it learns whose memory it is.
 */
static _Thread_local sift_memory *entered;

static void **find(sift_memory *memory, const void *block)
{
    for (int i = 0; i < SIFT_MEMORY_BLOCKS; i++)
        if (memory->block[i] == block)
            return &memory->block[i];
    return NULL;
}

static void leave_without_memory(void)
{
    sift_memory *memory = entered;
    entered = NULL;
    sift_memory_free(memory);
    longjmp(memory->out, 1);
}

/* `place` is that of the block in the entered memory, NULL where it found none. */
static void *keep(void **place, void *block)
{
    if (!block || !place) {
        free(block);
        leave_without_memory();
    }
    *place = block;
    return block;
}

/* Outside of enter and leave, for whoever else uses VLFeat in this process, they are the usual
 * ones. */
static void *allocate(size_t size)
{
    void *block = malloc(size);
    /* cppcheck-suppress uninitdata ; the caller fills it */
    return entered ? keep(find(entered, NULL), block) : block;
}

static void *allocate_zeroed(size_t count, size_t size)
{
    void *block = calloc(count, size);
    return entered ? keep(find(entered, NULL), block) : block;
}

static void *resize(void *block, size_t size)
{
    void **place = entered ? find(entered, block) : NULL;
    void *larger = realloc(block, size);
    if (!larger && entered)
        leave_without_memory();
    if (place)
        *place = larger;
    return larger;
}

static void release(void *block)
{
    void **place = entered && block ? find(entered, block) : NULL;
    if (place)
        *place = NULL;
    free(block);
}

static void set_allocator(void)
{
    vl_set_alloc_func(allocate, resize, allocate_zeroed, release);
}

void sift_memory_enter(sift_memory *memory)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_allocator);
    entered = memory;
}

void sift_memory_leave(void)
{
    entered = NULL;
}

void sift_memory_free(sift_memory *memory)
{
    for (int i = 0; i < SIFT_MEMORY_BLOCKS; i++) {
        free(memory->block[i]);
        memory->block[i] = NULL;
    }
}
