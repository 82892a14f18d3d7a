#if !__has_include(<curl/curl.h>)
#error "The headers of libcurl are missing: run Scripts/setup of swift-web-image, or install libcurl4-openssl-dev"
#else

#include <curl/curl.h>
#include <CWebImageSharedLibrary.h>

// The file name of the libcurl build that the headers belong to. Debian's other builds of libcurl have other names.
#define CURL_LIBRARY "libcurl.so.4"

#define CURL_FUNCTIONS(take)                                                                                    \
    take(curl_easy_cleanup) take(curl_easy_getinfo) take(curl_easy_init) take(curl_easy_perform)                \
    take(curl_easy_recv) take(curl_easy_reset) take(curl_easy_send) take(curl_easy_setopt)                      \
    take(curl_easy_strerror) take(curl_global_init) take(curl_multi_add_handle)          \
    take(curl_multi_cleanup) take(curl_multi_info_read) take(curl_multi_init) take(curl_multi_perform)          \
    take(curl_multi_poll) take(curl_multi_remove_handle) take(curl_multi_setopt) take(curl_multi_wakeup)        \
    take(curl_share_cleanup) take(curl_share_init) take(curl_share_setopt) take(curl_slist_append)              \
    take(curl_slist_free_all)

SHARED_LIBRARY_TABLE(CurlFunctions, CURL_FUNCTIONS)

#endif
