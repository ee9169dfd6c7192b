/* --help and the words for completion, from the tables of options.c and subcommands.c. */
#include <string.h>

#include "command.h"

#define WIDTH 79
#define INDENT 26

void print_wrapped(FILE *out, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const option *o)
{
    char head[64];
    snprintf(head, sizeof head, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->value ? " " : "",
             o->value ? o->value : "");
    if (strlen(head) >= INDENT - 1)
        fprintf(out, "%s\n%*s", head, INDENT, "");
    else
        fprintf(out, "%-*s", INDENT, head);
    print_wrapped(out, o->help, INDENT);
}

/* Each line of `text` with `indent` before it. */
static void print_lines(FILE *out, const char *indent, const char *text)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", indent, length, text);
        text += length + (text[length] == '\n');
    }
}

void help_print(FILE *out, const subcommand *command)
{
    fputs("Usage:\n", out);
    print_lines(out, "  orthant ", command->usage);
    fputc('\n', out);
    print_wrapped(out, command->description, 0);
    fputs("\nOptions:\n", out);
    for (const option_id *id = command->options; *id != OPTION_NONE; id++)
        print_option(out, option_describe(*id));
    print_option(out, option_describe(OPTION_HELP));
    fputs("\nExamples:\n", out);
    print_lines(out, "  ", command->examples);
}

void help_print_all(FILE *out)
{
    fputs("Orthant: nonnegative matrix factorisation for clustering and segmentation.\n\nUsage:\n"
          "  orthant SUBCOMMAND [ARGUMENTS] [OPTIONS]\n\nSubcommands:\n",
          out);
    for (int i = 0; i < subcommand_count; i++)
        fprintf(out, "  %-12s %s\n", subcommands[i]->name, subcommands[i]->title);
    fputs(
        "\nOptions:\n"
        "  -h, --help   this text; `orthant help SUBCOMMAND` tells more\n"
        "      --version\n"
        "               the version\n"
        "\nExamples:\n"
        "  orthant cluster faces.mat -m gnmf -k 40\n"
        "  orthant methods gnmf\n"
        "\nExit status: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C,\n143 by SIGTERM.\n",
        out);
}

/* ---- completion -------------------------------------------------------------------------------
 */

static void print_methods(void)
{
    orthant_method_info method = {.size = sizeof method};
    for (int i = 0; i < orthant_method_count(); i++)
        if (!orthant_method_info_at(i, &method))
            puts(method.name);
}

static void print_choices(const char *choices)
{
    while (*choices) {
        const int length = (int)strcspn(choices, "|");
        printf("%.*s\n", length, choices);
        choices += length + (choices[length] == '|');
    }
}

static void print_option_words(const subcommand *command)
{
    for (const option_id *id = command->options; *id != OPTION_NONE; id++)
        printf("--%s\n", option_describe(*id)->name);
    puts("--help");
}

/* What can stand as the value of the option that was typed last. */
static void print_values(const subcommand *command, const char *typed)
{
    const option *o = NULL;
    for (const option_id *id = command->options; *id != OPTION_NONE; id++) {
        const option *candidate = option_describe(*id);
        if ((!strncmp(typed, "--", 2) && !strcmp(typed + 2, candidate->name)) ||
            (candidate->letter && typed[0] == '-' && typed[1] == candidate->letter && !typed[2]))
            o = candidate;
    }
    if (!o || !o->value)
        return;
    if (o->id == OPTION_METHOD)
        print_methods();
    else if (o->id == OPTION_INIT)
        print_choices("random|uniform|nndsvd|nndsvda|nndsvdar|kmeans");
    else if (o->id == OPTION_LABELS_RULE)
        print_choices("kmeans|kmeans-unit|argmax|snmf|wnmf|best-of");
    else if (o->id == OPTION_SOLVER)
        print_choices("mu");
    else if (o->id == OPTION_DEVICE)
        print_choices("cpu|cuda");
    else if (o->id == OPTION_BANK)
        print_choices("texture|demo|a|b");
    else if (o->id == OPTION_DRAW)
        print_choices("overlay|boundaries|graph");
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
            print_values(command, words[1]);
        } else {
            print_option_words(command);
            if (!strcmp(command->name, "methods"))
                print_methods();
        }
    }
    return finish_output();
}
