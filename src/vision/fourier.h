/* Discrete Fourier transforms of planes of complex numbers, in single precision:
 *
 *     forward   Y(u, v) = sum over r, c of y(r, c) exp(-2 pi i (r u / height + c v / width)),
 *
 * and the inverse with +i; neither is scaled. Real and imaginary parts are planes of their own. */
#ifndef VISION_FOURIER_H
#define VISION_FOURIER_H

#include "core/context.h"

#define FOURIER_FACTORS 32

/* One axis: its length as a product of 2, 3, 4 and 5, and the roots of unity of every pass. */
typedef struct fourier_axis {
    int length, count;
    int factor[FOURIER_FACTORS];
    float *root; /* cosine, -sine of 2 pi t / length for t = 0 .. length - 1 */
} fourier_axis;

typedef struct fourier {
    orthant_context *ctx;
    fourier_axis rows, columns; /* along a column, `height`; along a row, `width` */
} fourier;

typedef struct complex_plane {
    float *real, *imaginary; /* height x width each */
} complex_plane;

/* The smallest length from `least` on that has no prime factor above 5: the lengths below. */
int fourier_length(int least);

orthant_status fourier_make(orthant_context *ctx, int height, int width, fourier *made);
void fourier_free(fourier *of);

/* Floats that a transform takes as scratch; several may run at once, each with its own. */
int64_t fourier_scratch(const fourier *of);
void fourier_forward(const fourier *of, complex_plane plane, float *scratch);
/* Of the first `rows` rows alone; what comes out in the others is left open. */
void fourier_inverse(const fourier *of, complex_plane plane, int rows, float *scratch);

#endif
