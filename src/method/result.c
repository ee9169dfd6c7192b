/* What a fit gives. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/group.h"
#include "method/consensus_parts.h"
#include "method/ensemble.h"
#include "method/fit.h"

void orthant_result_free(orthant_result *result)
{
    if (!result)
        return;
    for (int i = 0; i < result->factor_count; i++)
        orthant_matrix_free(result->factors[i].matrix);
    for (int i = 0; i < result->note_count; i++)
        memory_free(result->ctx, result->notes[i]);
    memory_free(result->ctx, result->history.values);
    memory_free(result->ctx, result->label_scale);
    memory_free(result->ctx, result->starts.objective);
    consensus_free(result->consensus);
    ensemble_free(result->ensemble);
    memory_free(result->ctx, result);
}

orthant_status orthant_result_gather(orthant_result *result)
{
    orthant_status status = entry_check(result ? result->ctx : NULL, true, __func__);
    for (int i = 0; !status && i < result->factor_count; i++) {
        orthant_matrix *whole = NULL, *part = result->factors[i].matrix;
        if (!part->part.total)
            continue;
        const sample_share s =
            samples_here_of(result->ctx, part->part.total, result->features, true);
        if (!s.shared) /* but one rank that has all rows among others which have none is shared */
            continue;
        status = group_whole_matrix(&s, part, false, &whole);
        if (!status) /* from now on nobody waits for the others where it is used */
            part->part.total = part->part.first = 0;
        if (!whole)
            continue;
        orthant_matrix_free(part);
        result->factors[i].matrix = whole;
        result->samples = whole->rows;
    }
    return status;
}

int orthant_result_factor_count(const orthant_result *result)
{
    return result ? result->factor_count : 0;
}

const char *orthant_result_factor_name(const orthant_result *result, int index)
{
    return !result || index < 0 || index >= result->factor_count ? NULL
                                                                 : result->factors[index].name;
}

const orthant_matrix *orthant_result_factor(const orthant_result *result, const char *name)
{
    for (int i = 0; result && name && i < result->factor_count; i++)
        if (!strcmp(result->factors[i].name, name))
            return result->factors[i].matrix;
    return NULL;
}

int64_t orthant_result_iterations(const orthant_result *result)
{
    return result ? result->history.iterations : 0;
}

bool orthant_result_converged(const orthant_result *result)
{
    return result && result->history.converged;
}

bool orthant_result_minimal_encodings(const orthant_result *result)
{
    return result && result->minimal_encodings;
}

bool orthant_result_stopped(const orthant_result *result)
{
    return result && result->history.stopped;
}

const char *orthant_result_device(const orthant_result *result)
{
    return result && result->device[0] ? result->device : "cpu";
}

double orthant_result_projected_gradient(const orthant_result *result)
{
    return result ? result->projected_gradient : NAN;
}

double orthant_result_relative_error(const orthant_result *result)
{
    return result ? sqrt(result->squared_error / result->data_squares) : NAN;
}

int64_t orthant_result_missing(const orthant_result *result)
{
    return result ? result->missing : -1;
}

double orthant_result_explained_variance(const orthant_result *result)
{
    return result ? 1 - result->squared_error / result->data_squares : NAN;
}

double orthant_result_seconds(const orthant_result *result)
{
    return result ? result->history.seconds : 0;
}

double orthant_result_objective(const orthant_result *result)
{
    return orthant_result_history(result, orthant_result_history_rows(result) - 1, 2);
}

int64_t orthant_result_start_count(const orthant_result *result)
{
    return !result ? 0 : result->starts.objective ? result->starts.count : 1;
}

double orthant_result_start_objective(const orthant_result *result, int64_t index)
{
    if (index < 0 || index >= orthant_result_start_count(result))
        return NAN;
    return result->starts.objective ? result->starts.objective[index]
                                    : orthant_result_objective(result);
}

double orthant_result_term_weight(const orthant_result *result, int index)
{
    return result && index >= 0 && index < FIT_MOST_TERMS ? result->term_weights[index] : NAN;
}

int64_t orthant_result_dead_columns(const orthant_result *result)
{
    return result ? result->dead_columns : 0;
}

int orthant_result_history_columns(const orthant_result *result)
{
    return result ? result->history.column_count : 0;
}

const char *orthant_result_history_column(const orthant_result *result, int column)
{
    return !result || column < 0 || column >= result->history.column_count
               ? NULL
               : result->history.columns[column];
}

int64_t orthant_result_history_rows(const orthant_result *result)
{
    return result ? result->history.rows : 0;
}

double orthant_result_history(const orthant_result *result, int64_t row, int column)
{
    if (!result || row < 0 || row >= result->history.rows || column < 0 ||
        column >= result->history.column_count)
        return NAN;
    return result->history.values[row * result->history.column_count + column];
}

int orthant_result_note_count(const orthant_result *result)
{
    return result ? result->note_count : 0;
}

const char *orthant_result_note(const orthant_result *result, int index)
{
    return !result || index < 0 || index >= result->note_count ? NULL : result->notes[index];
}
