#ifndef CCURLSHIM_H
#define CCURLSHIM_H

#if !__has_include(<curl/curl.h>)
#error "The headers of libcurl are missing: run Scripts/setup of swift-web-image, or install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// curl's error code for a header field that is too large. Since curl 8.6 its name is CURLE_TOO_LARGE. It is defined
// here because older headers lack the name, and the library loaded at run time can be newer than the headers.
static const CURLcode webimage_curl_too_large = (CURLcode)100;
#if LIBCURL_VERSION_NUM >= 0x080600
_Static_assert(CURLE_TOO_LARGE == 100, "curl's code for an oversized header field");
#endif

// libcurl is loaded at run time. A direct call of a libcurl function would make the program load libcurl at its start,
// so every call uses this shim.

// Finds all functions of libcurl in `library`, a handle from dlopen(3). Returns the name of a missing function, or
// NULL. Call it once, before all other functions of this shim.
const char *webimage_curl_bind(void *library);

// Content codings (RFC 9110 §8.4.1). Swift cannot call their libraries directly: they are known only when libcurl was
// loaded, and zlib's stream contains pointers into itself.
typedef enum { WEBIMAGE_GZIP, WEBIMAGE_DEFLATE, WEBIMAGE_BROTLI, WEBIMAGE_ZSTD } webimage_coding;
typedef struct webimage_decoder webimage_decoder;

// Finds the functions of the libraries that were loaded with libcurl. Called once, by webimage_curl_bind.
void webimage_coding_bind(void *library);
bool webimage_coding_is_available(webimage_coding coding);
// Returns NULL if the coding is not available or no memory is left.
webimage_decoder *webimage_decoder_new(webimage_coding coding);
void webimage_decoder_free(webimage_decoder *decoder);
// Whether the body may end here.
bool webimage_decoder_is_complete(const webimage_decoder *decoder);
// Decodes a part of the input. Returns 0 for success, 1 if the rest of the input is not part of the body, -1 if the input is
// damaged. Call it again while it has consumed or written bytes.
int webimage_decoder_run(webimage_decoder *decoder, const uint8_t *in, size_t in_size, size_t *consumed, uint8_t *out,
                         size_t out_size, size_t *written);

typedef size_t (*webimage_curl_data_function)(char *data, size_t size, size_t count, void *context);

// Functions that only pass their arguments on: result, name, parameters, and the call. The names begin with `webimage_`.
//
// easy_perform runs one transfer on the calling thread until it has ended. easy_send and easy_recv use a connection that
// was dialled with CURLOPT_CONNECT_ONLY, and CURLE_AGAIN means: wait for the socket, which is get_socket. multi_poll
// waits for curl's sockets for at most `timeout` milliseconds.
//
// Swift cannot call curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt and curl_share_setopt, because they are
// variadic. Each function named set_ or get_ calls one of them with a last argument of a fixed type. The names of these
// four are in parentheses. Without the parentheses, the compiler would use curl's macro of the same name, which accepts
// only literal options.
#define WEBIMAGE_CURL_FORWARDS(forward) \
    forward(CURLcode, curl_global_init, (long flags), curl.curl_global_init(flags)) \
    forward(CURL *, curl_easy_init, (void), curl.curl_easy_init()) \
    forward(void, curl_easy_reset, (CURL *easy), curl.curl_easy_reset(easy)) \
    forward(void, curl_easy_cleanup, (CURL *easy), curl.curl_easy_cleanup(easy)) \
    forward(const char *, curl_easy_strerror, (CURLcode code), curl.curl_easy_strerror(code)) \
    forward(CURLcode, curl_easy_perform, (CURL *easy), curl.curl_easy_perform(easy)) \
    forward(CURLcode, curl_easy_send, (CURL *easy, const void *bytes, size_t count, size_t *sent), \
        curl.curl_easy_send(easy, bytes, count, sent)) \
    forward(CURLcode, curl_easy_recv, (CURL *easy, void *bytes, size_t count, size_t *received), \
        curl.curl_easy_recv(easy, bytes, count, received)) \
    forward(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *line), \
        curl.curl_slist_append(list, line)) \
    forward(void, curl_slist_free_all, (struct curl_slist *list), curl.curl_slist_free_all(list)) \
    forward(CURLM *, curl_multi_init, (void), curl.curl_multi_init()) \
    forward(CURLMcode, curl_multi_cleanup, (CURLM *multi), curl.curl_multi_cleanup(multi)) \
    forward(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), curl.curl_multi_add_handle(multi, easy)) \
    forward(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), curl.curl_multi_remove_handle(multi, easy)) \
    forward(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), curl.curl_multi_perform(multi, running)) \
    forward(CURLMcode, curl_multi_poll, (CURLM *multi, int timeout), curl.curl_multi_poll(multi, NULL, 0, timeout, NULL)) \
    forward(CURLMcode, curl_multi_wakeup, (CURLM *multi), curl.curl_multi_wakeup(multi)) \
    forward(CURLSH *, curl_share_init, (void), curl.curl_share_init()) \
    forward(CURLSHcode, curl_share_cleanup, (CURLSH *share), curl.curl_share_cleanup(share)) \
    forward(CURLcode, curl_set_long, (CURL *easy, CURLoption option, long value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_offset, (CURL *easy, CURLoption option, curl_off_t value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_string, (CURL *easy, CURLoption option, const char *value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_pointer, (CURL *easy, CURLoption option, void *value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_list, (CURL *easy, CURLoption option, struct curl_slist *value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_data_function, (CURL *easy, CURLoption option, webimage_curl_data_function value), \
        (curl.curl_easy_setopt)(easy, option, value)) \
    forward(CURLcode, curl_set_opensocket, (CURL *easy, curl_opensocket_callback value), \
        (curl.curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value)) \
    forward(CURLcode, curl_set_sockopt, (CURL *easy, curl_sockopt_callback value), \
        (curl.curl_easy_setopt)(easy, CURLOPT_SOCKOPTFUNCTION, value)) \
    forward(CURLcode, curl_set_closesocket, (CURL *easy, curl_closesocket_callback value), \
        (curl.curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value)) \
    forward(CURLcode, curl_set_prereq, (CURL *easy, curl_prereq_callback value), \
        (curl.curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value)) \
    forward(CURLcode, curl_get_long, (CURL *easy, CURLINFO info, long *value), (curl.curl_easy_getinfo)(easy, info, value)) \
    forward(CURLcode, curl_get_offset, (CURL *easy, CURLINFO info, curl_off_t *value), \
        (curl.curl_easy_getinfo)(easy, info, value)) \
    forward(CURLcode, curl_get_socket, (CURL *easy, curl_socket_t *value), \
        (curl.curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, value)) \
    forward(CURLMcode, curl_multi_set_long, (CURLM *multi, CURLMoption option, long value), \
        (curl.curl_multi_setopt)(multi, option, value)) \
    forward(CURLSHcode, curl_share_set_long, (CURLSH *share, CURLSHoption option, long value), \
        (curl.curl_share_setopt)(share, option, value))

#define WEBIMAGE_CURL_DECLARE(result, name, parameters, call) result webimage_##name parameters;
WEBIMAGE_CURL_FORWARDS(WEBIMAGE_CURL_DECLARE)
#undef WEBIMAGE_CURL_DECLARE

// Finds the next finished transfer, sets `easy` and `result`, and returns 1. Returns 0 if there is none.
//
// This function is written in C because Swift imports the union in CURLMsg awkwardly. A CURLMsg is also valid only
// until the next call of libcurl.
int webimage_curl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result);

#endif
