/* The stages of `orthant cluster`, each with its time and its share of the whole: on a file, or on
 * 70,000 generated samples of 784 features. Files go to a folder of their own and are removed.
 *
 *   stages [DATA RANK METHOD] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/context.h"
#include "core/file.h"
#include "core/random.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "kernel/blas.h"
#include "orthant/orthant.h"

enum { SAMPLES = 70000, FEATURES = 784, CLASSES = 10, NEIGHBOURS = 5, RESTARTS = 10, STAGES = 16 };

typedef struct stages {
    orthant_context *ctx;
    double begun, cpu_begun;
    const char *name[STAGES];
    double seconds[STAGES], cpu[STAGES];
    int count;
} stages;

static void give_up(const stages *s)
{
    fprintf(stderr, "%s\n", orthant_message(s->ctx));
    exit(1);
}

/* Seconds that this process and those it started have computed. */
static double cpu_seconds(void)
{
    double total = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage used;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
        total += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return total;
}

static void begin(stages *s)
{
    s->begun = clock_seconds();
    s->cpu_begun = cpu_seconds();
}

/* Ends the stage that began when the last one ended. */
static void stage(stages *s, const char *name, orthant_status status)
{
    if (status)
        give_up(s);
    s->name[s->count] = name;
    s->cpu[s->count] = cpu_seconds() - s->cpu_begun;
    s->seconds[s->count++] = clock_seconds() - s->begun;
    begin(s);
}

/* Samples of classes that lie apart, as whole numbers from 0 to 255, half of them 0. */
static void write_samples(const stages *s, const char *path)
{
    orthant_matrix *X = NULL;
    float *row;
    if (matrix_new_dense(s->ctx, ORTHANT_SINGLE, SAMPLES, FEATURES, &X))
        give_up(s);
    for (int64_t i = 0; i < SAMPLES; i++) {
        row = (float *)X->values + i * X->stride;
        for (int64_t l = 0; l < FEATURES; l++) {
            const double centre =
                             random_uniform(1, RANDOM_TEST, (uint64_t)(i % CLASSES), (uint64_t)l),
                         noise = random_uniform(2, RANDOM_TEST, (uint64_t)i, (uint64_t)l);
            row[l] = (float)(int)(255 * (centre > 0.5 ? 0.5 * centre + 0.5 * noise : 0));
        }
    }
    if (orthant_matrix_write(s->ctx, X, path))
        give_up(s);
    orthant_matrix_free(X);
}

static bool uses_graph(const stages *s, const char *method)
{
    orthant_method_info info = {.size = sizeof info};
    if (orthant_method_info_by_name(s->ctx, method, &info))
        give_up(s);
    return text_in_list(info.terms, "graph") || text_in_list(info.needs, "graph");
}

static void run_stages(stages *s, const char *data, int64_t rank, const char *method,
                       const char *folder)
{
    const orthant_read_options as_it_is = ORTHANT_READ_DEFAULTS;
    orthant_matrix *X = NULL;
    orthant_graph *graph = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_labels *truth = NULL, *found = NULL;
    orthant_scores scores = {.size = sizeof scores};
    char digest[65];
    begin(s);
    stage(s, "read", orthant_matrix_read(s->ctx, data, &as_it_is, &X, &truth));
    stage(s, "scale", orthant_matrix_scale(X, ORTHANT_SCALE_UNIT));
    if (orthant_model_create(s->ctx, method, rank, &model))
        give_up(s);
    if (uses_graph(s, method)) {
        stage(s, "neighbours",
              orthant_graph_neighbours(s->ctx, X, NEIGHBOURS, ORTHANT_EDGE_BINARY, 0, &graph));
        if (orthant_model_set_graph(model, graph))
            give_up(s);
    }
    stage(s, "fit", orthant_fit(model, X, &result));
    printf("%s, %lld iterations of %.3f ms\n\n", method,
           (long long)orthant_result_iterations(result),
           1e3 * orthant_result_seconds(result) / (double)orthant_result_iterations(result));
    begin(s);
    stage(s, "labels", orthant_result_labels(result, NULL, rank, RESTARTS, 1, &found));
    stage(s, "scores", orthant_score_labels(s->ctx, found, truth ? truth : found, &scores));
    stage(s, "checksum", file_sha256(s->ctx, data, digest));
    const orthant_run run = {.size = sizeof run,
                             .samples = X,
                             .model = model,
                             .result = result,
                             .labels = found,
                             .scores = &scores,
                             .truth_labels = truth};
    stage(s, "run and report", orthant_run_write(s->ctx, &run, folder));
    orthant_labels_free(found);
    orthant_labels_free(truth);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_graph_free(graph);
    orthant_matrix_free(X);
}

static void print_stages(const stages *s)
{
    double whole = 0, cpu = 0;
    for (int i = 0; i < s->count; i++) {
        whole += s->seconds[i];
        cpu += s->cpu[i];
    }
    for (int i = 0; i < s->count; i++)
        printf("%-16s %8.3f s %6.1f %% %8.3f s of CPU %6.1f %%\n", s->name[i], s->seconds[i],
               100 * s->seconds[i] / whole, s->cpu[i], 100 * s->cpu[i] / cpu);
    printf("%-16s %8.3f s %8s %8.3f s of CPU\n", "the whole", whole, "", cpu);
}

int main(int count, char **words)
{
    char folder[] = "/tmp/orthant-stages-XXXXXX", data[64], run[64], remove_all[128];
    stages s = {0};
    blas_end_idle_threads(); /* as the command does */
    if (orthant_context_create(&s.ctx) || !mkdtemp(folder))
        return 1;
    snprintf(data, sizeof data, "%s/samples.npy", folder);
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(remove_all, sizeof remove_all, "rm -rf %s", folder);
    if (count < 2)
        write_samples(&s, data);
    run_stages(&s, count > 1 ? words[1] : data, count > 2 ? atoi(words[2]) : CLASSES,
               count > 3 ? words[3] : "gnmf", run);
    print_stages(&s);
    orthant_context_free(s.ctx);
    return system(remove_all) != 0;
}
