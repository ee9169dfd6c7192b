/* Encodings of new samples under a basis that stays as it is. Each sample goes to its own
 * stationarity, by itself: its code has the same bits alone and in any batch. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/row_file.h"
#include "engine/strips.h"
#include "loss/losses.h"
#include "method/code.h"
#include "method/transform.h"
#include "orthant/fit.h"

#define BLOCK 32        /* samples of a task */
#define PIECE 1024      /* features */
#define FIRST_PASSES 12 /* over the coordinates of a block of samples together (Frobenius) */
#define FIRST_PASSES_KL 8
#define SHARE_OF_SAMPLES 16   /* of the bytes of a fit's samples, that all scratch takes, ... */
#define LEAST_SHARE (4 << 20) /* ... or so many bytes */

/* What a thread needs for a sample, or a block of them. */
typedef struct scratch {
    double *solver; /* code_numbers() */
    int64_t *free;  /* rank */
    double *codes;  /* Frobenius: of a block, and its cross products W'x */
    void *descent;
    double *x;       /* KL: four arrays of entries of a sample, ... */
    double *tile;    /* ... the features of W where they are, transposed, ... */
    int32_t *listed; /* ... and which these are */
} scratch;

typedef struct transform {
    orthant_context *ctx;
    const orthant_matrix *samples;
    const kernels *ops;
    const code_loss *loss;
    const code_labels *labels; /* NULL: every sample is encoded, as it is */
    strips strips;
    int64_t n, m, rank, iterations;
    int64_t features; /* m, and of the classes */
    double tolerance;
    orthant_matrix *W;    /* KL: m x rank in double, columns of unit sum */
    double *columns;      /* Frobenius: rank x features, W', of unit length */
    double *length;       /* rank: what they were divided by; 0: a column of zeros */
    orthant_matrix *gram; /* Frobenius: rank x rank, W'W */
    double *sums;         /* KL: of W's columns: 1, or 0 for one of zeros */
    bool *used;           /* KL: m, features that some part has */
    int64_t longest;      /* KL: entries of a sample, at most; in whole vectors */
    scratch *scratch;     /* a thread each */
    int64_t *missed;      /* a thread each: samples that did not get to the tolerance, ... */
    int64_t *lost;        /* ... and those whose code is too large for the precision */
    orthant_matrix *encoding;
    int64_t done; /* samples */
    double begin; /* seconds */
    bool stopped;
} transform;

/* ------------------------------------------------------------------ setup */

/* As semi-nmf gives it: then the samples may have any signs too. */
static bool has_negative(const orthant_matrix *basis)
{
    for (int64_t j = 0; j < basis->rows; j++)
        for (int64_t r = 0; r < basis->columns; r++)
            if (orthant_matrix_get(basis, j, r) < 0)
                return true;
    return false;
}

orthant_status transform_check(orthant_context *ctx, const orthant_matrix *basis, const char *name,
                               const orthant_matrix *samples)
{
    if (basis->sparse || basis->rows != samples->columns)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "the basis is for %lld features, the samples have %lld", (long long)basis->rows,
                    (long long)samples->columns);
    const orthant_status here = matrix_check_here(basis, "a basis");
    if (here)
        return here;
    const bool nonnegative = strcmp(name, "frobenius") || !has_negative(basis);
    const orthant_status status = matrix_check(basis, nonnegative, "the basis", "transform");
    return status ? status
                  : matrix_check(samples, nonnegative, samples->name ? samples->name : "the data",
                                 "transform");
}

/* That of the samples, and below it that of the classes. */
static double basis_entry(const transform *t, const orthant_matrix *basis, int64_t j, int64_t r)
{
    return j < t->m ? orthant_matrix_get(basis, j, r)
                    : t->labels->entry * orthant_matrix_get(t->labels->basis, j - t->m, r);
}

static void set_entry(const transform *t, int64_t j, int64_t r, double value)
{
    if (t->columns)
        t->columns[r * t->features + j] = value;
    else
        matrix_set_value(t->W, j * t->W->stride + r, value);
}

static void scale_column(const transform *t, const orthant_matrix *basis, int64_t r)
{
    double largest = 0, total = 0;
    for (int64_t j = 0; j < t->features; j++)
        largest = fmax(largest, fabs(basis_entry(t, basis, j, r)));
    for (int64_t j = 0; j < t->features && largest > 0; j++) {
        const double part = basis_entry(t, basis, j, r) / largest;
        total += t->loss == &code_kl ? part : part * part;
    }
    total = t->loss == &code_kl ? total : sqrt(total);
    t->length[r] = largest * total;
    for (int64_t j = 0; j < t->features && largest > 0; j++)
        set_entry(t, j, r, basis_entry(t, basis, j, r) / largest / total);
}

/* The basis in double, its columns scaled. */
static orthant_status scale_basis(transform *t, const orthant_matrix *basis)
{
    orthant_status status = ORTHANT_OK;
    if (t->loss == &code_kl)
        status = matrix_new_factor(t->ctx, ORTHANT_DOUBLE, t->features, t->rank, &t->W);
    else if (!(t->columns = memory_new(t->ctx, t->rank * t->features, sizeof(double), "the basis")))
        status = ORTHANT_ERROR_MEMORY;
    if (status)
        return status;
    if (!(t->length = memory_new(t->ctx, t->rank, sizeof(double), "lengths")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0; r < t->rank; r++)
        scale_column(t, basis, r);
    return ORTHANT_OK;
}

/* W'W, some rows of W at a time: the basis lies in memory once. */
static orthant_status setup_frobenius(transform *t)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    orthant_matrix *piece = NULL;
    orthant_status status;
    if ((status = matrix_new_factor(t->ctx, ORTHANT_DOUBLE, t->rank, t->rank, &t->gram)) ||
        (status = matrix_new_factor(t->ctx, ORTHANT_DOUBLE, smaller(t->features, PIECE), t->rank,
                                    &piece)))
        return status;
    for (int64_t first = 0; first < t->features; first += PIECE) {
        const int64_t rows = smaller(t->features - first, PIECE);
        const array W = array_rows(ops, matrix_array(piece), 0, rows);
        for (int64_t j = 0; j < rows; j++)
            for (int64_t r = 0; r < t->rank; r++)
                matrix_set_value(piece, j * piece->stride + r,
                                 t->columns[r * t->features + first + j]);
        ops->product_transposed(matrix_array(t->gram), W, W, first > 0);
    }
    orthant_matrix_free(piece);
    return ORTHANT_OK;
}

static orthant_status setup_kl(transform *t)
{
    const orthant_matrix *X = t->samples;
    if (t->m > INT32_MAX - 64)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "loss 'kl' takes at most %d features here",
                    INT32_MAX - 64);
    t->sums = memory_new(t->ctx, t->rank, sizeof(double), "sums");
    t->used = memory_new(t->ctx, t->m, sizeof(bool), "features");
    if (!t->sums || !t->used)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0; r < t->rank; r++)
        t->sums[r] = t->length[r] > 0;
    for (int64_t j = 0; j < t->m; j++)
        for (int64_t r = 0; r < t->rank; r++)
            t->used[j] |= matrix_value(t->W, j * t->W->stride + r) > 0;
    for (int64_t i = 0; i < t->n && X->sparse; i++)
        t->longest = larger(t->longest, X->file ? row_file_stored(X->file, i, 1)
                                                : X->row_start[i + 1] - X->row_start[i]);
    t->longest = KERNEL_WHOLE(X->sparse ? t->longest : t->m) + 8;
    return ORTHANT_OK;
}

static void *scratch_new(const transform *t, int64_t count, size_t size)
{
    return memory_new(t->ctx, count, size, "scratch");
}

/* Of a thread. */
static int64_t scratch_bytes(const transform *t)
{
    const int64_t parts = matrix_padded(ORTHANT_DOUBLE, t->rank),
                  numbers = code_numbers(t->rank) +
                            (t->loss == &code_kl ? (4 + parts) * t->longest : 2 * BLOCK * parts);
    return numbers * (int64_t)sizeof(double);
}

static orthant_status setup_scratch(transform *t)
{
    const bool kl = t->loss == &code_kl;
    const int64_t rank = t->rank, parts = matrix_padded(ORTHANT_DOUBLE, rank);
    const int threads = t->strips.threads;
    t->scratch = memory_new(t->ctx, threads, sizeof *t->scratch, "scratch");
    t->missed = memory_new(t->ctx, 2 * threads, sizeof *t->missed, "scratch");
    t->lost = t->missed ? t->missed + threads : NULL;
    bool made = t->scratch && t->missed;
    for (int i = 0; i < threads && made; i++) {
        scratch *w = &t->scratch[i];
        made = (w->solver = scratch_new(t, code_numbers(rank), sizeof(double))) &&
               (w->free = scratch_new(t, rank, sizeof *w->free));
        if (made && kl)
            made = (w->x = scratch_new(t, 4 * t->longest, sizeof(double))) &&
                   (w->listed = scratch_new(t, t->longest, sizeof *w->listed)) &&
                   (w->tile = scratch_new(t, parts * t->longest, sizeof(double)));
        else if (made)
            made = (w->codes = scratch_new(t, 2 * BLOCK * parts, sizeof(double))) &&
                   (w->descent = scratch_new(t, kernel_descent_scratch(rank), 1));
    }
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void release(transform *t)
{
    for (int i = 0; i < t->strips.threads && t->scratch; i++) {
        const scratch *w = &t->scratch[i];
        void *all[] = {w->solver, w->free, w->codes, w->descent, w->x, w->tile, w->listed};
        for (size_t a = 0; a < sizeof all / sizeof *all; a++)
            memory_free(t->ctx, all[a]);
    }
    void *all[] = {t->length, t->columns, t->sums, t->used, t->scratch, t->missed};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        memory_free(t->ctx, all[a]);
    orthant_matrix_free(t->W);
    orthant_matrix_free(t->gram);
    if (t->strips.ctx)
        strips_release(&t->strips);
}

/* ------------------------------------------------------------------ samples */

static bool has_label(const code_labels *l, int64_t i)
{
    return l->class_of[i] >= 0 && l->class_of[i] < l->classes;
}

static bool is_asked(const transform *t, int64_t i)
{
    return !t->labels || has_label(t->labels, i) == (t->labels->basis != NULL);
}

/* The share of the features of classes in a sample's product with a column of the basis. */
static double label_product(const transform *t, const double *column, int64_t i)
{
    const code_labels *l = t->labels;
    return l && l->basis && has_label(l, i) ? l->entry * column[t->m + l->class_of[i]] : 0;
}

/* To stationarity, and in the units of the basis and the sample. */
static void finish(transform *t, code *c, double scale, int64_t i, int thread)
{
    const double most = t->encoding->precision == ORTHANT_SINGLE ? (double)FLT_MAX : DBL_MAX;
    bool fits = true;
    if (!code_solve(c, t->iterations, t->tolerance))
        t->missed[thread]++;
    for (int64_t r = 0; r < t->rank; r++) {
        const double entry = c->s[r] > 0 ? c->s[r] * (scale / t->length[r]) : 0;
        fits &= entry <= most;
        matrix_set_value(t->encoding, i * t->encoding->stride + r, fits ? entry : 0);
    }
    t->lost[thread] += !fits;
}

/* A block of samples: cross products with W, passes of coordinate descent that all of them make
 * side by side, and the rest one by one. A block is always whole, so that a sample's sums are the
 * same in any place. */
static void frobenius_block(transform *t, const scratch *w, strip x, block b)
{
    const int64_t row = x.row + b.first - x.first, rows = b.rows;
    const int64_t stride = matrix_padded(ORTHANT_DOUBLE, t->rank);
    const array S = {w->codes, BLOCK, t->rank, stride},
                N = {w->codes + BLOCK * stride, BLOCK, t->rank, stride};
    double *codes = S.data, *cross = N.data, products[BLOCK], scale[BLOCK] = {0};
    memset(codes, 0, (size_t)(2 * BLOCK * stride) * sizeof *codes);
    for (int64_t r = 0; r < t->rank; r++) {
        const double *column = t->columns + r * t->features;
        if (t->samples->sparse)
            t->ops->sparse_vector_product(matrix_csr(x.data), row, rows, column, products);
        else
            t->ops->vector_product(array_rows(t->ops, matrix_array(x.data), row, rows), column,
                                   products);
        for (int64_t i = 0; i < rows; i++) {
            const double product = products[i] + label_product(t, column, b.first + i);
            cross[i * stride + r] = product;
            scale[i] = fmax(scale[i], product);
        }
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t r = 0; r < t->rank && scale[i] > 0; r++) {
            cross[i * stride + r] /= scale[i];
            codes[i * stride + r] = fmax(cross[i * stride + r], 0) / (double)t->rank;
        }
    kernel_table(ORTHANT_DOUBLE)
        ->descend(S, N, (array){0}, matrix_array(t->gram), FIRST_PASSES, 0, w->descent);
    for (int64_t i = 0; i < rows; i++) {
        code c = code_new(t->loss, t->rank, w->solver, w->free);
        if (!is_asked(t, b.first + i))
            continue;
        c.gram = matrix_array(t->gram);
        c.cross = cross + i * stride;
        memcpy(c.s, codes + i * stride, (size_t)t->rank * sizeof *c.s);
        finish(t, &c, scale[i], b.first + i, b.thread);
    }
}

/* The entries of a sample that count, and where they are; how many. */
static int64_t list_entries(const transform *t, strip x, int64_t i, const scratch *w)
{
    const orthant_matrix *X = x.data;
    const int64_t row = x.row + i - x.first,
                  begin = X->sparse ? X->row_start[row] : row * X->stride,
                  end = X->sparse ? X->row_start[row + 1] : begin + t->m;
    int64_t count = 0;
    for (int64_t e = begin; e < end; e++) {
        const int32_t j = X->sparse ? X->column[e] : (int32_t)(e - begin);
        const double value = matrix_value(X, e);
        if (!(value > 0) || !t->used[j])
            continue;
        w->x[count] = value;
        w->listed[count++] = j;
    }
    return count;
}

static void kl_sample(transform *t, const scratch *w, strip x, int64_t i, int thread)
{
    code c = code_new(t->loss, t->rank, w->solver, w->free);
    double largest = 0, total = 0, live = 0;
    c.count = list_entries(t, x, i, w);
    for (int64_t j = 0; j < c.count; j++)
        largest = fmax(largest, w->x[j]);
    for (int64_t j = 0; j < c.count; j++)
        total += w->x[j] / largest;
    for (int64_t j = 0; j < KERNEL_WHOLE(c.count); j++)
        w->x[j] = j < c.count ? w->x[j] / largest / total : 0;
    for (int64_t r = 0; r < t->rank; r++)
        live += t->sums[r];
    for (int64_t r = 0; r < t->rank; r++)
        c.s[r] = c.count > 0 ? t->sums[r] / live : 0;
    c.x = w->x;
    c.fitted = w->x + t->longest;
    c.change = w->x + 2 * t->longest;
    c.weight = w->x + 3 * t->longest;
    c.tile = w->tile;
    c.stride = KERNEL_WHOLE(c.count) + 8; /* columns of a power of two share few cache lines */
    c.sums = t->sums;
    if (c.count > 0)
        kernel_table(ORTHANT_DOUBLE)
            ->transpose_listed(w->tile, c.stride, matrix_array(t->W), w->listed, c.count);
    for (int pass = 0; pass < FIRST_PASSES_KL && c.count > 0; pass++)
        t->loss->coordinates(&c);
    finish(t, &c, largest * total, i, thread);
}

static void encode_block(void *user, strip x, block b)
{
    transform *t = user;
    const scratch *w = &t->scratch[b.thread];
    int64_t asked = 0;
    for (int64_t i = b.first; i < b.first + b.rows; i++)
        asked += is_asked(t, i);
    if (t->stopped || asked == 0)
        return;
    if (t->loss == &code_frobenius)
        frobenius_block(t, w, x, b);
    for (int64_t i = b.first; i < b.first + b.rows && t->loss == &code_kl; i++)
        if (is_asked(t, i))
            kl_sample(t, w, x, i, b.thread);
}

static void strip_done(void *user, strip x)
{
    transform *t = user;
    t->done += x.rows;
    t->stopped = t->stopped || !progress_tell(t->ctx, "transform", t->done, t->n,
                                              clock_seconds() - t->begin, NAN);
}

static orthant_status encode(transform *t)
{
    t->begin = clock_seconds();
    strips_run(&t->strips,
               &(strip_pass){.user = t, .encode = encode_block, .strip_done = strip_done});
    const orthant_status status = t->samples->file ? row_file_status(t->samples->file) : ORTHANT_OK;
    if (status)
        return status;
    return t->stopped ? fail(t->ctx, ORTHANT_STOPPED, "stopped while samples were encoded")
                      : ORTHANT_OK;
}

orthant_status transform_tell(orthant_context *ctx, int64_t missed, int64_t lost, int64_t samples,
                              int64_t iterations, double tolerance)
{
    if (lost > 0)
        return fail(ctx, ORTHANT_ERROR_NUMERIC,
                    "the encodings of %lld samples are too large for the precision; try precision "
                    "double, or scale the data",
                    (long long)lost);
    if (missed > 0 && tolerance > 0)
        log_note(ctx,
                 "%lld of %lld samples are not encoded to the tolerance %g after %lld iterations",
                 (long long)missed, (long long)samples, tolerance, (long long)iterations);
    return ORTHANT_OK;
}

static orthant_status tell(const transform *t)
{
    int64_t missed = 0, lost = 0;
    for (int i = 0; i < t->strips.threads; i++) {
        missed += t->missed[i];
        lost += t->lost[i];
    }
    return transform_tell(t->ctx, missed, lost, t->n, t->iterations, t->tolerance);
}

int transform_threads(const code_problem *p, int64_t each)
{
    const int64_t all = parallel_threads(p->ctx),
                  most = larger(matrix_bytes(p->samples) / SHARE_OF_SAMPLES, LEAST_SHARE);
    return (int)(p->of_fit ? larger(1, smaller(all, most / each)) : all);
}

orthant_status transform_plain(const code_problem *p, orthant_matrix **encoding)
{
    orthant_context *ctx = p->ctx;
    const orthant_matrix *samples = p->samples;
    orthant_status status;
    transform t = {.ctx = ctx,
                   .samples = samples,
                   .ops = kernel_table(samples->precision),
                   .loss = strcmp(p->loss->name, "kl") ? &code_frobenius : &code_kl,
                   .labels = p->labels,
                   .n = samples->rows,
                   .m = samples->columns,
                   .features = samples->columns,
                   .encoding = p->into,
                   .rank = p->basis->columns,
                   .iterations = p->iterations,
                   .tolerance = p->tolerance};
    if ((status = strips_setup(&t.strips, ctx, samples, 1, BLOCK)))
        goto done;
    t.strips.row_cost = INT32_MAX; /* a code takes long: every thread is worth waking */
    if (t.labels && t.labels->basis)
        t.features += t.labels->classes;
    if ((!t.encoding &&
         (status = matrix_new_factor(ctx, samples->precision, t.n, t.rank, &t.encoding))) ||
        (status = scale_basis(&t, p->basis)) ||
        (status = t.loss == &code_kl ? setup_kl(&t) : setup_frobenius(&t)))
        goto done;
    t.strips.threads = transform_threads(p, scratch_bytes(&t));
    if ((status = setup_scratch(&t)) || (status = encode(&t)))
        goto done;
    status = tell(&t);
done:
    release(&t);
    if (status && !p->into)
        orthant_matrix_free(t.encoding);
    else if (!status)
        *encoding = t.encoding;
    return status;
}

orthant_status transform_samples(const code_problem *p, orthant_matrix **encoding)
{
    return p->weights || p->term_count || p->loss->rule ? transform_general(p, encoding)
                                                        : transform_plain(p, encoding);
}

orthant_status orthant_transform(orthant_context *ctx, const orthant_matrix *basis,
                                 const char *given, const orthant_matrix *samples,
                                 int64_t iterations, double tolerance, orthant_matrix **encoding)
{
    if (encoding)
        *encoding = NULL;
    const orthant_status refused =
        entry_check(ctx, basis && given && samples && encoding, __func__);
    if (refused)
        return refused;
    const char *name = loss_table_name(given);
    loss asked;
    orthant_status status = loss_make(ctx, name, &asked);
    if (status || (status = transform_check(ctx, basis, name, samples)))
        return status;
    return transform_samples(&(code_problem){.ctx = ctx,
                                             .basis = basis,
                                             .samples = samples,
                                             .loss = &asked,
                                             .iterations = iterations,
                                             .tolerance = tolerance},
                             encoding);
}
