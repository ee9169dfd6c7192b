/* The subcommands that fit models and use what was fitted: usage, options and examples of each. */
#include "subcommands.h"

static const option_id fit_options[] = {MODEL_OPTIONS,  OPTION_CHECKPOINT,    OPTION_RESUME,
                                        OPTION_WORDS,   DATA_OPTIONS,         OPTION_STREAM,
                                        OPTION_DEVICE,  OPTION_DEVICE_MEMORY, PROCESS_OPTIONS,
                                        OPTION_EXPLAIN, OPTION_NONE};
const subcommand fit_command = {
    .name = "fit",
    .title = "factors of a data file, into a run folder",
    .usage = "fit DATA -m METHOD -k K -o RUN [OPTIONS]\n"
             "fit DATA -m METHOD -k K --explain [--json] [OPTIONS]",
    .description =
        "Factors the samples of DATA and writes the factors, the history and a report into the "
        "folder RUN. DATA: .mat, .npy, .npz, .csv, .tsv, .mtx, HDF5 (file.h5:/path), .csr, IDX "
        "(.gz "
        "too), a folder of images with a subfolder per class, or - for standard input. Samples are "
        "rows. With --explain the "
        "plan of the fit is printed instead, and nothing is fitted or written. A long fit that was "
        "stopped or killed goes on with --resume.",
    .examples = "orthant fit faces.mat -m nmf -k 40 -o run\n"
                "orthant fit faces.mat -m nmf -k 40 -o run --resume\n"
                "orthant fit X.npy -m gnmf -k 10 -p graph_weight=10 --precision double -o run\n"
                "orthant fit X.npy -k 10 --start basis=W.npy --start encoding=S.npy -o run\n"
                "orthant fit X.npy -k 10 --fix basis=known.npy -o run\n"
                "orthant fit X.npy -k 50 --device cuda -o run\n"
                "orthant fit X.npy -m nmf-kl -k 50 --threads 8 --explain",
    .fewest = 1,
    .most = 1,
    .missing = "DATA",
    .options = fit_options,
    .shares = true,
    .run = run_fit,
};

static const option_id cluster_options[] = {
    MODEL_OPTIONS,   OPTION_CHECKPOINT,    OPTION_RESUME,   OPTION_LABELS_RULE, OPTION_CLUSTERS,
    OPTION_RESTARTS, OPTION_WORDS,         OPTION_NMI,      DATA_OPTIONS,       OPTION_STREAM,
    OPTION_DEVICE,   OPTION_DEVICE_MEMORY, PROCESS_OPTIONS, OPTION_EXPLAIN,     OPTION_NONE};
const subcommand cluster_command = {
    .name = "cluster",
    .title = "fit, labels, and scores where the truth is known",
    .usage = "cluster DATA -m METHOD -k K [-o RUN] [OPTIONS]",
    .description =
        "Factors the samples of DATA, makes clusters of them, and scores the clusters where the "
        "true labels are known. DATA is what `orthant fit` takes. With -o everything is kept in "
        "the folder RUN, and a fit that was stopped or killed goes on with --resume. With "
        "--explain "
        "the plan of the fit is printed instead.",
    .examples = "orthant cluster faces.mat -m gnmf -k 40\n"
                "orthant cluster faces.mat -k 2:8\n"
                "orthant cluster faces.mat -m cdnmf-kl -k 15 --labelled-fraction 0.2\n"
                "orthant cluster faces.mat -k 40 --term graph=0.1 --term topographic=10\n"
                "orthant cluster usps.mat --variable Xt --truth Lt --transpose -k 10 -o run\n"
                "orthant cluster iris.csv --label-column species --id-column name -k 3 -o run\n"
                "zcat points.csv.gz | orthant cluster - -k 3\n"
                "orthant cluster K.npy --similarity given --truth labels.csv -m rmnd -k 10",
    .fewest = 1,
    .most = 1,
    .missing = "DATA",
    .options = cluster_options,
    .shares = true,
    .run = run_cluster,
};

static const option_id ranks_options[] = {
    OPTION_METHOD,    OPTION_RANK,      OPTION_REPEATS,  OPTION_CRITERIA, OPTION_NOISE,
    OPTION_OUTPUT,    OPTION_PARAMETER, OPTION_LOSS,     OPTION_TERM,     OPTION_ITERATIONS,
    OPTION_TOLERANCE, OPTION_SEED,      OPTION_INIT,     OPTION_SOLVER,   OPTION_GRAPH,
    OPTION_WEIGHTS,   OPTION_SEARCH,    OPTION_POOLING,  OPTION_MISSING,  OPTION_RESUME,
    OPTION_FORMAT,    DATA_OPTIONS,     PROCESS_OPTIONS, OPTION_NONE};
const subcommand ranks_command = {
    .name = "ranks",
    .title = "how many parts: cross-validation, consensus, stability",
    .usage = "ranks DATA -m METHOD -k 2:12 [-o RUN] [OPTIONS]",
    .description =
        "Fits the method at each rank, repeatedly, and recommends one with the reasons. blocks: "
        "the error of held-out blocks (bi-cross-validation); speckled: that of a tenth of the "
        "entries, drawn one by one; starts: how far the clusters of "
        "random starts agree (cophenetic correlation, dispersion); perturbed: whether the parts "
        "come back from data that are changed a little (silhouettes); permuted: what is explained "
        "beside data whose features have nothing in common. The fits run side by side on all "
        "threads, with the same results on any number of them. In RUN fits.csv grows as they end; "
        "a survey that was interrupted goes on there; at the end there is report.html.",
    .examples = "orthant ranks faces.mat -k 5:60:5 --repeats 10 -o run\n"
                "orthant ranks words.npz -m nmf-kl -k 2:12 --scale tfidf --json\n"
                "orthant ranks faces.mat -k 2:8 --criteria blocks,perturbed\n"
                "orthant cluster faces.mat -k auto",
    .fewest = 1,
    .most = 1,
    .missing = "DATA",
    .options = ranks_options,
    .run = run_ranks,
};

static const option_id consensus_options[] = {MODEL_OPTIONS_OF_STARTS,
                                              OPTION_REPEATS,
                                              OPTION_THRESHOLD,
                                              OPTION_NEIGHBOURHOOD,
                                              OPTION_LABELS_RULE,
                                              OPTION_CLUSTERS,
                                              OPTION_RESTARTS,
                                              OPTION_WORDS,
                                              OPTION_CHECKPOINT,
                                              OPTION_RESUME,
                                              DATA_OPTIONS,
                                              PROCESS_OPTIONS,
                                              OPTION_NONE};
const subcommand consensus_command = {
    .name = "consensus",
    .title = "the parts that many starts agree on, and how stable each is",
    .usage = "consensus DATA -m METHOD -k K [--repeats N] [-o RUN] [OPTIONS]",
    .description =
        "Fits DATA from N starts and finds the parts that they agree on, as cNMF does: the parts "
        "of all starts at unit length; those that lie far from others are left out (--threshold); "
        "k-means makes K clusters of the rest; a part of the consensus is the median of one; the "
        "encodings are fitted once more while these parts are held. Parts of --fix stay, and the "
        "others are found beside them. It tells how many parts were "
        "kept, and for each part of the consensus how many starts have it and its silhouette. With "
        "-o everything is kept in the folder RUN, its report has a picture of the clusters, and "
        "what was stopped or killed goes on with --resume.",
    .examples = "orthant consensus faces.mat -k 25 --repeats 50 -o run\n"
                "orthant consensus counts.mtx -m nmf-kl -k 9 --threshold 0.3 -o run\n"
                "orthant consensus X.npy -k 5 --fix basis=known.npy -o run\n"
                "orthant consensus X.npy -k 5 --json",
    .fewest = 1,
    .most = 1,
    .missing = "DATA",
    .options = consensus_options,
    .run = run_consensus,
};

static const option_id compare_options[] = {OPTION_METHODS,
                                            OPTION_CLASSES,
                                            OPTION_REPEATS,
                                            OPTION_LABELLED_FRACTION,
                                            OPTION_LABELLED_PER_CLASS,
                                            OPTION_SWEEP,
                                            OPTION_INIT,
                                            OPTION_START,
                                            OPTION_SOLVER,
                                            OPTION_PARAMETER,
                                            OPTION_ITERATIONS,
                                            OPTION_TOLERANCE,
                                            OPTION_TIME_LIMIT,
                                            OPTION_RESUME,
                                            OPTION_SEED,
                                            OPTION_GRAPH,
                                            OPTION_WEIGHTS,
                                            OPTION_SEARCH,
                                            OPTION_POOLING,
                                            OPTION_SIMILARITY,
                                            OPTION_MISSING,
                                            OPTION_LABELS_RULE,
                                            OPTION_RESTARTS,
                                            OPTION_FROM,
                                            OPTION_FORMAT,
                                            OPTION_OUTPUT,
                                            DATA_OPTIONS,
                                            PROCESS_OPTIONS,
                                            OPTION_NONE};
const subcommand compare_command = {
    .name = "compare",
    .title = "methods over drawn classes, repeated: tables and statistics",
    .usage = "compare DATA... --methods A,B,... [--classes LIST] [-o RUN] [OPTIONS]\n"
             "compare --from results.csv [--format md|tex|csv]",
    .description =
        "For each number of classes N draws N classes (the same for every method), fits with k = "
        "N, labels and scores, and repeats that; then tells means and standard deviations, which "
        "settings helped, Friedman's test and Nemenyi's critical difference. Methods that use "
        "labels get a tenth of the truth unless told otherwise. Lists of --init, --scale, "
        "--solver, --start (random, best-of:R) and --sweep give variants of each method; the "
        "first of a list is the plain one. -p METHOD.NAME=VALUE is for one method alone. In RUN "
        "results.csv grows run by run; a study that was interrupted goes on there; at the end "
        "there "
        "is report.html.",
    .examples = "orthant compare faces.mat --methods kmeans,nmf,gnmf --classes 5,10,20 -o run\n"
                "orthant compare a.mat b.mat --methods nmf,tnmf --scale none,unit\n"
                "orthant compare a.mat --sweep tnmf.pooling_weight=0.1,1,10 --repeats 5\n"
                "orthant compare a.mat --methods nmf,nmf-kl --init random,nndsvd\n"
                "orthant compare --from run/results.csv",
    .most = WORDS_ANY,
    .lists = true,
    .options = compare_options,
    .run = run_compare,
};

#define NEW_SAMPLE_OPTIONS                                                                 \
    OPTION_OUTPUT, OPTION_TRAINING, OPTION_MASK, OPTION_SAMPLE_WEIGHTS, OPTION_ITERATIONS, \
        OPTION_TOLERANCE, DATA_OPTIONS, OPTION_STREAM, PROCESS_OPTIONS, OPTION_NONE

static const option_id transform_options[] = {NEW_SAMPLE_OPTIONS};
const subcommand transform_command = {
    .name = "transform",
    .title = "encodings of new samples under a fitted basis",
    .usage = "transform RUN DATA -o FILE [OPTIONS]",
    .description =
        "Encodes the samples of DATA by what an earlier run minimised for each of its own: its "
        "loss, weights of features, missing entries, and the terms that act on one sample. A graph "
        "joins a new sample with the nearest samples of RUN, read from the file that RUN names, or "
        "--training; its class is not known. Precision and scale are the run's: max and tfidf "
        "scale by what the run's data had (RUN/scale.npy), unless another --scale is given. A "
        "sample's code is the same in any batch. FILE ends in .npy, .csv, .tsv or .h5.",
    .examples = "orthant transform run new.mat -o encoding.npy",
    .fewest = 2,
    .most = 2,
    .missing = "RUN or DATA",
    .options = transform_options,
    .run = run_transform,
};

static const option_id predict_options[] = {NEW_SAMPLE_OPTIONS};
const subcommand predict_command = {
    .name = "predict",
    .title = "clusters of new samples by the rule of a run",
    .usage = "predict RUN DATA [-o FILE] [OPTIONS]",
    .description =
        "Encodes the samples of DATA as `orthant transform` does, and gives each a cluster of RUN, "
        "numbered as in RUN/labels.csv: by the largest entry of its encoding, or by the nearest "
        "centre where RUN has clusters by k-means. Methods without a rule for new samples are "
        "refused. Labels are printed, one a line, or written to FILE (.csv, .txt or .npy).",
    .examples = "orthant cluster faces.mat -m nmf -k 40 -o run\n"
                "orthant predict run new.mat -o labels.csv\n"
                "orthant score labels.csv new.mat:gnd",
    .fewest = 2,
    .most = 2,
    .missing = "RUN or DATA",
    .options = predict_options,
    .run = run_predict,
};

static const option_id inverse_options[] = {OPTION_OUTPUT, PROCESS_OPTIONS, OPTION_NONE};
const subcommand inverse_command = {
    .name = "inverse",
    .title = "the fitted matrix of a run, or of encodings under its basis",
    .usage = "inverse RUN [ENCODINGS] -o FILE [OPTIONS]",
    .description =
        "Writes encodings times basis: what RUN fitted to its samples, or other ENCODINGS (as of "
        "`orthant transform`), in the units of the samples as they were scaled. FILE ends in .npy, "
        ".h5, .csr, .csv, .tsv or .mtx; the first three are written some rows at a time.",
    .examples = "orthant inverse run -o fitted.npy\northant inverse run encoding.npy -o fitted.npy",
    .fewest = 1,
    .most = 2,
    .missing = "RUN",
    .options = inverse_options,
    .run = run_inverse,
};

static const option_id complete_options[] = {OPTION_OUTPUT, OPTION_AT,       OPTION_MASK,
                                             DATA_OPTIONS,  PROCESS_OPTIONS, OPTION_NONE};
const subcommand complete_command = {
    .name = "complete",
    .title = "the data of a run with fitted values for missing entries",
    .usage = "complete RUN [DATA] -o FILE [--mask FILE] [OPTIONS]\n"
             "complete RUN --at FILE [-o FILE]",
    .description =
        "Writes the samples of RUN with fitted values in the places of missing entries; others "
        "stay as they are. Missing is what was to the fit: NaN, what a sparse DATA does not store, "
        "or weight 0 of --mask. DATA is the file that RUN names unless it is given. With --at the "
        "entries of a list are told, row,column,value. FILE and units as of `orthant inverse`.",
    .examples = "orthant fit ratings.mtx --missing zeros -k 8 --term ridge=0.1 -o run\n"
                "orthant complete run -o ratings.npy\n"
                "orthant complete run --at pairs.csv -o values.csv",
    .fewest = 1,
    .most = 2,
    .missing = "RUN",
    .options = complete_options,
    .run = run_complete,
};
