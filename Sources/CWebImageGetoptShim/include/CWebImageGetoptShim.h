#ifndef CGETOPTSHIM_H
#define CGETOPTSHIM_H

#include <getopt.h>

// getopt_long reports through global variables, which Swift 6 refuses to read; these three hand them over.

// Starts over: glibc keeps its place in the arguments from call to call.
void wi_getopt_reset(void);
// The argument of the option just returned, or NULL.
const char *wi_getopt_argument(void);
// The index of the first argument not yet read.
int wi_getopt_index(void);

#endif
