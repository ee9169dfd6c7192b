/* What every page carries inside itself: how it looks, and the scripts (page.js says what for). */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

/* Lines, up to a NULL. */
extern const char *const page_style[];
extern const char *const page_script[];

#endif
