/* Documents to counts of their words: a table of all words, counts of each document as rows of
 * word numbers, then the words that are kept, in order. */
#include "orthant/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/sized.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/lines.h"
#include "data/matrix.h"
#include "data/picture_list.h"
#include "data/stop_words.h"

#define MOST_WORD_BYTES 255

typedef struct word_facts {
    int64_t counts, documents;
    bool stop;    /* a stop word */
    int64_t last; /* document that had it */
    int64_t at;   /* where that document counts it */
} word_facts;

typedef struct vocabulary {
    orthant_context *ctx;
    name_list words;
    int64_t *slot; /* open addressing: a word's number + 1; 0: free */
    int64_t slots; /* a power of two */
    word_facts *facts;
    int64_t room;
    /* The counts of all documents, in the order in which words first come. */
    int64_t *row_start, *column, documents, document_room, stored, stored_room;
    double *value;
    name_list names; /* of the documents */
} vocabulary;

static void vocabulary_free(vocabulary *v)
{
    void *all[] = {v->slot, v->facts, v->row_start, v->column, v->value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(v->ctx, all[i]);
    names_free(v->ctx, &v->words);
    names_free(v->ctx, &v->names);
}

/* ---- the table of words -------------------------------------------------------------------- */

static int64_t slot_of(const vocabulary *v, const char *word)
{
    const uint64_t mask = (uint64_t)v->slots - 1;
    uint64_t at = checksum_bytes(word, strlen(word), 0) & mask;
    while (v->slot[at] && strcmp(names_at(&v->words, v->slot[at] - 1), word) != 0)
        at = (at + 1) & mask;
    return (int64_t)at;
}

static orthant_status grow_slots(vocabulary *v)
{
    const int64_t slots = v->slots ? 2 * v->slots : 1024;
    int64_t *slot = memory_new(v->ctx, slots, sizeof *slot, "a table of words");
    if (!slot)
        return ORTHANT_ERROR_MEMORY;
    memory_free(v->ctx, v->slot);
    v->slot = slot;
    v->slots = slots;
    for (int64_t i = 0; i < v->words.count; i++)
        v->slot[slot_of(v, names_at(&v->words, i))] = i + 1;
    return ORTHANT_OK;
}

static orthant_status find_word(vocabulary *v, const char *word, int64_t *number)
{
    orthant_status status = 2 * (v->words.count + 1) > v->slots ? grow_slots(v) : ORTHANT_OK;
    if (status)
        return status;
    const int64_t at = slot_of(v, word);
    *number = v->slot[at] - 1;
    if (*number >= 0)
        return ORTHANT_OK;
    if (v->words.count == v->room) {
        word_facts *facts =
            memory_resize(v->ctx, v->facts, 2 * v->room + 512, sizeof *facts, "a table of words");
        if (!facts)
            return ORTHANT_ERROR_MEMORY;
        v->facts = facts;
        v->room = 2 * v->room + 512;
    }
    *number = v->words.count;
    v->facts[*number] = (word_facts){.last = -1};
    status = names_add(v->ctx, &v->words, word);
    if (!status)
        v->slot[at] = *number + 1;
    return status;
}

/* ---- documents ----------------------------------------------------------------------------- */

static orthant_status add_entry(vocabulary *v, int64_t number)
{
    if (v->stored == v->stored_room) {
        const int64_t room = 2 * v->stored_room + 4096;
        int64_t *column = memory_resize(v->ctx, v->column, room, sizeof *column, "counts");
        if (column)
            v->column = column;
        double *value =
            column ? memory_resize(v->ctx, v->value, room, sizeof *value, "counts") : NULL;
        if (!value)
            return ORTHANT_ERROR_MEMORY;
        v->value = value;
        v->stored_room = room;
    }
    v->column[v->stored] = number;
    v->value[v->stored] = 0;
    v->facts[number].at = v->stored++;
    return ORTHANT_OK;
}

static orthant_status count_word(vocabulary *v, const char *word)
{
    int64_t number;
    orthant_status status = find_word(v, word, &number);
    if (status)
        return status;
    if (v->facts[number].last != v->documents) {
        status = add_entry(v, number);
        v->facts[number].last = v->documents;
        v->facts[number].documents++;
    }
    if (!status) {
        v->facts[number].counts++;
        v->value[v->facts[number].at]++;
    }
    return status;
}

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c >= 0x80;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Characters of UTF-8: bytes but for those that go on. */
static bool is_long_enough(const char *word, size_t length)
{
    int characters = 0;
    for (size_t i = 0; i < length && characters < 2; i++)
        characters += ((unsigned char)word[i] & 0xc0) != 0x80;
    return characters >= 2;
}

static orthant_status count_document(vocabulary *v, piece text, const char *name)
{
    orthant_status status = ORTHANT_OK;
    if (v->documents + 2 > v->document_room) {
        const int64_t room = 2 * v->document_room + 256;
        int64_t *start = memory_resize(v->ctx, v->row_start, room, sizeof *start, "documents");
        if (!start)
            return ORTHANT_ERROR_MEMORY;
        v->row_start = start;
        v->document_room = room;
    }
    for (const char *at = text.begin; at < text.end && !status;) {
        char word[MOST_WORD_BYTES + 1];
        size_t length = 0;
        for (; at < text.end && is_letter((unsigned char)*at); at++)
            if (length < MOST_WORD_BYTES)
                word[length++] = lower(*at);
        word[length] = '\0';
        if (is_long_enough(word, length))
            status = count_word(v, word);
        at += at < text.end && !is_letter((unsigned char)*at);
    }
    v->row_start[++v->documents] = v->stored;
    return status ? status : names_add(v->ctx, &v->names, name);
}

/* Numbers and pictures would give words too. */
static orthant_status open_text(vocabulary *v, const char *path, lines *text)
{
    const orthant_status status = lines_open(v->ctx, path, text);
    if (status || !memchr(text->at, '\0', (size_t)(text->end - text->at)))
        return status;
    lines_close(text);
    return fail(v->ctx, ORTHANT_ERROR_FORMAT, "%s: holds a zero byte; expected a text in UTF-8",
                path);
}

static orthant_status count_file(vocabulary *v, const char *path, const char *name)
{
    lines text;
    orthant_status status = open_text(v, path, &text);
    if (status)
        return status;
    status = count_document(v, (piece){text.at, text.end}, name);
    lines_close(&text);
    return status;
}

static orthant_status count_lines(vocabulary *v, const char *path)
{
    lines text;
    piece line;
    orthant_status status = open_text(v, path, &text);
    if (status)
        return status;
    while (!status && lines_next(&text, &line)) {
        char name[24];
        const piece trimmed = piece_trim(line);
        snprintf(name, sizeof name, "%" PRId64, text.number);
        if (trimmed.begin < trimmed.end)
            status = count_document(v, trimmed, name);
    }
    lines_close(&text);
    return status;
}

static orthant_status count_folder(vocabulary *v, const char *path, orthant_labels **classes)
{
    picture_list list = {.ctx = v->ctx, .any_file = true};
    orthant_status status = picture_list_folder(&list, path);
    for (int64_t i = 0; i < list.count && !status; i++)
        status = count_file(v, list.paths[i], picture_list_name(&list, i));
    if (!status && list.classes > 0)
        status = orthant_labels_create(v->ctx, list.count, list.labels, classes);
    if (!status && *classes) {
        (*classes)->class_names = list.class_names;
        list.class_names = (name_list){0};
    }
    picture_list_free(&list);
    return status;
}

/* ---- which words are kept ------------------------------------------------------------------ */

/* Where documents have it. */
static void drop_word(vocabulary *v, const char *word)
{
    const int64_t number = v->slots ? v->slot[slot_of(v, word)] - 1 : -1;
    if (number >= 0)
        v->facts[number].stop = true;
}

static orthant_status drop_stop_words(vocabulary *v, const char *stop_words)
{
    lines text;
    piece line;
    if (!stop_words || !strcmp(stop_words, "none"))
        return ORTHANT_OK;
    const bool english = !strcmp(stop_words, "english");
    for (int i = 0; i < english_stop_word_count && english; i++)
        drop_word(v, english_stop_words[i]);
    const orthant_status status = english ? ORTHANT_OK : lines_open(v->ctx, stop_words, &text);
    if (status || english)
        return status;
    while (lines_next(&text, &line)) {
        char word[MOST_WORD_BYTES + 1];
        size_t length = 0;
        line = piece_trim(line);
        for (; line.begin < line.end && length < MOST_WORD_BYTES; line.begin++)
            word[length++] = lower(*line.begin);
        word[length] = '\0';
        if (length)
            drop_word(v, word);
    }
    lines_close(&text);
    return ORTHANT_OK;
}

typedef struct kept_word {
    const char *word;
    int64_t number, counts;
} kept_word;

/* The most frequent first; of equal ones the first by its bytes. */
static int by_counts(const void *left, const void *right)
{
    const kept_word *a = left, *b = right;
    if (a->counts != b->counts)
        return a->counts > b->counts ? -1 : 1;
    return strcmp(a->word, b->word);
}

static int by_word(const void *left, const void *right)
{
    return strcmp(((const kept_word *)left)->word, ((const kept_word *)right)->word);
}

/* How many words were left out, and why. */
typedef struct left_out {
    int64_t stop, rare, beyond; /* beyond: the most frequent that were asked for */
} left_out;

/* The kept words in order, and place[number] of each, or -1. */
static int64_t keep_words(const vocabulary *v, const orthant_words_options *options,
                          kept_word *kept, int64_t *place, left_out *out)
{
    int64_t count = 0;
    *out = (left_out){0};
    for (int64_t i = 0; i < v->words.count; i++) {
        const word_facts *f = &v->facts[i];
        place[i] = -1;
        if (f->stop)
            out->stop++;
        else if (f->counts < options->fewest_counts || f->documents < options->fewest_documents)
            out->rare++;
        else
            kept[count++] = (kept_word){names_at(&v->words, i), i, f->counts};
    }
    if (options->most_words > 0 && count > options->most_words) {
        out->beyond = count - options->most_words;
        qsort(kept, (size_t)count, sizeof *kept, by_counts);
        count = options->most_words;
    }
    qsort(kept, (size_t)count, sizeof *kept, by_word);
    for (int64_t i = 0; i < count; i++)
        place[kept[i].number] = i;
    return count;
}

/* Entries of words that are not kept go; the rest in the words' order. */
static void renumber(vocabulary *v, const int64_t *place)
{
    int64_t to = 0;
    for (int64_t d = 0, first = 0; d < v->documents; d++) {
        const int64_t end = v->row_start[d + 1];
        for (int64_t e = first; e < end; e++)
            if (place[v->column[e]] >= 0) {
                v->column[to] = place[v->column[e]];
                v->value[to++] = v->value[e];
            }
        first = end;
        v->row_start[d + 1] = to;
    }
    v->stored = to;
}

/* ": 2 stop words, 5 that are rarer than asked for" of those that were left out. */
static void describe_left_out(const left_out *out, char *text, size_t size)
{
    const struct {
        int64_t count;
        const char *one, *more;
    } kinds[] = {{out->stop, "stop word", "stop words"},
                 {out->rare, "that is rarer than asked for", "that are rarer than asked for"},
                 {out->beyond, "beyond the most frequent", "beyond the most frequent"}};
    const char *before = ": ";
    text[0] = '\0';
    for (int i = 0; i < 3; i++)
        if (kinds[i].count) {
            text_append(text, size, "%s%" PRId64 " %s", before, kinds[i].count,
                        kinds[i].count == 1 ? kinds[i].one : kinds[i].more);
            before = ", ";
        }
}

static orthant_status make_counts(vocabulary *v, const char *path,
                                  const orthant_words_options *options, orthant_matrix **counts)
{
    orthant_status status = ORTHANT_ERROR_MEMORY;
    kept_word *kept = memory_new(v->ctx, v->words.count, sizeof *kept, "words");
    int64_t *place = memory_new(v->ctx, v->words.count, sizeof *place, "words");
    if (!kept || !place)
        goto done;
    left_out out;
    char why[160];
    const int64_t count = keep_words(v, options, kept, place, &out);
    describe_left_out(&out, why, sizeof why);
    if (count == 0) {
        status =
            fail(v->ctx, ORTHANT_ERROR_DATA,
                 "%s: of %" PRId64 " different words in %" PRId64 " documents none is counted%s",
                 path, v->words.count, v->documents, why);
        goto done;
    }
    if (count < v->words.count)
        log_note(v->ctx, "of %" PRId64 " different words %" PRId64 " %s counted; left out%s",
                 v->words.count, count, count == 1 ? "is" : "are", why);
    renumber(v, place);
    status = orthant_matrix_create_csr(v->ctx, v->documents, count, v->row_start, v->column,
                                       v->value, counts);
    for (int64_t i = 0; i < count && !status; i++)
        status = names_add(v->ctx, &(*counts)->feature_names, kept[i].word);
    if (!status) {
        (*counts)->sample_names = v->names;
        v->names = (name_list){0};
    }
done:
    memory_free(v->ctx, kept);
    memory_free(v->ctx, place);
    return status;
}

/* ---- what is asked ------------------------------------------------------------------------- */

orthant_status orthant_words_count(orthant_context *context, const char *path,
                                   const orthant_words_options *options, orthant_matrix **counts,
                                   orthant_labels **classes)
{
    orthant_words_options own;
    orthant_labels *found = NULL;
    file_presence there;
    if (counts)
        *counts = NULL;
    if (classes)
        *classes = NULL;
    orthant_status status = entry_check(context, path && counts, __func__);
    if (!status)
        status = sized_take(context, "orthant_words_count", options, &own, sizeof own);
    if (!status)
        status = file_look(context, path, &there);
    if (status)
        return status;
    vocabulary v = {.ctx = context};
    status = there == FILE_FOLDER ? count_folder(&v, path, &found) : count_lines(&v, path);
    if (!status)
        status = drop_stop_words(&v, own.stop_words);
    if (!status)
        status = make_counts(&v, path, &own, counts);
    vocabulary_free(&v);
    if (!status && classes) {
        *classes = found;
        return ORTHANT_OK;
    }
    orthant_labels_free(found);
    if (status) {
        orthant_matrix_free(*counts);
        *counts = NULL;
    }
    return status;
}

orthant_status orthant_words_write(orthant_context *context, const orthant_matrix *counts,
                                   const char *path)
{
    file_writer writer;
    orthant_status status = entry_check(context, counts && path, __func__);
    if (status)
        return status;
    if (counts->feature_names.count != counts->columns)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "the features have no names to write to %s",
                    path);
    status = file_write_begin(context, path, &writer);
    if (status)
        return status;
    for (int64_t j = 0; j < counts->columns; j++)
        fprintf(writer.file, "%s\n", names_at(&counts->feature_names, j));
    return file_write_end(&writer, ORTHANT_OK);
}
