/* What most tests start from: a context in double precision, as *state, that must hold no memory at
 * the test's end. */
#ifndef SUPPORT_FIXTURE_H
#define SUPPORT_FIXTURE_H

#include "expect.h"
#include "files.h"
#include "orthant/graph.h"

/* Whether a sanitizer's allocator is in use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

int fixture_make(void **state);
int fixture_clear(void **state);

#define fixture_test(function) \
    cmocka_unit_test_setup_teardown(function, fixture_make, fixture_clear)

/* The same with files read in a confined child process. */
int fixture_make_confined(void **state);
#define confined_test(function) \
    cmocka_unit_test_setup_teardown(function, fixture_make_confined, fixture_clear)

/* A file that is part of the source: fixture_path("tests/data/fixtures/csr.npz"); good until the
 * eighth call after it. */
const char *fixture_path(const char *name);

/* Samples in a ring, each joined to the `neighbours` before and after it: a graph that takes no
 * search. */
orthant_graph *ring_graph(orthant_context *ctx, int64_t n, int64_t neighbours);

#endif
