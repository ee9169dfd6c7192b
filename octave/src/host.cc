// C++ for Octave's sake: its Ctrl-C and its output may throw, and no exception may pass through the library.
#ifdef MATLAB_MEX_FILE

#include "mex.h"
#include "host.h"

// In MATLAB's libut, without a header. It leaves the interrupt pending.
extern "C" bool utIsInterruptPending(void);

bool host_interrupted(void)
{
    return utIsInterruptPending();
}

void host_print(const char *text)
{
    mexPrintf("%s", text);
    mexEvalString("drawnow;");
}

#else

#include <octave/oct.h>
#include <octave/pager.h>
#include <octave/quit.h>

#include "host.h"

bool host_interrupted(void)
{
    try {
        octave_quit();
    } catch (...) {
        // Pending again: the interpreter stops before its next statement.
        octave_interrupt_state = 1;
        octave_signal_caught = 1;
        return true;
    }
    return false;
}

void host_print(const char *text)
{
    try {
        octave_stdout << text;
        octave::flush_stdout();
    } catch (...) {
    }
}

#endif
