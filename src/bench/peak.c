/* Multiply-adds on numbers that stay in registers: no kernel can be faster. Independent chains of
 * them keep every unit busy. */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "orthant/context.h"

#define STEPS 100000 /* less than a millisecond: nobody else gets in between */
#define CHAINS 12

#define PEAK(NAME, TARGET, BYTES)                                                                  \
    typedef float NAME##_vector __attribute__((vector_size(BYTES)));                               \
    TARGET static float NAME(float factor, float shift)                                            \
    {                                                                                              \
        const NAME##_vector a = factor - (NAME##_vector){0}, b = shift - (NAME##_vector){0};       \
        NAME##_vector c0 = b, c1 = 2 * b, c2 = 3 * b, c3 = 4 * b, c4 = 5 * b, c5 = 6 * b,          \
                      c6 = 7 * b, c7 = 8 * b, c8 = 9 * b, c9 = 10 * b, c10 = 11 * b, c11 = 12 * b; \
        for (int step = 0; step < STEPS; step++) {                                                 \
            c0 = c0 * a + b;                                                                       \
            c1 = c1 * a + b;                                                                       \
            c2 = c2 * a + b;                                                                       \
            c3 = c3 * a + b;                                                                       \
            c4 = c4 * a + b;                                                                       \
            c5 = c5 * a + b;                                                                       \
            c6 = c6 * a + b;                                                                       \
            c7 = c7 * a + b;                                                                       \
            c8 = c8 * a + b;                                                                       \
            c9 = c9 * a + b;                                                                       \
            c10 = c10 * a + b;                                                                     \
            c11 = c11 * a + b;                                                                     \
        }                                                                                          \
        const NAME##_vector all =                                                                  \
            ((c0 + c1) + (c2 + c3)) + ((c4 + c5) + (c6 + c7)) + ((c8 + c9) + (c10 + c11));         \
        return all[0];                                                                             \
    }

PEAK(peak_baseline, , 16)
#ifdef ORTHANT_HAVE_X86
PEAK(peak_avx2, __attribute__((target("avx2,fma"))), 32)
PEAK(peak_avx512, __attribute__((target("avx512f,fma"))), 64)
#endif

typedef struct peak_work {
    float (*loop)(float factor, float shift);
    volatile float factor, shift; /* that the compiler must not know */
    volatile float result;
} peak_work;

static void run_loop(void *user, int64_t task, int thread)
{
    peak_work *work = user;
    const float result = work->loop(work->factor, work->shift);
    (void)thread;
    if (task == 0)
        work->result = result;
}

double orthant_bench_peak(orthant_context *ctx, int rounds)
{
    if (!ctx)
        return NAN;
    peak_work work = {.loop = peak_baseline, .factor = 0.75f, .shift = 1e-3f};
    double lanes = 4, best = 0;
#ifdef ORTHANT_HAVE_X86
    if (!strcmp(orthant_cpu_kernels(), "avx512")) {
        work.loop = peak_avx512;
        lanes = 16;
    } else if (!strcmp(orthant_cpu_kernels(), "avx2")) {
        work.loop = peak_avx2;
        lanes = 8;
    }
#endif
    const int threads = parallel_threads(ctx);
    for (int round = 0; round < rounds; round++) {
        const double begin = clock_seconds();
        parallel_for(ctx, threads, run_loop, &work);
        const double rate = 2e-9 * CHAINS * lanes * STEPS * threads / (clock_seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}
