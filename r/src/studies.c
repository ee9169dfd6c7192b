/* What is of many fits, or of none: surveys of ranks, consensus, words, silhouettes. */
#include <math.h>

#include "calls.h"

/* ---- several starts ----------------------------------------------------------------------------
 */

SEXP starts_value(const orthant_result *result)
{
    const int64_t count = orthant_result_start_count(result);
    SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++)
        REAL(value)[i] = orthant_result_start_objective(result, i);
    UNPROTECT(1);
    return value;
}

static list columns_begin(const char *const *names, int columns, int64_t rows)
{
    list l = list_begin(columns);
    for (int c = 0; c < columns; c++)
        list_add(&l, names[c], Rf_allocVector(REALSXP, (R_xlen_t)rows));
    return l;
}

static void put_row(const list *l, int64_t row, const double *numbers)
{
    for (int c = 0; c < l->count; c++)
        REAL(VECTOR_ELT(l->values, c))[row] = numbers[c];
}

static SEXP parts_value(const orthant_result *result, int64_t rank)
{
    static const char *const names[] = {"members", "starts", "silhouette", "cosine"};
    const list l = columns_begin(names, 4, rank);
    for (int64_t q = 0; q < rank; q++) {
        orthant_consensus_part p = {.size = sizeof p};
        if (orthant_result_consensus_part(result, q, &p))
            Rf_errorcall(R_NilValue, "the consensus has no part %d", (int)q);
        put_row(&l, q,
                (const double[]){(double)p.members, (double)p.starts, p.silhouette, p.cosine});
    }
    return list_end(&l);
}

static SEXP members_value(const orthant_result *result, int64_t count)
{
    static const char *const names[] = {"start", "part", "consensus_part", "density", "silhouette"};
    const list l = columns_begin(names, 5, count);
    for (int64_t i = 0; i < count; i++) {
        orthant_consensus_member m = {.size = sizeof m};
        if (orthant_result_consensus_member(result, i, &m))
            Rf_errorcall(R_NilValue, "the consensus has no member %d", (int)i);
        put_row(&l, i,
                (const double[]){(double)m.start + 1, (double)m.part + 1,
                                 m.cluster < 0 ? NA_REAL : (double)m.cluster + 1, m.density,
                                 m.silhouette});
    }
    return list_end(&l);
}

SEXP consensus_value(const orthant_result *result)
{
    orthant_consensus_info info = {.size = sizeof info};
    if (orthant_result_consensus(result, &info))
        return R_NilValue;
    const int64_t rank = orthant_matrix_columns(orthant_result_factor(result, "basis"));
    list l = list_begin(9);
    list_add(&l, "silhouette", Rf_ScalarReal(info.silhouette));
    list_add(&l, "fixed", Rf_ScalarReal((double)info.fixed));
    list_add(&l, "starts", Rf_ScalarReal((double)info.starts));
    list_add(&l, "kept", Rf_ScalarReal((double)info.kept));
    list_add(&l, "left_out", Rf_ScalarReal((double)(info.members - info.kept)));
    list_add(&l, "threshold", Rf_ScalarReal(info.threshold));
    list_add(&l, "neighbours", Rf_ScalarReal((double)info.neighbours));
    list_add(&l, "parts", parts_value(result, rank));
    list_add(&l, "members", members_value(result, info.members));
    return list_end(&l);
}

/* ---- ranks -------------------------------------------------------------------------------------
 */

SEXP reasons_value(const orthant_ranks *survey)
{
    int count = 0;
    while (orthant_ranks_reason(survey, count))
        count++;
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++)
        SET_STRING_ELT(texts, i, Rf_mkCharCE(orthant_ranks_reason(survey, i), CE_UTF8));
    UNPROTECT(1);
    return texts;
}

static SEXP ranks_value(const orthant_ranks *survey)
{
    const char *names[32] = {"k"};
    const int64_t count = orthant_ranks_count(survey);
    int columns = 1;
    while (columns < 32 && (names[columns] = orthant_ranks_measure(columns - 1)))
        columns++;
    const list l = columns_begin(names, columns, count);
    for (int64_t i = 0; i < count; i++) {
        double numbers[32] = {(double)orthant_ranks_rank(survey, i)};
        for (int c = 1; c < columns; c++)
            numbers[c] = orthant_ranks_value(survey, i, names[c], NULL);
        put_row(&l, i, numbers);
    }
    return list_end(&l);
}

/* `settings` is a list in which a name may come more than once. */
static SEXP run_ranks(call *c)
{
    const SEXP settings = c->given[1], names = Rf_getAttrib(settings, R_NamesSymbol);
    for (R_xlen_t i = 0; i < XLENGTH(settings); i++) {
        const char *name = CHAR(STRING_ELT(names, i));
        const SEXP value = VECTOR_ELT(settings, i);
        if (value == R_NilValue)
            continue;
        const binding_value given = value_of(value, name);
        check(c, binding_ranks_set(&c->b, name, &given));
    }
    const binding_array samples = array_of(c->given[0], "x");
    check(c, binding_ranks(&c->b, &samples,
                           c->given[2] == R_NilValue ? NULL : text_of(c->given[2], "folder")));
    list l = list_begin(3);
    list_add(&l, "recommended", Rf_ScalarReal((double)orthant_ranks_recommended(c->b.ranks)));
    list_add(&l, "reasons", reasons_value(c->b.ranks));
    list_add(&l, "table", ranks_value(c->b.ranks));
    return list_end(&l);
}

SEXP orthant_r_ranks(SEXP x, SEXP settings, SEXP folder)
{
    SEXP given[] = {x, settings, folder};
    return run_call(run_ranks, given);
}

/* ---- data --------------------------------------------------------------------------------------
 */

typedef const char *(*name_function)(const orthant_matrix *matrix, int64_t index);

/* NULL where there are none. */
static SEXP names_value(const orthant_matrix *matrix, name_function name, int64_t count)
{
    if (count < 1 || !name(matrix, 0))
        return R_NilValue;
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++)
        SET_STRING_ELT(names, (R_xlen_t)i,
                       Rf_mkCharCE(name(matrix, i) ? name(matrix, i) : "", CE_UTF8));
    UNPROTECT(1);
    return names;
}

static SEXP classes_value(const orthant_labels *labels)
{
    if (!labels || !orthant_labels_name(labels, 0))
        return R_NilValue;
    const int64_t count = binding_classes(labels);
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++)
        SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharCE(orthant_labels_name(labels, i), CE_UTF8));
    UNPROTECT(1);
    return names;
}

/* Height, width, channels and whether pixels are listed column by column; NULL where samples are no
 * pictures. */
static SEXP picture_value(const orthant_matrix *samples)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    if (!shape.height)
        return R_NilValue;
    list l = list_begin(4);
    list_add(&l, "height", Rf_ScalarInteger(shape.height));
    list_add(&l, "width", Rf_ScalarInteger(shape.width));
    list_add(&l, "channels", Rf_ScalarInteger(shape.channels));
    list_add(&l, "column_major", Rf_ScalarLogical(shape.column_major));
    return list_end(&l);
}

static SEXP run_read(call *c)
{
    binding *b = &c->b;
    const SEXP options = c->given[1];
    orthant_read_options how = ORTHANT_READ_DEFAULTS;
    how.variable = text_or_null(options, "variable");
    how.truth = text_or_null(options, "truth");
    how.id_column = text_or_null(options, "id_column");
    how.drop = text_or_null(options, "drop");
    how.missing = whole_or_zero(options, "missing") != 0;
    how.transpose = whole_or_zero(options, "transpose") != 0;
    how.image_height = (int)whole_or_zero(options, "height");
    how.image_width = (int)whole_or_zero(options, "width");
    how.color = whole_or_zero(options, "color") != 0;
    orthant_context_set_precision(b->context, ORTHANT_DOUBLE);
    orthant_context_set_confined(b->context, true);
    check(c,
          orthant_matrix_read(b->context, text_of(c->given[0], "path"), &how, &b->made, &b->known));
    list l = list_begin(6);
    list_add(&l, "x", matrix_value(b->made));
    list_add(&l, "truth", labels_value(b->known, 0));
    list_add(&l, "classes", classes_value(b->known));
    list_add(&l, "picture", picture_value(b->made));
    list_add(&l, "samples",
             names_value(b->made, orthant_matrix_sample_name, orthant_matrix_rows(b->made)));
    list_add(&l, "features",
             names_value(b->made, orthant_matrix_feature_name, orthant_matrix_columns(b->made)));
    return list_end(&l);
}

SEXP orthant_r_read(SEXP path, SEXP options)
{
    SEXP given[] = {path, options};
    return run_call(run_read, given);
}

static SEXP run_words(call *c)
{
    const SEXP options = c->given[1];
    const orthant_words_options how = {
        .size = sizeof how,
        .stop_words = text_or_null(options, "stop_words"),
        .fewest_counts = whole_or_zero(options, "min_count"),
        .fewest_documents = whole_or_zero(options, "min_documents"),
        .most_words = whole_or_zero(options, "max_words"),
    };
    orthant_context_set_precision(c->b.context, ORTHANT_DOUBLE);
    check(c, binding_words(&c->b, text_of(c->given[0], "path"), &how));
    const int64_t count = orthant_matrix_columns(c->b.made);
    SEXP words = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++)
        SET_STRING_ELT(words, (R_xlen_t)i,
                       Rf_mkCharCE(orthant_matrix_feature_name(c->b.made, i), CE_UTF8));
    list l = list_begin(3);
    list_add(&l, "x", matrix_value(c->b.made));
    list_add(&l, "words", words);
    list_add(&l, "truth", labels_value(c->b.known, 0));
    const SEXP result = list_end(&l);
    UNPROTECT(1);
    return result;
}

SEXP orthant_r_words(SEXP path, SEXP options)
{
    SEXP given[] = {path, options};
    return run_call(run_words, given);
}

static SEXP run_silhouette(call *c)
{
    orthant_cluster_scores scores = {.size = sizeof scores};
    set_options(c, c->given[2], 0);
    const binding_array points = array_of(c->given[0], "points"),
                        labels = array_of(c->given[1], "labels");
    check(c, binding_silhouette(&c->b, &points, &labels, &scores));
    list l = list_begin(7);
    list_add(&l, "silhouette", Rf_ScalarReal(scores.silhouette));
    list_add(&l, "exact", Rf_ScalarReal(scores.exact));
    list_add(&l, "cohesion", Rf_ScalarReal(scores.cohesion));
    list_add(&l, "samples", Rf_ScalarReal((double)scores.samples));
    list_add(&l, "clusters", Rf_ScalarReal((double)scores.clusters));
    list_add(&l, "smallest", Rf_ScalarReal((double)scores.smallest));
    list_add(&l, "largest", Rf_ScalarReal((double)scores.largest));
    return list_end(&l);
}

SEXP orthant_r_silhouette(SEXP points, SEXP labels, SEXP options)
{
    SEXP given[] = {points, labels, options};
    return run_call(run_silhouette, given);
}
