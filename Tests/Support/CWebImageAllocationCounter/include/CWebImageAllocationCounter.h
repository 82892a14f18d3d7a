#pragma once
#include <stdbool.h>

/// Returns whether allocations can be counted. Returns false under a sanitizer, because a sanitizer has its own
/// allocator.
bool allocation_counter_works(void);
/// Starts counting the calling thread's allocations.
void allocation_counter_start(void);
/// Stops counting and returns the number of the calling thread's allocations.
long allocation_counter_stop(void);

/// The counts of all threads from work_counter_start() to work_counter_stop().
typedef struct {
    /// The number of allocated blocks of memory, including blocks that libraries allocate.
    long allocations;
    /// The number of blocks that the Swift runtime allocates: objects, boxes and contexts of closures.
    long objects;
    /// The number of times that the package's own code locks a mutex; -1 on platforms on which this cannot be counted.
    long locks;
} work_counts;

/// Starts counting for all threads, from zero.
void work_counter_start(void);
/// Stops counting and returns the counts.
work_counts work_counter_stop(void);
