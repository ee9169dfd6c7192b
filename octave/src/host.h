/* What a MEX function of Octave or MATLAB can do while the library works, without a jump. */
#ifndef ORTHANT_HOST_H
#define ORTHANT_HOST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether Ctrl-C was pressed. The host still knows of it and stops when the MEX function returns.
 */
bool host_interrupted(void);
void host_print(const char *text);

#ifdef __cplusplus
}
#endif
#endif
