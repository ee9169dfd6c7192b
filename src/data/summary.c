/* What every run asks of its data, in one pass of all threads. */
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "core/xxh64.h"
#include "data/chunks.h"
#include "data/matrix.h"
#include "data/pass.h"

#define TASK_ENTRIES (1 << 17)
/* Rows whose facts wait for those before them: sums go in the order of the rows. */
#define ROUND_ROWS (1 << 14)

typedef struct pass {
    const orthant_matrix *matrix;
    row_facts *facts; /* of the rows of a round */
    int64_t first, end, rows_of_task;
    xxh64 hash;
    int64_t hashed; /* bytes of the mapped file; what comes next is a round's share */
    int64_t hash_end;
} pass;

/* One behind the other within a round: the checksum goes from front to back. */
static void hash_share(pass *p)
{
    if (p->hash_end == p->hashed)
        return; /* no mapped file, or none of it is left */
    xxh64_add(&p->hash, (const char *)p->matrix->mapping + p->hashed,
              (size_t)(p->hash_end - p->hashed));
    p->hashed = p->hash_end;
}

static void look_at_rows(void *user, int64_t task, int thread)
{
    pass *p = user;
    (void)thread;
    if (task == 0) {
        hash_share(p);
        return;
    }
    const int64_t first = p->first + (task - 1) * p->rows_of_task;
    const int64_t end = smaller(first + p->rows_of_task, p->end);
    for (int64_t i = first; i < end; i++)
        p->facts[i - p->first] = matrix_row_facts(p->matrix, i);
}

static void add_row(matrix_summary *summary, row_sums *sums, const row_facts *row)
{
    row_sums_add(sums, row->sum, row->squares);
    summary->finite &= row->finite;
    summary->nonnegative &= row->nonnegative;
    summary->nonzeros += row->nonzeros;
    summary->checksum += row->checksum;
    summary->largest = fmax(summary->largest, row->largest);
}

/* Of a file: the rows of a strip at a time. */
typedef struct file_pass {
    row_facts *facts; /* of the rows of a strip */
    matrix_summary *summary;
    row_sums sums;
} file_pass;

static void look_at_block(void *user, strip x, block b)
{
    const file_pass *p = user;
    for (int64_t i = b.first - x.first; i < b.first - x.first + b.rows; i++)
        p->facts[i] = matrix_row_facts(x.data, x.row + i);
}

static void add_strip(void *user, strip x)
{
    file_pass *p = user;
    for (int64_t i = 0; i < x.rows; i++)
        add_row(p->summary, &p->sums, &p->facts[i]);
}

static orthant_status summarise_file(orthant_matrix *matrix)
{
    matrix_summary summary = {.finite = true, .nonnegative = true};
    file_pass p = {.summary = &summary,
                   .facts = memory_new(matrix->ctx, PASS_ROWS, sizeof *p.facts, "facts of rows")};
    if (!p.facts)
        return ORTHANT_ERROR_MEMORY;
    row_sums_begin(&p.sums, matrix->rows, matrix->columns);
    const orthant_status status =
        rows_pass_run(matrix->ctx, matrix, &(rows_pass){&p, look_at_block, add_strip});
    memory_free(matrix->ctx, p.facts);
    summary.sum = p.sums.now[0];
    summary.squares = p.sums.now[1];
    summary.known = !status;
    matrix->summary = summary;
    return status;
}

orthant_status matrix_summarise(orthant_matrix *matrix)
{
    const int64_t entries = matrix_stored(matrix) / larger(matrix->rows, 1);
    pass p = {.matrix = matrix, .rows_of_task = larger(TASK_ENTRIES / larger(entries, 1), 1)};
    matrix_summary summary = {.finite = true, .nonnegative = true};
    row_sums sums;
    if (matrix_file(matrix))
        return summarise_file(matrix);
    row_sums_begin(&sums, larger(matrix->rows, 1), matrix->columns);
    const int64_t round = smaller(ROUND_ROWS, larger(matrix->rows, 1));
    p.facts = memory_new(matrix->ctx, round, sizeof *p.facts, "facts of rows");
    if (!p.facts)
        return ORTHANT_ERROR_MEMORY;
    /* The file is as it was; its pages are not any more where they were scaled. */
    const bool hashes = matrix->mapping && !*matrix->checksum && !matrix->part.total;
    xxh64_begin(&p.hash, 0);
    for (; p.first < matrix->rows; p.first = p.end) {
        p.end = smaller(p.first + round, matrix->rows);
        if (hashes)
            p.hash_end = p.end == matrix->rows ? matrix->mapped_bytes
                                               : p.end * (matrix->mapped_bytes / matrix->rows);
        parallel_for(matrix->ctx, 1 + pieces(p.end - p.first, p.rows_of_task), look_at_rows, &p);
        for (int64_t i = p.first; i < p.end; i++)
            add_row(&summary, &sums, &p.facts[i - p.first]);
    }
    memory_free(matrix->ctx, p.facts);
    summary.sum = sums.now[0];
    summary.squares = sums.now[1];
    summary.known = true;
    matrix->summary = summary;
    if (hashes)
        xxh64_end(&p.hash, matrix->checksum);
    return ORTHANT_OK;
}
