/* The settings of each method of a study. */
#ifndef REPORT_STUDY_SETTINGS_H
#define REPORT_STUDY_SETTINGS_H

#include "report/study_book.h"

/* For each variant what differs from its method's defaults, and folded behind it what does not. */
void study_settings_write(FILE *page, const study_book *book);

#endif
