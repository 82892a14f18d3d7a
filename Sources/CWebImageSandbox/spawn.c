#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int webimage_sandbox_make_window(size_t size) {
    int window = memfd_create("webimage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (window < 0) return -1;
    if (ftruncate(window, (off_t)size) || fcntl(window, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        int error = errno;
        close(window);
        errno = error;
        return -1;
    }
    return window;
}

int webimage_sandbox_make_sealed(const void *bytes, size_t count) {
    int file = memfd_create("webimage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < count) {
        ssize_t some = write(file, (const char *)bytes + written, count - written);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) break;
        written += (size_t)some;
    }
    if (written < count || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

// Moves a descriptor above those that the file actions overwrite, and closes the old one.
static int raised(int descriptor) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    int error = errno;
    close(descriptor);
    errno = error;
    return copy;
}

// The first descriptor that a worker does not have.
enum { first_closed = WEBIMAGE_HAS_ADDRESS_SANITIZER ? webimage_sandbox_reports + 1 : webimage_sandbox_lifetime + 1 };

static void close_if_open(int descriptor) {
    if (descriptor >= 0) close(descriptor);
}

int webimage_sandbox_spawn(const char *executable, int window, char *const environment[], webimage_sandbox_child *child) {
    // With the rights of its file's owner, a program must not be started by an environment.
    if (getauxval(AT_SECURE)) return EPERM;
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1}, lent = -1, error = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) || pipe2(pipes, O_CLOEXEC)) {
        error = errno;
        goto failed;
    }
    sockets[1] = raised(sockets[1]);
    pipes[0] = raised(pipes[0]);
    lent = fcntl(window, F_DUPFD_CLOEXEC, 10);
    if (sockets[1] < 0 || pipes[0] < 0 || lent < 0) {
        error = errno;
        goto failed;
    }

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
#if WEBIMAGE_HAS_ADDRESS_SANITIZER
    if (fcntl(STDERR_FILENO, F_GETFD) >= 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, webimage_sandbox_reports);
#endif
    for (int stream = 0; stream < 3; stream++)
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream ? O_WRONLY : O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], webimage_sandbox_socket);
    posix_spawn_file_actions_adddup2(&actions, lent, webimage_sandbox_window);
    posix_spawn_file_actions_adddup2(&actions, pipes[0], webimage_sandbox_lifetime);
    posix_spawn_file_actions_addclosefrom_np(&actions, first_closed);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    char *const arguments[] = {"webimage-decoder", NULL};
    error = posix_spawn(&child->pid, executable, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error) goto failed;

    child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
    if (child->pidfd < 0) {
        error = errno;
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        goto failed;
    }
    child->socket = sockets[0];
    child->lifetime = pipes[1];
    webimage_sandbox_hold_child(child);
    close(sockets[1]);
    close(pipes[0]);
    close(lent);
    return 0;

failed:
    close_if_open(sockets[0]);
    close_if_open(sockets[1]);
    close_if_open(pipes[0]);
    close_if_open(pipes[1]);
    close_if_open(lent);
    return error ? error : EMFILE;
}

void webimage_sandbox_hold_child(const webimage_sandbox_child *child) {
    webimage_sandbox_hold(child->pidfd);
    webimage_sandbox_hold(child->socket);
    webimage_sandbox_hold(child->lifetime);
}

void webimage_sandbox_kill(const webimage_sandbox_child *child) {
    syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
}

bool webimage_sandbox_has_ended(const webimage_sandbox_child *child, int milliseconds) {
    struct pollfd entry = {.fd = child->pidfd, .events = POLLIN};
    int ready;
    do ready = poll(&entry, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

webimage_sandbox_end webimage_sandbox_collect(const webimage_sandbox_child *child, int *value) {
    siginfo_t info = {0};
    if (waitid((idtype_t)P_PIDFD, (id_t)child->pidfd, &info, WEXITED) || !info.si_pid) {
        *value = 0;
        return webimage_sandbox_unknown;
    }
    *value = info.si_status;
    return info.si_code == CLD_EXITED ? webimage_sandbox_exited : webimage_sandbox_signalled;
}

int webimage_sandbox_make_watch(void) {
    int watch = epoll_create1(EPOLL_CLOEXEC);
    if (watch >= 0) webimage_sandbox_hold(watch);
    return watch;
}

int webimage_sandbox_watch(int watch, const webimage_sandbox_child *child, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = number};
    return epoll_ctl(watch, EPOLL_CTL_ADD, child->pidfd, &event) ? errno : 0;
}

uint64_t webimage_sandbox_next_end(int watch) {
    struct epoll_event event = {0};
    int count;
    do count = epoll_wait(watch, &event, 1, -1);
    while (count < 0 && errno == EINTR);
    return count == 1 ? event.data.u64 : 0;
}
