x <- bars()

test_that("the result is what it says", {
    rownames(x) <- paste0("s", 1:60)
    colnames(x) <- paste0("f", 1:20)
    fit <- orthant_nmf(x, 9, iterations = 30, tolerance = 0)
    expect_s3_class(fit, "orthant")
    expect_identical(fit$factors, c("basis", "encoding"))
    expect_identical(rownames(fit$encoding), rownames(x))
    expect_identical(rownames(fit$basis), colnames(x))
    expect_identical(names(fit$cluster), rownames(x))
    expect_equal(fit$iterations, 30)
    expect_equal(nrow(fit$history), 31)
    expect_equal(fit$objective, sum((x - fit$encoding %*% t(fit$basis))^2))
    expect_identical(fit$parameters$iterations, "30")
    expect_true(all(fit$cluster %in% 1:9))
    expect_null(orthant_nmf(x, 3, iterations = 1, cluster = FALSE)$cluster)
})

test_that("kinds of matrices give the same", {
    basis <- orthant_nmf(x, 3, iterations = 5)$basis
    expect_identical(orthant_nmf(as.data.frame(x), 3, iterations = 5)$basis, `rownames<-`(basis, paste0("V", 1:20)))
    expect_identical(orthant_nmf(methods::as(x, "unpackedMatrix"), 3, iterations = 5)$basis, basis)
    whole <- round(10 * x)
    storage.mode(whole) <- "integer"
    expect_identical(orthant_nmf(whole, 3, iterations = 5)$basis, orthant_nmf(whole + 0, 3, iterations = 5)$basis)
    expect_identical(orthant_nmf(x > 0.1, 3, iterations = 5)$basis, orthant_nmf((x > 0.1) + 0, 3, iterations = 5)$basis)
})

test_that("starts are used as they are", {
    w <- matrix(runif(60), 20)
    s <- matrix(runif(180), 60)
    fit <- orthant_nmf(x, 3, iterations = 0, start = list(basis = w, encoding = s))
    expect_identical(fit$basis, w)
    expect_identical(fit$encoding, s)
})

test_that("fixed parts stay as they are", {
    w <- matrix(runif(40), 20)
    fit <- orthant_nmf(x, 3, iterations = 5, fixed_parts = w)
    expect_identical(fit$basis[, 1:2], w)
    expect_error(orthant_nmf(x, 3, "pnmf", fixed_parts = w), "cannot hold parts fixed")
})

test_that("labels are numbers, factors or texts", {
    known <- rep(c(1, 2, 3, NA), 15)
    basis <- orthant_nmf(x, 3, "cdnmf", labels = known, iterations = 5)$basis
    expect_identical(orthant_nmf(x, 3, "cdnmf", labels = factor(known), iterations = 5)$basis, basis)
    expect_identical(orthant_nmf(x, 3, "cdnmf", labels = letters[known], iterations = 5)$basis, basis)
    expect_false(identical(orthant_nmf(x, 3, "cdnmf", labels = rev(known), iterations = 5)$basis, basis))
})

test_that("semi-supervised NMF has a basis of the labels; without labels it is plain NMF", {
    known <- rep(c(1, 2, NA, NA), 15)
    fit <- orthant_nmf(x, 3, "ssnmf", labels = known, label_weight = 5, iterations = 5)
    expect_identical(dim(fit$label_basis), c(2L, 3L))
    plain <- orthant_nmf(x, 3, solver = "mu", iterations = 5)
    expect_false(identical(fit$encoding, plain$encoding))
    none <- orthant_nmf(x, 3, "ssnmf", labels = rep(NA_integer_, 60), label_weight = 5, iterations = 5)
    expect_identical(none$encoding, plain$encoding)
    expect_identical(none$basis, plain$basis)
    expect_null(none$label_basis)
})

test_that("pooling and similarity are matrices or texts; scale is both a scaling and a parameter", {
    pooling <- kronecker(diag(2), matrix(1, 2, 2))
    expect_false(identical(orthant_nmf(x, 4, "tnmf", pooling = pooling, iterations = 5)$basis,
                           orthant_nmf(x, 4, "tnmf", pooling = "all", iterations = 5)$basis))
    fit <- orthant_nmf(x, 3, "snmf", similarity = tcrossprod(x), iterations = 5)
    expect_identical(dim(fit$encoding), c(60L, 3L))
    fit <- orthant_nmf(x, 3, "snmf", scale = 0.5, iterations = 5)
    expect_identical(fit$parameters$scale, "0.5")
    expect_identical(fit$scale, "none")
})

test_that("every method fits, with the parameters of its table", {
    methods <- orthant_methods()
    expect_gte(nrow(methods), 27)
    for (i in seq_len(nrow(methods))) {
        name <- methods$name[i]
        labels <- if (grepl("labels", methods$needs[i])) rep(c(1, 2, NA), 20)
        fit <- orthant_nmf(x, 3, name, iterations = 2, labels = labels)
        expect_identical(fit$method, name)
        expect_identical(fit$factors, strsplit(methods$factors[i], ",")[[1]])
        expect_length(fit$cluster, 60)
        expect_true(all(orthant_parameters(name)$name %in% c(names(fit$parameters), "loss")))
    }
    p <- orthant_parameters("gnmf")
    expect_identical(p$default[p$name == "graph_weight"], "auto")
    expect_identical(p$maximum[p$name == "tolerance"], 1)
    expect_true(is.na(p$minimum[p$name == "init"]))
})

test_that("graphs", {
    w <- orthant_graph(x, 3)
    expect_s4_class(w, "dgCMatrix")
    expect_true(Matrix::isSymmetric(w))
    expect_true(all(Matrix::rowSums(w) >= 3))
    d <- as.matrix(dist(x))
    diag(d) <- Inf
    nearest <- t(apply(d, 1, function(row) rank(row, ties.method = "first") <= 3))
    expect_equal(as.matrix(w), (nearest | t(nearest)) + 0, ignore_attr = TRUE)
    expect_identical(orthant_graph(x, 3, search = "exact"), w)
    labels <- rep(c(1, 2, NA), 20)
    l <- as.matrix(orthant_graph(x, 3, labels = labels))
    expect_identical(l[1, 4], 1)
    expect_identical(l[1, 2], 0)
})

test_that("predict", {
    fit <- orthant_nmf(x, 4, iterations = 50)
    codes <- predict(fit, x[1:7, ])
    expect_identical(codes, predict(fit, x)[1:7, ])
    expect_identical(predict(fit, t(x[1:7, ]), transpose = TRUE), codes)
    expect_identical(predict(fit), fit$encoding)
    expect_identical(predict(fit, type = "cluster"), fit$cluster)
    expect_true(mean(predict(fit, x, type = "cluster") == fit$cluster) > 0.9)
    unit <- orthant_nmf(x, 4, iterations = 50, labels_rule = "kmeans-unit:encoding", scale = "max")
    expect_true(mean(predict(unit, 3 * x, type = "cluster") == unit$cluster) > 0.9)
    blocks <- kronecker(diag(3), matrix(1, 20, 4)) + matrix(1:720 %% 7, 60) / 70
    agreed <- orthant_nmf(blocks, 3, starts = 4, labels_rule = "consensus")
    expect_identical(predict(agreed, blocks, type = "cluster"), agreed$cluster)
    argmax <- orthant_nmf(x, 4, "nlcf", iterations = 20)
    expect_identical(predict(argmax, x[1:9, ], type = "cluster"), max.col(predict(argmax, x[1:9, ]), "first"))
    centres <- orthant_nmf(x, 4, "kmeans")
    expect_identical(predict(centres, x, type = "cluster"), centres$cluster)
    expect_identical(predict(centres, methods::as(x, "CsparseMatrix"), type = "cluster"), centres$cluster)
    scaled <- orthant_nmf(x, 4, "kmeans", scale = "unit")
    expect_identical(predict(scaled, 5 * x, type = "cluster"), scaled$cluster)
    expect_error(predict(orthant_nmf(x, 4, cluster = FALSE, iterations = 5), x, type = "cluster"), "its clusters")
    expect_error(predict(orthant_nmf(x, 2, "snmf", iterations = 1), x), "no basis")
})

test_that("names of new samples' features are those of the fit", {
    named <- `colnames<-`(x, paste0("f", seq_len(ncol(x))))
    fit <- orthant_nmf(named, 4, iterations = 20)
    expect_identical(predict(fit, named), predict(fit, `colnames<-`(x, NULL)))
    expect_error(predict(fit, named[, rev(seq_len(ncol(x)))]), "feature 1 is 'f[0-9]+', and 'f1' in the fit.*another order")
    colnames(named)[2] <- "other"
    expect_error(predict(fit, named, type = "cluster"), "feature 2 is 'other', and 'f2' in the fit: new samples need")
})

test_that("new samples minimise what the fit did", {
    set.seed(1)
    z <- 0.02 + matrix(runif(240)^2, 60) %*% matrix(runif(80)^3, 4)
    sparse <- orthant_nmf(z, 3, "nnsc", sparsity_weight = 0.2, iterations = 20000, tolerance = 0, cluster = FALSE)
    expect_lt(norm(predict(sparse, z) - sparse$encoding, "F"), 1e-3 * norm(sparse$encoding, "F"))
    added <- orthant_nmf(z, 3, terms = list(ridge = 0.5, `ridge-basis` = 0.5), iterations = 20000, tolerance = 0,
                         cluster = FALSE)
    expect_identical(names(added$terms), c("ridge", "ridge-basis"))
    expect_lt(norm(predict(added, z) - added$encoding, "F"), 1e-3 * norm(added$encoding, "F"))
    graph <- orthant_nmf(z[1:50, ], 3, "gnmf", graph_weight = 1e6, neighbours = 1, iterations = 50)
    nearest <- which.min(rowSums((z[1:50, ] - rep(z[55, ], each = 50))^2))
    expect_equal(predict(graph, z[55, , drop = FALSE]), graph$encoding[nearest, , drop = FALSE], tolerance = 1e-3)
    expect_equal(fitted(added), added$encoding %*% t(added$basis))
    expect_error(fitted(orthant_nmf(x, 2, "snmf", iterations = 1)), "no basis")
})

test_that("missing entries", {
    set.seed(2)
    z <- 0.02 + matrix(runif(180), 60) %*% matrix(runif(60), 3)
    held <- matrix(runif(1200) < 0.1, 60)
    holes <- z
    holes[held] <- NaN
    fit <- orthant_nmf(holes, 3, missing = "nan", iterations = 2000, cluster = FALSE)
    full <- orthant_complete(fit, holes)
    expect_identical(full[!held], z[!held])
    expect_lt(sqrt(sum((full[held] - z[held])^2)), 0.1 * sqrt(sum(z[held]^2)))
    masked <- orthant_nmf(z, 3, mask = (!held) + 0, iterations = 2000, cluster = FALSE)
    expect_lt(sqrt(sum((orthant_complete(masked, z, !held)[held] - z[held])^2)), 0.1 * sqrt(sum(z[held]^2)))
    expect_error(orthant_complete(orthant_nmf(z, 2, iterations = 1, cluster = FALSE), z), "nothing says")
})

test_that("print, summary and plot", {
    fit <- orthant_nmf(x, 4, iterations = 5)
    expect_output(print(fit), "nmf: 4 parts of 60 samples with 20 features")
    expect_output(print(summary(fit)), "clusters \\(kmeans-scaled:encoding\\)")
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_silent(plot(fit))
    expect_silent(plot(fit, "basis", size = c(5, 4)))
    expect_silent(plot(fit, "clusters"))
    expect_error(plot(fit, "basis", size = c(5, 5)), "20 pixels")
})

test_that("scores and files", {
    scores <- orthant_scores(c(1, 1, 2, 2), c("a", "a", "a", "b"))
    expect_identical(scores[["accuracy"]], 0.75)
    expect_identical(scores[["samples"]], 4)
    # scikit-learn's values
    expect_equal(unname(scores[c("nmi", "nmi_arithmetic", "ami", "homogeneity", "completeness")]),
                 c(0.3112781244591328, 0.3437110184854508, 0, 0.3836885465963443, 0.3112781244591328))
    file <- tempfile(fileext = ".mtx")
    s <- Matrix::rsparsematrix(30, 20, 0.2)
    Matrix::writeMM(s, file)
    expect_equal(orthant_read(file)$x, s)
    expect_match(orthant_version()[["version"]], "^[0-9]+\\.[0-9]+\\.[0-9]+")
})

test_that("progress is shown where it is asked for", {
    expect_output(suppressMessages(orthant_nmf(x, 3, iterations = 5, tolerance = 0, verbose = TRUE)),
                  "fit: 5 of 5, objective")
    expect_silent(orthant_nmf(x, 3, iterations = 5))
})

test_that("batches have the bits of the command", {
    run <- tempfile()
    run_command("fit", digits_file(), "-k 4 --batch 100 -p batch_order=random --iterations 5 --precision double -o", run)
    fit <- orthant_nmf(orthant_read(digits_file())$x, 4, batch = 100, batch_order = "random", iterations = 5)
    expect_same(fit$basis, read_npy(file.path(run, "basis.npy")))
    expect_same(fit$encoding, read_npy(file.path(run, "encoding.npy")))
})

test_that("data that come in pieces follow the rule, with matrices", {
    set.seed(1)
    x <- matrix(runif(120 * 9), 120)
    w <- matrix(0.1 + runif(27), 9)
    above <- w
    below <- matrix(1, 9, 3)
    fit <- NULL
    for (first in c(1, 41, 81)) {
        piece <- x[first:(first + 39), ]
        fit <- if (is.null(fit)) orthant_nmf(piece, 3, partial = "yes", fresh = 5, start = list(basis = w), cluster = FALSE)
               else orthant_partial(piece, 3, fit, fresh = 5)
        s <- matrix(sqrt(mean(piece) / 3), 40, 3)
        for (update in 1:5)
            s <- s * (piece %*% w) / (s %*% crossprod(w))
        above <- 0.7 * above + w * crossprod(piece, s)
        below <- 0.7 * below + w %*% crossprod(s)
        w <- above / below
        expect_equal(fit$basis, w, tolerance = 1e-11)
        expect_equal(fit$encoding, s, tolerance = 1e-11)
    }
    expect_equal(dim(predict(fit, x)), c(120, 3))
    expect_error(orthant_partial(x, 3, orthant_nmf(x, 3, iterations = 1)), "found no numerators")
})
