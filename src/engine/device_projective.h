/* What a device does for projective methods (src/method/grpnmf.c), H n x k:
 *
 *     H <- H .* [(2 K H + lambda A H) ./ (H H'K H + K H H'H + lambda E H)]^e,   K = X X'
 *
 * of dense, nonnegative X. It is a part of the interface of device.h, which says what all of it
 * promises. There are two H: the one that was taken last, and the one that comes next. What is told
 * of the next one is the same in all bits however it came about: by a step, scaled, or put there.
 */
#ifndef ENGINE_DEVICE_PROJECTIVE_H
#define ENGINE_DEVICE_PROJECTIVE_H

#include <stdbool.h>
#include <stdint.h>

/* The arrays are the caller's and stay as they are until close(). */
typedef struct device_projection {
    int64_t samples, features, rank; /* n, m, k */
    bool single;                     /* or double */
    const void *values;              /* X, rows of `stride` elements */
    int64_t stride;
    bool on_device; /* X is in the device's memory */
    /* A, CSR, n x n, in the problem's precision, and E's diagonal; start NULL: no graph */
    const int64_t *start;
    const int32_t *column;
    const void *weights;
    const double *degree;
    double graph_weight;  /* lambda */
    int64_t memory_limit; /* bytes of the device; 0: what is free */
} device_projection;

/* tr(H'K H), <H'K H, H'H> and tr(H'L H), L = E - A. */
typedef struct projective_sums {
    double trace, fitted, energy;
} projective_sums;

typedef struct device_projective device_projective;

typedef struct device_projections {
    /* As those of device_interface. */
    bool (*accepts)(const device_projection *problem, char *message);
    bool (*open)(int device, const device_projection *problem, device_projective **state,
                 char *message);
    void (*close)(device_projective *state);
    const char *(*message)(const device_projective *state);

    /* The next H, from rows in the host's memory, from the last one by an update, or scaled. */
    bool (*put)(device_projective *state, const void *rows, int64_t stride, projective_sums *sums);
    bool (*step)(device_projective *state, double exponent, projective_sums *sums);
    bool (*scale)(device_projective *state, double factor, projective_sums *sums);
    /* The next one is the last one. */
    bool (*take)(device_projective *state);
    /* Of the last one: its rows, and |X - H H'X|^2 entry by entry. */
    bool (*get)(device_projective *state, void *rows, int64_t stride);
    bool (*loss)(device_projective *state, double *value);
} device_projections;

#endif
