/* For posix_spawn_file_actions_addchdir_np. */
#define _GNU_SOURCE
#include "report/chart.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/text_file.h"

/* Told apart by colour-blind readers too (Okabe and Ito), and after one round by their dashes. */
static const char *const line_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#7f7f7f"};
/* Of a line; more cannot be seen, and would make the page heavy. */
#define MOST_POINTS 2000
#define LINE_COLOURS ((int)(sizeof line_colours / sizeof *line_colours))

/* Names come from folders: quotes and control characters must not end a text of the script. */
static void write_name(FILE *file, const char *name)
{
    fputc('\'', file);
    for (; *name; name++)
        fputc((unsigned char)*name < 0x20 || strchr("'\"\\,`", *name) ? '_' : *name, file);
    fputs("' noenhanced", file);
}

static void write_head(FILE *file, const char *horizontal, const char *vertical)
{
    fprintf(file,
            "# gnuplot convergence.gp\n"
            "if (!exists('output')) output = 'convergence.svg'\n"
            "set terminal svg size 720,460 dynamic enhanced font 'sans-serif,16' linewidth 1.5\n"
            "set output output\n"
            "set datafile separator ','\n"
            "set key autotitle columnhead\n"
            "set key above\n"
            "set grid lt 1 lc rgb '#c8c8c8' lw 0.4\n"
            "set border 3 lc rgb '#808080'\n"
            "set tics nomirror\n"
            "set logscale y\n"
            "set format y '10^{%%T}'\n"
            "set xlabel '%s'\n"
            "set ylabel '%s'\n",
            horizontal, vertical);
}

static void write_style(FILE *file, int index)
{
    fprintf(file, " with lines lw 2 lc rgb '%s' dt %d", line_colours[index % LINE_COLOURS],
            index / LINE_COLOURS % 5 + 1);
}

static bool has_positive(const history *h, int column)
{
    for (int64_t row = 0; row < h->rows; row++)
        if (h->values[row * h->columns + column] > 0)
            return true;
    return false;
}

/* The objective and its parts, each a column of history.csv. Returns the number of lines. */
static int write_single_script(FILE *file, const history *h)
{
    int lines = 0;
    write_head(file, "iteration", "objective and its parts");
    for (int c = 2; c < h->columns; c++) {
        const bool repeats = c == 3 && h->columns == 4;
        if (!strcmp(h->name[c], "step") || repeats || !has_positive(h, c))
            continue;
        fprintf(file, "%s every %" PRId64 " using 1:%d",
                lines ? ", \\\n     ''" : "plot 'history.csv'", 1 + h->rows / MOST_POINTS, c + 1);
        fputs(" title ", file);
        write_name(file, h->name[c]);
        write_style(file, lines++);
    }
    fputc('\n', file);
    return lines;
}

/* The objective of a run from its start (1) down to its lowest (0). */
typedef struct fall {
    int column; /* -1: nothing to draw */
    double lowest, height;
} fall;

static fall objective_fall(const history *h)
{
    fall found = {.column = h->rows ? history_column(h, "objective") : -1, .lowest = INFINITY};
    for (int64_t row = 0; found.column >= 0 && row < h->rows; row++)
        found.lowest = fmin(found.lowest, h->values[row * h->columns + found.column]);
    if (found.column >= 0)
        found.height = h->values[found.column] - found.lowest;
    if (!(found.height > 0))
        found.column = -1;
    return found;
}

static void write_data_head(FILE *file, const run_list *list)
{
    fputs("iteration", file);
    for (int i = 0; i < list->count; i++) {
        fputc(',', file);
        for (const char *c = list->record[i].name; *c; c++)
            fputc((unsigned char)*c < 0x20 || strchr(",'\"", *c) ? '_' : *c, file);
    }
    fputc('\n', file);
}

static void write_data_row(FILE *file, const run_list *list, const fall *falls, int64_t row)
{
    fprintf(file, "%" PRId64, row);
    for (int i = 0; i < list->count; i++) {
        const history *h = &list->record[i].history;
        fputc(',', file);
        if (falls[i].column >= 0 && row < h->rows)
            fprintf(file, "%.9g",
                    (h->values[row * h->columns + falls[i].column] - falls[i].lowest) /
                        falls[i].height);
    }
    fputc('\n', file);
}

static orthant_status write_several_data(orthant_context *ctx, const run_list *list,
                                         const char *path)
{
    file_writer writer;
    int64_t rows = 0;
    fall *falls = memory_new(ctx, list->count, sizeof *falls, "the curves");
    if (!falls)
        return ORTHANT_ERROR_MEMORY;
    for (int i = 0; i < list->count; i++) {
        falls[i] = objective_fall(&list->record[i].history);
        if (list->record[i].history.rows > rows)
            rows = list->record[i].history.rows;
    }
    orthant_status status = file_write_begin(ctx, path, &writer);
    if (!status) {
        write_data_head(writer.file, list);
        /* Ever thinner, as on a logarithmic axis they lie ever closer. */
        for (int64_t row = 0; row < rows; row += 1 + row / (MOST_POINTS / 2))
            write_data_row(writer.file, list, falls, row);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, falls);
    return status;
}

/* Returns the number of lines. */
static int write_several_script(FILE *file, const run_list *list)
{
    int lines = 0;
    write_head(file, "iteration", "objective above its lowest (share of its fall)");
    fputs("set logscale x\nset yrange [1e-6:1]\n", file);
    for (int i = 0; i < list->count; i++) {
        if (objective_fall(&list->record[i].history).column < 0)
            continue;
        fprintf(file, "%s using 1:%d title ", lines ? ", \\\n     ''" : "plot 'convergence.csv'",
                i + 2);
        write_name(file, list->record[i].name);
        write_style(file, lines++);
    }
    fputc('\n', file);
    return lines;
}

/* gnuplot in `folder`, silent, with `assignment` made before the script. True when it ended well.
 */
static bool run_gnuplot(const char *folder, const char *assignment)
{
    char *arguments[] = {"gnuplot", "-d", "-e", (char *)assignment, "convergence.gp", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                   posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
           WEXITSTATUS(state) == 0;
}

static orthant_status draw(orthant_context *ctx, const char *folder, chart_outcome *outcome)
{
    char *part = path_join(ctx, folder, "convergence.svg.part");
    char *picture = path_join(ctx, folder, "convergence.svg");
    orthant_status status = part && picture ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status) {
        *outcome = CHART_NO_GNUPLOT;
        if (run_gnuplot(folder, "output = 'convergence.svg.part'") && rename(part, picture) == 0)
            *outcome = CHART_DRAWN;
        else
            unlink(part);
    }
    memory_free(ctx, picture);
    memory_free(ctx, part);
    return status;
}

orthant_status chart_convergence(orthant_context *ctx, const char *folder, const run_list *list,
                                 chart_outcome *outcome)
{
    file_writer writer;
    int lines = 0;
    char *script = path_join(ctx, folder, "convergence.gp");
    char *data = path_join(ctx, folder, "convergence.csv");
    *outcome = CHART_NO_DATA;
    orthant_status status = script && data ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && !list->single)
        status = write_several_data(ctx, list, data);
    if (!status)
        status = file_write_begin(ctx, script, &writer);
    if (!status) {
        lines = list->single ? write_single_script(writer.file, &list->record[0].history)
                             : write_several_script(writer.file, list);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    if (!status && lines)
        status = draw(ctx, folder, outcome);
    memory_free(ctx, data);
    memory_free(ctx, script);
    return status;
}
