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
