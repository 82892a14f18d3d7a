// C, because the allocator is replaced by defining its symbols; Swift itself allocates through them.
#include "CWebImageAllocationCounter.h"
#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
bool allocation_counter_works(void) { return false; }
void allocation_counter_start(void) {}
long allocation_counter_stop(void) { return -1; }
#else
// The executable's own thread-local storage: reading it never allocates.
static _Thread_local bool counting __attribute__((tls_model("initial-exec")));
static _Thread_local long allocations __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// The allocator of guard_pages.c where Scripts/sanitize guard has loaded it, else the C library's.
#define NEXT(name, ...) (guard_pages_##name ? guard_pages_##name(__VA_ARGS__) : __libc_##name(__VA_ARGS__))
extern void *guard_pages_malloc(size_t) __attribute__((weak));
extern void *guard_pages_calloc(size_t, size_t) __attribute__((weak));
extern void *guard_pages_realloc(void *, size_t) __attribute__((weak));
extern void *guard_pages_memalign(size_t, size_t) __attribute__((weak));

static inline void note(void) { if (counting) allocations++; }

void *malloc(size_t size) { note(); return NEXT(malloc, size); }
void *calloc(size_t count, size_t size) { note(); return NEXT(calloc, count, size); }
void *realloc(void *memory, size_t size) { note(); return NEXT(realloc, memory, size); }
void *memalign(size_t alignment, size_t size) { note(); return NEXT(memalign, alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { note(); return NEXT(memalign, alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    *memory = NEXT(memalign, alignment, size);
    return *memory ? 0 : ENOMEM;
}

bool allocation_counter_works(void) { return true; }
void allocation_counter_start(void) { allocations = 0; counting = true; }
long allocation_counter_stop(void) { counting = false; return allocations; }
#endif
