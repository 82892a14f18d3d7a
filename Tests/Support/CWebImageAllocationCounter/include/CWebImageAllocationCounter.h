#pragma once
#include <stdbool.h>

/// Returns whether allocations can be counted: not under a sanitizer, which has its own allocator.
bool allocation_counter_works(void);
/// Starts counting the calling thread's allocations.
void allocation_counter_start(void);
/// Stops counting; returns the number of allocations.
long allocation_counter_stop(void);

/// The work of all threads while it was counted.
typedef struct {
    /// Blocks of memory allocated, including those of libraries.
    long allocations;
    /// Blocks allocated by the Swift runtime: objects, boxes, contexts of closures.
    long objects;
    /// Mutexes locked by the package's own code; -1 where they cannot be counted.
    long locks;
} work_counts;

/// Starts counting the work of all threads.
void work_counter_start(void);
/// Stops counting; returns the counts.
work_counts work_counter_stop(void);
