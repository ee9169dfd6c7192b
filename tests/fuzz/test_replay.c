/* Every seed of the fuzzers and everything that once broke a reader (tests/damaged), through every
 * fuzzer. What it finds it tells as the fuzzers do: by abort(), or through the sanitizers. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

typedef int (*fuzzer)(const uint8_t *data, size_t size);

#define FUZZER(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzzers.inc"
#undef FUZZER

static const struct {
    const char *name;
    fuzzer run;
} fuzzers[] = {
#define FUZZER(name) {#name, fuzz_##name},
#include "fuzzers.inc"
#undef FUZZER
};
#define FUZZERS (sizeof fuzzers / sizeof *fuzzers)

static int replayed;

/* The last line tells which input it was, should a fuzzer end the program. */
static void replay(const char *path)
{
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    for (size_t i = 0; i < FUZZERS; i++) {
        printf("%s: %s\n", fuzzers[i].name, path);
        fflush(stdout);
        assert_int_equal(fuzzers[i].run(bytes, size), 0);
    }
    free(bytes);
    replayed++;
}

static void replay_folder(const char *folder)
{
    DIR *open = opendir(folder);
    char path[1024];
    for (struct dirent *entry; open && (entry = readdir(open));) {
        struct stat about;
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(stat(path, &about), 0);
        if (S_ISDIR(about.st_mode))
            replay_folder(path);
        else
            replay(path);
    }
    if (open)
        closedir(open);
}

static void test_damaged(void **state)
{
    (void)state;
    replay_folder(fixture_path("tests/damaged"));
    assert_true(replayed > 0);
}

static void test_fixtures(void **state)
{
    (void)state;
    replayed = 0;
    replay_folder(fixture_path("tests/data/fixtures"));
    assert_true(replayed > 0);
}

static void test_seeds(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUZZERS; i++) {
        char folder[256];
        snprintf(folder, sizeof folder, "fuzz/%s_seed_corpus", fuzzers[i].name);
        replay_folder(fixture_path(folder));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_fixtures),
                                       cmocka_unit_test(test_seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
