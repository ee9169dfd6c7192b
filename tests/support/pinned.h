/* Texts that the repository keeps: what a test wrote beside what it was when someone last looked.
 */
#ifndef SUPPORT_PINNED_H
#define SUPPORT_PINNED_H

/* Runs pin.py over the files of `folder` that match `patterns` ("report.html 'charts/' '*'", as a
 * shell takes them, --mask before them) against `kept` of the source tree. The test is skipped
 * where there is no python3. */
void expect_pinned(const char *folder, const char *kept, const char *patterns);

#endif
