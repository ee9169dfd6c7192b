orthant_nmf <- function(x, k, method = "nmf", ..., graph = NULL, labels = NULL, loss = NULL, terms = NULL,
                        start = NULL, scale = "none", transpose = FALSE, precision = c("double", "single", "tf32"),
                        cluster = TRUE, labels_rule = NULL, clusters = NULL, restarts = NULL, threads = 0,
                        memory = NULL, verbose = FALSE, device = NULL, starts = NULL, mask = NULL,
                        sample_weights = NULL, feature_weights = NULL, fixed_parts = NULL) {
    call <- match.call()
    x <- as_array(x)
    parameters <- list(...)
    if (length(parameters) && (is.null(names(parameters)) || any(names(parameters) == "")))
        stop("parameters are given by name, as in graph_weight = 10", call. = FALSE)
    parameters <- lapply(parameters, as_option)
    # A single text is a parameter: some methods have ones of these names.
    is_text <- function(value) is.character(value) && length(value) == 1
    options <- c(parameters,
                 list(graph = if (!is.null(graph)) as_array(graph, "graph"),
                      labels = if (is_text(labels)) labels else if (!is.null(labels)) as_labels(labels),
                      loss = loss, terms = if (!is.null(terms)) as.list(terms),
                      start = if (is_text(start)) start else if (!is.null(start)) lapply(start, as_array, "start"),
                      scale = scale, transpose = transpose, precision = match.arg(precision),
                      labels_rule = labels_rule, clusters = clusters, restarts = restarts,
                      threads = threads, memory = memory, verbose = verbose, device = device, starts = starts,
                      mask = if (!is.null(mask)) as_array(mask, "mask"),
                      sample_weights = as_weights(sample_weights), feature_weights = as_weights(feature_weights),
                      fixed_parts = if (!is.null(fixed_parts)) as_array(fixed_parts, "fixed_parts")))
    finish <- function(result) finish_fit(result, x, transpose, call)
    finish(call_library(.Call(C_fit, x, method, as_ranks(k), options, cluster), finish))
}

# Several ranks are a text, of which a survey finds one.
as_ranks <- function(k) {
    if (is.numeric(k) && length(k) > 1) paste(k, collapse = ",") else k
}

# A matrix of one column, also of a single weight.
as_weights <- function(weights) {
    if (!is.null(weights)) matrix(as.double(weights))
}

orthant_consensus <- function(x, k, method = "nmf", ..., repeats = 100, threshold = 0.5, neighbourhood = 0.3) {
    call <- match.call()
    fit <- orthant_nmf(x, k, method, ..., consensus = repeats, consensus_threshold = threshold,
                       consensus_neighbourhood = neighbourhood)
    fit$call <- call
    fit
}

# A parameter is a number or a text; pooling and similarity may be matrices.
as_option <- function(value) {
    if (is.matrix(value) || is.data.frame(value) || is(value, "Matrix")) as_array(value, "a parameter") else value
}

# Names of samples and features go over to the factors.
finish_fit <- function(result, x, transpose, call) {
    sizes <- if (transpose) rev(dim(x)) else dim(x)
    names <- if (transpose) rev(dimnames(x)) else dimnames(x)
    factors <- lapply(result$factors, function(f) {
        rows <- if (nrow(f) == sizes[1]) names[[1]] else if (nrow(f) == sizes[2]) names[[2]]
        if (!is.null(rows)) `dimnames<-`(f, list(rows, NULL)) else f
    })
    if (!is.null(names[[1]]) && !is.null(result$cluster))
        names(result$cluster) <- names[[1]]
    result$history <- as.data.frame(result$history, check.names = FALSE)
    for (table in if (!is.null(result$consensus)) c("parts", "members"))
        result$consensus[[table]] <- as.data.frame(result$consensus[[table]])
    result$factors <- NULL
    structure(c(factors, result, list(factors = names(factors), samples = sizes[1], features = sizes[2], call = call)),
              class = "orthant")
}

print.orthant <- function(x, ...) {
    cat(x$method, ": ", x$k, " parts of ", x$samples, " samples with ", x$features, " features\n", sep = "")
    ending <- if (x$converged) "converged" else if (x$stopped) "stopped" else "not converged"
    cat(x$iterations, " iterations, objective ", format(x$objective), ", ",
        if (!is.nan(x$relative_error)) paste0("relative error ", format(x$relative_error, digits = 4), ", "), ending,
        "\n", sep = "")
    cat("factors: ", paste0(x$factors, " (", vapply(x[x$factors], function(f) paste(dim(f), collapse = " x "), ""), ")",
                            collapse = ", "), "\n", sep = "")
    invisible(x)
}

summary.orthant <- function(object, ...) {
    structure(list(fit = object, sizes = if (!is.null(object$cluster)) table(object$cluster, dnn = NULL),
                   objective = range(object$history$objective)),
              class = "summary.orthant")
}

print.summary.orthant <- function(x, ...) {
    print(x$fit)
    cat("objective from ", format(x$objective[2]), " to ", format(x$objective[1]), " in ", format(x$fit$seconds),
        " s\n", sep = "")
    if (!is.null(x$sizes)) {
        cat("clusters (", x$fit$labels_rule, "):\n", sep = "")
        print(x$sizes)
    }
    cat("parameters: ", paste(names(x$fit$parameters), unlist(x$fit$parameters), sep = " = ", collapse = ", "), "\n",
        sep = "")
    for (reason in x$fit$rank_reasons)
        cat("k: ", reason, "\n", sep = "")
    for (note in x$fit$notes)
        cat("note: ", note, "\n", sep = "")
    invisible(x)
}

plot.orthant <- function(x, which = c("objective", "basis", "clusters"), size = NULL, order = c("row", "column"), ...) {
    switch(match.arg(which),
           objective = plot(x$history$iteration, x$history$objective, type = "l", log = "y", xlab = "iteration",
                            ylab = "objective", main = x$method, ...),
           basis = plot_basis(x, size, match.arg(order), ...),
           clusters = {
               if (is.null(x$cluster))
                   stop("the fit has no clusters: fit it with cluster = TRUE", call. = FALSE)
               barplot(table(x$cluster), xlab = "cluster", ylab = "samples", main = x$method, ...)
           })
    invisible(x)
}

# The parts as pictures of size[1] x size[2] pixels, listed row by row or column by column.
plot_basis <- function(x, size, order, ...) {
    if (is.null(x$basis))
        stop("'", x$method, "' has no basis", call. = FALSE)
    if (length(size) != 2 || prod(size) != x$features)
        stop("size: expected the height and the width of pictures of ", x$features, " pixels", call. = FALSE)
    columns <- ceiling(sqrt(x$k))
    old <- par(mfrow = c(ceiling(x$k / columns), columns), mar = rep(0.3, 4))
    on.exit(par(old))
    for (j in seq_len(x$k)) {
        picture <- part_picture(x$basis[, j], size, order)
        image(picture[, rev(seq_len(size[1])), drop = FALSE], axes = FALSE, col = gray.colors(64, 0, 1), ...)
    }
}

# Column i of the matrix is the row i of the picture, as image() draws it.
part_picture <- function(part, size, order) {
    if (order == "row") matrix(part, size[2], size[1]) else t(matrix(part, size[1], size[2]))
}

predict.orthant <- function(object, newdata, type = c("encoding", "cluster"), iterations = 500, tolerance = 1e-10,
                            transpose = FALSE, threads = 0, mask = NULL, sample_weights = NULL, ...) {
    type <- match.arg(type)
    if (missing(newdata))
        return(if (type == "encoding") object$encoding else object$cluster)
    x <- as_array(newdata, "newdata")
    check_names(object, if (transpose) rownames(x) else colnames(x))
    options <- list(scale = object$scale, transpose = transpose, precision = "double", threads = threads)
    if (type == "cluster" && object$method == "kmeans")
        return(call_library(.Call(C_nearest, x, object$basis, options, object$scale_statistics)))
    if (is.null(object$basis))
        stop("'", object$method, "' has no basis for new samples", call. = FALSE)
    codes <- if (is.null(object$parameters$loss))
        call_library(.Call(C_transform, x, object$basis, "frobenius", iterations, tolerance, options,
                           object$scale_statistics))
    else
        encode(object, x, iterations, tolerance, options, list(mask = mask, sample_weights = sample_weights))
    rownames(codes) <- if (transpose) colnames(x) else rownames(x)
    if (type == "encoding") codes else predict_cluster(object, codes)
}

# Features in another order, or others, would be encoded without a word.
check_names <- function(object, names) {
    own <- rownames(object$basis)
    if (is.null(names) || is.null(own) || length(names) != length(own) || identical(names, own))
        return(invisible())
    at <- which(names != own)[1]
    stop("newdata: feature ", at, " is '", names[at], "', and '", own[at], "' in the fit: ",
         if (setequal(names, own)) "the features are the same in another order; bring them to that of the fit"
         else "new samples need the features of the fit, in its order; data without names are taken as they are",
         call. = FALSE)
}

# What the fit minimised for each of its samples: loss, weights, and the terms that act on one.
encode <- function(object, x, iterations, tolerance, options, weights) {
    weights <- c(weights, list(feature_weights = object$feature_weights, pooling = object$pooling))
    weights <- lapply(weights, function(w) if (is.null(w)) NULL else as_array(if (is.null(dim(w))) t(w) else w, "weights"))
    model <- list(object$method, object$k, list(terms = object$terms), object$parameters, weights)
    call_library(.Call(C_encode, x, model, list(object$basis, object$encoding, object$training), iterations, tolerance,
                       options, object$scale_statistics))
}

# Encodings times basis: of the fit, or of other encodings.
fitted.orthant <- function(object, encoding = object$encoding, ...) {
    if (is.null(object$basis) || is.null(encoding))
        stop("'", object$method, "' has no basis and encoding", call. = FALSE)
    encoding %*% t(object$basis)
}

orthant_complete <- function(object, x, mask = NULL) {
    given <- object$parameters$missing
    if (is.null(given)) given <- "none"
    if (given == "none" && is.null(mask))
        stop("nothing says which entries are missing: fit with missing = \"nan\" or \"zeros\", or give a mask",
             call. = FALSE)
    if (object$scale != "none")
        stop("the samples of the fit were scaled (\"", object$scale, "\")", call. = FALSE)
    full <- as.matrix(x)
    known <- if (is.null(mask)) matrix(TRUE, nrow(full), ncol(full)) else as.matrix(mask) > 0
    known <- known & (if (given == "zeros") stored(x) else !is.na(full))
    fit <- fitted(object, predict(object, x, mask = mask))
    full[!known] <- fit[!known]
    full
}

# Which entries a sparse matrix stores: a zero among them is known.
stored <- function(x) {
    if (is(x, "sparseMatrix")) as.matrix(as(x, "nMatrix")) else as.matrix(x) != 0
}

orthant_entries <- function(object, rows, columns) {
    if (is.null(object$basis) || is.null(object$encoding))
        stop("'", object$method, "' has no basis and encoding", call. = FALSE)
    if (length(rows) != length(columns))
        stop(length(rows), " rows and ", length(columns), " columns", call. = FALSE)
    check <- function(places, most, what) {
        wrong <- which(!(places >= 1 & places <= most & places == floor(places)) | is.na(places))
        if (length(wrong))
            stop("there is no ", what, " ", places[wrong[1]], "; expected 1 to ", most, call. = FALSE)
    }
    check(rows, nrow(object$encoding), "row")
    check(columns, nrow(object$basis), "column")
    unname(rowSums(object$encoding[rows, , drop = FALSE] * object$basis[columns, , drop = FALSE]))
}

# The largest entry of a code, or the cluster with the nearest mean code. The library counts clusters from 0.
predict_cluster <- function(object, codes) {
    clusters <- if (!is.null(object$cluster)) as.double(object$cluster) - 1
    call_library(.Call(C_predict, codes, object$encoding, clusters, object$labels_rule, object$labels_scale))
}
