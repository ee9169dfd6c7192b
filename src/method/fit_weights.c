/* Weights of the entries of X: a mask, missing entries, weights of samples and of features. The
 * loss counts an entry by the product of its weights; what has none is not known, and has no part
 * in the fit. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "method/method.h"

/* ------------------------------------------------------------------ what a model is given */

static orthant_status set_matrix(orthant_model *model, const char *who, const orthant_matrix **to,
                                 const orthant_matrix *given)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, who);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(given, who);
    if (!here)
        *to = given;
    return here;
}

orthant_status orthant_model_set_mask(orthant_model *model, const orthant_matrix *mask)
{
    return set_matrix(model, __func__, model ? &model->mask : NULL, mask);
}

orthant_status orthant_model_set_sample_weights(orthant_model *model, const orthant_matrix *weights)
{
    return set_matrix(model, __func__, model ? &model->sample_weights : NULL, weights);
}

orthant_status orthant_model_set_feature_weights(orthant_model *model,
                                                 const orthant_matrix *weights)
{
    return set_matrix(model, __func__, model ? &model->feature_weights : NULL, weights);
}

/* ------------------------------------------------------------------ refusals */

static orthant_status check_takes(const fit *f)
{
    const method_row *method = f->model->method;
    if (method->run != factor_run)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' takes no mask, no weights and no missing entries; models of a "
                    "loss and terms do: nmf, nmf-kl, gnmf, ...",
                    method->name);
    if (f->samples->part.total)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "samples that processes share take no mask, no weights and no missing entries");
    if (f->ctx->device)
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a mask, weights and missing entries do not run on the device '%s'; such a fit "
                    "runs on the CPU",
                    f->ctx->device_name);
    return ORTHANT_OK;
}

static orthant_status check_missing(const fit *f, const char *missing)
{
    if (!strcmp(missing, "zeros") && !f->samples->sparse)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "missing = 'zeros' is for sparse data: of dense ones give a mask");
    if (!strcmp(missing, "zeros") && f->model->mask)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "missing = 'zeros' and a mask both say which entries count: give one");
    if (!strcmp(missing, "nan") && f->samples->sparse)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "missing = 'nan' is for dense data; of sparse ones missing = 'zeros' counts "
                    "what is stored alone");
    return !strcmp(missing, "nan") ? matrix_check_here(f->samples, "missing = 'nan'") : ORTHANT_OK;
}

/* ------------------------------------------------------------------ what a fit takes */

/* A row or a column of `count` weights. */
static orthant_status take_weights(const fit *f, const orthant_matrix *given, const char *of,
                                   int64_t count, double *to)
{
    if (given->rows * given->columns != count || (given->rows > 1 && given->columns > 1))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "there are %lld x %lld weights of %lld %s: expected a row or a column",
                    (long long)given->rows, (long long)given->columns, (long long)count, of);
    const orthant_status status = matrix_check(given, true, "the weights", of);
    for (int64_t i = 0; i < count && !status; i++)
        to[i] =
            given->columns == 1 ? orthant_matrix_get(given, i, 0) : orthant_matrix_get(given, 0, i);
    if (!status && !(matrix_sum(given) > 0))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the weights of all %s are 0: nothing would count", of);
    return status;
}

static orthant_status take_vectors(fit *f)
{
    const orthant_model *model = f->model;
    const int64_t n = f->samples->rows, m = f->samples->columns;
    orthant_status status = ORTHANT_OK;
    if (!model->sample_weights && !model->feature_weights)
        return ORTHANT_OK;
    double *numbers = f->weights.numbers =
        memory_new(f->ctx, n + m, sizeof *numbers, "weights of samples and features");
    if (!numbers)
        return ORTHANT_ERROR_MEMORY;
    if (model->sample_weights) {
        status = take_weights(f, model->sample_weights, "samples", n, numbers);
        f->weights.entries.samples = numbers;
    }
    if (!status && model->feature_weights) {
        status = take_weights(f, model->feature_weights, "features", m, numbers + n);
        f->weights.entries.features = numbers + n;
    }
    return status;
}

/* What tasks make for the rows of a block each. */
typedef struct taking {
    const orthant_matrix *mask; /* given, or NULL */
    orthant_matrix *filled;     /* a copy of X, zeros in place of what is not known; or NULL */
    uint8_t *known;             /* where all weights are 0 or 1; or NULL: ... */
    orthant_matrix *weights;    /* ... these */
    int64_t rows, columns, stride;
    bool others; /* there are weights beside 0 and 1: set by any thread */
} taking;

#define ROWS_OF_A_TASK 64

static void take_row(taking *t, int64_t i)
{
    for (int64_t j = 0; j < t->columns; j++) {
        const bool missing = t->filled && isnan(matrix_value(t->filled, i * t->filled->stride + j));
        const double weight = missing ? 0 : t->mask ? orthant_matrix_get(t->mask, i, j) : 1;
        if (t->known && weight == 1)
            t->known[i * t->stride + j / 8] |= (uint8_t)(1 << j % 8);
        if (t->weights)
            matrix_set_value(t->weights, i * t->weights->stride + j, weight);
        if (t->filled && weight == 0)
            matrix_set_value(t->filled, i * t->filled->stride + j, 0);
    }
}

static void take_rows(void *user, int64_t task, int thread)
{
    taking *t = user;
    (void)thread;
    for (int64_t i = task * ROWS_OF_A_TASK; i < smaller((task + 1) * ROWS_OF_A_TASK, t->rows); i++)
        take_row(t, i);
}

static void look_for_others(void *user, int64_t task, int thread)
{
    taking *t = user;
    bool found = false;
    (void)thread;
    for (int64_t i = task * ROWS_OF_A_TASK; i < smaller((task + 1) * ROWS_OF_A_TASK, t->rows); i++)
        for (int64_t j = 0; j < t->columns; j++) {
            const double weight = matrix_value(t->mask, i * t->mask->stride + j);
            found |= weight != 0 && weight != 1;
        }
    if (found)
        __atomic_store_n(&t->others, true, __ATOMIC_RELAXED);
}

/* Whether the mask says no more than which entries are known. A sparse one stays as it is, since
 * bits are kept of every entry, and so does that of a sparse X, whose panels do not begin at whole
 * bytes. */
static bool mask_is_bits(fit *f, taking *t)
{
    if (f->samples->sparse)
        return false;
    if (!t->mask || t->mask->sparse)
        return !t->mask;
    parallel_for(f->ctx, pieces(t->rows, ROWS_OF_A_TASK), look_for_others, t);
    return !t->others;
}

/* A bit for each entry; rows of whole words, and so can be read by vectors. */
static orthant_status new_bits(fit *f, taking *t)
{
    t->stride = pieces(t->columns, 64) * 8;
    t->known = f->weights.known = memory_new(f->ctx, t->rows, (size_t)t->stride, "known entries");
    f->weights.entries.known = t->known;
    f->weights.entries.known_stride = t->stride;
    return t->known ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* A copy of X with zeros for NaN, and a mask with zeros there too. */
static orthant_status fill_missing(fit *f)
{
    const orthant_matrix *X = f->samples;
    taking t = {.mask = f->model->mask, .rows = X->rows, .columns = X->columns};
    const bool bits = mask_is_bits(f, &t);
    orthant_status status = matrix_copy(f->ctx, X, X->precision, &f->weights.samples);
    if (!status && bits)
        status = new_bits(f, &t);
    else if (!status)
        status = matrix_new_dense(f->ctx, X->precision, X->rows, X->columns, &f->weights.mask);
    if (status)
        return status;
    t.filled = f->weights.samples;
    t.weights = f->weights.mask;
    parallel_for(f->ctx, pieces(t.rows, ROWS_OF_A_TASK), take_rows, &t);
    t.filled->summary.known = false;
    t.filled->origin = X->origin;
    f->samples = t.filled;
    f->weights.entries.mask = f->weights.mask;
    return ORTHANT_OK;
}

static orthant_status take_mask(fit *f)
{
    const orthant_matrix *given = f->model->mask;
    taking t = {.mask = given, .rows = f->samples->rows, .columns = f->samples->columns};
    if (given && mask_is_bits(f, &t)) {
        const orthant_status made = new_bits(f, &t);
        if (!made)
            parallel_for(f->ctx, pieces(t.rows, ROWS_OF_A_TASK), take_rows, &t);
        return made;
    }
    f->weights.entries.mask = given;
    if (!given || given->precision == f->samples->precision)
        return ORTHANT_OK;
    const orthant_status status =
        matrix_copy(f->ctx, given, f->samples->precision, &f->weights.mask);
    f->weights.entries.mask = f->weights.mask;
    return status;
}

orthant_status fit_weigh(fit *f)
{
    const orthant_model *model = f->model;
    const char *missing = parameter_text(&model->parameters, "missing");
    const bool nan = !strcmp(missing, "nan"), zeros = !strcmp(missing, "zeros");
    f->weights.given =
        nan || zeros || model->mask || model->sample_weights || model->feature_weights;
    if (!f->weights.given)
        return ORTHANT_OK;
    orthant_status status = check_takes(f);
    if (!status)
        status = check_missing(f, missing);
    if (!status && model->mask)
        status = matrix_check_mask(f->samples, model->mask);
    if (!status)
        status = nan ? fill_missing(f) : take_mask(f);
    if (!status)
        status = take_vectors(f);
    f->weights.entries.missing_zeros = zeros;
    return status;
}

void fit_weights_release(fit *f)
{
    orthant_matrix_free(f->weights.samples);
    orthant_matrix_free(f->weights.mask);
    memory_free(f->ctx, f->weights.known);
    memory_free(f->ctx, f->weights.numbers);
}
