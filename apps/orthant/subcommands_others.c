/* The subcommands around a fit, for data, scores, pictures and reports: usage, options and examples
 * of each. */
#include "subcommands.h"

static const option_id methods_options[] = {OPTION_JSON, OPTION_NONE};
const subcommand methods_command = {
    .name = "methods",
    .title = "all methods; or one: objective, parameters, needs, paper",
    .usage = "methods [NAME] [--json]",
    .description =
        "Lists the methods and the terms that can be added to a loss, or tells all about one "
        "method: what it minimises, what it needs, its parameters, its paper.",
    .examples = "orthant methods\northant methods gnmf\northant methods --json",
    .most = 1,
    .options = methods_options,
    .run = run_methods,
};

static const option_id info_options[] = {
    OPTION_VARIABLE,  OPTION_TRUTH,  OPTION_LABEL_COLUMN, OPTION_ID_COLUMN, OPTION_DROP,
    OPTION_TRANSPOSE, OPTION_MAP,    OPTION_SIZE,         OPTION_COLOR,     OPTION_PRECISION,
    OPTION_THREADS,   OPTION_MEMORY, OPTION_JSON,         OPTION_QUIET,     OPTION_NONE};
const subcommand info_command = {
    .name = "info",
    .title = "what a file holds; without one: version, CPU, BLAS, devices",
    .usage = "info [DATA] [OPTIONS]",
    .description =
        "Tells what a data file holds: samples, features, stored entries, how many are not known "
        "(NaN, and of a table empty cells), range, classes, columns of text, the shape of its "
        "pictures; or what a picture, a point cloud or the folder of a run is. Without DATA it "
        "describes the program, the machine and its devices, or says why there are none.",
    .examples = "orthant info\northant info faces.mat\northant info photos/ --size 32x32",
    .most = 1,
    .options = info_options,
    .run = run_info,
};

static const option_id convert_options[] = {
    OPTION_VARIABLE,  OPTION_TRUTH, OPTION_LABEL_COLUMN, OPTION_ID_COLUMN, OPTION_DROP,
    OPTION_TRANSPOSE, OPTION_SIZE,  OPTION_COLOR,        PROCESS_OPTIONS,  OPTION_NONE};
const subcommand convert_command = {
    .name = "convert",
    .title = "a data file of any kind to one that need not fit into memory",
    .usage = "convert DATA OUT [OPTIONS]",
    .description =
        "Brings DATA of any readable kind to a file whose samples can be read one by one: by the "
        "ending of OUT .npy, .h5 (the dataset /data) or .csr, the container of sparse matrices. "
        "What is read and written stays within --memory: CSV, Matrix Market with entries in any "
        "order, .npy of any type and order, .npz, HDF5, .mat of version 7.3, IDX and folders of "
        "images are never held whole; scratch files without names lie beside OUT. Labels that are "
        "found with DATA are written beside OUT, as OUT's name with .labels.csv, where other "
        "commands find them.",
    .examples = "orthant convert counts.mtx.gz counts.csr --memory 2G\n"
                "orthant convert table.csv table.npy --truth class\n"
                "orthant convert faces.mat faces.h5 --variable fea --precision double",
    .fewest = 2,
    .most = 2,
    .missing = "DATA or OUT",
    .options = convert_options,
    .run = run_convert,
};

static const option_id score_options[] = {OPTION_SEGMENTATION, OPTION_THRESHOLD, OPTION_COMPONENTS,
                                          OPTION_NMI,          OPTION_JSON,      OPTION_QUIET,
                                          OPTION_NONE};
const subcommand score_command = {
    .name = "score",
    .title = "labels or label images beside the truth",
    .usage = "score FOUND TRUTH [--nmi KIND] [--json]\n"
             "score FOUND TRUTH --segmentation [--threshold K] [--json] [OPTIONS]",
    .description =
        "Compares two label files: one integer a line, .npy, file.mat:gnd, IDX, or a column of a "
        "CSV file (file.csv:name, or a number from 1). A label of -1 is left out. It tells "
        "accuracy under the best matching, NMI, V-measure with its homogeneity and completeness, "
        "ARI and AMI (both beyond chance), and purity. With "
        "--segmentation it compares label images (PNG, PGM, .npy, .csv, file.mat:name), in which "
        "every different value is a region; where TRUTH holds the segmentations of several "
        "people, as the groundTruth of the Berkeley pictures, the means over them are told.",
    .examples = "orthant score run/labels.csv faces.mat:gnd\n"
                "orthant score run/labels.csv truth.txt --nmi arithmetic --json\n"
                "orthant score run/labels.png gt.png --segmentation\n"
                "orthant score run/labels.npy 3096.mat --segmentation --json",
    .fewest = 2,
    .most = 2,
    .missing = "FOUND or TRUTH",
    .options = score_options,
    .run = run_score,
};

static const option_id graph_options[] = {
    OPTION_OUTPUT,     OPTION_GRAPH,      OPTION_WEIGHTS,       OPTION_HEAT_WIDTH, OPTION_SEARCH,
    OPTION_TIME_LIMIT, OPTION_SIMILARITY, OPTION_PARAMETER,     OPTION_LABELS,     OPTION_MISSING,
    DATA_OPTIONS,      OPTION_DEVICE,     OPTION_DEVICE_MEMORY, PROCESS_OPTIONS,   OPTION_NONE};
const subcommand graph_command = {
    .name = "graph",
    .title = "neighbour graph or similarity of the samples, to look at or reuse",
    .usage = "graph DATA [--graph knn:N] [--weights KIND] -o FILE.mtx [OPTIONS]\n"
             "graph DATA --similarity gaussian|knn:N -o FILE [OPTIONS]",
    .description =
        "Builds the graph of the N nearest neighbours of each sample (default 5, exact), tells "
        "its size and writes it as a Matrix Market file that --graph reads. With --labels the "
        "edges between samples of known classes follow the classes. With --missing two samples are "
        "compared by the features that are known in both. With --similarity gaussian "
        "the similarity of the samples is written in place of a graph, dense, or with --similarity "
        "knn:N that of neighbours alone: DATA for fit and cluster with --similarity given.",
    .examples = "orthant graph faces.mat -o faces.mtx\n"
                "orthant graph faces.mat --graph knn:7 --weights heat --scale unit -o g.mtx\n"
                "orthant graph holes.csv --missing nan -o holes.mtx\n"
                "orthant graph faces.mat --similarity gaussian -o K.npy",
    .fewest = 1,
    .most = 1,
    .missing = "DATA",
    .options = graph_options,
    .run = run_graph,
};

static const option_id segment_options_list[] = {
    OPTION_RANK,      OPTION_METHOD,          OPTION_OUTPUT, OPTION_FORCE,
    OPTION_NODES,     OPTION_TRUTH,           OPTION_DRAW,   OPTION_SNAPSHOTS,
    OPTION_PARAMETER, OPTION_ITERATIONS,      OPTION_SEED,   OPTION_INIT,
    OPTION_FEATURES,  OPTION_FEATURE_WEIGHTS, OPTION_EDGES,  OPTION_SUPERPIXELS,
    OPTION_SMOOTHING, OPTION_SMALLEST,        OPTION_BANK,   OPTION_WINDOW,
    OPTION_BINS,      OPTION_BINNING,         OPTION_FINISH, OPTION_NEIGHBOURS,
    OPTION_THRESHOLD, PROCESS_OPTIONS,        OPTION_NONE};
const subcommand segment_command = {
    .name = "segment",
    .title = "a picture's pixels or regions, or a cloud's points, to segments",
    .usage = "segment IMAGE|CLOUD [-k K|auto] [-m METHOD] [-o RUN] [OPTIONS]",
    .description =
        "Cuts a picture (PNG, JPEG, TIFF, PGM, PPM) or a point cloud (.pcd, .ply) into K segments, "
        "or as many as its features suggest (auto, the default). The method is "
        "grpnmf unless -m says gnmf, nmf or kmeans; for pixels also grpnmf+, fseg, convex-nmf and "
        "onmf. "
        "-p graph_weight=X sets the weight of the graph. With --truth (a label image, or a .mat "
        "file of several annotators) all criteria are printed. RUN holds labels.png, labels.npy, "
        "the drawings, run.json and report.html; of a cloud labels.npy, segments.ply and view.png.",
    .examples = "orthant segment photo.jpg -k 4 -o run\n"
                "orthant segment photo.jpg --nodes watershed -k 2 --snapshots 2,450 -o run\n"
                "orthant segment photo.jpg -k 3 -p graph_weight=50 --draw graph -o run\n"
                "orthant segment mosaic.png --nodes pixels -k 6 --truth truth.png\n"
                "orthant segment scene.pcd -k 2 --features color,normals -o run",
    .fewest = 1,
    .most = 1,
    .missing = "IMAGE or CLOUD",
    .options = segment_options_list,
    .run = run_segment,
};

static const option_id features_options[] = {OPTION_OUTPUT, OPTION_KIND, OPTION_WORDS,
                                             OPTION_BANK,   OPTION_SEED, PROCESS_OPTIONS,
                                             OPTION_NONE};
const subcommand features_command = {
    .name = "features",
    .title = "pictures to rows of features that can be clustered",
    .usage = "features FOLDER -o FILE [OPTIONS]\nfeatures IMAGE... -o FILE [OPTIONS]",
    .description =
        "Describes every picture by a row of nonnegative features. sift-words: SIFT descriptors "
        "of all pictures are clustered into words, and a picture is how often each word occurs in "
        "it. gabor: mean and deviation of 40 filters. lab: histograms of the colours. "
        "spectral-histogram: histograms of the bands of --bank. The subfolders of FOLDER are the "
        "classes; they go to FILE's name with .labels.csv for its ending, the pictures' names to "
        ".samples.txt and small copies of them to .samples.png, where `orthant cluster FILE` finds "
        "them. FILE ends in .npy, .csv, .tsv, .h5 or .mtx.",
    .examples = "orthant features 101_ObjectCategories --words 500 -o words.npy\n"
                "orthant cluster words.npy -m nmf -k 10 --scale unit\n"
                "orthant features photos/*.jpg --kind lab -o colours.csv",
    .fewest = 1,
    .most = WORDS_ANY,
    .missing = "FOLDER or IMAGE",
    .options = features_options,
    .run = run_features,
};

static const option_id words_options[] = {
    OPTION_OUTPUT,    OPTION_STOP_WORDS, OPTION_MIN_COUNT, OPTION_MIN_DOCUMENTS, OPTION_MAX_WORDS,
    OPTION_PRECISION, OPTION_MEMORY,     OPTION_JSON,      OPTION_QUIET,         OPTION_NONE};
const subcommand words_command = {
    .name = "words",
    .title = "documents to counts of their words, with a vocabulary",
    .usage = "words FOLDER -o FILE [OPTIONS]\nwords FILE -o FILE [OPTIONS]",
    .description =
        "Counts the words of documents: each file of FOLDER is one, and each subfolder a class; or "
        "each line of FILE, which is standard input where it is -. A word is a run of two or more "
        "letters, digits and underscores, in "
        "lower case. The words go to the name of -o with .words.txt for its ending, one per line "
        "in the order of the columns, the documents' names to .samples.txt and the classes to "
        ".labels.csv, where `orthant cluster` finds them. The counts are written as .csr or .mtx, "
        "or dense as .npy, .csv, .tsv or .h5.",
    .examples = "orthant words articles --stop-words english --min-documents 3 -o counts.csr\n"
                "orthant cluster counts.csr -k 20 --scale tfidf -o run\n"
                "orthant words reviews.txt --max-words 5000 -o reviews.csr\n"
                "zcat reviews.txt.gz | orthant words - -o reviews.csr",
    .fewest = 1,
    .most = 1,
    .missing = "FOLDER or FILE",
    .options = words_options,
    .run = run_words,
};

static const option_id reproduce_options[] = {
    OPTION_DATA,    OPTION_OUTPUT, OPTION_TABLES,   OPTION_FIGURES, OPTION_CLAIMS,
    OPTION_REPEATS, OPTION_QUICK,  OPTION_LIST,     OPTION_DIGITS,  OPTION_RESUME,
    OPTION_SEED,    OPTION_FORMAT, PROCESS_OPTIONS, OPTION_NONE};
const subcommand reproduce_command = {
    .name = "reproduce",
    .title = "a paper's tables and figures again, ours beside theirs",
    .usage = "reproduce PAPER --data DIR -o RUN [OPTIONS]\n"
             "reproduce PAPER --list [--data DIR] [-o RUN] [--json]\n"
             "reproduce PAPER --digits [--format md|tex|csv|--json]",
    .description =
        "Repeats the experiments of a paper: tnmf, cdnmf, nlcf, rmnd or grpnmf. DIR holds the data "
        "sets "
        "under the names that docs/reproduction.md lists; where one is missing the table says so. "
        "RUN holds report.html with every table and figure, the tables as .md, .tex and .csv, and "
        "a study for each. An interrupted reproduction goes on where it stopped. The averages of "
        "all tables are printed, with --format the tables themselves. --list runs nothing: it "
        "names "
        "every table, figure, theorem and claim of the paper, what makes it and whether RUN holds "
        "it; --tables, --figures and --claims select. --digits needs no data: the mean "
        "of R runs of n samples is a multiple of 1 / (R n), which some printed figures are not.",
    .examples = "orthant reproduce nlcf --data data -o nlcf\n"
                "orthant reproduce tnmf --data data -o tnmf --tables I,IV --repeats 20\n"
                "orthant reproduce rmnd --data data -o rmnd --format tex\n"
                "orthant reproduce nlcf --list --data data -o nlcf\n"
                "orthant reproduce nlcf --data data -o nlcf --figures 3 --claims one-nonzero\n"
                "orthant reproduce tnmf --digits",
    .fewest = 1,
    .most = 1,
    .missing = "PAPER",
    .options = reproduce_options,
    .run = run_reproduce,
};

static const option_id report_options[] = {OPTION_FORMAT, OPTION_WORDS, OPTION_JSON, OPTION_QUIET,
                                           OPTION_NONE};
const subcommand report_command = {
    .name = "report",
    .title = "report.html of a run, a study, or all runs in a folder",
    .usage = "report RUN [--format md|tex|csv|--json] [--words FILE]",
    .description =
        "Makes RUN/report.html again from what is stored, and prints the table; with --format all "
        "tables, for a paper. RUN is what fit, cluster, segment or compare wrote. Where RUN holds "
        "runs in its subfolders, the report shows them side by side.",
    .examples = "orthant report run\northant report demo-run\northant report study --format tex",
    .fewest = 1,
    .most = 1,
    .missing = "RUN",
    .options = report_options,
    .run = run_report,
};

static const option_id bench_options_list[] = {OPTION_QUICK,    OPTION_DATA, OPTION_THREADS,
                                               OPTION_MEMORY,   OPTION_JSON, OPTION_QUIET,
                                               OPTION_PROGRESS, OPTION_NONE};
const subcommand bench_command = {
    .name = "bench",
    .title = "speed on the standard shapes, beside the limits of this machine",
    .usage = "bench [--quick] [--json] [OPTIONS]",
    .description =
        "Times one iteration of the main methods on the shapes of faces, digits, text, a graph of "
        "regions and similarities, on all threads and on one, beside what bounds it, measured in "
        "the same run: the products of the same update by the BLAS (of graph: the whole update in "
        "plain loops and BLAS), one read of X, and the peak of multiply-adds that never leave the "
        "registers. quality: seconds to the objective that the first solver of a method has after "
        "100 iterations (--quick: 10), from the same start. Times are the best of several rounds.",
    .examples = "orthant bench --quick\n"
                "OPENBLAS_CORETYPE=SkylakeX orthant bench --json > bench.json\n"
                "orthant bench --data ../shared/data",
    .options = bench_options_list,
    .run = run_bench,
};

static const option_id demo_options[] = {OPTION_OUTPUT, OPTION_FORCE, OPTION_JSON, OPTION_QUIET,
                                         OPTION_NONE};
const subcommand demo_command = {
    .name = "demo",
    .title = "digits into clusters by six methods, a picture into segments",
    .usage = "demo [-o FOLDER] [--force] [--json]",
    .description = "Clusters the handwritten digits that come with Orthant by six methods, cuts a "
                   "picture into "
                   "segments, prints the table and makes FOLDER/report.html (default: demo-run).",
    .examples = "orthant demo\northant demo -o /tmp/first",
    .options = demo_options,
    .run = run_demo,
};
