/* Checkpoints whose checksums agree but whose numbers no fit ever had: nothing is reached by them.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/checksum.h"
#include "engine/checkpoint_format.h"
#include "files.h"
#include "problem.h"

#define PATH "crafted.checkpoint"

static bool stop_at_third(void *user, const orthant_result *result)
{
    int *calls = user;
    (void)result;
    return ++*calls < 3;
}

static orthant_model *model_of(const test_problem *p, const char *method)
{
    orthant_model *model = problem_model(p, method, 4, "20");
    expect_ok(p->ctx, orthant_model_set(model, "tolerance", "0"));
    if (!strcmp(method, "kmeans"))
        expect_ok(p->ctx, orthant_model_set(model, "restarts", "3"));
    return model;
}

/* Copies `size` bytes over the begin of the part, and makes the checksums agree. */
static void craft(const char *name, const void *value, size_t size)
{
    size_t length;
    unsigned char *bytes = files_read(files_path(PATH), &length);
    checkpoint_header header;
    memcpy(&header, bytes, sizeof header);
    const size_t tail_at = (size_t)(header.file_bytes - checkpoint_tail_bytes(&header));
    const unsigned char *table = bytes + sizeof header + header.settings_bytes;
    uint64_t tail[CHECKPOINT_MOST_PARTS + 1];
    memcpy(tail, bytes + tail_at, (size_t)checkpoint_tail_bytes(&header));
    bool found = false;
    for (uint64_t i = 0; i < header.part_count; i++) {
        checkpoint_entry entry;
        memcpy(&entry, table + i * sizeof entry, sizeof entry);
        if (strcmp(entry.name, name))
            continue;
        assert_true(size <= entry.rows * entry.bytes);
        memcpy(bytes + entry.offset, value, size);
        tail[i] = checksum_rows(bytes + entry.offset, 0, (int64_t)entry.rows, (size_t)entry.bytes,
                                (size_t)entry.bytes);
        found = true;
    }
    assert_true(found);
    tail[header.part_count] =
        checksum_bytes(tail, (size_t)header.part_count * sizeof *tail, header.checksum);
    memcpy(bytes + tail_at, tail, (size_t)checkpoint_tail_bytes(&header));
    files_write(PATH, bytes, length);
    free(bytes);
}

static orthant_status resume(const test_problem *p, const char *method)
{
    orthant_model *model = model_of(p, method);
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_model_set_resume(model, files_path(PATH)));
    const orthant_status status = orthant_fit(model, p->X, &result);
    orthant_result_free(result);
    orthant_model_free(model);
    return status;
}

static void leave_checkpoint(const test_problem *p, const char *method)
{
    int calls = 0;
    orthant_model *model = model_of(p, method);
    expect_ok(p->ctx, orthant_model_set_checkpoint(model, files_path(PATH), 0));
    expect_ok(p->ctx, orthant_model_set_iteration(model, stop_at_third, &calls));
    orthant_result_free(problem_fit(p, model));
    orthant_model_free(model);
}

static void test_kmeans(void **state)
{
    static const struct {
        const char *part;
        int64_t value;
    } cases[] = {{"labels", 4},          {"labels", -1},       {"iterations", INT64_C(1) << 40},
                 {"iterations", -2},     {"restart", -7},      {"restart", 3},
                 {"best restart", 1000}, {"best restart", -2}, {"sizes", 1000000}};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 7, ORTHANT_SINGLE, false, 3, 0.7});
    expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
    leave_checkpoint(&p, "kmeans");
    expect_ok(p.ctx, resume(&p, "kmeans"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        leave_checkpoint(&p, "kmeans");
        craft(cases[i].part, &cases[i].value, sizeof cases[i].value);
        expect_failure(p.ctx, ORTHANT_ERROR_FORMAT, "that no run of k-means has",
                       resume(&p, "kmeans"));
    }
    problem_free(&p);
}

static void test_rica(void **state)
{
    static const int values[] = {1 << 20, -(1 << 20)};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 7, ORTHANT_SINGLE, false, 3, 0.7});
    for (int i = 0; i < 4; i++) {
        leave_checkpoint(&p, "rica");
        craft(i < 2 ? "kept" : "next", &values[i % 2], sizeof *values);
        expect_ok(p.ctx, resume(&p, "rica"));
    }
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kmeans), cmocka_unit_test(test_rica)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
