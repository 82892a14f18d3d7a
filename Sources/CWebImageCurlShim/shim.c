#include "CWebImageCurlShim.h"
#include "../CWebImageCurl/shim.h"

// libcurl's functions. webimage_curl_bind fills the table before all other calls; the table does not change afterwards.
static CurlFunctions curl;

const char *webimage_curl_bind(void *library) {
    webimage_coding_bind(library);
    return CurlFunctions_bind(library, &curl);
}

#define WEBIMAGE_CURL_DEFINE(result, name, parameters, call) \
    result webimage_##name parameters { return call; }
WEBIMAGE_CURL_FORWARDS(WEBIMAGE_CURL_DEFINE)

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
