#include "data/stop_words.h"

const char *const english_stop_words[] = {
    "about",    "above",     "after",      "again",   "against", "all",       "also",    "am",
    "an",       "and",       "any",        "are",     "aren",    "as",        "at",      "be",
    "because",  "been",      "before",     "being",   "below",   "between",   "both",    "but",
    "by",       "can",       "cannot",     "could",   "couldn",  "did",       "didn",    "do",
    "does",     "doesn",     "doing",      "don",     "down",    "during",    "each",    "else",
    "ever",     "few",       "for",        "from",    "further", "get",       "got",     "had",
    "hadn",     "has",       "hasn",       "have",    "haven",   "having",    "he",      "hence",
    "her",      "here",      "hers",       "herself", "him",     "himself",   "his",     "how",
    "however",  "if",        "in",         "into",    "is",      "isn",       "it",      "its",
    "itself",   "just",      "let",        "like",    "ll",      "may",       "me",      "might",
    "more",     "most",      "much",       "must",    "my",      "myself",    "no",      "nor",
    "not",      "now",       "of",         "off",     "on",      "once",      "one",     "only",
    "or",       "other",     "ought",      "our",     "ours",    "ourselves", "out",     "over",
    "own",      "per",       "same",       "shall",   "shan",    "she",       "should",  "shouldn",
    "since",    "so",        "some",       "such",    "than",    "that",      "the",     "their",
    "theirs",   "them",      "themselves", "then",    "there",   "these",     "they",    "this",
    "those",    "though",    "through",    "thus",    "to",      "too",       "two",     "under",
    "until",    "up",        "upon",       "us",      "ve",      "very",      "was",     "wasn",
    "we",       "were",      "weren",      "what",    "when",    "where",     "whether", "which",
    "while",    "who",       "whom",       "whose",   "why",     "will",      "with",    "within",
    "without",  "won",       "would",      "wouldn",  "yet",     "you",       "your",    "yours",
    "yourself", "yourselves"};
const int english_stop_word_count = sizeof english_stop_words / sizeof *english_stop_words;
