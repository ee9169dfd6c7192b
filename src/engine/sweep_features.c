/* Blocks of features with their sums A = X S, kept or formed on the way. */
#include <string.h>

#include "engine/sweep_inside.h"

typedef struct feature_pass {
    const sweep *s;
    int64_t groups;
    feature_work work;
    void *user;
} feature_pass;

/* Where each row of a sparse X reaches a range of features. */
static int32_t *find_places(const sweep *s, int64_t range, int thread)
{
    const csr X = matrix_csr(s->samples);
    const int64_t feature = s->range[range];
    const uint16_t *known = s->range_start ? s->range_start + range * X.rows : NULL;
    int32_t *places = (int32_t *)(held_space(s, thread) + s->held_bytes);
    for (int64_t i = 0; i < X.rows && known; i++)
        places[i] = known[i];
    for (int64_t i = 0; i < X.rows && !known; i++) {
        const int32_t *line = X.column + X.row_start[i];
        int64_t low = 0, high = X.row_start[i + 1] - X.row_start[i];
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (line[middle] < feature)
                low = middle + 1;
            else
                high = middle;
        }
        places[i] = (int32_t)low;
    }
    return places;
}

/* A and X S for some features, over all samples. */
static void form_sums(const sweep *s, block f, int32_t *places, array A, array XS)
{
    const kernels *k = s->k;
    const bool both = s->loss == LOSS_KL && s->uses_products;
    if (s->samples->sparse) {
        const csr X = matrix_csr(s->samples);
        const int64_t end = f.first + f.rows;
        memset(A.data, 0, (size_t)(A.rows * A.stride) * k->size);
        if (both) {
            memset(XS.data, 0, (size_t)(XS.rows * XS.stride) * k->size);
            k->sparse_product_transposed(XS, X, 0, s->S, f.first, end, NULL);
        }
        if (s->loss == LOSS_KL)
            k->sparse_ratio_product_transposed(A, X, 0, s->S, s->W, f.first, end, places, NULL);
        else
            k->sparse_product_transposed(A, X, 0, s->S, f.first, end, places);
        return;
    }
    const array X = array_columns(k, matrix_array(s->samples), f.first, f.rows);
    if (s->loss == LOSS_KL)
        k->ratio_product_transposed(A, X, s->S, array_rows(k, s->W, f.first, f.rows), false,
                                    kernel_space(s, f.thread), NULL);
    else
        k->product_transposed(A, X, s->S, false);
    if (both)
        k->product_transposed(XS, X, s->S, false);
}

/* The work on features from `first` on whose sums are there. */
static void work_on_blocks(const feature_pass *pass, block features, int64_t group, array A,
                           array XS)
{
    const sweep *s = pass->s;
    const int64_t end = features.first + features.rows;
    for (int64_t i = 0; i < features.rows; i += block_rows(s)) {
        const block b = block_at(features.first + i, end, block_rows(s), 0, features.thread);
        pass->work(pass->user, b, group, array_rows(s->k, A, i, b.rows),
                   array_rows(s->k, XS, i, b.rows));
    }
}

/* The sums of a group, `held` features at a time. */
static void work_on_formed(const feature_pass *pass, int64_t first, int64_t end, int64_t group,
                           int thread)
{
    const sweep *s = pass->s;
    const bool both = s->loss == LOSS_KL && s->uses_products;
    int32_t *places = s->samples->sparse && first < end ? find_places(s, group, thread) : NULL;
    char *space = held_space(s, thread);
    for (int64_t f = first; f < end; f += s->held) {
        const block features = {f, smaller(s->held, end - f), thread};
        const array A = {space, features.rows, s->W.columns, s->W.stride};
        array XS = A;
        if (both)
            XS.data = space + s->held * s->W.stride * (int64_t)s->k->size;
        form_sums(s, features, places, A, XS);
        work_on_blocks(pass, features, group, A, XS);
    }
}

/* Features that no two groups share. */
static int64_t group_unit(const sweep *s)
{
    return s->deferred ? KERNEL_FEATURES : block_rows(s);
}

static void group_task(void *user, int64_t group, int thread)
{
    const feature_pass *pass = user;
    const sweep *s = pass->s;
    const int64_t unit = group_unit(s), units = pieces(s->m, unit);
    int64_t first = group * units / pass->groups * unit,
            end = smaller((group + 1) * units / pass->groups * unit, s->m);
    if (s->deferred) {
        if (s->samples->sparse) {
            first = s->range[group];
            end = s->range[group + 1];
        }
        work_on_formed(pass, first, end, group, thread);
        return;
    }
    work_on_blocks(pass, (block){first, end - first, thread}, group,
                   array_rows(s->k, s->A, first, end - first),
                   array_rows(s->k, s->XS, first, end - first));
}

int64_t sweep_feature_groups(const sweep *s, int64_t most)
{
    return s->deferred && s->samples->sparse ? SWEEP_RANGES
                                             : smaller(most, pieces(s->m, group_unit(s)));
}

void sweep_over_features(const sweep *s, int64_t most, feature_work work, void *user)
{
    feature_pass pass = {s, sweep_feature_groups(s, most), work, user};
    run_tasks(s, pass.groups, group_task, &pass,
              (s->deferred ? product_cost(s, s->n) : 0) + square_cost(s, s->m));
}
