#define _GNU_SOURCE
#include "CWebImageSandbox.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

typedef union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
} control_buffer;

int webimage_sandbox_send(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    control_buffer control;
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

ssize_t webimage_sandbox_receive(int socket, void *bytes, size_t count, int *descriptor, int milliseconds) {
    *descriptor = -1;
    if (milliseconds >= 0) {
        // The worker never takes this branch: its filter does not allow poll(2).
        struct pollfd entry = {.fd = socket, .events = POLLIN};
        int ready = poll(&entry, 1, milliseconds);
        if (ready < 0) return errno == EINTR ? -ETIMEDOUT : -errno;
        if (ready == 0) return -ETIMEDOUT;
    }
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    control_buffer control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    // A peer that ended with unread bytes is an end too.
    if (received < 0) return errno == ECONNRESET ? 0 : -errno;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(descriptor, CMSG_DATA(head), sizeof(int));
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        if (*descriptor >= 0) close(*descriptor);
        *descriptor = -1;
        return -EMSGSIZE;
    }
    return received;
}
