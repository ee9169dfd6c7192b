/* What every page carries inside itself: how it looks, and the script that sorts its tables. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

/* Lines, up to a NULL. */
extern const char *const page_style[];
extern const char *const page_script[];

#endif
