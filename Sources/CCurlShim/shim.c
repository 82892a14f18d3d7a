#include "CCurlShim.h"

// The parentheses call the real functions instead of curl's type-checking macros, which want literal options.

CURLcode webimage_curl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_data_function(CURL *easy, CURLoption option, webimage_curl_data_function value) {
    return (curl_easy_setopt)(easy, option, value);
}

CURLcode webimage_curl_set_opensocket(CURL *easy, curl_opensocket_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLcode webimage_curl_set_prereq(CURL *easy, curl_prereq_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

CURLcode webimage_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

CURLcode webimage_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

CURLcode webimage_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return (curl_easy_getinfo)(easy, info, (char **)value);
}

CURLMcode webimage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

CURLSHcode webimage_curl_share_set_long(CURLSH *share, CURLSHoption option, long value) {
    return (curl_share_setopt)(share, option, value);
}

int webimage_curl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}
