/* Every public function, found in the headers, is called with each of its pointers NULL in turn,
 * with all of them NULL, and with objects whose context was freed: none crashes, and those that
 * return a status refuse with ORTHANT_ERROR_ARGUMENT, but for the lists below. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orthant/orthant.h"

#define MOST_PLACES 16
#define MEMORY_BYTES 65536
#define ALL (-2)
#define NONE (-1)

/* One object of each kind. */
typedef struct objects {
    orthant_context *orthant_context;
    orthant_matrix *orthant_matrix;
    orthant_labels *orthant_labels;
    orthant_graph *orthant_graph;
    orthant_model *orthant_model;
    orthant_result *orthant_result;
    orthant_study *orthant_study;
} objects;

typedef struct call {
    objects world;
    int null; /* the place that is NULL; ALL; NONE */
    orthant_status status;
    void *out[MOST_PLACES];
    char *memory[MOST_PLACES];
} call;

typedef struct public_function {
    const char *name;
    void (*run)(call *c);
    const char *places; /* '*' for each parameter that is a pointer to something */
    bool returns_status, frees;
} public_function;

static bool is_null(const call *c, int place)
{
    return c->null == ALL || c->null == place;
}

static void *given(const call *c, int place, const void *object)
{
    return is_null(c, place) ? NULL : (void *)(uintptr_t)object;
}

static void *out(call *c, int place)
{
    return is_null(c, place) ? NULL : &c->out[place];
}

static void *memory(const call *c, int place)
{
    return is_null(c, place) ? NULL : c->memory[place];
}

/* A struct that says its size; what has none takes it for a value. */
static void *filled(const call *c, int place, size_t size)
{
    memcpy(c->memory[place], &size, sizeof size);
    return memory(c, place);
}

#include "public_calls.inc"

/* Pointers that may be NULL: function and place. */
static const struct {
    const char *name;
    int place;
} optional[] = {
    {"orthant_partial_fit", 2},
    {"orthant_matrix_read", 2},
    {"orthant_matrix_read", 4},
    {"orthant_matrix_create", 3},
    {"orthant_matrix_scale_by", 2},
    {"orthant_matrix_scale_masked", 2},
    {"orthant_matrix_scale_masked", 3},
    {"orthant_matrix_scale_masked", 4},
    {"orthant_saved_run_scale_masked", 1},
    {"orthant_saved_run_scale_masked", 2},
    {"orthant_saved_run_data_masked", 1},
    {"orthant_labels_kmeans", 6},
    {"orthant_result_labels", 1},
    {"orthant_result_read_out", 6},
    {"orthant_context_set_group", 1},
    {"orthant_model_set_graph", 1},
    {"orthant_model_set_labels", 1},
    {"orthant_model_set_mask", 1},
    {"orthant_model_set_sample_weights", 1},
    {"orthant_model_set_feature_weights", 1},
    {"orthant_model_set_pooling", 1},
    {"orthant_model_set_similarity", 1},
    {"orthant_model_set_checkpoint", 1},
    {"orthant_model_set_resume", 1},
    {"orthant_model_set_start", 2},
    {"orthant_graph_build", 2},
    {"orthant_score_segmentation", 5},
    {"orthant_study_add_data", 2},
    {"orthant_study_add_data", 4},
    {"orthant_study_run", 1},
    {"orthant_method_info_by_name", 0},
    {"orthant_matrix_create_csr", 4},
    {"orthant_matrix_create_csr", 5},
    {"orthant_cloud_create", 3},
    {"orthant_cloud_create", 4},
    {"orthant_matrix_set_feature_names", 1},
    {"orthant_words_count", 2},
    {"orthant_words_count", 4},
    {"orthant_fit_consensus", 2},
    {"orthant_model_transform", 3},
    {"orthant_saved_run_encode", 2},
    {"orthant_saved_run_predict", 2},
    {"orthant_saved_run_inverse", 1},
    {"orthant_saved_run_complete", 2},
};

/* What reads an object alone, which works after its context was freed. */
static const char *const readers[] = {"orthant_matrix_view", "orthant_graph_view",
                                      "orthant_matrix_describe", "orthant_model_get"};

static bool may_be_null(const char *name, int place)
{
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (!strcmp(optional[i].name, name) && optional[i].place == place)
            return true;
    return false;
}

static bool only_reads(const char *name)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (!strcmp(readers[i], name))
            return true;
    return false;
}

static void make(call *c, int null)
{
    static const double values[] = {1, 2, 0, 3, 0, 1, 4, 1, 2, 2, 1, 0,
                                    5, 1, 0, 2, 1, 1, 3, 2, 1, 4, 1, 1};
    static const int64_t labels[] = {0, 1, 0, 1, -1, -1};
    objects *w = &c->world;
    *c = (call){.null = null};
    for (int i = 0; i < MOST_PLACES; i++)
        c->memory[i] = calloc(1, MEMORY_BYTES);
    if (orthant_context_create(&w->orthant_context) ||
        orthant_matrix_create(w->orthant_context, 6, 4, values, &w->orthant_matrix) ||
        orthant_labels_create(w->orthant_context, 6, labels, &w->orthant_labels) ||
        orthant_graph_neighbours(w->orthant_context, w->orthant_matrix, 2, ORTHANT_EDGE_BINARY, 0,
                                 &w->orthant_graph) ||
        orthant_model_create(w->orthant_context, "nmf", 2, &w->orthant_model) ||
        orthant_model_set(w->orthant_model, "iterations", "3") ||
        orthant_fit(w->orthant_model, w->orthant_matrix, &w->orthant_result) ||
        orthant_study_create(w->orthant_context, &w->orthant_study))
        fail_msg("%s", orthant_message(w->orthant_context));
}

static void clear(call *c)
{
    objects *w = &c->world;
    orthant_context_free(w->orthant_context);
    orthant_matrix_free(w->orthant_matrix);
    orthant_labels_free(w->orthant_labels);
    orthant_graph_free(w->orthant_graph);
    orthant_result_free(w->orthant_result);
    orthant_model_free(w->orthant_model);
    orthant_study_free(w->orthant_study);
    for (int i = 0; i < MOST_PLACES; i++)
        free(c->memory[i]);
}

static bool refused(const public_function *f, const call *c, const char *what)
{
    if (!f->returns_status || c->status == ORTHANT_ERROR_ARGUMENT)
        return true;
    fprintf(stderr, "%s with %s: %s, expected argument\n", f->name, what,
            orthant_status_name(c->status));
    return false;
}

static bool check_nulls(const public_function *f)
{
    bool fine = true;
    call c;
    for (int place = 0; f->places[place]; place++) {
        char what[32];
        if (f->places[place] != '*')
            continue;
        make(&c, place);
        f->run(&c);
        snprintf(what, sizeof what, "argument %d NULL", place);
        fine &= may_be_null(f->name, place) || refused(f, &c, what);
        clear(&c);
    }
    make(&c, ALL);
    f->run(&c);
    if (strchr(f->places, '*'))
        fine &= refused(f, &c, "all NULL");
    clear(&c);
    return fine;
}

/* The context lives until the last of its objects is freed. */
static bool check_freed(const public_function *f)
{
    call c;
    if (f->frees)
        return true;
    make(&c, NONE);
    orthant_context_free(c.world.orthant_context);
    f->run(&c);
    const bool uses = strncmp(f->name, "orthant_study", 13) && f->places[0] == '*' &&
                      strcmp(f->name, "orthant_context_create");
    const bool fine = !uses || only_reads(f->name) || refused(f, &c, "a freed context");
    clear(&c);
    return fine;
}

/* In a child, so that a crash is told with its function. */
static bool run_in_child(const public_function *f, bool (*check)(const public_function *f))
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(check(f) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: signal %d\n", f->name, WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void run_all(bool (*check)(const public_function *f))
{
    const int count = (int)(sizeof functions / sizeof *functions);
    int wrong = 0;
    assert_true(count > 120);
    for (int i = 0; i < count; i++)
        wrong += !run_in_child(&functions[i], check);
    if (wrong)
        fail_msg("%d of %d functions", wrong, count);
}

static void test_null(void **state)
{
    (void)state;
    run_all(check_nulls);
}

static void test_freed_context(void **state)
{
    (void)state;
    run_all(check_freed);
}

/* Objects are read and freed in any order after their context. */
static void test_reading_after(void **state)
{
    call c;
    (void)state;
    make(&c, NONE);
    orthant_context_free(c.world.orthant_context);
    orthant_context_free(c.world.orthant_context);
    assert_true(orthant_matrix_get(c.world.orthant_matrix, 0, 3) == 3);
    assert_int_equal(orthant_result_iterations(c.world.orthant_result), 3);
    assert_int_equal(orthant_graph_nodes(c.world.orthant_graph), 6);
    orthant_result *result = NULL;
    expect_failure(c.world.orthant_context, ORTHANT_ERROR_ARGUMENT, "was freed",
                   orthant_fit(c.world.orthant_model, c.world.orthant_matrix, &result));
    assert_null(result);
    c.world.orthant_context = NULL;
    clear(&c);
}

int main(void)
{
    char folder[] = "/tmp/orthant-null-XXXXXX";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_freed_context),
        cmocka_unit_test(test_reading_after),
    };
    /* What a function writes stays in a folder of its own. */
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/") == 0)
        rmdir(folder);
    return failed;
}
