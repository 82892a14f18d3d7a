#include "CWebImageHTTPShim.h"
#include "../CWebImageMicroHTTPD/shim.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// libmicrohttpd's functions. webimage_http_bind fills the table before all other calls; the table does not change
// afterwards.
static MicroHTTPDFunctions mhd;

struct webimage_http_server {
    struct MHD_Daemon *daemon;
    webimage_http_callbacks callbacks;
    size_t target_limit;
};

struct webimage_http_request {
    webimage_http_server *server;
    struct MHD_Connection *connection;
    const char *method;
    uint64_t id;
    // The next three members describe the answer. They are set before a suspended connection is resumed.
    struct MHD_Response *response;
    uint64_t size;
    unsigned status;
    bool is_judged, is_handed_over, is_answered, is_too_long;
    // The target in the library's buffer, and the target's length up to its first zero byte.
    const char *original;
    size_t original_size;
    char target[];
};

const char *webimage_http_bind(void *library) { return MicroHTTPDFunctions_bind(library, &mhd); }
const char *webimage_http_version(void) { return mhd.MHD_get_version(); }

static uint64_t connection_id(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? (uint64_t)(uintptr_t)info->socket_context : 0;
}

// The properties of a request's head that decide whether the request is refused.
struct head {
    unsigned hosts, lengths, codings;
    bool is_malformed, has_body;
};

// Compares a name with a lower-case field name. strncasecmp(3) is not used, because it depends on the locale: in a
// Turkish locale, I and i are not equal.
static bool is_field(const char *name, size_t size, const char *field) {
    if (size != strlen(field)) return false;
    for (size_t i = 0; i < size; i++) {
        char byte = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i];
        if (byte != field[i]) return false;
    }
    return true;
}

// Examines one field of a head. Detects fields that libmicrohttpd accepts but that a proxy in front of the server may
// interpret differently (RFC 9112 §5.1, §6.3, §11.2).
static enum MHD_Result judge(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t value_size) {
    struct head *head = context;
    if (name_size == 0) head->is_malformed = true;
    for (size_t i = 0; i < name_size; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte <= ' ' || byte >= 127 || strchr("()<>@,;:\\\"/[]?={}", byte)) head->is_malformed = true;
    }
    for (size_t i = 0; i < value_size; i++) {
        unsigned char byte = (unsigned char)value[i];
        if ((byte < ' ' && byte != '\t') || byte == 127) head->is_malformed = true;
    }
    if (is_field(name, name_size, "host")) head->hosts++;
    if (is_field(name, name_size, "transfer-encoding")) head->codings++;
    if (is_field(name, name_size, "content-length")) {
        head->lengths++;
        if (value_size == 0) head->is_malformed = true;
        for (size_t i = 0; i < value_size; i++) {
            if (value[i] < '0' || value[i] > '9') head->is_malformed = true;
            if (value[i] != '0') head->has_body = true;
        }
    }
    (void)kind;
    return MHD_YES;
}

// Whether the target contains a zero byte. libmicrohttpd's buffer contains the whole target, then one space, then the
// version. `original` is a C string, so it ends at the zero byte.
static bool is_cut(const webimage_http_request *request, const char *version) {
    return version && version != request->original + request->original_size + 1;
}

// Returns 0 to accept a request, or the HTTP status of a refusal. Requests with a body are refused, because no service
// uses the body of a request.
static unsigned judgement(webimage_http_request *request, const char *version) {
    struct head head = {0};
    if (is_cut(request, version)) return MHD_HTTP_BAD_REQUEST;
    if (request->is_too_long) return MHD_HTTP_URI_TOO_LONG;
    mhd.MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, judge, &head);
    if (head.is_malformed || head.hosts > 1 || head.lengths > 1 || (head.codings && head.lengths)) return 400;
    return head.codings || head.has_body ? 413 : 0;
}

static const char *reason(unsigned status) {
    switch (status) {
    case 400: return "the head of the request is malformed\n";
    case 413: return "a request has no body here\n";
    case 414: return "the target is too long\n";
    default: return "the service is stopping\n";
    }
}

// Answers a refused request, which is not passed to `handle`. The connection is closed after the answer.
static enum MHD_Result refuse(webimage_http_request *request, unsigned status) {
    const char *text = reason(status);
    webimage_http_response *response = webimage_http_response_copying(text, strlen(text));
    if (!response) return MHD_NO;
    webimage_http_response_add(response, "Content-Type", "text/plain; charset=utf-8");
    webimage_http_response_add(response, "X-Content-Type-Options", "nosniff");
    webimage_http_response_add(response, "Cache-Control", "no-store");
    if (status == 503) webimage_http_response_add(response, "Retry-After", "1");
    webimage_http_response_add(response, "Connection", "close");
    request->response = (struct MHD_Response *)response;
    request->status = status;
    webimage_http_callbacks *callbacks = &request->server->callbacks;
    callbacks->sending(callbacks->context, request->id, strlen(text));
    return mhd.MHD_queue_response(request->connection, status, request->response);
}

// Sends the answer that webimage_http_reply or webimage_http_answer has set.
static enum MHD_Result send_answer(webimage_http_request *request) {
    webimage_http_callbacks *callbacks = &request->server->callbacks;
    callbacks->sending(callbacks->context, request->id, request->size);
    return mhd.MHD_queue_response(request->connection, request->status, request->response);
}

// Allocates a webimage_http_request for a new request, and copies the target before libmicrohttpd unescapes it.
// libmicrohttpd stores the returned pointer. In the other callbacks, `slot` points to that pointer.
static void *begin(void *context, const char *target, struct MHD_Connection *connection) {
    webimage_http_server *server = context;
    size_t size = strlen(target);
    bool is_too_long = size > server->target_limit;
    if (is_too_long) size = 0;
    webimage_http_request *request = calloc(1, sizeof *request + size + 1);
    if (!request) return NULL;
    request->original = target;
    request->original_size = strlen(target);
    memcpy(request->target, target, size);
    request->is_too_long = is_too_long;
    request->server = server;
    request->connection = connection;
    request->id = connection_id(connection);
    server->callbacks.began(server->callbacks.context, request->id);
    return request;
}

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **slot) {
    webimage_http_request *request = *slot;
    (void)context, (void)url, (void)upload;
    if (!request) return MHD_NO;
    webimage_http_callbacks *callbacks = &request->server->callbacks;
    if (*upload_size) {
        *upload_size = 0;
        return MHD_YES;
    }
    if (request->is_handed_over) {
        if (!request->is_answered) return MHD_YES;
        return request->response ? send_answer(request) : MHD_NO;
    }
    if (!request->is_judged) {
        // libmicrohttpd calls this handler several times for each request. A response to the first call closes the
        // connection, so the first call sends only refusals.
        request->is_judged = true;
        unsigned status = judgement(request, version);
        return status ? refuse(request, status) : MHD_YES;
    }
    if (request->response) return MHD_YES;
    unsigned status = callbacks->admit(callbacks->context, request->id);
    if (status) return refuse(request, status);
    request->method = method;
    // Do not use the request after `handle` returned false: another thread may have replied and freed it.
    if (!callbacks->handle(callbacks->context, request->id, request)) return MHD_YES;
    return request->response ? send_answer(request) : MHD_NO;
}

static void completed(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code) {
    webimage_http_request *request = *slot;
    (void)context, (void)connection, (void)code;
    if (!request) return;
    *slot = NULL;
    request->server->callbacks.completed(request->server->callbacks.context, request->id);
    if (request->response) mhd.MHD_destroy_response(request->response);
    free(request);
}

static void connection_changed(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code) {
    webimage_http_server *server = context;
    webimage_http_callbacks *callbacks = &server->callbacks;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *slot = (void *)(uintptr_t)callbacks->opened(callbacks->context, info ? info->connect_fd : -1);
    } else if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        callbacks->closed(callbacks->context, (uint64_t)(uintptr_t)*slot);
    }
}

webimage_http_server *webimage_http_start(webimage_http_options options, webimage_http_callbacks callbacks) {
    webimage_http_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->callbacks = callbacks;
    server->target_limit = options.target;
    // Parse strictly. From version 0.9.77 on, the option has levels. Level 1 refuses everything that RFC 9112 requires
    // a server to refuse.
#if MHD_VERSION >= 0x00097701
    enum MHD_OPTION strictness = MHD_OPTION_CLIENT_DISCIPLINE_LVL;
#else
    enum MHD_OPTION strictness = MHD_OPTION_STRICT_FOR_CLIENT;
#endif
    // libmicrohttpd refuses a pool of one thread. For one thread, do not set the option.
    enum MHD_OPTION pool = options.threads >= 2 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END;
    // Do not use the library's timeout, because every received byte restarts it. The caller closes connections at their
    // deadlines.
    server->daemon = mhd.MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, answer,
        server, MHD_OPTION_URI_LOG_CALLBACK, begin, server, MHD_OPTION_NOTIFY_COMPLETED, completed, server,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server, MHD_OPTION_CONNECTION_LIMIT, options.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, options.memory, strictness, 1, pool,
        options.threads, MHD_OPTION_END);
    if (server->daemon) return server;
    free(server);
    return NULL;
}

bool webimage_http_add(webimage_http_server *server, int descriptor, const struct sockaddr *address, socklen_t length) {
    return mhd.MHD_add_connection(server->daemon, descriptor, address, length) == MHD_YES;
}

void webimage_http_stop(webimage_http_server *server) {
    mhd.MHD_stop_daemon(server->daemon);
    free(server);
}

const char *webimage_http_method(const webimage_http_request *request) { return request->method; }
const char *webimage_http_target(const webimage_http_request *request) { return request->target; }

struct taker {
    void *context;
    void (*take)(void *, const char *, size_t, const char *, size_t);
};

static enum MHD_Result take_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t value_size) {
    struct taker *taker = context;
    (void)kind;
    taker->take(taker->context, name, name_size, value ? value : "", value ? value_size : 0);
    return MHD_YES;
}

void webimage_http_fields(
    const webimage_http_request *request, void *context,
    void (*take)(void *, const char *, size_t, const char *, size_t)) {
    struct taker taker = {context, take};
    mhd.MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, take_field, &taker);
}

webimage_http_response *webimage_http_response_copying(const void *bytes, size_t size) {
    void *copy = malloc(size ? size : 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, bytes, size);
    webimage_http_response *response = webimage_http_response_retaining(copy, size, free, copy);
    if (!response) free(copy);
    return response;
}

webimage_http_response *webimage_http_response_retaining(
    const void *bytes, size_t size, void (*release)(void *), void *owner) {
    return (webimage_http_response *)mhd.MHD_create_response_from_buffer_with_free_callback_cls(
        size, (void *)bytes, release, owner);
}

webimage_http_response *webimage_http_response_file(int descriptor, uint64_t offset, uint64_t size) {
    struct MHD_Response *response = mhd.MHD_create_response_from_fd_at_offset64(size, descriptor, offset);
    if (!response) close(descriptor);
    return (webimage_http_response *)response;
}

void webimage_http_response_add(webimage_http_response *response, const char *name, const char *value) {
    mhd.MHD_add_response_header((struct MHD_Response *)response, name, value);
}

void webimage_http_suspend(webimage_http_request *request) {
    request->is_handed_over = true;
    mhd.MHD_suspend_connection(request->connection);
}

void webimage_http_answer(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes) {
    if (closes && response) webimage_http_response_add(response, "Connection", "close");
    request->is_answered = true;
    request->response = (struct MHD_Response *)response;
    request->status = status;
    request->size = size;
}

void webimage_http_reply(
    webimage_http_request *request, unsigned status, webimage_http_response *response, uint64_t size, bool closes) {
    webimage_http_answer(request, status, response, size, closes);
    // Do not use the request after this call: it may be freed before the call returns.
    mhd.MHD_resume_connection(request->connection);
}
