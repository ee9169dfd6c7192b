/* The context's own answers: names of states, messages, log, progress, settings. */
#include "expect.h"

#include <math.h>
#include <stdio.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/parallel.h"

static void test_names_of_states(void **state)
{
    static const char *const names[] = {"ok",   "argument", "format",      "io",     "memory",
                                        "data", "numeric",  "unsupported", "stopped"};
    (void)state;
    for (int i = 0; i < 9; i++)
        assert_string_equal(orthant_status_name((orthant_status)i), names[i]);
    assert_string_equal(orthant_status_name((orthant_status)9), "unknown");
    assert_string_equal(orthant_status_name((orthant_status)-1), "unknown");
}

static orthant_context *new_context(void)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    return ctx;
}

static void test_defaults_and_settings(void **state)
{
    (void)state;
    assert_int_equal(orthant_context_create(NULL), ORTHANT_ERROR_ARGUMENT);
    orthant_context *ctx = new_context();
    assert_string_equal(orthant_message(ctx), "");
    assert_string_equal(orthant_message(NULL), "");
    assert_int_equal(orthant_context_threads(ctx), parallel_processors());
    assert_int_equal(orthant_context_precision(ctx), ORTHANT_SINGLE);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    assert_int_equal(orthant_context_precision(ctx), ORTHANT_DOUBLE);
    assert_int_equal(orthant_context_memory(ctx), 0);
    assert_int_equal(orthant_context_peak_memory(ctx), 0);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "threads = 1025: must be between 0 (all processors) and 1024",
                   orthant_context_set_threads(ctx, 1025));
    assert_int_equal(orthant_context_set_threads(ctx, 1024), ORTHANT_OK);
    assert_int_equal(orthant_context_threads(ctx), 1024);
    assert_int_equal(orthant_context_set_threads(ctx, 0), ORTHANT_OK);
    assert_int_equal(orthant_context_threads(ctx), parallel_processors());
    orthant_context_free(ctx);
    orthant_context_free(NULL);
}

static void take_note(void *user, orthant_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 64, "%s", message);
}

/* Names in files may hold anything; what steers a terminal does not reach it. */
static void test_messages_are_one_line(void **state)
{
    (void)state;
    char told[64] = "";
    orthant_context *ctx = new_context();
    /* In parentheses: cmocka has a macro of that name. */
    (fail)(ctx, ORTHANT_ERROR_FORMAT, "x.npz: '%s'", "a\nb\r\t\x1b[2J\x7f\xc3\xa9");
    assert_string_equal(orthant_message(ctx), "x.npz: 'a?b???[2J?\xc3\xa9'");
    orthant_context_set_log(ctx, take_note, told);
    log_note(ctx, "%s", "a\nb\x1b");
    assert_string_equal(told, "a?b?");
    orthant_context_free(ctx);
}

static unsigned long long number_in(const char *path, const char *format)
{
    char line[256];
    unsigned long long value = 0;
    FILE *file = fopen(path, "r");
    while (file && !value && fgets(line, sizeof line, file))
        sscanf(line, format, &value);
    if (file)
        fclose(file);
    return value;
}

/* Three quarters of what is free: of the machine, or of the container where that has less. */
static void test_default_memory_limit(void **state)
{
    (void)state;
    double free_bytes = 1024.0 * (double)number_in("/proc/meminfo", "MemAvailable: %llu");
    const double most = (double)number_in("/sys/fs/cgroup/memory.max", "%llu"),
                 taken = (double)number_in("/sys/fs/cgroup/memory.current", "%llu");
    if (most > taken && most - taken < free_bytes)
        free_bytes = most - taken;
    if (free_bytes == 0) {
        assert_true(memory_default_limit() == SIZE_MAX);
        return;
    }
    /* Others take and give back memory between the two looks. */
    assert_true(fabs((double)memory_default_limit() / free_bytes - 0.75) < 0.15);
    orthant_context *ctx = new_context();
    orthant_context_set_memory_limit(ctx, SIZE_MAX);
    assert_true(memory_left(ctx) == INT64_MAX);
    orthant_context_set_memory_limit(ctx, 77);
    assert_int_equal(memory_left(ctx), 77);
    orthant_context_free(ctx);
}

typedef struct heard {
    int count;
    orthant_log_level level;
    char text[2048];
} heard;

static void hear(void *user, orthant_log_level level, const char *message)
{
    heard *h = user;
    h->count++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", message);
}

static void test_log(void **state)
{
    (void)state;
    orthant_context *ctx = new_context();
    heard h = {0};
    log_note(ctx, "nobody listens");
    log_note(NULL, "nobody is there");
    orthant_context_set_log(ctx, hear, &h);
    log_note(ctx, "%d of %s", 3, "them");
    assert_int_equal(h.count, 1);
    assert_int_equal(h.level, ORTHANT_LOG_NOTE);
    assert_string_equal(h.text, "3 of them");
    log_warning(ctx, "%.1f", 2.5);
    assert_int_equal(h.count, 2);
    assert_int_equal(h.level, ORTHANT_LOG_WARNING);
    assert_string_equal(h.text, "2.5");
    log_note(ctx, "%2000d", 1); /* cut to what a message holds */
    assert_int_equal(strlen(h.text), 1023);
    orthant_context_free(ctx);
}

static bool stop_at_three(void *user, const orthant_progress *progress)
{
    *(orthant_progress *)user = *progress;
    return progress->done < 3;
}

static void test_progress(void **state)
{
    (void)state;
    orthant_context *ctx = new_context();
    orthant_progress last = {0};
    assert_true(progress_tell(ctx, "fit", 9, 10, 1, 2));
    orthant_context_set_progress(ctx, stop_at_three, &last);
    assert_true(progress_tell(ctx, "fit", 2, 10, 1.5, 7.25));
    assert_string_equal(last.phase, "fit");
    assert_true(last.done == 2 && last.total == 10);
    assert_true(last.seconds == 1.5 && last.objective == 7.25);
    assert_false(progress_tell(ctx, "fit", 3, 10, 1.5, 7.25));
    orthant_context_free(ctx);
}

static void count_end(void *user)
{
    ++*(int *)user;
}

/* It is ended once, by its own plug-in, with the context. */
static void test_group_of_a_plugin_stays(void **state)
{
    (void)state;
    int ended = 0;
    orthant_context *ctx = new_context();
    ctx->group = (orthant_group){.size = sizeof ctx->group, .ranks = 1, .user = &ended};
    ctx->group_ends = count_end;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "has the group of a plug-in",
                   orthant_context_set_group(ctx, NULL));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "has a plug-in's group already",
                   orthant_group_load(ctx, "mpi"));
    assert_ptr_equal(ctx->group.user, &ended);
    assert_int_equal(ended, 0);
    orthant_context_free(ctx);
    assert_int_equal(ended, 1);
}

static void test_the_clock_goes_on(void **state)
{
    (void)state;
    const double begin = clock_seconds();
    double now = begin;
    while (now - begin < 2e-3) {
        const double next = clock_seconds();
        assert_true(next >= now && next - begin < 60);
        now = next;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_states),
        cmocka_unit_test(test_defaults_and_settings),
        cmocka_unit_test(test_default_memory_limit),
        cmocka_unit_test(test_messages_are_one_line),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_group_of_a_plugin_stays),
        cmocka_unit_test(test_the_clock_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
