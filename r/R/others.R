orthant_graph <- function(x, neighbours = 5, weights = c("binary", "heat", "cosine"), heat_width = 0,
                          search = c("auto", "exact", "approximate"), labels = NULL, transpose = FALSE, threads = 0,
                          verbose = FALSE, missing = c("none", "nan", "zeros")) {
    options <- list(transpose = transpose, threads = threads, verbose = verbose)
    as_sparse(call_library(.Call(C_graph, as_array(x), neighbours, match.arg(weights), heat_width, match.arg(search),
                                 if (!is.null(labels)) as_labels(labels), options, match.arg(missing))))
}

orthant_scores <- function(found, truth) {
    unlist(call_library(.Call(C_scores, as_labels(found), as_labels(truth))))
}

orthant_silhouette <- function(points, labels, transpose = FALSE, threads = 0) {
    options <- list(transpose = transpose, threads = threads)
    unlist(call_library(.Call(C_silhouette, as_array(points, "points"), as_labels(labels), options)))
}

orthant_ranks <- function(x, ranks = NULL, method = "nmf", repeats = 20, criteria = NULL, ..., folder = NULL,
                          scale = "none", transpose = FALSE, precision = c("double", "single"), threads = 0,
                          verbose = FALSE) {
    settings <- c(list(method = method, repeats = repeats, scale = scale, transpose = transpose,
                       precision = match.arg(precision), threads = threads, verbose = verbose,
                       rank = if (!is.null(ranks)) paste(ranks, collapse = ","),
                       criteria = if (!is.null(criteria)) paste(criteria, collapse = ",")), list(...))
    survey <- call_library(.Call(C_ranks, as_array(x), settings, if (!is.null(folder)) path.expand(folder)))
    survey$table <- as.data.frame(survey$table)
    survey
}

orthant_words <- function(path, stop_words = NULL, min_count = NULL, min_documents = NULL, max_words = NULL) {
    options <- list(stop_words = stop_words, min_count = min_count, min_documents = min_documents,
                    max_words = max_words)
    counted <- call_library(.Call(C_words, path.expand(path), options))
    counted["x"] <- list(as_sparse(counted$x))
    colnames(counted$x) <- counted$words
    counted
}

orthant_read <- function(path, variable = NULL, truth = NULL, transpose = FALSE, height = NULL, width = NULL,
                         color = FALSE, id_column = NULL, drop = NULL, missing = FALSE) {
    options <- list(variable = variable, truth = truth, transpose = transpose, height = height, width = width,
                    color = color, id_column = id_column, drop = if (!is.null(drop)) paste(drop, collapse = ","),
                    missing = missing)
    read <- call_library(.Call(C_read, path.expand(path), options))
    x <- as_sparse(read$x)
    if (!is.null(read$samples) || !is.null(read$features))
        dimnames(x) <- list(read$samples, read$features)
    list(x = x, truth = read$truth, classes = read$classes, picture = read$picture)
}

orthant_methods <- function() {
    as.data.frame(.Call(C_methods))
}

orthant_parameters <- function(method) {
    table <- as.data.frame(call_library(.Call(C_parameters, method)))
    for (column in c("minimum", "maximum"))
        table[[column]] <- as.numeric(ifelse(table[[column]] == "", NA, table[[column]]))
    table
}

orthant_version <- function() {
    unlist(.Call(C_version))
}

orthant_partial <- function(x, k, before = NULL, method = "nmf", ...) {
    carried <- c("basis", "numerators", "denominators")
    if (!is.null(before) && !all(carried %in% names(before)))
        stop("before: expected what orthant_partial gave for the piece before, found no ",
             setdiff(carried, names(before))[1], call. = FALSE)
    orthant_nmf(x, k, method, ..., partial = "yes", cluster = FALSE,
                start = if (!is.null(before)) unclass(before)[carried])
}
