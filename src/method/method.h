/* A method is a row of methods.def. */
#ifndef METHOD_METHOD_H
#define METHOD_METHOD_H

#include "core/parameter.h"
#include "method/explain.h"

enum { PROMISES_MONOTONE = 1, PROMISES_DETERMINISTIC = 2, PROMISES_NONNEGATIVE = 4 };

#define METHOD_MOST_DEFAULTS 4

typedef struct method_row {
    const char *name, *title, *family;
    const char *loss;       /* factor family */
    const char *terms;      /* "local,graph" */
    double objective_scale; /* factor family: the objective is this times loss + terms; 0: 1 */
    struct {
        const char *name, *value;
    } defaults[METHOD_MOST_DEFAULTS];         /* what differs from the tables' defaults */
    const orthant_parameter_info *parameters; /* the method's own, beside its terms' */
    int promises;
    bool needs_labels;    /* beside what its terms need */
    bool needs_graph;     /* beside what its terms need */
    bool labels_in_graph; /* the graph takes the labels in: it needs them */
    bool mixed_signs;
    bool signed_basis;     /* of either sign, and so may its start be */
    bool direct;           /* eigenvectors: no iterations of a fit */
    bool shows_no_factors; /* while it goes on, to who looks on */
    bool needs_similarity; /* works on a similarity of the samples: built where none is given */
    bool streams;          /* reads X in passes, strip by strip: it may lie in a file */
    bool takes_similarity; /* can work on a given one in place of K = X X' */
    bool squared_error;    /* the history's loss is |X - its model|^2; the factor family knows */
    const char *factors, *labels, *reference, *description;
    const char *read_outs; /* rules that "best-of" chooses from, or NULL */
    orthant_status (*run)(fit *f);
    /* Whether the context's device can run what is asked; NULL: it runs on the CPU alone. */
    orthant_status (*check_device)(fit *f);
    orthant_status (*explain)(fit *f, explanation *e); /* its plan; NULL: it follows none */
} method_row;

const method_row *method_find(const char *name); /* NULL where there is none */
/* With a suggestion where the name is nearly one. */
orthant_status method_unknown(orthant_context *ctx, const char *name);

/* Parameters that every method takes. */
extern const orthant_parameter_info common_parameters[];
/* Parameters of every model of a loss and terms; the first is the loss. */
extern const orthant_parameter_info factor_parameters[];

/* Parameters of every method that can work on a similarity in place of X X'. */
extern const orthant_parameter_info kernel_parameters[];

/* Starting factors of X ~ W S', for start_factors. */
#define PARAMETER_INIT                                                                \
    PARAMETER_WORD("init", "random", "random|uniform|nndsvd|nndsvda|nndsvdar|kmeans", \
                   "starting factors")

/* The encodings that the fit ends with (final_encodings.h). */
#define PARAMETER_FINAL_ENCODINGS                                                        \
    PARAMETER_WORD(                                                                      \
        "final_encodings", "auto", "auto|minimal|last",                                  \
        "the fit ends with: minimal: the encodings that minimise the objective for the " \
        "final basis, transform's where no label counts; last: those of the last "       \
        "iteration; auto: minimal where the tolerance is above 0 and no term couples "   \
        "the samples")

/* The models, and the parameters of their own. */
orthant_status factor_run(fit *f);
orthant_status factor_check_device(fit *f);
orthant_status nnsc_run(fit *f);
orthant_status semi_nmf_run(fit *f);
orthant_status kmeans_method_run(fit *f);
orthant_status kmeans_check_device(fit *f);
orthant_status cnmf_run(fit *f);
orthant_status ssnmf_run(fit *f);
orthant_status nmf_sc_run(fit *f);
orthant_status pca_run(fit *f);
orthant_status rica_run(fit *f);
orthant_status cf_run(fit *f);
orthant_status convex_nmf_run(fit *f);
orthant_status onmf_run(fit *f);
orthant_status pnmf_run(fit *f);
orthant_status grpnmf_run(fit *f);
orthant_status nlcf_plus_run(fit *f);
orthant_status grpnmf_plus_run(fit *f);
orthant_status grpnmf_check_device(fit *f);
orthant_status cnmf_check_device(fit *f);
/* Of methods whose work on the data are products with K (kernel_device.h). */
orthant_status kernel_check_device(fit *f);
orthant_status snmf_run(fit *f);
orthant_status wnmf_run(fit *f);
orthant_status rmnd_run(fit *f);
orthant_status rmnd_plus_run(fit *f);
orthant_status spectral_run(fit *f);
orthant_status nsdr_run(fit *f);
/* The plans of those that have one. */
orthant_status factor_explain(fit *f, explanation *e);
orthant_status nnsc_explain(fit *f, explanation *e);
orthant_status semi_nmf_explain(fit *f, explanation *e);
orthant_status cnmf_explain(fit *f, explanation *e);
orthant_status ssnmf_explain(fit *f, explanation *e);
orthant_status nmf_sc_explain(fit *f, explanation *e);
extern const orthant_parameter_info kmeans_parameters[], cnmf_parameters[], nmf_sc_parameters[],
    rica_parameters[], pnmf_parameters[], grpnmf_parameters[], cluster_nmf_parameters[],
    nlcf_plus_parameters[], grpnmf_plus_parameters[], snmf_parameters[], wnmf_parameters[],
    rmnd_parameters[], rmnd_plus_parameters[], spectral_parameters[], nsdr_parameters[],
    ssnmf_parameters[], sgnmf_parameters[];

#endif
