/* Named parameters with ranges and defaults: the same names in the library, on the command line and
 * in bindings. */
#ifndef CORE_PARAMETER_H
#define CORE_PARAMETER_H

#include "core/context.h"
#include "orthant/method.h"

/* Rows of the tables that methods and terms give; PARAMETER_END is the last of each. */
#define PARAMETER_NUMBER(name, standard, least, most, help)                            \
    {                                                                                  \
        sizeof(orthant_parameter_info), name, help, NULL, standard, least, most, false \
    }
#define PARAMETER_WHOLE(name, standard, least, most, help)                            \
    {                                                                                 \
        sizeof(orthant_parameter_info), name, help, NULL, standard, least, most, true \
    }
/* The default of a number that the fit may choose: its number is NaN then. */
#define PARAMETER_AUTO "auto"
#define PARAMETER_WORD(name, standard, choices, help)                              \
    {                                                                              \
        sizeof(orthant_parameter_info), name, help, choices, standard, 0, 0, false \
    }
#define PARAMETER_END                                                       \
    {                                                                       \
        sizeof(orthant_parameter_info), NULL, NULL, NULL, NULL, 0, 0, false \
    }

#define PARAMETER_MOST 48
#define PARAMETER_TEXT 64

typedef struct parameter_set {
    int count;
    const orthant_parameter_info *info[PARAMETER_MOST];
    char text[PARAMETER_MOST][PARAMETER_TEXT];
    double number[PARAMETER_MOST];
    bool given[PARAMETER_MOST]; /* by the user */
} parameter_set;

/* Rows before PARAMETER_END; none where there is no table. */
int parameter_count(const orthant_parameter_info *rows);
/* Adds the rows of a table, or of none, that are not there yet, at their defaults. */
orthant_status parameter_add(orthant_context *ctx, parameter_set *set,
                             const orthant_parameter_info *rows);
/* `owner` ("method 'gnmf'") stands in the message. */
orthant_status parameter_assign(orthant_context *ctx, parameter_set *set, const char *owner,
                                const char *name, const char *value);
bool parameter_has(const parameter_set *set, const char *name);
/* Whether the value is the user's, not a default; parameter_mark_given says so. */
bool parameter_given(const parameter_set *set, const char *name);
void parameter_mark_given(parameter_set *set, const char *name);
/* The value in force; 0 or "" where there is no such parameter. */
double parameter_number(const parameter_set *set, const char *name);
int64_t parameter_whole(const parameter_set *set, const char *name);
const char *parameter_text(const parameter_set *set, const char *name);

#endif
