/* New encodings in place where a term reads other samples' last ones, with a buffer of half a row
 * for each sample. With the columns cut into two halves:
 *
 *     gather    buffer <- what the term reads of the first half, for all samples
 *     a block   what it reads: the first half from the buffer, the second from the encodings;
 *               new rows; their first half goes to the encodings, the second to the buffer
 *     settle    the second half of the encodings <- buffer
 *
 * After the first step nobody reads the first half of another sample, and the second half stays to
 * the end what it was. The bits are those of a second buffer for all encodings. */
#include "engine/sweep_inside.h"
#include "term/term.h"

static array first_half(const sweep *s, array a)
{
    return array_columns(s->k, a, 0, s->half.columns);
}

static array second_half(const sweep *s, array a)
{
    return array_columns(s->k, a, s->half.columns, s->half.columns);
}

static array half_rows(const sweep *s, block b)
{
    return array_rows(s->k, s->half, b.first, b.rows);
}

static void gather_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->gather)
            s->terms[t].kind->gather(&s->terms[t], s, b, first_half(s, s->S), half_rows(s, b));
}

void halves_gather(sweep *s)
{
    run_tasks(s, sample_blocks(s), gather_task, s, square_cost(s, s->n));
}

array sweep_gathered(const sweep *s, const struct term *t, block b)
{
    const array all = sweep_term_array(s, b.thread, 0, b.rows);
    if (!s->half.data || s->probing) {
        t->kind->gather(t, s, b, s->last, all);
        return all;
    }
    /* a row of the buffer's width, in the room of a whole one */
    array second = sweep_term_array(s, b.thread, 1, b.rows);
    second.columns = second.stride = s->half.stride;
    t->kind->gather(t, s, b, second_half(s, s->S), second);
    s->k->copy_columns(first_half(s, all), half_rows(s, b));
    s->k->copy_columns(second_half(s, all), second);
    return all;
}

void halves_place(const sweep *s, block b, array rows)
{
    s->k->copy_columns(first_half(s, array_rows(s->k, s->S, b.first, b.rows)), rows);
    s->k->copy_columns(half_rows(s, b), second_half(s, rows));
}

static void settle_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    s->k->copy_columns(second_half(s, array_rows(s->k, s->S, b.first, b.rows)), half_rows(s, b));
}

void halves_settle(sweep *s)
{
    run_tasks(s, sample_blocks(s), settle_task, s, s->n * s->half.stride);
}
