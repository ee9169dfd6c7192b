x <- bars()

test_that("several starts keep the lowest", {
    fit <- orthant_nmf(x, 4, iterations = 20, starts = 5)
    expect_length(fit$start_objectives, 5)
    expect_identical(fit$objective, min(fit$start_objectives))
    expect_length(orthant_nmf(x, 4, iterations = 1)$start_objectives, 1)
})

test_that("a consensus is the command's", {
    run <- tempfile()
    file <- tempfile(fileext = ".csv")
    write.table(format(x, digits = 17), file, sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
    run_command("consensus", file, "--truth none -k 3 --repeats 6 --threshold 0.9 --precision double -o", run)
    fit <- orthant_consensus(orthant_read(file)$x, 3, repeats = 6, threshold = 0.9)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_same(fit$encoding, read_npy(file.path(run, "encoding.npy")))
    members <- read.csv(file.path(run, "consensus.csv"))
    expect_equal(fit$consensus$members$density, members$density)
    expect_equal(fit$consensus$members$consensus_part, as.double(members$consensus_part) + 1) # files count from 0
    expect_equal(fit$consensus$kept + fit$consensus$left_out, 18)
    expect_equal(sum(fit$consensus$parts$members), fit$consensus$kept)
    expect_null(orthant_nmf(x, 3, iterations = 1)$consensus)
    expect_error(orthant_consensus(x, 3, repeats = 1), "expected 2 to")
    expect_error(orthant_consensus(x, 3, repeats = 3, starts = 2), "exclude each other")
})

test_that("masks and weights are those of plain updates", {
    set.seed(3)
    w <- matrix(runif(60), 20)
    s <- matrix(runif(180), 60)
    mask <- matrix(as.double(runif(1200) < 0.8), 60)
    rows <- runif(60)
    columns <- runif(20)
    weights <- mask * outer(rows, columns)
    fit <- orthant_nmf(x, 3, solver = "mu", iterations = 3, tolerance = 0, start = list(basis = w, encoding = s), mask = mask,
                       sample_weights = rows, feature_weights = columns)
    for (i in 1:3) {
        w <- w * (t(weights * x) %*% s) / (t(weights * (s %*% t(w))) %*% s)
        s <- s * ((weights * x) %*% w) / ((weights * (s %*% t(w))) %*% w)
    }
    expect_equal(fit$basis, w, tolerance = 1e-10)
    expect_equal(fit$encoding, s, tolerance = 1e-10)
    turned <- orthant_nmf(t(x), 3, iterations = 5, transpose = TRUE, solver = "mu", mask = t(mask))
    expect_identical(turned$basis, orthant_nmf(x, 3, iterations = 5, solver = "mu", mask = mask)$basis)
    gaps <- x
    gaps[mask == 0] <- NA
    start <- list(basis = w, encoding = s)
    expect_equal(orthant_nmf(gaps, 3, iterations = 5, solver = "mu", missing = "nan", start = start)$basis,
                 orthant_nmf(x, 3, iterations = 5, solver = "mu", mask = mask, start = start)$basis, tolerance = 1e-12)
})

test_that("what a mask leaves out has no part in the scale", {
    set.seed(4)
    mask <- matrix(as.double(runif(1200) < 0.8), 60)
    lengths <- sqrt(rowSums((mask * x)^2))
    lengths[lengths == 0] <- 1
    start <- list(basis = matrix(runif(60), 20), encoding = matrix(runif(180), 60))
    fitted_to <- function(samples, ...)
        orthant_nmf(samples, 3, solver = "mu", iterations = 4, mask = mask, start = start, ...)
    unit <- fitted_to(x / lengths)
    large <- x
    large[mask == 0] <- 1000
    fit <- fitted_to(large, scale = "unit")
    expect_equal(fit$basis, unit$basis, tolerance = 1e-10)
    expect_equal(predict(fit, large, mask = mask), predict(unit, x / lengths, mask = mask), tolerance = 1e-7)
    most <- max(mask * x)
    fit <- fitted_to(large, scale = "max")
    expect_equal(as.vector(fit$scale_statistics), most)
    expect_equal(fit$basis, fitted_to(x / most)$basis, tolerance = 1e-10)
    expect_error(fitted_to(x, scale = "tfidf"), "samples that have a word")
})

test_that("fixed parts stay", {
    known <- matrix(runif(20), 20)
    expect_identical(orthant_nmf(x, 3, iterations = 5, fixed_parts = known)$basis[, 1, drop = FALSE], known)
})

test_that("ranks are the command's", {
    file <- tempfile(fileext = ".csv")
    run <- tempfile()
    write.table(format(x, digits = 17), file, sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
    run_command("ranks", file, "--truth none -k 2:4 --repeats 3 --precision double -o", run)
    survey <- orthant_ranks(orthant_read(file)$x, 2:4, repeats = 3)
    table <- read.csv(file.path(run, "ranks.csv"))
    expect_equal(survey$table$error, table$error)
    expect_equal(survey$table$silhouette, table$silhouette)
    expect_true(survey$recommended %in% 2:4)
    expect_true(any(grepl("recommended", survey$reasons)))
    expect_error(orthant_ranks(x, method = "pca"), "nonnegative")
})

test_that("a number of parts that is found is the command's", {
    file <- tempfile(fileext = ".csv")
    run <- tempfile()
    write.table(format(x, digits = 17), file, sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
    run_command("cluster", file, "--truth none -k 2:4 --term sparsity=0.1 -p normalise=basis --solver mu --iterations 30 --precision double -o", run)
    y <- orthant_read(file)$x
    fit <- orthant_nmf(y, 2:4, terms = c(sparsity = 0.1), normalise = "basis", solver = "mu", iterations = 30)
    expect_true(fit$k %in% 2:4)
    expect_equal(ncol(fit$basis), fit$k)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_true(any(grepl("recommended", fit$rank_reasons)))
    expect_output(print(summary(fit)), "recommended")
    expect_identical(orthant_nmf(y, "2:4", terms = c(sparsity = 0.1), normalise = "basis", solver = "mu", iterations = 30)$basis, fit$basis)
    expect_null(orthant_nmf(x, 3, iterations = 1)$rank_reasons)
    expect_gte(orthant_nmf(x, "auto", iterations = 5)$k, 2)
    expect_true(orthant_consensus(x, 2:3, repeats = 3, threshold = 2, iterations = 10)$k %in% 2:3)
    expect_error(orthant_nmf(x, "auto", mask = x > 0), "mask: cannot be together")
    expect_error(orthant_nmf(x, 2:3, starts = 2), "starts: cannot be together")
    expect_error(orthant_nmf(x, "three"), "rank")
})

test_that("tables keep their names", {
    file <- tempfile(fileext = ".csv")
    writeLines(c("row,plant,height,width,kind", "1,one,3,1,oak", "2,two,,4,fir", "3,three,2,5,oak"), file)
    read <- orthant_read(file, truth = "kind", id_column = "plant", drop = c("row"), missing = TRUE)
    expect_equal(read$x, matrix(c(3, NaN, 2, 1, 4, 5), 3, dimnames = list(c("one", "two", "three"), c("height", "width"))))
    expect_equal(as.double(read$truth), c(1, 0, 1))
    expect_identical(read$classes, c("fir", "oak"))
    expect_null(read$picture)
    fit <- orthant_nmf(read$x, 1, missing = "nan", iterations = 20, solver = "mu")
    expect_identical(rownames(fit$basis), c("height", "width"))
    expect_identical(names(fit$cluster), c("one", "two", "three"))
    expect_error(orthant_read(file, truth = "kind", drop = c("row", "plant")), "expected a finite number")
    picture <- orthant_read(digits_file())$picture
    expect_identical(unlist(picture[c("height", "width", "channels")], use.names = FALSE), c(8L, 8L, 1L))
})

test_that("losses, terms and methods have the bits of the command", {
    file <- tempfile(fileext = ".csv")
    run <- tempfile()
    write.table(format(x + 1, digits = 17), file, sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
    y <- orthant_read(file)$x
    expect_fit <- function(fit, factor, ...) {
        run_command("fit", file, "--truth none -k 3 --iterations 6 --precision double --force", ..., "-o", run)
        expect_same(fit[[factor]], read_npy(file.path(run, paste0(factor, ".npy"))))
    }
    for (loss in c("is", "beta:0.5", "huber:0.1", "l1"))
        expect_fit(orthant_nmf(y, 3, loss = loss, iterations = 6), "basis", "--loss", loss)
    for (term in c("ridge", "ridge-basis", "sparsity", "sparsity-basis", "smooth", "smooth-basis", "orthogonal",
                   "orthogonal-basis", "volume"))
        expect_fit(orthant_nmf(y, 3, terms = stats::setNames(0.3, term), iterations = 6), "basis", paste0("--term ", term, "=0.3"))
    for (method in c("semi-nmf", "kernel-nmf", "cluster-nmf"))
        expect_fit(orthant_nmf(y, 3, method, iterations = 6), "encoding", "-m", method)
})

test_that("neighbours are found by what is known in both", {
    set.seed(9)
    y <- x + 1
    y[runif(length(y)) < 0.3] <- NaN
    far <- sapply(1:60, function(i) sapply(1:60, function(j) {
        both <- !is.nan(y[i, ]) & !is.nan(y[j, ])
        if (i == j) Inf else sum((y[i, both] - y[j, both])^2) * 20 / sum(both)
    }))
    edges <- t(apply(far, 2, function(column) rank(column, ties.method = "first") <= 3))
    expect_identical(unname(as.matrix(orthant_graph(y, 3, missing = "nan")) > 0), edges | t(edges))
    z <- y
    z[is.nan(z)] <- 0
    expect_identical(unname(as.matrix(orthant_graph(Matrix::Matrix(z, sparse = TRUE), 3, missing = "zeros")) > 0),
                     edges | t(edges))
    expect_error(orthant_graph(x, 3, missing = "zeros"), "is for sparse data")
})

test_that("a consensus is found beside fixed parts", {
    known <- matrix(runif(20), 20)
    fit <- orthant_consensus(x, 3, repeats = 4, threshold = 2, iterations = 20, fixed_parts = known)
    expect_identical(fit$basis[, 1, drop = FALSE], known)
    expect_equal(fit$consensus$fixed, 1)
    expect_equal(fit$consensus$parts$members[1], 0)
    expect_equal(sum(fit$consensus$parts$members), 8)
    expect_true(all(fit$consensus$members$part >= 2 & fit$consensus$members$consensus_part >= 2))
    expect_error(orthant_consensus(x, 1, repeats = 4, fixed_parts = known), "1 fixed ones are given of 1")
})

test_that("chosen entries are those of the fit", {
    fit <- orthant_nmf(x, 3, iterations = 20)
    all <- fitted(fit)
    expect_equal(orthant_entries(fit, c(1, 60, 7), c(20, 2, 13)), c(all[1, 20], all[60, 2], all[7, 13]))
    expect_equal(orthant_entries(fit, 4, 5), all[4, 5])
    expect_error(orthant_entries(fit, 61, 1), "no row 61; expected 1 to 60")
    expect_error(orthant_entries(fit, 1:2, 1), "2 rows and 1 columns")
})

test_that("zeros that a sparse matrix stores are known", {
    y <- Matrix::sparseMatrix(i = c(1, 1, 2, 3, 3, 2), j = c(1, 2, 2, 1, 3, 3), x = c(4, 2, 0, 3, 1, 5))
    fit <- orthant_nmf(y, 1, missing = "zeros", solver = "mu", iterations = 50, cluster = FALSE)
    full <- orthant_complete(fit, y)
    expect_identical(full[2, 2], 0)
    expect_gt(full[2, 1], 0)
})

test_that("pictures list their pixels by rows or by columns", {
    part <- 1:6
    expect_identical(orthant:::part_picture(part, c(2, 3), "row"), matrix(part, 3, 2))
    expect_identical(orthant:::part_picture(part, c(2, 3), "column"), t(matrix(part, 2, 3)))
})

test_that("words are counted", {
    file <- tempfile()
    writeLines(c("one fish two fish", "red fish"), file)
    counted <- orthant_words(file)
    expect_identical(counted$words, c("fish", "one", "red", "two"))
    expect_equal(as.vector(counted$x[, "fish"]), c(2, 1))
    expect_identical(orthant_words(file, min_count = 2)$words, "fish")
    expect_null(counted$truth)
})

test_that("silhouettes of all pairs", {
    labels <- rep(1:3, 20)
    far <- as.matrix(dist(x))
    means <- sapply(1:3, function(l) rowSums(far[, labels == l]))
    own <- means[cbind(1:60, labels)] / 19
    other <- sapply(1:60, function(i) min(means[i, -labels[i]]) / 20)
    scores <- orthant_silhouette(x, labels)
    expect_equal(scores[["silhouette"]], mean((other - own) / pmax(own, other)))
    expect_equal(scores[["exact"]], 1)
    expect_equal(scores[["largest"]], 20)
})
