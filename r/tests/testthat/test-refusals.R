x <- bars()

test_that("errors are the library's words", {
    expect_error(orthant_nmf(x, 3, device = "nowhere"), "no plug-in 'nowhere' for devices")
    expect_error(orthant_nmf(-x, 3), "'nmf' needs nonnegative data")
    expect_error(orthant_nmf(replace(x, 5, NA), 3), "nan|NaN|finite")
    expect_error(orthant_nmf(replace(x, 5, Inf), 3), "inf|finite")
    expect_error(orthant_nmf(x, 3, "gmnf"), "'gmnf'")
    expect_error(orthant_nmf(x, 3, "gnmf", graph_wait = 10), "no parameter 'graph_wait'")
    expect_error(orthant_nmf(x, 3, "gnmf", 10), "given by name")
    expect_error(orthant_nmf(x, 3, iterations = -1), "iterations")
    expect_error(orthant_nmf(x, 2.5), "k: found 2.5, expected a whole number")
    expect_error(orthant_nmf(x, c(1, 2.5)), "rank")
    expect_error(orthant_nmf(x, 3, NA_character_), "method: expected one text")
    expect_error(orthant_nmf("x", 3), "expected a matrix of numbers")
    expect_error(orthant_nmf(matrix("a", 2, 2), 1), "expected a matrix of numbers")
    expect_error(orthant_nmf(x + 1i, 3), "expected a matrix of numbers")
    expect_error(orthant_nmf(x, 3, "cdnmf"), "labels")
    expect_error(orthant_nmf(x, 3, "cdnmf", labels = 1:3), "labels")
    expect_error(orthant_nmf(x, 3, "cdnmf", labels = c(1.5, rep(1, 59))), "entry 1 is 1.5")
    expect_error(orthant_nmf(x, 3, "gnmf", graph = Matrix::sparseMatrix(1, 2, x = 1, dims = c(60, 60))), "symmetric")
    expect_error(orthant_nmf(x, 3, start = list(basis = diag(3))), "expected 20 x 3")
    expect_error(orthant_nmf(x, 3, start = list(diag(3))), "list with names")
    expect_error(orthant_nmf(x, 3, scale = "huge"), "huge")
    expect_error(orthant_nmf(x, 3, memory = 1000), "memory")
    expect_error(orthant_read(tempfile()), "no such file|not found|No such file|does not exist")
    expect_error(orthant_scores(1:3, 1:4), "labels|samples")
})

test_that("fits and refusals leave no memory behind", {
    skip_if_not(file.exists("/proc/self/status"))
    resident <- function() {
        gc()
        as.numeric(gsub("\\D", "", grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)))
    }
    wide <- matrix(runif(2e5), 200)
    s <- methods::as(wide, "CsparseMatrix")
    w <- orthant_graph(wide)
    some <- function(times) for (t in seq_len(times)) {
        orthant_nmf(wide, 5, "gnmf", graph = w, iterations = 1, cluster = FALSE)
        try(orthant_nmf(s, 5, "gnmf", graph = w, start = list(basis = diag(3))), silent = TRUE)
        try(orthant_nmf(s, 5, "gnmf", graph = w, start = list(basis = "a")), silent = TRUE)
    }
    some(20)
    before <- resident()
    some(60)
    expect_lt(resident() - before, 20000)
})

test_that("Ctrl-C stops a fit after its iteration and can be caught", {
    skip_on_os("windows")
    wide <- matrix(runif(1e5), 500)
    # The signal comes from a process beside R.
    system2("sh", c("-c", shQuote(paste("sleep 2; kill -INT", Sys.getpid()))), wait = FALSE)
    begun <- Sys.time()
    partial <- tryCatch(orthant_nmf(wide, 10, solver = "mu", iterations = 1e9, tolerance = 0, time_limit = 60),
                        interrupt = function(condition) condition$fit)
    expect_lt(as.numeric(Sys.time() - begun, units = "secs"), 40)
    expect_s3_class(partial, "orthant")
    expect_true(partial$stopped)
    expect_gt(partial$iterations, 0)
    expect_equal(orthant_nmf(x, 3, iterations = 4, tolerance = 0)$iterations, 4)
})
