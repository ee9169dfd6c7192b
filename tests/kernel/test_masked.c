/* Squares of the entries that are known, bits saying which: every table against plain loops, for
 * ranks on both sides of where kernels change their way, whole panels and the ends of rows. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>

#include "kernel_case.h"

typedef struct plain {
    array above, below;                       /* P W, Q W */
    array above_transposed, below_transposed; /* P'S, Q'S */
    double value;
} plain;

static bool is_known(const uint8_t *known, int64_t stride, int64_t i, int64_t f)
{
    return known[i * stride + f / 8] >> f % 8 & 1;
}

static void add(const table *t, array a, int64_t i, int64_t j, double value)
{
    set(t, a, i, j, get(t, a, i, j) + value);
}

static array zeros(const table *t, int64_t rows, int64_t columns)
{
    array made = make(t, rows, columns, 0, 0);
    memset(made.data, 0, (size_t)(made.rows * made.stride) * t->ops->size);
    return made;
}

static plain plain_loops(const table *t, array x, const uint8_t *known, int64_t stride, array s,
                         array w)
{
    plain p = {zeros(t, s.rows, s.columns), zeros(t, s.rows, s.columns),
               zeros(t, w.rows, w.columns), zeros(t, w.rows, w.columns), 0};
    for (int64_t i = 0; i < x.rows; i++)
        for (int64_t f = 0; f < x.columns; f++) {
            const double value = get(t, x, i, f);
            double y = 0;
            for (int64_t j = 0; j < s.columns; j++)
                y += get(t, s, i, j) * get(t, w, f, j);
            if (!is_known(known, stride, i, f))
                continue;
            p.value += 0.5 * (value - y) * (value - y);
            for (int64_t j = 0; j < s.columns; j++) {
                add(t, p.above, i, j, value * get(t, w, f, j));
                add(t, p.below, i, j, y * get(t, w, f, j));
                add(t, p.above_transposed, f, j, value * get(t, s, i, j));
                add(t, p.below_transposed, f, j, y * get(t, s, i, j));
            }
        }
    return p;
}

static void compare(const table *t, array found, array expected)
{
    for (int64_t i = 0; i < expected.rows; i++)
        for (int64_t j = 0; j < expected.columns; j++)
            near(t, get(t, found, i, j), get(t, expected, i, j), get(t, expected, i, j) + 1);
    tails_are_zero(t, found);
}

static uint8_t *draw_bits(int64_t rows, int64_t columns, int64_t *stride)
{
    *stride = (columns + 63) / 64 * 8;
    uint8_t *known = calloc((size_t)rows, (size_t)*stride);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < columns; f++)
            if (draw() < 0.8)
                known[i * *stride + f / 8] |= (uint8_t)(1 << f % 8);
    return known;
}

static void check(const table *t, int64_t rows, int64_t columns, int64_t rank)
{
    int64_t stride;
    uint8_t *known = draw_bits(rows, columns, &stride);
    const array x = make(t, rows, columns, columns, 0), s = make(t, rows, rank, 0, 0),
                w = make(t, columns, rank, 0, 0), c = make(t, rows, rank, 0, 0),
                q = make(t, rows, rank, 0, 0), e = zeros(t, columns, rank),
                d = zeros(t, columns, rank);
    const int64_t bytes = t->ops->packed_bytes(columns, rank);
    void *packed = bytes > 0 ? aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64) : NULL,
         *scratch =
             aligned_alloc(64, (size_t)(kernel_scratch(t->precision, s.stride) + 63) / 64 * 64);
    const entry_data given = {.dense = x, .known = known, .known_stride = stride};
    const entry_rule rule = {.weights = t->ops->beta_weights,
                             .value = t->ops->beta_value,
                             .parameter = 2,
                             .squares = true};
    const plain p = plain_loops(t, x, known, stride, s, w);
    double found = 1;
    if (packed)
        t->ops->pack(packed, w);
    t->ops->entry_product(c, q, &given, s, w, packed, &rule, scratch);
    compare(t, c, p.above);
    compare(t, q, p.below);
    t->ops->entry_product_transposed(e, d, &given, s, w, &rule, scratch, &found);
    compare(t, e, p.above_transposed);
    compare(t, d, p.below_transposed);
    near(t, found - 1, p.value, p.value + 1);
    near(t, t->ops->entry_value(&given, s, w, &rule, scratch), p.value, p.value + 1);
    array all[] = {x, s, w, c, q, e, d, p.above, p.below, p.above_transposed, p.below_transposed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i].data);
    free(known);
    free(packed);
    free(scratch);
}

static void test_squares(void **state)
{
    const table *t = *state;
    static const int64_t columns[] = {1, 7, 16, 63, 64, 65, 72, 130};
    for (int64_t rank = 1; rank <= 14; rank++)
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            check(t, 3 + 11 * (rank % 7), columns[i], rank);
    check(t, 150, 200, 10);
}

int main(void)
{
    static const kernel_test tests[] = {{"squares", test_squares}};
    return run_kernel_tests("masked", tests, 1);
}
