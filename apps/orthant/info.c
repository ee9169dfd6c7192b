/* orthant info: what a file contains, or what this machine is. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "data.h"
#include "json.h"
#include "text.h"

/* What is known of a file. */
typedef struct file_facts {
    const char *kind;
    orthant_matrix_info matrix;
    int64_t classes; /* -1 where no labels are known */
    char *text;      /* columns of a table that hold words, which are no features; or NULL */
} file_facts;

/* ---- a file -----------------------------------------------------------------------------------
 */

static void print_facts(const char *path, const file_facts *facts)
{
    const orthant_picture_shape *picture = &facts->matrix.picture;
    printf("%-10s %s\n", "file", path);
    printf("%-10s %s\n", "kind", facts->kind);
    printf("%-10s %" PRId64 "\n", "samples", facts->matrix.rows);
    printf("%-10s %" PRId64 "\n", "features", facts->matrix.columns);
    if (facts->text) {
        printf("%-10s ", "text");
        print_wrapped(stdout, facts->text, 11);
        printf("%-10s (--id-column takes one for names, --label-column one for classes,\n"
               "%-10s --drop leaves others out)\n",
               "", "");
    }
    printf("%-10s %" PRId64 " (%.2f %%)\n", "nonzeros", facts->matrix.nonzeros,
           100 * facts->matrix.density);
    if (facts->matrix.missing)
        printf("%-10s %" PRId64
               " entries are NaN or empty; --missing nan takes them as not known\n",
               "missing", facts->matrix.missing);
    printf("%-10s %g to %g\n", "range", facts->matrix.minimum, facts->matrix.maximum);
    if (facts->classes >= 0)
        printf("%-10s %" PRId64 "\n", "classes", facts->classes);
    else
        printf("%-10s not known\n", "classes");
    if (picture->height)
        printf("%-10s %d x %d, %d channel%s, %s by %s\n", "pictures", picture->height,
               picture->width, picture->channels, picture->channels == 1 ? "" : "s",
               picture->column_major ? "column" : "row", picture->column_major ? "column" : "row");
}

static void write_facts(const char *path, const file_facts *facts)
{
    const orthant_picture_shape *picture = &facts->matrix.picture;
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_text(&json, "file", path);
    json_put_text(&json, "kind", facts->kind);
    json_put_integer(&json, "samples", facts->matrix.rows);
    json_put_integer(&json, "features", facts->matrix.columns);
    if (facts->text)
        json_put_text(&json, "text_columns", facts->text);
    json_put_integer(&json, "nonzeros", facts->matrix.nonzeros);
    json_put_number(&json, "density", facts->matrix.density);
    json_put_integer(&json, "missing", facts->matrix.missing);
    json_put_number(&json, "minimum", facts->matrix.minimum);
    json_put_number(&json, "maximum", facts->matrix.maximum);
    if (facts->classes >= 0)
        json_put_integer(&json, "classes", facts->classes);
    if (picture->height) {
        json_begin_object(&json, "picture");
        json_put_integer(&json, "height", picture->height);
        json_put_integer(&json, "width", picture->width);
        json_put_integer(&json, "channels", picture->channels);
        json_put_truth(&json, "column_major", picture->column_major);
        json_end(&json);
    }
    json_end(&json);
}

static int describe_file(const arguments *given, orthant_context *ctx, talk *speech)
{
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    orthant_read_options read = ORTHANT_READ_DEFAULTS;
    read.missing = true;
    file_facts facts = {.matrix = {.size = sizeof facts.matrix}, .classes = -1};
    if (!option_given(given, OPTION_DROP))
        orthant_table_text_columns(ctx, given->word[0], &facts.text);
    read.drop = facts.text;
    int failed = data_read_with(given, ctx, speech, given->word[0], &read, &samples, &truth);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_describe(samples, &facts.matrix));
    facts.kind = facts.matrix.sparse ? "sparse" : "dense";
    if (!failed && truth && (facts.classes = orthant_labels_classes(truth)) < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed) {
        if (option_given(given, OPTION_JSON))
            write_facts(given->word[0], &facts);
        else
            print_facts(given->word[0], &facts);
    }
    orthant_text_free(ctx, facts.text);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    return failed;
}

/* ---- a picture, a cloud, a run ----------------------------------------------------------------
 */

static int describe_picture(const arguments *given, orthant_context *ctx)
{
    const char *path = given->word[0];
    orthant_image *image = NULL;
    const int failed = report_failure(ctx, orthant_image_read(ctx, path, &image));
    if (!failed && option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_text(&json, "file", path);
        json_put_text(&json, "kind", "picture");
        json_put_integer(&json, "height", orthant_image_height(image));
        json_put_integer(&json, "width", orthant_image_width(image));
        json_put_integer(&json, "channels", orthant_image_channels(image));
        json_end(&json);
    } else if (!failed) {
        printf("%-10s %s\n", "file", path);
        printf("%-10s picture; `orthant segment` cuts it into regions\n", "kind");
        printf("%-10s %d x %d pixels, %s\n", "size", orthant_image_width(image),
               orthant_image_height(image),
               orthant_image_channels(image) == 1 ? "grey" : "in colour");
    }
    orthant_image_free(image);
    return failed;
}

static int describe_cloud(const arguments *given, orthant_context *ctx)
{
    const char *path = given->word[0];
    orthant_cloud *cloud = NULL;
    orthant_label_images *truth = NULL;
    int failed = report_failure(ctx, orthant_cloud_read(ctx, path, &cloud));
    if (!failed)
        failed = report_failure(ctx, orthant_cloud_truth(cloud, &truth));
    const int64_t count = orthant_cloud_count(cloud);
    const double *position = orthant_cloud_positions(cloud);
    int64_t placed = 0;
    for (int64_t i = 0; i < count && !failed; i++)
        placed += isfinite(position[3 * i]) && isfinite(position[3 * i + 1]) &&
                  isfinite(position[3 * i + 2]);
    if (!failed && option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_text(&json, "file", path);
        json_put_text(&json, "kind", "cloud");
        json_put_integer(&json, "points", count);
        json_put_integer(&json, "missing", count - placed);
        json_put_truth(&json, "labels", truth != NULL);
        json_end(&json);
    } else if (!failed) {
        printf("%-10s %s\n", "file", path);
        printf("%-10s point cloud; `orthant segment` cuts it into segments\n", "kind");
        printf("%-10s %" PRId64 "\n", "points", count);
        if (placed < count)
            printf("%-10s %" PRId64 " points without a position\n", "missing", count - placed);
        printf("%-10s %s\n", "labels", truth ? "for each point" : "none");
    }
    orthant_label_images_free(truth);
    orthant_cloud_free(cloud);
    return failed;
}

/* Whether the folder holds the file, of what a command wrote there. */
static bool has_file(const char *folder, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path && path_exists(path) && !path_is_folder(path);
}

static const char reproduction_kind[] = "reproduction of a paper";

/* What a command left in a folder; NULL where it is none of theirs. */
static const char *kind_of_folder(const char *path)
{
    static const struct {
        const char *file, *kind;
    } kinds[] = {{"run.json", "run"},
                 {"study.json", "study"},
                 {"ranks.json", "survey of ranks"},
                 {"reproduce.json", reproduction_kind}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_file(path, kinds[i].file))
            return kinds[i].kind;
    return NULL;
}

static bool holds_folders_of_commands(const char *path)
{
    bool any = false;
    DIR *open = opendir(path);
    for (struct dirent *entry; open && !any && (entry = readdir(open));) {
        char inside[4096];
        const int length = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        any = entry->d_name[0] != '.' && length > 0 && length < (int)sizeof inside &&
              kind_of_folder(inside);
    }
    if (open)
        closedir(open);
    return any;
}

/* Of a folder that commands wrote, or of one of these; else NULL. */
static const char *folder_kind(const char *path)
{
    const char *kind = path_is_folder(path) ? kind_of_folder(path) : NULL;
    return kind || !holds_folders_of_commands(path) ? kind : "folder of runs";
}

static int describe_folder(const arguments *given, orthant_context *ctx, const char *kind)
{
    static const char *const texts[] = {"method", "precision", "command"};
    static const char *const numbers[] = {"rank",    "iterations", "objective", "segments",
                                          "seconds", "accuracy",   "nmi"};
    const char *path = given->word[0];
    orthant_saved_run *run = NULL;
    const bool as_json = option_given(given, OPTION_JSON);
    json_printer json = {.file = stdout, .compact = true};
    int failed = 0;
    if (!strcmp(kind, "run"))
        failed = report_failure(ctx, orthant_saved_run_open(ctx, path, &run));
    if (failed)
        return failed;
    if (as_json) {
        json_begin_object(&json, NULL);
        json_put_text(&json, "file", path);
        json_put_text(&json, "kind", kind);
    } else {
        printf("%-10s %s\n%-10s %s; %s`orthant view` shows it\n", "folder", path, "kind", kind,
               kind == reproduction_kind ? "" : "`orthant report` tells more, ");
    }
    for (size_t i = 0; run && i < sizeof texts / sizeof *texts; i++) {
        const char *text = orthant_saved_run_text(run, texts[i]);
        if (*text && as_json)
            json_put_text(&json, texts[i], text);
        else if (*text) {
            printf("%-10s ", texts[i]);
            print_printable(stdout, text, strlen(text));
            putchar('\n');
        }
    }
    for (size_t i = 0; run && i < sizeof numbers / sizeof *numbers; i++) {
        const double number = orthant_saved_run_number(run, numbers[i]);
        if (!isnan(number) && as_json)
            json_put_number(&json, numbers[i], number);
        else if (!isnan(number))
            printf("%-10s %.8g\n", numbers[i], number);
    }
    if (as_json)
        json_end(&json);
    orthant_saved_run_free(run);
    return 0;
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

/* The kinds of devices that there may be plug-ins for. */
static const char device_kind[] = "cuda";

static void print_devices(orthant_context *ctx)
{
    orthant_device_info device = {.size = sizeof device};
    int count = 0;
    if (orthant_device_count(ctx, device_kind, &count)) {
        printf("%-12s none: ", "devices");
        print_wrapped(stdout, orthant_message(ctx), 13);
        return;
    }
    for (int i = 0; i < count; i++) {
        printf("%-12s %s:%d ", i ? "" : "devices", device_kind, i);
        if (orthant_device_describe(ctx, device_kind, i, &device))
            printf("%s\n", orthant_message(ctx));
        else
            printf("%s, %.1f GB, %.1f GB of them free\n", device.name, (double)device.memory / 1e9,
                   (double)device.free_memory / 1e9);
    }
}

static void write_devices(json_printer *json, orthant_context *ctx)
{
    orthant_device_info device = {.size = sizeof device};
    int count = 0;
    const bool none = orthant_device_count(ctx, device_kind, &count) != ORTHANT_OK;
    if (none)
        json_put_text(json, "no_devices", orthant_message(ctx));
    json_begin_array(json, "devices");
    for (int i = 0; i < count; i++) {
        char name[32];
        if (orthant_device_describe(ctx, device_kind, i, &device))
            continue;
        snprintf(name, sizeof name, "%s:%d", device_kind, i);
        json_begin_object(json, NULL);
        json_put_text(json, "device", name);
        json_put_text(json, "name", device.name);
        json_put_integer(json, "memory", device.memory);
        json_put_integer(json, "free_memory", device.free_memory);
        json_put_integer(json, "multiprocessors", device.multiprocessors);
        json_put_integer(json, "major", device.major);
        json_put_integer(json, "minor", device.minor);
        json_end(json);
    }
    json_end(json);
}

static void describe_machine(const arguments *given, orthant_context *ctx)
{
    const bool is_double = orthant_context_precision(ctx) == ORTHANT_DOUBLE;
    if (option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_text(&json, "version", orthant_version());
        json_put_text(&json, "cpu_kernels", orthant_cpu_kernels());
        json_put_text(&json, "blas", orthant_blas_description());
        json_put_integer(&json, "threads", orthant_context_threads(ctx));
        json_put_text(&json, "precision", is_double ? "double" : "single");
        write_devices(&json, ctx);
        json_end(&json);
    } else {
        printf("%-12s %s\n", "orthant", orthant_version());
        printf("%-12s %s\n", "CPU kernels", orthant_cpu_kernels());
        printf("%-12s %s\n", "BLAS", orthant_blas_description());
        printf("%-12s %d\n", "threads", orthant_context_threads(ctx));
        printf("%-12s %s\n", "precision", is_double ? "double" : "single");
        print_devices(ctx);
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
    const char *kind = given->count ? folder_kind(given->word[0]) : NULL;
    if (!failed && kind)
        failed = describe_folder(given, ctx, kind);
    else if (!failed && given->count && orthant_file_is_cloud(given->word[0]))
        failed = describe_cloud(given, ctx);
    else if (!failed && given->count && !path_is_folder(given->word[0]) &&
             orthant_file_is_image(given->word[0]))
        failed = describe_picture(given, ctx);
    else if (!failed && given->count)
        failed = describe_file(given, ctx, &speech);
    else if (!failed)
        describe_machine(given, ctx);
    if (!failed)
        failed = finish_output();
    orthant_context_free(ctx);
    return failed;
}
