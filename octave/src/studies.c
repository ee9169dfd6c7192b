/* What is of many fits, or of none: studies, surveys of ranks, consensus, data, words, silhouettes.
 */
#include <math.h>
#include <string.h>

#include "actions.h"

/* ---- several starts ----------------------------------------------------------------------------
 */

mxArray *starts_value(const orthant_result *result)
{
    const int64_t count = orthant_result_start_count(result);
    mxArray *value = mxCreateDoubleMatrix(1, (mwSize)count, mxREAL);
    for (int64_t i = 0; i < count; i++)
        mxGetPr(value)[i] = orthant_result_start_objective(result, i);
    return value;
}

/* A row for each part of each start: start, part, part of the consensus, density, silhouette. */
static mxArray *members_value(const orthant_result *result, int64_t count)
{
    mxArray *value = mxCreateDoubleMatrix((mwSize)count, 5, mxREAL);
    for (int64_t i = 0; i < count; i++) {
        orthant_consensus_member m = {.size = sizeof m};
        check(orthant_result_consensus_member(result, i, &m));
        const double row[] = {(double)m.start + 1, (double)m.part + 1,
                              m.cluster < 0 ? (double)NAN : (double)m.cluster + 1, m.density,
                              m.silhouette};
        for (int c = 0; c < 5; c++)
            mxGetPr(value)[i + c * count] = row[c];
    }
    return value;
}

static mxArray *parts_value(const orthant_result *result, int64_t rank)
{
    static const char *fields[] = {"members", "starts", "silhouette", "cosine"};
    mxArray *parts = mxCreateStructMatrix((mwSize)rank, 1, 4, fields);
    for (int64_t q = 0; q < rank; q++) {
        orthant_consensus_part p = {.size = sizeof p};
        check(orthant_result_consensus_part(result, q, &p));
        const double numbers[] = {(double)p.members, (double)p.starts, p.silhouette, p.cosine};
        for (int f = 0; f < 4; f++)
            mxSetFieldByNumber(parts, (mwIndex)q, f, mxCreateDoubleScalar(numbers[f]));
    }
    return parts;
}

mxArray *consensus_value(const orthant_result *result)
{
    orthant_consensus_info info = {.size = sizeof info};
    if (orthant_result_consensus(result, &info))
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    mxArray *value = new_struct();
    const int64_t rank = orthant_matrix_columns(orthant_result_factor(result, "basis"));
    set_number(value, "starts", (double)info.starts);
    set_number(value, "kept", (double)info.kept);
    set_number(value, "left_out", (double)(info.members - info.kept));
    set_number(value, "threshold", info.threshold);
    set_number(value, "neighbours", (double)info.neighbours);
    set_number(value, "silhouette", info.silhouette);
    set_number(value, "fixed", (double)info.fixed);
    set_field(value, "parts", parts_value(result, rank));
    set_field(value, "members", members_value(result, info.members));
    return value;
}

/* ---- studies -----------------------------------------------------------------------------------
 */

static mxArray *study_rows(const orthant_study *study)
{
    static const char *fields[] = {"method",     "classes",   "repeat",    "accuracy",
                                   "nmi",        "ari",       "purity",    "seconds",
                                   "sparseness", "objective", "iterations"};
    const int64_t count = orthant_study_row_count(study);
    mxArray *rows = mxCreateStructMatrix((mwSize)count, 1, 11, fields);
    for (int64_t i = 0; i < count; i++) {
        orthant_study_row row = {.size = sizeof row};
        if (orthant_study_row_at(study, i, &row))
            stop_with("argument", "the study has no row %lld", (long long)i);
        const double numbers[] = {(double)row.classes, (double)row.repeat,   row.found.accuracy,
                                  row.found.nmi,       row.found.ari,        row.found.purity,
                                  row.found.seconds,   row.found.sparseness, row.found.objective,
                                  row.found.iterations};
        mxSetFieldByNumber(rows, (mwIndex)i, 0, mxCreateString(row.method));
        for (int f = 0; f < 10; f++)
            mxSetFieldByNumber(rows, (mwIndex)i, f + 1, mxCreateDoubleScalar(numbers[f]));
    }
    return rows;
}

void run_compare(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[2];
    const char *folder = NULL;
    char *tables = NULL;
    (void)nlhs;
    for (int f = 0; f < mxGetNumberOfFields(options); f++) {
        const char *name = mxGetFieldNameByNumber(options, f);
        const binding_value value = value_of(mxGetFieldByNumber(options, 0, f), name);
        if (!strcmp(name, "folder"))
            folder = text_of(mxGetFieldByNumber(options, 0, f), name);
        else
            check(binding_study_set(&call, name, &value));
    }
    const binding_array samples = array_of(prhs[0], "X"), truth = array_of(prhs[1], "truth");
    check(binding_compare(&call, &samples, &truth, folder));
    plhs[0] = study_rows(call.study);
    check(orthant_study_tables(call.study, "text", &tables));
    plhs[1] = mxCreateString(tables);
    orthant_text_free(call.context, tables);
}

mxArray *reasons_value(const orthant_ranks *survey)
{
    int count = 0;
    while (survey && orthant_ranks_reason(survey, count))
        count++;
    mxArray *texts = mxCreateCellMatrix((mwSize)count, count ? 1 : 0);
    for (int i = 0; i < count; i++)
        mxSetCell(texts, (mwIndex)i, mxCreateString(orthant_ranks_reason(survey, i)));
    return texts;
}

/* A struct with a column for each measure. */
static mxArray *ranks_value(const orthant_ranks *survey)
{
    const int64_t count = orthant_ranks_count(survey);
    mxArray *value = new_struct(), *numbers = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    for (int64_t i = 0; i < count; i++)
        mxGetPr(numbers)[i] = (double)orthant_ranks_rank(survey, i);
    set_number(value, "recommended", (double)orthant_ranks_recommended(survey));
    set_field(value, "reasons", reasons_value(survey));
    set_field(value, "k", numbers);
    const char *name;
    for (int m = 0; (name = orthant_ranks_measure(m)); m++) {
        mxArray *column = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
        for (int64_t i = 0; i < count; i++)
            mxGetPr(column)[i] = orthant_ranks_value(survey, i, name, NULL);
        set_field(value, name, column);
    }
    return value;
}

void run_ranks(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[1];
    const char *folder = NULL;
    (void)nlhs;
    for (int f = 0; f < mxGetNumberOfFields(options); f++) {
        const char *name = mxGetFieldNameByNumber(options, f);
        const mxArray *given = mxGetFieldByNumber(options, 0, f);
        const binding_value value = value_of(given, name);
        if (!strcmp(name, "folder"))
            folder = text_of(given, name);
        else
            check(binding_ranks_set(&call, name, &value));
    }
    const binding_array samples = array_of(prhs[0], "X");
    check(binding_ranks(&call, &samples, folder));
    plhs[0] = ranks_value(call.ranks);
}

/* ---- data --------------------------------------------------------------------------------------
 */

typedef const char *(*name_function)(const orthant_matrix *matrix, int64_t index);

/* A column of texts; {} where there are none. */
static mxArray *names_value(const orthant_matrix *matrix, name_function name, int64_t count)
{
    const bool named = count > 0 && name(matrix, 0);
    mxArray *names = mxCreateCellMatrix(named ? (mwSize)count : 0, named ? 1 : 0);
    for (int64_t i = 0; named && i < count; i++)
        mxSetCell(names, (mwIndex)i, mxCreateString(name(matrix, i) ? name(matrix, i) : ""));
    return names;
}

static mxArray *classes_value(const orthant_labels *labels)
{
    const int64_t count = labels && orthant_labels_name(labels, 0) ? binding_classes(labels) : 0;
    mxArray *names = mxCreateCellMatrix((mwSize)count, count ? 1 : 0);
    for (int64_t i = 0; i < count; i++)
        mxSetCell(names, (mwIndex)i, mxCreateString(orthant_labels_name(labels, i)));
    return names;
}

/* What is known of the data beside their numbers. */
static mxArray *data_value(const orthant_matrix *samples, const orthant_labels *truth)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    mxArray *info = new_struct();
    set_field(info, "features",
              names_value(samples, orthant_matrix_feature_name, orthant_matrix_columns(samples)));
    set_field(info, "samples",
              names_value(samples, orthant_matrix_sample_name, orthant_matrix_rows(samples)));
    set_field(info, "classes", classes_value(truth));
    set_number(info, "height", shape.height);
    set_number(info, "width", shape.width);
    set_number(info, "channels", shape.channels);
    set_field(info, "column_major", mxCreateLogicalScalar(shape.column_major));
    return info;
}

void run_read(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[1];
    orthant_read_options how = ORTHANT_READ_DEFAULTS;
    expect_options(options, "",
                   "variable,truth,id_column,drop,missing,transpose,height,width,color,precision");
    how.variable = text_option(options, "variable", NULL);
    how.truth = text_option(options, "truth", NULL);
    how.id_column = text_option(options, "id_column", NULL);
    how.drop = text_option(options, "drop", NULL);
    how.missing = number_option(options, "missing", 0) != 0;
    how.transpose = number_option(options, "transpose", 0) != 0;
    how.image_height = (int)whole_option(options, "height", 0);
    how.image_width = (int)whole_option(options, "width", 0);
    how.color = number_option(options, "color", 0) != 0;
    orthant_context_set_precision(call.context,
                                  strcmp(text_option(options, "precision", "double"), "single")
                                      ? ORTHANT_DOUBLE
                                      : ORTHANT_SINGLE);
    orthant_context_set_confined(call.context, true);
    check(orthant_matrix_read(call.context, text_of(prhs[0], "path"), &how, &call.made,
                              nlhs > 1 ? &call.known : NULL));
    plhs[0] = matrix_value(call.made);
    if (nlhs > 1)
        plhs[1] = call.known ? labels_value(call.known, 0) : mxCreateDoubleMatrix(0, 0, mxREAL);
    if (nlhs > 2)
        plhs[2] = data_value(call.made, call.known);
}

void run_words(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[1];
    expect_options(options, "memory,verbose", "stop_words,min_count,min_documents,max_words");
    const orthant_words_options how = {
        .size = sizeof how,
        .stop_words = text_option(options, "stop_words", NULL),
        .fewest_counts = whole_option(options, "min_count", 0),
        .fewest_documents = whole_option(options, "min_documents", 0),
        .most_words = whole_option(options, "max_words", 0),
    };
    orthant_context_set_precision(call.context, ORTHANT_DOUBLE);
    check(binding_words(&call, text_of(prhs[0], "path"), &how));
    plhs[0] = matrix_value(call.made);
    if (nlhs > 1)
        plhs[1] =
            names_value(call.made, orthant_matrix_feature_name, orthant_matrix_columns(call.made));
    if (nlhs > 2)
        plhs[2] = call.known ? labels_value(call.known, 0) : mxCreateDoubleMatrix(0, 0, mxREAL);
}

void run_silhouette(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    orthant_cluster_scores scores = {.size = sizeof scores};
    (void)nlhs;
    expect_options(prhs[2], "threads,memory,transpose", "");
    const binding_array points = array_of(prhs[0], "points"), labels = array_of(prhs[1], "labels");
    check(binding_silhouette(&call, &points, &labels, &scores));
    plhs[0] = new_struct();
    set_number(plhs[0], "silhouette", scores.silhouette);
    set_field(plhs[0], "exact", mxCreateLogicalScalar(scores.exact));
    set_number(plhs[0], "cohesion", scores.cohesion);
    set_number(plhs[0], "samples", (double)scores.samples);
    set_number(plhs[0], "clusters", (double)scores.clusters);
    set_number(plhs[0], "smallest", (double)scores.smallest);
    set_number(plhs[0], "largest", (double)scores.largest);
}
