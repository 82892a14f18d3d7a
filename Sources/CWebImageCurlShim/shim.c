#include "CWebImageCurlShim.h"
#include "../CWebImageCurl/shim.h"

// libcurl's functions. webimage_curl_bind fills the table before all other calls; the table does not change afterwards.
static CurlFunctions curl;

const char *webimage_curl_bind(void *library) { return CurlFunctions_bind(library, &curl); }

CURLcode webimage_curl_global_init(long flags) { return curl.curl_global_init(flags); }

CURL *webimage_curl_easy_init(void) { return curl.curl_easy_init(); }
void webimage_curl_easy_reset(CURL *easy) { curl.curl_easy_reset(easy); }
void webimage_curl_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup(easy); }
const char *webimage_curl_easy_strerror(CURLcode code) { return curl.curl_easy_strerror(code); }

CURLcode webimage_curl_easy_perform(CURL *easy) { return curl.curl_easy_perform(easy); }

CURLcode webimage_curl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
    return curl.curl_easy_send(easy, bytes, count, sent);
}

CURLcode webimage_curl_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received) {
    return curl.curl_easy_recv(easy, bytes, count, received);
}

struct curl_slist *webimage_curl_slist_append(struct curl_slist *list, const char *line) {
    return curl.curl_slist_append(list, line);
}

void webimage_curl_slist_free_all(struct curl_slist *list) { curl.curl_slist_free_all(list); }

CURLM *webimage_curl_multi_init(void) { return curl.curl_multi_init(); }
void webimage_curl_multi_cleanup(CURLM *multi) { curl.curl_multi_cleanup(multi); }
CURLMcode webimage_curl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle(multi, easy); }

CURLMcode webimage_curl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return curl.curl_multi_remove_handle(multi, easy);
}

CURLMcode webimage_curl_multi_perform(CURLM *multi, int *running) { return curl.curl_multi_perform(multi, running); }
CURLMcode webimage_curl_multi_poll(CURLM *multi, int timeout) { return curl.curl_multi_poll(multi, NULL, 0, timeout, NULL); }
CURLMcode webimage_curl_multi_wakeup(CURLM *multi) { return curl.curl_multi_wakeup(multi); }

CURLSH *webimage_curl_share_init(void) { return curl.curl_share_init(); }
CURLSHcode webimage_curl_share_cleanup(CURLSH *share) { return curl.curl_share_cleanup(share); }

// Below, the name of each called function is in parentheses. Without the parentheses, the compiler would use curl's
// macro of the same name, which accepts only literal options.

CURLcode webimage_curl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_data_function(CURL *easy, CURLoption option, webimage_curl_data_function value) {
    return (curl.curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_opensocket(CURL *easy, curl_opensocket_callback value) {
    return (curl.curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLcode webimage_curl_set_prereq(CURL *easy, curl_prereq_callback value) {
    return (curl.curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

CURLcode webimage_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl.curl_easy_getinfo)(easy, info, value);
}

CURLcode webimage_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return (curl.curl_easy_getinfo)(easy, info, value);
}

CURLcode webimage_curl_get_socket(CURL *easy, curl_socket_t *value) {
    return (curl.curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, value);
}

CURLcode webimage_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return (curl.curl_easy_getinfo)(easy, info, (char **)value);
}

CURLMcode webimage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl.curl_multi_setopt)(multi, option, value);
}

CURLSHcode webimage_curl_share_set_long(CURLSH *share, CURLSHoption option, long value) {
    return (curl.curl_share_setopt)(share, option, value);
}

int webimage_curl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl.curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}
