// An HTTP/1.1 server that uses libmicrohttpd. A request is answered during its `handle` callback, or later on any
// thread.
//
// Swift cannot call libmicrohttpd directly: its functions are variadic or return unions, and its types differ between
// versions. This shim loads libmicrohttpd at run time, so that programs without a server load neither it nor GnuTLS.
#ifndef CWEBIMAGEHTTPSHIM_H
#define CWEBIMAGEHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct webimage_http_server webimage_http_server;
// A request that was passed to `handle`. A suspended request is valid until webimage_http_reply, which must be called
// exactly once.
typedef struct webimage_http_request webimage_http_request;
// A response that is not sent yet. It must be passed to webimage_http_answer or webimage_http_reply.
typedef struct webimage_http_response webimage_http_response;

// Functions that are called on the server's threads. `connection` is the number that `opened` returned for the
// descriptor.
typedef struct webimage_http_callbacks {
    void *context;
    uint64_t (*opened)(void *context, int descriptor);
    // Called before the descriptor is closed.
    void (*closed)(void *context, uint64_t connection);
    // Called after a request line was read.
    void (*began)(void *context, uint64_t connection);
    // Called after a well-formed head was read. Returns 0 to accept the request. Otherwise returns the HTTP status with
    // which the server refuses the request.
    unsigned (*admit)(void *context, uint64_t connection);
    // Called for an accepted request. The function must call either webimage_http_answer and return true, or
    // webimage_http_suspend and return false. A suspended request stays valid until webimage_http_reply, which the
    // callee must call later. The head may be read only during this call.
    bool (*handle)(void *context, uint64_t connection, webimage_http_request *request);
    // Called before an answer of `bytes` bytes is sent.
    void (*sending)(void *context, uint64_t connection, uint64_t bytes);
    // Called after the answer was sent, or after the connection was closed without a complete answer.
    void (*completed)(void *context, uint64_t connection);
} webimage_http_callbacks;

typedef struct webimage_http_options {
    // The number of threads that read and write sockets.
    unsigned threads;
    // The maximum number of connections. It must exceed the caller's own maximum; otherwise the library could delay
    // connections.
    unsigned connections;
    // The memory per connection for a request's head, in bytes.
    size_t memory;
    // The maximum length of a target in bytes.
    size_t target;
} webimage_http_options;

// Finds all functions of libmicrohttpd in `library`, a handle from dlopen(3). Returns the name of a missing function,
// or NULL. Call it once, before all other functions of this shim.
const char *webimage_http_bind(void *library);
const char *webimage_http_version(void);

// Starts a server. Returns NULL if the server cannot be started.
webimage_http_server *webimage_http_start(webimage_http_options options, webimage_http_callbacks callbacks);
// Adds a connected socket. The server closes the socket, even if this call fails. Returns false on failure. May be
// called on any thread.
bool webimage_http_add(webimage_http_server *server, int descriptor, const struct sockaddr *address, socklen_t length);
// Closes all connections and waits until the server's threads have ended. Reply to every suspended request before this
// call.
void webimage_http_stop(webimage_http_server *server);

const char *webimage_http_method(const webimage_http_request *request);
// The request target (path and query) as received, still percent-encoded.
const char *webimage_http_target(const webimage_http_request *request);
// Calls `take` once for each field of the head, in order. The bytes are valid only during that call of `take`.
void webimage_http_fields(
    const webimage_http_request *request, void *context,
    void (*take)(void *context, const char *name, size_t name_size, const char *value, size_t value_size));

// Creates a response with a copy of the bytes.
webimage_http_response *webimage_http_response_copying(const void *bytes, size_t size);
// Creates a response that uses the bytes without copying them. `release(owner)` runs on a server thread after the last
// byte was sent or discarded. If this function returns NULL, `release` is not called.
webimage_http_response *webimage_http_response_retaining(
    const void *bytes, size_t size, void (*release)(void *owner), void *owner);
// Creates a response whose body is a part of a file. The part is sent with sendfile(2). The descriptor is closed
// together with the response. If this function returns NULL, it has already closed the descriptor.
webimage_http_response *webimage_http_response_file(int descriptor, uint64_t offset, uint64_t size);
void webimage_http_response_add(webimage_http_response *response, const char *name, const char *value);
// Answers a request during `handle`, on the server's thread. This avoids waking another thread. The parameters have the
// same meaning as those of webimage_http_reply.
void webimage_http_answer(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes);
// Suspends a request. Call it during `handle`, before another thread receives the request. Otherwise that thread could
// reply, and thus resume the connection, before the connection is suspended.
void webimage_http_suspend(webimage_http_request *request);
// Answers a suspended request. Call it exactly once for each suspended request, on any thread. If `closes` is true, the
// connection is closed after the answer. If `response` is NULL, the connection is closed without an answer.
void webimage_http_reply(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes);

// Swift's C library module does not contain accept4(2), epoll(7) and eventfd(2). The functions below call these
// functions. A watch is the descriptor of an epoll instance.
typedef struct webimage_http_event {
    uint64_t id;
    bool is_readable;
} webimage_http_event;

// Accepts the next connection. Returns its descriptor, non-blocking and close-on-exec, or -1 with errno set.
int webimage_http_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
int webimage_http_watch_create(void);
// Makes the watch report `id` when a listening socket has a connection to accept.
int webimage_http_watch_readable(int watch, int descriptor, uint64_t id);
// Makes the watch report `id` once when the peer has closed the connection.
int webimage_http_watch_closing(int watch, int descriptor, uint64_t id);
int webimage_http_watch_remove(int watch, int descriptor);
int webimage_http_watch_wait(int watch, webimage_http_event *events, int count, int milliseconds);
int webimage_http_wake_create(void);
void webimage_http_wake(int wake);
void webimage_http_wake_clear(int wake);

// The number of bytes that the peer of a TCP connection has acknowledged; -1 if unknown.
int64_t webimage_http_acknowledged(int descriptor);

#endif
