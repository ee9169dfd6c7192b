/* orthant transform: encodings of new samples under the model of a run. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "core/memory.h"
#include "core/part.h"
#include "core/text.h"
#include "data.h"
#include "data/read.h"
#include "report/contents.h"
#include "report/text_file.h"

/* What the encodings of new samples need of an earlier run. */
typedef struct earlier_run {
    const char *folder;
    json_value *json;
    const char *loss, *scale;
    bool scales_as_run; /* the samples are scaled by what the run's were */
    orthant_matrix *basis;
    orthant_matrix *scale_statistics; /* NULL where the scaling takes none */
} earlier_run;

static int read_json(orthant_context *ctx, const char *folder, json_value **json)
{
    char *path = path_join(ctx, folder, "run.json");
    const orthant_status status = path ? json_read(ctx, path, json) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return report_failure(ctx, status);
}

/* A file that belongs to the run. */
static int read_matrix(orthant_context *ctx, const earlier_run *run, const char *name,
                       orthant_matrix **matrix)
{
    char *path = NULL;
    orthant_status status = contents_find(ctx, run->folder, run->json, name, &path);
    if (!status && !path)
        status = fail(ctx, ORTHANT_ERROR_IO, "%s/%s: there is no such file of this run",
                      run->folder, name);
    if (!status)
        status = orthant_matrix_read(ctx, path, NULL, matrix, NULL);
    memory_free(ctx, path);
    return report_failure(ctx, status);
}

static void tell_terms(orthant_context *ctx, const earlier_run *run)
{
    char names[256] = "";
    const json_value *terms = json_member(run->json, "terms");
    for (const json_value *term = terms ? terms->child : NULL; term; term = term->next)
        text_append(names, sizeof names, "%s%s", *names ? ", " : "",
                    json_member_text(term, "name", "?"));
    if (*names)
        log_note(ctx, "%s: the run's terms (%s) have no part in the encodings: the loss alone does",
                 run->folder, names);
}

/* In double precision, as they were taken. */
static int read_scale_statistics(orthant_context *ctx, earlier_run *run)
{
    const orthant_precision precision = orthant_context_precision(ctx);
    if (!run->scales_as_run || (strcmp(run->scale, "max") && strcmp(run->scale, "tfidf")))
        return 0;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    const int failed = read_matrix(ctx, run, "scale.npy", &run->scale_statistics);
    orthant_context_set_precision(ctx, precision);
    return failed;
}

/* run.json first: it says in which precision the basis is read. */
static int read_run(const arguments *given, orthant_context *ctx, earlier_run *run)
{
    const char *scale = option_value(given, OPTION_SCALE);
    run->folder = given->word[0];
    int failed = read_json(ctx, run->folder, &run->json);
    if (failed)
        return failed;
    run->loss = json_member_text(run->json, "loss", "");
    run->scale = json_member_text(run->json, "scale", "none");
    run->scales_as_run = !scale || !strcmp(scale, run->scale);
    run->scale = scale ? scale : run->scale;
    if (!*run->loss)
        return usage_error(
            "%s: a run of method '%s' has no loss; transform needs one of a factor model",
            run->folder, json_member_text(run->json, "method", "?"));
    if (!option_given(given, OPTION_PRECISION) &&
        !strcmp(json_member_text(run->json, "precision", ""), "double"))
        orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    failed = read_matrix(ctx, run, "basis.npy", &run->basis);
    if (!failed)
        failed = read_scale_statistics(ctx, run);
    if (!failed)
        tell_terms(ctx, run);
    return failed;
}

static int scale_samples(orthant_context *ctx, const earlier_run *run, orthant_matrix *samples)
{
    orthant_scaling scaling;
    if (!run->scale_statistics)
        return data_scale(ctx, run->scale, samples, NULL);
    orthant_status status = orthant_scaling_parse(ctx, run->scale, &scaling);
    if (!status)
        status = orthant_matrix_scale_by(samples, scaling, run->scale_statistics);
    return report_failure(ctx, status);
}

static int encode(const arguments *given, orthant_context *ctx, const earlier_run *run,
                  const orthant_matrix *samples, orthant_matrix **encoding)
{
    int64_t iterations;
    double tolerance;
    int failed = option_whole(given, OPTION_ITERATIONS, 1, INT64_MAX, 500, &iterations);
    if (!failed)
        failed = option_number(given, OPTION_TOLERANCE, 0, 1, 1e-10, &tolerance);
    if (failed)
        return failed;
    return report_failure(ctx, orthant_transform(ctx, run->basis, run->loss, samples, iterations,
                                                 tolerance, encoding));
}

int run_transform(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL, *encoding = NULL;
    earlier_run run = {0};
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("transform: -o FILE is missing: the file for the encodings");
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    interrupt_watch();
    if (!failed)
        failed = read_run(given, ctx, &run);
    if (!failed)
        failed = data_read(given, ctx, &speech, given->word[1], &samples, NULL);
    if (!failed)
        failed = scale_samples(ctx, &run, samples);
    if (!failed)
        failed = encode(given, ctx, &run, samples, &encoding);
    talk_clear(&speech);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, encoding, output));
    if (!failed) {
        printf("%" PRId64 " samples encoded in %" PRId64 " parts; written to %s\n",
               orthant_matrix_rows(encoding), orthant_matrix_columns(encoding), output);
        failed = finish_output();
    }
    orthant_matrix_free(encoding);
    orthant_matrix_free(samples);
    orthant_matrix_free(run.scale_statistics);
    orthant_matrix_free(run.basis);
    json_free(ctx, run.json);
    orthant_context_free(ctx);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
