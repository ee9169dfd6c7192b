/* Which table this machine runs, and what its caches hold. */
#include <unistd.h>

#include "kernel/instances.h"

const kernels *kernel_table(orthant_precision precision)
{
    const bool single = precision == ORTHANT_SINGLE;
#ifdef ORTHANT_HAVE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return single ? &avx512_single_table : &avx512_double_table;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return single ? &avx2_single_table : &avx2_double_table;
#endif
    return single ? &baseline_single_table : &baseline_double_table;
}

int64_t kernel_cache(int level, int64_t most)
{
    long bytes = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#endif
    if (bytes <= 0)
        bytes = level == 2 ? 1 << 19 : 1 << 23;
    return bytes < most ? bytes : most;
}

const char *orthant_cpu_kernels(void)
{
    return kernel_table(ORTHANT_SINGLE)->name;
}

int64_t kernel_scratch(orthant_precision precision, int64_t stride)
{
    return (stride + 4 * KERNEL_RATIO_ROWS) * KERNEL_FEATURES *
           (precision == ORTHANT_SINGLE ? 4 : 8);
}

int64_t kernel_descent_scratch(int64_t rank)
{
    /* three arrays of a group of rows; the largest vector has 64 bytes */
    const int64_t most = KERNEL_DESCENT_BYTES, one = 64 * rank;
    return 3 * (4 * one <= most ? 4 * one : one > most ? one : most);
}
