// Replaces the functions of the allocator to count their calls. This file is written in C, because Swift code itself
// calls the allocator.
#define _GNU_SOURCE
#include "CWebImageAllocationCounter.h"
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
bool allocation_counter_works(void) { return false; }
void allocation_counter_start(void) {}
long allocation_counter_stop(void) { return -1; }
void work_counter_start(void) {}
work_counts work_counter_stop(void) { return (work_counts){ -1, -1, -1 }; }
#else
// With this TLS model, the variables are in the executable's thread-local storage. Reading them never allocates memory.
static _Thread_local bool counting __attribute__((tls_model("initial-exec")));
static _Thread_local long allocations __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Use the allocator of guard_pages.c if Scripts/audit guard has loaded it, otherwise use the allocator of the C
// library.
#define NEXT(name, ...) (guard_pages_##name ? guard_pages_##name(__VA_ARGS__) : __libc_##name(__VA_ARGS__))
extern void *guard_pages_malloc(size_t) __attribute__((weak));
extern void *guard_pages_calloc(size_t, size_t) __attribute__((weak));
extern void *guard_pages_realloc(void *, size_t) __attribute__((weak));
extern void *guard_pages_memalign(size_t, size_t) __attribute__((weak));

// The counts of all threads. They change only while `counting_all` is set. `all_objects` counts the allocations of the
// Swift runtime.
static atomic_bool counting_all;
static atomic_long all_allocations, all_objects, all_locks;
static uintptr_t runtime_start, runtime_end;

static inline void note_at(uintptr_t caller) {
    if (counting) allocations++;
    if (!atomic_load_explicit(&counting_all, memory_order_relaxed)) return;
    atomic_fetch_add_explicit(&all_allocations, 1, memory_order_relaxed);
    if (caller >= runtime_start && caller < runtime_end) atomic_fetch_add_explicit(&all_objects, 1, memory_order_relaxed);
}
#define note() note_at((uintptr_t)__builtin_return_address(0))

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

#if defined(__x86_64__) && defined(__GLIBC__)
// The C library's pthread_mutex_lock(3), under a name that this file does not replace.
extern int real_mutex_lock(pthread_mutex_t *);
__asm__(".symver real_mutex_lock,__pthread_mutex_lock@GLIBC_2.2.5");
extern char __executable_start, etext;

// Counts only the locks of the package. The package is linked into the executable, so its calls come from the
// executable's text segment. Calls from any other address come from libraries.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (atomic_load_explicit(&counting_all, memory_order_relaxed)) {
        uintptr_t caller = (uintptr_t)__builtin_return_address(0);
        if (caller >= (uintptr_t)&__executable_start && caller < (uintptr_t)&etext)
            atomic_fetch_add_explicit(&all_locks, 1, memory_order_relaxed);
    }
    return real_mutex_lock(mutex);
}
#define COUNTS_LOCKS 1
#else
#define COUNTS_LOCKS 0
#endif

static int find_runtime(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size; (void)unused;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libswiftCore.so")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (!runtime_start || start < runtime_start) runtime_start = start;
        if (end > runtime_end) runtime_end = end;
    }
    return 1;
}

void work_counter_start(void) {
    if (!runtime_start) dl_iterate_phdr(find_runtime, NULL);
    atomic_store(&all_allocations, 0);
    atomic_store(&all_objects, 0);
    atomic_store(&all_locks, 0);
    atomic_store(&counting_all, true);
}

work_counts work_counter_stop(void) {
    atomic_store(&counting_all, false);
    return (work_counts){
        atomic_load(&all_allocations), atomic_load(&all_objects), COUNTS_LOCKS ? atomic_load(&all_locks) : -1,
    };
}

bool allocation_counter_works(void) { return true; }
void allocation_counter_start(void) { allocations = 0; counting = true; }
long allocation_counter_stop(void) { counting = false; return allocations; }
#endif
