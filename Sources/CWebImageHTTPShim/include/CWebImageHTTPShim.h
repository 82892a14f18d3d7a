// System calls of Linux that Swift's C library module does not contain or cannot call: accept4(2), epoll(7),
// eventfd(2), sendfile(2), TCP_INFO, and sendmsg(2) with two parts. The server in Swift decides when to call them.
#ifndef CWEBIMAGEHTTPSHIM_H
#define CWEBIMAGEHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// A watch is the descriptor of an epoll instance. An event names the watched descriptor by the number that was passed
// when the watch began. An event can arrive after its descriptor was closed.
typedef struct webimage_http_event {
    uint64_t id;
    bool is_readable;
    bool is_writable;
    // The peer sends no further byte. It may still receive.
    bool is_ended;
    // The connection is reset, or closed in both directions.
    bool is_gone;
} webimage_http_event;

// Accepts the next connection. Returns its descriptor, non-blocking, close-on-exec and without Nagle's delay, or -1
// with errno set.
int webimage_http_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
int webimage_http_watch_create(void);
// Makes the watch report `id` as long as the descriptor is readable.
int webimage_http_watch_readable(int watch, int descriptor, uint64_t id);
// Makes the watch report `id` each time the connection becomes readable or writable, ends or is reset.
int webimage_http_watch_connection(int watch, int descriptor, uint64_t id);
int webimage_http_watch_remove(int watch, int descriptor);
int webimage_http_watch_wait(int watch, webimage_http_event *events, int count, int milliseconds);
int webimage_http_wake_create(void);
void webimage_http_wake(int wake);
void webimage_http_wake_clear(int wake);

// Sends two parts in one call. Returns the number of sent bytes, or -1 with errno set. `more` announces that further
// bytes follow, so that the system fills its packets.
ptrdiff_t webimage_http_send(
    int descriptor, const void *head, size_t head_size, const void *body, size_t body_size, bool more);
// Sends a part of a file. Returns the number of sent bytes, 0 at the end of the file, or -1 with errno set.
ptrdiff_t webimage_http_send_file(int descriptor, int file, int64_t offset, size_t size);

// The number of bytes that the peer of a TCP connection has acknowledged; -1 if unknown.
int64_t webimage_http_acknowledged(int descriptor);

#endif
