#pragma once
#include <stdbool.h>

/// Whether allocations can be counted: not under a sanitizer, which has an allocator of its own.
bool allocation_counter_works(void);
/// Counts the calling thread's allocations from now on.
void allocation_counter_start(void);
/// Stops counting; gives how many there were.
long allocation_counter_stop(void);
