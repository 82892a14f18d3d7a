#if !__has_include(<microhttpd.h>)
#error "The headers of libmicrohttpd are missing: run Scripts/setup of swift-web-image, or install libmicrohttpd-dev"
#else

#include <microhttpd.h>
#include "../CWebImageSharedLibrary/include/CWebImageSharedLibrary.h"

#define MICROHTTPD_LIBRARY "libmicrohttpd.so.12"

#define MICROHTTPD_FUNCTIONS(take)                                                                              \
    take(MHD_start_daemon) take(MHD_stop_daemon) take(MHD_add_connection) take(MHD_get_connection_info)         \
    take(MHD_get_connection_values_n) take(MHD_suspend_connection) take(MHD_resume_connection)                  \
    take(MHD_queue_response) take(MHD_add_response_header) take(MHD_destroy_response)                           \
    take(MHD_create_response_from_buffer_with_free_callback_cls)                                                \
    take(MHD_create_response_from_fd_at_offset64) take(MHD_get_version)

SHARED_LIBRARY_TABLE(MicroHTTPDFunctions, MICROHTTPD_FUNCTIONS)

#endif
