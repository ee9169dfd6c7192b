/* J.-Y. Pan, J.-S. Zhang, Relationship matrix nonnegative decomposition for clustering, Math.
 * Probl. Eng. 2011: section 4. Gaussian similarities of all pairs, the first classes of the file,
 * k-means with 5 starts, the best of RMND's four read-outs as the paper chose it: with the labels.
 */
#include <string.h>

#include "reproduce/made_tables.h"
#include "reproduce/protocol.h"

#define METHODS "kmeans,spectral,snmf,wnmf,rmnd"
#define AND_OURS METHODS ",rmnd+" /* a row of our own beside the paper's */
#define COMMON                                                                                     \
    {"restarts", "5"}, {"parameter", "rmnd.labels=best-of"}, {"parameter", "snmf.iterations=500"}, \
        {"parameter", "snmf.tolerance=0"}, {"parameter", "snmf.rule=half"},                        \
        {"parameter", "wnmf.iterations=500"}, {"parameter", "wnmf.tolerance=0"},                   \
        {"parameter", "rmnd.iterations=500"},                                                      \
    {                                                                                              \
        "parameter", "rmnd.tolerance=0"                                                            \
    }
#define WORDS                                                                                     \
    "Gaussian similarity of all pairs, scale 1, 500 iterations (Fig. 2), SNMF by its paper's "    \
    "rule (half), WNMF's core from I + "                                                          \
    "0.05, "                                                                                      \
    "RMND from SNMF's factor, k-means with 5 starts, RMND's best of four read-outs by accuracy, " \
    "as in the paper; rmnd+ is not the paper's, ends by its tolerance and has one read-out."

/* Table 1, q the rank; RMND with N1 = 10 steps of its steepest descent. */
static operation_counts count_operations(const char *method, double n, double m, double q)
{
    const double steps = 10, square = q * n * n;
    (void)m;
    if (!strcmp(method, "snmf"))
        return (operation_counts){square + 2 * q * q * n + 2 * q * n,
                                  square + 2 * q * q * n + 2 * q * n, q * n};
    if (!strcmp(method, "wnmf"))
        return (operation_counts){2 * square + 4 * q * q * n + 2 * q * n + 2 * q * q * q,
                                  2 * square + 4 * q * q * n + 2 * q * n + 2 * q * q * q + q * q,
                                  q * n + q * q};
    const double both = (1 + 4 * steps) * square + (10 + 9 * steps) * q * q * n +
                        (4 + 3 * steps) * q * q * q + steps * n * n;
    return (operation_counts){both + (4 + 4 * steps) * q * n + steps * q,
                              both + (4 + 3 * steps) * q * n, (3 + steps) * q * n};
}
static const protocol_costs costs = {.methods = "snmf,wnmf,rmnd",
                                     .count = count_operations,
                                     .similarity = true,
                                     .n = 500,
                                     .m = 50,
                                     .k = 10};

/* The paper does not say how the counts are scaled. */
#define REUTERS(scale_)                                                                      \
    {                                                                                        \
        .dataset = "Reuters21578", .classes = "2,3,4,5", .repeats = 20, .methods = AND_OURS, \
        .settings = {                                                                        \
            COMMON,                                                                          \
            {"parameter", "kmeans.restarts=5"},                                              \
            {"parameter", "rmnd+.iterations=500"},                                           \
            {"scale", scale_}                                                                \
        }                                                                                    \
    }
#define DIGITS(set_)                                                                    \
    {                                                                                   \
        .dataset = set_, .classes = "2,3,4,5,6,7,8,9,10", .first = true, .repeats = 20, \
        .methods = AND_OURS, .settings = {                                              \
            COMMON,                                                                     \
            {"parameter", "kmeans.restarts=5"},                                         \
            {"parameter", "rmnd+.iterations=500"}                                       \
        }                                                                               \
    }

static const protocol_table tables[] = {
    {
        .number = "1",
        .remark = "The paper's N1, the steps of its steepest descent, is taken as 10; ours ends a "
                  "step where the objective falls.",
        .make = costs_make,
        .leaves = "costs.csv",
        .costs = &costs,
    },
    {
        .number = "2",
        .measures = "accuracy,nmi",
        .remark = WORDS " Raw pixels, the first classes of the file.",
        .per_class = 72,
        .study = {.dataset = "COIL20",
                  .classes = "4,6,8,10",
                  .first = true,
                  .repeats = 20,
                  .methods = AND_OURS,
                  .settings = {COMMON,
                               {"parameter", "kmeans.restarts=5"},
                               {"parameter", "rmnd+.iterations=500"}}},
    },
    {
        .number = "3",
        .measures = "accuracy,nmi",
        .remark = WORDS " Counts as they are, classes drawn from the 30 largest.",
        .study = REUTERS("none"),
    },
    {
        .number = "3-unit",
        .printed = "3",
        .measures = "accuracy,nmi",
        .remark = WORDS " Documents at unit length, the same draws as Table 3.",
        .study = REUTERS("unit"),
    },
    {
        .number = "4",
        .measures = "accuracy,nmi",
        .remark = WORDS " The first 100 of each digit among the 7,291 of Xt, the training part "
                        "of the file, whose order is not that of the paper's.",
        .per_class = 100,
        .study = DIGITS("USPS"),
    },
    {
        .number = "4-Xs",
        .printed = "4",
        .measures = "accuracy,nmi",
        .remark = WORDS " The first 100 of each digit among the 2,007 of Xs, the test part.",
        .per_class = 100,
        .study = DIGITS("USPS-Xs"),
    },
};

#define STAND_IN                                                                                  \
    "The paper's JAFFE faces are taken where DIR/JAFFE holds them, a subfolder per person; else " \
    "the first ten people of ORL stand in."
#define FACES .dataset = "JAFFE|ORL", .classes = "10", .first = true

static const protocol_figure figures[] = {
    {.number = "1 and 3 to 5",
     .kind = FIGURE_SIMILARITY,
     .title = "The similarity of ten people's faces, and what SNMF, WNMF and RMND make of it",
     .remark = STAND_IN,
     .study = {FACES, .repeats = 1, .methods = "snmf,wnmf,rmnd",
               .settings = {{"iterations", "500"},
                            {"tolerance", "0"},
                            {"parameter", "snmf.rule=half"}}}},
    {.number = "2",
     .kind = FIGURE_CONVERGENCE,
     .title = "Objectives of SNMF, WNMF and RMND on ten people's faces",
     .remark = STAND_IN " Half the objective of SNMF and WNMF, as RMND's has the factor 1/2.",
     .study = {FACES, .repeats = 1, .methods = "snmf,wnmf,rmnd",
               .settings = {{"iterations", "500"},
                            {"tolerance", "0"},
                            {"parameter", "snmf.rule=half"}}}},
    {.number = "6 and 7",
     .kind = FIGURE_SWEEP,
     .title = "Against the number of nearest neighbours, ten people's faces",
     .remark = STAND_IN,
     .measures = "accuracy,nmi",
     .parameter = "neighbours",
     .study = {FACES, .repeats = 20, .methods = "snmf,wnmf,rmnd",
               .settings = {COMMON,
                            {"sweep", "snmf.neighbours=10,20,30,45,60,75,90,99"},
                            {"sweep", "wnmf.neighbours=10,20,30,45,60,75,90,99"},
                            {"sweep", "rmnd.neighbours=10,20,30,45,60,75,90,99"}}}},
    {.number = "8 and 9",
     .kind = FIGURE_SWEEP,
     .title = "Against the scale of the similarity, ten people's faces",
     .remark = STAND_IN,
     .measures = "accuracy,nmi",
     .parameter = "scale",
     .study = {FACES, .repeats = 20, .methods = "snmf,wnmf,rmnd",
               .settings = {COMMON,
                            {"sweep", "snmf.scale=0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"},
                            {"sweep", "wnmf.scale=0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"},
                            {"sweep", "rmnd.scale=0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"}}}},
};

#define OURS(id_, data_, table_)                                                             \
    {                                                                                        \
        .id = id_, .kind = CLAIM_ABOVE,                                                      \
        .says = "Not the paper's: RMND by a solver that reaches a minimum, k-means on its "  \
                "relation, is better than the best of RMND's read-outs; here on " data_ ".", \
        .methods = "rmnd,rmnd+", .table = table_                                             \
    }

static const protocol_claim claims[] = {
    {.id = "descent",
     .kind = CLAIM_DESCENT,
     .says = "3.1: the objective is reduced at every step.",
     .methods = "rmnd",
     .figure = "2"},
    {.id = "lowest",
     .kind = CLAIM_LOWEST,
     .says =
         "4.3: after 500 iterations the reconstruction error of RMND is below those of SNMF and "
         "WNMF.",
     .methods = "snmf,wnmf,rmnd",
     .figure = "2"},
    {.id = "falls",
     .kind = CLAIM_FALLS,
     .says = "4.5: as the scale m increases, the performance decreases.",
     .methods = "snmf,wnmf,rmnd",
     .parameter = "scale",
     .figure = "8 and 9"},
    {.id = "leads-scale",
     .kind = CLAIM_LEADS,
     .says = "4.5: over the scales RMND leads to better clustering than SNMF and WNMF.",
     .methods = "snmf,wnmf,rmnd",
     .parameter = "scale",
     .figure = "8 and 9"},
    {.id = "leads-neighbours",
     .kind = CLAIM_LEADS,
     .says = "4.5: RMND performs better with more than 60 of 213 neighbours; here over 10 to 99 of "
             "100.",
     .methods = "snmf,wnmf,rmnd",
     .parameter = "neighbours",
     .figure = "6 and 7"},
    {.id = "gain-coil",
     .kind = CLAIM_GAIN,
     .says = "4.4: on COIL20 RMND is above SNMF and WNMF.",
     .methods = "snmf,wnmf,rmnd",
     .measure = "accuracy",
     .table = "2"},
    {.id = "gain-reuters",
     .kind = CLAIM_GAIN,
     .says = "4.4: on Reuters RMND is above SNMF and WNMF.",
     .methods = "snmf,wnmf,rmnd",
     .measure = "accuracy",
     .table = "3"},
    {.id = "gain-unit",
     .kind = CLAIM_GAIN,
     .says = "4.4: on Reuters RMND is above SNMF and WNMF; here with documents at unit length.",
     .methods = "snmf,wnmf,rmnd",
     .measure = "accuracy",
     .table = "3-unit"},
    {.id = "counts-max",
     .kind = CLAIM_SAME,
     .says = "Not the paper's: counts of Reuters over their maximum give what the counts give, "
             "since the width (4.4) of the similarity follows the data.",
     .methods = METHODS,
     .parameter = "scale",
     .study = {.dataset = "Reuters21578",
               .classes = "2,3",
               .repeats = 5,
               .methods = METHODS,
               .settings = {COMMON, {"parameter", "kmeans.restarts=5"}, {"scale", "none,max"}}}},
    {.id = "gain-usps",
     .kind = CLAIM_GAIN,
     .says = "4.4: on USPS RMND is above SNMF and WNMF.",
     .methods = "snmf,wnmf,rmnd",
     .measure = "accuracy",
     .table = "4"},
    {.id = "gain-usps-Xs",
     .kind = CLAIM_GAIN,
     .says = "4.4: on USPS RMND is above SNMF and WNMF; here on the test part of the file.",
     .methods = "snmf,wnmf,rmnd",
     .measure = "accuracy",
     .table = "4-Xs"},
    {.id = "best-coil",
     .kind = CLAIM_GAIN,
     .says = "4.4: on COIL20 RMND has the best average of the five methods.",
     .methods = METHODS,
     .measure = "accuracy",
     .table = "2"},
    {.id = "best-reuters",
     .kind = CLAIM_GAIN,
     .says = "4.4: on Reuters RMND has the best average of the five methods.",
     .methods = METHODS,
     .measure = "accuracy",
     .table = "3"},
    {.id = "best-usps",
     .kind = CLAIM_GAIN,
     .says = "4.4: on USPS RMND has the best average of the five methods.",
     .methods = METHODS,
     .measure = "accuracy",
     .table = "4"},
    OURS("rmnd+-coil", "COIL20", "2"),
    OURS("rmnd+-reuters", "Reuters at unit length", "3-unit"),
    OURS("rmnd+-usps", "USPS", "4"),
    OURS("rmnd+-usps-Xs", "the test part of USPS", "4-Xs"),
};

const protocol_item items_rmnd[] = {
    {"figure", "1", "the similarity of ten people's faces", "1 and 3 to 5", NULL},
    {"figure", "2", "objectives of SNMF, WNMF and RMND", "2", NULL},
    {"figure", "3", "the similarity as SNMF has it", "1 and 3 to 5", NULL},
    {"figure", "4", "the similarity as WNMF has it", "1 and 3 to 5", NULL},
    {"figure", "5", "the similarity as RMND has it", "1 and 3 to 5", NULL},
    {"figure", "6", "accuracy against the number of neighbours", "6 and 7", NULL},
    {"figure", "7", "NMI against the number of neighbours", "6 and 7", NULL},
    {"figure", "8", "accuracy against the scale", "8 and 9", NULL},
    {"figure", "9", "NMI against the scale", "8 and 9", NULL},
    {"table", "1", "operation counts of SNMF, WNMF and RMND", "1", NULL},
    {"table", "2", "accuracy and NMI of five methods on COIL20", "2", NULL},
    {"table", "3", "accuracy and NMI of five methods on Reuters", "3;3-unit", NULL},
    {"table", "4", "accuracy and NMI of five methods on USPS", "4;4-Xs", NULL},
    {"claim", "descent", "the objective is reduced at every step", "descent", NULL},
    {"claim", "lowest", "its error lies below SNMF's and WNMF's", "lowest", NULL},
    {"claim", "falls", "accuracy falls with the scale", "falls", NULL},
    {"claim", "leads-scale", "above SNMF and WNMF over the scales", "leads-scale", NULL},
    {"claim", "leads-neighbours", "above SNMF and WNMF over the neighbours", "leads-neighbours",
     NULL},
    {"claim", "gain-coil", "above SNMF and WNMF on COIL20", "gain-coil", NULL},
    {"claim", "gain-reuters", "above SNMF and WNMF on Reuters", "gain-reuters", NULL},
    {"claim", "gain-unit", "above SNMF and WNMF on Reuters at unit length", "gain-unit", NULL},
    {"claim", "counts-max", "not the paper's: counts over their maximum change nothing",
     "counts-max", NULL},
    {"claim", "gain-usps", "above SNMF and WNMF on USPS", "gain-usps", NULL},
    {"claim", "gain-usps-Xs", "above SNMF and WNMF on USPS, the test part", "gain-usps-Xs", NULL},
    {"claim", "best-coil", "best of the five methods on COIL20", "best-coil", NULL},
    {"claim", "best-reuters", "best of the five methods on Reuters", "best-reuters", NULL},
    {"claim", "best-usps", "best of the five methods on USPS", "best-usps", NULL},
    {"claim", "rmnd+-coil", "not the paper's: rmnd+ above RMND on COIL20", "rmnd+-coil", NULL},
    {"claim", "rmnd+-reuters", "not the paper's: rmnd+ above RMND on Reuters at unit length",
     "rmnd+-reuters", NULL},
    {"claim", "rmnd+-usps", "not the paper's: rmnd+ above RMND on USPS", "rmnd+-usps", NULL},
    {"claim", "rmnd+-usps-Xs", "not the paper's: rmnd+ above RMND on USPS, the test part",
     "rmnd+-usps-Xs", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const protocol protocol_rmnd = {
    .paper = "rmnd",
    .title = "Relationship matrix nonnegative decomposition for clustering",
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
    .claims = claims,
    .claim_count = sizeof claims / sizeof *claims,
};
