/* The paper's claims, judged by the table and the pictures of its figures. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "reproduce/claims.h"
#include "reproduce/grpnmf.h"

#define ROUNDING 1e-9 /* of the first objective: factors are in double precision */
#define PAPER_SECONDS 1.61
enum { PAPER_NODES = 14459 };

/* ---- by the pictures ---- */

static void judge_descent(const grpnmf_work *w, claim_finding *found)
{
    double rise = 0.0;
    int fits = 0;
    for (int i = 0; i < GRPNMF_PICTURES; i++)
        if (grpnmf_picture_made(w, i) && !strcmp(grpnmf_pictures[i].options.method, "grpnmf")) {
            rise = fmax(rise, w->measured[i].rise);
            fits++;
        }
    found->verdict = rise > ROUNDING ? VERDICT_FAILS : VERDICT_HOLDS;
    text_append(found->measured, CLAIM_TEXT,
                "largest rise %.1g of the first objective in %d fits (up to %g is rounding)", rise,
                fits, ROUNDING);
}

/* By Fig. 6's fit, to as many nodes as the paper's. */
static void judge_seconds(const grpnmf_measured *m, claim_finding *found)
{
    const double seconds =
        m->seconds * PAPER_NODES / (double)m->nodes * 1000.0 / (double)m->iterations;
    found->verdict = seconds <= PAPER_SECONDS ? VERDICT_HOLDS : VERDICT_FAILS;
    text_append(found->measured, CLAIM_TEXT,
                "%" PRId64 " iterations of %" PRId64
                " nodes in %.2f seconds on this machine: %.2f for %d nodes and 1,000 iterations",
                m->iterations, m->nodes, m->seconds, seconds, PAPER_NODES);
}

/* ---- by the mosaics ---- */

/* In how many of the printed criteria one method is better than another, and worse; coloured
 * mosaics, the published pipeline. */
static void compare_methods(const grpnmf_work *w, int one, int other, int *better, int *worse)
{
    *better = *worse = 0;
    for (const char *const *name = grpnmf_printed; *name; name++) {
        bool higher;
        double a, b, error;
        const int criterion = grpnmf_criterion(*name, &higher);
        grpnmf_mean(w, 0, GRPNMF_PUBLISHED, one, criterion, &a, &error);
        grpnmf_mean(w, 0, GRPNMF_PUBLISHED, other, criterion, &b, &error);
        *better += higher ? a > b : a < b;
        *worse += higher ? a < b : a > b;
    }
}

static void judge_most(const grpnmf_work *w, claim_finding *found)
{
    int better, worse;
    compare_methods(w, GRPNMF_QUARTER, GRPNMF_FSEG, &better, &worse);
    CLAIM_SAY(found, "better than fseg in %d criteria, worse in %d, over %d mosaics", better, worse,
              w->set[0].count);
    found->verdict = better > worse ? VERDICT_HOLDS : VERDICT_FAILS;
}

static void judge_worst(const grpnmf_work *w, claim_finding *found)
{
    static const int others[] = {GRPNMF_FSEG, GRPNMF_ONMF, GRPNMF_QUARTER};
    found->verdict = VERDICT_HOLDS;
    for (int i = 0; i < 3; i++) {
        int better, worse;
        compare_methods(w, GRPNMF_CONVEX, others[i], &better, &worse);
        CLAIM_SAY(found, "%sworse than %s in %d criteria, better in %d", i ? "; " : "",
                  grpnmf_methods[others[i]].name, worse, better);
        if (worse <= better)
            found->verdict = VERDICT_FAILS;
    }
}

/* Fig. 2: the ridge that changes FSEG most is the paper's. */
static void judge_ridges(const grpnmf_work *w, claim_finding *found)
{
    bool higher;
    double f, error, best = 0;
    grpnmf_mean(w, w->ridge_set, GRPNMF_PUBLISHED, GRPNMF_QUARTER, grpnmf_criterion("F", &higher),
                &f, &error);
    for (int r = 0; r < 2; r++)
        for (int v = 0; v < GRPNMF_RIDGES; v++)
            best = fmax(best, w->ridge_f[r][v]);
    CLAIM_SAY(found, "F-measure of grpnmf %.1f, the highest of fseg over its ridges %.1f", f, best);
    found->verdict = f > best ? VERDICT_HOLDS : VERDICT_FAILS;
}

static void judge_plus(const grpnmf_work *w, claim_finding *found)
{
    int better, worse;
    compare_methods(w, GRPNMF_PLUS, GRPNMF_QUARTER, &better, &worse);
    CLAIM_SAY(found, "better than grpnmf in %d criteria, worse in %d, over %d mosaics", better,
              worse, w->set[0].count);
    found->verdict = better > worse ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* ---- all ---- */

static void add(sheet *table, const char *id, const char *says, const claim_finding *found)
{
    const protocol_claim claim = {.id = id, .says = says};
    claims_add(table, &claim, found);
}

static void add_mosaics(const grpnmf_work *w, sheet *table)
{
    claim_finding found = {.measured = ""};
    judge_most(w, &found);
    add(table, "most", "IV-A: GRPNMF is better than FSEG in most criteria of Table I.", &found);
    found = (claim_finding){.measured = ""};
    judge_worst(w, &found);
    add(table, "worst", "IV-A: convex NMF performed the worst.", &found);
    found = (claim_finding){.measured = ""};
    judge_plus(w, &found);
    add(table, "grpnmf+",
        "Not the paper's: GRPNMF by continuation is better than GRPNMF in most criteria of "
        "Table I.",
        &found);
    if (w->ridge_set < 0)
        return;
    found = (claim_finding){.measured = ""};
    judge_ridges(w, &found);
    add(table, "ridges", "IV-A: GRPNMF's F-measure is higher across all choices of FSEG's ridge.",
        &found);
}

static void add_pictures(const grpnmf_work *w, sheet *table)
{
    claim_finding found = {.measured = ""};
    judge_descent(w, &found);
    add(table, "convergence", "The objective does not rise under (8), section III.", &found);
    for (int i = 0; i < GRPNMF_PICTURES; i++)
        if (grpnmf_picture_made(w, i) && grpnmf_pictures[i].options.snapshots) {
            found = (claim_finding){.measured = ""};
            judge_seconds(&w->measured[i], &found);
            add(table, "seconds", "1,000 iterations of 14,459 nodes took 1.61 seconds, Fig. 6.",
                &found);
        }
}

orthant_status grpnmf_claims(const grpnmf_work *w, sheet_list *shown)
{
    bool pictures = false;
    for (int i = 0; i < GRPNMF_PICTURES; i++)
        pictures = pictures || grpnmf_picture_made(w, i);
    if (!pictures && !w->set[0].count)
        return ORTHANT_OK;
    sheet *table = claims_sheet(w->ctx);
    if (w->set[0].count)
        add_mosaics(w, table);
    if (pictures)
        add_pictures(w, table);
    const orthant_status status = sheet_status(table), added = sheet_list_add(shown, table);
    return status ? status : added;
}
