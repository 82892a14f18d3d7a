#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

// A worker is this program, executed again. Its `main` must not run, and static constructors must have run, because
// the Swift runtime needs them. Both hold if __libc_start_main receives another `main`.

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static bool is_meant_as_worker(int argc, char **argv) {
    return argc == 1 && argv[0] && strcmp(argv[0], "webimage-decoder") == 0 && getenv("WEBIMAGE_SANDBOX_WORKER");
}

// Whether the process was really started by webimage_sandbox_spawn: its socket leads to its parent.
static bool is_worker(void) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int type = 0;
    socklen_t type_size = sizeof type;
    return !getauxval(AT_SECURE) && !getsockopt(webimage_sandbox_socket, SOL_SOCKET, SO_TYPE, &type, &type_size)
        && type == SOCK_SEQPACKET && !getsockopt(webimage_sandbox_socket, SOL_SOCKET, SO_PEERCRED, &peer, &size)
        && peer.pid == getppid();
}

static int run_worker(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    // Never continue with the program's own `main`: it would run a second time.
    if (!is_worker()) _exit(126);
    _exit(webimage_sandbox_worker_main());
}

int __libc_start_main(
    main_function program, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
    void *stack);

int __libc_start_main(
    main_function program, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
    void *stack) {
    start_function start = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
    if (!start) _exit(127);
    return start(is_meant_as_worker(argc, argv) ? run_worker : program, argc, argv, init, fini, rtld_fini, stack);
}

static int find_hook(struct dl_phdr_info *object, size_t size, void *found) {
    (void)size;
    uintptr_t hook = (uintptr_t)&__libc_start_main;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && hook >= start && hook < start + segment->p_memsz) *(bool *)found = true;
    }
    return 1;  // only the first object, which is the executable
}

bool webimage_sandbox_is_in_executable(void) {
    bool found = false;
    dl_iterate_phdr(find_hook, &found);
    return found;
}

bool webimage_sandbox_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

__attribute__((weak)) int webimage_sandbox_attempt(int attempt, pid_t host, uint64_t request);

int webimage_sandbox_try(int attempt, pid_t host, uint64_t request) {
    return webimage_sandbox_attempt ? webimage_sandbox_attempt(attempt, host, request) : ENOSYS;
}
