#ifndef CGETOPTSHIM_H
#define CGETOPTSHIM_H

#include <getopt.h>

// getopt_long stores results in global variables, which Swift 6 cannot access safely. These functions access them.

// Restarts parsing: glibc keeps its position in the arguments between calls.
void wi_getopt_reset(void);
// The argument of the option just returned, or NULL.
const char *wi_getopt_argument(void);
// The index of the first unread argument.
int wi_getopt_index(void);

#endif
