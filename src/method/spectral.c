/* Spectral clustering by the normalised cut (Shi and Malik 2000; Ng, Jordan and Weiss 2001): the k
 * leading eigenvectors of B = E^-1/2 K E^-1/2, E the degrees of the similarity K; then k-means on
 * their rows.
 *
 *   rows=unit     each row at unit length                               (Ng, Jordan and Weiss)
 *   rows=degree   each row times E^-1/2                                 (Shi and Malik)
 *
 * The eigenvalue 1 has as many eigenvectors as K has connected components, u_c = E^1/2 1_c at unit
 * length: these are written down, and the others are sought in B - 2 sum u_c u_c', where one vector
 * of Lanczos's method finds them however many components there are. With more components than k the
 * largest are taken. Samples without any similarity (E = 0) have zero rows. The objective is the
 * relaxed cut, k minus the sum of the eigenvalues. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "kernel/eigen.h"
#include "kernel/kernel.h"
#include "method/method.h"

#define ROWS_OF_A_TASK 64

const orthant_parameter_info spectral_parameters[] = {
    PARAMETER_WORD("rows", "unit", "unit|degree|none", "how rows of eigenvectors are scaled"),
    PARAMETER_WORD("similarity", "auto", "auto|gaussian|knn:P|graph",
                   "gaussian: of all pairs of samples; knn:P: the same between P nearest "
                   "neighbours alone, sparse; graph: the weights of a graph; auto: gaussian, and "
                   "knn:20 above 5,000 samples"),
    PARAMETER_WHOLE("neighbours", "0", 0, 1e9,
                    "nearest neighbours of a sample; 0: all for the similarity, 5 for a graph"),
    PARAMETER_NUMBER("scale", "1", 1e-12, 1e12,
                     "similarity: t^2 is half of this times the mean squared distance"),
    PARAMETER_WORD("weights", "binary", "binary|heat|cosine", "graph: weights of the edges"),
    PARAMETER_NUMBER("heat_width", "0", 0, 1e300,
                     "graph: width of heat weights; 0: the root of the mean squared distance"),
    PARAMETER_SEARCH,
    PARAMETER_NUMBER("eigen_tolerance", "0", 0, 1,
                     "of an eigenvalue, relative; 0: all digits, which equal eigenvalues need"),
    PARAMETER_WHOLE("eigen_restarts", "1000", 1, 1e9, "of Lanczos's method at most"),
    PARAMETER_END,
};

typedef struct spectral {
    fit *f;
    const orthant_matrix *K;
    const kernels *ops;
    int64_t n, rank;
    double *root;       /* n: E^-1/2, 0 where E is 0 */
    double *scaled;     /* n: what K is multiplied with */
    int32_t *component; /* n: where the sample belongs, -1 where E is 0 */
    int64_t components; /* with a similarity */
    double *length;     /* components: |E^1/2 1_c| */
    double *share;      /* components: <u_c, x> */
    double *values;     /* rank: eigenvalues */
    double *vectors;    /* rank x n */
    double *y;          /* of the product at hand */
} spectral;

/* ------------------------------------------------------------------ products */

static void product_task(void *user, int64_t task, int thread)
{
    const spectral *s = user;
    const int64_t first = task * ROWS_OF_A_TASK, left = s->n - first;
    const int64_t rows = left < ROWS_OF_A_TASK ? left : ROWS_OF_A_TASK;
    (void)thread;
    if (s->K->sparse)
        s->ops->sparse_vector_product(matrix_csr(s->K), first, rows, s->scaled, s->y + first);
    else
        s->ops->vector_product(array_rows(s->ops, matrix_array(s->K), first, rows), s->scaled,
                               s->y + first);
}

/* u_c of sample i */
static double unit_entry(const spectral *s, int64_t i)
{
    return 1 / (s->root[i] * s->length[s->component[i]]);
}

/* y = B x - 2 sum u_c <u_c, x> */
static void product(void *user, const double *x, double *y)
{
    spectral *s = user;
    s->y = y;
    memset(s->share, 0, (size_t)s->components * sizeof *s->share);
    for (int64_t i = 0; i < s->n; i++) {
        s->scaled[i] = s->root[i] * x[i];
        if (s->component[i] >= 0)
            s->share[s->component[i]] += unit_entry(s, i) * x[i];
    }
    parallel_for(s->f->ctx, (s->n + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK, product_task, s);
    for (int64_t i = 0; i < s->n; i++)
        y[i] = s->component[i] < 0
                   ? 0
                   : s->root[i] * y[i] - 2 * unit_entry(s, i) * s->share[s->component[i]];
}

/* ------------------------------------------------------------------ degrees and components */

static void find_degrees(spectral *s)
{
    const orthant_matrix *K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t first = K->sparse ? K->row_start[i] : i * K->stride,
                      end = K->sparse ? K->row_start[i + 1] : first + K->columns;
        double degree = 0;
        for (int64_t e = first; e < end; e++)
            degree += matrix_value(K, e);
        s->root[i] = degree > 0 ? 1 / sqrt(degree) : 0;
        s->component[i] = -1;
    }
}

/* Everything that can be reached from `root`; `stack` is scratch for all samples. */
static void flood(spectral *s, int64_t root, int32_t *stack)
{
    const orthant_matrix *K = s->K;
    int64_t height = 0;
    s->component[root] = (int32_t)s->components;
    stack[height++] = (int32_t)root;
    while (height > 0) {
        const int64_t i = stack[--height];
        const int64_t first = K->sparse ? K->row_start[i] : i * K->stride,
                      end = K->sparse ? K->row_start[i + 1] : first + K->columns;
        for (int64_t e = first; e < end; e++) {
            const int64_t j = K->sparse ? K->column[e] : e - first;
            if (s->component[j] < 0 && matrix_value(K, e) > 0) {
                s->component[j] = (int32_t)s->components;
                stack[height++] = (int32_t)j;
            }
        }
    }
}

static orthant_status find_components(spectral *s)
{
    orthant_context *ctx = s->f->ctx;
    int32_t *stack = memory_new(ctx, s->n, sizeof *stack, "components");
    if (!stack)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n; i++)
        if (s->root[i] > 0 && s->component[i] < 0) {
            flood(s, i, stack);
            s->components++;
        }
    memory_free(ctx, stack);
    s->length = memory_new(ctx, s->components, sizeof *s->length, "components");
    s->share = memory_new(ctx, s->components, sizeof *s->share, "components");
    if (!s->length || !s->share)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n; i++)
        if (s->component[i] >= 0)
            s->length[s->component[i]] += 1 / (s->root[i] * s->root[i]);
    for (int64_t c = 0; c < s->components; c++)
        s->length[c] = sqrt(s->length[c]);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ eigenvectors */

/* The u_c of the components with the largest degree, the first of equals first. */
static void write_unit_vectors(spectral *s, int64_t count)
{
    for (int64_t v = 0; v < count; v++) {
        int64_t best = 0;
        for (int64_t c = 1; c < s->components; c++)
            if (s->length[c] > s->length[best])
                best = c;
        for (int64_t i = 0; i < s->n; i++)
            if (s->component[i] == best)
                s->vectors[v * s->n + i] = unit_entry(s, i);
        s->values[v] = 1;
        s->length[best] = -1; /* taken */
    }
}

/* Of v and -v the one whose largest entry is positive. */
static void choose_sign(double *vector, int64_t n)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[largest]))
            largest = i;
    const double sign = vector[largest] < 0 ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        vector[i] *= sign;
}

static orthant_status find_vectors(spectral *s)
{
    const parameter_set *set = &s->f->model->parameters;
    const int64_t known = s->components < s->rank ? s->components : s->rank;
    eigen_problem search = {.ctx = s->f->ctx,
                            .n = s->n,
                            .wanted = s->rank - known,
                            .product = product,
                            .user = s,
                            .seed = (uint64_t)parameter_whole(set, "seed"),
                            .tolerance = parameter_number(set, "eigen_tolerance"),
                            .restarts = parameter_whole(set, "eigen_restarts")};
    orthant_status status = ORTHANT_OK;
    if (search.wanted > 0)
        status = eigen_leading(&search, s->values + known, s->vectors + known * s->n);
    s->f->result->history.iterations = search.taken;
    for (int64_t v = known; v < s->rank && !status; v++)
        choose_sign(s->vectors + v * s->n, s->n);
    if (!status && s->components > 1)
        status =
            fit_note(s->f, "the similarity falls into %lld parts that are not connected%s",
                     (long long)s->components,
                     s->components > s->rank ? ": the largest are told apart, the others not" : "");
    write_unit_vectors(s, known);
    return status;
}

/* ------------------------------------------------------------------ the result */

static void write_rows(const spectral *s, const char *rows, orthant_matrix *encoding)
{
    for (int64_t i = 0; i < s->n; i++) {
        double square = 0;
        for (int64_t v = 0; v < s->rank; v++)
            square += pow(s->vectors[v * s->n + i], 2);
        const double scale = !strcmp(rows, "degree")                 ? s->root[i]
                             : strcmp(rows, "unit") || !(square > 0) ? 1
                                                                     : 1 / sqrt(square);
        for (int64_t v = 0; v < s->rank; v++)
            matrix_set_value(encoding, i * encoding->stride + v, scale * s->vectors[v * s->n + i]);
    }
}

static orthant_status take_result(spectral *s, double begin)
{
    fit *f = s->f;
    orthant_matrix *encoding = NULL, *eigenvalues = NULL;
    double values[2] = {(double)s->rank, 0};
    orthant_status status;
    if ((status = fit_new_factor(f, "encoding", s->n, s->rank, &encoding)) ||
        (status = fit_new_factor(f, "eigenvalues", s->rank, 1, &eigenvalues)))
        return status;
    write_rows(s, parameter_text(&f->model->parameters, "rows"), encoding);
    for (int64_t v = 0; v < s->rank; v++) {
        matrix_set_value(eigenvalues, v * eigenvalues->stride, s->values[v]);
        values[0] -= s->values[v];
    }
    values[1] = values[0];
    history_begin(&f->result->history);
    f->result->history.converged = true;
    f->result->history.seconds = clock_seconds() - begin;
    return history_add(&f->result->history, 0, f->result->history.seconds, values);
}

static orthant_status setup(spectral *s)
{
    orthant_context *ctx = s->f->ctx;
    s->root = memory_new(ctx, s->n, sizeof *s->root, "degrees");
    s->scaled = memory_new(ctx, s->n, sizeof *s->scaled, "a vector");
    s->component = memory_new(ctx, s->n, sizeof *s->component, "components");
    s->values = memory_new(ctx, s->rank, sizeof *s->values, "eigenvalues");
    s->vectors = memory_new(ctx, s->rank * s->n, sizeof *s->vectors, "eigenvectors");
    return s->root && s->scaled && s->component && s->values && s->vectors ? ORTHANT_OK
                                                                           : ORTHANT_ERROR_MEMORY;
}

orthant_status spectral_run(fit *f)
{
    const double begin = clock_seconds();
    spectral s = {.f = f,
                  .K = f->similarity,
                  .ops = kernel_table(f->similarity->precision),
                  .n = f->samples->rows,
                  .rank = f->model->rank};
    if (f->model->start_count)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT, "method 'spectral' takes no start");
    orthant_status status = setup(&s);
    if (!status) {
        find_degrees(&s);
        status = find_components(&s);
    }
    if (!status)
        status = find_vectors(&s);
    if (!status)
        status = take_result(&s, begin);
    void *held[] = {s.root, s.scaled, s.component, s.length, s.share, s.values, s.vectors};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memory_free(f->ctx, held[i]);
    return status;
}
