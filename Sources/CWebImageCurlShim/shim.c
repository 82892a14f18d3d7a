#include "CWebImageCurlShim.h"
#include "../CWebImageCurl/shim.h"

#include <dlfcn.h>

// libcurl's functions. webimage_curl_bind fills the table before all other calls; the table does not change afterwards.
static CurlFunctions curl;

// At exit(3), OpenSSL frees what the engine's thread of a running transfer still uses, and frees too when it ends: a crash
// after the last line of main. Nothing needs this clean-up, so OpenSSL, if it is curl's library for TLS, must not register
// it. The program's own earlier use of OpenSSL decides instead, if there was one.
static void omit_clean_up_at_exit(void *library) {
    enum { NO_ATEXIT = 0x00080000 }; // OPENSSL_INIT_NO_ATEXIT, the same number since OpenSSL 1.1.1
    int (*init)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    if (init) init(NO_ATEXIT, NULL);
}

const char *webimage_curl_bind(void *library) {
    omit_clean_up_at_exit(library);
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
