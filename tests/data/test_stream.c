/* Packed files, unpacked at once and piece by piece: the same bytes and the same refusals. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "data/matrix.h"
#include "data/stream.h"

enum { BYTES = 200000, HEAD = 16, BUFFER = 4 * BYTES };

typedef struct packing {
    unsigned char plain[HEAD + BYTES], packed[2 * BYTES];
    size_t size; /* packed */
} packing;

/* Bytes that repeat, some of them late. */
static void fill(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i % 7 ? i * i >> 9 : i % 251);
}

/* One member behind what is there; `window`: 31 for gzip, -15 for an archive's. */
static void pack(packing *p, const unsigned char *bytes, size_t count, int window)
{
    z_stream deflater = {0};
    assert_int_equal(deflateInit2(&deflater, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    deflater.next_in = (unsigned char *)(uintptr_t)bytes;
    deflater.avail_in = (unsigned)count;
    deflater.next_out = p->packed + p->size;
    deflater.avail_out = (unsigned)(sizeof p->packed - p->size);
    assert_int_equal(deflate(&deflater, Z_FINISH), Z_STREAM_END);
    p->size = sizeof p->packed - deflater.avail_out;
    deflateEnd(&deflater);
}

static packing *make_packing(int window)
{
    packing *p = calloc(1, sizeof *p);
    assert_non_null(p);
    fill(p->plain, sizeof p->plain);
    if (window)
        pack(p, p->plain, BYTES, window);
    return p;
}

/* Reads HEAD bytes, then says that `expected` more come; whether they were unpacked at once. The
 * rest is read in pieces, and what the last of them says is returned. */
static orthant_status read_pieces(stream *in, int64_t expected, unsigned char *to, int64_t *length,
                                  bool *at_once)
{
    unsigned char *buffer = calloc(BUFFER, 1);
    int64_t got = 0;
    *length = 0;
    orthant_status status = stream_read(in, to, HEAD, length);
    if (!status)
        stream_unpack_ahead(in, expected, buffer, BUFFER);
    *at_once = in->whole != NULL;
    for (int64_t piece = 1; !status; piece += 1000) {
        status = stream_read(in, to + *length, piece, &got);
        *length += got;
        if (got < piece)
            break;
    }
    free(buffer);
    return status;
}

static void check_file(orthant_context *ctx, const packing *p, int64_t expected, bool at_once,
                       const char *refusal)
{
    unsigned char *found = calloc(2, BYTES);
    int64_t length;
    bool taken;
    stream in;
    expect_ok(ctx, stream_open(ctx, files_write("packed.gz", p->packed, p->size), &in));
    const orthant_status status = read_pieces(&in, expected, found, &length, &taken);
    stream_close(&in);
    assert_int_equal(taken, at_once);
    assert_int_equal(orthant_context_memory(ctx), 0);
    if (refusal) {
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, refusal, status);
    } else {
        expect_ok(ctx, status);
        assert_int_equal(length, BYTES);
        assert_memory_equal(found, p->plain, BYTES);
    }
    free(found);
}

static void test_a_whole_file(void **state)
{
    packing *p = make_packing(31);
    check_file(*state, p, BYTES - HEAD, true, NULL);
    /* Promises that are not kept change nothing. */
    check_file(*state, p, BYTES - HEAD - 1, false, NULL);
    check_file(*state, p, BYTES - HEAD + 1, false, NULL);
    check_file(*state, p, 0, false, NULL);
    check_file(*state, p, BUFFER, false, NULL);
    check_file(*state, p, INT64_MAX, false, NULL);
    free(p);
}

static void test_several_members(void **state)
{
    packing *p = make_packing(0);
    pack(p, p->plain, 70000, 31);
    pack(p, p->plain + 70000, 0, 31);
    pack(p, p->plain + 70000, BYTES - 70000, 31);
    check_file(*state, p, BYTES - HEAD, false, NULL);
    check_file(*state, p, 70000 - HEAD, false, NULL);
    free(p);
    /* An empty one alone. */
    p = make_packing(0);
    pack(p, p->plain, 0, 31);
    stream in;
    int64_t got = -1;
    unsigned char byte, buffer[100];
    expect_ok(*state, stream_open(*state, files_write("packed.gz", p->packed, p->size), &in));
    stream_unpack_ahead(&in, 0, buffer, sizeof buffer);
    assert_non_null(in.whole);
    expect_ok(*state, stream_read(&in, &byte, 1, &got));
    assert_int_equal(got, 0);
    stream_close(&in);
    free(p);
}

static void test_what_stands_behind_is_left_alone(void **state)
{
    packing *p = make_packing(31);
    memset(p->packed + p->size, 0, 1000);
    p->size += 1000;
    check_file(*state, p, BYTES - HEAD, false, NULL);
    free(p);
}

static void test_damage(void **state)
{
    packing *p = make_packing(31);
    const size_t size = p->size, bad[] = {size - 1, size - 4, size - 5, size - 8, size / 2};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        /* The sum, the size that it ends with, and the bytes themselves. */
        p->packed[bad[i]] ^= 0x40;
        check_file(*state, p, BYTES - HEAD, false, "packed.gz: the packed data are damaged");
        p->packed[bad[i]] ^= 0x40;
    }
    for (size_t cut = 1; cut < size - 64; cut = 3 * cut + 1) {
        p->size = size - cut;
        check_file(*state, p, BYTES - HEAD, false,
                   "packed.gz: the packed data end too early; the file is cut off");
    }
    free(p);
}

static void test_a_member_of_an_archive(void **state)
{
    orthant_context *ctx = *state;
    packing *p = make_packing(0);
    p->size = 5; /* of something else */
    pack(p, p->plain, BYTES, -15);
    unsigned char *found = calloc(2, BYTES);
    const stream_part good = {.offset = 5,
                              .packed = (int64_t)p->size - 5,
                              .plain = BYTES,
                              .deflated = true,
                              .crc = (uint32_t)crc32(0, p->plain, BYTES)};
    const char *path = files_write("archive", p->packed, p->size);
    for (int bad = 0; bad < 2; bad++) {
        stream_part part = good;
        part.crc ^= bad ? 1 : 0;
        int64_t length;
        bool taken;
        stream in;
        expect_ok(ctx, stream_open_part(ctx, path, "archive:X", part, &in));
        const orthant_status status = read_pieces(&in, BYTES - HEAD, found, &length, &taken);
        stream_close(&in);
        assert_true(taken);
        if (bad)
            expect_failure(ctx, ORTHANT_ERROR_FORMAT, "archive:X: damaged: the checksum is",
                           status);
        else
            expect_ok(ctx, status);
        assert_memory_equal(found, p->plain, BYTES - 1000);
    }
    free(found);
    free(p);
}

/* Bytes to numbers of four and eight bytes: the matrix itself is the buffer. */
static void test_into_a_matrix(void **state)
{
    orthant_context *ctx = *state;
    static const unsigned char header[HEAD] = {0, 0, 8, 3, 0, 0, 0, 100, 0, 0, 0, 40, 0, 0, 0, 50};
    packing *p = make_packing(0);
    memcpy(p->plain, header, HEAD);
    pack(p, p->plain, HEAD + BYTES, 31);
    for (int precision = 0; precision < 2; precision++) {
        orthant_matrix *matrix = NULL;
        orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        expect_ok(ctx, orthant_matrix_read(ctx, files_write("m.gz", p->packed, p->size), NULL,
                                           &matrix, NULL));
        assert_int_equal(orthant_matrix_rows(matrix), 100);
        for (int64_t e = 0; e < BYTES; e++)
            if (orthant_matrix_get(matrix, e / 2000, e % 2000) != p->plain[HEAD + e])
                fail_msg("entry %lld is not as packed", (long long)e);
        orthant_matrix_free(matrix);
    }
    free(p);
}

/* A .npy file whose entries all come out, but not as they were packed: of bytes, unpacked at once
 * where it is sound, and of numbers that go straight into the matrix. */
static void test_a_damaged_end(void **state)
{
    orthant_context *ctx = *state;
    for (int kind = 0; kind < 6; kind++) {
        const bool numbers = kind >= 3;
        const int damage = kind % 3; /* the checksum is another; it is cut off; more comes */
        packing *p = make_packing(0);
        orthant_matrix *matrix = NULL;
        const int text = snprintf((char *)p->plain, 81,
                                  "\x93NUMPY\x01%cF%c{'descr': '%s', 'fortran_order': False, "
                                  "'shape': (10, 20)}",
                                  0, 0, numbers ? "<f4" : "|u1");
        memset(p->plain + text, ' ', 80 - (size_t)text);
        const size_t bytes = numbers ? 880 : 280;
        pack(p, p->plain, damage == 2 ? bytes + 1 : bytes, 31);
        p->packed[p->size - 8] ^= damage == 0;
        p->size -= damage == 1 ? 3 : 0;
        orthant_context_set_precision(ctx, ORTHANT_SINGLE);
        expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                       damage == 0   ? "the packed data are damaged"
                       : damage == 1 ? "cut off"
                                     : "more data than the header's 10 x 20 entries",
                       orthant_matrix_read(ctx, files_write("end.npy.gz", p->packed, p->size), NULL,
                                           &matrix, NULL));
        assert_null(matrix);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_a_whole_file),
                                       fixture_test(test_several_members),
                                       fixture_test(test_what_stands_behind_is_left_alone),
                                       fixture_test(test_damage),
                                       fixture_test(test_a_member_of_an_archive),
                                       fixture_test(test_into_a_matrix),
                                       fixture_test(test_a_damaged_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
