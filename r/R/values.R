# What users give, as the C code takes it: matrices of doubles, dgCMatrix or dgRMatrix, labels as doubles.

as_array <- function(x, what = "x") {
    if (is.data.frame(x))
        x <- as.matrix(x)
    if (is(x, "dgCMatrix") || is(x, "dgRMatrix"))
        return(x)
    if (is(x, "sparseMatrix"))
        return(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
    if (is(x, "Matrix"))
        x <- as.matrix(x)
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x)))
        stop(what, ": found ", paste(class(x), collapse = ", "), " of ", typeof(x),
             ", expected a matrix of numbers or a sparse matrix of the package Matrix", call. = FALSE)
    if (!is.double(x))
        storage.mode(x) <- "double"
    x
}

as_labels <- function(labels) {
    if (is.character(labels))
        labels <- factor(labels)
    as.double(if (is.factor(labels)) as.integer(labels) else labels)
}

# The C code's sparse matrix.
as_sparse <- function(parts) {
    if (is.list(parts)) new("dgCMatrix", i = parts$i, p = parts$p, x = parts$x, Dim = parts$Dim) else parts
}

# The result of a call; what the library said meanwhile is told, and Ctrl-C is passed on.
call_library <- function(answer, partial = identity) {
    for (i in seq_along(answer$texts)) {
        if (answer$warnings[i])
            warning(answer$texts[i], call. = FALSE)
        else
            message(answer$texts[i])
    }
    if (answer$interrupted) {
        condition <- structure(class = c("orthant_interrupt", "interrupt", "condition"),
                               list(message = "interrupted", call = NULL, fit = partial(answer$result)))
        signalCondition(condition)
        stop("stopped by the user", call. = FALSE)
    }
    answer$result
}
