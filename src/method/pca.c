/* Principal component analysis: with X_c = X less its mean sample, the columns of the basis V are
 * the k leading eigenvectors of the scatter X_c'X_c, and the encoding is X_c V. Among all
 * orthonormal V this has the least |X_c - X_c V V'|^2, which is the objective: the scatter less the
 * k largest eigenvalues.
 *
 * The sign of a component is free: its entry of largest modulus is made positive. X_c is never
 * formed, so a sparse X stays sparse. */
#include "method/principal.h"
#include "method/method.h"

static orthant_status take(fit *f, principal *p)
{
    orthant_matrix *basis = NULL, *encoding = NULL;
    orthant_status status;
    if ((status = fit_new_factor(f, "basis", f->samples->columns, f->model->rank, &basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &encoding)) ||
        (status = principal_scores(f->ctx, f->samples, p, encoding)))
        return status;
    void *values = basis->values; /* the factor takes the vectors over */
    basis->values = p->vectors->values;
    p->vectors->values = values;
    return p->found == f->model->rank
               ? ORTHANT_OK
               : fit_note(f,
                          "the samples span %lld principal components only: the other %lld columns "
                          "are zero",
                          (long long)p->found, (long long)(f->model->rank - p->found));
}

orthant_status pca_run(fit *f)
{
    const parameter_set *set = &f->model->parameters;
    const double begin = clock_seconds();
    principal p;
    orthant_status status = principal_find(f->ctx, f->samples, f->model->rank,
                                           (uint64_t)parameter_whole(set, "seed"), &p);
    double values[2] = {p.scatter, p.scatter};
    history_begin(&f->result->history);
    if (!status)
        status = take(f, &p);
    if (!status)
        status = history_add(&f->result->history, 0, 0, values);
    for (int64_t j = 0; j < p.found; j++)
        values[0] -= p.values[j];
    values[0] = values[1] = values[0] > 0 ? values[0] : 0;
    f->result->history.seconds = clock_seconds() - begin;
    f->result->history.iterations = p.restarts > 0 ? p.restarts : 1;
    f->result->history.converged = !status;
    if (!status)
        status = history_add(&f->result->history, 1, f->result->history.seconds, values);
    principal_free(f->ctx, &p);
    return status;
}
