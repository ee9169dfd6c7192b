#include "data/strip.h"

#include "core/memory.h"
#include "core/pieces.h"
#include "data/row_file.h"

/* Sums that begin with this strip. */
static void open_sums(const kernels *ops, strip x, array C)
{
    if (x.opens && C.data)
        array_clear(ops, C);
}

/* The row of the data that a block begins with. */
static int64_t data_row(strip x, block b)
{
    return x.row + b.first - x.first;
}

/* Where the weights of entries begin that are taken from a sample and a feature on. */
static void weigh(const kernels *ops, const entry_rule *rule, int64_t sample, int64_t feature,
                  entry_data *x, entry_data *mask)
{
    const entry_weights *w = rule ? rule->of_entries : NULL;
    if (!w)
        return;
    x->row_weights = w->samples ? w->samples + sample : NULL;
    x->column_weights = w->features ? w->features + feature : NULL;
    x->missing_zeros = w->missing_zeros;
    /* Panels of dense data begin at whole bytes; of CSR data there are no such bits. */
    x->known = w->known ? w->known + sample * w->known_stride + feature / 8 : NULL;
    x->known_stride = w->known_stride;
    if (!w->mask)
        return;
    const int64_t rows = w->mask->rows - sample, columns = w->mask->columns - feature;
    if (w->mask->sparse)
        *mask = (entry_data){
            .stored = matrix_csr(w->mask), .first_row = sample, .first_column = feature};
    else
        *mask = (entry_data){
            .dense = array_columns(ops, array_rows(ops, matrix_array(w->mask), sample, rows),
                                   feature, columns)};
    x->mask = mask;
}

/* ------------------------------------------------------------------ dense */

static array block_array(const kernels *ops, strip x, block b)
{
    return array_rows(ops, matrix_array(x.data), data_row(x, b), b.rows);
}

static array panel_array(const kernels *ops, strip x, panel p)
{
    return array_columns(ops, array_rows(ops, matrix_array(x.data), x.row, x.rows), p.first,
                         p.end - p.first);
}

static void dense_product(const kernels *ops, strip x, block b, array W, const void *packed,
                          array C)
{
    ops->product_packed(C, block_array(ops, x, b), W, packed, false);
}

static void dense_product_transposed(const kernels *ops, strip x, panel p, array S, array C)
{
    ops->product_transposed(C, panel_array(ops, x, p), S, !x.opens);
}

static void dense_entry_product(const kernels *ops, strip x, block b, array S, array W,
                                const void *packed, const entry_rule *rule, array C, array Q,
                                void *scratch)
{
    entry_data given = {.dense = block_array(ops, x, b)}, mask;
    weigh(ops, rule, b.first, 0, &given, &mask);
    ops->entry_product(C, Q, &given, S, W, packed, rule, scratch);
}

static void dense_entry_product_transposed(const kernels *ops, strip x, panel p, array S, array W,
                                           const entry_rule *rule, array C, array Q, void *scratch,
                                           double *value)
{
    open_sums(ops, x, C);
    open_sums(ops, x, Q);
    entry_data given = {.dense = panel_array(ops, x, p)}, mask;
    weigh(ops, rule, x.first, p.first, &given, &mask);
    ops->entry_product_transposed(C, Q, &given, S, array_rows(ops, W, p.first, p.end - p.first),
                                  rule, scratch, value);
}

static double dense_entry_value(const kernels *ops, strip x, block b, array S, array W,
                                const entry_rule *rule, void *scratch)
{
    entry_data given = {.dense = block_array(ops, x, b)}, mask;
    weigh(ops, rule, b.first, 0, &given, &mask);
    return ops->entry_value(&given, S, W, rule, scratch);
}

static double dense_residual(const kernels *ops, strip x, block b, array S, array W, void *scratch)
{
    return ops->residual(block_array(ops, x, b), S, W, scratch);
}

static const strip_ops dense = {dense_product,       dense_product_transposed,
                                dense_entry_product, dense_entry_product_transposed,
                                dense_entry_value,   dense_residual};

/* ------------------------------------------------------------------ CSR */

/* A panel's entries in the samples of a strip. */
static csr_range range_of(strip x, panel p)
{
    return (csr_range){p.first, p.end, p.before ? p.before + x.first : NULL,
                       p.before_end ? p.before_end + x.first : NULL};
}

static void csr_product(const kernels *ops, strip x, block b, array W, const void *packed, array C)
{
    (void)packed;
    ops->sparse_product(C, matrix_csr(x.data), data_row(x, b), W, false);
}

static void csr_product_transposed(const kernels *ops, strip x, panel p, array S, array C)
{
    open_sums(ops, x, C);
    ops->sparse_product_transposed(C, matrix_csr(x.data), x.row, S, range_of(x, p));
}

static entry_data csr_entries(strip x, int64_t first_row, int64_t first_column)
{
    return (entry_data){
        .stored = matrix_csr(x.data), .first_row = first_row, .first_column = first_column};
}

/* A loss with a rule of its own reads the entries that are not stored too, a tile at a time. */
static void csr_entry_product(const kernels *ops, strip x, block b, array S, array W,
                              const void *packed, const entry_rule *rule, array C, array Q,
                              void *scratch)
{
    entry_data given = csr_entries(x, data_row(x, b), 0), mask;
    weigh(ops, rule, b.first, 0, &given, &mask);
    if (rule)
        ops->entry_product(C, Q, &given, S, W, packed, rule, scratch);
    else
        ops->sparse_ratio_product(C, given.stored, given.first_row, S, W);
}

static void csr_entry_product_transposed(const kernels *ops, strip x, panel p, array S, array W,
                                         const entry_rule *rule, array C, array Q, void *scratch,
                                         double *value)
{
    entry_data given = csr_entries(x, x.row, p.first), mask;
    weigh(ops, rule, x.first, p.first, &given, &mask);
    open_sums(ops, x, C);
    open_sums(ops, x, Q);
    if (rule)
        ops->entry_product_transposed(C, Q, &given, S, array_rows(ops, W, p.first, p.end - p.first),
                                      rule, scratch, value);
    else
        ops->sparse_ratio_product_transposed(C, given.stored, x.row, S, W, range_of(x, p), value);
}

static double csr_entry_value(const kernels *ops, strip x, block b, array S, array W,
                              const entry_rule *rule, void *scratch)
{
    entry_data given = csr_entries(x, data_row(x, b), 0), mask;
    weigh(ops, rule, b.first, 0, &given, &mask);
    return rule ? ops->entry_value(&given, S, W, rule, scratch)
                : ops->sparse_divergence(given.stored, given.first_row, S, W);
}

static double csr_residual(const kernels *ops, strip x, block b, array S, array W, void *scratch)
{
    (void)scratch;
    return ops->sparse_residual(matrix_csr(x.data), data_row(x, b), S, W);
}

static const strip_ops sparse = {csr_product,       csr_product_transposed,
                                 csr_entry_product, csr_entry_product_transposed,
                                 csr_entry_value,   csr_residual};

const strip_ops *strip_operations(const orthant_matrix *samples)
{
    return samples->sparse ? &sparse : &dense;
}

/* ------------------------------------------------------------------ panels */

/* Of CSR data a sample has so many entries of a panel, on the average, at least. */
#define PANEL_ENTRIES 8
#define MOST_CSR_PANELS 16

static void cut_by_entries(int64_t features, int64_t stored, const int64_t *count, panel_list *list)
{
    int64_t seen = 0, cut = 1;
    for (int64_t f = 0; f < features; f++) {
        seen += count[f];
        while (cut < list->count && seen >= stored / list->count * cut)
            list->bound[cut++] = f + 1;
    }
    while (cut <= list->count)
        list->bound[cut++] = features;
}

void panel_list_look(const panel_list *list, strip x, block b)
{
    const orthant_matrix *X = x.data;
    for (int64_t i = 0; i < b.rows; i++) {
        const int64_t row = data_row(x, b) + i, end = X->row_start[row + 1];
        int64_t e = X->row_start[row];
        for (int64_t p = 1; p < list->count; p++) {
            while (e < end && X->column[e] < list->bound[p])
                e++;
            list->before[(p - 1) * list->samples + b.first + i] = (uint16_t)(e - X->row_start[row]);
        }
    }
}

/* Where the panels begin in each sample: of a file that is seen when its rows are read first. */
static orthant_status count_before(orthant_context *ctx, const orthant_matrix *X, panel_list *list)
{
    if (list->count == 1)
        return ORTHANT_OK;
    for (int64_t i = 0; i < X->rows; i++)
        if ((X->file ? row_file_stored(X->file, i, 1) : X->row_start[i + 1] - X->row_start[i]) >
            UINT16_MAX)
            return ORTHANT_OK;
    list->samples = X->rows;
    list->wants_rows = X->file;
    list->before =
        memory_new(ctx, (list->count - 1) * X->rows, sizeof *list->before, "panels of features");
    if (!list->before)
        return ORTHANT_ERROR_MEMORY;
    const strip all = {.data = X, .rows = X->rows};
    const block whole = {.rows = X->rows};
    if (!X->file)
        panel_list_look(list, all, whole);
    return ORTHANT_OK;
}

static int64_t csr_panels(int64_t stored, int64_t samples)
{
    const int64_t most = stored / samples / PANEL_ENTRIES;
    int64_t count = 1;
    while (2 * count <= most && 2 * count <= MOST_CSR_PANELS)
        count *= 2;
    return count;
}

#define CACHE_LINE 64 /* at least a vector of the kernels */

/* Of dense data, `before` elements before the first feature and then in equal ones, of which none
 * has less than a vector of features. */
static void cut_features(const orthant_matrix *X, int64_t before, panel_list *list)
{
    const int64_t least = CACHE_LINE / (int64_t)precision_size(X->precision), m = X->columns;
    list->count = pieces(m + before, KERNEL_FEATURES);
    for (int64_t i = 1; i < list->count; i++)
        list->bound[i] = i * KERNEL_FEATURES - before;
    if (list->count > 1 && m - list->bound[list->count - 1] < least)
        list->bound[list->count - 1] -= least;
    list->bound[list->count] = m;
}

orthant_status panel_list_new(orthant_context *ctx, const orthant_matrix *X, int64_t total,
                              const int64_t *count, panel_list *list)
{
    const int64_t m = X->columns;
    int64_t stored = 0;
    for (int64_t f = 0; X->sparse && f < m; f++)
        stored += count[f];
    *list =
        (panel_list){.count = X->sparse ? csr_panels(stored, total) : pieces(m, KERNEL_FEATURES)};
    /* one more where they are aligned */
    list->bound = memory_new(ctx, list->count + 2, sizeof *list->bound, "panels of features");
    if (!list->bound)
        return ORTHANT_ERROR_MEMORY;
    if (!X->sparse) {
        cut_features(X, 0, list);
        return ORTHANT_OK;
    }
    cut_by_entries(m, stored, count, list);
    return count_before(ctx, X, list);
}

void panel_list_align(const orthant_matrix *X, panel_list *list)
{
    const int64_t size = (int64_t)precision_size(X->precision);
    const uintptr_t beyond = (uintptr_t)X->values % CACHE_LINE;
    if (!X->sparse && X->stride * size % CACHE_LINE == 0 && list->count > 1)
        cut_features(X, (int64_t)beyond / size, list);
}

void panel_list_free(orthant_context *ctx, panel_list *list)
{
    memory_free(ctx, list->bound);
    memory_free(ctx, list->before);
    *list = (panel_list){0};
}

panel panel_at(const panel_list *list, int64_t index)
{
    const uint16_t *before = list->before;
    return (panel){list->bound[index], list->bound[index + 1],
                   before && index > 0 ? before + (index - 1) * list->samples : NULL,
                   before && index + 1 < list->count ? before + index * list->samples : NULL};
}
