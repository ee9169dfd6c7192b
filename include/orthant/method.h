/* The table of methods: what there is, what each needs, promises and takes. */
#ifndef ORTHANT_METHOD_H
#define ORTHANT_METHOD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orthant_parameter_info {
    const char *name;
    const char *help;
    const char *choices; /* "binary|heat|cosine" for a word, "" for free text, NULL for a number */
    const char *default_text; /* as a user would type it */
    double minimum, maximum;  /* numbers only */
    bool whole;               /* an integer */
} orthant_parameter_info;

typedef struct orthant_method_info {
    const char *name, *title;
    const char *family;      /* "factor", "reference", ... */
    const char *loss;        /* "frobenius", "kl" or "" */
    const char *terms;       /* "local,graph" or "" */
    const char *needs;       /* "graph,labels" or "" */
    const char *factors;     /* "basis,encoding" */
    const char *labels;      /* "kmeans:encoding" or "argmax:encoding" */
    const char *read_outs;   /* the rules that "best-of" chooses from, or "" */
    const char *promises;    /* "monotone,deterministic,nonnegative" */
    const char *reference;   /* the paper */
    const char *description; /* objective, updates with equation numbers, cost, when to use it;
                                several lines */
    bool mixed_signs;        /* takes negative data */
    int parameters;          /* how many the method itself has; the common ones are listed apart */
} orthant_method_info;

ORTHANT_API int orthant_method_count(void);
ORTHANT_API orthant_status orthant_method_info_at(int index, orthant_method_info *info);
ORTHANT_API orthant_status orthant_method_info_by_name(orthant_context *context, const char *name,
                                                       orthant_method_info *info);
ORTHANT_API orthant_status orthant_method_parameter(const char *method, int index,
                                                    orthant_parameter_info *info);

/* Parameters that every method takes: iterations, tolerance, time_limit, seed, init, ... */
ORTHANT_API int orthant_common_parameter_count(void);
ORTHANT_API orthant_status orthant_common_parameter(int index, orthant_parameter_info *info);

/* Terms that can be added to a loss: name and one line of help. */
ORTHANT_API int orthant_term_count(void);
ORTHANT_API const char *orthant_term_name(int index);
ORTHANT_API const char *orthant_term_title(int index);

#ifdef __cplusplus
}
#endif
#endif
