#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

typedef union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
} control_buffer;

int webimage_sandbox_send(int socket, const void *bytes, size_t count, int descriptor) {
    ssize_t sent;
    if (descriptor < 0) {
        do sent = send(socket, bytes, count, MSG_NOSIGNAL);
        while (sent < 0 && errno == EINTR);
        return sent < 0 ? errno : 0;
    }
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    control_buffer control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

int webimage_sandbox_limit_wait(int socket, int milliseconds) {
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) ? errno : 0;
}

bool webimage_sandbox_send_at_once(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)count;
}

int webimage_sandbox_limit_send(int socket, int milliseconds) {
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) ? errno : 0;
}

ssize_t webimage_sandbox_receive(int socket, void *bytes, size_t count, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    control_buffer control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    // Without room for descriptors, the kernel passes none on and reports MSG_CTRUNC. A buffer for one has room for two.
    if (descriptor) {
        *descriptor = -1;
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) {
        // A signal ends the wait: with many of them, a wait that began anew each time would never end.
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return -ETIMEDOUT;
        // A peer that ended with unread bytes is an end too.
        return errno == ECONNRESET ? 0 : -errno;
    }
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); descriptor && head; head = CMSG_NXTHDR(&message, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(descriptor, CMSG_DATA(head), sizeof(int));
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        if (descriptor && *descriptor >= 0) {
            close(*descriptor);
            *descriptor = -1;
        }
        return -EMSGSIZE;
    }
    return received;
}
