#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

// A program may fork after it has started workers. Both processes would then send requests through the same sockets, and
// each would receive pictures of the other. A worker would also go on after the end of its host, because the other
// process holds the pipe. So a fork closes the descriptors at once, and starts workers of its own.

enum { most_held = 512 };

static _Atomic unsigned forks;
// Each descriptor plus 1; 0: a free place.
static _Atomic int held[most_held];

static void after_fork_in_child(void) {
    forks++;
    for (int i = 0; i < most_held; i++) {
        int descriptor = atomic_exchange(&held[i], 0) - 1;
        if (descriptor >= 0) close(descriptor);
    }
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

unsigned webimage_sandbox_fork_count(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return forks;
}

void webimage_sandbox_hold(int descriptor) {
    for (int i = 0; i < most_held; i++) {
        int free_place = 0;
        if (atomic_compare_exchange_strong(&held[i], &free_place, descriptor + 1)) return;
    }
}

void webimage_sandbox_release(int descriptor) {
    for (int i = 0; i < most_held; i++) {
        int own = descriptor + 1;
        if (atomic_compare_exchange_strong(&held[i], &own, 0)) break;
    }
    close(descriptor);
}
