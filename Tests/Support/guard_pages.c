// An allocator that puts an inaccessible page after each block of 256 bytes to 16 MB. An access to this page, or to a
// block after free(3), ends the process. Scripts/audit guard builds this library and loads it with LD_PRELOAD.
// WEBIMAGE_GUARD=before puts the inaccessible page before each block instead of after it.
// The end of a block is rounded up to the alignment of the block. Accesses up to 15 bytes beyond a block of malloc(3)
// are therefore not found. The size of a pixel buffer is a multiple of its alignment, so the end of a pixel buffer is
// not rounded up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LEAST = 256, MOST = 16 << 20, HEAD = 64, MARK = 0x47554152 };
// The number of guarded blocks. guarded() limits this number, because a process can have only 65,530 mappings
// (vm.max_map_count). Beyond this number, every later allocation would fail.
static atomic_int blocks;

// Describes a block. The head is in a separate page before the block's pages. free(3) computes the address of the head
// from the address of the block.
struct head { uint32_t mark; void *mapping; size_t mapped, size; };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int guards_before(void) {
    static atomic_int answer = -1;
    int known = atomic_load(&answer);
    if (known < 0) {
        extern char **environ;
        known = 0;
        for (char **e = environ; e && *e; e++) if (strcmp(*e, "WEBIMAGE_GUARD=before") == 0) known = 1;
        atomic_store(&answer, known);
    }
    return known;
}

// All guarded blocks are in one reserved range of addresses, so that free(3) recognises a guarded block by its address.
static atomic_uintptr_t range;
static atomic_size_t used;
static const size_t range_size = (size_t)1 << 44;

static uintptr_t reserve(size_t bytes) {
    uintptr_t start = atomic_load(&range);
    if (start == 0) {
        void *fresh = mmap(NULL, range_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (fresh == MAP_FAILED) return 0;
        if (!atomic_compare_exchange_strong(&range, &start, (uintptr_t)fresh)) munmap(fresh, range_size);
        start = atomic_load(&range);
    }
    // Addresses are never reused, so that every access through a stale pointer ends the process.
    size_t at = atomic_fetch_add(&used, bytes);
    return at + bytes <= range_size ? start + at : 0;
}

static int is_guarded(const void *block) {
    uintptr_t start = atomic_load(&range), at = (uintptr_t)block;
    return start != 0 && at >= start && at < start + range_size;
}

static struct head *head_of(void *block) {
    // The page before the block's first page contains the head. If the guard is before the block, the guard page is
    // between the head and the block.
    uintptr_t page = (uintptr_t)block & ~(uintptr_t)(PAGE - 1);
    return (struct head *)(page - (guards_before() ? 2 : 1) * PAGE);
}

static void *guarded(size_t size, size_t alignment) {
    if (size < LEAST || size > MOST || alignment > PAGE) return NULL;
    if (atomic_fetch_add(&blocks, 1) >= (guards_before() ? 12000 : 20000)) { atomic_fetch_sub(&blocks, 1); return NULL; }
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    size_t whole = (rounded + PAGE - 1) / PAGE * PAGE;
    int before = guards_before();
    // The pages of a mapping are, in this order: head, inaccessible page (only if `before` is set), block, inaccessible
    // page.
    size_t mapped = whole + (before ? 3 : 2) * PAGE;
    uintptr_t start = reserve(mapped);
    uintptr_t first = start + (before ? 2 : 1) * PAGE;
    if (start == 0 || mprotect((void *)start, PAGE, PROT_READ | PROT_WRITE) != 0
        || mprotect((void *)first, whole, PROT_READ | PROT_WRITE) != 0) {
        atomic_fetch_sub(&blocks, 1);
        return NULL;
    }
    uintptr_t block = before ? first : first + whole - rounded;
    // `whole - rounded` is less than a page, so the block begins in the first of its pages, as head_of() requires.
    struct head *head = (struct head *)start;
    *head = (struct head){MARK, (void *)start, mapped, size};
    return (void *)block;
}

static void release(void *block) {
    struct head *head = head_of(block);
    if (head->mark != MARK) abort();
    size_t mapped = head->mapped;
    // The addresses stay reserved and inaccessible. The memory is returned to the system.
    mmap(head->mapping, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    atomic_fetch_sub(&blocks, 1);
}

void *guard_pages_malloc(size_t size) {
    void *block = guarded(size, 16);
    return block ? block : __libc_malloc(size);
}

void *guard_pages_calloc(size_t count, size_t size) {
    size_t total;
    void *block = __builtin_mul_overflow(count, size, &total) ? NULL : guarded(total, 16);
    return block ? block : __libc_calloc(count, size);
}

void *guard_pages_realloc(void *block, size_t size) {
    if (block == NULL) return guard_pages_malloc(size);
    if (!is_guarded(block)) return __libc_realloc(block, size);
    void *moved = guard_pages_malloc(size ? size : 1);
    if (moved == NULL) return NULL;
    size_t old = head_of(block)->size;
    memcpy(moved, block, old < size ? old : size);
    release(block);
    return moved;
}

void *guard_pages_memalign(size_t alignment, size_t size) {
    void *block = guarded(size, alignment < 16 ? 16 : alignment);
    return block ? block : __libc_memalign(alignment, size);
}

void free(void *block) {
    if (block == NULL) return;
    int saved = errno;
    if (is_guarded(block)) release(block); else __libc_free(block);
    errno = saved;
}

// The test executable replaces the functions from malloc to posix_memalign (CWebImageAllocationCounter). Its
// replacements call the guard_pages functions above. Every other process uses the definitions below.
void *malloc(size_t size) { return guard_pages_malloc(size); }
void *calloc(size_t count, size_t size) { return guard_pages_calloc(count, size); }
void *realloc(void *block, size_t size) { return guard_pages_realloc(block, size); }
void *memalign(size_t alignment, size_t size) { return guard_pages_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return guard_pages_memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    *result = guard_pages_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *block) {
    static size_t (*real)(void *);
    if (block == NULL) return 0;
    if (is_guarded(block)) return head_of(block)->size;
    if (!real) real = (size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
    return real(block);
}
