/* What Projective NMF for unsupervised graph clustering holds. */
#include "reproduce/grpnmf.h"
#include "reproduce/protocol.h"

const protocol_item items_grpnmf[] = {
    {"figure", "1", "a mosaic's segments and a graph of regions",
     GRPNMF_MOSAICS ";figures/figure-1.csv:BSDS", NULL},
    {"figure", "2", "F-measure of FSEG against its ridges, and GRPNMF's", GRPNMF_MOSAICS, NULL},
    {"figure", "3", "superpixels: NMF, GNMF, GRPNMF with lambda 0 and 10",
     "figures/figure-3.csv:Prague", NULL},
    {"figure", "4", "GRPNMF with lambda 1 and 20, 250 iterations", "figures/figure-4.csv:Prague",
     NULL},
    {"figure", "5", "a natural picture by five methods, 2,000 iterations",
     "figures/figure-5.csv:BSDS", NULL},
    {"figure", "6", "snapshots after 2 to 1,000 iterations", "figures/figure-6.csv:BSDS", NULL},
    {"figure", "7", "a point cloud by features and lambda", "figures/figure-7.csv:pointclouds",
     NULL},
    {"table", "I", "twelve criteria of four methods on the Prague mosaics", GRPNMF_MOSAICS, NULL},
    {"theorem", "convergence", "the objective does not rise with the exponent 1/4",
     "figures/figure-6.csv:BSDS", NULL},
    {"claim", "seconds", "1,000 iterations of 14,459 nodes in 1.61 seconds",
     "figures/figure-6.csv:BSDS", NULL},
    {"claim", "most", "better than FSEG in most criteria", GRPNMF_MOSAICS, NULL},
    {"claim", "worst", "convex NMF is the worst", GRPNMF_MOSAICS, NULL},
    {"claim", "grpnmf+", "not the paper's: grpnmf+ above GRPNMF in most criteria", GRPNMF_MOSAICS,
     NULL},
    {"claim", "ridges", "F-measure above FSEG's at every ridge", GRPNMF_MOSAICS, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
