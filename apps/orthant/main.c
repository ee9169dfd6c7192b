/* orthant SUBCOMMAND ...: finds the subcommand, reads its options, runs it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "data.h"

static const subcommand *find_subcommand(const char *name)
{
    for (int i = 0; i < subcommand_count; i++)
        if (!strcmp(subcommands[i]->name, name))
            return subcommands[i];
    return NULL;
}

static int unknown_subcommand(const char *name)
{
    const char *names[32];
    char near[96];
    int count = 0;
    for (; count < subcommand_count; count++)
        names[count] = subcommands[count]->name;
    names[count++] = "help";
    suggestion(name, names, count, near, sizeof near);
    return usage_error("no subcommand '%s'%s", name, *near ? near : "; see orthant --help");
}

static int help(int count, char **words)
{
    const subcommand *command = count ? find_subcommand(words[0]) : NULL;
    if (count && !command)
        return unknown_subcommand(words[0]);
    if (command)
        help_print(stdout, command, false);
    else
        help_print_all(stdout);
    return finish_output();
}

/* The command as it can be pasted into a shell again; NULL when there is no memory. */
static char *quote_line(int count, char **words)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++)
        bytes += 4 * strlen(words[i]) + 3;
    char *line = malloc(bytes), *at = line;
    for (int i = 0; line && i < count; i++) {
        const char *word = words[i];
        const bool plain =
            *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-+=./:,%@") == strlen(word);
        if (i)
            *at++ = ' ';
        if (!plain)
            *at++ = '\'';
        for (; *word; word++) {
            if (*word == '\'') {
                memcpy(at, "'\\'", 3);
                at += 3;
            }
            *at++ = *word;
        }
        if (!plain)
            *at++ = '\'';
    }
    if (line)
        *at = '\0';
    return line;
}

static int run_subcommand(const subcommand *command, int count, char **words)
{
    arguments given = {0};
    char *line = quote_line(count, words);
    given.option = calloc((size_t)count, sizeof *given.option);
    given.word = calloc((size_t)count, sizeof *given.word);
    given.line = line;
    const bool made = line && given.option && given.word;
    int exit_status = EXIT_FAILED;
    if (!made)
        usage_error("out of memory");
    else
        exit_status = options_parse(command, count - 2, words + 2, &given);
    if (made && !exit_status) {
        const bool all = option_given(&given, OPTION_HELP_ALL);
        if (all || option_given(&given, OPTION_HELP)) {
            help_print(stdout, command, all);
            exit_status = finish_output();
        } else if (processes_started() > 1 && !command->shares) {
            exit_status = usage_error("%s: several processes would all do the same: leave mpirun "
                                      "out (fit and cluster share the samples)",
                                      command->name);
        } else {
            interrupt_begin();
            exit_status = data_take_standard_input(&given);
            if (!exit_status)
                exit_status = command->run(&given);
            /* `view` serves until Ctrl-C: that is its end. */
            if (command != &view_command)
                exit_status = interrupt_finish(exit_status);
        }
    }
    free(given.option);
    free(given.word);
    free(line);
    return exit_status;
}

/* Without memory for its threads' buffers OpenBLAS would wait for ever: the command begins again
 * with one thread of it. */
static void begin_again(char **words)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || setenv("OPENBLAS_NUM_THREADS", "1", 1))
        return;
    program[length] = '\0';
    execv(program, words);
}

int main(int count, char **words)
{
    if (orthant_program_begin())
        begin_again(words);
    /* A file that reaches the limit on files (ulimit -f) is an error like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    if (count < 2) {
        help_print_all(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(words[1], "--version")) {
        printf("orthant %s\n", orthant_version());
        return finish_output();
    }
    if (!strcmp(words[1], "help") || !strcmp(words[1], "--help") || !strcmp(words[1], "-h"))
        return help(count - 2, words + 2);
    if (!strcmp(words[1], "--complete"))
        return complete_print(count - 2, words + 2);
    const subcommand *command = find_subcommand(words[1]);
    return command ? run_subcommand(command, count, words) : unknown_subcommand(words[1]);
}
