/* How many entries of X a mask or missing values leave out of a fit, and the samples and features
 * of which nothing is left. */
#include <stdio.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/matrix.h"
#include "method/fit.h"

typedef struct known_count {
    const fit *f;
    uint8_t *features; /* m: 1 where the feature has a known entry */
    int64_t entries, samples;
} known_count;

static void see(known_count *k, int64_t feature, bool *sample)
{
    k->features[feature] = 1;
    k->entries++;
    *sample = true;
}

static void count_dense(known_count *k, int64_t i)
{
    const entry_weights *w = &k->f->weights.entries;
    bool sample = false;
    for (int64_t j = 0; j < k->f->samples->columns; j++)
        if (w->known ? w->known[i * w->known_stride + j / 8] >> j % 8 & 1
                     : matrix_value(w->mask, i * w->mask->stride + j) != 0)
            see(k, j, &sample);
    k->samples += sample;
}

static void count_stored(known_count *k, const orthant_matrix *of, int64_t i, bool zeros_count)
{
    bool sample = false;
    for (int64_t e = of->row_start[i]; e < of->row_start[i + 1]; e++)
        if (zeros_count || matrix_value(of, e) != 0)
            see(k, of->column[e], &sample);
    k->samples += sample;
}

orthant_status fit_count_known(fit *f)
{
    const orthant_matrix *X = f->samples;
    const entry_weights *w = &f->weights.entries;
    known_count k = {.f = f};
    f->weights.missing = f->weights.empty_samples = f->weights.empty_features = 0;
    if (!w->known && !w->mask && !w->missing_zeros)
        return ORTHANT_OK;
    if (w->missing_zeros && X->file) { /* what is stored where is not known before it is read */
        f->weights.missing = X->rows * X->columns - orthant_matrix_nonzeros(X);
        return ORTHANT_OK;
    }
    if (!(k.features = memory_new(f->ctx, X->columns, 1, "features with known entries")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < X->rows; i++)
        if (w->missing_zeros)
            count_stored(&k, X, i, true);
        else if (!w->known && w->mask->sparse)
            count_stored(&k, w->mask, i, false);
        else
            count_dense(&k, i);
    f->weights.missing = X->rows * X->columns - k.entries;
    f->weights.empty_samples = X->rows - k.samples;
    for (int64_t j = 0; j < X->columns; j++)
        f->weights.empty_features += !k.features[j];
    memory_free(f->ctx, k.features);
    if (!k.entries)
        return fail(f->ctx, ORTHANT_ERROR_DATA,
                    "every entry of the data is missing: there is nothing to fit");
    return ORTHANT_OK;
}

orthant_status fit_tell_unknown(fit *f)
{
    const int64_t samples = f->weights.empty_samples, features = f->weights.empty_features;
    char parts[128] = "";
    f->result->missing = f->weights.given ? f->weights.missing : -1;
    if (samples)
        snprintf(parts, sizeof parts, "%lld of %lld samples", (long long)samples,
                 (long long)f->samples->rows);
    if (features)
        text_append(parts, sizeof parts, "%s%lld of %lld features", samples ? " and " : "",
                    (long long)features, (long long)f->samples->columns);
    return *parts ? fit_note(f,
                             "%s have no known entry: nothing is known of what their rows of the "
                             "factors should be, and completed entries of theirs say nothing",
                             parts)
                  : ORTHANT_OK;
}
