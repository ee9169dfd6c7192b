/* Weights of the entries of X: a mask, missing entries, weights of samples and of features. The
 * loss counts an entry by the product of its weights; what has none is not known, and has no part
 * in the fit. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
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

static orthant_status check_mask(const fit *f, const orthant_matrix *mask)
{
    if (mask->rows != f->samples->rows || mask->columns != f->samples->columns)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the mask is %lld x %lld, the data are %lld x %lld", (long long)mask->rows,
                    (long long)mask->columns, (long long)f->samples->rows,
                    (long long)f->samples->columns);
    return matrix_check(mask, true, "the mask", "a mask");
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

/* A copy of X with zeros for NaN, and a mask with zeros there too. */
static orthant_status fill_missing(fit *f)
{
    const orthant_matrix *X = f->samples, *given = f->model->mask;
    orthant_status status = matrix_copy(f->ctx, X, X->precision, &f->weights.samples);
    if (!status)
        status = matrix_new_dense(f->ctx, X->precision, X->rows, X->columns, &f->weights.mask);
    if (status)
        return status;
    orthant_matrix *filled = f->weights.samples, *mask = f->weights.mask;
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t j = 0; j < X->columns; j++) {
            const double weight = given ? orthant_matrix_get(given, i, j) : 1;
            const bool known = !isnan(matrix_value(filled, i * filled->stride + j));
            matrix_set_value(mask, i * mask->stride + j, known ? weight : 0);
            if (!known || weight == 0)
                matrix_set_value(filled, i * filled->stride + j, 0);
        }
    filled->summary.known = false;
    f->samples = filled;
    f->weights.entries.mask = mask;
    return ORTHANT_OK;
}

static orthant_status take_mask(fit *f)
{
    const orthant_matrix *given = f->model->mask;
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
        status = check_mask(f, model->mask);
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
    memory_free(f->ctx, f->weights.numbers);
}
