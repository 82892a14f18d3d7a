#ifndef CCURLSHIM_H
#define CCURLSHIM_H

#if !__has_include(<curl/curl.h>)
#error "The headers of libcurl are missing: run Scripts/setup of swift-web-image, or install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>
#include <stddef.h>

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

CURLcode webimage_curl_global_init(long flags);

CURL *webimage_curl_easy_init(void);
void webimage_curl_easy_reset(CURL *easy);
void webimage_curl_easy_cleanup(CURL *easy);
const char *webimage_curl_easy_strerror(CURLcode code);

// Runs one transfer on the calling thread until it has ended.
CURLcode webimage_curl_easy_perform(CURL *easy);
// Sends and receives bytes on a connection that was dialled with CURLOPT_CONNECT_ONLY. CURLE_AGAIN: wait for the socket.
CURLcode webimage_curl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
CURLcode webimage_curl_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received);

struct curl_slist *webimage_curl_slist_append(struct curl_slist *list, const char *line);
void webimage_curl_slist_free_all(struct curl_slist *list);

CURLM *webimage_curl_multi_init(void);
void webimage_curl_multi_cleanup(CURLM *multi);
CURLMcode webimage_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode webimage_curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode webimage_curl_multi_perform(CURLM *multi, int *running);
// Waits for curl's sockets for at most `timeout` milliseconds.
CURLMcode webimage_curl_multi_poll(CURLM *multi, int timeout);
CURLMcode webimage_curl_multi_wakeup(CURLM *multi);

CURLSH *webimage_curl_share_init(void);
CURLSHcode webimage_curl_share_cleanup(CURLSH *share);

// Swift cannot call curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt and curl_share_setopt, because they are
// variadic. Each function below calls one of these functions with a last argument of a fixed type.

typedef size_t (*webimage_curl_data_function)(char *data, size_t size, size_t count, void *context);

CURLcode webimage_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode webimage_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode webimage_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode webimage_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode webimage_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode webimage_curl_set_data_function(CURL *easy, CURLoption option, webimage_curl_data_function value);

CURLcode webimage_curl_set_opensocket(CURL *easy, curl_opensocket_callback value);
CURLcode webimage_curl_set_prereq(CURL *easy, curl_prereq_callback value);

CURLcode webimage_curl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode webimage_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
// The socket of a connection that was dialled with CURLOPT_CONNECT_ONLY.
CURLcode webimage_curl_get_socket(CURL *easy, curl_socket_t *value);
CURLcode webimage_curl_get_string(CURL *easy, CURLINFO info, const char **value);

CURLMcode webimage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLSHcode webimage_curl_share_set_long(CURLSH *share, CURLSHoption option, long value);

// Finds the next finished transfer, sets `easy` and `result`, and returns 1. Returns 0 if there is none.
//
// This function is written in C because Swift imports the union in CURLMsg awkwardly. A CURLMsg is also valid only
// until the next call of libcurl.
int webimage_curl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result);

#endif
