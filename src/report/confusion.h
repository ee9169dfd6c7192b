/* The confusion matrix: clusters beside the classes that they match best. */
#ifndef REPORT_CONFUSION_H
#define REPORT_CONFUSION_H

#include "orthant/labels.h"
#include "report/chart.h"

/* A coloured table in the page and charts/NAME.csv beside it, with `heading` (HTML) before it.
 * Nothing where there are more than 100 classes or clusters, or no sample that both know. */
orthant_status confusion_show(chart_place *place, const char *name, const char *heading,
                              const orthant_labels *found, const orthant_labels *truth);

#endif
