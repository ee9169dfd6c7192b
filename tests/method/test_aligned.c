/* Where a borrowed array begins in a line of the cache decides which features are worked on
 * together, and has no part in the factors: they are the same to the bit. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "data/strip.h"
#include "problem.h"

#define LINE 64
/* more than the kernels sum at a time */
#define SAMPLES 530

typedef struct placed {
    void *memory;
    orthant_matrix *X;
} placed;

/* A copy of X that begins `offset` bytes after the beginning of a line, whose rows all do. */
static placed place(const test_problem *p, size_t offset)
{
    const size_t size = precision_size(p->X->precision),
                 row = ((size_t)p->X->columns * size + LINE - 1) / LINE * LINE;
    placed made = {aligned_alloc(LINE, row * SAMPLES + LINE), NULL};
    char *start = (char *)made.memory + offset;
    for (int64_t i = 0; i < SAMPLES; i++)
        memcpy(start + (size_t)i * row, (char *)p->X->values + (size_t)(i * p->X->stride) * size,
               (size_t)p->X->columns * size);
    const orthant_array given = {.size = sizeof given,
                                 .precision = p->X->precision,
                                 .rows = SAMPLES,
                                 .columns = p->X->columns,
                                 .values = start,
                                 .row_stride = (int64_t)(row / size),
                                 .column_stride = 1};
    expect_ok(p->ctx, orthant_matrix_wrap(p->ctx, &given, NULL, NULL, &made.X));
    assert_true(orthant_matrix_is_borrowed(made.X));
    return made;
}

static void place_free(placed *p)
{
    orthant_matrix_free(p->X);
    free(p->memory);
}

static orthant_result *fit_placed(const test_problem *p, orthant_model *model, size_t offset)
{
    placed samples = place(p, offset);
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_fit(model, samples.X, &result));
    place_free(&samples);
    return result;
}

static void same_at_every_offset(const test_problem *p, const char *method, const char *solver,
                                 int64_t rank)
{
    orthant_model *model = problem_model(p, method, rank, "4");
    if (solver)
        expect_ok(p->ctx, orthant_model_set(model, "solver", solver));
    orthant_result *first = fit_placed(p, model, 0);
    const size_t size = precision_size(p->X->precision);
    for (size_t offset = size; offset < LINE; offset += 3 * size) {
        orthant_result *result = fit_placed(p, model, offset);
        if (!factors_identical(first, result) ||
            orthant_result_objective(first) != orthant_result_objective(result))
            fail_msg("%s: %d x %d, rank %d, %d bytes after a line begins: another result", method,
                     SAMPLES, (int)p->X->columns, (int)rank, (int)offset);
        orthant_result_free(result);
    }
    orthant_result_free(first);
    orthant_model_free(model);
}

/* Panels that end with a whole vector, with a part of one, with less than one, and one alone. */
static void test_factors(void **state)
{
    static const int64_t features[] = {128, 144, 150, 70, 20};
    (void)state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++)
        for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
            test_problem p;
            problem_make(&p, (problem_shape){SAMPLES, features[i], (orthant_precision)precision,
                                             false, 3, 0.7});
            same_at_every_offset(&p, "nmf", "mu", 10);
            same_at_every_offset(&p, "nmf", "hals", 3);
            same_at_every_offset(&p, "nmf", "mu", 18);
            same_at_every_offset(&p, "nmf-kl", NULL, 5);
            same_at_every_offset(&p, "cf", NULL, 5);
            problem_free(&p);
        }
}

static void test_panels_begin_with_lines(void **state)
{
    static const int64_t features[] = {784, 768, 70, 65};
    (void)state;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        test_problem p;
        panel_list list;
        problem_make(&p, (problem_shape){SAMPLES, features[i], ORTHANT_SINGLE, false, 3, 0.7});
        placed samples = place(&p, 16);
        expect_ok(p.ctx, panel_list_new(p.ctx, samples.X, SAMPLES, NULL, &list));
        panel_list_align(samples.X, &list);
        assert_true(list.count > 1);
        for (int64_t j = 0; j < list.count; j++) {
            const panel found = panel_at(&list, j);
            assert_int_equal(found.first, j > 0 ? panel_at(&list, j - 1).end : 0);
            assert_true(j == 0 || (16 + 4 * found.first) % LINE == 0);
            assert_in_range(found.end - found.first, LINE / 4, KERNEL_FEATURES);
        }
        assert_int_equal(panel_at(&list, list.count - 1).end, features[i]);
        panel_list_free(p.ctx, &list);
        place_free(&samples);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_panels_begin_with_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
