/* Y. Chen et al., Nonnegative local coordinate factorization for image representation, IEEE Trans.
 * Image Processing 2013: section IV. The dimension is the number of clusters, the largest entry of
 * a code is the label, ten repeats. */
#include <string.h>

#include "reproduce/made_tables.h"
#include "reproduce/protocol.h"

#define METHODS "nmf,nlcf,nlcf-g,kmeans,nmf-sc"
#define AND_OURS METHODS ",nlcf+" /* a row of our own beside the paper's */
/* One start of k-means is what the paper's column shows. */
#define COMMON                                                                                   \
    {"scale", "unit"}, {"labels-rule", "argmax"}, {"parameter", "init=uniform"},                 \
        {"parameter", "kmeans.restarts=1"}, {"parameter", "nmf.iterations=1000"},                \
        {"parameter", "nmf.tolerance=0"}, {"parameter", "nmf-sc.tolerance=0"},                   \
        {"parameter", "nmf-sc.iterations=300"}, {"parameter", "nmf-sc.encoding_sparseness=0.5"}, \
        {"parameter", "nmf-sc.step=adaptive"},                                                   \
    {                                                                                            \
        "parameter", "nlcf-g.graph_weight=0.01"                                                  \
    }
/* A relative fall of 1e-5 per iteration stops NLCF far from where its codes end. */
#define LENGTH(iterations)                                                                 \
    {"parameter", "nlcf.iterations=" iterations}, {"parameter", "nlcf.tolerance=0"},       \
        {"parameter", "nlcf+.iterations=" iterations}, {"parameter", "nlcf+.tolerance=0"}, \
        {"parameter", "nlcf-g.iterations=" iterations},                                    \
    {                                                                                      \
        "parameter", "nlcf-g.tolerance=0"                                                  \
    }
#define WORDS(iterations)                                                                         \
    "Samples at unit length, starts uniform on (0, 1), " iterations                               \
    " iterations of NLCF, 1,000 of NMF, 300 of NMF-SC (sparseness 0.5), the largest entry of a "  \
    "code is the label, one start of k-means, graph weight 0.01 with 5 neighbours; nlcf+ is not " \
    "the "                                                                                        \
    "paper's; local weight "

/* Table III, n samples, m features, rank k. */
static operation_counts count_operations(const char *method, double n, double m, double k)
{
    const double products = 2 * m * n * k;
    if (!strcmp(method, "nmf"))
        return (operation_counts){products + 2 * (m + n) * k * k,
                                  products + 2 * (m + n) * k * k + (m + n) * k, (m + n) * k};
    return (operation_counts){products + (3 * m + 2 * n) * k * k + m * n + 2 * m * k + 3 * n * k,
                              products + (3 * m + 2 * n) * k * k + m * n + 4 * m * k + 4 * n * k,
                              (m + n) * k};
}
/* Table II. */
static operation_counts count_data(double n, double m, double k)
{
    return (operation_counts){m * n * k, m * n * k, 0};
}
static operation_counts count_gram(double n, double m, double k)
{
    return (operation_counts){(m + n) * k * k, (m + n) * k * k, 0};
}
static operation_counts count_weighted(double n, double m, double k)
{
    return (operation_counts){m * k * k + n * k, m * k * k, 0};
}
static operation_counts count_lengths(double n, double m, double k)
{
    (void)k;
    return (operation_counts){m * n, m * n, 0};
}
static operation_counts count_basis_lengths(double n, double m, double k)
{
    (void)n;
    return (operation_counts){m * k, m * k, 0};
}
static const operation_product products[] = {
    {"X V'", count_data},  {"U V V'", count_gram}, {"U H", count_weighted},    {"U'X", count_data},
    {"U'U V", count_gram}, {"C", count_lengths},   {"D", count_basis_lengths}, {NULL, NULL},
};
static const protocol_costs costs = {.methods = "nmf,nlcf",
                                     .count = count_operations,
                                     .products = products,
                                     .n = 400,
                                     .m = 1024,
                                     .k = 40};
/* Table IV. */
static const protocol_size sizes[] = {
    {"ORL", 400, 1024, 40}, {"MNIST", 4000, 784, 10}, {"Yale", 165, 1024, 15}, {NULL, 0, 0, 0}};

static const protocol_table tables[] = {
    {
        .number = "II",
        .remark = "At the size of ORL with 40 people. What Table III counts beyond these products "
                  "are sums and products of entries.",
        .make = products_make,
        .leaves = "products.csv",
        .costs = &costs,
    },
    {
        .number = "III",
        .remark = "The size is that of ORL with 40 people; times are of the multiplicative rules, "
                  "the least of three rounds.",
        .make = costs_make,
        .leaves = "costs.csv",
        .costs = &costs,
    },
    {
        .number = "IV",
        .remark = "The text says 64 x 64 pixels for ORL, the table 32 x 32, which is taken.",
        .make = sizes_make,
        .leaves = "sizes.csv",
        .sizes = sizes,
    },
    {
        .number = "V",
        .measures = "accuracy,nmi",
        .remark = WORDS("3,000") "0.1. 32 x 32 pixels, as the paper's Table IV says.",
        .per_class = 10,
        .study = {.dataset = "ORL",
                  .classes = "2,4,8,12,16,20,25,30,40",
                  .repeats = 10,
                  .methods = AND_OURS,
                  .settings = {COMMON,
                               LENGTH("3000"),
                               {"parameter", "nlcf.local_weight=0.1"},
                               {"parameter", "nlcf+.local_weight=0.1"},
                               {"parameter", "nlcf-g.local_weight=0.1"}}},
    },
    {
        .number = "VI",
        .measures = "accuracy,nmi",
        .remark = WORDS("1,000") "1. The first 4,000 of the test digits.",
        .study = {.dataset = "MNIST",
                  .classes = "2,3,4,5,6,7,8,9,10",
                  .repeats = 10,
                  .methods = AND_OURS,
                  .settings = {COMMON,
                               LENGTH("1000"),
                               {"parameter", "nlcf.local_weight=1"},
                               {"parameter", "nlcf+.local_weight=1"},
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
                  .methods = AND_OURS,
                  .settings = {COMMON,
                               LENGTH("3000"),
                               {"parameter", "nlcf.local_weight=1"},
                               {"parameter", "nlcf+.local_weight=1"},
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

#define SWEEP(data, number_of_classes)                                                   \
    {                                                                                    \
        .dataset = data, .classes = number_of_classes, .repeats = 10, .methods = "nlcf", \
        .settings = {                                                                    \
            {"scale", "unit"},                                                           \
            {"labels-rule", "argmax"},                                                   \
            {"parameter", "init=uniform"},                                               \
            {"tolerance", "0"},                                                          \
            {"iterations", "1000"},                                                      \
            {"sweep", "nlcf.local_weight=0.001,0.01,0.1,0.3,1,3,10"}                     \
        }                                                                                \
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

#define AGAINST(number_, table_, title_, classes_)                                              \
    {                                                                                           \
        .number = number_, .kind = FIGURE_CLASSES, .title = title_, .measures = "accuracy,nmi", \
        .table = table_, .study = {                                                             \
            .classes = classes_,                                                                \
            .methods = METHODS                                                                  \
        }                                                                                       \
    }

static const protocol_figure figures[] = {
    AGAINST("1a", "V", "Clustering of ORL", "2,4,8,12,16,20,25,30,40"),
    AGAINST("1b", "VI", "Clustering of MNIST", "2,3,4,5,6,7,8,9,10"),
    AGAINST("1c", "VII", "Clustering of Yale", "2,3,4,5,6,7,8,9,10,11,12,13,14,15"),
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
     .remark = "The first five pictures of each of the 25 people, where the paper drew five.",
     .study = {.dataset = "ORL-5",
               .classes = "25",
               .repeats = 1,
               .methods = "nmf,nlcf",
               .settings = {{"scale", "unit"},
                            {"labels-rule", "argmax"},
                            {"parameter", "init=uniform"},
                            {"tolerance", "0"},
                            {"parameter", "nmf.iterations=1000"},
                            {"parameter", "nlcf.iterations=3000"},
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
                            {"tolerance", "0"},
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

#define OTHERS_AND_NLCF "nmf,kmeans,nmf-sc,nlcf"

#define OURS(id_, data_, table_)                                                                 \
    {                                                                                            \
        .id = id_, .kind = CLAIM_ABOVE,                                                          \
        .says = "Not the paper's: NLCF by continuation is better than NLCF; here on " data_ ".", \
        .methods = "nlcf,nlcf+", .table = table_                                                 \
    }

static const protocol_claim claims[] = {
    {.id = "theorem-1",
     .kind = CLAIM_DESCENT,
     .says =
         "Theorem 1: the objective (10) does not rise under (11) and (12); here without a graph.",
     .methods = "nlcf",
     .figure = "5a"},
    {.id = "gain-orl",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on ORL 9.4 above the best of NMF, NMF-SC and k-means in accuracy.",
     .methods = OTHERS_AND_NLCF,
     .number = 9.4,
     .measure = "accuracy",
     .table = "V"},
    {.id = "gain-orl-nmi",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on ORL 7.8 above NMF-SC in NMI.",
     .methods = "nmf-sc,nlcf",
     .number = 7.8,
     .measure = "nmi",
     .table = "V"},
    {.id = "gain-graph-orl",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on ORL NLCF-G is 5.0 above NMF-SC in accuracy.",
     .methods = "nmf-sc,nlcf-g",
     .number = 5.0,
     .measure = "accuracy",
     .table = "V"},
    {.id = "gain-graph-orl-nmi",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on ORL NLCF-G is 5.6 above NMF-SC in NMI.",
     .methods = "nmf-sc,nlcf-g",
     .number = 5.6,
     .measure = "nmi",
     .table = "V"},
    {.id = "gain-mnist",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on MNIST above NMF, NMF-SC and k-means in accuracy (by 4.3).",
     .methods = OTHERS_AND_NLCF,
     .number = 4.3,
     .measure = "accuracy",
     .table = "VI"},
    {.id = "gain-mnist-nmi",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on MNIST above NMF, NMF-SC and k-means in NMI (by 2.2).",
     .methods = OTHERS_AND_NLCF,
     .number = 2.2,
     .measure = "nmi",
     .table = "VI"},
    {.id = "gain-yale",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on Yale above NMF, NMF-SC and k-means in accuracy (by 3.0).",
     .methods = OTHERS_AND_NLCF,
     .number = 3.0,
     .measure = "accuracy",
     .table = "VII"},
    {.id = "gain-yale-nmi",
     .kind = CLAIM_GAIN,
     .says = "IV-B: on Yale above NMF, NMF-SC and k-means in NMI (by 4.2).",
     .methods = OTHERS_AND_NLCF,
     .number = 4.2,
     .measure = "nmi",
     .table = "VII"},
    {.id = "sparse",
     .kind = CLAIM_SPARSENESS,
     .says = "IV-B: the sparseness of NLCF's encodings is above 80; here on ORL.",
     .methods = "nlcf",
     .number = 80,
     .table = "V"},
    {.id = "sparser",
     .kind = CLAIM_RISES,
     .says = "IV-B: the sparseness of the encodings rises with mu; here on ORL.",
     .methods = "nlcf",
     .parameter = "local_weight",
     .figure = "2a-c"},
    {.id = "one-nonzero",
     .kind = CLAIM_ONE_NONZERO,
     .says = "IV-C: more than half of the encodings have one nonzero entry.",
     .methods = "nlcf",
     .figure = "3"},
    {.id = "nearest",
     .kind = CLAIM_NEAREST,
     .says = "IV-C: that entry is exactly the one of the nearest basis vector.",
     .methods = "nlcf",
     .figure = "3"},
    {.id = "within-orl",
     .kind = CLAIM_WITHIN,
     .says = "IV-E: NLCF converges within 20 iterations on ORL.",
     .methods = "nlcf",
     .number = 20,
     .figure = "5a"},
    {.id = "within-mnist",
     .kind = CLAIM_WITHIN,
     .says = "IV-E: NLCF converges within 100 iterations on MNIST.",
     .methods = "nlcf",
     .number = 100,
     .figure = "5c"},
    {.id = "within-yale",
     .kind = CLAIM_WITHIN,
     .says = "IV-E: NLCF converges within 50 iterations on Yale.",
     .methods = "nlcf",
     .number = 50,
     .figure = "5e"},
    {.id = "faster-orl",
     .kind = CLAIM_FASTER,
     .says = "IV-E: NLCF converges faster than NMF on ORL.",
     .methods = "nmf,nlcf",
     .figure = "5a"},
    {.id = "faster-yale",
     .kind = CLAIM_FASTER,
     .says = "IV-E: NLCF converges faster than NMF on Yale.",
     .methods = "nmf,nlcf",
     .figure = "5e"},
    {.id = "slower-mnist",
     .kind = CLAIM_FASTER,
     .says = "IV-E: NLCF converges slower than NMF on MNIST.",
     .methods = "nlcf,nmf",
     .figure = "5c"},
    OURS("nlcf+", "ORL", "V"),
    OURS("nlcf+-mnist", "MNIST", "VI"),
    OURS("nlcf+-yale", "Yale", "VII"),
};

const protocol_item items_nlcf[] = {
    {"figure", "1", "accuracy and NMI against the number of clusters", "1a;1b;1c", NULL},
    {"figure", "2", "accuracy, NMI and sparseness of NLCF against mu", "2a-c;2d-f;2g-i", NULL},
    {"figure", "3", "bases and encodings of 25 people", "3", NULL},
    {"figure", "4", "four clusters in the plane, an overcomplete basis", "4", NULL},
    {"figure", "5", "convergence of NLCF and NMF", "5a;5c;5e", NULL},
    {"table", "I", "abbreviations of operations", "", "definitions: there is nothing to run"},
    {"table", "II", "operation counts of each product", "II", NULL},
    {"table", "III", "operation counts of an iteration of NMF and NLCF", "III", NULL},
    {"table", "IV", "sizes of the three data sets", "IV", NULL},
    {"table", "V", "accuracy and NMI of five methods on ORL", "V", NULL},
    {"table", "VI", "accuracy and NMI of five methods on MNIST", "VI", NULL},
    {"table", "VII", "accuracy and NMI of five methods on Yale", "VII", NULL},
    {"table", "VIII", "sparseness of NMF and NLCF", "VIII", NULL},
    {"theorem", "theorem-1", "the objective does not rise", "theorem-1", NULL},
    {"claim", "gain-orl", "9.4 above the third best method on ORL", "gain-orl", NULL},
    {"claim", "gain-orl-nmi", "7.8 above NMF-SC in NMI on ORL", "gain-orl-nmi", NULL},
    {"claim", "gain-graph-orl", "NLCF-G 5.0 above NMF-SC on ORL", "gain-graph-orl", NULL},
    {"claim", "gain-graph-orl-nmi", "NLCF-G 5.6 above NMF-SC in NMI on ORL", "gain-graph-orl-nmi",
     NULL},
    {"claim", "gain-mnist", "above NMF, NMF-SC and k-means on MNIST", "gain-mnist", NULL},
    {"claim", "gain-mnist-nmi", "above NMF, NMF-SC and k-means in NMI on MNIST", "gain-mnist-nmi",
     NULL},
    {"claim", "gain-yale", "above NMF, NMF-SC and k-means on Yale", "gain-yale", NULL},
    {"claim", "gain-yale-nmi", "above NMF, NMF-SC and k-means in NMI on Yale", "gain-yale-nmi",
     NULL},
    {"claim", "sparse", "sparseness above 80", "sparse", NULL},
    {"claim", "sparser", "sparseness rises with mu", "sparser", NULL},
    {"claim", "one-nonzero", "more than half of the encodings have one nonzero", "one-nonzero",
     NULL},
    {"claim", "nearest", "the nonzero is that of the nearest basis vector", "nearest", NULL},
    {"claim", "within-orl", "converges within 20 iterations on ORL", "within-orl", NULL},
    {"claim", "within-mnist", "converges within 100 iterations on MNIST", "within-mnist", NULL},
    {"claim", "within-yale", "converges within 50 iterations on Yale", "within-yale", NULL},
    {"claim", "faster-orl", "converges faster than NMF on ORL", "faster-orl", NULL},
    {"claim", "faster-yale", "converges faster than NMF on Yale", "faster-yale", NULL},
    {"claim", "slower-mnist", "converges slower than NMF on MNIST", "slower-mnist", NULL},
    {"claim", "nlcf+", "not the paper's: nlcf+ above NLCF on ORL", "nlcf+", NULL},
    {"claim", "nlcf+-mnist", "not the paper's: nlcf+ above NLCF on MNIST", "nlcf+-mnist", NULL},
    {"claim", "nlcf+-yale", "not the paper's: nlcf+ above NLCF on Yale", "nlcf+-yale", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const protocol protocol_nlcf = {
    .paper = "nlcf",
    .title = "Nonnegative local coordinate factorization for image representation",
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
    .claims = claims,
    .claim_count = sizeof claims / sizeof *claims,
};
