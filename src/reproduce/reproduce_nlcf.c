/* Y. Chen et al., Nonnegative local coordinate factorization for image representation, IEEE Trans.
 * Image Processing 2013: section IV. The dimension is the number of clusters, the largest entry of
 * a code is the label, ten repeats. */
#include "reproduce/protocol.h"

#define METHODS "nmf,nlcf,nlcf-g,kmeans,nmf-sc"
/* One start of k-means is what the paper's column shows. */
#define COMMON                                                                                   \
    {"scale", "unit"}, {"labels-rule", "argmax"}, {"parameter", "init=uniform"},                 \
        {"parameter", "kmeans.restarts=1"}, {"parameter", "nmf.iterations=1000"},                \
        {"parameter", "nmf-sc.iterations=300"}, {"parameter", "nmf-sc.encoding_sparseness=0.5"}, \
        {"parameter", "nmf-sc.step=adaptive"},                                                   \
    {                                                                                            \
        "parameter", "nlcf-g.graph_weight=0.01"                                                  \
    }
/* A relative fall of 1e-5 per iteration stops NLCF far from where its codes end. */
#define LENGTH(iterations)                                                           \
    {"parameter", "nlcf.iterations=" iterations}, {"parameter", "nlcf.tolerance=0"}, \
        {"parameter", "nlcf-g.iterations=" iterations},                              \
    {                                                                                \
        "parameter", "nlcf-g.tolerance=0"                                            \
    }
#define WORDS(iterations)                                                                        \
    "Samples at unit length, starts uniform on (0, 1), " iterations                              \
    " iterations of NLCF, 1,000 of NMF, 300 of NMF-SC (sparseness 0.5), the largest entry of a " \
    "code is the label, one start of k-means, graph weight 0.01 with 5 neighbours, local weight "

static const protocol_table tables[] = {
    {
        .number = "V",
        .measures = "accuracy,nmi",
        .remark = WORDS("3,000") "0.1. 32 x 32 pixels, as the paper's Table IV says.",
        .per_class = 10,
        .study = {.dataset = "ORL",
                  .classes = "2,4,8,12,16,20,25,30,40",
                  .repeats = 10,
                  .methods = METHODS,
                  .settings = {COMMON,
                               LENGTH("3000"),
                               {"parameter", "nlcf.local_weight=0.1"},
                               {"parameter", "nlcf-g.local_weight=0.1"}}},
    },
    {
        .number = "VI",
        .measures = "accuracy,nmi",
        .remark = WORDS("1,000") "1. The first 4,000 of the test digits.",
        .study = {.dataset = "MNIST",
                  .classes = "2,3,4,5,6,7,8,9,10",
                  .repeats = 10,
                  .methods = METHODS,
                  .settings = {COMMON,
                               LENGTH("1000"),
                               {"parameter", "nlcf.local_weight=1"},
                               {"parameter", "nlcf-g.local_weight=1"}}},
    },
    {
        .number = "VII",
        .measures = "accuracy,nmi",
        .remark = WORDS("3,000") "1.",
        .per_class = 11,
        .study = {.dataset = "Yale",
                  .classes = "2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                  .repeats = 10,
                  .methods = METHODS,
                  .settings = {COMMON,
                               LENGTH("3000"),
                               {"parameter", "nlcf.local_weight=1"},
                               {"parameter", "nlcf-g.local_weight=1"}}},
    },
    {
        .number = "VIII",
        .measures = "sparseness",
        .from = "V,VI,VII",
        .remark = "Of the runs of Tables V, VI and VII, averaged over all numbers of classes.",
        .study = {.methods = "nmf,nlcf"},
    },
};

#define SWEEP(data, number_of_classes)                                                  \
    {                                                                                   \
        .dataset = data, .classes = number_of_classes, .repeats = 5, .methods = "nlcf", \
        .settings = {                                                                   \
            {"scale", "unit"},                                                          \
            {"labels-rule", "argmax"},                                                  \
            {"parameter", "init=uniform"},                                              \
            {"tolerance", "0"},                                                         \
            {"iterations", "1000"},                                                     \
            {"sweep", "nlcf.local_weight=0.001,0.01,0.1,0.3,1,3,10"}                    \
        }                                                                               \
    }
#define CURVE(data, number_of_classes, weight)                                              \
    {                                                                                       \
        .dataset = data, .classes = number_of_classes, .repeats = 1, .methods = "nmf,nlcf", \
        .settings = {                                                                       \
            {"scale", "unit"},                                                              \
            {"parameter", "init=uniform"},                                                  \
            {"labels-rule", "argmax"},                                                      \
            {"iterations", "1000"},                                                         \
            {"tolerance", "0"},                                                             \
            {"parameter", "nlcf.local_weight=" weight}                                      \
        }                                                                                   \
    }

static const protocol_figure figures[] = {
    {.number = "2a-c",
     .kind = FIGURE_SWEEP,
     .title = "NLCF against the local weight, ORL, 20 people",
     .measures = "accuracy,nmi,sparseness",
     .parameter = "local_weight",
     .study = SWEEP("ORL", "20")},
    {.number = "2d-f",
     .kind = FIGURE_SWEEP,
     .title = "NLCF against the local weight, MNIST, 6 digits",
     .measures = "accuracy,nmi,sparseness",
     .parameter = "local_weight",
     .study = SWEEP("MNIST", "6")},
    {.number = "2g-i",
     .kind = FIGURE_SWEEP,
     .title = "NLCF against the local weight, Yale, 10 people",
     .measures = "accuracy,nmi,sparseness",
     .parameter = "local_weight",
     .study = SWEEP("Yale", "10")},
    {.number = "3",
     .kind = FIGURE_BASES,
     .title = "Samples of 25 people, bases and encodings of NMF and NLCF",
     .remark = "All ten pictures of each person were factored; the paper drew five.",
     .study = {.dataset = "ORL",
               .classes = "25",
               .repeats = 1,
               .methods = "nmf,nlcf",
               .settings = {{"scale", "unit"},
                            {"labels-rule", "argmax"},
                            {"iterations", "1000"},
                            {"parameter", "nlcf.local_weight=0.1"}}}},
    {.number = "4",
     .kind = FIGURE_POINTS,
     .title = "Four clusters in the plane and four basis vectors: an overcomplete basis",
     .study = {.dataset = "toy",
               .classes = "4",
               .repeats = 1,
               .methods = "nmf,nlcf",
               .settings = {{"labels-rule", "argmax"},
                            {"iterations", "1000"},
                            {"parameter", "nlcf.local_weight=1"}}}},
    {.number = "5a",
     .kind = FIGURE_CONVERGENCE,
     .title = "Convergence of NMF and NLCF on ORL, 40 people",
     .study = CURVE("ORL", "40", "0.1")},
    {.number = "5c",
     .kind = FIGURE_CONVERGENCE,
     .title = "Convergence of NMF and NLCF on MNIST, 10 digits",
     .study = CURVE("MNIST", "10", "1")},
    {.number = "5e",
     .kind = FIGURE_CONVERGENCE,
     .title = "Convergence of NMF and NLCF on Yale, 15 people",
     .study = CURVE("Yale", "15", "1")},
};

const protocol protocol_nlcf = {
    .paper = "nlcf",
    .title = "Nonnegative local coordinate factorization for image representation",
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
