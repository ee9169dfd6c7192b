/* Every method on finite data that strain the numbers: entries too small for the precision, of
 * 1e30, at the ends of what it takes, one entry, constants, rank 1, as many parts as samples or
 * features, equal samples, samples and features of zeros. A fit ends with finite factors and the
 * objective that these have, or it is refused by name. */
#include "expect.h"
#include "problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/random.h"

enum { N = 14, M = 9, RANK = 4 };

static double draw(int64_t i, int64_t j)
{
    return random_uniform(31, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* An entry of each kind of data. */
static double ordinary(int64_t i, int64_t j, bool single)
{
    (void)single;
    return draw(i, j) < 0.2 ? 0 : draw(j, i + 100) * (i % 4 == j % 4 ? 3 : 1);
}

static double some_denormal(int64_t i, int64_t j, bool single)
{
    const double tiny = single ? 1e-42 : 1e-310;
    return (i + j) % 3 == 0 ? tiny : ordinary(i, j, single);
}

static double all_denormal(int64_t i, int64_t j, bool single)
{
    return (single ? 1e-40 : 1e-309) * (1 + draw(i, j));
}

static double large(int64_t i, int64_t j, bool single)
{
    return 1e30 * ordinary(i, j, single);
}

static double one_large(int64_t i, int64_t j, bool single)
{
    return i == 5 && j == 3 ? 1e30 : ordinary(i, j, single);
}

/* Just within what a fit takes: docs/design.md. */
static double lower_end(int64_t i, int64_t j, bool single)
{
    return (single ? 1e-12 : 1e-90) * (0.5 + ordinary(i, j, single));
}

static double upper_end(int64_t i, int64_t j, bool single)
{
    return (single ? 3e11 : 3e89) * ordinary(i, j, single);
}

/* From one end to the other. */
static double both_ends(int64_t i, int64_t j, bool single)
{
    return pow(10, (single ? 11 : 80) * (2 * draw(i, j) - 1));
}

static double one_entry(int64_t i, int64_t j, bool single)
{
    (void)single;
    return i == 5 && j == 3 ? 2 : 0;
}

static double constant(int64_t i, int64_t j, bool single)
{
    (void)i;
    (void)j;
    (void)single;
    return 7;
}

static double rank_one(int64_t i, int64_t j, bool single)
{
    (void)single;
    return (double)(i + 1) * (double)(j + 1);
}

static double equal_samples(int64_t i, int64_t j, bool single)
{
    return ordinary(i % 2, j, single);
}

static double zero_samples(int64_t i, int64_t j, bool single)
{
    return i % 3 == 0 ? 0 : ordinary(i, j, single);
}

static double zero_features(int64_t i, int64_t j, bool single)
{
    return j % 3 == 0 ? 0 : ordinary(i, j, single);
}

static double zeros(int64_t i, int64_t j, bool single)
{
    (void)i;
    (void)j;
    (void)single;
    return 0;
}

typedef struct kind {
    const char *name;
    double (*entry)(int64_t i, int64_t j, bool single);
    int64_t rank;
    const char *refusal; /* what a refusal says, of any method; NULL: none is right */
} kind;

static const kind kinds[] = {
    {"ordinary", ordinary, RANK, NULL},
    {"rank of the samples", ordinary, N, NULL},
    {"rank of the features", ordinary, M, NULL},
    {"some denormal", some_denormal, RANK, NULL},
    {"all denormal", all_denormal, RANK, "the largest entry"},
    {"1e30", large, RANK, "the largest entry"},
    {"one of 1e30", one_large, RANK, "the largest entry"},
    {"lower end", lower_end, RANK, "the largest entry"},
    {"upper end", upper_end, RANK, "the largest entry"},
    {"both ends", both_ends, RANK, "the largest entry"},
    {"one entry", one_entry, RANK, NULL},
    {"constant", constant, RANK, NULL},
    {"rank 1", rank_one, RANK, NULL},
    {"equal samples", equal_samples, RANK, NULL},
    {"zero samples", zero_samples, RANK, NULL},
    {"zero features", zero_features, RANK, NULL},
    {"zeros", zeros, RANK, "every entry of the data is zero"},
};

/* Reasons of a method's own. */
static const struct {
    const char *method, *refusal;
} others[] = {
    {"nsdr", "take a larger ridge"}, /* beside data of 1e12 its default is nothing */
    {"rica", "all samples are equal"},
};

/* Solvers that are not for a loss or a term say so. */
static const char *const solvers[] = {NULL, "mu", "emu", "hals", "newton"};

typedef struct trial {
    const orthant_method_info *info;
    const kind *kind;
    const char *solver; /* NULL: the method's */
    bool single, sparse;
    test_problem p;
    double squares, sum; /* of the data */
} trial;

#define fail_trial(t, format, ...)                                                                 \
    fail_msg("%s %s, %s, %s %s: " format, (t)->info->name, (t)->solver ? (t)->solver : "",         \
             (t)->kind->name, (t)->single ? "single" : "double", (t)->sparse ? "sparse" : "dense", \
             __VA_ARGS__)

static void make(trial *t)
{
    double values[N * M], stored[N * M];
    int64_t start[N + 1] = {0}, column[N * M], label[N];
    t->p = (test_problem){0};
    assert_int_equal(orthant_context_create(&t->p.ctx), ORTHANT_OK);
    orthant_context_set_precision(t->p.ctx, t->single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
    for (int64_t i = 0; i < N; i++) {
        start[i + 1] = start[i];
        label[i] = i % 2 ? -1 : i / 2 % 4;
        for (int64_t j = 0; j < M; j++) {
            values[i * M + j] = t->kind->entry(i, j, t->single);
            if (values[i * M + j] > 0) {
                column[start[i + 1]] = j;
                stored[start[i + 1]++] = values[i * M + j];
            }
        }
    }
    expect_ok(t->p.ctx,
              t->sparse ? orthant_matrix_create_csr(t->p.ctx, N, M, start, column, stored, &t->p.X)
                        : orthant_matrix_create(t->p.ctx, N, M, values, &t->p.X));
    expect_ok(t->p.ctx, orthant_labels_create(t->p.ctx, N, label, &t->p.labels));
    t->squares = t->sum = 0;
    for (int64_t e = 0; e < N * M; e++) {
        t->squares += pow(orthant_matrix_get(t->p.X, e / M, e % M), 2);
        t->sum += orthant_matrix_get(t->p.X, e / M, e % M);
    }
}

static void check_finite(const trial *t, const orthant_result *result)
{
    const bool nonnegative = strstr(t->info->promises, "nonnegative") != NULL;
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const char *name = orthant_result_factor_name(result, f);
        const orthant_matrix *factor = orthant_result_factor(result, name);
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++) {
                const double value = orthant_matrix_get(factor, i, j);
                if (!isfinite(value) || (nonnegative && value < 0))
                    fail_trial(t, "%s(%d, %d) is %g", name, (int)i, (int)j, value);
            }
    }
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++)
        for (int c = 2; c < orthant_result_history_columns(result); c++)
            if (!isfinite(orthant_result_history(result, i, c)))
                fail_trial(t, "%s is %g in iteration %d", orthant_result_history_column(result, c),
                           orthant_result_history(result, i, c), (int)i);
    if (!isfinite(orthant_result_objective(result)))
        fail_trial(t, "the objective is %g", orthant_result_objective(result));
}

/* A term that favours large encodings lets the basis shrink until a float does not hold its
 * squares; that is told. */
static bool has_drifted(const orthant_result *result)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), "the scale drifted"))
            return true;
    return false;
}

/* The loss that is told is that of the factors, in double: to a thousandth, or as near as the
 * precision comes to a difference of numbers of the data's size. */
static void check_loss(const trial *t, const orthant_result *result)
{
    const bool kl = !strcmp(t->info->loss, "kl");
    const int64_t rows = orthant_result_history_rows(result);
    if (!*t->info->loss || rows < 1 || (t->single && has_drifted(result)))
        return;
    const double told = orthant_result_history(result, rows - 1, 3),
                 share = strcmp(t->info->name, "nnsc") ? 1 : 0.5, /* of its objective */
        found = share * problem_loss(&t->p, result, kl),
                 rounding = (t->single ? 1e-6 : 1e-14) * (kl ? t->sum : t->squares);
    if (!(fabs(told - found) <= 1e-3 * found + 10 * rounding))
        fail_trial(t, "the loss is told as %.9g and is %.9g", told, found);
}

static void check_refusal(const trial *t, orthant_status status)
{
    const char *message = orthant_message(t->p.ctx);
    bool named = t->kind->refusal && strstr(message, t->kind->refusal);
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        named |= !strcmp(others[o].method, t->info->name) && strstr(message, others[o].refusal);
    if (t->solver && strstr(message, "solver"))
        named = true;
    if (status != ORTHANT_ERROR_DATA && status != ORTHANT_ERROR_ARGUMENT &&
        status != ORTHANT_ERROR_NUMERIC && status != ORTHANT_ERROR_UNSUPPORTED)
        fail_trial(t, "ends as %s: %s", orthant_status_name(status), message);
    if (!named || strchr(message, '\n'))
        fail_trial(t, "refused: %s: %s", orthant_status_name(status), message);
}

static void run(trial *t)
{
    orthant_result *result = NULL;
    make(t);
    orthant_model *model = problem_model(&t->p, t->info->name, t->kind->rank, "25");
    const bool runs = !t->solver || !orthant_model_set(model, "solver", t->solver);
    const orthant_status status = runs ? orthant_fit(model, t->p.X, &result) : ORTHANT_OK;
    if (status) {
        assert_null(result);
        check_refusal(t, status);
    } else if (runs) {
        check_finite(t, result);
        check_loss(t, result);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&t->p);
}

static void test_numbers(void **state)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int form = 0; form < 4; form++)
            for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
                run(&(trial){.info = *state,
                             .kind = &kinds[k],
                             .solver = solvers[s],
                             .single = form & 1,
                             .sparse = form & 2});
}

int main(void)
{
    enum { MOST = 64 };
    static orthant_method_info infos[MOST];
    static struct CMUnitTest tests[MOST];
    const int count = orthant_method_count();
    assert_true(count > 20 && count <= MOST);
    for (int m = 0; m < count; m++) {
        infos[m].size = sizeof infos[m];
        orthant_method_info_at(m, &infos[m]);
        tests[m] = (struct CMUnitTest){infos[m].name, test_numbers, NULL, NULL, &infos[m]};
    }
    return _cmocka_run_group_tests("numbers", tests, (size_t)count, NULL, NULL);
}
