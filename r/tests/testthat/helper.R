# Bars of light on 5 x 4 pixels with some noise: nonnegative, with structure, the same in every run.
bars <- function(n = 60) {
    set.seed(7)
    parts <- sapply(1:9, function(j) {
        picture <- matrix(0, 5, 4)
        if (j <= 5) picture[j, ] <- 1 else picture[, j - 5] <- 1
        as.vector(picture)
    })
    matrix(rexp(n * 9) * (runif(n * 9) < 0.3), n) %*% t(parts) + matrix(runif(n * 20) / 50, n)
}

# The command, where scripts/check-r names it.
run_command <- function(...) {
    command <- Sys.getenv("ORTHANT_COMMAND")
    skip_if(command == "", "ORTHANT_COMMAND names no command")
    expect_identical(system2(command, c(..., "--quiet"), stdout = FALSE), 0L)
}

digits_file <- function() {
    source <- Sys.getenv("ORTHANT_SOURCE")
    skip_if(source == "", "ORTHANT_SOURCE names no source tree")
    file.path(source, "data", "digits", "digits-images-idx3-ubyte.gz")
}

# The array of a .npy file, of two dimensions and row by row, without the library.
read_npy <- function(path) {
    file <- file(path, "rb")
    on.exit(close(file))
    magic <- readBin(file, "raw", 8)
    stopifnot(identical(magic[1:6], as.raw(c(0x93, utf8ToInt("NUMPY")))))
    header <- readChar(file, readBin(file, "integer", 1, size = 2, signed = FALSE, endian = "little"))
    bytes <- as.integer(sub(".*'<f([48])'.*", "\\1", header))
    shape <- as.integer(strsplit(sub(".*\\((\\d+), (\\d+)\\).*", "\\1 \\2", header), " ")[[1]])
    stopifnot(!grepl("True", header))
    matrix(readBin(file, "double", prod(shape), size = bytes, endian = "little"), shape[1], shape[2], byrow = TRUE)
}

# Bits, so that 0 is not -0 and NaN is NaN.
expect_same <- function(a, b) {
    dimnames(a) <- NULL
    expect_identical(dim(a), dim(b))
    expect_true(identical(writeBin(as.vector(a), raw()), writeBin(as.vector(b), raw())))
}
