/* Memory for borrowed arrays that may only be read, and not one byte past its end. */
#ifndef SUPPORT_GUARDED_H
#define SUPPORT_GUARDED_H

#include <stddef.h>

typedef struct guarded {
    void *data; /* ends where a page begins that cannot be touched */
    void *mapping;
    size_t bytes; /* of the mapping */
} guarded;

/* A copy of `size` bytes. */
guarded guarded_copy(const void *from, size_t size);
void guarded_free(guarded *memory);

#endif
