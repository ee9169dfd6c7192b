/* Writes a .npy file of n x m samples that a rank of some tens fits well, without holding it:
 *     samples FILE N M
 * for bench/stream.py. Without arguments, as `make bench` calls it, there is nothing to do.
 * Sums of 12 of 40 random parts with random weights, and noise; the same for the same N and M. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 40
#define ACTIVE 12

static uint64_t state = 1;

/* xorshift64*: on (0, 1) */
static float uniform(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (float)(state * 2685821657736338717u >> 40) / 16777216.0f;
}

static void write_header(FILE *file, long long n, long long m)
{
    char header[128];
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int used =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", n, m);
    memset(header + 10 + used, ' ', (size_t)(sizeof header - 10 - (size_t)used));
    header[sizeof header - 1] = '\n';
    fwrite(header, 1, sizeof header, file);
}

static void make_sample(const float *parts, float *sample, long long m)
{
    for (long long j = 0; j < m; j++)
        sample[j] = 0.05f * uniform();
    for (int a = 0; a < ACTIVE; a++) {
        const float *part = parts + (long long)(uniform() * PARTS) * m;
        const float weight = uniform();
        for (long long j = 0; j < m; j++)
            sample[j] += weight * part[j];
    }
}

int main(int count, char **words)
{
    const long long n = count == 4 ? atoll(words[2]) : 0, m = count == 4 ? atoll(words[3]) : 0;
    if (n < 1 || m < 1) {
        fprintf(stderr, "usage: samples FILE N M\n");
        return count == 1 ? 0 : 2;
    }
    FILE *file = fopen(words[1], "wb");
    float *parts = malloc((size_t)(PARTS + 1) * (size_t)m * sizeof *parts);
    if (!file || !parts) {
        perror(words[1]);
        return 1;
    }
    float *sample = parts + PARTS * m;
    for (long long e = 0; e < PARTS * m; e++)
        parts[e] = uniform() < 0.8f ? 0 : uniform();
    write_header(file, n, m);
    for (long long i = 0; i < n; i++) {
        make_sample(parts, sample, m);
        fwrite(sample, sizeof *sample, (size_t)m, file);
    }
    free(parts);
    if (fclose(file)) {
        perror(words[1]);
        return 1;
    }
    return 0;
}
