/* orthant methods: the table of methods as text or JSON. */
#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void write_parameter(json_printer *json, const orthant_parameter_info *parameter)
{
    json_begin_object(json, NULL);
    json_put_text(json, "name", parameter->name);
    if (parameter->choices)
        json_put_text(json, "default", parameter->default_text);
    else
        json_put_number_or_text(json, "default", parameter->default_text);
    if (parameter->choices) {
        json_put_text(json, "minimum", NULL);
        json_put_text(json, "maximum", NULL);
        json_put_list(json, "choices", parameter->choices, '|');
    } else {
        json_put_number(json, "minimum", parameter->minimum);
        json_put_number(json, "maximum", parameter->maximum);
        json_put_truth(json, "whole", parameter->whole);
    }
    json_put_text(json, "help", parameter->help);
    json_end(json);
}

static void write_method(json_printer *json, const orthant_method_info *method)
{
    orthant_parameter_info parameter = {.size = sizeof parameter};
    json_begin_object(json, NULL);
    json_put_text(json, "name", method->name);
    json_put_text(json, "title", method->title);
    json_put_text(json, "family", method->family);
    json_put_text(json, "loss", method->loss);
    json_put_list(json, "terms", method->terms, ',');
    json_put_list(json, "needs", method->needs, ',');
    json_begin_array(json, "parameters");
    for (int i = 0; !orthant_method_parameter(method->name, i, &parameter); i++)
        write_parameter(json, &parameter);
    json_end(json);
    json_put_list(json, "factors", method->factors, ',');
    json_put_text(json, "labels", method->labels);
    json_put_list(json, "promises", method->promises, ',');
    json_put_list(json, "runs_on", method->on_device ? "cpu,device" : "cpu", ',');
    json_put_text(json, "reference", method->reference);
    json_end(json);
}

static void write_all(void)
{
    orthant_method_info method = {.size = sizeof method};
    json_printer json = {.file = stdout};
    json_begin_array(&json, NULL);
    for (int i = 0; i < orthant_method_count(); i++)
        if (!orthant_method_info_at(i, &method))
            write_method(&json, &method);
    json_end(&json);
}

#define HELP_COLUMN 30

/* ---- text -------------------------------------------------------------------------------------
 */

static void print_titled(const char *name, int width, const char *title)
{
    printf("  %-*s ", width, name);
    print_wrapped(stdout, title, width + 3);
}

static void print_all(void)
{
    orthant_method_info method = {.size = sizeof method};
    puts("Methods (orthant methods NAME tells more):");
    for (int i = 0; i < orthant_method_count(); i++)
        if (!orthant_method_info_at(i, &method))
            print_titled(method.name, 12, method.title);
    puts("\nTerms that can be added to a loss (--term NAME=WEIGHT):");
    for (int i = 0; i < orthant_term_count(); i++)
        print_titled(orthant_term_name(i), 16, orthant_term_title(i));
}

static void print_parameter(const orthant_parameter_info *parameter)
{
    char range[96], least[32], most[32];
    format_double(parameter->minimum, least);
    format_double(parameter->maximum, most);
    if (!parameter->choices)
        snprintf(range, sizeof range, "%s to %s", least, most);
    else
        snprintf(range, sizeof range, "%s", *parameter->choices ? parameter->choices : "text");
    printf("  %-16s %-10s %s\n", parameter->name, parameter->default_text, range);
    printf("%*s", HELP_COLUMN, "");
    print_wrapped(stdout, parameter->help, HELP_COLUMN);
}

static void print_field(const char *name, const char *value)
{
    if (value && *value)
        printf("%-10s %s\n", name, value);
}

static void print_method(const orthant_method_info *method)
{
    orthant_parameter_info parameter = {.size = sizeof parameter};
    printf("%s: %s\n\n%s\n\n", method->name, method->title, method->description);
    print_field("loss", method->loss);
    print_field("terms", method->terms);
    print_field("needs", method->needs);
    print_field("factors", method->factors);
    print_field("labels", method->labels);
    print_field("promises", method->promises);
    print_field("data", method->mixed_signs ? "any finite numbers" : "nonnegative");
    print_field("streams", method->streams ? "yes: the data may be larger than memory" : "no");
    print_field("runs on", method->on_device ? "cpu, device (--device)" : "cpu");
    print_field("paper", method->reference);
    puts("\nParameters (-p NAME=VALUE): name, default, range");
    for (int i = 0; !orthant_method_parameter(method->name, i, &parameter); i++)
        print_parameter(&parameter);
}

int run_methods(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_method_info method = {.size = sizeof method};
    talk speech;
    int failed = context_open(given, &speech, &ctx);
    const bool as_json = option_given(given, OPTION_JSON);
    if (!failed && given->count)
        failed = report_failure(ctx, orthant_method_info_by_name(ctx, given->word[0], &method));
    if (!failed) {
        json_printer json = {.file = stdout};
        if (given->count && as_json)
            write_method(&json, &method);
        else if (given->count)
            print_method(&method);
        else if (as_json)
            write_all();
        else
            print_all();
        failed = finish_output();
    }
    orthant_context_free(ctx);
    return failed;
}
