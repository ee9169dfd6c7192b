/* The consensus of a run: what run.json and consensus.csv say of it, its table and its picture. */
#ifndef REPORT_CONSENSUS_PAGE_H
#define REPORT_CONSENSUS_PAGE_H

#include "method/consensus_parts.h"
#include "report/chart.h"
#include "report/record.h"
#include "report/sheet.h"

/* The member "consensus" of the object that is open. */
void consensus_describe(json_writer *json, const consensus *c);
/* consensus.csv: a line for each part of each start; with a picture also charts/consensus.csv. */
orthant_status consensus_write(const consensus *c, const char *folder, bool picture);

/* A row for each part: members, starts, silhouette. Without rows where the run is no consensus. */
sheet *consensus_table(orthant_context *ctx, const run_record *record);
/* The section of the page; nothing where the run is no consensus. */
orthant_status consensus_page_write(chart_place *place, const run_record *record);

#endif
