/* Words that tell nothing of a document's topic. */
#ifndef DATA_STOP_WORDS_H
#define DATA_STOP_WORDS_H

/* English, in the order of their bytes, as words_count() cuts them. */
extern const char *const english_stop_words[];
extern const int english_stop_word_count;

#endif
