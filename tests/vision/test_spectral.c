/* Filters, bins and local spectral histograms beside direct sums and counts. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "vision/filters.h"
#include "vision/spectral.h"
#include "vision/subspace.h"

static double draw(uint64_t row, uint64_t column)
{
    return random_uniform(7, RANDOM_TEST, row, column);
}

static int below(uint64_t row, uint64_t column, int bound)
{
    return (int)random_below(7, RANDOM_TEST, row, column, (uint64_t)bound);
}

static void fill_plane(float *plane, int count)
{
    for (int i = 0; i < count; i++)
        plane[i] = (float)draw(1, (uint64_t)i);
}

static void test_banks(void **state)
{
    static const struct {
        const char *name;
        int filters;
        bool lab;
    } banks[] = {{"demo", 3, false}, {"a", 10, false}, {"b", 11, true}, {"texture", 10, true}};
    filter_bank bank;
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++) {
        expect_ok(*state, filter_bank_create(*state, banks[i].name, &bank));
        assert_int_equal(bank.count, banks[i].filters);
        assert_int_equal(bank.lab, banks[i].lab);
        for (int f = 0; f < bank.count; f++) {
            const int size = 2 * bank.filters[f].radius + 1, last = size * size - 1;
            double sum = 0.0, strength = 0.0;
            for (int j = 0; j <= last; j++) {
                sum += (double)bank.filters[f].weights[j];
                strength += fabs((double)bank.filters[f].weights[j]);
                /* filter_apply leaves out the turn of a convolution */
                assert_true(fabsf(bank.filters[f].weights[j] - bank.filters[f].weights[last - j]) <
                            1e-6f);
            }
            assert_true(fabs(sum) < 1e-6 && strength > 0.05);
        }
        filter_bank_free(*state, &bank);
    }
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "'texture'",
                   filter_bank_create(*state, "textur", &bank));
}

/* The sum over the mirrored picture, pixel by pixel; also where the filter is larger than the
 * picture. */
static void check_filter(orthant_context *ctx, int height, int width)
{
    float plane[24 * 24], response[24 * 24];
    filter_bank bank;
    padded_plane padded;
    fill_plane(plane, height * width);
    expect_ok(ctx, filter_bank_create(ctx, "b", &bank));
    expect_ok(ctx, padded_plane_create(ctx, plane, height, width, bank.radius, &padded));
    const filter *f = &bank.filters[bank.count - 1];
    filter_apply(f, &padded, response);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0.0;
            for (int i = -f->radius; i <= f->radius; i++)
                for (int j = -f->radius; j <= f->radius; j++) {
                    int row = y + i, column = x + j;
                    while (row < 0 || row >= height)
                        row = row < 0 ? -row - 1 : 2 * height - 1 - row;
                    while (column < 0 || column >= width)
                        column = column < 0 ? -column - 1 : 2 * width - 1 - column;
                    sum +=
                        (double)plane[row * width + column] *
                        (double)f->weights[(i + f->radius) * (2 * f->radius + 1) + j + f->radius];
                }
            assert_true(fabs(sum - (double)response[y * width + x]) < 1e-5);
        }
    memory_free(ctx, padded.values);
    filter_bank_free(ctx, &bank);
}

static void test_filter(void **state)
{
    check_filter(*state, 24, 17);
    check_filter(*state, 3, 2);
    check_filter(*state, 1, 1);
}

static void test_bins(void **state)
{
    enum { COUNT = 1000 };
    float values[COUNT];
    uint8_t bin[COUNT];
    int population[10] = {0};
    (void)state;
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i * i) - 100.0f;
    bands_quantise(values, COUNT, 10, BANDS_EQUAL_WIDTH, bin);
    for (int i = 0; i < COUNT; i++) {
        const double place = (double)i * i / (999.0 * 999.0) * 10.0;
        assert_int_equal(bin[i], i == COUNT - 1 ? 9 : (int)(place + 1e-5));
    }
    bands_quantise(values, COUNT, 10, BANDS_EQUAL_POPULATION, bin);
    for (int i = 0; i < COUNT; i++) {
        population[bin[i]]++;
        assert_true(i == 0 || bin[i] >= bin[i - 1]);
    }
    for (int j = 0; j < 10; j++)
        assert_in_range(population[j], 90, 110);
    for (int i = 0; i < COUNT; i++)
        values[i] = 3.25f;
    bands_quantise(values, COUNT, 10, BANDS_EQUAL_POPULATION, bin);
    assert_int_equal(bin[0] + bin[COUNT / 2] + bin[COUNT - 1], 0);
}

static void random_bands(orthant_context *ctx, int height, int width, int bands, int bins,
                         band_set *set)
{
    *set = (band_set){ctx, height, width, bands, bins, NULL};
    set->bin = memory_new(ctx, (int64_t)height * width * bands, 1, "bins");
    assert_non_null(set->bin);
    for (int i = 0; i < height * width * bands; i++)
        set->bin[i] = (uint8_t)below(2, (uint64_t)i, bins);
}

static float direct_share(const band_set *set, int band, int bin, int y, int x, int radius)
{
    int count = 0, area = 0;
    for (int i = y - radius; i <= y + radius; i++)
        for (int j = x - radius; j <= x + radius; j++)
            if (i >= 0 && j >= 0 && i < set->height && j < set->width) {
                area++;
                count += set->bin[((int64_t)band * set->height + i) * set->width + j] == bin;
            }
    return (float)count / (float)area;
}

static void check_histograms(orthant_context *ctx, int height, int width, int window, int step)
{
    band_set set;
    orthant_matrix *h = NULL;
    random_bands(ctx, height, width, 3, 5, &set);
    const lattice nodes = lattice_create(height, width, step);
    expect_ok(ctx, spectral_histograms(&set, &nodes, window, &h));
    assert_int_equal(orthant_matrix_rows(h), lattice_nodes(&nodes));
    assert_int_equal(orthant_matrix_columns(h), 15);
    for (int64_t n = 0; n < lattice_nodes(&nodes); n++)
        for (int band = 0; band < 3; band++) {
            const int y = lattice_place(&nodes, (int)(n / nodes.columns), height);
            const int x = lattice_place(&nodes, (int)(n % nodes.columns), width);
            double sum = 0.0;
            for (int bin = 0; bin < 5; bin++) {
                const double share = orthant_matrix_get(h, n, band * 5 + bin);
                assert_true(fabs(share - (double)direct_share(&set, band, bin, y, x, window / 2)) <
                            1e-6);
                sum += share;
            }
            assert_true(fabs(sum - 1.0) < 1e-6);
        }
    orthant_matrix_free(h);
    bands_free(&set);
}

static void test_histograms(void **state)
{
    check_histograms(*state, 50, 37, 9, 1); /* more rows than one task has */
    check_histograms(*state, 61, 40, 13, 4);
    check_histograms(*state, 20, 20, 3, 7);  /* windows that do not touch */
    check_histograms(*state, 9, 70, 101, 3); /* a window larger than the picture */
    check_histograms(*state, 1, 1, 5, 1);
}

/* Eigenvalues of G, and projections that keep lengths where all vectors are kept. */
static void test_subspace(void **state)
{
    enum { ROWS = 3000, COLUMNS = 6 };
    orthant_context *ctx = *state;
    orthant_matrix *y = NULL, *z = NULL;
    subspace s;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_SINGLE, ROWS, COLUMNS, &y));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            ((float *)y->values)[i * y->stride + j] = (float)draw((uint64_t)i + 5, (uint64_t)j);
    expect_ok(ctx, subspace_create(ctx, y, &s));
    double total = 0.0;
    for (int i = 0; i < COLUMNS; i++) {
        total += s.energy[i];
        assert_true(i == 0 || s.energy[i] <= s.energy[i - 1]);
    }
    assert_true(fabs(total / matrix_squares(y) - 1.0) < 1e-5);
    assert_true(fabs(subspace_tail(&s, 0) - 1.0) < 1e-12);
    assert_true(fabs(subspace_tail(&s, COLUMNS - 1) - s.energy[COLUMNS - 1] / total) < 1e-12);
    expect_ok(ctx, subspace_project(&s, y, 2, &z));
    double captured = matrix_squares(z);
    assert_true(fabs(captured / (s.energy[0] + s.energy[1]) - 1.0) < 1e-5);
    orthant_matrix_free(z);
    subspace_free(&s);
    /* What has no eigenvalues is said, and nothing is left of it. */
    ((float *)y->values)[3] = NAN;
    expect_failure(ctx, ORTHANT_ERROR_NUMERIC, "did not converge", subspace_create(ctx, y, &s));
    assert_true(!s.energy && !s.vectors);
    orthant_matrix_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_banks), fixture_test(test_filter),
                                       fixture_test(test_bins), fixture_test(test_histograms),
                                       fixture_test(test_subspace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
