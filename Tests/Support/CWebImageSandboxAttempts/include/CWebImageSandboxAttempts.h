#ifndef CWEBIMAGE_SANDBOX_ATTEMPTS_H
#define CWEBIMAGE_SANDBOX_ATTEMPTS_H

#include <sys/types.h>

// What code that took over a decoder process would try, and what a broken decoder does. Only test programs contain
// this code.

// The number of attempts to get out; they have the numbers from 0 on.
int webimage_sandbox_attempt_count(void);
// The number of faults; their numbers follow those of the attempts.
int webimage_sandbox_fault_count(void);
// A short description; NULL for other numbers.
const char *webimage_sandbox_attempt_name(int attempt);

// Performs an attempt or a fault. Returns 0 if it worked, else its errno.
int webimage_sandbox_attempt(int attempt, pid_t host);

#endif
