#define _GNU_SOURCE
#include "CWebImageHTTPShim.h"
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

int webimage_http_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    int descriptor = accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int on = 1;
    // Fails for a Unix socket, which has no such delay.
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

int webimage_http_watch_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int watch(int watch, int descriptor, uint64_t id, uint32_t events) {
    // Store a number and not a pointer, because an event can arrive after its connection was freed.
    struct epoll_event event = {.events = events, .data.u64 = id};
    return epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event);
}

int webimage_http_watch_readable(int set, int descriptor, uint64_t id) { return watch(set, descriptor, id, EPOLLIN); }

int webimage_http_watch_connection(int set, int descriptor, uint64_t id) {
    // Edges instead of levels: a connection then needs no further epoll_ctl(2) for each request.
    return watch(set, descriptor, id, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int webimage_http_watch_remove(int set, int descriptor) { return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL); }

int webimage_http_watch_wait(int set, webimage_http_event *events, int count, int milliseconds) {
    struct epoll_event found[64];
    int number = epoll_wait(set, found, count < 64 ? count : 64, milliseconds);
    for (int i = 0; i < number; i++) {
        events[i].id = found[i].data.u64;
        events[i].is_readable = (found[i].events & EPOLLIN) != 0;
        events[i].is_writable = (found[i].events & EPOLLOUT) != 0;
        events[i].is_ended = (found[i].events & EPOLLRDHUP) != 0;
        events[i].is_gone = (found[i].events & (EPOLLHUP | EPOLLERR)) != 0;
    }
    return number;
}

int webimage_http_wake_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void webimage_http_wake(int wake) {
    uint64_t one = 1;
    ssize_t written = write(wake, &one, sizeof one);
    (void)written;
}

void webimage_http_wake_clear(int wake) {
    uint64_t count;
    ssize_t got = read(wake, &count, sizeof count);
    (void)got;
}

ptrdiff_t webimage_http_send(
    int descriptor, const void *head, size_t head_size, const void *body, size_t body_size, bool more) {
    struct iovec parts[2] = {{(void *)head, head_size}, {(void *)body, body_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
}

ptrdiff_t webimage_http_send_file(int descriptor, int file, int64_t offset, size_t size) {
    off_t place = offset;
    return sendfile(descriptor, file, &place, size);
}

int64_t webimage_http_acknowledged(int descriptor) {
    // Use the structure from <linux/tcp.h>, because the structure from glibc has no member tcpi_bytes_acked.
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    if (size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) return -1;
    return (int64_t)info.tcpi_bytes_acked;
}
