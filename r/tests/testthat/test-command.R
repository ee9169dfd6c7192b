# Factors have the bits of those that the command writes for the same settings.

test_that("dense data, double", {
    run <- tempfile()
    run_command("fit", digits_file(), "-m nmf -k 10 --precision double --iterations 20 -o", run)
    fit <- orthant_nmf(orthant_read(digits_file())$x, 10, iterations = 20)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_same(fit$encoding, read_npy(file.path(run, "encoding.npy")))
})

test_that("single precision, a graph that is built, scaled, samples as columns", {
    run <- tempfile()
    run_command("fit", digits_file(), "-m gnmf -k 10 -p graph_weight=10 -p neighbours=7 --weights heat --scale unit",
                "--iterations 15 -o", run)
    x <- orthant_read(digits_file())$x
    fit <- orthant_nmf(x, 10, "gnmf", graph_weight = 10, neighbours = 7, weights = "heat", scale = "unit",
                       iterations = 15, precision = "single")
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    fit <- orthant_nmf(t(x), 10, "gnmf", graph_weight = 10, neighbours = 7, weights = "heat", scale = "unit",
                       iterations = 15, precision = "single", transpose = TRUE)
    expect_same(fit$encoding, read_npy(file.path(run, "encoding.npy")))
})

test_that("labels and terms", {
    run <- tempfile()
    known <- tempfile(fileext = ".csv")
    read <- orthant_read(digits_file())
    labels <- read$truth
    labels[-(1:200)] <- NA
    writeLines(as.character(ifelse(is.na(labels), -1, labels)), known)
    run_command("fit", digits_file(), "-m cdnmf -k 10 --precision double --iterations 15 --term graph=2",
                "--term sparsity=0.5 -p neighbours=3 --labels", known, "-o", run)
    fit <- orthant_nmf(read$x, 10, "cdnmf", labels = labels, iterations = 15, terms = c(graph = 2, sparsity = 0.5),
                       neighbours = 3)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_same(fit$encoding, read_npy(file.path(run, "encoding.npy")))
    run_command("fit", digits_file(), "-m cdnmf+ -k 10 --precision double --iterations 15 --labels", known, "--force -o",
                run)
    fit <- orthant_nmf(read$x, 10, "cdnmf+", labels = labels, iterations = 15)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_equal(colSums(fit$basis^2), rep(1, 10))
})

test_that("sparse data stay sparse", {
    run <- tempfile()
    file <- tempfile(fileext = ".mtx")
    x <- orthant_read(digits_file())$x
    s <- methods::as(x * (x > 6), "CsparseMatrix")
    Matrix::writeMM(s, file)
    run_command("fit", file, "-m nmf-kl -k 5 --precision double --iterations 10 -o", run)
    basis <- read_npy(file.path(run, "basis.npy"))
    expect_same(orthant_nmf(s, 5, "nmf-kl", iterations = 10)$basis, basis)
    expect_same(orthant_nmf(Matrix::t(s), 5, "nmf-kl", iterations = 10, transpose = TRUE)$basis, basis)
    expect_same(orthant_nmf(methods::as(s, "RsparseMatrix"), 5, "nmf-kl", iterations = 10, threads = 1)$basis, basis)
    expect_same(orthant_nmf(methods::as(s, "TsparseMatrix"), 5, "nmf-kl", iterations = 10)$basis, basis)
    run_command("fit", file, "-m nmf-kl -k 5 --iterations 10 --force -o", run)
    basis <- read_npy(file.path(run, "basis.npy"))
    expect_same(orthant_nmf(s, 5, "nmf-kl", iterations = 10, precision = "single")$basis, basis)
    expect_same(orthant_nmf(methods::as(s, "RsparseMatrix"), 5, "nmf-kl", iterations = 10, precision = "single")$basis,
                basis)
})

test_that("a graph that is given, clusters, new samples", {
    run <- tempfile()
    graph <- tempfile(fileext = ".mtx")
    new <- tempfile(fileext = ".npy")
    read <- orthant_read(digits_file())
    run_command("graph", digits_file(), "--graph knn:4 --weights cosine --precision double -o", graph)
    run_command("cluster", digits_file(), "-m gnmf -k 10 --precision double --scale max --iterations 10 --graph", graph,
                "-o", run)
    w <- orthant_graph(read$x, 4, "cosine")
    fit <- orthant_nmf(read$x, 10, "gnmf", graph = w, iterations = 10, scale = "max")
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_identical(fit$cluster, as.integer(readLines(file.path(run, "labels.csv"))) + 1L)
    run_command("transform", run, digits_file(), "--precision double -o", new)
    expect_same(predict(fit, read$x), read_npy(new))
    expect_gt(orthant_scores(fit$cluster, read$truth)[["accuracy"]], 0.4)
})
