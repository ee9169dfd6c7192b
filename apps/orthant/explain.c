/* --explain of fit and cluster: the plan of the fit, on one page or as JSON. */
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "pipeline.h"

/* "1.64 MB", "65.5 Gflop": three digits, by steps of a thousand. */
static const char *scaled(double number, const char *unit, char text[32])
{
    static const char *const steps[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t step = 0;
    for (; number >= 999.5 && step + 1 < sizeof steps / sizeof *steps; step++)
        number /= 1000;
    snprintf(text, 32, "%.*f %s%s",
             step == 0        ? 0
             : number < 9.995 ? 2
             : number < 99.95 ? 1
                              : 0,
             number, steps[step], unit);
    return text;
}

static void print_bytes(const char *name, int64_t bytes)
{
    char text[32];
    if (bytes > 0)
        printf("  %-42s %10s\n", name, scaled((double)bytes, "B", text));
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_problem(const orthant_plan_problem *p, int64_t bytes)
{
    char text[32];
    const double entries = (double)p->samples * (double)p->features;
    printf("%-10s %s, loss %s, solver %s, k = %" PRId64 "\n", "method", p->method, p->loss,
           p->solver, p->rank);
    printf("%-10s %" PRId64 " samples, %" PRId64 " features; %s precision, %s\n", "data",
           p->samples, p->features, p->precision == ORTHANT_DOUBLE ? "double" : "single",
           scaled((double)bytes, "B", text));
    if (p->sparse)
        printf("%-10s CSR, %" PRId64 " stored entries, %.3g %% of all\n", "", p->stored,
               100 * (double)p->stored / entries);
}

static void print_strips(const orthant_plan_strips *s)
{
    char text[32];
    printf("%-10s %d\n", "threads", s->threads);
    printf("%-10s %" PRId64 " chunk%s of %" PRId64 " samples\n", "pass", s->chunks,
           plural(s->chunks), s->chunk_samples);
    printf("%-10s %" PRId64 " strip%s of %" PRId64 " samples, %s of X\n", "", s->strips,
           plural(s->strips), s->strip_samples, scaled((double)s->strip_bytes, "B", text));
    printf("%-10s tasks of %" PRId64 " samples or %" PRId64 " features\n", "", s->block_samples,
           s->block_features);
}

static void print_memory(const orthant_plan_memory *m, bool streamed)
{
    char name[64], text[32];
    snprintf(name, sizeof name, "scratch, %s per thread",
             scaled((double)m->thread_scratch, "B", text));
    printf("\nmemory\n");
    print_bytes(streamed ? "X, in its file" : "X", m->data);
    print_bytes("factors", m->factors);
    print_bytes("sums X'S or P'S, m x k", m->sums);
    print_bytes("weights Q'S", m->weights);
    print_bytes("products X'S for terms", m->products);
    print_bytes("Gram matrices and sums of columns", m->grams);
    print_bytes("sums of chunks", m->accumulators);
    print_bytes("encodings of the last iteration", m->last);
    print_bytes("factors before extrapolation", m->extrapolation);
    print_bytes("safeguard: factors to go back to", m->safeguard);
    print_bytes("packed basis", m->packed);
    print_bytes(name, m->scratch);
    print_bytes("graph of neighbours, at most", m->graph);
    print_bytes("method, solver and terms", m->others);
    printf("  %-42s %10s, %.1f %% of both\n", "in all above X and factors",
           scaled((double)m->total, "B", text),
           100 * (double)m->total / (double)(m->data + m->factors));
}

static void print_iteration(const orthant_plan_iteration *i)
{
    char text[32];
    printf("\nan iteration\n");
    printf("  %-42s %10s, %d pass%s\n", "reads of X", scaled((double)i->data_bytes, "B", text),
           i->passes, i->passes == 1 ? "" : "es");
    printf("  %-42s %10s\n", "products with X", scaled(i->data_operations, "flop", text));
    if (i->small_operations > 0)
        printf("  %-42s %10s\n", "Gram matrices and products with them",
               scaled(i->small_operations, "flop", text));
}

static void print_group(const orthant_plan_group *g, int64_t chunks)
{
    char text[32];
    if (g->ranks < 2)
        return;
    printf("\nprocesses\n");
    printf("  %-42s %10d\n", "that share the samples", g->ranks);
    printf("  %-42s %10" PRId64 " of %" PRId64 ", %" PRId64 " samples\n", "chunks of the first one",
           g->chunks, chunks, g->samples);
    printf("  %-42s %10s\n", "sums that it moves, an iteration",
           scaled((double)g->sum_bytes, "B", text));
    if (g->cut_edges > 0) {
        printf("  %-42s %10" PRId64 "\n", "edges of the graph that processes cut", g->cut_edges);
        printf("  %-42s %10s for %" PRId64 " rows of others\n",
               "encodings that it moves, an iteration", scaled((double)g->halo_bytes, "B", text),
               g->halo_rows);
    }
}

static void print_page(const orthant_plan_info *info)
{
    const bool here = !strcmp(info->device, "cpu");
    print_problem(&info->problem, info->memory.data);
    printf("%-10s %s%s\n", "runs on", info->device,
           here ? "" : "; threads, strips and memory are the host's");
    print_strips(&info->strips);
    print_memory(&info->memory, info->streamed);
    print_iteration(&info->iteration);
    print_group(&info->group, info->strips.chunks);
}

typedef struct named_number {
    const char *name;
    int64_t number;
} named_number;

static void write_numbers(json_printer *json, const char *key, const named_number *all,
                          size_t count)
{
    json_begin_object(json, key);
    for (size_t i = 0; i < count; i++)
        json_put_integer(json, all[i].name, all[i].number);
    json_end(json);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void write_problem(json_printer *json, const orthant_plan_problem *p)
{
    json_put_text(json, "method", p->method);
    json_put_text(json, "loss", p->loss);
    json_put_text(json, "solver", p->solver);
    json_put_integer(json, "samples", p->samples);
    json_put_integer(json, "features", p->features);
    json_put_integer(json, "rank", p->rank);
    json_put_text(json, "precision", p->precision == ORTHANT_DOUBLE ? "double" : "single");
    json_put_truth(json, "sparse", p->sparse);
    json_put_integer(json, "stored", p->stored);
}

static void write_json(const orthant_plan_info *info)
{
    json_printer json = {.file = stdout, .compact = true};
    const orthant_plan_strips *s = &info->strips;
    const orthant_plan_memory *m = &info->memory;
    const orthant_plan_iteration *i = &info->iteration;
    const named_number strips[] = {{"threads", s->threads},
                                   {"chunks", s->chunks},
                                   {"chunk_samples", s->chunk_samples},
                                   {"strips", s->strips},
                                   {"strip_samples", s->strip_samples},
                                   {"strip_bytes", s->strip_bytes},
                                   {"block_samples", s->block_samples},
                                   {"block_features", s->block_features}};
    const named_number memory[] = {{"data", m->data},
                                   {"factors", m->factors},
                                   {"sums", m->sums},
                                   {"weights", m->weights},
                                   {"products", m->products},
                                   {"grams", m->grams},
                                   {"accumulators", m->accumulators},
                                   {"last", m->last},
                                   {"extrapolation", m->extrapolation},
                                   {"safeguard", m->safeguard},
                                   {"packed", m->packed},
                                   {"thread_scratch", m->thread_scratch},
                                   {"scratch", m->scratch},
                                   {"graph", m->graph},
                                   {"others", m->others},
                                   {"total", m->total}};
    json_begin_object(&json, NULL);
    write_problem(&json, &info->problem);
    json_put_text(&json, "device", info->device);
    write_numbers(&json, "strips", strips, COUNT(strips));
    write_numbers(&json, "memory", memory, COUNT(memory));
    json_begin_object(&json, "iteration");
    json_put_integer(&json, "passes", i->passes);
    json_put_integer(&json, "data_bytes", i->data_bytes);
    json_put_number(&json, "data_operations", i->data_operations);
    json_put_number(&json, "small_operations", i->small_operations);
    json_end(&json);
    const orthant_plan_group *g = &info->group;
    const named_number group[] = {{"ranks", g->ranks},         {"chunks", g->chunks},
                                  {"samples", g->samples},     {"sum_bytes", g->sum_bytes},
                                  {"halo_rows", g->halo_rows}, {"halo_bytes", g->halo_bytes},
                                  {"cut_edges", g->cut_edges}};
    if (g->ranks > 1)
        write_numbers(&json, "group", group, COUNT(group));
    json_end(&json);
}

/* A weight that is not known before the graph is: how it will come about. */
static void print_own_weight(const orthant_model *model)
{
    char value[32];
    if (!orthant_model_get(model, "graph_weight", value, sizeof value) && !strcmp(value, "auto"))
        printf("\ngraph_weight=auto: |X|^2 (other losses: entries times mean to the loss's\n"
               "degree) over mean of X times the sum of the edges' weights, when the graph is\n"
               "there; the run tells it\n");
}

int explain_plan(const arguments *given)
{
    pipeline line;
    orthant_plan_info info = {.size = sizeof info};
    int failed = pipeline_open(given, &line);
    if (!failed)
        failed = pipeline_prepare(&line);
    if (!failed)
        failed =
            report_failure(line.ctx, orthant_explain(orthant_trial_model(line.trial),
                                                     orthant_trial_samples(line.trial), &info));
    talk_clear(&line.speech);
    if (!failed) {
        if (option_given(given, OPTION_JSON)) {
            write_json(&info);
        } else {
            print_page(&info);
            print_own_weight(orthant_trial_model(line.trial));
        }
        failed = finish_output();
    }
    pipeline_close(&line);
    return failed;
}
