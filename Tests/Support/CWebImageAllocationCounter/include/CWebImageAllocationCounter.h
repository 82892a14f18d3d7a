#pragma once
#include <stdbool.h>

/// Whether allocations can be counted: not under a sanitizer, which has an allocator of its own.
bool allocation_counter_works(void);
/// Counts the calling thread's allocations from now on.
void allocation_counter_start(void);
/// Stops counting; gives how many there were.
long allocation_counter_stop(void);

/// What all threads did while they were counted.
typedef struct {
    /// Blocks of memory allocated, by libraries too.
    long allocations;
    /// Those of them that the Swift runtime allocated: objects, boxes, closures' contexts.
    long objects;
    /// Mutexes locked by the package's own code; -1 where that cannot be counted.
    long locks;
} work_counts;

/// Counts what all threads do from now on.
void work_counter_start(void);
/// Stops counting; gives what was counted.
work_counts work_counter_stop(void);
