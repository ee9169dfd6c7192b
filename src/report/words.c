/* The heaviest features of each part, by name where a file of names is there. */
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/csv.h"
#include "data/csv_text.h"
#include "orthant/run.h"
#include "report/text_file.h"

#define TOP 12
#define MOST_PARTS 200
#define WORDS_FILE "words.csv"
#define WORDS_HEADER "part,place,feature,word,weight\n"

/* ---- names ------------------------------------------------------------------------------------
 */

typedef struct names {
    lines text;
    int64_t count;
    piece *word;
} names;

static void names_close(orthant_context *ctx, names *known)
{
    memory_free(ctx, known->word);
    lines_close(&known->text);
}

static orthant_status names_open(orthant_context *ctx, const char *path, int64_t features,
                                 names *known)
{
    piece line;
    *known = (names){0};
    orthant_status status = lines_open(ctx, path, &known->text);
    if (status)
        return status;
    known->word = memory_new(ctx, features, sizeof *known->word, "words");
    if (!known->word)
        status = ORTHANT_ERROR_MEMORY;
    while (!status && lines_next(&known->text, &line)) {
        const piece word = piece_trim(line);
        if (word.begin == word.end)
            continue;
        if (known->count < features)
            known->word[known->count] = word;
        known->count++;
    }
    if (!status && known->count != features)
        status = fail(ctx, ORTHANT_ERROR_FORMAT,
                      "%s: found %" PRId64 " words, expected one per line for each of the %" PRId64
                      " features",
                      path, known->count, features);
    if (status)
        names_close(ctx, known);
    return status;
}

/* The samples' own; they outlive it. */
static orthant_status names_of(orthant_context *ctx, const orthant_matrix *samples, names *known)
{
    const int64_t features = orthant_matrix_columns(samples);
    *known = (names){.text = {.ctx = ctx}, .count = features};
    known->word = memory_new(ctx, features, sizeof *known->word, "words");
    for (int64_t j = 0; known->word && j < features; j++) {
        const char *name = orthant_matrix_feature_name(samples, j);
        known->word[j] = (piece){name, name + strlen(name)};
    }
    return known->word ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status orthant_run_check_words(orthant_context *ctx, const char *path, int64_t features)
{
    names known;
    const orthant_status refused = entry_check(ctx, path != NULL, __func__);
    if (refused)
        return refused;
    const orthant_status status = names_open(ctx, path, features, &known);
    if (!status)
        names_close(ctx, &known);
    return status;
}

/* ---- the heaviest -----------------------------------------------------------------------------
 */

/* The features of the largest entries of a column, the largest first; ties to the lower feature.
 * Returns how many: fewer where the others are not positive. */
static int heaviest(const orthant_matrix *basis, int64_t part, int64_t top[TOP])
{
    int count = 0;
    double weight[TOP];
    for (int64_t f = 0; f < orthant_matrix_rows(basis); f++) {
        const double value = orthant_matrix_get(basis, f, part);
        int at = count;
        while (at > 0 && weight[at - 1] < value)
            at--;
        if (!(value > 0) || at == TOP)
            continue;
        count += count < TOP;
        for (int i = count - 1; i > at; i--) {
            weight[i] = weight[i - 1];
            top[i] = top[i - 1];
        }
        weight[at] = value;
        top[at] = f;
    }
    return count;
}

static void write_part(FILE *file, const orthant_matrix *basis, const names *known, int64_t part)
{
    int64_t top[TOP];
    const int count = heaviest(basis, part, top);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%" PRId64 ",%d,%" PRId64 ",", part, i + 1, top[i]);
        csv_write_text(file, known->word[top[i]]);
        fprintf(file, ",%.6g\n", orthant_matrix_get(basis, top[i], part));
    }
}

orthant_status words_write(orthant_context *ctx, const orthant_matrix *basis,
                           const char *names_path, const orthant_matrix *samples,
                           const char *folder)
{
    names known;
    file_writer writer;
    orthant_status status = names_path
                                ? names_open(ctx, names_path, orthant_matrix_rows(basis), &known)
                                : names_of(ctx, samples, &known);
    if (status)
        return status;
    char *path = path_join(ctx, folder, WORDS_FILE);
    status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        fputs(WORDS_HEADER, writer.file);
        for (int64_t part = 0; part < orthant_matrix_columns(basis); part++)
            write_part(writer.file, basis, &known, part);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    names_close(ctx, &known);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------
 */

static sheet *new_table(orthant_context *ctx, const char *column)
{
    sheet *table = sheet_new(ctx, "words", "What weighs most in each part, the heaviest first.");
    sheet_add_column(table, "part", 0);
    sheet_add_column(table, column, -1);
    return table;
}

static void add_part(sheet *table, double part, const char *text)
{
    sheet_add_row(table, false);
    sheet_add_number(table, part);
    sheet_add_text(table, text);
}

static void table_of_numbers(const orthant_matrix *basis, sheet *table)
{
    const int64_t parts = orthant_matrix_columns(basis);
    for (int64_t part = 0; part < parts && part < MOST_PARTS; part++) {
        int64_t top[TOP];
        char text[TOP * 24] = "";
        const int count = heaviest(basis, part, top);
        for (int i = 0; i < count; i++)
            text_append(text, sizeof text, "%s%" PRId64, i ? ", " : "", top[i]);
        add_part(table, (double)part, text);
    }
}

static orthant_status table_of_words(orthant_context *ctx, const char *path, sheet *table)
{
    csv_table file;
    piece row, field[5];
    char text[1024] = "", word[sizeof text];
    double part = 0, last = 0;
    orthant_status status = csv_open(ctx, path, &file);
    if (status)
        return status;
    if (file.columns != 5)
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: found %" PRId64 " columns, expected 5", path,
                      file.columns);
    while (!status && csv_row(&file, &row)) {
        for (int i = 0; i < 5; i++)
            csv_field(&file, &row, &field[i]);
        if (!text_read_double(field[0].begin, field[0].end, &part)) {
            status = csv_refuse(&file, 1, field[0], "a part's number");
            break;
        }
        if (part != last && *text)
            add_part(table, last, text);
        if (part != last)
            *text = '\0';
        last = part;
        csv_copy_text(field[3], word, sizeof word);
        text_append(text, sizeof text, "%s%s", *text ? ", " : "", word);
    }
    if (!status && *text)
        add_part(table, last, text);
    csv_close(&file);
    return status;
}

orthant_status words_table(orthant_context *ctx, const run_record *record,
                           const orthant_matrix *basis, sheet **table)
{
    orthant_status status = ORTHANT_OK;
    *table = NULL;
    char *path = path_join(ctx, record->folder, WORDS_FILE);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    file_presence kind;
    status = file_look(ctx, path, &kind);
    const bool named = !status && kind != FILE_MISSING;
    if (named || (!status && basis)) {
        *table = new_table(ctx, named ? "words" : "features");
        status = *table ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    if (!status && named)
        status = table_of_words(ctx, path, *table);
    else if (!status && basis)
        table_of_numbers(basis, *table);
    if (!status && *table)
        status = sheet_status(*table);
    if (status) {
        sheet_free(*table);
        *table = NULL;
    }
    memory_free(ctx, path);
    return status;
}

static int numbers_of_part(const orthant_matrix *basis, int64_t part, int most, weighed_word *found)
{
    int64_t top[TOP];
    const int count = heaviest(basis, part, top);
    int i = 0;
    for (; i < count && i < most; i++) {
        snprintf(found[i].word, sizeof found[i].word, "feature %" PRId64, top[i]);
        found[i].weight = orthant_matrix_get(basis, top[i], part);
    }
    return i;
}

orthant_status words_of_part(orthant_context *ctx, const run_record *record,
                             const orthant_matrix *basis, int64_t part, int most,
                             weighed_word *found, int *count)
{
    csv_table file;
    piece row, field[5];
    double number, weight;
    *count = 0;
    char *path = path_join(ctx, record->folder, WORDS_FILE);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = file_exists(path) ? csv_open(ctx, path, &file) : ORTHANT_OK;
    const bool open = !status && file_exists(path);
    if (!status && !open)
        *count = numbers_of_part(basis, part, most, found);
    while (open && file.columns == 5 && *count < most && csv_row(&file, &row)) {
        for (int i = 0; i < 5; i++)
            csv_field(&file, &row, &field[i]);
        if (!text_read_double(field[0].begin, field[0].end, &number) || number != (double)part ||
            !text_read_double(field[4].begin, field[4].end, &weight))
            continue;
        csv_copy_text(field[3], found[*count].word, sizeof found->word);
        found[(*count)++].weight = weight;
    }
    if (open)
        csv_close(&file);
    memory_free(ctx, path);
    return status;
}
