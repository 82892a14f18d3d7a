// An HTTP/1.1 server over libmicrohttpd that answers a request when a task is done with it, on any thread.
//
// Swift cannot call the library itself: its functions are variadic or give unions, and its types differ between versions.
// libmicrohttpd is loaded at run time, so that only a program that serves pays for it and for GnuTLS.
#ifndef CWEBIMAGEHTTPSHIM_H
#define CWEBIMAGEHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct webimage_http_server webimage_http_server;
// A request that was handed over; valid until webimage_http_reply, which is called exactly once.
typedef struct webimage_http_request webimage_http_request;
// An answer in the making: given to webimage_http_reply or destroyed.
typedef struct webimage_http_response webimage_http_response;

// Called on the server's threads. A connection is the number that `opened` returns for its descriptor.
typedef struct webimage_http_callbacks {
    void *context;
    uint64_t (*opened)(void *context, int descriptor);
    // The descriptor is closed after this call.
    void (*closed)(void *context, uint64_t connection);
    // A request line was read.
    void (*began)(void *context, uint64_t connection);
    // A head was read and is well formed: 0 to take the request, else the status to refuse it with.
    unsigned (*admit)(void *context, uint64_t connection);
    // The request is the callee's until it replies; its head may be read during this call alone.
    void (*handle)(void *context, uint64_t connection, webimage_http_request *request);
    // An answer of so many bytes is about to be sent.
    void (*sending)(void *context, uint64_t connection, uint64_t bytes);
    // The answer was sent, or the connection ended before it was.
    void (*completed)(void *context, uint64_t connection);
} webimage_http_callbacks;

typedef struct webimage_http_options {
    // Threads that read and write.
    unsigned threads;
    // Connections at most; above what the caller admits, so that the library never lets one wait.
    unsigned connections;
    // Bytes that a connection has for a head.
    size_t memory;
    // Bytes of a target at most.
    size_t target;
} webimage_http_options;

// Takes the functions from the open library; gives the name of a missing one, or NULL. Once, before all others.
const char *webimage_http_bind(void *library);
const char *webimage_http_version(void);

// NULL when it cannot be started.
webimage_http_server *webimage_http_start(webimage_http_options options, webimage_http_callbacks callbacks);
// Takes a connected socket, which the server closes; false when it was closed at once. Any thread.
bool webimage_http_add(webimage_http_server *server, int descriptor, const struct sockaddr *address, socklen_t length);
// Closes all connections and waits for the threads. No request may be handed over and not replied to.
void webimage_http_stop(webimage_http_server *server);

const char *webimage_http_method(const webimage_http_request *request);
// As it was received, not unescaped.
const char *webimage_http_target(const webimage_http_request *request);
// Calls `take` with each field of the head, in order; the bytes are valid during the call.
void webimage_http_fields(
    const webimage_http_request *request, void *context,
    void (*take)(void *context, const char *name, size_t name_size, const char *value, size_t value_size));

// A copy of the bytes.
webimage_http_response *webimage_http_response_copying(const void *bytes, size_t size);
// The bytes themselves: `release(owner)` runs on a server thread when the last byte was sent or given up.
webimage_http_response *webimage_http_response_keeping(
    const void *bytes, size_t size, void (*release)(void *owner), void *owner);
// A part of a file, sent by sendfile(2); the descriptor is closed with the response, also when this gives NULL.
webimage_http_response *webimage_http_response_file(int descriptor, uint64_t offset, uint64_t size);
void webimage_http_response_add(webimage_http_response *response, const char *name, const char *value);
// Any thread, once a request. `closes` ends the connection after the answer; without a response it ends at once.
void webimage_http_reply(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes);

// accept4(2), epoll(7) and eventfd(2), which Swift's C library module lacks.
typedef struct webimage_http_event {
    uint64_t id;
    bool is_readable;
} webimage_http_event;

// The next connection, not blocking and closed on exec; -1 with errno.
int webimage_http_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
int webimage_http_watch_create(void);
// Reports when the socket can be read (a listener).
int webimage_http_watch_readable(int watch, int descriptor, uint64_t id);
// Reports once when the other side has closed.
int webimage_http_watch_closing(int watch, int descriptor, uint64_t id);
int webimage_http_watch_remove(int watch, int descriptor);
int webimage_http_watch_wait(int watch, webimage_http_event *events, int count, int milliseconds);
int webimage_http_wake_create(void);
void webimage_http_wake(int wake);
void webimage_http_wake_clear(int wake);

// Bytes the other side of a TCP connection has acknowledged; -1 when that cannot be said.
int64_t webimage_http_acknowledged(int descriptor);

#endif
