#include "data/strip.h"

#include "core/memory.h"

/* ------------------------------------------------------------------ a source in memory */

strip strip_in_memory(const orthant_matrix *data, int64_t row, int64_t first, int64_t rows)
{
    strip x = {.row = row, .first = first, .rows = rows};
    if (data->sparse)
        x.sparse = matrix_csr(data);
    else
        x.dense = matrix_array(data);
    return x;
}

static strip open_in_memory(void *state, int64_t first, int64_t rows)
{
    return strip_in_memory(state, first, first, rows);
}

static void release_in_memory(void *state, strip x)
{
    (void)state;
    (void)x;
}

source source_in_memory(const orthant_matrix *samples)
{
    return (source){.state = (void *)samples,
                    .samples = samples->rows,
                    .stored = samples->sparse ? samples->row_start[samples->rows]
                                              : samples->rows * samples->columns,
                    .open = open_in_memory,
                    .release = release_in_memory};
}

int64_t source_end(const source *s, int64_t first, int64_t most)
{
    const int64_t end = first < s->head ? s->head : s->samples;
    return most < end - first ? first + most : end;
}

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

/* ------------------------------------------------------------------ dense */

static array block_array(const kernels *ops, strip x, block b)
{
    return array_rows(ops, x.dense, data_row(x, b), b.rows);
}

static array panel_array(const kernels *ops, strip x, panel p)
{
    return array_columns(ops, array_rows(ops, x.dense, x.row, x.rows), p.first, p.end - p.first);
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
    ops->entry_product(C, Q, block_array(ops, x, b), S, W, packed, rule, scratch);
}

static void dense_entry_product_transposed(const kernels *ops, strip x, panel p, array S, array W,
                                           const entry_rule *rule, array C, array Q, void *scratch,
                                           double *value)
{
    open_sums(ops, x, C);
    open_sums(ops, x, Q);
    ops->entry_product_transposed(C, Q, panel_array(ops, x, p), S,
                                  array_rows(ops, W, p.first, p.end - p.first), rule, scratch,
                                  value);
}

static double dense_entry_value(const kernels *ops, strip x, block b, array S, array W,
                                const entry_rule *rule, void *scratch)
{
    return ops->entry_value(block_array(ops, x, b), S, W, rule, scratch);
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
    ops->sparse_product(C, x.sparse, data_row(x, b), W, false);
}

static void csr_product_transposed(const kernels *ops, strip x, panel p, array S, array C)
{
    open_sums(ops, x, C);
    ops->sparse_product_transposed(C, x.sparse, x.row, S, range_of(x, p));
}

/* A loss with a rule of its own reads the entries that are not stored too: it is refused before. */
static void csr_entry_product(const kernels *ops, strip x, block b, array S, array W,
                              const void *packed, const entry_rule *rule, array C, array Q,
                              void *scratch)
{
    (void)packed;
    (void)rule;
    (void)Q;
    (void)scratch;
    ops->sparse_ratio_product(C, x.sparse, data_row(x, b), S, W);
}

static void csr_entry_product_transposed(const kernels *ops, strip x, panel p, array S, array W,
                                         const entry_rule *rule, array C, array Q, void *scratch,
                                         double *value)
{
    (void)rule;
    (void)Q;
    (void)scratch;
    open_sums(ops, x, C);
    ops->sparse_ratio_product_transposed(C, x.sparse, x.row, S, W, range_of(x, p), value);
}

static double csr_entry_value(const kernels *ops, strip x, block b, array S, array W,
                              const entry_rule *rule, void *scratch)
{
    (void)rule;
    (void)scratch;
    return ops->sparse_divergence(x.sparse, data_row(x, b), S, W);
}

static double csr_residual(const kernels *ops, strip x, block b, array S, array W, void *scratch)
{
    (void)scratch;
    return ops->sparse_residual(x.sparse, data_row(x, b), S, W);
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

/* Calls `visit` for all samples, in order. */
typedef void (*strip_visit)(panel_list *list, strip x, int64_t *count);
static void visit_strips(const source *s, strip_visit visit, panel_list *list, int64_t *count)
{
    for (int64_t first = 0, end; first < s->samples; first = end) {
        end = source_end(s, first, s->samples);
        const strip x = s->open(s->state, first, end - first);
        visit(list, x, count);
        s->release(s->state, x);
    }
}

static void count_entries(panel_list *list, strip x, int64_t *count)
{
    const csr X = x.sparse;
    (void)list;
    for (int64_t i = x.row; i < x.row + x.rows; i++)
        for (int64_t e = X.row_start[i]; e < X.row_end[i]; e++)
            count[X.column[e]]++;
}

/* The panels' bounds, from the entries of each feature. */
static void cut_by_entries(panel_list *list, const source *s, int64_t features,
                           const int64_t *count)
{
    int64_t seen = 0, cut = 1;
    for (int64_t f = 0; f < features; f++) {
        seen += count[f];
        while (cut < list->count && seen >= s->stored / list->count * cut)
            list->bound[cut++] = f + 1;
    }
    while (cut <= list->count)
        list->bound[cut++] = features;
}

/* Where the panels begin in each sample; the longest one is noted. */
static void count_before(panel_list *list, strip x, int64_t *longest)
{
    const csr X = x.sparse;
    for (int64_t i = 0; i < x.rows; i++) {
        int64_t e = X.row_start[x.row + i];
        const int64_t start = e, end = X.row_end[x.row + i];
        *longest = end - start > *longest ? end - start : *longest;
        for (int64_t p = 1; p < list->count; p++) {
            while (e < end && X.column[e] < list->bound[p])
                e++;
            list->before[(p - 1) * list->samples + x.first + i] = (uint16_t)(e - start);
        }
    }
}

static orthant_status cut_sparse(orthant_context *ctx, int64_t features, const source *s,
                                 panel_list *list)
{
    int64_t longest = 0, *count = memory_new(ctx, features, sizeof *count, "entries of features");
    if (!count)
        return ORTHANT_ERROR_MEMORY;
    visit_strips(s, count_entries, list, count);
    cut_by_entries(list, s, features, count);
    memory_free(ctx, count);
    if (list->count == 1)
        return ORTHANT_OK;
    list->samples = s->samples;
    list->before =
        memory_new(ctx, (list->count - 1) * s->samples, sizeof *list->before, "panels of features");
    if (!list->before)
        return ORTHANT_ERROR_MEMORY;
    visit_strips(s, count_before, list, &longest);
    if (longest > UINT16_MAX) {
        memory_free(ctx, list->before);
        list->before = NULL;
    }
    return ORTHANT_OK;
}

static int64_t csr_panels(const source *s)
{
    const int64_t most = s->stored / s->samples / PANEL_ENTRIES;
    int64_t count = 1;
    while (2 * count <= most && 2 * count <= MOST_CSR_PANELS)
        count *= 2;
    return count;
}

orthant_status panel_list_new(orthant_context *ctx, const orthant_matrix *X, const source *s,
                              panel_list *list)
{
    const int64_t m = X->columns;
    *list = (panel_list){.count = X->sparse ? csr_panels(s)
                                            : (m + KERNEL_FEATURES - 1) / KERNEL_FEATURES};
    list->bound = memory_new(ctx, list->count + 1, sizeof *list->bound, "panels of features");
    if (!list->bound)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i <= list->count; i++)
        list->bound[i] = i < list->count ? i * KERNEL_FEATURES : m;
    if (!X->sparse)
        return ORTHANT_OK;
    list->bound[0] = 0;
    return cut_sparse(ctx, m, s, list);
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
