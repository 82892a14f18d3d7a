#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void webimage_sandbox_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

void webimage_sandbox_return_memory(void) { malloc_trim(0); }

void webimage_sandbox_return_window(void *start, size_t count) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)start + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)start + count) & ~(page - 1);
    if (end > first) madvise((void *)first, end - first, MADV_REMOVE);
}

bool webimage_sandbox_has_address_sanitizer(void) { return WEBIMAGE_HAS_ADDRESS_SANITIZER; }
