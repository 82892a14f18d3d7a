#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// A template is a worker that has loaded and tried its libraries and reads no file. It makes workers by fork(2), so that
// they need not load the libraries again. It is never restricted itself, and never receives bytes of a picture.

enum { most_descriptors = 3 };

// Sends bytes and descriptors. Returns whether the message was sent.
static bool send_descriptors(int socket, const void *bytes, size_t size, const int *descriptors, unsigned count) {
    union {
        char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), descriptors, count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

// Receives exactly these numbers of bytes and descriptors; otherwise returns false and keeps none.
static bool receive_descriptors(int socket, void *bytes, size_t size, int *descriptors, unsigned count) {
    union {
        char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received <= 0) return false;
    unsigned found = 0;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        found = (unsigned)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        if (found > most_descriptors) found = most_descriptors;
        int all[most_descriptors];
        memcpy(all, CMSG_DATA(head), found * sizeof(int));
        if (found == count) memcpy(descriptors, all, count * sizeof(int));
        else for (unsigned i = 0; i < found; i++) close(all[i]);
    }
    if (found == count && received == (ssize_t)size && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return true;
    if (found == count) for (unsigned i = 0; i < count; i++) close(descriptors[i]);
    return false;
}

int webimage_sandbox_fork(
    const webimage_sandbox_child *template, int window, bool isTested, webimage_sandbox_child *child) {
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1}, error = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) || pipe2(pipes, O_CLOEXEC)) {
        error = errno;
        if (sockets[0] >= 0) close(sockets[0]), close(sockets[1]);
        return error;
    }
    const int sent[] = {sockets[1], window, pipes[0]};
    pid_t pid = 0;
    struct pollfd answer = {.fd = template->socket, .events = POLLIN};
    if (!send_descriptors(template->socket, isTested ? "T" : "F", 1, sent, 3) || poll(&answer, 1, 2000) <= 0
        || !receive_descriptors(template->socket, &pid, sizeof pid, &child->pidfd, 1))
        error = ECHILD;
    close(sockets[1]);
    close(pipes[0]);
    if (error) {
        close(sockets[0]);
        close(pipes[1]);
        return error;
    }
    child->pid = pid;
    child->socket = sockets[0];
    child->lifetime = pipes[1];
    webimage_sandbox_hold_child(child);
    return 0;
}

static bool has_one_thread(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return false;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count == 1;
}

// Puts the descriptors of a worker into their places.
static void install(const int *received) {
    static const int places[] = {webimage_sandbox_socket, webimage_sandbox_window, webimage_sandbox_lifetime};
    for (unsigned i = 0; i < 3; i++) {
        // The received descriptors lie above the places, which are in use.
        if (dup2(received[i], places[i]) < 0) _exit(127);
        close(received[i]);
    }
}

webimage_sandbox_forked webimage_sandbox_serve_forks(void) {
    // A fork has only the thread that called it. A lock that another thread holds would stay locked.
    if (!has_one_thread()) return webimage_sandbox_template_ended;
    for (;;) {
        char command;
        int received[3], pidfd = -1;
        if (!receive_descriptors(webimage_sandbox_socket, &command, 1, received, 3))
            return webimage_sandbox_template_ended;
        // The host becomes the parent: it waits for the worker as for one that it has started itself.
        long pid = syscall(SYS_clone, CLONE_PARENT | CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, NULL);
        if (pid == 0) {
            install(received);
            return command == 'T' ? webimage_sandbox_worker_tested : webimage_sandbox_worker;
        }
        for (unsigned i = 0; i < 3; i++) close(received[i]);
        pid_t answer = (pid_t)pid;
        bool isSent = pid > 0 ? send_descriptors(webimage_sandbox_socket, &answer, sizeof answer, &pidfd, 1)
                              : send_descriptors(webimage_sandbox_socket, &answer, sizeof answer, NULL, 0);
        if (pidfd >= 0) close(pidfd);
        if (!isSent) return webimage_sandbox_template_ended;
    }
}
