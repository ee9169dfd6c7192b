/* Graph regularised projective NMF: what grpnmf.c and grpnmf_device.c share. */
#ifndef METHOD_GRPNMF_H
#define METHOD_GRPNMF_H

#include "method/method.h"

#define SAFE_EXPONENT 0.25 /* of the ratio: with it the objective never rises */

/* Parameters of grpnmf and of its continuation. */
#define PARAMETER_EXPONENT                                                                        \
    PARAMETER_NUMBER("exponent", "0.25", 0.01, 1,                                                 \
                     "of the ratio; above 1/4 the scale is set after each step, and a step that " \
                     "raises the objective is taken again with 1/4: 1 is fastest")
#define GRPNMF_PARAMETERS                                                                        \
    PARAMETER_NUMBER("graph_weight", "10", 0, 1e12,                                              \
                     "lambda, to be read against |X|^2: the paper's 500 is for 14,459 nodes of " \
                     "three colours; 0: no graph"),                                              \
        PARAMETER_WHOLE("neighbours", "5", 1, 1e9,                                               \
                        "nearest neighbours of a sample, where no graph is given"),              \
        PARAMETER_WORD("weights", "binary", "binary|heat|cosine",                                \
                       "weights of the edges, where no graph is given"),                         \
        PARAMETER_NUMBER("heat_width", "0", 0, 1e300,                                            \
                         "width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean "   \
                         "squared distance"),                                                    \
        PARAMETER_EXPONENT

/* Notes at the end: on mixed signs, labels that are all one, columns that are zero. `squares`:
 * |X|^2. */
orthant_status grpnmf_tell(fit *f, orthant_matrix *encoding, double graph_weight, double squares,
                           bool mixed);

/* The fit on the context's device. */
orthant_status grpnmf_device_run(fit *f);

#endif
