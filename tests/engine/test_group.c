/* Samples that several processes share: the same bits as in one, whatever their number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "engine/group.h"
#include "fixture.h"
#include "problem.h"
#include "thread_group.h"

/* ------------------------------------------------------------------ the tree */

typedef struct numbers {
    double *slot, now;
} numbers;

static void add_number(void *user, int slot)
{
    numbers *n = user;
    n->now += n->slot[slot];
}

/* One after the other, as the nodes come. */
static double join(const chunk_cut *cut, const chunk_node *node, const double *value, int64_t count)
{
    chunk_stack stack = {.depth = 0};
    double slot[CHUNKS_MOST_NODES + 1];
    numbers n = {slot, 0};
    for (int64_t i = 0; i < count; i++) {
        n.now = value[i];
        const chunk_node joined = chunks_join(cut, &stack, node[i], add_number, &n);
        slot[stack.depth] = n.now;
        stack.node[stack.depth++] = joined;
    }
    assert_int_equal(stack.depth, count > 0);
    return n.now;
}

/* Sums of ranges of chunks are joined to what all chunks in one process give. */
static void test_ranges_give_the_same_tree(void **state)
{
    (void)state;
    for (int64_t count = 1; count < 70; count++)
        for (int ranks = 1; ranks < 12; ranks++) {
            chunk_cut cut = {.samples = count, .chunk = 1, .count = count};
            chunk_node all[70], node[CHUNKS_MOST_NODES], chunks[70];
            double value[70], partial[70];
            int64_t found = 0, covered = 0;
            for (int64_t left = count - 1; left > 0; left /= 2)
                cut.levels++;
            for (int64_t c = 0; c < count; c++) {
                value[c] = random_normal(1, RANDOM_TEST, (uint64_t)c, 0);
                chunks[c] = (chunk_node){0, c};
            }
            for (int r = 0; r < ranks; r++) {
                const int64_t first = chunks_first(&cut, r, ranks),
                              end = chunks_first(&cut, r + 1, ranks);
                const int nodes = chunks_nodes(&cut, first, end, node);
                int64_t at = first;
                for (int i = 0; i < nodes; i++) {
                    const int64_t last = (node[i].index + 1) << node[i].level;
                    assert_int_equal(node[i].index << node[i].level, at);
                    double slots[CHUNK_SUM_SLOTS];
                    /* what the chunks of this node give by themselves */
                    const sample_share own = {.ranks = 1,
                                              .cut = cut,
                                              .first_chunk = at,
                                              .end_chunk = last < count ? last : count};
                    chunk_sum sum;
                    chunk_sum_begin(&sum, &own, 1, slots);
                    for (; at < own.end_chunk; at++) {
                        *chunk_sum_row(&sum) = value[at];
                        chunk_sum_next(&sum);
                    }
                    chunk_sum_end(&sum, &partial[found]);
                    all[found++] = node[i];
                }
                assert_int_equal(at, end);
                covered += end - first;
            }
            assert_int_equal(covered, count);
            const double whole = join(&cut, chunks, value, count),
                         parts = join(&cut, all, partial, found);
            assert_memory_equal(&whole, &parts, sizeof whole);
        }
}

/* ------------------------------------------------------------------ fits */

typedef struct fit_case {
    const char *method;
    const char *parameters[3][2];
    const char *term;
    double weight;
    bool graph; /* a ring; else, where the method takes one, that of the neighbours */
} fit_case;

static const fit_case cases[] = {
    {.method = "nmf"},
    {.method = "nmf", .parameters = {{"solver", "mu"}}},
    {.method = "nmf", .parameters = {{"solver", "emu"}, {"init", "uniform"}}},
    {.method = "nmf", .parameters = {{"solver", "mu"}, {"normalise", "basis"}}},
    {.method = "nmf-kl"},
    {.method = "nmf-kl", .parameters = {{"solver", "emu"}}},
    {.method = "nmf-kl", .term = "topographic", .weight = 1},
    {.method = "nmf-kl", .term = "local", .weight = 0.1},
    {.method = "tnmf"},
    {.method = "cdnmf"},
    {.method = "cdnmf-kl"},
    {.method = "tnmf+"},
    {.method = "cdnmf-kl+"},
    {.method = "nlcf"},
    {.method = "nlcf", .parameters = {{"solver", "hals"}}},
    {.method = "nnsc"},
    {.method = "anp"},
    {.method = "gnmf", .graph = true},
    {.method = "gnmf", .parameters = {{"solver", "hals"}}, .graph = true},
    {.method = "gnmf", .parameters = {{"normalise", "basis"}}, .graph = true},
    {.method = "nlcf-g", .graph = true},
    {.method = "sgnmf", .graph = true},
    {.method = "nmf-kl", .term = "graph", .weight = 1, .graph = true},
    {.method = "nmf", .term = "smooth", .weight = 2},
    {.method = "gnmf", .term = "smooth", .weight = 2, .graph = true},
    {.method = "gnmf",
     .parameters = {{"solver", "hals"}},
     .term = "smooth",
     .weight = 2,
     .graph = true},
    {.method = "nmf-kl", .term = "orthogonal", .weight = 0.1},
    {.method = "nmf", .parameters = {{"solver", "hals"}}, .term = "volume", .weight = 0.1},
};

/* A fit, and the same in a group. */
typedef struct shared_fit {
    const fit_case *what;
    problem_shape shape;
    const orthant_result *alone;
    orthant_status expected;
    const char *message; /* part of it */
    int64_t negative;    /* the row with a negative entry; 0: none */
    bool start;          /* that entry is one of the encoding's start, not of the data */
    bool differs;        /* each rank has a seed of its own */
    bool wraps;          /* each gives an array of its own rows */
} shared_fit;

static orthant_model *make_model(const test_problem *p, const fit_case *what,
                                 const orthant_graph *graph)
{
    orthant_model *model = problem_model(p, what->method, 5, "4");
    assert_int_equal(orthant_model_set_graph(model, graph), ORTHANT_OK);
    for (int i = 0; i < 3 && what->parameters[i][0]; i++)
        assert_int_equal(orthant_model_set(model, what->parameters[i][0], what->parameters[i][1]),
                         ORTHANT_OK);
    if (what->term)
        assert_int_equal(orthant_model_add_term(model, what->term, what->weight), ORTHANT_OK);
    return model;
}

static void compare_rows(const shared_fit *s, const orthant_matrix *part,
                         const orthant_matrix *whole, int64_t first)
{
    for (int64_t i = 0; i < orthant_matrix_rows(part); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(part); j++) {
            const double ours = orthant_matrix_get(part, i, j),
                         theirs = orthant_matrix_get(whole, first + i, j);
            if (memcmp(&ours, &theirs, sizeof ours))
                fail_msg("%s: row %d, column %d is %a, alone %a", s->what->method, (int)(first + i),
                         (int)j, ours, theirs);
        }
}

static void compare_history(const shared_fit *s, const orthant_result *result)
{
    assert_int_equal(orthant_result_history_rows(result), orthant_result_history_rows(s->alone));
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++)
        for (int j = 2; j < orthant_result_history_columns(result); j++) {
            const double ours = orthant_result_history(result, i, j),
                         theirs = orthant_result_history(s->alone, i, j);
            if (memcmp(&ours, &theirs, sizeof ours))
                fail_msg("%s: %s of iteration %d is %a, alone %a", s->what->method,
                         orthant_result_history_column(result, j), (int)i, ours, theirs);
        }
    const double ours = orthant_result_projected_gradient(result),
                 theirs = orthant_result_projected_gradient(s->alone);
    assert_true(!memcmp(&ours, &theirs, sizeof ours) || (isnan(ours) && isnan(theirs)));
    assert_int_equal(orthant_result_dead_columns(result), orthant_result_dead_columns(s->alone));
}

/* Ones but for the negative entry. */
static orthant_matrix *start_of(orthant_context *ctx, const shared_fit *s)
{
    orthant_matrix *start = NULL;
    assert_int_equal(matrix_new_dense(ctx, s->shape.precision, s->shape.samples, 5, &start),
                     ORTHANT_OK);
    for (int64_t i = 0; i < s->shape.samples; i++)
        for (int64_t j = 0; j < 5; j++)
            matrix_set_value(start, i * start->stride + j, i == s->negative && j == 4 ? -1 : 1);
    return start;
}

/* Of dense data, which stay. */
static void wrap_own_rows(test_problem *p, const shared_fit *s, int64_t first, int64_t rows)
{
    orthant_array view = {.size = sizeof view};
    orthant_matrix *own = NULL;
    assert_int_equal(orthant_matrix_view(p->X, &view), ORTHANT_OK);
    view.values = rows ? (const char *)view.values +
                             (size_t)(first * view.row_stride) * precision_size(view.precision)
                       : NULL;
    view.rows = rows;
    expect_ok(p->ctx, orthant_matrix_wrap(p->ctx, &view, NULL, NULL, &own));
    expect_ok(p->ctx, orthant_matrix_set_part(own, first, s->shape.samples));
    p->X = own;
}

static void fit_member(void *user, const orthant_group *group)
{
    const shared_fit *s = user;
    test_problem p;
    orthant_result *result = NULL;
    int64_t first, rows;
    problem_make(&p, s->shape);
    assert_int_equal(orthant_context_set_threads(p.ctx, 1), ORTHANT_OK);
    assert_int_equal(orthant_context_set_group(p.ctx, group), ORTHANT_OK);
    assert_int_equal(orthant_group_rows(p.ctx, s->shape.samples, s->shape.features, &first, &rows),
                     ORTHANT_OK);
    if (s->negative && !s->start)
        matrix_set_value(p.X, s->negative * p.X->stride + 4, -1);
    p.X->summary.known = false;
    orthant_matrix *whole = s->wraps ? p.X : NULL;
    if (s->wraps)
        wrap_own_rows(&p, s, first, rows);
    else
        assert_int_equal(orthant_matrix_share(p.X), ORTHANT_OK);
    assert_int_equal(orthant_matrix_rows(p.X), rows);
    assert_int_equal(orthant_matrix_total_rows(p.X), s->shape.samples);
    orthant_graph *graph = s->what->graph ? ring_graph(p.ctx, s->shape.samples, 3) : NULL;
    orthant_model *model = make_model(&p, s->what, graph);
    if (s->differs)
        assert_int_equal(orthant_model_set(model, "seed", group->rank ? "2" : "1"), ORTHANT_OK);
    orthant_matrix *start = s->start ? start_of(p.ctx, s) : NULL;
    if (start) {
        assert_int_equal(orthant_model_set_start(model, "encoding", start), ORTHANT_OK);
        assert_int_equal(orthant_model_set_start(model, "basis", NULL), ORTHANT_OK);
    }
    const orthant_status status = orthant_fit(model, p.X, &result);
    if (status != s->expected || (s->message && !strstr(orthant_message(p.ctx), s->message)))
        fail_msg("%s in rank %d: status %d: %s", s->what->method, group->rank, status,
                 orthant_message(p.ctx));
    if (!status) {
        const orthant_matrix *encoding = orthant_result_factor(result, "encoding");
        assert_int_equal(orthant_matrix_rows(encoding), rows);
        compare_rows(s, orthant_result_factor(result, "basis"),
                     orthant_result_factor(s->alone, "basis"), 0);
        compare_rows(s, encoding, orthant_result_factor(s->alone, "encoding"), first);
        compare_history(s, result);
        assert_int_equal(orthant_result_gather(result), ORTHANT_OK);
        if (group->rank == 0)
            assert_true(factors_identical(result, s->alone));
    }
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(start);
    orthant_graph_free(graph);
    orthant_matrix_free(s->wraps ? p.X : NULL);
    p.X = s->wraps ? whole : p.X;
    problem_free(&p);
}

static void run_case(const fit_case *what, problem_shape shape, int ranks)
{
    test_problem p;
    problem_make(&p, shape);
    orthant_graph *graph = what->graph ? ring_graph(p.ctx, shape.samples, 3) : NULL;
    orthant_model *model = make_model(&p, what, graph);
    orthant_result *alone = problem_fit(&p, model);
    shared_fit s = {.what = what, .shape = shape, .alone = alone};
    thread_group_run(ranks, 0, fit_member, &s);
    s.wraps = what == &cases[0] && !shape.sparse;
    if (s.wraps)
        thread_group_run(5, 0, fit_member, &s);
    orthant_result_free(alone);
    orthant_model_free(model);
    orthant_graph_free(graph);
    problem_free(&p);
}

/* Four chunks: 5 ranks leave one without any. */
static void test_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += SANITIZED ? 3 : 1) {
        run_case(&cases[i], (problem_shape){9000, 260, ORTHANT_SINGLE, false, 5, 0.3}, 3);
        run_case(&cases[i], (problem_shape){9000, 260, ORTHANT_DOUBLE, true, 6, 0.05},
                 i % 2 ? 2 : 5);
    }
}

/* One chunk: one rank has all samples, and the others none. */
static void test_one_has_all(void **state)
{
    static const fit_case plain = {.method = "nmf"}, terms = {.method = "gnmf"};
    (void)state;
    for (int ranks = 2; ranks <= 3; ranks++) {
        run_case(&plain, (problem_shape){500, 30, ORTHANT_SINGLE, false, 5, 0.3}, ranks);
        run_case(&terms, (problem_shape){500, 30, ORTHANT_DOUBLE, true, 5, 0.3}, ranks);
    }
}

/* The search for neighbours needs all samples for a while. */
static void test_neighbours(void **state)
{
    static const fit_case searched = {.method = "gnmf"},
                          heat = {.method = "gnmf", .parameters = {{"weights", "heat"}}};
    (void)state;
    run_case(&searched, (problem_shape){4200, 300, ORTHANT_SINGLE, false, 7, 0.02}, 2);
    run_case(&heat, (problem_shape){4200, 300, ORTHANT_DOUBLE, true, 7, 0.02}, 3);
}

/* ------------------------------------------------------------------ failures */

static void test_failure_of_one_is_that_of_all(void **state)
{
    static const fit_case plain = {.method = "nmf"},
                          newton = {.method = "nmf-kl", .parameters = {{"solver", "newton"}}},
                          kmeans = {.method = "kmeans"},
                          svd = {.method = "nmf", .parameters = {{"init", "nndsvd"}}};
    const problem_shape shape = {4200, 300, ORTHANT_SINGLE, false, 7, 0.02};
    shared_fit s = {.what = &plain,
                    .shape = shape,
                    .expected = ORTHANT_ERROR_DATA,
                    .message = "entry (4100, 5) is -1",
                    .negative = 4099};
    (void)state;
    thread_group_run(3, 0, fit_member, &s);
    s.expected = ORTHANT_ERROR_ARGUMENT;
    s.message = "the start of 'encoding': entry (4100, 5) is -1";
    s.start = true;
    thread_group_run(3, 0, fit_member, &s);
    s = (shared_fit){.what = &newton,
                     .shape = shape,
                     .expected = ORTHANT_ERROR_ARGUMENT,
                     .message = "'newton' needs all samples in one process"};
    thread_group_run(2, 0, fit_member, &s);
    s.what = &kmeans;
    s.message = "'kmeans' needs all samples in one process";
    thread_group_run(2, 0, fit_member, &s);
    s.what = &svd;
    s.message = "nndsvd needs all samples in one process";
    thread_group_run(2, 0, fit_member, &s);
    s.what = &plain;
    s.differs = true;
    s.message = "were not given the same";
    thread_group_run(2, 0, fit_member, &s);
    s = (shared_fit){
        .what = &plain, .shape = shape, .expected = ORTHANT_ERROR_IO, .message = "lost each other"};
    for (int64_t call = 1; call < 12; call += 3)
        thread_group_run(3, call, fit_member, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_give_the_same_tree),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_one_has_all),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_failure_of_one_is_that_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
