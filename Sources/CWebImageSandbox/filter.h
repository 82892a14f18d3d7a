#ifndef CWEBIMAGE_SANDBOX_FILTER_H
#define CWEBIMAGE_SANDBOX_FILTER_H

#include <stdbool.h>

// Installs the system call filter for all threads. Fonts may be opened only if `files` is true; then Landlock must limit
// the folders. Returns whether it is in force.
bool webimage_sandbox_install_filter(unsigned features, bool files);

#endif
