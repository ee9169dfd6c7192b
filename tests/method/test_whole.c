/* Every method with its settings, in numbers: a few iterations on small data, beside what came of
 * them when someone last looked (ORTHANT_PIN=1 writes it again). The parts that have a reference of
 * their own are held against it elsewhere (golden, contract, engine); here nothing may change
 * unseen. */
#include "fixture.h"
#include "pinned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

enum { RANK = 4 };

static void print_factor(FILE *out, const char *name, const orthant_matrix *factor)
{
    const int64_t rows = orthant_matrix_rows(factor), columns = orthant_matrix_columns(factor);
    double sum = 0, weighed = 0;
    /* Eigenvectors have no sign of their own. */
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double value = fabs(orthant_matrix_get(factor, i, j));
            sum += value;
            weighed += value * (double)((i * 7 + j * 3) % 11);
        }
    fprintf(out, "  %s %" PRId64 " x %" PRId64 ": %.6g %.6g\n", name, rows, columns, sum, weighed);
}

static void print_labels(FILE *out, const orthant_result *result)
{
    orthant_labels *labels = NULL;
    if (orthant_result_labels(result, NULL, 3, 4, 1, &labels) != ORTHANT_OK)
        return;
    /* In the order in which they come, which no renaming changes. */
    int64_t known[64] = {0}, count = 0;
    fprintf(out, "  %s: ", orthant_result_labels_rule(result));
    for (int64_t i = 0; i < orthant_labels_count(labels); i++) {
        const int64_t label = orthant_labels_values(labels)[i];
        int64_t at = 0;
        while (at < count && known[at] != label)
            at++;
        if (at == count && count < 64)
            known[count++] = label;
        fputc((int)('a' + at), out);
    }
    fputc('\n', out);
    orthant_labels_free(labels);
}

static void print_fit(FILE *out, const orthant_result *result)
{
    fprintf(out, "  objective %.6g after %" PRId64 ", %sconverged, %" PRId64 " dead\n",
            orthant_result_objective(result), orthant_result_iterations(result),
            orthant_result_converged(result) ? "" : "not ", orthant_result_dead_columns(result));
    const int64_t rows = orthant_result_history_rows(result);
    for (int64_t r = 0; r < rows; r += r + 1 < rows && rows - 1 - r < 2 ? 1 : 2) {
        fprintf(out, "  %" PRId64 ":", r);
        for (int c = 2; c < orthant_result_history_columns(result); c++)
            fprintf(out, " %s %.6g", orthant_result_history_column(result, c),
                    orthant_result_history(result, r, c));
        fputc('\n', out);
    }
    for (int i = 0; i < orthant_result_note_count(result); i++)
        fprintf(out, "  note: %s\n", orthant_result_note(result, i));
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const char *name = orthant_result_factor_name(result, f);
        print_factor(out, name, orthant_result_factor(result, name));
    }
    print_labels(out, result);
}

/* `settings`: "name=value name=value". */
static void fit_and_print(FILE *out, const test_problem *p, const char *method,
                          const char *settings)
{
    orthant_model *model = problem_model(p, method, RANK, "6");
    orthant_result *result = NULL;
    char text[300];
    fprintf(out, "%s %s\n", method, settings);
    snprintf(text, sizeof text, "%s", settings);
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (strcmp(at, "term") ? orthant_model_set(model, at, value)
                               : orthant_model_add_term(model, value, 0.3))
            fprintf(out, "  refused: %s\n", orthant_message(p->ctx));
    }
    if (orthant_fit(model, p->X, &result) == ORTHANT_OK)
        print_fit(out, result);
    else
        fprintf(out, "  refused: %s\n", orthant_message(p->ctx));
    orthant_result_free(result);
    orthant_model_free(model);
}

static void finish(FILE *out, const char *name)
{
    char kept[200], patterns[200];
    assert_int_equal(fclose(out), 0);
    snprintf(kept, sizeof kept, "tests/method/whole/%s.txt", name);
    snprintf(patterns, sizeof patterns, "--close 1e-4 %s.txt", name);
    expect_pinned(files_folder(), kept, patterns);
}

static void every_method(bool sparse, const char *name)
{
    char file[100];
    test_problem p;
    snprintf(file, sizeof file, "%s.txt", name);
    FILE *out = fopen(files_path(file), "w");
    assert_non_null(out);
    problem_make(&p, (problem_shape){23, 17, ORTHANT_DOUBLE, sparse, 5, 0.7});
    for (int m = 0; m < orthant_method_count(); m++) {
        orthant_method_info info = {.size = sizeof info};
        assert_int_equal(orthant_method_info_at(m, &info), ORTHANT_OK);
        /* Coordinate descent repeats its passes by groups as wide as a vector of the CPU. */
        const bool descends = strcmp(info.name, "nmf") == 0;
        fit_and_print(out, &p, info.name, descends ? "solver=mu" : "");
        fit_and_print(out, &p, info.name,
                      descends ? "solver=mu seed=9 iterations=3" : "seed=9 iterations=3");
    }
    problem_free(&p);
    finish(out, name);
}

static void methods_on_dense_data(void **state)
{
    (void)state;
    every_method(false, "dense");
}

static void methods_on_sparse_data(void **state)
{
    (void)state;
    every_method(true, "sparse");
}

static void settings_of_methods(void **state)
{
    static const char *const cases[][2] = {
        {"nmf", "solver=mu"},
        {"nmf", "solver=emu"},
        {"nmf-kl", "solver=newton"},
        {"nmf-kl", "solver=emu"},
        {"nmf", "solver=mu init=uniform"},
        {"nmf", "solver=mu init=nndsvd"},
        {"nmf", "solver=mu init=nndsvda"},
        {"nmf", "solver=mu init=nndsvdar"},
        {"nmf", "solver=mu init=kmeans"},
        {"nmf", "solver=mu normalise=basis"},
        {"nmf", "solver=mu normalise=encoding"},
        {"nmf", "term=graph term=sparsity"},
        {"nmf", "term=local solver=mu"},
        {"nmf", "term=topographic term=a-optimal"},
        {"nmf", "term=ridge term=ridge-basis"},
        {"nmf", "term=sparsity-basis term=smooth-basis"},
        {"nmf", "term=smooth term=volume solver=mu"},
        {"nmf", "term=orthogonal term=orthogonal-basis solver=hals"},
        {"nmf-kl", "term=graph term=topographic"},
        {"cdnmf", "class_weight=2"},
        {"gnmf", "graph_weight=3 neighbours=3 weights=heat"},
        {"gnmf", "graph_weight=3 neighbours=2 weights=cosine"},
        {"gnmf", "weights=heat heat_width=0.7"},
        {"nmf-sc", "basis_sparseness=0.4 encoding_sparseness=0"},
        {"nmf-sc", "basis_sparseness=0 encoding_sparseness=0.6"},
        {"grpnmf", "graph_weight=5"},
        {"rmnd", "start=random step=paper inner_steps=2"},
        {"spectral", "neighbours=4"},
        {"kmeans", "restarts=1"},
        {"nnsc", "sparsity_weight=0.5"},
        {"tnmf", "pooling_weight=2"},
        {"nmf", "solver=mu tolerance=0.5"},
    };
    test_problem p;
    (void)state;
    FILE *out = fopen(files_path("settings.txt"), "w");
    assert_non_null(out);
    problem_make(&p, (problem_shape){31, 14, ORTHANT_DOUBLE, false, 8, 0.8});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fit_and_print(out, &p, cases[i][0], cases[i][1]);
    problem_free(&p);
    finish(out, "settings");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_on_dense_data),
        cmocka_unit_test(methods_on_sparse_data),
        cmocka_unit_test(settings_of_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
