/* orthant bench: measures and prints the table or JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

typedef struct bench_talk {
    bool as_json;
    json_printer json;
    double peak;    /* GFLOP/s */
    char shape[96]; /* whose heading was printed last */
} bench_talk;

/* "400 x 1,024": groups of three digits. */
static const char *grouped(int64_t number, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, number);
    int at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static void print_cell(int width, int digits, double value, const char *behind)
{
    if (isnan(value))
        printf(" %*s%*s", width, "-", (int)strlen(behind), "");
    else
        printf(" %*.*f%s", width, digits, value, behind);
}

static void print_heading(bench_talk *out, const orthant_bench_row *row)
{
    char shape[96], samples[32], features[32], stored[32];
    snprintf(shape, sizeof shape, "%s: %s x %s%s%s, k = %" PRId64 "%s", row->shape,
             grouped(row->samples, samples), grouped(row->features, features),
             row->stored < row->samples * row->features ? ", stored " : "",
             row->stored < row->samples * row->features ? grouped(row->stored, stored) : "",
             row->rank, row->generated ? "" : ", real data");
    if (strcmp(shape, out->shape) == 0)
        return;
    memcpy(out->shape, shape, sizeof shape);
    printf("\n%s\n", shape);
    printf("  one read of X: %.3f ms\n", row->read_ms);
}

static void print_row(bench_talk *out, const orthant_bench_row *row)
{
    char name[32];
    print_heading(out, row);
    snprintf(name, sizeof name, "%s%s%s", row->method, *row->solver ? " " : "", row->solver);
    printf("  %-13s", name);
    print_cell(9, 3, row->ms, "");
    print_cell(9, 3, row->alone_ms, "");
    print_cell(9, 3, row->blas_ms, "");
    print_cell(6, 2, row->ms / row->blas_ms, "");
    print_cell(6, 1, row->ms / row->read_ms, "");
    print_cell(5, 1, 1e-4 * row->flops / row->ms / out->peak, " %");
    print_cell(8, 3, row->quality_s, "");
    printf("\n");
}

static void write_row(json_printer *json, const orthant_bench_row *row, double peak)
{
    json_begin_object(json, NULL);
    json_put_text(json, "shape", row->shape);
    json_put_truth(json, "generated", row->generated);
    json_put_integer(json, "samples", row->samples);
    json_put_integer(json, "features", row->features);
    json_put_integer(json, "stored", row->stored);
    json_put_integer(json, "rank", row->rank);
    json_put_text(json, "method", row->method);
    json_put_text(json, "solver", *row->solver ? row->solver : NULL);
    json_put_number(json, "ms", row->ms);
    json_put_number(json, "ms_one_thread", row->alone_ms);
    json_put_number(json, "blas_ms", row->blas_ms);
    json_put_number(json, "read_ms", row->read_ms);
    json_put_number(json, "times_blas", row->ms / row->blas_ms);
    json_put_number(json, "times_read", row->ms / row->read_ms);
    json_put_number(json, "gflops", 1e-6 * row->flops / row->ms);
    json_put_number(json, "share_of_peak", 1e-6 * row->flops / row->ms / peak);
    json_put_number(json, "quality", row->quality);
    json_put_integer(json, "quality_iterations", row->quality_iterations);
    json_put_number(json, "quality_s", row->quality_s);
    json_end(json);
}

static void tell_row(void *user, const orthant_bench_row *row)
{
    bench_talk *out = user;
    if (out->as_json)
        write_row(&out->json, row, out->peak);
    else
        print_row(out, row);
    fflush(stdout);
}

static void begin(bench_talk *out, const orthant_context *ctx)
{
    const int threads = orthant_context_threads(ctx);
    if (out->as_json) {
        json_begin_object(&out->json, NULL);
        json_put_text(&out->json, "version", orthant_version());
        json_put_text(&out->json, "cpu_kernels", orthant_cpu_kernels());
        json_put_text(&out->json, "blas", orthant_blas_description());
        json_put_integer(&out->json, "threads", threads);
        json_put_number(&out->json, "peak_gflops", out->peak);
        json_begin_array(&out->json, "rows");
        return;
    }
    printf("kernels %s, %d thread%s, single precision\n", orthant_cpu_kernels(), threads,
           threads == 1 ? "" : "s");
    printf("BLAS: ");
    print_wrapped(stdout, orthant_blas_description(), 6);
    printf("\nmultiply-adds in registers alone: %.0f GFLOP/s\n\n", out->peak);
    printf("%-15s %9s %9s %9s %6s %6s %7s %8s\n", "", "ms each", "1 thread", "BLAS ms", "times",
           "times", "of", "quality");
    printf("%-15s %9s %9s %9s %6s %6s %7s %8s\n", "", "", "", "", "BLAS", "read", "peak", "s");
}

int run_bench(const arguments *given)
{
    const orthant_bench_options options = {.size = sizeof options,
                                           .quick = option_given(given, OPTION_QUICK),
                                           .data = option_value(given, OPTION_DATA)};
    bench_talk out = {.as_json = option_given(given, OPTION_JSON),
                      .json = {.file = stdout, .compact = true}};
    orthant_context *ctx = NULL;
    talk speech;
    if (options.data && !path_is_folder(options.data))
        return usage_error("--data %s: there is no such folder", options.data);
    int failed = context_open(given, &speech, &ctx);
    if (!failed) {
        interrupt_watch();
        out.peak = orthant_bench_peak(ctx, options.quick ? 50 : 200);
        begin(&out, ctx);
        const orthant_status status = orthant_bench_run(ctx, &options, tell_row, &out);
        talk_clear(&speech);
        failed = status == ORTHANT_STOPPED && interrupt_seen()
                     ? interrupt_tell("the rows that are printed are whole")
                     : report_failure(ctx, status);
    }
    if (!failed && out.as_json) {
        json_end(&out.json);
        json_end(&out.json);
    }
    if (!failed)
        failed = finish_output();
    orthant_context_free(ctx);
    return failed;
}
