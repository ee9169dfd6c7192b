orthant_graph <- function(x, neighbours = 5, weights = c("binary", "heat", "cosine"), heat_width = 0,
                          search = c("auto", "exact", "approximate"), labels = NULL, transpose = FALSE, threads = 0,
                          verbose = FALSE) {
    options <- list(transpose = transpose, threads = threads, verbose = verbose)
    as_sparse(call_library(.Call(C_graph, as_array(x), neighbours, match.arg(weights), heat_width, match.arg(search),
                                 if (!is.null(labels)) as_labels(labels), options)))
}

orthant_scores <- function(found, truth) {
    unlist(call_library(.Call(C_scores, as_labels(found), as_labels(truth))))
}

orthant_read <- function(path, variable = NULL, truth = NULL, transpose = FALSE, height = NULL, width = NULL,
                         color = FALSE) {
    options <- list(variable = variable, truth = truth, transpose = transpose, height = height, width = width,
                    color = color)
    read <- call_library(.Call(C_read, path.expand(path), options))
    read["x"] <- list(as_sparse(read$x))
    read
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
