/* orthant info: what a file contains, or what this machine is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "data.h"
#include "data/matrix.h"
#include "report/json.h"

typedef struct file_facts {
    const char *kind;
    int64_t samples, features, nonzeros, classes; /* classes: -1 where no labels are known */
    double density, minimum, maximum;
    orthant_picture_shape picture;
} file_facts;

/* ---- a file -----------------------------------------------------------------------------------
 */

static void find_range(const orthant_matrix *samples, file_facts *facts)
{
    const int64_t rows = orthant_matrix_rows(samples), columns = orthant_matrix_columns(samples);
    /* The zeros that a sparse matrix does not store count too. */
    const bool all_stored = !samples->sparse || facts->nonzeros == rows * columns;
    double minimum = all_stored ? INFINITY : 0, maximum = all_stored ? -INFINITY : 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t first = samples->sparse ? samples->row_start[row] : row * samples->stride;
        const int64_t end = samples->sparse ? samples->row_start[row + 1] : first + columns;
        for (int64_t i = first; i < end; i++) {
            const double value = matrix_value(samples, i);
            minimum = value < minimum ? value : minimum;
            maximum = value > maximum ? value : maximum;
        }
    }
    facts->minimum = minimum;
    facts->maximum = maximum;
}

static file_facts find_facts(const orthant_matrix *samples, const orthant_labels *truth)
{
    file_facts facts = {
        .kind = orthant_matrix_is_sparse(samples) ? "sparse" : "dense",
        .samples = orthant_matrix_rows(samples),
        .features = orthant_matrix_columns(samples),
        .nonzeros = orthant_matrix_nonzeros(samples),
        .classes = truth ? orthant_labels_classes(truth) : -1,
        .picture = orthant_matrix_picture(samples),
    };
    const double entries = (double)facts.samples * (double)facts.features;
    facts.density = entries > 0 ? (double)facts.nonzeros / entries : 0;
    find_range(samples, &facts);
    return facts;
}

static void print_facts(const char *path, const file_facts *facts)
{
    printf("%-10s %s\n", "file", path);
    printf("%-10s %s\n", "kind", facts->kind);
    printf("%-10s %" PRId64 "\n", "samples", facts->samples);
    printf("%-10s %" PRId64 "\n", "features", facts->features);
    printf("%-10s %" PRId64 " (%.2f %%)\n", "nonzeros", facts->nonzeros, 100 * facts->density);
    printf("%-10s %g to %g\n", "range", facts->minimum, facts->maximum);
    if (facts->classes >= 0)
        printf("%-10s %" PRId64 "\n", "classes", facts->classes);
    else
        printf("%-10s not known\n", "classes");
    if (facts->picture.height)
        printf("%-10s %d x %d, %d channel%s, %s by %s\n", "pictures", facts->picture.height,
               facts->picture.width, facts->picture.channels,
               facts->picture.channels == 1 ? "" : "s",
               facts->picture.column_major ? "column" : "row",
               facts->picture.column_major ? "column" : "row");
}

static void write_facts(const char *path, const file_facts *facts)
{
    json_writer json = {.file = stdout, .compact = true};
    json_open_object(&json, NULL);
    json_text(&json, "file", path);
    json_text(&json, "kind", facts->kind);
    json_integer(&json, "samples", facts->samples);
    json_integer(&json, "features", facts->features);
    json_integer(&json, "nonzeros", facts->nonzeros);
    json_number(&json, "density", facts->density);
    json_number(&json, "minimum", facts->minimum);
    json_number(&json, "maximum", facts->maximum);
    if (facts->classes >= 0)
        json_integer(&json, "classes", facts->classes);
    if (facts->picture.height) {
        json_open_object(&json, "picture");
        json_integer(&json, "height", facts->picture.height);
        json_integer(&json, "width", facts->picture.width);
        json_integer(&json, "channels", facts->picture.channels);
        json_truth(&json, "column_major", facts->picture.column_major);
        json_close(&json);
    }
    json_close(&json);
}

static int describe_file(const arguments *given, orthant_context *ctx)
{
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    int failed = data_read(given, ctx, given->word[0], &samples, &truth);
    file_facts facts = {0};
    if (!failed)
        facts = find_facts(samples, truth);
    if (!failed && truth && facts.classes < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed) {
        if (option_given(given, OPTION_JSON))
            write_facts(given->word[0], &facts);
        else
            print_facts(given->word[0], &facts);
    }
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    return failed;
}

/* ---- the machine ------------------------------------------------------------------------------
 */

/* OpenBLAS knows a processor by its family; one newer than its tables gets kernels of twenty years
 * ago. */
static bool blas_is_slow(void)
{
    static const char *const old[] = {"Prescott", "PRESCOTT",  "Core2",      "CORE2",
                                      "Penryn",   "PENRYN",    "Dunnington", "Atom",
                                      "ATOM",     "Northwood", "Katmai",     "Nehalem"};
    const bool modern = strcmp(orthant_cpu_kernels(), "baseline") != 0;
    for (size_t i = 0; modern && i < sizeof old / sizeof *old; i++)
        if (strstr(orthant_blas_description(), old[i]))
            return true;
    return false;
}

static void describe_machine(const arguments *given, orthant_context *ctx)
{
    const bool is_double = orthant_context_precision(ctx) == ORTHANT_DOUBLE;
    if (option_given(given, OPTION_JSON)) {
        json_writer json = {.file = stdout, .compact = true};
        json_open_object(&json, NULL);
        json_text(&json, "version", orthant_version());
        json_text(&json, "cpu_kernels", orthant_cpu_kernels());
        json_text(&json, "blas", orthant_blas_description());
        json_integer(&json, "threads", orthant_context_threads(ctx));
        json_text(&json, "precision", is_double ? "double" : "single");
        json_close(&json);
    } else {
        printf("%-12s %s\n", "orthant", orthant_version());
        printf("%-12s %s\n", "CPU kernels", orthant_cpu_kernels());
        printf("%-12s %s\n", "BLAS", orthant_blas_description());
        printf("%-12s %d\n", "threads", orthant_context_threads(ctx));
        printf("%-12s %s\n", "precision", is_double ? "double" : "single");
    }
    if (blas_is_slow() && !option_given(given, OPTION_QUIET))
        fprintf(stderr,
                "orthant: warning: the BLAS takes this processor for an old one and is slow; "
                "OPENBLAS_CORETYPE=Haswell in the environment helps\n");
}

int run_info(const arguments *given)
{
    orthant_context *ctx = NULL;
    talk speech;
    int failed = context_open(given, &speech, &ctx);
    if (!failed && given->count)
        failed = describe_file(given, ctx);
    else if (!failed)
        describe_machine(given, ctx);
    if (!failed)
        failed = finish_output();
    orthant_context_free(ctx);
    return failed;
}
