/* What a device does for methods that know their samples through K V alone, K the symmetric matrix
 * of their similarities or inner products and V a factor (src/method/kernel_device.h). It keeps K,
 * or X where K = X X', and factors and products, n x k, which are called by number; k x k matrices
 * are the host's. It is a part of the interface of device.h, which says what all of it promises. */
#ifndef ENGINE_DEVICE_PRODUCTS_H
#define ENGINE_DEVICE_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

/* The arrays are the caller's and stay as they are until close(). */
typedef struct device_kernel {
    int64_t samples, features; /* n x n, or X's n x m */
    int64_t columns;           /* of V */
    bool single;               /* or double */
    bool rounds_products;      /* factors of products may be rounded to TF32 */
    bool is_gram;              /* the arrays are X and K = X X'; otherwise they are K */
    bool splits;               /* K+ V and K- V may be asked for, K = K+ - K- */
    /* dense rows of `stride` elements, or, where `start` is there, CSR */
    const void *values;
    int64_t stride;
    const int64_t *start;
    const int32_t *column;
    bool on_device;       /* the values are in the device's memory */
    int64_t memory_limit; /* bytes of the device; 0: what is free */
} device_kernel;

typedef struct device_multiplier device_multiplier;

typedef struct device_products {
    /* As those of device_interface. */
    bool (*accepts)(const device_kernel *kernel, char *message);
    bool (*open)(int device, const device_kernel *kernel, device_multiplier **state, char *message);
    void (*close)(device_multiplier *state);
    const char *(*message)(const device_multiplier *state);

    /* A new array of zeros, n x columns; they are numbered from 0. */
    bool (*make)(device_multiplier *state, int *array);
    /* Rows of `stride` elements in the host's memory. */
    bool (*put)(device_multiplier *state, int array, const void *rows, int64_t stride);
    bool (*get)(device_multiplier *state, int array, void *rows, int64_t stride);

    /* plus = K V; or, where `minus` is not negative, plus = K+ V and minus = K- V. */
    bool (*multiply)(device_multiplier *state, int v, int plus, int minus);
    /* A'B and <A, B> */
    bool (*gram)(device_multiplier *state, int a, int b, double *small);
    bool (*dot)(device_multiplier *state, int a, int b, double *value);
    /* C (+)= A small */
    bool (*product)(device_multiplier *state, int c, int a, const double *small, bool adds);
    /* to .* r^exponent, or, where `damps`, to .* (1 + r) / 2, with r = (U left) ./ (V right);
     * `left` NULL stands for the identity. `to` may be U or V. */
    bool (*update)(device_multiplier *state, int to, int u, const double *left, int v,
                   const double *right, double exponent, bool damps);
    /* Sums of the columns, or of their squares; columns times numbers. */
    bool (*columns)(device_multiplier *state, int a, bool squares, double *sums);
    bool (*scale)(device_multiplier *state, int a, const double *scales);
    /* to = max(from - length slope, 0) */
    bool (*step)(device_multiplier *state, int to, int from, int slope, double length);
} device_products;

#endif
