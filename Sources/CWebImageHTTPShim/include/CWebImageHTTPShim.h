// An HTTP/1.1 server over libmicrohttpd. A request is answered during its callback or later, from any thread.
//
// Swift cannot call the library itself: its functions are variadic or return unions, and its types differ between
// versions. libmicrohttpd is loaded at run time, so that only programs that serve load it and GnuTLS.
#ifndef CWEBIMAGEHTTPSHIM_H
#define CWEBIMAGEHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct webimage_http_server webimage_http_server;
// A request that was passed to `handle`. A suspended one is valid until webimage_http_reply, which must be called
// exactly once.
typedef struct webimage_http_request webimage_http_request;
// A response under construction: must be passed to webimage_http_answer or webimage_http_reply.
typedef struct webimage_http_response webimage_http_response;

// Called on the server's threads. `connection` is the number that `opened` returned for the descriptor.
typedef struct webimage_http_callbacks {
    void *context;
    uint64_t (*opened)(void *context, int descriptor);
    // The descriptor is closed after this call.
    void (*closed)(void *context, uint64_t connection);
    // A request line was read.
    void (*began)(void *context, uint64_t connection);
    // A well-formed head was read. Returns 0 to accept the request, or the status of a refusal.
    unsigned (*admit)(void *context, uint64_t connection);
    // Returns true after webimage_http_answer. Otherwise the callee has called webimage_http_suspend and owns the
    // request until webimage_http_reply. The head may be read only during this call.
    bool (*handle)(void *context, uint64_t connection, webimage_http_request *request);
    // Called before an answer of `bytes` bytes is sent.
    void (*sending)(void *context, uint64_t connection, uint64_t bytes);
    // The answer was sent, or the connection was closed before that.
    void (*completed)(void *context, uint64_t connection);
} webimage_http_callbacks;

typedef struct webimage_http_options {
    // Threads that read and write sockets.
    unsigned threads;
    // The maximum of connections. Must exceed the caller's own maximum, so that the library never delays a connection.
    unsigned connections;
    // The memory per connection for a request's head, in bytes.
    size_t memory;
    // The maximum length of a target in bytes.
    size_t target;
} webimage_http_options;

// Loads the functions from the open library. Returns the name of a missing function, or NULL. Call once, before all
// others.
const char *webimage_http_bind(void *library);
const char *webimage_http_version(void);

// Starts a server. Returns NULL if the server cannot be started.
webimage_http_server *webimage_http_start(webimage_http_options options, webimage_http_callbacks callbacks);
// Adds a connected socket, which the server closes; false if it was closed at once. Any thread.
bool webimage_http_add(webimage_http_server *server, int descriptor, const struct sockaddr *address, socklen_t length);
// Closes all connections and waits for the threads. Reply to every suspended request before this call.
void webimage_http_stop(webimage_http_server *server);

const char *webimage_http_method(const webimage_http_request *request);
// The request target (path and query) as received, still percent-encoded.
const char *webimage_http_target(const webimage_http_request *request);
// Calls `take` with each field of the head, in order; the bytes are valid only during the call.
void webimage_http_fields(
    const webimage_http_request *request, void *context,
    void (*take)(void *context, const char *name, size_t name_size, const char *value, size_t value_size));

// Creates a response with a copy of the bytes.
webimage_http_response *webimage_http_response_copying(const void *bytes, size_t size);
// Creates a response that uses the bytes without a copy. `release(owner)` runs on a server thread after the last byte
// was sent or discarded.
webimage_http_response *webimage_http_response_retaining(
    const void *bytes, size_t size, void (*release)(void *owner), void *owner);
// Creates a response with a part of a file, sent by sendfile(2). The descriptor is closed with the response, or by this
// function if it returns NULL.
webimage_http_response *webimage_http_response_file(int descriptor, uint64_t offset, uint64_t size);
void webimage_http_response_add(webimage_http_response *response, const char *name, const char *value);
// Answers a request during `handle`, on the server's thread. This avoids waking another thread. The arguments are those
// of webimage_http_reply.
void webimage_http_answer(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes);
// Called during `handle`, before the request is passed to another thread: a reply may resume the connection before
// `handle` returns.
void webimage_http_suspend(webimage_http_request *request);
// Answers a suspended request. Call it exactly once per suspended request, on any thread. `closes` closes the
// connection after the answer. If `response` is NULL, the connection is closed without an answer.
void webimage_http_reply(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes);

// accept4(2), epoll(7) and eventfd(2), which Swift's C library module does not contain.
typedef struct webimage_http_event {
    uint64_t id;
    bool is_readable;
} webimage_http_event;

// Accepts the next connection. Returns its descriptor, non-blocking and close-on-exec, or -1 with errno set.
int webimage_http_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
int webimage_http_watch_create(void);
// Makes the watch report when a listening socket has a connection to accept.
int webimage_http_watch_readable(int watch, int descriptor, uint64_t id);
// Makes the watch report once when the peer has closed the connection.
int webimage_http_watch_closing(int watch, int descriptor, uint64_t id);
int webimage_http_watch_remove(int watch, int descriptor);
int webimage_http_watch_wait(int watch, webimage_http_event *events, int count, int milliseconds);
int webimage_http_wake_create(void);
void webimage_http_wake(int wake);
void webimage_http_wake_clear(int wake);

// The bytes that the peer of a TCP connection has acknowledged; -1 if unknown.
int64_t webimage_http_acknowledged(int descriptor);

#endif
