/* The words that can follow on a command line, for the shell's completion: from the tables of
 * options, methods, terms and papers, so that they are always the command's own. */
#include <string.h>

#include "command.h"

static void print_list(const char *list, const char *between)
{
    while (*list) {
        const int length = (int)strcspn(list, between);
        printf("%.*s\n", length, list);
        list += length + (list[length] == *between);
    }
}

static void print_choices(const char *choices)
{
    print_list(choices, "|");
}

/* segment takes a few methods of its own. */
static void print_methods(const subcommand *command)
{
    orthant_method_info method = {.size = sizeof method};
    if (!strcmp(command->name, "segment")) {
        print_choices("grpnmf|grpnmf+|gnmf|nmf|kmeans|fseg|convex-nmf|onmf");
        return;
    }
    for (int i = 0; i < orthant_method_count(); i++)
        if (!orthant_method_info_at(i, &method))
            puts(method.name);
}

static void print_papers(void)
{
    orthant_paper_info paper = {.size = sizeof paper};
    for (int i = 0; i < orthant_paper_count(); i++)
        if (!orthant_paper_at(i, &paper))
            puts(paper.name);
}

/* Of the paper that stands on the line. */
static void print_tables(int count, char **line)
{
    orthant_paper_info paper = {.size = sizeof paper};
    for (int i = 0; i < orthant_paper_count(); i++)
        for (int j = 0; j < count && !orthant_paper_at(i, &paper); j++)
            if (!strcmp(line[j], paper.name))
                print_list(paper.tables, ",");
}

static void print_option_words(const subcommand *command)
{
    for (const option_id *id = command->options; *id != OPTION_NONE; id++)
        printf("--%s\n", option_describe(*id)->name);
    print_choices("--help|--help-all");
}

static const option *find_option(const subcommand *command, const char *typed)
{
    for (const option_id *id = command->options; *id != OPTION_NONE; id++) {
        const option *o = option_describe(*id);
        if ((!strncmp(typed, "--", 2) && !strcmp(typed + 2, o->name)) ||
            (o->letter && typed[0] == '-' && typed[1] == o->letter && !typed[2]))
            return o;
    }
    return NULL;
}

/* The method that stands on the line so far. */
static const char *typed_method(const subcommand *command, int count, char **line)
{
    for (int i = 0; i + 1 < count; i++)
        if (!strcmp(line[i], "-m") || !strcmp(line[i], "--method"))
            return line[i + 1];
    return !strcmp(command->name, "segment") ? "grpnmf" : "nmf";
}

static bool find_own(const char *method, const char *name, orthant_parameter_info *found)
{
    for (int i = 0; !orthant_method_parameter(method, i, found); i++)
        if (!strcmp(found->name, name))
            return true;
    return false;
}

static bool find_parameter(const char *method, const char *name, orthant_parameter_info *found)
{
    if (find_own(method, name, found))
        return true;
    for (int i = 0; !orthant_common_parameter(i, found); i++)
        if (!strcmp(found->name, name))
            return true;
    return false;
}

/* Behind -p: the names of a method's parameters; behind -p NAME=: its values. */
static void print_parameters(const char *method, const char *name)
{
    orthant_parameter_info info = {.size = sizeof info}, own = {.size = sizeof own};
    if (*name) {
        if (find_parameter(method, name, &info) && info.choices)
            print_choices(info.choices);
        return;
    }
    for (int i = 0; !orthant_method_parameter(method, i, &info); i++)
        printf("%s=\n", info.name);
    for (int i = 0; !orthant_common_parameter(i, &info); i++)
        if (!find_own(method, info.name, &own))
            printf("%s=\n", info.name);
}

static void print_solvers(void)
{
    orthant_parameter_info info = {.size = sizeof info};
    if (find_parameter("nmf", "solver", &info) && info.choices)
        print_choices(info.choices);
}

/* What can stand as the value of the option that was typed last; "-p NAME=" for a parameter. */
static void print_values(const subcommand *command, char *typed, int count, char **line)
{
    char *space = strchr(typed, ' '), *name = space ? space + 1 : typed + strlen(typed);
    if (space)
        *space = '\0';
    name[strcspn(name, "=")] = '\0';
    const option *o = find_option(command, typed);
    if (!o || !o->value)
        return;
    if (o->id == OPTION_METHOD || o->id == OPTION_METHODS)
        print_methods(command);
    else if (o->id == OPTION_PARAMETER)
        print_parameters(typed_method(command, count, line), name);
    else if (o->id == OPTION_TABLES)
        print_tables(count, line);
    else if (o->id == OPTION_SOLVER)
        print_solvers();
    else if (o->id == OPTION_INIT)
        print_choices(!strcmp(command->name, "segment")
                          ? "kmeans|random"
                          : "random|uniform|nndsvd|nndsvda|nndsvdar|kmeans");
    else if (o->id == OPTION_LABELS_RULE)
        print_choices(
            "kmeans|kmeans-scaled|kmeans-unit|argmax|argmax-scaled|snmf|wnmf|best-of|consensus");
    else if (o->id == OPTION_DEVICE)
        print_choices("cpu|cuda");
    else if (o->id == OPTION_BANK)
        print_choices("texture|demo|a|b");
    else if (o->id == OPTION_DRAW)
        print_choices("overlay|boundaries|graph");
    else if (o->id == OPTION_CRITERIA)
        print_choices("blocks|speckled|starts|perturbed|permuted");
    else if (o->id == OPTION_FEATURES)
        print_choices("lab|rgb|gabor|space|histogram|color|normals");
    else if (o->id == OPTION_TERM)
        for (int i = 0; i < orthant_term_count(); i++)
            printf("%s=\n", orthant_term_name(i));
    else if (o->choices)
        print_choices(o->choices);
}

int complete_print(int count, char **words)
{
    if (!count) {
        for (int i = 0; i < subcommand_count; i++)
            puts(subcommands[i]->name);
        print_choices("help|--help|--version");
    }
    for (int i = 0; count && i < subcommand_count; i++) {
        const subcommand *command = subcommands[i];
        if (strcmp(words[0], command->name))
            continue;
        if (count > 1) {
            print_values(command, words[1], count - 2, words + 2);
        } else {
            print_option_words(command);
            if (!strcmp(command->name, "methods"))
                print_methods(command);
            if (!strcmp(command->name, "reproduce"))
                print_papers();
        }
    }
    return finish_output();
}
