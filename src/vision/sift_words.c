/* k-means on a sample of the descriptors, then counts of the nearest words. */
#include "vision/sift_words.h"

#include <inttypes.h>
#include <math.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "kernel/kernel.h"
#include "vision/sift.h"

#define DESCRIPTORS_OF_A_WORD 100 /* that the vocabulary is learnt from */
#define DESCRIPTORS_AT_LEAST 10   /* for a word, where there are fewer descriptors than words */
#define MOST_ITERATIONS 50
#define BLOCK 256 /* descriptors of a task */

/* `wanted` of `count` numbers in their order, each set of them as likely as any other. */
static void draw_sorted(uint64_t seed, uint64_t row, int64_t count, int64_t wanted, int64_t *drawn)
{
    int64_t taken = 0;
    for (int64_t i = 0; i < count && taken < wanted; i++)
        if (random_uniform(seed, RANDOM_VOCABULARY, row, (uint64_t)i) * (double)(count - i) <
            (double)(wanted - taken))
            drawn[taken++] = i;
}

static void copy_descriptor(const sift_set *set, int64_t index, float *values)
{
    for (int j = 0; j < SIFT_LENGTH; j++)
        values[j] = set->values[index * SIFT_LENGTH + j];
}

/* ---- the vocabulary ---- */

/* Descriptors drawn from all, and `words` of these as the first centres. */
static orthant_status draw_descriptors(const sift_set *set, int64_t words, uint64_t seed,
                                       orthant_matrix **sample, double **centres)
{
    orthant_context *ctx = set->ctx;
    const int64_t total = set->start[set->pictures];
    const int64_t wanted =
        total / DESCRIPTORS_OF_A_WORD > words ? DESCRIPTORS_OF_A_WORD * words : total;
    int64_t *drawn = memory_new(ctx, wanted, sizeof *drawn, "a sample of descriptors");
    *centres = memory_new(ctx, words * SIFT_LENGTH, sizeof **centres, "a vocabulary");
    orthant_status status = drawn && *centres
                                ? matrix_new_dense(ctx, ORTHANT_SINGLE, wanted, SIFT_LENGTH, sample)
                                : ORTHANT_ERROR_MEMORY;
    if (!status) {
        draw_sorted(seed, 0, total, wanted, drawn);
        for (int64_t i = 0; i < wanted; i++)
            copy_descriptor(set, drawn[i], (float *)(*sample)->values + i * (*sample)->stride);
        draw_sorted(seed, 1, wanted, words, drawn);
        for (int64_t w = 0; w < words; w++)
            matrix_copy_row(*sample, drawn[w], *centres + w * SIFT_LENGTH);
    }
    memory_free(ctx, drawn);
    return status;
}

static orthant_status learn_words(const sift_set *set, int64_t words, uint64_t seed,
                                  kmeans_outcome *vocabulary)
{
    orthant_matrix *sample = NULL;
    double *centres = NULL;
    orthant_status status = draw_descriptors(set, words, seed, &sample, &centres);
    if (!status)
        status = kmeans_run(set->ctx, sample, words, 1, MOST_ITERATIONS, seed, centres, vocabulary);
    if (!status && vocabulary->stopped)
        status = fail(set->ctx, ORTHANT_STOPPED, "stopped while making the vocabulary");
    memory_free(set->ctx, centres);
    orthant_matrix_free(sample);
    return status;
}

/* ---- each descriptor to its word ---- */

typedef struct assignment {
    const sift_set *set;
    const kernels *ops;
    orthant_matrix *words;    /* SIFT_LENGTH x words: the centres as columns */
    const double *half;       /* |c|^2 / 2 */
    orthant_matrix *blocks;   /* threads x BLOCK descriptors */
    orthant_matrix *products; /* threads x BLOCK rows of <x, c> */
    int64_t total;
    int32_t *word_of;
} assignment;

static array rows_of_thread(const kernels *ops, const orthant_matrix *matrix, int thread,
                            int64_t count)
{
    return array_rows(ops, matrix_array(matrix), (int64_t)thread * BLOCK, count);
}

/* The nearest centre has the largest <x, c> - |c|^2 / 2; ties to the lower one. */
static void assign_block(void *user, int64_t block, int thread)
{
    const assignment *a = user;
    const int64_t first = block * BLOCK;
    const int64_t count = a->total - first < BLOCK ? a->total - first : BLOCK;
    const array x = rows_of_thread(a->ops, a->blocks, thread, count);
    const array dots = rows_of_thread(a->ops, a->products, thread, count);
    for (int64_t i = 0; i < count; i++)
        copy_descriptor(a->set, first + i, (float *)x.data + i * x.stride);
    a->ops->product(dots, x, matrix_array(a->words), false);
    for (int64_t i = 0; i < count; i++) {
        const float *row = (const float *)dots.data + i * dots.stride;
        double best = -INFINITY;
        for (int64_t w = 0; w < a->words->columns; w++)
            if (row[w] - a->half[w] > best) {
                best = row[w] - a->half[w];
                a->word_of[first + i] = (int32_t)w;
            }
    }
}

static void lay_words(const double *centres, orthant_matrix *words, double *half)
{
    for (int64_t w = 0; w < words->columns; w++) {
        half[w] = 0;
        for (int64_t j = 0; j < SIFT_LENGTH; j++) {
            const double value = centres[w * SIFT_LENGTH + j];
            half[w] += value * value / 2;
            matrix_set_value(words, j * words->stride + w, value);
        }
    }
}

static orthant_status assign_words(const sift_set *set, const double *centres, int64_t words,
                                   int32_t *word_of)
{
    orthant_context *ctx = set->ctx;
    const int64_t rows = (int64_t)parallel_threads(ctx) * BLOCK;
    assignment a = {.set = set,
                    .ops = kernel_table(ORTHANT_SINGLE),
                    .total = set->start[set->pictures],
                    .word_of = word_of};
    double *half = memory_new(ctx, words, sizeof *half, "a vocabulary");
    orthant_status status = half ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = matrix_new_factor(ctx, ORTHANT_SINGLE, SIFT_LENGTH, words, &a.words);
    if (!status)
        status = matrix_new_dense(ctx, ORTHANT_SINGLE, rows, SIFT_LENGTH, &a.blocks);
    if (!status)
        status = matrix_new_factor(ctx, ORTHANT_SINGLE, rows, words, &a.products);
    if (!status) {
        lay_words(centres, a.words, half);
        a.half = half;
        parallel_for(ctx, (a.total + BLOCK - 1) / BLOCK, assign_block, &a);
    }
    memory_free(ctx, half);
    orthant_matrix_free(a.words);
    orthant_matrix_free(a.blocks);
    orthant_matrix_free(a.products);
    return status;
}

/* ---- histograms ---- */

static orthant_status count_words(const sift_set *set, const double *centres, int64_t words,
                                  orthant_matrix **histograms)
{
    orthant_context *ctx = set->ctx;
    int32_t *word_of =
        memory_new(ctx, set->start[set->pictures], sizeof *word_of, "words of descriptors");
    orthant_status status = word_of ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = assign_words(set, centres, words, word_of);
    if (!status)
        status = matrix_new_dense(ctx, ctx->precision, set->pictures, words, histograms);
    for (int64_t i = 0; i < set->pictures && !status; i++)
        for (int64_t d = set->start[i]; d < set->start[i + 1]; d++) {
            const int64_t place = i * (*histograms)->stride + word_of[d];
            matrix_set_value(*histograms, place, matrix_value(*histograms, place) + 1);
        }
    memory_free(ctx, word_of);
    return status;
}

orthant_status sift_words(const picture_list *list, int64_t words, uint64_t seed,
                          orthant_matrix **histograms)
{
    orthant_context *ctx = list->ctx;
    sift_set set;
    kmeans_outcome vocabulary = {0};
    *histograms = NULL;
    orthant_status status = sift_extract(list, &set);
    if (status)
        return status;
    const int64_t total = set.start[set.pictures];
    /* A vocabulary that has a word for every descriptor tells nothing. */
    if (words > total && total >= DESCRIPTORS_AT_LEAST) {
        log_note(ctx,
                 "%" PRId64 " words of %" PRId64 " SIFT descriptors in %" PRId64
                 " pictures: %" PRId64 " words are taken",
                 words, total, set.pictures, total / DESCRIPTORS_AT_LEAST);
        words = total / DESCRIPTORS_AT_LEAST;
    }
    if (words < 1 || words > total)
        status = fail(ctx, ORTHANT_ERROR_DATA,
                      "%" PRId64 " words of %" PRId64 " SIFT descriptors in %" PRId64
                      " pictures: a word needs at least one. Take fewer words or more pictures",
                      words, total, set.pictures);
    if (!status)
        status = learn_words(&set, words, seed, &vocabulary);
    if (!status)
        status = count_words(&set, vocabulary.centres, words, histograms);
    kmeans_free(ctx, &vocabulary);
    sift_free(&set);
    return status;
}
