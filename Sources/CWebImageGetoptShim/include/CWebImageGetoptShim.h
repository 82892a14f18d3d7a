#ifndef CGETOPTSHIM_H
#define CGETOPTSHIM_H

#include <getopt.h>

// getopt_long stores its results in global variables. Swift 6 does not allow access to mutable global variables of C.
// Therefore these functions access the variables.

// Starts a new parse. This call is necessary, because getopt_long stores its position in the arguments between calls.
// Also disables the error messages of getopt_long.
void wi_getopt_reset(void);
// Returns the argument of the option that getopt_long returned last. NULL if this option has no argument.
const char *wi_getopt_argument(void);
// Returns the index of the first argument that getopt_long has not parsed yet.
int wi_getopt_index(void);
// Returns the letter of an option that getopt_long does not know. 0 if the option has a long name.
int wi_getopt_unknown(void);

#endif
