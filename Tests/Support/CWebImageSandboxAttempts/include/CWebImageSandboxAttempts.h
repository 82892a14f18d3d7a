#ifndef CWEBIMAGE_SANDBOX_ATTEMPTS_H
#define CWEBIMAGE_SANDBOX_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What code that took over a decoder process would try, and what a broken decoder does. Only test programs contain
// this code.

// The number of attempts to get out; they have the numbers from 0 on.
int webimage_sandbox_attempt_count(void);
// The number of faults; their numbers follow those of the attempts.
int webimage_sandbox_fault_count(void);
// A short description; NULL for other numbers.
const char *webimage_sandbox_attempt_name(int attempt);

// Performs an attempt or a fault. `request` is the number that the answer must repeat. Returns 0 if it worked, else its
// errno.
int webimage_sandbox_attempt(int attempt, pid_t host, uint64_t request);

// The system call filters of places in which programs run.
enum {
    webimage_place_container,        // Docker's, Podman's and Kubernetes' default filter without capabilities
    webimage_place_flatpak,          // Flatpak's filter, and no Landlock
    webimage_place_service,          // the hardening of this package's systemd unit
    webimage_place_no_namespaces,    // kernel.apparmor_restrict_unprivileged_userns or user.max_user_namespaces = 0
    webimage_place_old_kernel,       // no Landlock, no clone3, no pidfd of processes that are not children
    webimage_place_count,
};

// Installs the filter of a place and executes a program, whose standard output and error go to the file at `output`.
// Returns its exit status, or -1.
int webimage_run_in_place(int place, const char *program, char *const arguments[], const char *output);

// Forks this process, which Swift does not offer. The fork calls `body` and exits with its result. Returns its identifier.
pid_t webimage_fork(int (*body)(void *), void *context);

// Returns the verdict (SECCOMP_RET_…) of the filter of 64-bit ARM on a call whose arguments all have one value.
// `architecture` 0: ARM's own.
unsigned webimage_sandbox_arm_verdict(
    unsigned features, bool files, unsigned architecture, int number, uint64_t argument);

#endif
