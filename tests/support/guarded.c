#include "guarded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

guarded guarded_copy(const void *from, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    guarded memory = {.bytes = whole + page};
    memory.mapping =
        mmap(NULL, memory.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory.mapping != MAP_FAILED);
    memory.data = (char *)memory.mapping + whole - size;
    memcpy(memory.data, from, size);
    assert_int_equal(mprotect(memory.mapping, whole, PROT_READ), 0);
    assert_int_equal(mprotect((char *)memory.mapping + whole, page, PROT_NONE), 0);
    return memory;
}

void guarded_free(guarded *memory)
{
    if (memory->mapping)
        munmap(memory->mapping, memory->bytes);
    *memory = (guarded){0};
}
