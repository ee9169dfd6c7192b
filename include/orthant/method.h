/** @file
 * The table of methods: what there is, what each needs, promises and takes. All of it is constant:
 * it may be read by any thread, and texts are never to be freed. */
#ifndef ORTHANT_METHOD_H
#define ORTHANT_METHOD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter, of a method or of all. */
typedef struct orthant_parameter_info {
    size_t size;      /**< set it to sizeof(orthant_parameter_info) before the call */
    const char *name; /**< for orthant_model_set() */
    const char *help; /**< one line */
    /** "binary|heat|cosine" for a word, "" for free text, NULL for a number. */
    const char *choices;
    const char *default_text; /**< as a user would type it */
    double minimum;           /**< numbers only */
    double maximum;           /**< numbers only */
    bool whole;               /**< an integer */
} orthant_parameter_info;

/** A method. */
typedef struct orthant_method_info {
    size_t size;           /**< set it to sizeof(orthant_method_info) before the call */
    const char *name;      /**< "gnmf" */
    const char *title;     /**< what that stands for */
    const char *family;    /**< "factor", "reference", ... */
    const char *loss;      /**< "frobenius", "kl" or "" */
    const char *terms;     /**< "local,graph" or "" */
    const char *needs;     /**< "graph,labels" or "" */
    const char *factors;   /**< "basis,encoding" */
    const char *labels;    /**< "kmeans:encoding" or "argmax:encoding" */
    const char *read_outs; /**< the rules that "best-of" chooses from, or "" */
    const char *promises;  /**< "monotone,deterministic,nonnegative" */
    const char *reference; /**< the paper */
    /** Objective, updates with equation numbers, cost, when to use it; several lines. */
    const char *description;
    bool mixed_signs; /**< takes negative data */
    int parameters;   /**< how many the method itself has; the common ones come after them */
    /** It goes on until a tolerance or a number of iterations, which have no part in a method that
     * takes eigenvectors. */
    bool iterates;
    bool shows_factors; /**< orthant_model_set_iteration() is called, with factors to look at */
    bool streams;       /**< reads the data in passes: they may stay in their file */
    bool on_device;     /**< can run on a device (device.h), as far as that takes what is asked */
} orthant_method_info;

/** How many methods there are. */
ORTHANT_API int orthant_method_count(void);
/** A method by its place, from 0; ORTHANT_ERROR_ARGUMENT past the end. */
ORTHANT_API orthant_status orthant_method_info_at(int index, orthant_method_info *info);
/** A method by its name; where there is none, the message suggests the nearest.
 * @param context for the message alone; may be NULL. */
ORTHANT_API orthant_status orthant_method_info_by_name(orthant_context *context, const char *name,
                                                       orthant_method_info *info);
/** A parameter of a method by its place, from 0, with the method's own default. After as many as
 * orthant_method_info::parameters come the orthant_common_parameter_count() that every method
 * takes, whose defaults (`iterations`, `tolerance`) methods may set too; ORTHANT_ERROR_ARGUMENT
 * past the end. */
ORTHANT_API orthant_status orthant_method_parameter(const char *method, int index,
                                                    orthant_parameter_info *info);

/** How many parameters every method takes: iterations, tolerance, time_limit, seed, init, ... */
ORTHANT_API int orthant_common_parameter_count(void);
/** One of these by its place, from 0, with the default where a method has none of its own;
 * ORTHANT_ERROR_ARGUMENT past the end. */
ORTHANT_API orthant_status orthant_common_parameter(int index, orthant_parameter_info *info);

/** How many terms there are that can be added to a loss. */
ORTHANT_API int orthant_term_count(void);
/** A term's name, for orthant_model_add_term(); NULL past the end. */
ORTHANT_API const char *orthant_term_name(int index);
/** A term's one line of help; NULL past the end. */
ORTHANT_API const char *orthant_term_title(int index);
/** A parameter of a term by its place, from 0, the first being its weight; a model has them once
 * the term is added to it. ORTHANT_ERROR_ARGUMENT past the end, and where there is no such term. */
ORTHANT_API orthant_status orthant_term_parameter(const char *name, int index,
                                                  orthant_parameter_info *info);

#ifdef __cplusplus
}
#endif
#endif
