/* The golden cases of the methods on a similarity: X.csv is the n x n matrix itself. */
#ifndef SUPPORT_SIMILARITY_CASES_H
#define SUPPORT_SIMILARITY_CASES_H

#include <stdbool.h>

#define SIMILARITY_FACTORS 3

typedef struct similarity_case {
    const char *name, *method;
    const char *parameters[2][2];
    struct {
        const char *name, *letter;
        bool transposed; /* the file holds k x n */
    } factors[SIMILARITY_FACTORS];
    bool objective_only; /* factors hang on the floor of a division */
} similarity_case;

#define RMND_FACTORS                                            \
    {                                                           \
        {"relation", "A", false}, {"distribution", "M", false}, \
        {                                                       \
            "encoding", "H", true                               \
        }                                                       \
    }

static const similarity_case similarity_cases[] = {
    {.name = "pos_snmf_full",
     .method = "snmf",
     .parameters = {{"rule", "half"}},
     .factors = {{"encoding", "A", false}}},
    {.name = "pos_snmf_knn",
     .method = "snmf",
     .parameters = {{"rule", "half"}},
     .factors = {{"encoding", "A", false}}},
    {.name = "pos_wnmf_full",
     .method = "wnmf",
     .factors = {{"encoding", "A", false}, {"core", "S", false}}},
    {.name = "pos_wnmf_knn",
     .method = "wnmf",
     .factors = {{"encoding", "A", false}, {"core", "S", false}},
     .objective_only = true},
    {.name = "pos_rmnd_full",
     .method = "rmnd",
     .parameters = {{"step", "paper"}, {"inner_steps", "1"}},
     .factors = RMND_FACTORS},
    {.name = "pos_rmnd_knn",
     .method = "rmnd",
     .parameters = {{"step", "paper"}, {"inner_steps", "1"}},
     .factors = RMND_FACTORS},
    {.name = "pos_rmnd_plus", .method = "rmnd+", .factors = RMND_FACTORS},
};

#endif
